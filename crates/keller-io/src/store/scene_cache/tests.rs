//! A scene cache comes back to the last bit, and no broken or other file is taken for it.

use std::path::{Path, PathBuf};

use keller::DVec3;
use keller::clutter::Volume;
use keller::materials::{Layer, Lobe, Material, Medium, Scattering, Texture};
use keller::scene::building::Placement;
use keller::scene::{Mesh, MeshMaterial, MeshTriangle, Scene, SimplifiedTerrain};
use keller_geo::crs::Georeference;

use super::write::write_to;
use super::{
    CompiledScene, CutOpenings, Found, PlacedBuilding, ReplacedBuilding, Wanted, parse, read, write,
};
use crate::formats::Warning;
use crate::formats::import::{Content, MeshOptions, Unit, Up, import_many_with};
use crate::store::records::{self, Begin};

const NAME: &str = "scene.keller";

/// A turned block whose walls face inwards on a larger, uneven ground, and a sheet that ends within it.
fn mesh() -> Mesh {
    let mut mesh = Mesh::default();
    let wall = mesh.material_index("wall");
    let ground = mesh.material_index("ground");
    let turned = |x: f64, y: f64, z: f64| {
        let (sin, cos) = 0.37_f64.sin_cos();
        DVec3::new(cos * x - sin * y, sin * x + cos * y, z)
    };
    for k in 0..8 {
        let at = |bit: usize| if k >> bit & 1 == 1 { 10.0 } else { 0.0 };
        mesh.vertices.push(turned(at(0), at(1), 0.7 * at(2)));
    }
    for [a, b, c, d] in [
        [0, 1, 5, 4],
        [1, 3, 7, 5],
        [3, 2, 6, 7],
        [2, 0, 4, 6],
        [4, 5, 7, 6],
    ] {
        for vertices in [[a, c, b], [a, d, c]] {
            let material = wall;
            mesh.triangles.push(MeshTriangle { vertices, material });
        }
    }
    mesh.vertices.extend([
        DVec3::new(-50.0, -50.0, 0.0),
        DVec3::new(50.0, -50.0, 0.0),
        DVec3::new(50.0, 50.0, 1.0),
        DVec3::new(-50.0, 50.0, 0.0),
        turned(5.0, -20.0, 0.0),
        turned(5.0, 5.0, 0.0),
        turned(5.0, 5.0, 4.0),
    ]);
    for vertices in [[8, 9, 10], [8, 10, 11], [12, 13, 14]] {
        mesh.triangles.push(MeshTriangle {
            vertices,
            material: ground,
        });
    }
    mesh
}

fn compiled() -> CompiledScene {
    let brick = Medium::Constant {
        relative_permittivity: 3.91,
        conductivity: 0.1 + 0.2,
    };
    let layered = Material::Slab(vec![
        Layer {
            medium: brick,
            thickness: 0.1,
        },
        Layer {
            medium: Medium::PerfectConductor,
            thickness: 1.0 / 3.0,
        },
    ]);
    let rough = Texture {
        roughness: 0.01,
        scattering: Some(Scattering {
            coefficient: 0.3,
            cross_polarization: 0.1,
            lobe: Lobe::Backscattering {
                forward: 4,
                back: 3,
                forward_share: 0.7,
            },
        }),
    };
    let outline = [[0.1, 0.2], [30.3, 0.0], [31.0, 20.0]];
    let materials = vec![
        MeshMaterial {
            name: "wall".to_owned(),
            definition: Some(layered.with_displaced_air_ignored(true).with_texture(rough)),
        },
        MeshMaterial {
            name: "ground".to_owned(),
            definition: Material::from_name("itu_wet_ground"),
        },
    ];
    let mesh = Mesh {
        materials: materials.clone(),
        ..mesh()
    };
    CompiledScene {
        scene: Scene::new(&mesh).unwrap().into(),
        materials,
        volumes: vec![Volume::prism(&outline, [0.0, 12.3], 0.1, Some(20.0)).unwrap()],
        georeference: Some(Georeference {
            crs: "EPSG:25832".to_owned(),
            origin: [691_000.1, 5_334_000.7, 0.3],
        }),
        warnings: vec![Warning {
            file: "a.ply".into(),
            message: "looks odd".to_owned(),
        }],
        sources: vec!["a.ply".into()],
        contents: vec![Content {
            file: "missing.ply".into(),
            digest: None,
        }],
        buildings: vec![PlacedBuilding {
            name: "office".to_owned(),
            placement: Placement {
                origin: DVec3::new(1.5, -2.25, 0.1),
                rotation: 0.585,
            },
            bounds: [DVec3::ZERO, DVec3::new(10.0, 8.0, 9.3)],
            floors: vec![0.0, 3.1],
            footprint: 80.0,
            replaced: vec![ReplacedBuilding {
                object: Some("way 12".to_owned()),
                centre: [5.0, 4.5],
                area: 81.5,
                inside: 79.5,
            }],
            misfits: vec!["it stands in the air".to_owned()],
        }],
        openings: vec![CutOpenings {
            material: Some("glass".to_owned()),
            walls: 8,
            opened: 3,
            openings: 17,
            area: 28.56,
            wall_area: 301.5,
        }],
        terrain: Some(SimplifiedTerrain {
            num_before: 1_280_000,
            num_after: 41_234,
            num_left: 7,
        }),
    }
}

fn files() -> Vec<PathBuf> {
    vec!["a.ply".into()]
}

fn wanted(files: &[PathBuf]) -> Wanted<'_> {
    Wanted {
        files,
        options: MeshOptions {
            up: Some(Up::Y),
            unit: Some(Unit::Millimetre),
        },
        buildings: &[],
        openings: &[],
        terrain_wedge_deg: None,
        terrain_error_m: None,
    }
}

fn bytes(compiled: &CompiledScene) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_to(&mut bytes, &wanted(&files()), compiled).unwrap();
    bytes
}

#[test]
fn what_is_kept_comes_back_to_the_last_bit() {
    let kept = compiled();
    let bytes = bytes(&kept);
    let Found::Fitting(back) = parse(&bytes, Path::new(NAME), &wanted(&files())).unwrap() else {
        panic!("it fits");
    };
    // Terrain and joints are found at the first use: both scenes find the same.
    let found = [&back.scene, &kept.scene].map(|scene| {
        let face = scene.triangle_faces()[0];
        (scene.terrain_of(face), scene.num_joints())
    });
    assert_eq!(found[0], found[1]);
    // Rust writes no two floats alike.
    assert_eq!(format!("{:?}", back.scene), format!("{:?}", kept.scene));
    assert!(kept.scene.edges().len() > 12, "edges are compared");
    assert_eq!(back.materials, kept.materials);
    assert_eq!(back.volumes, kept.volumes);
    assert_eq!(back.georeference, kept.georeference);
    assert_eq!(back.warnings, kept.warnings);
    assert_eq!(back.sources, kept.sources);
    assert_eq!(back.contents, kept.contents);
    assert_eq!(back.buildings, kept.buildings);
    assert_eq!(back.openings, kept.openings);
    assert_eq!(back.terrain, kept.terrain);
    assert_eq!(back.scene.defects(), kept.scene.defects());
}

#[test]
fn no_byte_can_be_wrong_and_none_can_be_missing() {
    let kept = compiled();
    let good = bytes(&kept);
    let files = files();
    let look = |bytes: &[u8]| parse(bytes, Path::new(NAME), &wanted(&files));
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1 << (at % 8);
        let found = look(&bad);
        assert!(
            !matches!(found, Ok(Found::Fitting(_))),
            "byte {at} is wrong"
        );
    }
    for length in 0..good.len() {
        let found = look(&good[..length]);
        assert!(!matches!(found, Ok(Found::Fitting(_))), "{length} bytes");
    }
    let longer = [&good[..], &[0; 8]].concat();
    assert!(
        matches!(look(&longer), Ok(Found::Damaged(_))),
        "it is too long"
    );
    assert!(look(b"ply\n").is_err(), "it is no scene cache");
    let run = records::header(*b"run     ", [0; 16], &[]);
    assert!(look(&run).is_err(), "it is of something else");
}

/// A file of another version may be written over, whatever it holds.
#[test]
fn files_of_other_versions_are_stale() {
    let files = files();
    let stale = |bytes: &[u8]| match parse(bytes, Path::new(NAME), &wanted(&files)) {
        Ok(Found::Stale(why)) => why,
        other => panic!("{other:?}"),
    };
    let head = [&8_u32.to_le_bytes()[..], b"other"].concat();
    let newer = records::header(*b"scene   ", [0; 16], &head);
    assert_eq!(stale(&newer), "it is of version 8 of the format");
    let old = stale(b"keller scene  \r\n\x06\0\0\0\0\0\0\0");
    assert_eq!(old, "it is of an older version of the format");
}

/// Seeds of an older version would fuzz nothing but the refusal.
#[test]
fn seeds_of_the_fuzzer_are_whole_files() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/kept");
    let mut num_seeds = 0;
    for seed in std::fs::read_dir(folder).unwrap() {
        let name = seed.unwrap().path();
        let bytes = std::fs::read(&name).unwrap();
        let (head, start) = super::read::head(&bytes).unwrap().unwrap();
        assert!(!head.files.is_empty(), "{}", name.display());
        super::read::scene(&bytes, start, &head).unwrap();
        num_seeds += 1;
    }
    assert!(num_seeds > 0, "no seeds in {folder}");
}

/// Lists that are whole, and yet not those of a scene.
#[test]
fn lists_that_are_missing_or_change_places_are_damage() {
    let good = bytes(&compiled());
    let read = &mut records::reader(&good);
    let Begin::Container { head, .. } = records::begin(read).unwrap() else {
        panic!("it is whole");
    };
    let start = 64 + head.len();
    let lists = records::scan(start as u64, read).unwrap().records;
    let mut parts: Vec<&[u8]> = Vec::new();
    let mut from = start;
    for list in &lists {
        let end = usize::try_from(list.end()).unwrap();
        parts.push(&good[from..end]);
        from = end;
    }
    let files = files();
    let look = |parts: &[&[u8]]| {
        let end = records::end(parts.len());
        let bytes = [&good[..start], &parts.concat(), &end].concat();
        parse(&bytes, Path::new(NAME), &wanted(&files)).unwrap()
    };
    assert!(matches!(look(&parts), Found::Fitting(_)), "as it was");
    let last = parts.len() - 1;
    let mut swapped = parts.clone();
    swapped.swap(0, 1);
    let longer = [&parts[..], &parts[last..]].concat();
    for bad in [&parts[..last], &parts[1..], &swapped, &longer] {
        assert!(matches!(look(bad), Found::Damaged(_)));
    }
}

/// A file with correct checksums may hold anything.
#[test]
fn lists_that_do_not_fit_together_are_refused() {
    use keller::scene::{Lists, Numbers};

    #[derive(Clone, Debug)]
    enum List {
        Whole(Vec<u32>),
        Single(Vec<f32>),
        Double(Vec<f64>),
    }
    struct Given<I>(I);
    impl<I: Iterator<Item = List>> Lists for Given<I> {
        type Error = &'static str;
        fn whole(&mut self) -> Result<Vec<u32>, Self::Error> {
            match self.0.next() {
                Some(List::Whole(list)) => Ok(list),
                _ => Err("another kind"),
            }
        }
        fn single(&mut self) -> Result<Vec<f32>, Self::Error> {
            match self.0.next() {
                Some(List::Single(list)) => Ok(list),
                _ => Err("another kind"),
            }
        }
        fn double(&mut self) -> Result<Vec<f64>, Self::Error> {
            match self.0.next() {
                Some(List::Double(list)) => Ok(list),
                _ => Err("another kind"),
            }
        }
        fn refuse(&self, problem: &'static str) -> Self::Error {
            problem
        }
    }
    let scene = compiled().scene;
    let mut lists = Vec::new();
    scene
        .each_list(&mut |numbers| {
            lists.push(match numbers {
                Numbers::Whole(list) => List::Whole(list.to_vec()),
                Numbers::Single(list) => List::Single(list.to_vec()),
                Numbers::Double(list) => List::Double(list.to_vec()),
            });
            Ok::<_, ()>(())
        })
        .unwrap();
    let materials = ["wall", "ground"].map(|name| MeshMaterial {
        name: name.to_owned(),
        definition: None,
    });
    let build = |lists: &[List]| Scene::from_lists(&materials, &mut Given(lists.iter().cloned()));
    assert!(build(&lists).is_ok(), "the lists as they were");
    let mut random = fastrand::Rng::with_seed(5);
    for round in 0..4000 {
        let mut bad = lists.clone();
        let which = random.usize(..bad.len());
        match &mut bad[which] {
            List::Whole(list) if !list.is_empty() => {
                let at = random.usize(..list.len());
                list[at] = if round % 2 == 0 {
                    random.u32(..)
                } else {
                    random.u32(..40)
                };
            }
            List::Single(list) if round % 3 == 0 => drop(list.pop()),
            List::Double(list) if round % 3 == 0 => drop(list.pop()),
            List::Single(list) if !list.is_empty() => {
                let at = random.usize(..list.len());
                list[at] = f32::from_bits(random.u32(..));
            }
            List::Double(list) if !list.is_empty() => {
                let at = random.usize(..list.len());
                list[at] = f64::from_bits(random.u64(..));
            }
            _ => {}
        }
        // A scene that is accepted can be asked anything.
        if let Ok(scene) = build(&bad) {
            let crossed = &mut Vec::new();
            let [a, b] = [DVec3::new(-20.0, -18.0, 3.0), DVec3::new(21.0, 17.0, 2.0)];
            scene.crossings(a, b, &[], 100, crossed);
            for edge in 0..scene.edges().len() {
                scene.planes_behind(keller::scene::EdgeId::from_index(edge));
            }
        }
    }
}

#[test]
fn a_scene_whose_files_have_changed_does_not_fit() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let text = "mtllib walls.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nusemtl brick\nf 1 2 3\n";
    std::fs::write(at("a.obj"), text).unwrap();
    let files = vec![at("a.obj")];
    let options = MeshOptions::default();
    let wanted = Wanted {
        files: &files,
        options,
        buildings: &[],
        openings: &[],
        terrain_wedge_deg: None,
        terrain_error_m: None,
    };
    let look = |wanted: &Wanted<'_>| match read(&at(NAME), wanted).unwrap() {
        Found::Fitting(_) => "fits".to_owned(),
        Found::Nothing => "nothing".to_owned(),
        Found::Stale(why) => why.replace(&folder.path().display().to_string(), ""),
        Found::Damaged(why) => panic!("{why}"),
    };
    assert_eq!(look(&wanted), "nothing");
    let imported = import_many_with(&files, options).unwrap();
    let compiled = CompiledScene {
        scene: Scene::new(&imported.mesh).unwrap().into(),
        materials: imported.mesh.materials,
        volumes: imported.volumes,
        georeference: imported.georeference,
        warnings: imported.warnings,
        sources: imported.sources,
        contents: imported.contents,
        buildings: Vec::new(),
        openings: Vec::new(),
        terrain: None,
    };
    write(&at(NAME), &wanted, &compiled).unwrap();
    assert_eq!(look(&wanted), "fits");
    let up = Some(Up::Y);
    let other = Wanted {
        options: MeshOptions { up, ..options },
        ..wanted
    };
    assert_eq!(look(&other), "`up` or `unit` has changed");
    let others = vec![at("b.obj")];
    let other = Wanted {
        files: &others,
        options,
        buildings: &[],
        openings: &[],
        terrain_wedge_deg: None,
        terrain_error_m: None,
    };
    assert_eq!(look(&other), "it is of other scene files");
    let buildings = ["office".to_owned()];
    let other = Wanted {
        buildings: &buildings,
        ..wanted
    };
    assert_eq!(look(&other), "`[[building]]` has changed");
    let openings = ["windows".to_owned()];
    let other = Wanted {
        openings: &openings,
        ..wanted
    };
    assert_eq!(look(&other), "`[[opening]]` has changed");
    let other = Wanted {
        terrain_error_m: Some(0.5),
        ..wanted
    };
    assert_eq!(look(&other), "`terrain_error_m` has changed");
    // The missing library appears.
    std::fs::write(at("walls.mtl"), "newmtl brick\n").unwrap();
    assert!(
        look(&wanted).ends_with("walls.mtl` has changed"),
        "{}",
        look(&wanted)
    );
    std::fs::remove_file(at("walls.mtl")).unwrap();
    assert_eq!(look(&wanted), "fits");
    std::fs::write(at("a.obj"), text.replace("v 1 1 0", "v 1 1 1")).unwrap();
    assert!(
        look(&wanted).ends_with("a.obj` has changed"),
        "{}",
        look(&wanted)
    );
}

//! The shared cases from file to coefficient: every listed path and no other, in every mesh format, by every search,
//! and with an accelerator that answers rays.

use std::path::Path as FilePath;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use keller::em::utd::LossyWedge;
use keller::field::PathField;
use keller::geometry::bvh::{AcceleratorFailed, Answer, Question, Ray, RayAccelerator};
use keller::materials::{ItuMaterial, Material, Materials, Medium};
use keller::paths::{Devices, Effort, Environment, Limits, Path, PathFinder, Search};
use keller::scene::{Mesh, Scene};
use keller::tiles::Tiling;
use keller::units::power_to_db;
use keller::{Control, DVec3, Frequency, World};
use keller_geo::place::{self, ReadOptions};
use keller_geo::site::{SiteOptions, Sources, assemble};
use keller_gpu::{Gpu, GpuIndex, Tuning, for_tests};
use keller_io::formats::import::Object;
use keller_io::reports::export::{Beside, glb};
use serde_json::Value;

/// The side of small tiles, metres.
const TILE: f64 = 2.0;

/// The tuning with which most rays go to the accelerator. Searches for visible objects do not: the ground of some cases
/// has very many tiles.
const TUNING: Tuning = Tuning {
    fewest_rays: 1 << 10,
    rays_at_once: 1 << 14,
    fewest_pairs: usize::MAX,
    pairs_at_once: 1 << 15,
};

/// An accelerator that counts the rays it answers.
#[derive(Debug)]
struct Counting {
    index: GpuIndex,
    rays: AtomicUsize,
}

impl RayAccelerator for Counting {
    fn fewest_rays(&self) -> usize {
        self.index.fewest_rays()
    }

    fn rays_at_once(&self) -> usize {
        self.index.rays_at_once()
    }

    fn answer(
        &self,
        rays: &[Ray],
        question: Question,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), AcceleratorFailed> {
        self.rays.fetch_add(rays.len(), Ordering::Relaxed);
        self.index.answer(rays, question, set)
    }
}

const FROM_SEQUENCES: [Search; 3] = [
    Search::Exhaustive,
    Search::Launch(Effort::Quick),
    Search::Complete,
];

#[test]
fn two_rays_over_a_perfect_conductor() {
    check_case("01_two_ray_pec", 10);
}

#[test]
fn a_room_with_up_to_four_reflections() {
    check_case("03_empty_room_d4", 387);
}

#[test]
fn a_wedge_of_perfect_conductor() {
    check_case("05_wedge90_pec", 25);
}

#[test]
fn a_half_plane_diffracts_at_all_its_borders() {
    check_case("06_half_plane_pec", 48);
}

#[test]
fn a_wedge_of_concrete_met_aslant() {
    check_case("07_wedge60_concrete", 15);
}

#[test]
fn a_block_city_with_up_to_three_reflections_and_one_diffraction() {
    check_case("10_manhattan_d3", 245);
}

#[test]
fn a_wall_of_coplanar_tiles() {
    check_case("13_coplanar_tiles", 21);
}

/// Footprints are imported as a place, written to a file, and give the scene of the case.
#[test]
fn a_block_city_from_its_footprints() {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/10_manhattan_d3");
    let case = Case::load(&folder);
    let file = folder.join("footprints.geojson");
    let options = ReadOptions {
        crs: Some("local".to_owned()),
        ..ReadOptions::default()
    };
    let place = place::read_with(&file, &options).unwrap();
    let sources = Sources {
        places: vec![(file, place)],
        rasters: Vec::new(),
    };
    let site = assemble(sources, &SiteOptions::default()).unwrap();
    assert!(site.warnings.is_empty(), "{:?}", site.warnings);
    assert_eq!(site.num_buildings, 12);
    let object = |(name, triangles)| Object { name, triangles };
    let objects: Vec<Object> = site.parts.into_iter().map(object).collect();
    let bytes = glb(&site.mesh, &objects, &Beside::default());
    let none = |_: &FilePath| Err(std::io::ErrorKind::NotFound.into());
    let imported =
        keller_io::formats::import::gltf::parse(&bytes, "scene.glb".as_ref(), &none).unwrap();
    for search in FROM_SEQUENCES {
        case.check_mesh(&site.mesh, &format!("footprints by {search:?}"), search);
        case.check_mesh(
            &imported.mesh,
            &format!("footprints as GLB by {search:?}"),
            search,
        );
    }
}

fn check_case(name: &str, num_paths: usize) {
    let folder = FilePath::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../cases")
        .join(name);
    let case = Case::load(&folder);
    assert_eq!(case.num_expected(), num_paths, "{name}: paths listed");
    for file in [
        "scene.obj",
        "scene_ngon.obj",
        "scene.glb",
        "scene.xml",
        "scene_mat_itu.xml",
    ] {
        for search in FROM_SEQUENCES {
            case.check(&folder.join(file), search);
        }
    }
    // The scene is the same for every kind of file.
    case.check(&folder.join("scene.obj"), Search::Tiles);
    let Some(device) = for_tests() else { return };
    let mesh = keller_io::formats::import::import(&folder.join("scene.obj"))
        .unwrap()
        .mesh;
    let scene = Scene::new(&mesh).unwrap();
    let gpu = Gpu::of(&device).unwrap();
    let index = gpu.index_with(scene.index(), TUNING, |error| panic!("{error}"));
    let counting = Arc::new(Counting {
        index: index.unwrap(),
        rays: AtomicUsize::new(0),
    });
    let what = format!("{name} by launched rays on {}", device.name);
    case.check_scene(
        scene.with_accelerator(counting.clone()),
        &what,
        Search::Launch(Effort::Quick),
    );
    let asked = counting.rays.load(Ordering::Relaxed);
    assert!(asked > 10_000, "{what}: it was asked for {asked} rays");
}

struct Case {
    input: Value,
    expected: Value,
}

impl Case {
    fn load(folder: &FilePath) -> Self {
        let read = |file: &str| {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            serde_json::from_str(&text).unwrap()
        };
        Self {
            input: read("case.json"),
            expected: read("expected.json"),
        }
    }

    /// The paths listed for a receiver.
    fn listed(&self, rx: usize) -> impl Iterator<Item = &Value> {
        let paths = self.expected["receivers"][rx]["paths"].as_array().unwrap();
        paths.iter().inspect(|p| {
            assert!(
                self.covers(types(p)),
                "{p} is of a family that is not checked"
            );
        })
    }

    /// Whether the list is complete for paths of these types: reflections alone, or a diffraction alone.
    fn covers(&self, types: &str) -> bool {
        types.bytes().all(|t| t == b'R') || (types == "D" && self.diffracts())
    }

    fn diffracts(&self) -> bool {
        self.input["options"]["diffraction"].as_bool().unwrap()
    }

    fn num_expected(&self) -> usize {
        let receivers = self.expected["receivers"].as_array().unwrap().len();
        (0..receivers).map(|r| self.listed(r).count()).sum()
    }

    fn check(&self, file: &FilePath, search: Search) {
        let what = format!("{} by {search:?}", file.display());
        let mesh = keller_io::formats::import::import(file).unwrap().mesh;
        self.check_mesh(&mesh, &what, search);
    }

    fn check_mesh(&self, mesh: &Mesh, what: &str, search: Search) {
        self.check_scene(Scene::new(mesh).unwrap(), what, search);
    }

    fn check_scene(&self, scene: Scene, what: &str, search: Search) {
        let frequency = Frequency::from_hz(self.input["frequency_hz"].as_f64().unwrap()).unwrap();
        let world = World::new(scene, &self.materials(), frequency).unwrap();
        let with = |form| world.clone().with_lossy_wedge(form);
        let listed_form = with(LossyWedge::LuebbersFull);
        let other_form = with(LossyWedge::ReciprocalFull);
        let depth = self.input["options"]["max_reflections"].as_u64().unwrap();
        let limits = Limits {
            max_interactions: usize::try_from(depth).unwrap(),
            max_reflections: usize::try_from(depth).unwrap(),
            max_diffractions: usize::from(self.diffracts()),
            free_edges: self.input["options"]["free_edges"].as_bool().unwrap(),
            ..Limits::default()
        };
        let tx = Devices::tx(world.scene(), points(&self.input["tx"])).unwrap();
        let rx = Devices::rx(world.scene(), points(&self.input["rx"])).unwrap();
        let control = Control::default();
        let finder = if search == Search::Tiles {
            let tiling = Tiling::of_side(TILE.min(Tiling::of_scene(world.scene()).side));
            let environment = Environment::new(world.shared_scene(), tiling, &control).unwrap();
            PathFinder::over_tiles(&world, &limits, environment)
        } else {
            PathFinder::new(&world, &limits, search, &control)
        };
        let finder = finder.unwrap();
        let from = finder.views_from(&tx, 0, &control).unwrap();
        let paths = finder.paths(&from, &rx, &control).unwrap();
        assert_eq!(tx.len(), 1, "{what}");
        for r in 0..rx.len() {
            let is_listed = |p: &&Path| p.rx == r && self.covers(&letters(p));
            let found: Vec<&Path> = paths.iter().filter(is_listed).collect();
            let listed: Vec<&Value> = self.listed(r).collect();
            assert_eq!(
                found.len(),
                listed.len(),
                "{what}: number of paths of rx {r}"
            );
            for expected in listed {
                let path = found.iter().find(|p| is_same(p, expected));
                let path = path.unwrap_or_else(|| panic!("{what}: rx {r} misses {expected}"));
                let own = &expected["alt_lossy_wedge"]["reciprocal_full"];
                if own.is_object() {
                    check_gains(&PathField::new(path, &other_form), own, what);
                }
                // The coefficients are listed for the form of Luebbers, which matters at lossy wedges alone.
                check_field(&PathField::new(path, &listed_form), expected, what);
            }
        }
    }

    /// The materials of `case.json`, which override those of the scene file.
    fn materials(&self) -> Materials {
        let listed = self.input["materials"].as_object().unwrap();
        listed
            .iter()
            .map(|(name, value)| {
                let medium = match value["kind"].as_str().unwrap() {
                    "pec" => Medium::PerfectConductor,
                    "itu" => {
                        Medium::Itu(ItuMaterial::from_name(value["itu"].as_str().unwrap()).unwrap())
                    }
                    other => panic!("unknown kind {other}"),
                };
                let material = match value["thickness"].as_f64() {
                    // The cases list the bare value of P.2040.
                    Some(thickness) => {
                        Material::slab(medium, thickness).with_displaced_air_ignored(true)
                    }
                    None => Material::HalfSpace(medium),
                };
                (name.clone(), material)
            })
            .collect()
    }
}

fn letters(path: &Path) -> String {
    path.interactions().map(|met| met.kind().letter()).collect()
}

fn types(path: &Value) -> &str {
    match path["types"].as_str().unwrap() {
        "LOS" => "",
        types => types,
    }
}

/// Whether the types are the same, and the points to a micrometre or two (the file rounds them).
fn is_same(path: &Path, expected: &Value) -> bool {
    let listed = points(&expected["points"]);
    let inner = &listed[1..listed.len() - 1];
    path.vertices.len() == inner.len()
        && (path.length - expected["length_m"].as_f64().unwrap()).abs() < 1e-6
        && path
            .vertices
            .iter()
            .zip(inner)
            .all(|(i, p)| i.point.distance(*p) < 2e-6)
}

/// Checks the gains of the default form.
fn check_gains(field: &PathField, listed: &Value, what: &str) {
    for (key, port) in [("gain_db_vv", 0), ("gain_db_hh", 1)] {
        let gain = power_to_db(field.coefficient[port][port].norm_sqr());
        let off = gain - listed[key].as_f64().unwrap();
        assert!(off.abs() < 0.01, "{what}: {key} off by {off} dB");
    }
}

fn check_field(field: &PathField, expected: &Value, what: &str) {
    for row in 0..2 {
        for column in 0..2 {
            let a = &expected["a"][row][column];
            let listed = keller::Complex64::new(a[0].as_f64().unwrap(), a[1].as_f64().unwrap());
            let found = field.coefficient[row][column];
            // Cross terms that vanish by symmetry are rounding on both sides.
            if listed.norm() < 1e-12 {
                assert!(found.norm() < 1e-12, "{what}: {found} is not zero");
                continue;
            }
            let gain = power_to_db(found.norm_sqr()) - power_to_db(listed.norm_sqr());
            assert!(gain.abs() < 0.01, "{what}: gain off by {gain} dB");
            let phase = (found / listed).arg();
            assert!(phase.abs() < 0.01, "{what}: phase off by {phase} rad");
        }
    }
    for (key, angle) in [
        ("zod_rad", field.departure.zenith),
        ("aod_rad", field.departure.azimuth),
        ("zoa_rad", field.arrival.zenith),
        ("aoa_rad", field.arrival.azimuth),
    ] {
        let off = angle - expected[key].as_f64().unwrap();
        assert!(off.abs() < 1e-7, "{what}: {key} off by {off}");
    }
}

fn points(values: &Value) -> Vec<DVec3> {
    let point = |v: &Value| DVec3::from_array([0, 1, 2].map(|k| v[k].as_f64().unwrap()));
    values.as_array().unwrap().iter().map(point).collect()
}

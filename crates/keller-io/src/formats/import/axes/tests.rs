use std::path::Path;

use glam::{DMat3, DVec3};
use keller::scene::{Mesh, MeshTriangle};

use super::*;

fn range(random: &mut fastrand::Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * random.f64()
}

fn quad(mesh: &mut Mesh, corners: [DVec3; 4]) {
    let material = mesh.material_index("wall");
    let first = u32::try_from(mesh.vertices.len()).unwrap();
    mesh.vertices.extend(corners);
    for [a, b, c] in [[0, 1, 2], [0, 2, 3]] {
        let vertices = [first + a, first + b, first + c];
        mesh.triangles.push(MeshTriangle { vertices, material });
    }
}

/// An upright block of these half widths and height, turned by an angle, on `foot`.
fn block(mesh: &mut Mesh, foot: DVec3, [u, v, height]: [f64; 3], angle: f64) {
    let turn = DMat3::from_rotation_z(angle);
    let at = |x: f64, y: f64, z: f64| foot + turn * DVec3::new(x * u, y * v, z * height);
    let around = [[-1., -1.], [1., -1.], [1., 1.], [-1., 1.]];
    for k in 0..4 {
        let ([a, b], [c, d]) = (around[k], around[(k + 1) % 4]);
        quad(
            mesh,
            [at(a, b, 0.), at(c, d, 0.), at(c, d, 1.), at(a, b, 1.)],
        );
    }
    for z in [0., 1.] {
        quad(mesh, around.map(|[x, y]| at(x, y, z)));
    }
}

/// Blocks on a plane or a hilly ground, along the axes or turned, with or without the ground.
fn city(seed: u64, is_turned: bool, is_hilly: bool, has_ground: bool) -> Mesh {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut mesh = Mesh::default();
    let hill = |x: f64, y: f64| {
        if is_hilly {
            20.0 * (x / 90.0).sin() + 15.0 * (y / 70.0).cos()
        } else {
            0.0
        }
    };
    for i in 0..8_u32 {
        for j in 0..6_u32 {
            let at = [f64::from(i) * 45.0, f64::from(j) * 52.0];
            let [x, y] = at.map(|v| v + range(&mut random, -4.0, 4.0));
            let size = [
                range(&mut random, 5.0, 16.0),
                range(&mut random, 5.0, 18.0),
                range(&mut random, 6.0, 40.0),
            ];
            let angle = if is_turned {
                range(&mut random, 0.0, 3.0)
            } else {
                0.0
            };
            block(&mut mesh, DVec3::new(x, y, hill(x, y)), size, angle);
        }
    }
    if has_ground {
        let step = 30.0;
        for i in -1..13 {
            for j in -1..11 {
                let corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[u, v]| {
                    let (x, y) = (step * f64::from(i + u), step * f64::from(j + v));
                    DVec3::new(x, y, hill(x, y))
                });
                quad(&mut mesh, corners);
            }
        }
    }
    mesh
}

/// The mesh as it stands in a file with y up.
fn with_y_up(mesh: &Mesh) -> Mesh {
    let mut mesh = mesh.clone();
    mesh.vertices
        .iter_mut()
        .for_each(|v| *v = DVec3::new(v.x, v.z, -v.y));
    mesh
}

/// The mesh that becomes of one without statements, and the warnings.
fn settled(mesh: &Mesh, options: MeshOptions) -> (Mesh, Vec<String>) {
    settled_with(mesh, Stated::default(), options)
}

fn settled_with(mesh: &Mesh, stated: Stated, options: MeshOptions) -> (Mesh, Vec<String>) {
    let imported = Imported {
        mesh: mesh.clone(),
        ..Imported::default()
    };
    let mut files = [("a.obj".into(), imported, stated)];
    settle(&mut files, options);
    let [(_, imported, _)] = files;
    let warnings = imported.warnings.iter().map(|w| w.message.clone());
    (imported.mesh, warnings.collect())
}

fn is_same(a: &Mesh, b: &Mesh) -> bool {
    let pairs = a.vertices.iter().zip(&b.vertices);
    a.vertices.len() == b.vertices.len() && pairs.into_iter().all(|(a, b)| a.distance(*b) < 1e-9)
}

#[test]
fn cities_of_any_kind_are_turned_upright_and_upright_ones_stay() {
    for seed in 0..12 {
        for (is_turned, is_hilly, has_ground) in [
            (false, false, true),
            (true, false, true),
            (true, false, false),
            (false, false, false),
            (true, true, true),
            (false, true, true),
        ] {
            let mesh = city(seed, is_turned, is_hilly, has_ground);
            let what = format!("{seed}: turned {is_turned}, hilly {is_hilly}, ground {has_ground}");
            let (upright, warnings) = settled(&mesh, MeshOptions::default());
            assert!(
                warnings.is_empty() && is_same(&upright, &mesh),
                "{what}: {warnings:?}"
            );
            let (turned, warnings) = settled(&with_y_up(&mesh), MeshOptions::default());
            assert!(is_same(&turned, &mesh), "{what}: {warnings:?}");
            let is_said = |word: &str| warnings[0].contains(word);
            assert!(
                is_said("its shape says y") && is_said("--up z"),
                "{what}: {warnings:?}"
            );
        }
    }
}

#[test]
fn what_may_stand_or_lie_stays_as_it_is_with_a_warning() {
    let mut tower = Mesh::default();
    block(&mut tower, DVec3::ZERO, [9.0, 11.0, 120.0], 0.0);
    // A sheet across y.
    let mut sheet = Mesh::default();
    let corners = [[0., 0.], [9., 0.], [9., 4.], [0., 4.]];
    quad(&mut sheet, corners.map(|[x, z]| DVec3::new(x, 0.0, z)));
    for mesh in [tower, sheet] {
        let (same, warnings) = settled(&mesh, MeshOptions::default());
        assert!(is_same(&same, &mesh) && warnings.len() == 1, "{warnings:?}");
        assert!(warnings[0].contains("nor its shape says"), "{warnings:?}");
        for (up, is_turned) in [(Up::Z, false), (Up::Y, true)] {
            let asked = MeshOptions {
                up: Some(up),
                ..MeshOptions::default()
            };
            let (found, warnings) = settled(&mesh, asked);
            assert!(warnings.is_empty(), "{warnings:?}");
            assert_eq!(!is_same(&found, &mesh), is_turned);
        }
    }
}

#[test]
fn rooms_and_grounds_lie_as_they_do_without_a_word() {
    let mut room = Mesh::default();
    block(&mut room, DVec3::ZERO, [5.0, 4.0, 3.0], 0.0);
    block(&mut room, DVec3::new(2.0, 1.0, 0.0), [0.4, 0.8, 0.7], 0.3);
    let mut ground = Mesh::default();
    let corners = [[0., 0.], [9., 0.], [9., 4.], [0., 4.]];
    quad(&mut ground, corners.map(|[x, y]| DVec3::new(x, y, 2.0)));
    for mesh in [room, ground] {
        let (same, warnings) = settled(&mesh, MeshOptions::default());
        assert!(is_same(&same, &mesh) && warnings.is_empty(), "{warnings:?}");
    }
}

/// No file of a city in many files is judged alone: a tower by itself says nothing.
#[test]
fn files_of_one_scene_are_turned_together() {
    let mesh = with_y_up(&city(3, true, false, true));
    let mut files: Vec<(PathBuf, Imported, Stated)> = mesh
        .triangles
        .chunks(40)
        .enumerate()
        .map(|(i, triangles)| {
            let part = Mesh {
                triangles: triangles.to_vec(),
                ..mesh.clone()
            };
            let imported = Imported {
                mesh: part,
                ..Imported::default()
            };
            (format!("{i}.ply").into(), imported, Stated::default())
        })
        .collect();
    settle(&mut files, MeshOptions::default());
    for (file, imported, _) in &files {
        let expected = usize::from(file == Path::new("0.ply"));
        assert_eq!(imported.warnings.len(), expected, "{}", file.display());
        for (a, b) in imported.mesh.vertices.iter().zip(&mesh.vertices) {
            assert!(a.distance(DVec3::new(b.x, -b.z, b.y)) < 1e-9);
        }
    }
}

#[test]
fn formats_that_declare_their_axes_are_not_asked() {
    let mesh = with_y_up(&city(1, true, false, true));
    let stated = Stated {
        is_upright: true,
        ..Stated::default()
    };
    let (same, warnings) = settled_with(&mesh, stated, MeshOptions::default());
    assert!(is_same(&same, &mesh) && warnings.is_empty(), "{warnings:?}");
    let asked = MeshOptions {
        up: Some(Up::Y),
        unit: None,
    };
    let (same, warnings) = settled_with(&mesh, stated, asked);
    assert!(
        is_same(&same, &mesh) && warnings[0].contains("no effect"),
        "{warnings:?}"
    );
}

#[test]
fn comments_say_axes_and_units() {
    let of = |text: &str| {
        let Stated { up, unit, .. } = stated(text.as_bytes());
        (up, unit)
    };
    for text in [
        "# Y-up\n",
        "# exported with y up axis: no\n# up axis = Y\n",
        "ply\nformat ascii 1.0\ncomment the y axis is up\nend_header\n",
        "# UpAxis: Y, scale 1\r\n",
        "# Coordinate system (Y_up)\n",
    ] {
        assert_eq!(of(text), (Some(Up::Y), None), "{text}");
    }
    assert_eq!(of("# z is up\nv 0 0 0\n# y-up\n").0, Some(Up::Z));
    for text in [
        "# Blender 4.2.2 LTS\n# www.blender.org\n",
        "# cleaned up y coordinates\n",
        "v 0 0 0\no y-up\n",
        "ply\nend_header\n# y-up\n",
        "# units unknown\n",
    ] {
        assert_eq!(of(text), (None, None), "{text}");
    }
    for (text, unit) in [
        ("# File units = inches\n", Unit::Inch),
        ("# unit: mm\n", Unit::Millimetre),
        ("# Units = meters\n", Unit::Metre),
    ] {
        assert_eq!(of(text).1, Some(unit), "{text}");
    }
}

#[test]
fn what_a_comment_says_is_done_and_told_unless_the_user_says_otherwise() {
    let mesh = city(2, true, false, true);
    let stated = Stated {
        up: Some(Up::Y),
        unit: Some(Unit::Foot),
        is_upright: false,
    };
    let mut feet = with_y_up(&mesh);
    feet.vertices.iter_mut().for_each(|v| *v /= 0.3048);
    let (found, warnings) = settled_with(&feet, stated, MeshOptions::default());
    assert!(is_same(&found, &mesh), "{warnings:?}");
    assert!(
        warnings[0].contains("y is up") && warnings[1].contains("its unit is ft"),
        "{warnings:?}"
    );
    let asked = MeshOptions {
        up: Some(Up::Z),
        unit: Some(Unit::Metre),
    };
    let (found, warnings) = settled_with(&feet, stated, asked);
    assert!(
        is_same(&found, &feet) && warnings.is_empty(),
        "{warnings:?}"
    );
}

#[test]
fn absurd_sizes_are_suspected_with_the_unit_that_cures_them() {
    let mesh = city(7, true, false, true);
    let (_, warnings) = settled(&mesh, MeshOptions::default());
    assert!(warnings.is_empty(), "{warnings:?}");
    for (name, unit) in Unit::NAMES {
        // The mesh as it is read from a file in that unit.
        let mut wrong = mesh.clone();
        wrong.vertices.iter_mut().for_each(|v| *v /= unit.metres());
        let (_, warnings) = settled(&wrong, MeshOptions::default());
        // Houses of 130 m, and in inches of 1500 m, are none; in feet these might be.
        let is_absurd = !matches!(unit, Unit::Metre | Unit::Foot);
        assert_eq!(
            warnings.len(),
            usize::from(is_absurd),
            "{name}: {warnings:?}"
        );
        for warning in &warnings {
            let is_cured =
                warning.contains(&format!("`{name}`")) && warning.contains("--mesh-unit");
            assert!(is_cured, "{name}: {warning}");
        }
        let asked = MeshOptions {
            up: None,
            unit: Some(unit),
        };
        let (cured, warnings) = settled(&wrong, asked);
        assert!(
            is_same(&cured, &mesh) && warnings.is_empty(),
            "{name}: {warnings:?}"
        );
    }
    // Towers of 520 m in feet.
    let mut towers = mesh;
    block(
        &mut towers,
        DVec3::new(200.0, 100.0, 0.0),
        [25.0, 25.0, 520.0],
        0.2,
    );
    towers.vertices.iter_mut().for_each(|v| *v /= 0.3048);
    let (_, warnings) = settled(&towers, MeshOptions::default());
    assert!(
        warnings[0].contains("walls 1706 m high") && warnings[0].contains("`ft`"),
        "{warnings:?}"
    );
}

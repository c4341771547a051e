//! `terrain_error_m`: every command that reads a scene has fewer facets of terrain, and says how many.

use std::fmt::Write as _;

use crate::common::Folder;

/// A wavy square of 40 by 40 pairs of triangles, 5 m wide each, with a house on it.
fn terrain() -> String {
    let mut obj = "usemtl concrete\n".to_owned();
    for k in 0..41 * 41 {
        let (x, y) = (5.0 * f64::from(k % 41), 5.0 * f64::from(k / 41));
        let z = 2.0 * (x / 60.0).sin() * (y / 45.0).cos();
        writeln!(obj, "v {x} {y} {z}").unwrap();
    }
    for k in (0..40 * 41).filter(|k| k % 41 < 40) {
        let [a, b, c, d] = [1, 2, 43, 42].map(|corner| corner + k);
        writeln!(obj, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
    }
    for (z, x, y) in (0..8).map(|c| (c / 4, [0, 1, 1, 0][c % 4], [0, 0, 1, 1][c % 4])) {
        let height = if z == 0 { -8 } else { 8 };
        writeln!(obj, "v {} {} {height}", 92 + 11 * x, 93 + 9 * y).unwrap();
    }
    for face in [
        [1, 4, 3, 2],
        [5, 6, 7, 8],
        [1, 2, 6, 5],
        [2, 3, 7, 6],
        [3, 4, 8, 7],
        [4, 1, 5, 8],
    ] {
        let [a, b, c, d] = face.map(|corner| corner + 41 * 41);
        writeln!(obj, "f {a} {b} {c} {d}").unwrap();
    }
    obj
}

#[test]
fn terrain_of_a_mesh_has_fewer_facets_and_is_kept_so() {
    let folder = Folder::new("terrain-error");
    folder.write("hills.obj", &terrain());
    let scenario = |more: &str| {
        format!("frequency_hz = 1e9\n[scene]\nfile = \"hills.obj\"\nup = \"z\"\n{more}\n")
    };
    let devices = "[[tx]]\nname = \"a\"\nposition = [20, 30, 9]\n[[rx]]\nposition = [90, 60, 9]\n";
    folder.write("all.toml", &(scenario("") + devices));
    folder.write(
        "fewer.toml",
        &(scenario("cache = \"hills.keller\"\nterrain_error_m = 0.5") + devices),
    );
    let triangles = |file: &str| {
        let run = folder.keller(&["scene", file, "--json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let line = run.stdout.lines().find(|l| l.contains("\"triangles\""));
        let number = line.unwrap().split(": ").nth(1).unwrap();
        let number: usize = number.trim_end_matches(',').parse().unwrap();
        (number, run.stderr)
    };
    let (all, told) = triangles("all.toml");
    assert_eq!(all, 3212);
    assert!(!told.contains("terrain"), "{told}");
    for _ in 0..2 {
        let (fewer, told) = triangles("fewer.toml");
        assert!(fewer < 700, "{fewer}");
        let note = format!(
            "note: [scene] terrain_error_m: 3200 triangles of terrain became {} within 0.5 m",
            fewer - 12
        );
        assert!(told.contains(&note), "{told}");
    }
    let run = folder.keller(&["paths", "fewer.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    // Another error makes another scene.
    folder.write(
        "fewer.toml",
        &(scenario("cache = \"hills.keller\"\nterrain_error_m = 0.1") + devices),
    );
    let (_, told) = triangles("fewer.toml");
    let note = "the scene cache `hills.keller` is rebuilt: `terrain_error_m` has changed";
    assert!(told.contains(note), "{told}");
    folder.write("bad.toml", &(scenario("terrain_error_m = -1") + devices));
    let run = folder.keller(&["paths", "bad.toml"]);
    assert_eq!(run.code, Some(2));
    let problem = "[scene] terrain_error_m: found -1; accepted: a number of at least 0, metres";
    assert!(run.stderr.contains(problem), "{}", run.stderr);
}

//! Windows in walls: waves through them pass a slab of glass, and waves next to them a slab of concrete.

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use keller::{Complex64, DVec3};
use keller_run::{Job, PathRunOptions, SceneFacts};

use crate::places::Ear;

/// The wall stands in this direction from +x, degrees.
const TURN_DEG: f64 = 27.3;

/// A place `along` the wall, `beyond` it, and above its foot.
fn at(along: f64, beyond: f64, z: f64) -> DVec3 {
    let (sin, cos) = TURN_DEG.to_radians().sin_cos();
    DVec3::new(cos * along - sin * beyond, sin * along + cos * beyond, z)
}

fn polygon(obj: &mut String, material: &str, corners: &[DVec3]) {
    writeln!(obj, "usemtl {material}").unwrap();
    let mut face = "f".to_owned();
    for (k, DVec3 { x, y, z }) in (0..corners.len()).rev().zip(corners) {
        writeln!(obj, "v {x} {y} {z}").unwrap();
        face.insert_str(1, &format!(" -{}", k + 1));
    }
    writeln!(obj, "{face}").unwrap();
}

struct Folder(tempfile::TempDir);

impl Folder {
    /// One wall of 10 m x 3 m.
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        let corners = [(0., 0.), (10., 0.), (10., 3.), (0., 3.)].map(|(x, z)| at(x, 0.0, z));
        let mut wall = String::new();
        polygon(&mut wall, "mat-Facade", &corners);
        fs::write(folder.path("wall.obj"), wall).unwrap();
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The job of a scenario with these sections, and its warnings.
    fn open(&self, sections: &str, [tx, rx]: [DVec3; 2]) -> (Arc<Job>, Vec<String>) {
        let [tx, rx] = [tx, rx].map(|point| point.to_array());
        let text = format!(
            "frequency_hz = 3.5e9\n[scene]\nfile = \"wall.obj\"\nup = \"z\"\nunit = \"m\"\n\
             default_material = \"concrete\"\n{sections}\n\
             [materials.facade]\nitu = \"concrete\"\nthickness = 0.3\n\
             [materials.pane]\nitu = \"glass\"\nthickness = 0.02\n\
             [[tx]]\nposition = {tx:?}\n[[rx]]\nposition = {rx:?}\n[paths]\nmax_interactions = 0\n\
             max_reflections = 0\nmax_diffractions = 0\nmax_transmissions = 4\n"
        );
        fs::write(self.path("s.toml"), text).unwrap();
        let ear = Arc::new(Ear::default());
        let job = Job::open(&self.path("s.toml"), ear.clone()).unwrap();
        let warnings = ear.warnings.lock().unwrap().clone();
        (job, warnings)
    }
}

const WINDOWS: &str = "[[opening]]\nwalls = \"facade\"\nmaterial = \"pane\"\nwidth = 1.2\nheight = 1.4\nsill = 0.9\n\
                       spacing = 3.0\n";

/// Kinds and gains of the paths, dB.
fn rows(job: &Arc<Job>) -> Vec<(String, f64)> {
    let mut rows = Vec::new();
    for block in job.paths(&PathRunOptions::default()).unwrap() {
        let found = job.path_rows(&block.unwrap());
        rows.extend(found.iter().map(|row| (row.types.clone(), row.gain_db)));
    }
    rows
}

/// The power that a slab lets through, as a share, of a wave whose electric field lies along it: ITU-R P.2040-3,
/// equations (43b) and (44).
fn transmitted(eta: Complex64, thickness: f64, cos_theta: f64) -> f64 {
    let wavelength = 299_792_458.0 / 3.5e9;
    let root = (eta - (1.0 - cos_theta * cos_theta)).sqrt();
    let r = (cos_theta - root) / (cos_theta + root);
    let q = TAU * thickness / wavelength * root;
    let once = (-Complex64::I * q).exp();
    ((1.0 - r * r) * once / (1.0 - r * r * once * once)).norm_sqr()
}

/// ITU-R P.2040-3, table 3: permittivity `a`, conductivity `c f^d` S/m with f in GHz.
fn eta(a: f64, c: f64, d: f64) -> Complex64 {
    let conductivity = c * 3.5_f64.powf(d);
    Complex64::new(a, -conductivity / (TAU * 3.5e9 * 8.854_187_812_8e-12))
}

#[test]
fn waves_pass_a_window_as_glass_and_the_wall_beside_it_as_concrete() {
    let folder = Folder::new();
    let glass = (eta(6.31, 0.0036, 1.3394), 0.02);
    let concrete = (eta(5.24, 0.0462, 0.7822), 0.3);
    // Windows are centred at 2, 5 and 8 m. At the height of their centres the field is along the wall.
    for (along, (eta, thickness)) in [(5.0, glass), (2.4, glass), (3.5, concrete), (9.4, concrete)]
    {
        for aside in [0.0, 2.7, -4.4] {
            let ends = [
                at(along - aside, -6.0, 1.6),
                at(along + 0.5 * aside, 3.0, 1.6),
            ];
            let (job, warnings) = folder.open(WINDOWS, ends);
            assert!(warnings.is_empty(), "{warnings:?}");
            assert_eq!(job.openings[0].openings, 3);
            let found = rows(&job);
            let [(types, gain_db)] = &found[..] else {
                panic!("{found:?}");
            };
            assert_eq!(types, "T");
            let length = ends[0].distance(ends[1]);
            let free = (299_792_458.0 / 3.5e9 / (4.0 * PI * length)).powi(2);
            let wanted = 10.0 * (free * transmitted(eta, thickness, 9.0 / length)).log10();
            assert!(
                (gain_db - wanted).abs() < 1e-3,
                "{gain_db} dB, not {wanted} dB, at {along} m, {aside} m aside"
            );
        }
    }
    let open = WINDOWS.replace("material = \"pane\"", "open = true");
    let (job, _) = folder.open(&open, [at(5.0, -6.0, 1.6), at(5.0, 3.0, 1.6)]);
    assert_eq!(rows(&job)[0].0, "LOS");
    let facts = SceneFacts::of(job.world.scene(), None).unwrap();
    let facts = facts.with_openings(&job.openings);
    assert!((facts.openings[0].share_percent - 100.0 * 3.0 * 1.68 / 30.0).abs() < 1e-9);
}

#[test]
fn openings_without_a_wall_or_room_say_why() {
    let folder = Folder::new();
    let ends = [at(5.0, -6.0, 1.6), at(5.0, 3.0, 1.6)];
    let scenario = folder.path("s.toml");
    for (from, to, expected) in [
        (
            "\"facade\"",
            "\"facades\"",
            "no material is called `facades`; there are Facade",
        ),
        (
            "walls = \"facade\"",
            "buildings = [\"office\"]",
            "no [[building]] and no object of the scene files is called `office`; there are wall",
        ),
        (
            "height = 1.4",
            "height = 2.0",
            "there are no openings: none of 1 walls has room for 1.2 m x 2 m at a sill of 0.9 m with 0.3 m around it",
        ),
    ] {
        let (job, warnings) = folder.open(&WINDOWS.replace(from, to), ends);
        let expected = format!("`{}`: [[opening]] 0: {expected}", scenario.display());
        assert_eq!(warnings, [expected]);
        assert_eq!(job.openings[0].openings, 0);
    }
    let (job, _) = folder.open(
        &WINDOWS.replace("walls = \"facade\"", "buildings = \"wall\""),
        ends,
    );
    assert_eq!(job.openings[0].openings, 3);
}

#[test]
fn a_building_gets_its_own_windows_and_keeps_them_in_a_scene_cache() {
    let folder = Folder::new();
    let mut house = String::new();
    let ring = [[0., 0.], [9., 0.], [9., 7.], [0., 7.]];
    for k in 0..4 {
        let ([ax, ay], [bx, by]) = (ring[k], ring[(k + 1) % 4]);
        let wall = [[ax, ay, 0.], [bx, by, 0.], [bx, by, 6.4], [ax, ay, 6.4]];
        polygon(&mut house, "facade", &wall.map(DVec3::from));
    }
    polygon(
        &mut house,
        "roof",
        &ring.map(|[x, y]| DVec3::new(x, y, 6.4)),
    );
    fs::write(folder.path("house.obj"), house).unwrap();
    let ends = [at(5.0, -6.0, 1.6), at(5.0, 3.0, 1.6)];
    let sections = |spacing: f64| {
        format!(
            "cache = \"scene.keller\"\n[[building]]\nfile = \"house.obj\"\nname = \"office\"\nup = \"z\"\nunit = \"m\"\n\
             position = [30, 40, 0]\nrotation_deg = 12\n[[opening]]\nbuildings = \"office\"\nmaterial = \"pane\"\n\
             width = 1.2\nheight = 1.4\nsill = 0.9\nstorey = 3.2\nspacing = {spacing}\n"
        )
    };
    let (job, warnings) = folder.open(&sections(3.0), ends);
    // The model stands in the air, and nothing is said of its windows.
    let of_openings = warnings.iter().filter(|text| text.contains("[[opening]]"));
    assert_eq!(of_openings.count(), 0, "{warnings:?}");
    // Two rows of 3 in walls of 9 m, and of 2 in walls of 7 m; none in the wall of the scene file.
    assert_eq!(
        (job.openings[0].walls, job.openings[0].openings),
        (4, 2 * 2 * (3 + 2))
    );
    assert_eq!(rows(&job)[0].0, "T");
    let (again, _) = folder.open(&sections(3.0), ends);
    assert_eq!(again.openings, job.openings);
    assert_eq!(again.digest(&[]), job.digest(&[]));
    let (other, _) = folder.open(&sections(2.0), ends);
    assert!(other.openings[0].openings > 20);
    assert_ne!(other.digest(&[]), job.digest(&[]));
}

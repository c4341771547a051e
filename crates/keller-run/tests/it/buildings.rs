//! A building with an inside in a city: its facade counts once, its neighbours stay as they are, and it is the scene that
//! was put together by hand.

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use keller::{Complex64, DVec3};
use keller_geo::crs::Georeference;
use keller_io::formats::import::{MeshOptions, Unit, Up, import_many_with};
use keller_io::reports::export::{Beside, glb};
use keller_run::{Error, Job, PathRunOptions};

use crate::places::Ear;

/// Polygons of a wavefront file.
#[derive(Default)]
struct Obj {
    text: String,
    vertices: usize,
}

impl Obj {
    fn polygon(&mut self, material: &str, corners: &[DVec3]) {
        writeln!(self.text, "usemtl {material}").unwrap();
        let mut face = "f".to_owned();
        for corner in corners {
            writeln!(self.text, "v {} {} {}", corner.x, corner.y, corner.z).unwrap();
            self.vertices += 1;
            write!(face, " {}", self.vertices).unwrap();
        }
        writeln!(self.text, "{face}").unwrap();
    }

    fn object(&mut self, name: &str) {
        writeln!(self.text, "o {name}").unwrap();
    }

    /// Four walls, and plates at the heights of `levels`; all corners as `at` says.
    fn house(
        &mut self,
        materials: [&str; 2],
        [x, to_x, y, to_y]: [f64; 4],
        [low, high]: [f64; 2],
        levels: &[f64],
        at: impl Fn(DVec3) -> DVec3,
    ) {
        let ring = [[x, y], [to_x, y], [to_x, to_y], [x, to_y]];
        for k in 0..4 {
            let ([ax, ay], [bx, by]) = (ring[k], ring[(k + 1) % 4]);
            let wall = [[ax, ay, low], [bx, by, low], [bx, by, high], [ax, ay, high]];
            self.polygon(materials[0], &wall.map(|corner| at(DVec3::from(corner))));
        }
        for &z in levels {
            let plate = ring.map(|[x, y]| at(DVec3::new(x, y, z)));
            self.polygon(materials[1], &plate);
        }
    }
}

pub(crate) const TURN_DEG: f64 = 33.5;
pub(crate) const ORIGIN: DVec3 = DVec3::new(30.0, -20.0, 0.0);

/// A point of the block in the city.
pub(crate) fn in_city(point: DVec3) -> DVec3 {
    let (sin, cos) = (TURN_DEG * PI / 180.0).sin_cos();
    ORIGIN
        + DVec3::new(
            cos * point.x - sin * point.y,
            sin * point.x + cos * point.y,
            point.z,
        )
}

/// A street of three houses that touch, and a fourth across it; `with_middle`: the second too.
fn city(with_middle: bool) -> Obj {
    let mut obj = Obj::default();
    obj.object("ground");
    let ground = [[-80., -80.], [120., -80.], [120., 80.], [-80., 80.]];
    obj.polygon("soil", &ground.map(|[x, y]| DVec3::new(x, y, 0.0)));
    let houses = [
        ("left", [-12., 0., 0., 9.], 7.0),
        ("middle", [0., 10., 0., 9.], 9.0),
        ("right", [10., 24., 0., 9.], 11.0),
        ("across", [-12., 24., -24., -14.], 8.0),
    ];
    for (name, plan, height) in houses {
        if with_middle || name != "middle" {
            obj.object(name);
            obj.house(["hull", "hull"], plan, [0.0, height], &[height], in_city);
        }
    }
    obj
}

/// The house in the middle: three storeys, and a wall across each.
fn office(obj: &mut Obj, at: impl Fn(DVec3) -> DVec3) {
    let levels = [0.0, 3.0, 6.0, 9.0];
    obj.house(
        ["facade", "slab"],
        [0., 10., 0., 9.],
        [0.0, 9.0],
        &levels,
        &at,
    );
    let wall = [[0., 5., 0.], [10., 5., 0.], [10., 5., 9.], [0., 5., 9.]];
    obj.polygon("plaster", &wall.map(|corner| at(DVec3::from(corner))));
}

/// Outside, 12 m in front of the middle's facade, and in its second storey.
pub(crate) const TX: DVec3 = DVec3::new(3.7, -12.0, 4.5);
pub(crate) const RX: DVec3 = DVec3::new(3.7, 2.5, 4.5);

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("city.obj", &city(true).text);
        let mut model = Obj::default();
        office(&mut model, |point| point);
        folder.write("office.obj", &model.text);
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// A scenario of `city.obj`, or of another file, with a Tx outside and a receiver inside.
    pub(crate) fn scenario(&self, file: &str, building: &str, paths: &str) {
        let [tx, rx] = [TX, RX].map(|point| in_city(point).to_array());
        let text = format!(
            "frequency_hz = 3.5e9\n[scene]\nfile = \"{file}\"\nup = \"z\"\nunit = \"m\"\n\
             default_material = \"concrete\"\n{building}\n[materials.facade]\nitu = \"brick\"\nthickness = 0.3\n\
             [materials.hull]\nitu = \"concrete\"\nthickness = 0.2\n[materials.plaster]\nitu = \"plasterboard\"\n\
             thickness = 0.05\n[materials.slab]\nitu = \"concrete\"\nthickness = 0.25\n\
             [[tx]]\nposition = {tx:?}\n[[rx]]\nposition = {rx:?}\n[paths]\n{paths}\n"
        );
        self.write("s.toml", &text);
    }

    pub(crate) fn open(&self) -> Arc<Job> {
        self.try_open().unwrap()
    }

    pub(crate) fn try_open(&self) -> Result<Arc<Job>, Error> {
        Job::open(&self.path("s.toml"), Arc::new(()))
    }

    /// The message of the error, without the folder.
    pub(crate) fn message(&self) -> String {
        let error = self.try_open().expect_err("it is refused").to_string();
        error.replace(&format!("{}/", self.0.path().display()), "")
    }
}

pub(crate) const OFFICE: &str = "[[building]]\nfile = \"office.obj\"\nup = \"z\"\nunit = \"m\"\nposition = [30, -20, 0]\nrotation_deg = 33.5\n";
const STRAIGHT: &str =
    "max_reflections = 0\nmax_diffractions = 0\nmax_interactions = 0\nmax_transmissions = 6";

/// Kinds, lengths and gains of the paths, sorted by length.
fn rows(job: &Arc<Job>) -> Vec<(String, f64, f64)> {
    let mut rows = Vec::new();
    for block in job.paths(&PathRunOptions::default()).unwrap() {
        let found = job.path_rows(&block.unwrap());
        rows.extend(
            found
                .iter()
                .map(|row| (row.types.clone(), row.length, row.gain_db)),
        );
    }
    rows.sort_by(|a, b| a.1.total_cmp(&b.1));
    rows
}

/// Power that a slab lets through at normal incidence, as a share: the sum over all inner reflections.
fn transmitted(eta: Complex64, thickness: f64, wavelength: f64) -> f64 {
    let n = eta.sqrt();
    let r = (Complex64::ONE - n) / (Complex64::ONE + n);
    let once = (-Complex64::I * TAU * n * thickness / wavelength).exp();
    ((Complex64::ONE - r * r) * once / (Complex64::ONE - r * r * once * once)).norm_sqr()
}

#[test]
fn the_facade_counts_once() {
    let folder = Folder::new();
    folder.scenario("city.obj", OFFICE, STRAIGHT);
    let job = folder.open();
    let found = rows(&job);
    let [(types, length, gain_db)] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(types, "T");
    assert!((length - 14.5).abs() < 1e-9);
    // Brick of ITU-R P.2040-3, table 3: permittivity 3.91, conductivity 0.0238 f^0.16 S/m with f in GHz.
    let omega = TAU * 3.5e9;
    let conductivity = 0.0238 * 3.5_f64.powf(0.16);
    let eta = Complex64::new(3.91, -conductivity / (omega * 8.854_187_812_8e-12));
    let wavelength = 299_792_458.0 / 3.5e9;
    let free = (wavelength / (4.0 * PI * 14.5)).powi(2);
    let wanted = 10.0 * (free * transmitted(eta, 0.3, wavelength)).log10();
    assert!(
        (gain_db - wanted).abs() < 1e-3,
        "{gain_db} dB, not {wanted} dB"
    );

    // A model that stands a little behind the hull has two facades with it, and one without.
    let [x, y, z] = in_city(DVec3::new(0.0, 0.4, 0.0)).to_array();
    let behind = OFFICE.replace("[30, -20, 0]", &format!("[{x}, {y}, {z}]"));
    folder.scenario("city.obj", &behind, STRAIGHT);
    let once = rows(&folder.open());
    assert_eq!(once[0].0, "T");
    assert!((once[0].2 - wanted).abs() < 1e-3);
    let both = format!("{behind}replaces = \"nothing\"\n");
    folder.scenario("city.obj", &both, STRAIGHT);
    assert_eq!(rows(&folder.open())[0].0, "TT");
}

#[test]
fn it_is_the_scene_that_was_put_together_by_hand() {
    let folder = Folder::new();
    let mut by_hand = city(false);
    office(&mut by_hand, in_city);
    folder.write("hand.obj", &by_hand.text);
    let paths = "max_reflections = 2\nmax_diffractions = 1\nmax_interactions = 2\nmax_transmissions = 3\nsearch = \"complete\"";
    folder.scenario("hand.obj", "", paths);
    let wanted = rows(&folder.open());
    folder.scenario("city.obj", OFFICE, paths);
    let job = folder.open();
    let found = rows(&job);
    assert!(wanted.len() > 10, "{} paths", wanted.len());
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(&wanted) {
        assert_eq!(found.0, wanted.0);
        assert!((found.1 - wanted.1).abs() < 1e-6 && (found.2 - wanted.2).abs() < 1e-4);
    }
    // The objects of the file distinguish houses that touch, so nothing of the neighbours is missing.
    let area = |job: &Arc<Job>| -> f64 { job.world.scene().faces().iter().map(|f| f.area).sum() };
    let found = area(&job);
    folder.scenario("hand.obj", "", paths);
    assert!((found - area(&folder.open())).abs() < 1e-6);
    let [building] = &job.buildings[..] else {
        panic!("one building");
    };
    assert_eq!(building.name, "office");
    assert_eq!(building.floors, [0.0, 3.0, 6.0]);
    assert_eq!(building.bounds, [DVec3::ZERO, DVec3::new(10.0, 9.0, 9.0)]);
    assert!(building.placement.to_scene(RX).distance(in_city(RX)) < 1e-9);
    assert_eq!(building.replaced.len(), 1);
    assert_eq!(building.replaced[0].object.as_deref(), Some("middle"));
    assert!((building.replaced[0].area - 90.0).abs() < 0.1);
    assert!(building.misfits.is_empty(), "{:?}", building.misfits);
}

#[test]
fn a_scene_cache_has_its_buildings_and_no_other_one_resumes_it() {
    let folder = Folder::new();
    let cached = |building: &str| {
        let building = format!("cache = \"city.keller\"\n{building}");
        folder.scenario("city.obj", &building, STRAIGHT);
        folder.open()
    };
    let sunk = OFFICE.replace("-20, 0]", "-20, -0.5]");
    let first = cached(&sunk);
    assert!(folder.path("city.keller").is_file());
    assert_eq!(first.buildings[0].misfits.len(), 1, "{:?}", first.buildings);
    let again = cached(&sunk);
    assert_eq!(again.buildings, first.buildings);
    assert_eq!(again.digest(&[]), first.digest(&[]));
    let same = rows(&first);
    assert_eq!(rows(&again), same);
    let turned = cached(&sunk.replace("33.5", "32.5"));
    assert_ne!(turned.buildings, first.buildings);
    assert_ne!(turned.digest(&[]), first.digest(&[]));
    let whole = cached(&format!("{sunk}replaces = \"nothing\"\n"));
    assert_ne!(whole.digest(&[]), first.digest(&[]));
    // The file then holds another model under the same name.
    cached(&sunk);
    let mut model = Obj::default();
    office(&mut model, |point| point * DVec3::new(1.0, 1.0, 1.1));
    folder.write("office.obj", &model.text);
    let higher = cached(&sunk);
    assert!((higher.buildings[0].bounds[1].z - 9.9).abs() < 1e-12);
    assert_ne!(higher.digest(&[]), first.digest(&[]));
}

#[test]
fn misfits_are_warnings() {
    let folder = Folder::new();
    folder.scenario(
        "city.obj",
        &OFFICE.replace("-20, 0]", "-20, -0.5]"),
        STRAIGHT,
    );
    let ear = Arc::new(Ear::default());
    Job::open(&folder.path("s.toml"), ear.clone()).unwrap();
    let warnings = ear.warnings.lock().unwrap();
    let misfit = "[[building]] `office`: 90.0 m² of it lie below the ground, by up to 0.50 m";
    assert!(
        warnings.iter().any(|warning| warning.ends_with(misfit)),
        "{warnings:?}"
    );
}

#[test]
fn a_second_building_in_the_first_is_told() {
    let folder = Folder::new();
    let two = format!(
        "{OFFICE}{}name = \"copy\"\n",
        OFFICE.replace("[30, -20, 0]", "[31, -20, 0]")
    );
    folder.scenario("city.obj", &two, STRAIGHT);
    let job = folder.open();
    let misfits = &job.buildings[1].misfits;
    let is_told = |misfit: &String| misfit.ends_with("m² of it stand in [[building]] `office`");
    assert!(misfits.iter().any(is_told), "{misfits:?}");
}

#[test]
fn what_cannot_be_is_one_clear_error() {
    let folder = Folder::new();
    for (building, wanted) in [
        (
            format!("{OFFICE}replaces = [\"midle\"]\n"),
            "s.toml:7: [[building]] 0 replaces: no object of the scene files is called `midle`; there are ground, left, middle, right, across",
        ),
        (
            format!("{OFFICE}leave_out = [\"lawn\"]\n"),
            "s.toml:7: [[building]] 0 leave_out: no material and no object of the model is called `lawn`; there are facade, slab, plaster",
        ),
        (
            format!("{OFFICE}leave_out = [\"facade\", \"slab\", \"plaster\"]\n"),
            "s.toml:7: [[building]] 0 leave_out: the model has no triangles left",
        ),
        (
            format!("{OFFICE}replaces = [[100, 70]]\n"),
            "s.toml:7: [[building]] 0 replaces: no building of the city stands at x = 100, y = 70",
        ),
        (
            OFFICE.replace("position = [30, -20, 0]\n", ""),
            "s.toml:7: [[building]] 0 position: missing, and the model's file does not say where on earth it lies;",
        ),
        (
            OFFICE.replace("[30, -20, 0]", "[300, -20]\nheight_above_ground = 0"),
            "s.toml:7: [[building]] 0 height_above_ground: there is no ground under x = 300.00, y = -20.00;",
        ),
        (
            OFFICE.replace(
                "position = [30, -20, 0]",
                "longitude = 11\nlatitude = 48\naltitude = 500",
            ),
            "s.toml:7: [[building]] 0 longitude: the scene does not say where on earth it lies",
        ),
    ] {
        folder.scenario("city.obj", &building, STRAIGHT);
        let found = folder.message();
        assert!(found.starts_with(wanted), "{found}\n{wanted}");
    }
    // A block under one roof.
    let mut block = Obj::default();
    block.house(
        ["hull", "hull"],
        [-12., 24., 0., 9.],
        [0.0, 9.0],
        &[9.0],
        in_city,
    );
    folder.write("block.obj", &block.text);
    folder.scenario("block.obj", OFFICE, STRAIGHT);
    let found = folder.message();
    assert!(
        found.contains("has a footprint of 324.0 m², the model one of 90.0 m²"),
        "{found}"
    );
    let [x, y] = in_city(DVec3::new(-5.0, 4.0, 0.0)).truncate().to_array();
    folder.scenario(
        "block.obj",
        &format!("{OFFICE}replaces = [[{x}, {y}]]\n"),
        STRAIGHT,
    );
    let misfits = folder.open().buildings[0].misfits.join("; ");
    let empty = misfits.split("reached beyond it: ").nth(1);
    let empty = empty.and_then(|rest| rest.split(" m² are empty now").next());
    let empty: f64 = empty.unwrap_or(&misfits).parse().unwrap();
    assert!((empty - 234.0).abs() < 1.0, "{misfits}");
    folder.write("office.obj", "v 0 0 zero\n");
    folder.scenario("city.obj", OFFICE, STRAIGHT);
    assert!(
        folder.message().contains("office.obj"),
        "{}",
        folder.message()
    );
}

#[test]
fn a_georeferenced_model_finds_its_place_in_a_georeferenced_city() {
    let folder = Folder::new();
    let options = MeshOptions {
        up: Some(Up::Z),
        unit: Some(Unit::Metre),
    };
    let keep = |name: &str, origin: DVec3| {
        let file = folder.path(&format!("{name}.obj"));
        let imported = import_many_with(&[file], options).unwrap();
        let georeference = Georeference {
            crs: "EPSG:25832".to_owned(),
            origin: origin.to_array(),
        };
        let beside = Beside {
            georeference: Some(&georeference),
            ..Beside::default()
        };
        let bytes = glb(&imported.mesh, &imported.objects, &beside);
        fs::write(folder.path(&format!("{name}.glb")), bytes).unwrap();
    };
    let munich = DVec3::new(691_000.0, 5_334_000.0, 515.0);
    keep("city", munich);
    keep("office", munich + ORIGIN);
    let building = "[[building]]\nfile = \"office.glb\"\nrotation_deg = 33.5\n";
    folder.scenario("city.glb", building, STRAIGHT);
    let found = folder.open();
    let office = &found.buildings[0];
    assert!(office.placement.origin.distance(ORIGIN) < 1e-9);
    assert_eq!(office.replaced[0].object.as_deref(), Some("middle"));
    assert!(office.misfits.is_empty(), "{:?}", office.misfits);
    folder.scenario("city.obj", OFFICE, STRAIGHT);
    let wanted = rows(&folder.open());
    // A GLB has single precision, and more where keller wrote it.
    for (found, wanted) in rows(&found).iter().zip(&wanted) {
        assert_eq!(found.0, wanted.0);
        assert!((found.2 - wanted.2).abs() < 1e-3);
    }
    // The same placement by longitude and latitude, above the ground.
    let frame = found.frame.as_ref().unwrap();
    let at = frame.to_lon_lat(ORIGIN.truncate()).unwrap();
    let building = format!(
        "[[building]]\nfile = \"office.obj\"\nup = \"z\"\nunit = \"m\"\nlongitude = {}\nlatitude = {}\n\
         height_above_ground = 0\nrotation_deg = 33.5\n",
        at.x, at.y
    );
    folder.scenario("city.glb", &building, STRAIGHT);
    let office = &folder.open().buildings[0];
    assert!(
        office.placement.origin.distance(ORIGIN) < 1e-3,
        "{office:?}"
    );
    // Replaced buildings, the same way: the house below it, and the neighbour of that below nothing.
    let [below, left] = [5.0, -5.0].map(|x| {
        let at = in_city(DVec3::new(x, 4.0, 0.0)).truncate();
        let at = frame.to_lon_lat(at).unwrap();
        format!("{{ longitude = {}, latitude = {} }}", at.x, at.y)
    });
    let both = format!("{building}replaces = [{below}, {left}]\n");
    folder.scenario("city.glb", &both, STRAIGHT);
    let replaced = folder.open().buildings[0].replaced.clone();
    let mut names: Vec<_> = replaced.iter().map(|r| r.object.as_deref()).collect();
    names.sort_unstable();
    assert_eq!(names, [Some("left"), Some("middle")]);
}

//! What a scenario says is what comes out; what it must not say is one clear error.

use std::fs;
use std::path::{Path, PathBuf};

use keller::DVec3;
use keller::antenna::{Antenna, ArrayTracing, Orientation, Pattern, Polarization};
use keller::channel::{Band, Window};
use keller::materials::{ItuMaterial, Layer, Lobe, Material, Medium, Scattering};

use super::*;

/// A folder of its own for one test, with a scene file in it; removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("keller-scenario-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("scene.obj"), "").unwrap();
        Self(path)
    }

    fn parse(&self, text: &str) -> Result<Scenario, ScenarioError> {
        Scenario::parse(text, &self.0.join("s.toml"))
    }

    /// The message for `text`, without the folder's own path.
    fn message(&self, text: &str) -> String {
        let error = self.parse(text).expect_err(text).to_string();
        error.replace(
            &format!("{}{}", self.0.display(), std::path::MAIN_SEPARATOR),
            "",
        )
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

const SMALL: &str = r#"
frequency_hz = 3.5e9
[scene]
file = "scene.obj"
[[tx]]
position = [0, 0, 10]
[[rx]]
position = [1.5, -2, 3]
"#;

#[test]
fn a_wall_may_scatter() {
    let rough = |keys: &str| {
        let text = format!("{SMALL}[materials.wall]\nitu = \"brick\"\n{keys}");
        let scenario = Folder::new("scatter").parse(&text).unwrap();
        scenario.materials[0].definition.texture()
    };
    let texture = rough(
        "roughness = 0.002\nscattering = 0.3\nscattering_pattern = \"backscattering\"\nscattering_alpha = 6\n\
         cross_polarization = 0.2",
    );
    let lobe = Lobe::Backscattering {
        forward: 6,
        back: 4,
        forward_share: 0.8,
    };
    let scattering = Scattering {
        coefficient: 0.3,
        cross_polarization: 0.2,
        lobe,
    };
    assert_eq!(
        (texture.roughness, texture.scattering),
        (0.002, Some(scattering))
    );
    assert!(rough("scattering = 0").is_smooth());
}

#[test]
fn absent_keys_have_the_documented_defaults() {
    let folder = Folder::new("defaults");
    let scenario = folder.parse(SMALL).unwrap();
    assert_eq!(scenario.frequency.hz(), 3.5e9);
    assert_eq!(scenario.scene.files, [folder.0.join("scene.obj")]);
    assert_eq!(scenario.text, SMALL);
    assert_eq!(scenario.paths, PathSettings::default());
    assert_eq!(scenario.paths.limits.max_interactions, 3);
    assert_eq!(scenario.paths.limits.max_reflections, 3);
    assert_eq!(scenario.paths.limits.max_transmissions, 0);
    assert_eq!(scenario.paths.limits.max_depth, usize::MAX);
    assert_eq!(scenario.tx[0].position, DVec3::new(0.0, 0.0, 10.0));
    assert_eq!(scenario.tx[0].power_dbm, 30.0);
    assert_eq!(scenario.tx[0].antenna, Antenna::default());
    assert_eq!(
        scenario.receivers.rx[0].position,
        DVec3::new(1.5, -2.0, 3.0)
    );
    assert_eq!(scenario.receivers.rx[0].line, 7);
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a list of all keys")]
fn every_key_is_read() {
    let folder = Folder::new("every");
    let scenario = folder
        .parse(
            r#"
frequency_hz = 28_000_000_000
[scene]
files = ["scene.obj", "scene.obj"]
default_material = "concrete"
default_thickness = 0.3
[materials.wall]
itu = "brick"
thickness = 0.12
[materials.roof]
permittivity = 3.9
conductivity = 0.02
scattering = 0.0
[materials.metal]
pec = true
[materials.window]
layers = [{ itu = "glass", thickness = 0.004 }, { permittivity = 1, thickness = 0.016 }, { itu = "glass", thickness = 0.004 }]
[[tx]]
name = "north"
position = [0.5, -7.3, 12.0]
power_dbm = 43
antenna = "short_dipole"
polarization = "cross"
orientation_deg = [90, 10, 0]
velocity = [1, 2, 0.5]
[[rx]]
name = "gate"
position = [1, 2, 3]
antenna = "dipole"
polarization = 0
velocity = [0, 0, -3]
[paths]
search = "complete"
effort = "thorough"
line_of_sight = false
max_interactions = 5
max_reflections = 4
max_diffractions = 1
max_transmissions = 2
max_depth = 6
max_scatterings = 0
free_edges = true
power_threshold_db = -160
relative_threshold_db = 60
[channel]
bandwidth_hz = 400e6
num_frequencies = 1024
dispersion = "full"
window = "hann"
delay_resolution_s = 1e-9
snapshots = 14
snapshot_interval_s = 8.9e-6
[[moving]]
material = "metal"
velocity = [0, -13.9, 0]
"#,
        )
        .unwrap();
    assert_eq!(scenario.frequency.hz(), 28e9);
    assert_eq!(scenario.scene.files.len(), 2);
    assert_eq!(scenario.scene.default_material.as_deref(), Some("concrete"));
    assert_eq!(scenario.scene.default_thickness, Some(0.3));
    let names: Vec<_> = scenario.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["wall", "roof", "metal", "window"]);
    let constant = |relative_permittivity, conductivity| Medium::Constant {
        relative_permittivity,
        conductivity,
    };
    let layer = |medium, thickness| Layer { medium, thickness };
    let glass = layer(Medium::Itu(ItuMaterial::Glass), 0.004);
    let definitions: Vec<_> = scenario
        .materials
        .iter()
        .map(|m| m.definition.clone())
        .collect();
    assert_eq!(
        definitions,
        [
            Material::Slab(vec![layer(Medium::Itu(ItuMaterial::Brick), 0.12)]),
            Material::HalfSpace(constant(3.9, 0.02)),
            Material::HalfSpace(Medium::PerfectConductor),
            Material::Slab(vec![glass, layer(constant(1.0, 0.0), 0.016), glass]),
        ]
    );
    let tx = &scenario.tx[0];
    assert_eq!(tx.name.as_deref(), Some("north"));
    assert_eq!(tx.power_dbm, 43.0);
    let orientation = Orientation {
        bearing: std::f64::consts::FRAC_PI_2,
        downtilt: 10.0_f64.to_radians(),
        slant: 0.0,
    };
    let antenna = Antenna {
        pattern: Pattern::ShortDipole,
        polarization: Polarization::Cross,
        orientation,
        ..Antenna::default()
    };
    assert_eq!(tx.antenna, antenna);
    let antenna = scenario.receivers.antenna(0);
    assert_eq!(antenna.pattern, Pattern::HalfWaveDipole);
    assert_eq!(antenna.polarization, Polarization::Slant(0.0));
    assert_eq!(scenario.receivers.rx[0].name.as_deref(), Some("gate"));
    let expected = PathSettings {
        search: SearchChoice::Complete,
        effort: Effort::Thorough,
        limits: Limits {
            line_of_sight: false,
            max_interactions: 5,
            max_reflections: 4,
            max_transmissions: 2,
            max_diffractions: 1,
            max_depth: 6,
            free_edges: true,
            ..Limits::default()
        },
        power_threshold_db: Some(-160.0),
        relative_threshold_db: Some(60.0),
    };
    assert_eq!(scenario.paths, expected);
    assert_eq!(tx.velocity, DVec3::new(1.0, 2.0, 0.5));
    assert_eq!(scenario.receivers.velocity(0), DVec3::new(0.0, 0.0, -3.0));
    let channel = ChannelSettings {
        band: Band::new(scenario.frequency, 400e6, 1024).unwrap(),
        bandwidth_line: Some(46),
        dispersion: Dispersion::Full,
        window: Window::Hann,
        delay_resolution: 1e-9,
        num_snapshots: 14,
        snapshot_interval: 8.9e-6,
    };
    assert_eq!(scenario.channel, channel);
    let moving = Moving {
        material: "metal".to_owned(),
        velocity: DVec3::new(0.0, -13.9, 0.0),
        line: 53,
    };
    assert_eq!(scenario.moving, [moving]);
}

#[test]
fn a_channel_is_the_carrier_once_until_more_is_asked_for() {
    let folder = Folder::new("channel");
    let channel = |text: &str| folder.parse(&format!("{SMALL}{text}")).unwrap().channel;
    let plain = channel("");
    assert_eq!(plain, channel("[channel]"));
    assert_eq!(
        (plain.band.num_frequencies(), plain.times()),
        (1, vec![0.0])
    );
    let band = channel("[channel]\nbandwidth_hz = 20e6\nsnapshots = 3\nsnapshot_interval_s = 0.5");
    assert_eq!(band.band.num_frequencies(), 64);
    assert_eq!(band.delay_resolution, 50e-9);
    assert_eq!(band.times(), [0.0, 0.5, 1.0]);
    // The whole of it down to zero is accepted.
    assert_eq!(
        channel("[channel]\nbandwidth_hz = 7e9").band.bandwidth(),
        7e9
    );
}

#[test]
fn one_depth_limit_stands_for_both() {
    let folder = Folder::new("depth");
    for key in ["max_interactions", "max_reflections"] {
        let scenario = folder.parse(&format!("{SMALL}[paths]\n{key} = 5")).unwrap();
        assert_eq!(scenario.paths.limits.max_interactions, 5, "{key}");
        assert_eq!(scenario.paths.limits.max_reflections, 5, "{key}");
    }
}

#[test]
fn receivers_come_from_rows_and_grids_in_order() {
    let folder = Folder::new("receivers");
    fs::write(
        folder.0.join("plain.csv"),
        "# mine\n1,2,3\n\n# yours\r\n 4, 5 ,6,more\n",
    )
    .unwrap();
    fs::write(
        folder.0.join("named.csv"),
        "\u{feff}Name,Z,Y,X\ndoor,3,2,1\n\"a, b\",6,5,4\n,9,8,7",
    )
    .unwrap();
    let scenario = folder
        .parse(&SMALL.replace(
            "position = [1.5, -2, 3]",
            "file = \"plain.csv\"\n[[rx]]\nname = \"else\"\nfile = \"named.csv\"\n[[rx]]\n\
             grid = { min = [0, 0], max = [0.3, 1], spacing = 0.1, height = 1.5 }\nantenna = \"dipole\"",
        ))
        .unwrap();
    let rx = &scenario.receivers.rx;
    let positions: Vec<_> = rx.iter().map(|rx| rx.position.to_array()).collect();
    let rows = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    assert_eq!(positions[..2], rows);
    assert_eq!(positions[2..4], rows);
    assert_eq!(positions[4], [7.0, 8.0, 9.0]);
    let names: Vec<_> = rx[..5].iter().map(|rx| rx.name.as_deref()).collect();
    assert_eq!(
        names,
        [None, None, Some("door"), Some("a, b"), Some("else")]
    );
    assert_eq!((rx[0].line, rx[1].line, rx[2].line), (2, 5, 2));
    assert!(scenario.receivers.origin(1).ends_with("plain.csv:5"));
    // Both ends of the grid belong to it, though 0.3 / 0.1 is a little less than 3.
    assert_eq!(positions.len(), 5 + 4 * 11);
    assert_eq!(positions[5], [0.0, 0.0, 1.5]);
    assert_eq!(positions[6], [0.1, 0.0, 1.5]);
    assert_eq!(positions[9], [0.0, 0.1, 1.5]);
    assert_eq!(
        scenario.receivers.antenna(5).pattern,
        Pattern::HalfWaveDipole
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn bad_values_are_named_with_file_line_and_key() {
    let folder = Folder::new("bad");
    let swap = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        SMALL.replace(from, to)
    };
    let paths = |line: &str| format!("{SMALL}[paths]\n{line}\n");
    let channel = |line: &str| format!("{SMALL}[channel]\n{line}\n");
    let material = |line: &str| format!("{SMALL}[materials.wall]\n{line}\n");
    let hz = |value: &str| swap("3.5e9", value);
    let rx = |line: &str| swap("position = [1.5, -2, 3]", line);
    for (text, expected) in [
        (
            paths("max_reflection = 3"),
            "s.toml:10: [paths] max_reflection: unknown key, did you mean `max_reflections`? accepted: search,",
        ),
        (
            swap("[scene]", "[scenes]"),
            "s.toml:3: scenes: unknown key, did you mean `scene`?",
        ),
        (
            swap("file =", "zzz ="),
            "s.toml:4: [scene] zzz: unknown key; accepted: file, files,",
        ),
        (
            hz("\"3.5 GHz\""),
            "s.toml:2: frequency_hz: found the text \"3.5 GHz\"; accepted: a positive number, Hz",
        ),
        (hz("-1"), "s.toml:2: frequency_hz: found -1; accepted"),
        (hz("0"), "s.toml:2: frequency_hz: found 0;"),
        (hz("nan"), "s.toml:2: frequency_hz: found nan;"),
        (hz("inf"), "s.toml:2: frequency_hz: found inf;"),
        (hz("1e999"), "s.toml:2: frequency_hz: found 1e999;"),
        (hz("true"), "s.toml:2: frequency_hz: found true;"),
        (
            swap("frequency_hz = 3.5e9", ""),
            "s.toml: frequency_hz: missing; accepted: a positive number, Hz",
        ),
        (
            swap("[scene]\nfile = \"scene.obj\"", ""),
            "s.toml: scene: missing;",
        ),
        (
            swap("file = \"scene.obj\"", ""),
            "s.toml:3: [scene] file: missing;",
        ),
        (
            swap("scene.obj", "other.obj"),
            "s.toml:4: [scene] file: there is no file `other.obj`;",
        ),
        (
            swap("file = \"scene.obj\"", "files = []"),
            "s.toml:4: [scene] files: found none;",
        ),
        (
            swap("file = \"scene.obj\"", "files = [1]"),
            "s.toml:4: [scene] files: found [1];",
        ),
        (
            swap("[scene]", "[scene]\ndefault_thickness = 0"),
            "s.toml:4: [scene] default_thickness: found 0; accepted: a positive number, metres",
        ),
        (
            swap("[[tx]]\nposition = [0, 0, 10]", ""),
            "s.toml: tx: there is no transmitter; accepted: tables: one or more [[tx]]",
        ),
        (
            swap("[[rx]]\nposition = [1.5, -2, 3]", ""),
            "s.toml: rx: there is no receiver;",
        ),
        (
            swap("[[tx]]", "[tx]"),
            "s.toml:5: tx: found a table; accepted: tables: one or more [[tx]]",
        ),
        (
            swap("[0, 0, 10]", "[0, 0]"),
            "s.toml:6: [[tx]] 0 position: found [0, 0]; accepted: three numbers",
        ),
        (
            swap("[0, 0, 10]", "[0, 0, nan]"),
            "s.toml:6: [[tx]] 0 position: found [0, 0, nan];",
        ),
        (swap("[0, 0, 10]", "[0, 0, 2e7]"), "of at most 1e7, metres"),
        (
            swap("position = [0, 0, 10]", "name = \"a\""),
            "s.toml:5: [[tx]] 0 position: missing;",
        ),
        (
            swap("[[rx]]", "antenna = \"dipol\"\n[[rx]]"),
            "s.toml:7: [[tx]] 0 antenna: found \"dipol\", did you mean `dipole`? accepted: isotropic, dipole, short_dipole, tr38901, or",
        ),
        (
            swap("[[rx]]", "antenna = \"a.msi\"\n[[rx]]"),
            "s.toml:7: [[tx]] 0 antenna: there is no file `a.msi`; accepted: isotropic,",
        ),
        (
            rx("name = \"a\""),
            "s.toml:7: [[rx]] 0 position: nothing says where it stands; accepted: one of position, file, grid",
        ),
        (
            rx("position = [0, 0, 0]\nfile = \"a.csv\""),
            "s.toml:9: [[rx]] 0 file: more than one place;",
        ),
        (rx("file = \"no.csv\""), "s.toml:8: [[rx]] 0 file: no.csv: "),
        (
            rx("grid = { min = [0, 0], max = [1, 1], spacing = 1 }"),
            "s.toml:8: [[rx]] 0 grid height: missing;",
        ),
        (
            rx("grid = { min = [0, 0], max = [-1, 1], spacing = 1, height = 0 }"),
            "s.toml:8: [[rx]] 0 grid max: found [-1.0, 1.0], which is below min",
        ),
        (
            rx("grid = { min = [0, 0], max = [1e6, 1e6], spacing = 1, height = 0 }"),
            "more than 1e8 receivers;",
        ),
        (
            rx("grid = { min = [0, 0], max = [1, 1], spacing = 1, heigth = 0 }"),
            "s.toml:8: [[rx]] 0 grid heigth: unknown key, did you mean `height`?",
        ),
        (
            paths("max_interactions = -1"),
            "s.toml:10: [paths] max_interactions: found -1; accepted: a whole number from 0 to 255",
        ),
        (
            paths("max_interactions = 2.5"),
            "s.toml:10: [paths] max_interactions: found 2.5;",
        ),
        (paths("max_interactions = 256"), "found 256;"),
        (
            paths("max_interactions = 99999999999999999999999"),
            "found 99999999999999999999999;",
        ),
        (
            paths("search = \"quick\""),
            "s.toml:10: [paths] search: found \"quick\"; accepted: auto, launch, complete, exhaustive",
        ),
        (
            paths("search = \"tiles\""),
            "\"tiles\" is not available yet;",
        ),
        (paths("effort = \"thorogh\""), "did you mean `thorough`?"),
        (
            paths("max_diffractions = -1"),
            "s.toml:10: [paths] max_diffractions: found -1; accepted: a whole number from 0 to 255",
        ),
        (
            paths("max_scatterings = 2"),
            "s.toml:10: [paths] max_scatterings: found 2; accepted: 0 or 1",
        ),
        (
            paths("free_edges = 1"),
            "s.toml:10: [paths] free_edges: found 1; accepted: true or false",
        ),
        (
            paths("line_of_sight = 1"),
            "s.toml:10: [paths] line_of_sight: found 1; accepted: true or false",
        ),
        (
            material("itu = \"brik\""),
            "s.toml:10: [materials.wall] itu: no material \"brik\" in ITU-R P.2040, did you mean `brick`? accepted: vacuum, concrete,",
        ),
        (
            material("thickness = 0.1"),
            "s.toml:9: [materials.wall] itu: nothing says what it is made of;",
        ),
        (
            material("permittivity = 0.5"),
            "s.toml:10: [materials.wall] permittivity: found 0.5; accepted: a number of at least 1",
        ),
        (
            material("conductivity = 1"),
            "s.toml:9: [materials.wall] permittivity: missing;",
        ),
        (
            material("itu = \"brick\"\npec = true"),
            "s.toml:10: [materials.wall] itu: more than one definition;",
        ),
        (
            material("itu = \"brick\"\nconductivity = 0"),
            "s.toml:11: [materials.wall] conductivity: cannot stand beside `itu`:",
        ),
        (
            material("layers = []"),
            "s.toml:10: [materials.wall] layers: found none;",
        ),
        (
            material("layers = [{ itu = \"glass\" }]"),
            "s.toml:10: [materials.wall] layers 0 thickness: missing;",
        ),
        (
            material("itu = \"brick\"\nscattering = 1.5"),
            "s.toml:11: [materials.wall] scattering: found",
        ),
        (
            material("itu = \"brick\"\nroughness = -1"),
            "s.toml:11: [materials.wall] roughness: found",
        ),
        (
            material("itu = \"brick\"\ncross_polarization = 0.1"),
            "s.toml:11: [materials.wall] cross_polarization: needs `scattering` beside it",
        ),
        (
            material("itu = \"brick\"\nscattering = 0.3\nscattering_pattern = \"round\""),
            "s.toml:12: [materials.wall] scattering_pattern: found \"round\"; accepted: lambertian",
        ),
        (
            material("itu = \"brick\"\nscattering = 0.3\nscattering_alpha = 4"),
            "s.toml:12: [materials.wall] scattering_alpha: means nothing with the scattering_pattern \"lambertian\"",
        ),
        (
            format!("{SMALL}[materials]\nwall = \"brick\""),
            "s.toml:10: [materials.wall]: found the text \"brick\"; accepted: a table",
        ),
        (
            channel("bandwidth_hz = 7.1e9"),
            "s.toml:10: [channel] bandwidth_hz: found 7.1e9; accepted: a positive number of at most twice frequency_hz, Hz",
        ),
        (channel("bandwidth_hz = 0"), "bandwidth_hz: found 0;"),
        (
            channel("num_frequencies = 12"),
            "s.toml:10: [channel] num_frequencies: more than one frequency, but no `bandwidth_hz`",
        ),
        (
            channel("num_frequencies = 0"),
            "s.toml:10: [channel] num_frequencies: found 0; accepted: a whole number from 1 to 1000000",
        ),
        (
            channel("dispersion = \"none\""),
            "s.toml:10: [channel] dispersion: found \"none\"; accepted: carrier, full",
        ),
        (
            channel("window = \"han\""),
            "did you mean `hann`? accepted: rectangular, hann, blackman",
        ),
        (
            channel("delay_resolution_s = 0"),
            "s.toml:10: [channel] delay_resolution_s: found 0; accepted: a positive number, seconds",
        ),
        (
            channel("snapshots = 2"),
            "s.toml:10: [channel] snapshots: more than one, but no `snapshot_interval_s` says how far apart",
        ),
        (
            channel("snapshot_interval_s = 1"),
            "s.toml:10: [channel] snapshot_interval_s: stands without `snapshots`",
        ),
        (
            swap("[[rx]]", "velocity = [1, 2]\n[[rx]]"),
            "s.toml:7: [[tx]] 0 velocity: found [1, 2]; accepted: three numbers [vx, vy, vz] of at most 1e6, m/s",
        ),
        (
            format!("{SMALL}[[moving]]\nmaterial = \"car\""),
            "s.toml:9: [[moving]] 0 velocity: missing;",
        ),
        (
            format!("{SMALL}[[moving]]\nvelocity = [1, 2, 3]"),
            "s.toml:9: [[moving]] 0 material: missing;",
        ),
        (
            swap("[scene]", "[scene"),
            "s.toml:3: this is not valid TOML: ",
        ),
        (
            format!("{SMALL}position = [0, 0, 0]"),
            "s.toml:9: this is not valid TOML: duplicate key",
        ),
    ] {
        let message = folder.message(&text);
        assert!(
            message.contains(expected),
            "expected: {expected}\nfound:    {message}"
        );
        assert!(
            message.starts_with("s.toml") && !message.contains('\n'),
            "{message}"
        );
    }
}

#[test]
fn bad_receiver_files_are_named_with_line_and_column() {
    let folder = Folder::new("csv");
    for (csv, expected) in [
        ("", "rx.csv: there is no receiver in it;"),
        ("x,y,z\n", "rx.csv: there is no receiver in it;"),
        (
            "1,2,3\n4,5\n",
            "rx.csv:2: column z: found ``; accepted: a number",
        ),
        ("1,2,3\n4,five,6\n", "rx.csv:2: column y: found `five`;"),
        ("1,two,3\n", "rx.csv:1: column y: found `two`;"),
        ("1,2,nan\n", "rx.csv:1: column z: found `nan`;"),
        ("1,2,inf\n", "rx.csv:1: column z: found `inf`;"),
        ("1,2,3e7\n", "rx.csv:1: column z: found `3e7`;"),
        (
            "x,y,height\n1,2,3\n",
            "rx.csv:1: column z: not in the header `x,y,height`; accepted: the columns x, y, z,",
        ),
        ("1;2;3\n", "rx.csv:1: column x: not in the header `1;2;3`;"),
    ] {
        fs::write(folder.0.join("rx.csv"), csv).unwrap();
        let message =
            folder.message(&SMALL.replace("position = [1.5, -2, 3]", "file = \"rx.csv\""));
        assert!(
            message.starts_with(expected),
            "expected: {expected}\nfound:    {message}"
        );
    }
    fs::write(folder.0.join("rx.csv"), [b'1', 0xff, b'\n']).unwrap();
    let message = folder.message(&SMALL.replace("position = [1.5, -2, 3]", "file = \"rx.csv\""));
    assert!(
        message.starts_with("s.toml:8: [[rx]] 0 file: rx.csv: "),
        "{message}"
    );
}

const OMNI: &str = "elevation_deg,gain_dbi\n-90,-20\n-45,-1\n0,2\n45,-1\n90,-20\n";

#[test]
fn antennas_come_from_files_with_tilt_gain_and_arrays() {
    let folder = Folder::new("antennas");
    fs::write(folder.0.join("omni.csv"), OMNI).unwrap();
    let scenario = folder
        .parse(&SMALL.replace(
            "[[rx]]",
            "antenna = \"omni.csv\"\ngain_dbi = 1.0\nelectrical_tilt_deg = 6\n\
             array = { rows = 2, columns = 3, spacing_wavelengths = [0.7, 0.5] }\n\
             [[rx]]\nantenna = \"omni.csv\"\narray = { elements_m = [[0, 0, 0], [0, 0.1, 0]] }\narray_tracing = \"each\"",
        ))
        .unwrap();
    let (tx, rx) = (&scenario.tx[0], &scenario.receivers.groups[0]);
    assert_eq!(tx.antenna.electrical_tilt, 6.0_f64.to_radians());
    assert!((tx.antenna.peak_gain.unwrap() - 10.0_f64.powf(0.1)).abs() < 1e-12);
    let (Pattern::Table(a), Pattern::Table(b)) = (&tx.antenna.pattern, &rx.antenna.pattern) else {
        panic!("both are tables");
    };
    assert!(std::sync::Arc::ptr_eq(a, b), "one file, one table");
    let wavelength = scenario.frequency.wavelength();
    let elements = tx.array.as_ref().unwrap().elements();
    assert_eq!(elements.len(), 6);
    assert!((elements[3].z - elements[0].z - 0.7 * wavelength).abs() < 1e-15);
    assert!((elements[1].y - elements[0].y - 0.5 * wavelength).abs() < 1e-15);
    assert_eq!(tx.array_tracing, ArrayTracing::Phase);
    let elements = rx.array.as_ref().unwrap().elements();
    assert_eq!(elements, [DVec3::ZERO, DVec3::new(0.0, 0.1, 0.0)]);
    assert_eq!(rx.array_tracing, ArrayTracing::Each);
    assert_eq!(scenario.receivers.array_tracing(0), ArrayTracing::Each);
    assert_eq!(scenario.warnings, []);
}

#[test]
fn a_pattern_for_another_band_is_a_warning() {
    let folder = Folder::new("band");
    let rows = "0 0\n45 0\n90 0\n135 0\n180 0\n225 0\n270 0\n315 0\n";
    let planet =
        format!("NAME a\nFREQUENCY 900\nGAIN 0 dBi\nHORIZONTAL 8\n{rows}VERTICAL 8\n{rows}");
    fs::write(folder.0.join("a.msi"), planet).unwrap();
    let text = SMALL.replace("[[rx]]", "antenna = \"a.msi\"\n[[rx]]");
    let warning = folder.parse(&text).unwrap().warnings[0].to_string();
    let expected = "holds for 900 to 900 MHz, the scenario is at 3500 MHz";
    assert!(warning.contains(expected), "{warning}");
}

#[test]
fn bad_antennas_and_arrays_are_named_with_file_line_and_key() {
    let folder = Folder::new("bad-antennas");
    fs::write(folder.0.join("omni.csv"), OMNI).unwrap();
    fs::write(folder.0.join("bad.csv"), OMNI.replace("0,2", "0,two")).unwrap();
    for (line, expected) in [
        (
            "antenna = \"bad.csv\"",
            "bad.csv:4: column gain_dbi: found `two`; accepted: a number",
        ),
        (
            "antenna = \"a.pat\"",
            "s.toml:7: [[tx]] 0 antenna: there is no file `a.pat`;",
        ),
        ("antenna = \"scene.obj\"", "scene.obj: the file is empty"),
        (
            "antenna = \"dipole\"\ngain_dbi = 6",
            "s.toml:8: [[tx]] 0 gain_dbi: found 6: the pattern's directivity is 2.15 dBi",
        ),
        (
            "cuts = \"sum\"",
            "s.toml:7: [[tx]] 0 cuts: only a pattern file has cuts",
        ),
        (
            "antenna = \"omni.csv\"\ncuts = \"mean\"",
            "s.toml:8: [[tx]] 0 cuts: found \"mean\"; accepted: sum, weighted, hybrid",
        ),
        (
            "electrical_tilt_deg = 31",
            "s.toml:7: [[tx]] 0 electrical_tilt_deg: found 31; accepted: a number from -30 to 30",
        ),
        (
            "array_tracing = \"each\"",
            "s.toml:7: [[tx]] 0 array_tracing: there is no `array`",
        ),
        (
            "array = { rows = 1, columns = 2 }\narray_tracing = \"all\"",
            "s.toml:8: [[tx]] 0 array_tracing: found \"all\"; accepted: phase, each",
        ),
        (
            "array = { rows = 2 }",
            "s.toml:7: [[tx]] 0 array columns: missing;",
        ),
        (
            "array = { rows = 0, columns = 2 }",
            "s.toml:7: [[tx]] 0 array: antenna array: 0 elements; accepted: 1 to 65536",
        ),
        (
            "array = { rows = 2, elements_m = [[0, 0, 0]] }",
            "array rows: cannot stand beside `elements_m`",
        ),
        (
            "array = { elements_m = [[0, 0]] }",
            "s.toml:7: [[tx]] 0 array elements_m: found [[0, 0]]; accepted: a list of points",
        ),
        ("array = { elements_m = [] }", "0 elements;"),
        (
            "array = { rows = 2, columns = 2, spacing_wavelengths = [0.5, 0] }",
            "array spacing_wavelengths: found [0.5, 0];",
        ),
    ] {
        let message = folder.message(&SMALL.replace("[[rx]]", &format!("{line}\n[[rx]]")));
        assert!(
            message.contains(expected),
            "expected: {expected}\nfound:    {message}"
        );
    }
}

#[test]
fn a_missing_scenario_is_an_error_that_names_it() {
    let error = Scenario::load(Path::new("no/such.toml")).unwrap_err();
    assert!(error.to_string().starts_with("no/such.toml: "), "{error}");
}

#[test]
fn the_readme_and_the_room_example_have_every_key() {
    let readme = include_str!("../../../../README.md");
    let room = include_str!("../../../../examples/room/scenario.toml");
    let tables = [
        keys::SCENE,
        keys::MATERIAL,
        keys::LAYER,
        keys::TX,
        keys::RX,
        keys::ARRAY,
        keys::GRID,
        keys::PATHS,
        keys::CHANNEL,
        keys::MOVING,
    ];
    for key in tables.into_iter().flatten() {
        let name = key.name;
        let quoted = [format!("`{name}`"), format!("{name} =")];
        assert!(quoted.iter().any(|q| readme.contains(q)), "README: {name}");
        assert!(room.contains(&format!("{name} = ")), "room: {name}");
    }
}

//! Every key's value is read as it is written, and an absent key has its default.

use glam::DVec2;
use keller::DVec3;
use keller::antenna::{Antenna, Orientation, Pattern, Polarization};
use keller::channel::{Band, Window};
use keller::coverage::Engine;
use keller::coverage::beams;
use keller::coverage::tubes::Accuracy;
use keller::materials::{FlatLosses, ItuEdition, ItuMaterial, Layer, Material, Medium};
use keller::paths::{Effort, Limits};
use keller::tiles::Finer;

use super::{Folder, SMALL};
use crate::formats::import::{MeshOptions, Unit, Up};
use crate::scenario::{
    CellSettings, ChannelSettings, Coordinates, CoverageSettings, Dispersion, HeightAbove, Moving,
    OutOfRange, PathSettings, ScenarioClutter, SearchChoice, Site, TileSettings, keys,
};

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
    let local = |x, y, z| Site {
        at: DVec3::new(x, y, z),
        coordinates: Coordinates::default(),
    };
    assert_eq!(scenario.tx[0].site, local(0.0, 0.0, 10.0));
    assert_eq!(scenario.tx[0].power_dbm, 30.0);
    assert_eq!(scenario.tx[0].antenna, Antenna::default());
    assert_eq!(scenario.receivers.site(0), local(1.5, -2.0, 3.0));
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
up = "y"
unit = "ft"
cache = "scene.keller"
itu_below_range = "forbid"
itu_edition = "P.2040-3"
terrain_wedge_deg = 5
terrain_error_m = 0.25
[materials.wall]
itu = "brick"
thickness = 0.12
[materials.roof]
permittivity = 3.9
conductivity = 0.02
scattering = 0.0
[materials.metal]
pec = true
[materials.door]
pec = true
transmission_loss_db = 7
reflection_loss_db = 6
diffraction_loss_db = 2
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
reflections_between_edges = false
ignore_displaced_air = true
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
[coverage]
engine = "tubes"
accuracy = "exact"
min = [-10, -20]
max = [30, 40]
resolution = [2, 4]
heights = [1.5, 20]
height_above = "ground"
noise_dbm = -95
path_loss_limit_db = 140
rooftops = true
per_tx = false
multipath = false
name = "ward-3"
surroundings_resolution = 6
rotation_deg = -12.5
[tiles]
side = 5
ground_side = 10
min_face_area = 0.5
terrain_grid = false
under_buildings = true
search_from_tiles = true
sample_beyond = 3
refine = [{ centre = [20, 35], radius = 50, side = 2 }, { centre = [1, 2, 3], radius = 4.5, side = 0.25 }]
visibility = "seen.vis"
[[moving]]
material = "metal"
velocity = [0, -13.9, 0]
[[clutter]]
name = "park"
polygon = [[0, 0], [20, 0], [20, 15]]
base = -2
height = 12.5
attenuation_db_per_m = 0.4
max_attenuation_db = 25
[beams]
corners = 3
through_walls = false
indoors = true
combine = "strongest"
corner_loss_db = [1, 2, 0.5]
roof_loss_db = [3, 4, 0]
wall_loss_db = [5, 6]
"#,
        )
        .unwrap();
    assert_eq!(scenario.frequency.hz(), 28e9);
    assert_eq!(scenario.scene.files.len(), 2);
    assert_eq!(scenario.scene.default_material.as_deref(), Some("concrete"));
    assert_eq!(scenario.scene.default_thickness, Some(0.3));
    let meshes = MeshOptions {
        up: Some(Up::Y),
        unit: Some(Unit::Foot),
    };
    assert_eq!(scenario.scene.meshes, meshes);
    let cache = scenario
        .scene
        .cache
        .as_ref()
        .and_then(|file| file.file_name());
    assert_eq!(cache, Some("scene.keller".as_ref()));
    assert_eq!(scenario.scene.itu_below_range, OutOfRange::Forbid);
    assert_eq!(scenario.scene.itu_edition, ItuEdition::P2040_3);
    assert_eq!(scenario.scene.terrain_wedge_deg, Some(5.0));
    assert_eq!(scenario.scene.terrain_error_m, Some(0.25));
    let names: Vec<_> = scenario.materials.iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["wall", "roof", "metal", "door", "window"]);
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
            Material::HalfSpace(Medium::PerfectConductor).with_flat_losses(FlatLosses {
                transmission_db: Some(7.0),
                reflection_db: Some(6.0),
                diffraction_db: 2.0,
            }),
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
            reflections_between_edges: false,
            ..Limits::default()
        },
        says_free_edges: true,
        ignore_displaced_air: true,
        power_threshold_db: Some(-160.0),
        relative_threshold_db: Some(60.0),
        ..PathSettings::default()
    };
    assert_eq!(scenario.paths, expected);
    assert_eq!(tx.velocity, DVec3::new(1.0, 2.0, 0.5));
    assert_eq!(scenario.receivers.velocity(0), DVec3::new(0.0, 0.0, -3.0));
    let channel = ChannelSettings {
        band: Band::new(scenario.frequency, 400e6, 1024).unwrap(),
        bandwidth_line: Some(60),
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
        line: 93,
    };
    assert_eq!(scenario.moving, [moving]);
    let clutter = ScenarioClutter {
        name: Some("park".to_owned()),
        outline: vec![[0.0, 0.0], [20.0, 0.0], [20.0, 15.0]],
        base: Some(-2.0),
        height: 12.5,
        attenuation_db_per_m: 0.4,
        max_attenuation_db: Some(25.0),
        line: 96,
    };
    assert_eq!(scenario.clutter, [clutter]);
    let coverage = CellSettings {
        name: Some("ward-3".to_owned()),
        engine: Engine::Tubes {
            accuracy: Accuracy::Exact,
            has_rooftops: true,
        },
        is_engine_auto: false,
        min: Some(DVec3::new(-10.0, -20.0, 0.0)),
        max: Some(DVec3::new(30.0, 40.0, 0.0)),
        bounds_deg: None,
        rotation: -12.5_f64.to_radians(),
        resolution: DVec3::new(2.0, 4.0, 1.0),
        surroundings_resolution: Some(6.0),
        heights: Some(vec![1.5, 20.0]),
        height_above: Some(HeightAbove::Ground),
        building: None,
        noise_dbm: Some(-95.0),
        path_loss_limit_db: Some(140.0),
        per_tx: false,
        multipath: false,
        line: 67,
    };
    assert_eq!(
        scenario.coverage,
        Some(CoverageSettings::Cells(vec![coverage]))
    );
    let tiles = TileSettings {
        side: Some(5.0),
        ground_side: Some(10.0),
        min_face_area: 0.5,
        terrain_grid: Some(false),
        under_buildings: Some(true),
        search_from_tiles: Some(true),
        sample_beyond: Some(3),
        finer: vec![
            Finer {
                at: DVec2::new(20.0, 35.0),
                z: None,
                radius: 50.0,
                side: 2.0,
            },
            Finer {
                at: DVec2::new(1.0, 2.0),
                z: Some(3.0),
                radius: 4.5,
                side: 0.25,
            },
        ],
        visibility: Some(folder.0.join("seen.vis")),
    };
    assert_eq!(scenario.tiles, tiles);
    let beams = beams::Settings {
        max_bends: 3,
        has_walls: false,
        has_indoors: true,
        combination: beams::Combination::Strongest,
        losses: beams::Losses {
            street_bend: [1.0, 2.0, 0.5],
            roof_bend: [3.0, 4.0, 0.0],
            wall: [5.0, 6.0],
        },
        ..beams::Settings::default()
    };
    assert_eq!(scenario.beams, beams);
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
    // The whole range down to zero is accepted.
    assert_eq!(
        channel("[channel]\nbandwidth_hz = 7e9").band.bandwidth(),
        7e9
    );
}

#[test]
fn clutter_stands_on_the_lowest_place_unless_it_says_where() {
    let folder = Folder::new("clutter");
    let with = |text: &str| {
        let outline = "polygon = [[0, 0], [1, 0], [1, 1]]\nattenuation_db_per_m = 1";
        folder.parse(&format!("{SMALL}[[clutter]]\n{outline}\n{text}"))
    };
    for (text, expected) in [
        ("height = 5", [-3.0, 2.0]),
        ("height = 5\nbase = 1", [1.0, 6.0]),
    ] {
        let volume = with(text).unwrap().clutter[0].volume(-3.0).unwrap();
        assert_eq!(volume.bounds().map(|corner| corner.z), expected);
    }
    for (text, expected) in [
        ("", "[[clutter]] 0 height: missing"),
        (
            "height = -5",
            "height: found -5; accepted: a positive number",
        ),
        (
            "height = 5\nmax_attenuation_db = 0",
            "max_attenuation_db: found 0",
        ),
        (
            "height = 5\nbase = 2e7",
            "base: found 2e7; accepted: a number of at most 1e7: z of its foot",
        ),
        ("height = 5\nwidth = 3", "width: unknown key"),
    ] {
        let message = with(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
    let line = "[[clutter]]\npolygon = [[0, 0], [1, 0]]\nattenuation_db_per_m = 1\nheight = 1";
    let message = folder.parse(&format!("{SMALL}{line}")).unwrap_err();
    assert!(
        message.to_string().contains("an outline of 2 corners"),
        "{message}"
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
fn the_limits_of_kinds_hold_by_themselves_unless_a_total_is_given() {
    let folder = Folder::new("kinds");
    for (paths, expected) in [
        ("", [3, 3, 0, 0]),
        ("max_reflections = 0", [0, 0, 0, 0]),
        ("max_reflections = 2", [2, 2, 0, 0]),
        ("max_reflections = 0\nmax_diffractions = 1", [1, 0, 1, 0]),
        ("max_reflections = 3\nmax_diffractions = 1", [4, 3, 1, 0]),
        (
            "max_reflections = 2\nmax_diffractions = 2\nmax_scatterings = 1",
            [5, 2, 2, 1],
        ),
        ("max_diffractions = 1", [3, 3, 1, 0]),
        ("max_diffractions = 5", [5, 3, 5, 0]),
        ("max_diffractions = 3\nmax_scatterings = 1", [4, 3, 3, 1]),
        ("max_scatterings = 1", [3, 3, 0, 1]),
        (
            "max_interactions = 1\nmax_reflections = 3\nmax_diffractions = 1",
            [1, 3, 1, 0],
        ),
        ("max_interactions = 0\nmax_diffractions = 1", [0, 0, 1, 0]),
    ] {
        let scenario = folder.parse(&format!("{SMALL}[paths]\n{paths}")).unwrap();
        let limits = scenario.paths.limits;
        let found = [
            limits.max_interactions,
            limits.max_reflections,
            limits.max_diffractions,
            limits.max_scatterings,
        ];
        assert_eq!(found, expected, "{paths}");
    }
}

#[test]
fn the_room_example_has_every_key() {
    let room = include_str!("../../../../../examples/room/scenario.toml");
    let tables = keys::SECTIONS.iter().skip(1);
    for key in tables.flat_map(|section| section.keys) {
        let name = key.name;
        let ways = [
            format!("{name} = "),
            format!(".{name}]"),
            format!(".{name}."),
        ];
        let is_there = ways.iter().any(|way| room.contains(way));
        assert!(is_there, "room: {name}");
    }
}

#[test]
fn the_reference_has_every_section() {
    let page = crate::scenario::reference();
    for section in keys::TOP.iter().filter(|key| key.name != "frequency_hz") {
        let titles = [
            format!("## `[{}]`\n", section.name),
            format!("## `[[{}]]`\n", section.name),
            format!("## `[{}.NAME]`\n", section.name),
        ];
        assert!(
            titles.iter().any(|title| page.contains(title)),
            "{}",
            section.name
        );
    }
}

//! `[coverage]` and `[[coverage]]`.

use keller::coverage::Engine;
use keller::coverage::tubes::Accuracy;
use keller::models::{City, Model, Streets};

use super::{Folder, SMALL};
use crate::scenario::{CellSettings, CoverageSettings, Scenario, SurfaceSettings, TileSettings};

fn only_region(scenario: Scenario) -> CellSettings {
    let Some(CoverageSettings::Cells(regions)) = scenario.coverage else {
        panic!("cells are asked for");
    };
    let [region] = <[CellSettings; 1]>::try_from(regions).unwrap();
    region
}

#[test]
fn a_coverage_takes_the_engine_that_follows_its_paths() {
    let folder = Folder::new("auto");
    let engine = |text: &str| {
        let scenario = folder.parse(&format!("{SMALL}{text}")).unwrap();
        let cells = only_region(scenario);
        (cells.engine, cells.is_engine_auto)
    };
    let tubes = |has_rooftops| Engine::Tubes {
        accuracy: Accuracy::Default,
        has_rooftops,
    };
    let cells = "[coverage]\nresolution = 1\n";
    assert_eq!(engine(cells), (tubes(false), true));
    let one = format!("[paths]\nmax_diffractions = 1\n{cells}engine = \"auto\"");
    assert_eq!(engine(&one), (tubes(false), true));
    let two = format!("[paths]\nmax_diffractions = 2\n{cells}");
    assert_eq!(engine(&two), (tubes(false), true));
    assert_eq!(
        engine(&format!("{two}rooftops = true")),
        (tubes(true), false)
    );
    let points = format!("{cells}engine = \"points\"");
    assert_eq!(engine(&points), (Engine::Points, false));
}

#[test]
fn surfaces_have_no_cells_and_scatter_more_than_once() {
    let folder = Folder::new("surfaces");
    let read = |text: &str| {
        let engine = format!("[coverage]\nengine = \"surfaces\"\n{text}");
        folder.parse(&format!("{SMALL}{engine}"))
    };
    let scenario = read("[paths]\nmax_scatterings = 12").unwrap();
    assert_eq!(scenario.paths.limits.max_scatterings, 12);
    let surfaces = SurfaceSettings {
        path_loss_limit_db: None,
    };
    let expected = CoverageSettings::Surfaces(surfaces);
    assert_eq!(scenario.coverage, Some(expected));
    assert_eq!(scenario.tiles, TileSettings::default());
    for key in [
        "resolution = 5",
        "heights = [1.5]",
        "min = [0, 0, 0]",
        "accuracy = \"exact\"",
        "rooftops = true",
    ] {
        let message = read(key).unwrap_err().to_string();
        assert!(
            message.contains("means nothing with the engine \"surfaces\""),
            "{key}: {message}"
        );
    }
    for (text, expected) in [
        ("[tiles]\nside = 0", "side: found 0; accepted: a positive"),
        ("[tiles]\nmin_face_area = -1", "min_face_area: found -1"),
        ("[tiles]\nheight = 1", "height: unknown key"),
        ("[paths]\nmax_scatterings = 13", "max_scatterings: found 13"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
    let of_paths =
        |count: usize| folder.parse(&format!("{SMALL}[paths]\nmax_scatterings = {count}"));
    let twice = of_paths(2).unwrap();
    assert_eq!(twice.paths.limits.max_scatterings, 2);
    assert!(of_paths(3).is_err(), "paths are scattered twice at most");
}

#[test]
fn a_coverage_needs_no_receiver() {
    let folder = Folder::new("coverage");
    let without_rx = SMALL.replace("[[rx]]\nposition = [1.5, -2, 3]", "");
    assert_ne!(without_rx, SMALL, "the small scenario has another receiver");
    let scenario = folder.parse(&format!("{without_rx}[coverage]\nresolution = 5"));
    let coverage = only_region(scenario.unwrap());
    assert_eq!((coverage.min, coverage.heights), (None, None));
    assert!(!coverage.multipath, "only where asked for");
    let bad = |text: &str| {
        let scenario = folder.parse(&format!("{without_rx}[coverage]\n{text}"));
        scenario.unwrap_err().to_string()
    };
    for (text, expected) in [
        ("", "resolution: missing"),
        (
            "resolution = 0",
            "resolution: found 0; accepted: a positive number",
        ),
        ("resolution = [1, 2]", "resolution: found 2 numbers"),
        (
            "resolution = 1\nengine = \"rays\"",
            "accepted: auto, points, tubes, beams, model, surfaces",
        ),
        (
            "resolution = 1\nengine = \"points\"\naccuracy = \"exact\"",
            "means nothing with the engine",
        ),
        ("resolution = 1\nmin = [0, 0]", "min: found 2 numbers"),
        ("resolution = 1\nheights = []", "heights: found []"),
        (
            "resolution = 1\nper_tx = false\nmultipath = true",
            "multipath: stands beside `per_tx = false`",
        ),
        (
            "resolution = 1\nheight_above = \"ground\"",
            "stands without `heights`",
        ),
    ] {
        let message = bad(text);
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn several_regions_have_a_name_each() {
    let folder = Folder::new("regions");
    let two = format!(
        "{SMALL}[[coverage]]\nresolution = 5\n[[coverage]]\nname = \"attic\"\nresolution = 0.5\nrotation_deg = 90"
    );
    let Some(CoverageSettings::Cells(regions)) = folder.parse(&two).unwrap().coverage else {
        panic!("cells are asked for");
    };
    let [first, second] = <[CellSettings; 2]>::try_from(regions).unwrap();
    assert_eq!(first.name.as_deref(), Some("1"));
    assert_eq!(second.name.as_deref(), Some("attic"));
    assert_eq!([first.resolution.x, second.resolution.x], [5.0, 0.5]);
    assert_eq!(first.rotation, 0.0);
    assert!((second.rotation - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    for (wrong, expected) in [
        (two.replace("\"attic\"", "\"1\""), "is called \"1\" too"),
        (
            two.replace("\"attic\"", "\"a/b\""),
            "name: found \"a/b\"; accepted: a text",
        ),
        (two.replace("= 90", "= 361"), "rotation_deg: found 361"),
        (
            two.replace("resolution = 0.5", "engine = \"surfaces\"")
                .replace("rotation_deg = 90", "")
                .replace("name = \"attic\"", ""),
            "write [coverage] instead of [[coverage]]",
        ),
        (
            format!(
                "{SMALL}[coverage]\nresolution = 5\nbounds_deg = [1, 2, 3, 4]\nrotation_deg = 3"
            ),
            "rotation_deg: stands beside `bounds_deg`",
        ),
    ] {
        let message = folder.message(&wrong);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_model_is_named_and_streets_are_checked() {
    let folder = Folder::new("models");
    let read = |text: &str| {
        let text = format!("{SMALL}[coverage]\nresolution = 5\n{text}");
        folder.parse(&text)
    };
    for (name, model) in Model::NAMES {
        let scenario = read(&format!("engine = \"model\"\nmodel = \"{name}\"")).unwrap();
        assert_eq!(scenario.streets, Streets::default());
        assert_eq!(only_region(scenario).engine, Engine::Model(model));
        // The Reference and messages name every model.
        let error = read("engine = \"model\"\nmodel = \"okumura\"").unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
    let streets = "engine = \"model\"\nmodel = \"walfisch-ikegami\"\n[streets]\n";
    let scenario = read(&format!(
        "{streets}roof_height = 12\nbuilding_separation = 50\nstreet_angle_deg = 30\ncity = \"metropolitan\""
    ));
    let expected = Streets::new(12.0, 25.0, 50.0, 30.0, City::Large);
    assert_eq!(scenario.unwrap().streets, expected.unwrap());
    for (text, told) in [
        ("engine = \"model\"", "model: missing"),
        ("model = \"hata-urban\"", "engine = \"model\" alone"),
        (
            "engine = \"model\"\nmodel = \"hata-urban\"\nrooftops = true",
            "means nothing with the engine \"model\"",
        ),
        (
            &format!("{streets}roof_height = 2"),
            "[streets] roof_height: found 2; accepted: a number from 3.5 to 500, metres",
        ),
        (
            &format!("{streets}street_angle_deg = 100"),
            "street_angle_deg: found 100",
        ),
        (
            &format!("{streets}city = \"rural\""),
            "city: found \"rural\"; accepted: medium, metropolitan",
        ),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(told), "{message}");
    }
}

#[test]
fn beams_fill_planes_and_say_what_they_do_not_know() {
    let folder = Folder::new("beams");
    let read = |text: &str| {
        let text = format!("{SMALL}[coverage]\nengine = \"beams\"\nresolution = 5\n{text}");
        folder.parse(&text)
    };
    let engine = |text: &str| match read(text).unwrap().coverage {
        Some(CoverageSettings::Cells(regions)) => regions[0].engine,
        other => panic!("{other:?}"),
    };
    let has_rooftops = true;
    assert_eq!(engine("heights = [1.5]"), Engine::Beams { has_rooftops });
    let has_rooftops = false;
    let without = "heights = [1.5]\nrooftops = false";
    assert_eq!(engine(without), Engine::Beams { has_rooftops });
    for (text, told) in [
        ("", "heights"),
        (
            "heights = [1.5]\nmultipath = true",
            "means nothing with the engine \"beams\"",
        ),
        (
            "heights = [1.5]\naccuracy = \"exact\"",
            "means nothing with the engine \"beams\"",
        ),
        (
            "heights = [1.5]\n[beams]\ncorners = 17",
            "[beams] corners: found 17; accepted: a whole number from 0 to 16",
        ),
        (
            "heights = [1.5]\n[beams]\ncorner_loss_db = [5, 3, -2]",
            "[beams] corner_loss_db",
        ),
        (
            "heights = [1.5]\n[beams]\nwall_loss_db = [5, -3]",
            "falls as the angle or the number of walls grows",
        ),
        (
            "heights = [1.5]\n[beams]\ncombine = \"best\"",
            "combine: found \"best\"; accepted: sum, strongest",
        ),
        ("heights = [1.5]\n[beams]\nbends = 2", "bends: unknown key"),
    ] {
        let message = read(text).unwrap_err().to_string();
        assert!(message.contains(told), "{message}");
    }
}

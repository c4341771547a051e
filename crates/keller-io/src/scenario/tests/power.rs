//! `[diffuse]`, `[background]` and `[calibrate]`.

use keller::calibration::{Background, LossKind, Prior};
use keller::comparison::OffsetKind;

use super::{Folder, SMALL};
use crate::scenario::DiffuseSettings;

const ALL: &str = r#"
[diffuse]
enabled = true
side = 2
tile_rays = 64
tx_rays = 1000
rx_rays = 100
[background]
enabled = true
level_db = -50
exponent = 3.5
[calibrate]
offset = "tx"
error_db = 4
[calibrate.materials.roof]
permittivity = [2, 8]
conductivity = { min = 0.001, max = 1, start = 0.02, prior = [0.05, 0.1] }
thickness = [0.1, 0.3]
roughness = [0, 0.01]
scattering = [0, 0.5]
transmission_loss_db = [0, 30]
reflection_loss_db = [0, 20]
diffraction_loss_db = [0, 10]
[calibrate.background]
level_db = [-80, -40]
exponent = [2, 5]
"#;

#[test]
fn every_key_of_power_beside_paths_is_read() {
    let scenario = Folder::new("power")
        .parse(&format!("{SMALL}{ALL}"))
        .unwrap();
    let diffuse = DiffuseSettings {
        side: Some(2.0),
        rays: [Some(64), Some(1000), Some(100)],
    };
    assert_eq!(scenario.diffuse, Some(diffuse));
    let background = Background {
        level_db: -50.0,
        exponent: 3.5,
    };
    assert_eq!(scenario.background, Some(background));
    let calibrate = scenario.calibrate.unwrap();
    assert_eq!(
        (calibrate.offset, calibrate.error_db),
        (OffsetKind::PerGroup, 4.0)
    );
    assert_eq!(calibrate.ranges.len(), 10);
    let conductivity = &calibrate.ranges[1];
    assert_eq!(conductivity.name(), "roof conductivity");
    assert_eq!((conductivity.min, conductivity.max), (0.001, 1.0));
    assert_eq!(conductivity.start, Some(0.02));
    let prior = Prior {
        mean: 0.05,
        deviation: 0.1,
    };
    assert_eq!(conductivity.prior, Some(prior));
}

#[test]
fn losses_of_beams_that_may_change_are_named() {
    let folder = Folder::new("losses");
    let beams = "[coverage]\nengine = \"beams\"\nresolution = 1\nheights = [1.5]\nheight_above = \"ground\"\n";
    let losses = |engine: &str, list: &str| {
        let text = format!("{SMALL}{engine}[calibrate]\nlosses = {list}\n");
        let scenario = folder.parse(&text).map_err(|error| error.to_string())?;
        Ok::<_, String>(scenario.calibrate.unwrap().losses)
    };
    assert_eq!(
        losses(beams, "[\"wall_loss_db\", \"roof_loss_db\"]"),
        Ok(Some(vec![LossKind::Wall, LossKind::RoofBend]))
    );
    for (engine, list, problem) in [
        (beams, "[\"walls_db\"]", "found `walls_db`"),
        (
            beams,
            "[\"wall_loss_db\", \"wall_loss_db\"]",
            "found `wall_loss_db` twice",
        ),
        (beams, "[]", "found none"),
        ("", "[\"wall_loss_db\"]", "losses"),
    ] {
        let error = losses(engine, list).unwrap_err();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn what_is_switched_off_is_not_there() {
    let parse = |text: &str| Folder::new("off").parse(&format!("{SMALL}{text}")).unwrap();
    let off = parse("[diffuse]\nenabled = false\n[background]\nenabled = false\nlevel_db = -50");
    assert_eq!((off.diffuse, off.background), (None, None));
    let on = parse("[diffuse]\n[background]\nlevel_db = -50");
    assert_eq!(on.diffuse, Some(DiffuseSettings::default()));
    assert_eq!(
        on.background.map(|background| background.exponent),
        Some(2.0)
    );
}

#[test]
fn an_offset_is_a_gain_of_the_antenna() {
    let gain = |text: &str| {
        let text = SMALL.replace("[[tx]]\n", &format!("[[tx]]\n{text}\n"));
        let scenario = Folder::new("offset").parse(&text).unwrap();
        scenario.tx[0].antenna.largest_gain()
    };
    assert!((gain("offset_db = 3") / gain("") - 10_f64.powf(0.3)).abs() < 1e-12);
    let dipole = "antenna = \"dipole\"";
    let both = gain(&format!("{dipole}\noffset_db = -7"));
    assert!((both / gain(dipole) - 10_f64.powf(-0.7)).abs() < 1e-12);
}

#[test]
fn a_wrong_range_is_one_error_with_its_line() {
    let material = |line: &str| format!("[calibrate.materials.wall]\n{line}\n");
    for (text, problem) in [
        (
            material("permittivity = [5, 2]"),
            "permittivity: found 5 to 2;",
        ),
        (
            material("permittivity = [0.5, 2]"),
            "permittivity: found 0.5 to 2; accepted: 1.0 to 1000000.0 at most",
        ),
        (
            material("permittivity = 3"),
            "permittivity: found 3; accepted: two numbers [min, max], or a table",
        ),
        (
            material("permitivity = [2, 3]"),
            "unknown key, did you mean `permittivity`?",
        ),
        (
            material("scattering = { min = 0 }"),
            "scattering max: missing",
        ),
        (
            material("scattering = { min = 0, max = 1, start = 2 }"),
            "the start 2 does not lie from 0 to 1",
        ),
        (
            material("scattering = { min = 0, max = 1, prior = [0.5, 0] }"),
            "found a deviation of 0",
        ),
        ("[calibrate]\n".to_owned(), "nothing may change"),
        (
            "[calibrate]\noffset = \"rx\"\n".to_owned(),
            "accepted: none, one, tx",
        ),
        ("[background]\n".to_owned(), "level_db: missing"),
        (
            "[diffuse]\ntx_rays = 3\n".to_owned(),
            "tx_rays: found 3; accepted: a whole number from 16",
        ),
    ] {
        let error = Folder::new("ranges")
            .parse(&format!("{SMALL}{text}"))
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(problem) && error.contains("s.toml:"),
            "{error}"
        );
    }
}

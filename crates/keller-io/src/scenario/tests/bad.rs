//! Errors name file, line and key, and say what is accepted.

use std::fs;
use std::path::Path;

use super::{Folder, SMALL};
use crate::scenario::keys::SECTIONS;
use crate::scenario::{RENAMED, Scenario};

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
            "s.toml:2: frequency_hz: found the text \"3.5 GHz\"; accepted: a number of at least 1e6, Hz",
        ),
        (hz("-1"), "s.toml:2: frequency_hz: found -1; accepted"),
        (
            swap("[scene]", "[scene]\nterrain_wedge_deg = 0"),
            "s.toml:4: [scene] terrain_wedge_deg: found 0; accepted: a number from 0.57 to 90, degrees",
        ),
        (hz("0"), "s.toml:2: frequency_hz: found 0;"),
        (hz("nan"), "s.toml:2: frequency_hz: found nan;"),
        (hz("inf"), "s.toml:2: frequency_hz: found inf;"),
        (hz("1e999"), "s.toml:2: frequency_hz: found 1e999;"),
        (
            hz("3.5"),
            "s.toml:2: frequency_hz: found 3.5, did you mean 3.5e9? accepted: a number of at least 1e6, Hz",
        ),
        (
            hz("140"),
            "s.toml:2: frequency_hz: found 140, did you mean 1.4e11?",
        ),
        (
            hz("868"),
            "s.toml:2: frequency_hz: found 868, did you mean 8.68e8?",
        ),
        (hz("true"), "s.toml:2: frequency_hz: found true;"),
        (
            swap("frequency_hz = 3.5e9", ""),
            "s.toml: frequency_hz: missing; accepted: a number of at least 1e6, Hz",
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
            "s.toml: rx: there is no receiver, which only `keller coverage` with [coverage] does without; accepted:",
        ),
        (
            swap("[[tx]]", "[tx]"),
            "s.toml:5: tx: found a table; accepted: tables: one or more [[tx]]",
        ),
        (
            swap("[0, 0, 10]", "[0, 0]"),
            "s.toml:6: [[tx]] 0 position: found [0, 0]; accepted: [x, y, z], or [x, y] beside `height_above_ground` or `altitude`,",
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
            "s.toml:7: [[rx]] 0 position: nothing says where it stands; accepted: one of position, longitude and latitude, file, grid",
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
            "s.toml:10: [paths] search: found \"quick\"; accepted: auto, launch, complete, tiles, tubes, exhaustive",
        ),
        (
            paths("search = \"tiles\"\nmax_transmissions = 1"),
            "the search \"tiles\" passes no walls;",
        ),
        (paths("effort = \"thorogh\""), "did you mean `thorough`?"),
        (
            paths("max_diffractions = -1"),
            "s.toml:10: [paths] max_diffractions: found -1; accepted: a whole number from 0 to 255",
        ),
        (
            paths("max_scatterings = 3"),
            "s.toml:10: [paths] max_scatterings: found 3; accepted: 0, 1 or 2 ([diffuse] has the power of all further scatterings)",
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
            "s.toml:9: position: there already is such a key, in line 8; accepted: one of the two",
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
fn a_missing_scenario_is_an_error_that_names_it() {
    let error = Scenario::load(Path::new("no/such.toml")).unwrap_err();
    assert!(error.to_string().starts_with("no/such.toml: "), "{error}");
}

#[test]
fn a_key_that_comes_twice_is_named_with_both_lines() {
    let folder = Folder::new("twice");
    for (text, told) in [
        (
            format!(
                "{SMALL}[paths]\nmax_reflections = 1\nsearch = \"launch\"\nmax_reflections = 2\n"
            ),
            "s.toml:12: max_reflections: there already is such a key, in line 10; accepted: one of the two",
        ),
        (
            format!("{SMALL}[paths]\n[channel]\n[paths]\n"),
            "s.toml:11: paths: there already is such a key, in line 9;",
        ),
        // The line is neither that of the Tx, nor that within the braces.
        (
            format!(
                "{SMALL}array = {{ rows = 1, columns = 2, position = 3 }}\nposition = [1, 2, 3]\n"
            ),
            "s.toml:10: position: there already is such a key, in line 8;",
        ),
    ] {
        let error = folder.message(&text);
        assert!(error.contains(told), "expected: {told}\nfound:    {error}");
    }
}

#[test]
fn long_texts_are_cut() {
    let folder = Folder::new("long");
    let long = "x".repeat(5000);
    for text in [
        SMALL.replace("3.5e9", &format!("\"{long}\"")),
        SMALL.replace("3.5e9", &"9".repeat(5000)),
        SMALL.replace("3.5e9", &format!("-1{}", "0".repeat(5000))),
        SMALL.replace("[[rx]]", &format!("antenna = \"{long}\"\n[[rx]]")),
        SMALL.replace("[scene]", &format!("{long} = 1\n[scene]")),
        format!("{SMALL}[materials.\"{long}\"]\n{long} = 1\n"),
    ] {
        let error = folder.message(&text);
        assert!(error.contains('…'), "{error}");
        assert!(error.chars().count() < 500, "{}", error.chars().count());
    }
}

#[test]
fn keys_with_old_names_are_refused_with_the_new_ones() {
    let folder = Folder::new("renamed");
    let refused =
        |section: &str, old: &str| folder.message(&format!("{SMALL}{section}\n{old} = 1\n"));
    let mut checked = 0;
    for (old, new) in RENAMED {
        for section in SECTIONS {
            let names: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
            assert!(
                !(names.contains(&old) && names.contains(&new)),
                "{old} and {new}"
            );
            // Sections of tables within other tables are read like these.
            let Some(title) = section
                .title
                .strip_prefix('`')
                .and_then(|t| t.strip_suffix('`'))
            else {
                continue;
            };
            if names.contains(&new) && title.starts_with('[') {
                let told = refused(&title.replace("NAME", "wall"), old);
                let wanted = format!(" {old}: unknown key, it is called `{new}` now; accepted: ");
                assert!(told.contains(&wanted), "{told}");
                checked += 1;
            }
        }
    }
    // `at` stands in a table of `[tiles]`, and `sweep` in none; one key is in two sections.
    assert_eq!(checked + 1, RENAMED.len());
    let told = folder.message(&format!("{SMALL}[coverage]\nengine = \"tiles\"\n"));
    let wanted = "engine: found \"tiles\", it is called `surfaces` now; accepted: auto, ";
    assert!(told.contains(wanted), "{told}");
    let wanted = ": sweep: unknown key, it is called `variants` now; accepted: ";
    let text = format!("{SMALL}[sweep.grid]\nfrequency_hz = [1e9, 2e9]\n");
    let told = folder.message(&text);
    assert!(told.contains(wanted), "{told}");
    let file = folder.0.join("s.toml");
    fs::write(&file, text).unwrap();
    let told = Scenario::load(&folder.0.join("s.toml#1"))
        .unwrap_err()
        .to_string();
    assert!(told.contains(wanted), "{told}");
}

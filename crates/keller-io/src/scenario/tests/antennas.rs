//! Antennas from files, and arrays.

use std::fs;

use keller::DVec3;
use keller::antenna::{ArrayTracing, Pattern};

use super::{Folder, SMALL};

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
            "s.toml:7: [[tx]] 0 array rows: found 0; accepted: a whole number from 1 to 65536",
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

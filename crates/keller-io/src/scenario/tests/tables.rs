//! Tables and names from strangers: one error, with the file and the line, and no row is lost.

use std::fs;
use std::io::{Cursor, Write};
use std::path::PathBuf;

use zip::write::{SimpleFileOptions, ZipWriter};

use super::{Folder, SMALL};
use crate::formats::npy;
use crate::scenario::{Measurements, Variants};

/// The message about a file of measurements.
fn measured(folder: &Folder, name: &str, bytes: &[u8]) -> String {
    let scenario = folder.parse(SMALL).unwrap();
    let file = folder.0.join(name);
    fs::write(&file, bytes).unwrap();
    let read = Measurements::load(&[PathBuf::from(&file)], &scenario);
    let error = read.expect_err(name).to_string();
    assert!(error.len() < 600, "{error}");
    error.replace(&format!("{}/", folder.0.display()), "")
}

#[test]
fn no_row_of_a_table_gets_lost() {
    let folder = Folder::new("tables");
    let header = "x,y,z,path_gain_db,name";
    for (rows, told) in [
        (
            "1,2,3,-80,\"a\n1,2,3,-81,b\n",
            "m.csv:2: the row has a quote that does not end in it: `\"a`",
        ),
        (
            "1,2,3,-80,a\n1,2,3,-81\n",
            "m.csv:3: the row has 4 values for 5 columns",
        ),
        (
            "1,2,3,-80,a,b\n",
            "m.csv:2: the row has 6 values for 5 columns",
        ),
        (
            "1,2,3,-80,a\u{1b}[2Jb\n",
            "m.csv:2: the row has the control character \\u{1b}",
        ),
        (
            "1,2,3,-80,a\tb\n",
            "m.csv:2: found `a\\tb`, which has control characters",
        ),
        (
            "1,2,3,1e300,a\n",
            "m.csv:2: column path_gain_db: found `1e300`; accepted: a number of dB or dBm from -500 to 500",
        ),
        (
            "1,2,3,-9999,a\n",
            "m.csv:2: column path_gain_db: found `-9999`",
        ),
    ] {
        let found = measured(&folder, "m.csv", format!("{header}\n{rows}").as_bytes());
        assert!(found.starts_with(told), "{found}");
    }
    for (column, value, told) in [
        (
            "uncertainty_db",
            "1e300",
            "accepted: a number from 0 to 100 dB",
        ),
        ("delay_spread_s", "50", "accepted: a number from 0 to 1 s"),
        (
            "path_gain_db",
            "1",
            "m.csv:1: the column path_gain_db is there twice",
        ),
        ("X", "1", "m.csv:1: the column x is there twice"),
    ] {
        let table = format!("x,y,z,path_gain_db,{column}\n1,2,3,-80,{value}\n");
        let found = measured(&folder, "m.csv", table.as_bytes());
        assert!(found.contains(told), "{found}");
    }
    let found = measured(&folder, "m.csv", b"PK\x03\x04 and more");
    assert!(
        found.contains("m.csv: this is a ZIP archive, as .xlsx"),
        "{found}"
    );
    let long = format!("{}\n", "x".repeat(1 << 20));
    let found = measured(&folder, "m.csv", long.as_bytes());
    assert!(found.contains("…"), "{found}");
}

#[test]
fn all_tables_of_a_scenario_are_read_alike() {
    let folder = Folder::new("tables-alike");
    let rx = SMALL.replace("position = [1.5, -2, 3]", "file = \"r.csv\"");
    let tx = SMALL.replace("position = [0, 0, 10]", "file = \"r.csv\"");
    for (table, told) in [
        (
            "x,y,z,name\n1,2,3,\"a\n4,5,6,b\n7,8,9,c\n",
            "r.csv:2: the row has a quote",
        ),
        (
            "x,y,z,name\n1,2,3\n",
            "r.csv:2: the row has 3 values for 4 columns",
        ),
        (
            "x,y,z,name,NAME\n1,2,3,a,b\n",
            "r.csv:1: the column name is there twice",
        ),
    ] {
        fs::write(folder.0.join("r.csv"), table).unwrap();
        for text in [&rx, &tx] {
            let found = folder.message(text);
            assert!(found.starts_with(told), "{found}");
        }
    }
    fs::write(folder.0.join("r.csv"), b"PK\x03\x04").unwrap();
    for text in [&rx, &tx] {
        let found = folder.message(text);
        assert!(found.contains("r.csv: this is a ZIP archive"), "{found}");
    }
}

#[test]
fn a_key_is_varied_once() {
    let folder = Folder::new("tables-variants");
    let variants = |section: &str, table: &str| {
        fs::write(folder.0.join("v.csv"), table).unwrap();
        let text = format!("{SMALL}[variants]\n{section}\n");
        let read = Variants::of(&text, &folder.0.join("s.toml"));
        read.expect_err(section).to_string()
    };
    let table = "table = \"v.csv\"";
    let twice = variants(table, "frequency_hz,frequency_hz\n1e9,2e9\n");
    assert!(
        twice.contains("v.csv:1: the column frequency_hz is there twice"),
        "{twice}"
    );
    let twice = variants(table, "tx.0.power_dbm,tx. 0.power_dbm\n1,2\n");
    assert!(
        twice.contains("the key tx.0.power_dbm is varied twice"),
        "{twice}"
    );
    let both = format!("{table}\ngrid = {{ frequency_hz = [1e9] }}");
    let twice = variants(&both, "frequency_hz\n1e9\n");
    assert!(
        twice.contains("the key frequency_hz is varied twice"),
        "{twice}"
    );
    let short = variants(table, "frequency_hz,tx.0.power_dbm\n1e9,3\n2e9\n");
    assert!(
        short.contains("v.csv:3: the row has 1 values for 2 columns"),
        "{short}"
    );
}

#[test]
fn profiles_have_delays_that_grow_and_power_that_can_be() {
    let folder = Folder::new("tables-profiles");
    let archive = |delays: &[f64], power: &[f64]| {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let columns = delays.len();
        let rows = power.len() / columns;
        let position = vec![1.0; 3 * rows];
        for (name, shape, values) in [
            ("delay", &[columns][..], delays),
            ("power", &[rows, columns], power),
            ("position", &[rows, 3], &position),
        ] {
            let options = SimpleFileOptions::default();
            zip.start_file(format!("{name}.npy"), options).unwrap();
            zip.write_all(&npy::header("<f8", shape)).unwrap();
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            zip.write_all(&bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    };
    for (delays, power, told) in [
        (
            [0.0, 2e-9, 1e-9],
            [1e-9; 3],
            "delay[2] is 0.000000001 after 0.000000002; accepted: delays that grow",
        ),
        (
            [0.0, 1e-9, 1e-9],
            [1e-9; 3],
            "delay[2] is 0.000000001 after 0.000000001",
        ),
        (
            [0.0, 1.0, 20.0],
            [1e-9; 3],
            "delay[2] is 20; accepted: -1 to 1 s",
        ),
        ([0.0, 1e-9, f64::NAN], [1e-9; 3], "delay[2] is NaN"),
        ([0.0, 1e-9, 2e-9], [0.0, 1e300, 0.0], "power[0, 1] is 1000"),
    ] {
        let found = measured(&folder, "m.npz", &archive(&delays, &power));
        assert!(found.contains(told), "{found}");
    }
}

#[test]
fn names_have_no_control_characters() {
    let folder = Folder::new("tables-names");
    for (from, to, told) in [
        (
            "position = [0, 0, 10]",
            "position = [0, 0, 10]\nname = \"a\\nb\"",
            "s.toml:7: [[tx]] 0 name: found `a\\nb`, which has control characters",
        ),
        (
            "position = [1.5, -2, 3]",
            "position = [1.5, -2, 3]\nname = \"\\u001b[2J\"",
            "name: found `\\u{1b}[2J`",
        ),
        (
            "scene.obj",
            "sc\\u0000ene.obj",
            "file: found `sc\\u{0}ene.obj`",
        ),
        (
            "[[tx]]",
            "[materials.\"a\\rb\"]\nitu = \"glass\"\n[[tx]]",
            "[materials.a\\rb]: found `a\\rb`",
        ),
    ] {
        let found = folder.message(&SMALL.replacen(from, to, 1));
        assert!(found.contains(told), "{found}");
    }
}

#[test]
fn a_folder_in_place_of_a_scene_is_told_as_one() {
    let folder = Folder::new("tables-folder");
    fs::create_dir(folder.0.join("d.obj")).unwrap();
    let found = folder.message(&SMALL.replace("scene.obj", "d.obj"));
    assert!(
        found.starts_with("s.toml:4: [scene] file: `d.obj` is a folder, not a file; accepted"),
        "{found}"
    );
}

//! Receivers of files and grids.

use std::fs;

use keller::antenna::Pattern;

use super::{Folder, SMALL};

#[test]
fn receivers_come_from_rows_and_grids_in_order() {
    let folder = Folder::new("receivers");
    fs::write(
        folder.0.join("plain.csv"),
        "# mine\n1,2,3\n\n# yours\r\n 4, 5 ,6\n",
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
    let positions: Vec<_> = rx.iter().map(|rx| rx.at.to_array()).collect();
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
fn bad_receiver_files_are_named_with_line_and_column() {
    let folder = Folder::new("csv");
    for (csv, expected) in [
        ("", "rx.csv: there is no receiver in it;"),
        ("x,y,z\n", "rx.csv: there is no receiver in it;"),
        (
            "1,2,3\n4,5\n",
            "rx.csv:2: the row has 2 values for 3 columns; accepted: as many in every row",
        ),
        ("1,2,3\n4,five,6\n", "rx.csv:2: column y: found `five`;"),
        ("1,two,3\n", "rx.csv:1: column y: found `two`;"),
        ("1,2,nan\n", "rx.csv:1: column z: found `nan`;"),
        ("1,2,inf\n", "rx.csv:1: column z: found `inf`;"),
        ("1,2,3e7\n", "rx.csv:1: column z: found `3e7`;"),
        (
            "x,y,height\n1,2,3\n",
            "rx.csv:1: column z: not in the header `x,y,height`; accepted: the columns x, y, or longitude, latitude, and one of z, height_above_ground, altitude,",
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

#[test]
fn columns_of_receivers_that_mean_nothing_are_told() {
    let folder = Folder::new("unused-columns");
    let text = "name,x,y,z,time,velocity_kmh\na,9,9,1.5,12:00,50\n";
    fs::write(folder.0.join("rx.csv"), text).unwrap();
    let with = |file: &str| SMALL.replace("position = [1.5, -2, 3]", &format!("file = \"{file}\""));
    let scenario = folder.parse(&with("rx.csv")).unwrap();
    let told: Vec<String> = scenario.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    let unused = "columns that mean nothing here: time, velocity_kmh;";
    assert!(told[0].contains(unused), "{told:?}");
    // A file of another kind is no CSV, whatever is in it.
    fs::write(folder.0.join("drive.kml"), "<kml/>").unwrap();
    let told = folder.parse(&with("drive.kml")).unwrap_err().to_string();
    assert!(told.contains("this is KML; accepted: CSV"), "{told}");
}

//! The directions of antennas, and Tx from a table of sites.

use std::fs;

use keller::antenna::{Orientation, Pattern};
use keller::{DVec3, Frequency};

use super::{Folder, SMALL};
use crate::scenario::{Height, Horizontal, Scenario};

/// The direction in which an antenna points: its own +x.
fn boresight(orientation: Orientation) -> DVec3 {
    orientation.global_from_local() * DVec3::X
}

fn parse(folder: &Folder, keys: &str) -> Scenario {
    let text = SMALL.replace(
        "position = [0, 0, 10]",
        &format!("position = [0, 0, 10]\n{keys}"),
    );
    folder.parse(&text).unwrap()
}

#[test]
fn azimuths_count_clockwise_from_north() {
    let folder = Folder::new("azimuths");
    let at = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let (sin, cos) = 30.0_f64.to_radians().sin_cos();
    for (keys, expected) in [
        ("azimuth_deg = 0", at(0.0, 1.0, 0.0)),
        ("azimuth_deg = 90", at(1.0, 0.0, 0.0)),
        ("azimuth_deg = 120", at(cos, -sin, 0.0)),
        ("azimuth_deg = -90", at(-1.0, 0.0, 0.0)),
        ("azimuth_deg = 180\ndowntilt_deg = 30", at(0.0, -cos, -sin)),
        ("downtilt_deg = 30", at(cos, 0.0, -sin)),
        ("orientation_deg = [90, 0, 0]", at(0.0, 1.0, 0.0)),
    ] {
        let scenario = parse(&folder, keys);
        let found = boresight(scenario.tx[0].antenna.orientation);
        assert!(found.distance(expected) < 1e-9, "{keys}: {found}");
    }
    let both = SMALL.replace(
        "[[rx]]",
        "orientation_deg = [0, 0, 0]\nazimuth_deg = 30\n[[rx]]",
    );
    let message = folder.message(&both);
    let expected = "s.toml:8: [[tx]] 0 azimuth_deg: stands beside `orientation_deg`";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn a_table_of_sites_makes_a_tx_of_every_row() {
    let folder = Folder::new("sites");
    let table = "# planned\nname,longitude,latitude,height_above_ground,azimuth_deg,downtilt_deg,power_dbm,antenna,electrical_tilt_deg\n\
                 north,11.5,48.1,28,0,4,43,tr38901,2\n\n\
                 east,11.6,48.2,30,90,,,,\n";
    fs::write(folder.0.join("sites.csv"), table).unwrap();
    let text = SMALL.replace(
        "position = [0, 0, 10]",
        "file = \"sites.csv\"\npower_dbm = 20\ndowntilt_deg = 7\nantenna = \"dipole\"\npolarization = \"cross\"",
    );
    let scenario = folder.parse(&text).unwrap();
    assert_eq!(scenario.warnings, []);
    let [north, east] = &scenario.tx[..] else {
        panic!("two sites: {:?}", scenario.tx);
    };
    assert_eq!(north.name.as_deref(), Some("north"));
    assert_eq!(north.site.at, DVec3::new(11.5, 48.1, 28.0));
    assert_eq!(north.site.coordinates.horizontal, Horizontal::LonLat);
    assert_eq!(north.site.coordinates.height, Height::AboveGround);
    assert_eq!((north.power_dbm, east.power_dbm), (43.0, 20.0));
    assert_eq!(north.antenna.pattern, Pattern::Tr38901);
    assert_eq!(east.antenna.pattern, Pattern::HalfWaveDipole);
    assert_eq!(north.antenna.electrical_tilt, 2.0_f64.to_radians());
    assert_eq!(
        north.antenna.orientation,
        Orientation::from_degrees([90.0, 4.0, 0.0])
    );
    assert_eq!(
        east.antenna.orientation,
        Orientation::from_degrees([0.0, 7.0, 0.0])
    );
    assert_eq!(north.antenna.polarization, east.antenna.polarization);
    assert_eq!((north.line, east.line), (3, 5));
    assert!(east.origin().ends_with("sites.csv:5"), "{}", east.origin());
    assert_eq!(scenario.frequency, Frequency::from_hz(3.5e9).unwrap());
}

#[test]
fn a_bad_table_of_sites_is_named_with_file_line_and_column() {
    let folder = Folder::new("bad-sites");
    for (table, expected) in [
        ("x,y,z\n", "sites.csv: there is no site in it"),
        ("1,2,3\n", "sites.csv:1: the first row names no columns"),
        (
            "x,z\n1,2\n",
            "sites.csv:1: column y: not in the header `x,z`",
        ),
        ("x,y,z\n1,two,3\n", "sites.csv:2: column y: found `two`"),
        (
            "x,y,z,azimuth_deg\n1,2,3,400\n",
            "sites.csv:2: column azimuth_deg: found `400`; accepted: a number from -360 to 360, degrees clockwise from north",
        ),
        (
            "x,y,z,antenna\n1,2,3,panel.msi\n",
            "sites.csv:2: column antenna: there is no file `panel.msi`; accepted: isotropic,",
        ),
        (
            "x,y,z,power_dbm\n1,2,3,43 dBm\n",
            "sites.csv:2: column power_dbm: found `43 dBm`; accepted: a number, dBm",
        ),
    ] {
        fs::write(folder.0.join("sites.csv"), table).unwrap();
        let text = SMALL.replace("position = [0, 0, 10]", "file = \"sites.csv\"");
        let message = folder.message(&text);
        assert!(message.contains(expected), "{table}: {message}");
    }
    fs::write(
        folder.0.join("sites.csv"),
        "x,y,z,azimut_deg,owner\n1,2,3,40,me\n",
    )
    .unwrap();
    let text = SMALL.replace("position = [0, 0, 10]", "file = \"sites.csv\"");
    let warning = folder.parse(&text).unwrap().warnings[0].to_string();
    let expected = "columns that mean nothing here: azimut_deg, owner";
    assert!(warning.contains(expected), "{warning}");
    let both = SMALL.replace("[[rx]]", "file = \"sites.csv\"\n[[rx]]");
    let message = folder.message(&both);
    assert!(
        message.contains("[[tx]] 0 file: stands beside a place"),
        "{message}"
    );
}

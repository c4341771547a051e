//! The written channels are read back from the archive, in the documented names, types and shapes.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use keller::Complex64;
use keller::antenna::{Antenna, Polarization};
use keller::channel::{Antennas, Band};
use keller::field::PathField;
use keller::paths::Interaction;
use keller::scene::{EdgeId, FaceId};
use keller::{Direction, Frequency};
use keller_geo::crs::Georeference;
use zip::ZipArchive;

use super::*;

/// The type, shape as Python writes it, and data of an array.
type Raw = (String, String, Vec<u8>);

fn read(file: &Path) -> BTreeMap<String, Raw> {
    let mut archive = ZipArchive::new(File::open(file).unwrap()).unwrap();
    (0..archive.len())
        .map(|i| {
            let mut entry = archive.by_index(i).unwrap();
            let name = entry
                .name()
                .unwrap()
                .strip_suffix(".npy")
                .unwrap()
                .to_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
            let end = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
            assert_eq!(end % 64, 0, "{name}");
            let header = std::str::from_utf8(&bytes[10..end]).unwrap();
            let between = |from: &str, to: &str| {
                let start = header.find(from).unwrap() + from.len();
                header[start..start + header[start..].find(to).unwrap()].to_owned()
            };
            assert!(header.contains("'fortran_order': False"), "{header}");
            let raw = (
                between("'descr': '", "'"),
                between("'shape': (", ")"),
                bytes[end..].to_vec(),
            );
            (name, raw)
        })
        .collect()
}

fn numbers(raw: &Raw) -> Vec<f64> {
    let chunks = raw.2.chunks_exact(8);
    chunks
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// A link of `n` paths whose path `p` has the amplitude `p + 1` in `theta` and its delay in nanoseconds.
fn link(tx: usize, rx: usize, n: u32, polarization: Polarization) -> LinkChannel {
    let antenna = Antenna {
        polarization,
        ..Antenna::default()
    };
    let carrier = Frequency::from_hz(1e9).unwrap();
    let direction = Direction {
        zenith: 1.0,
        azimuth: 2.0,
    };
    let fields = (0..n).map(|p| {
        let amplitude = Complex64::new(f64::from(p) + 1.0, 0.0);
        let field = PathField {
            coefficient: [[amplitude, Complex64::ZERO], [Complex64::ZERO; 2]],
            delay: f64::from(p) * 1e-9,
            departure: direction,
            arrival: direction,
            clutter_loss_db: 0.0,
        };
        (field, 0.5, p == 0 && tx == 1)
    });
    let isotropic = Antenna::default();
    let antennas = Antennas::single(&isotropic, &antenna);
    let impulse = ImpulseResponse::from_fields(carrier, fields, antennas);
    let band = Band::new(carrier, 4e6, 4).unwrap();
    LinkChannel {
        tx,
        rx,
        response: impulse.over(&band, &[0.0, 1.0]),
        profile: impulse.powers().collect(),
        impulse,
        vertices: (0..n as usize).map(vertices).collect(),
    }
}

/// The interactions of the path with number `p`: none, a wall, a wall and an edge behind it, and so on.
fn vertices(p: usize) -> Vec<Vertex> {
    let met = [
        Interaction::Transmission(FaceId::from_index(41)),
        Interaction::Diffraction(EdgeId::from_index(7)),
    ];
    let met = met.into_iter().enumerate().take(p);
    met.map(|(k, interaction)| Vertex {
        interaction,
        point: DVec3::new(k as f64, 0.5, -2.0),
    })
    .collect()
}

fn devices(names: &[&str]) -> Vec<Device> {
    let device = |name: &&str| Device::new(Some(name), 0, None);
    names.iter().map(device).collect()
}

#[test]
fn arrays_have_the_documented_names_types_and_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("channel.npz");
    let channels = Channels {
        tx: devices(&["mast", "Süd"]),
        rx: devices(&["a", "b", "c"]),
        num_ports: [2, 1],
        frequencies: vec![1.0, 2.0, 3.0, 4.0],
        times: vec![0.0, 1.0],
        delay_resolution: 1e-9,
        links: vec![
            link(1, 0, 2, Polarization::V),
            link(0, 2, 3, Polarization::VH),
        ],
        beside: ChannelsBeside::default(),
    };
    let about = About {
        scenario: "frequency_hz = 1e9 # é".to_owned(),
        georeference: Some(Georeference {
            crs: "EPSG:25832".to_owned(),
            origin: [691_600.5, 5_334_760.0, 515.1],
        }),
    };
    channels
        .write_npz(OutputFile::create(&out).unwrap(), &about)
        .unwrap();
    let arrays = read(&out);
    let kinds: Vec<(&str, &str, &str)> = arrays
        .iter()
        .filter(|(name, _)| !["keller", "scenario", "crs"].contains(&name.as_str()))
        .map(|(name, raw)| (name.as_str(), raw.0.as_str(), raw.1.as_str()))
        .collect();
    let per_path = "3, 2, 3,";
    assert_eq!(
        kinds,
        [
            ("a", "<c16", "3, 2, 2, 1, 3,"),
            ("doppler", "<f8", per_path),
            ("frequencies", "<f8", "4,"),
            ("h", "<c16", "3, 2, 2, 1, 2, 4,"),
            ("interactions", "|u1", "3, 2, 3, 2,"),
            ("line_of_sight", "|b1", "3, 2,"),
            ("num_paths", "<i8", "3, 2,"),
            ("objects", "<i4", "3, 2, 3, 2,"),
            ("origin", "<f8", "3,"),
            ("pdp", "<f8", per_path),
            ("pdp_delays", "<f8", "3,"),
            ("phi_r", "<f8", per_path),
            ("phi_t", "<f8", per_path),
            ("rx_name", "<U1", "3,"),
            ("tau", "<f8", per_path),
            ("theta_r", "<f8", per_path),
            ("theta_t", "<f8", per_path),
            ("times", "<f8", "2,"),
            ("tx_name", "<U4", "2,"),
            ("valid", "|b1", per_path),
            ("vertices", "<f8", "3, 2, 3, 2, 3,"),
        ]
    );
    assert_eq!(arrays["scenario"].2, about.scenario.as_bytes());
    assert_eq!(arrays["crs"].2, b"EPSG:25832");
    assert_eq!(numbers(&arrays["origin"]), [691_600.5, 5_334_760.0, 515.1]);

    // a[rx, rx_ant, tx, tx_ant, path], C order; real parts.
    let a = numbers(&arrays["a"]);
    let at = |rx: usize, i: usize, tx: usize, p: usize| a[2 * (((rx * 2 + i) * 2 + tx) * 3 + p)];
    assert_eq!([0, 1, 2].map(|p| at(0, 0, 1, p)), [1.0, 2.0, 0.0]);
    assert_eq!([0, 1, 2].map(|p| at(2, 0, 0, p)), [1.0, 2.0, 3.0]);
    // Absent values are zero: a second port, another Tx, an Rx without paths.
    assert_eq!([at(0, 1, 1, 0), at(0, 0, 0, 0), at(1, 0, 0, 0)], [0.0; 3]);
    let tau = numbers(&arrays["tau"]);
    assert_eq!(tau[15], 0.0);
    assert_eq!(tau[12..15], [0.0, 1e-9, 2e-9]);
    let valid = &arrays["valid"].2;
    assert_eq!(valid[3..6], [1, 1, 0]);
    assert_eq!(valid.iter().map(|v| u32::from(*v)).sum::<u32>(), 5);
    let counts = arrays["num_paths"].2.chunks_exact(8).map(|b| b[0]);
    assert_eq!(counts.collect::<Vec<_>>(), [0, 2, 0, 0, 3, 0]);
    // The paths of Rx 2 and Tx 0 have no interaction, one with a wall, and ones with a wall and an edge.
    assert_eq!(arrays["interactions"].2[4 * 6..5 * 6], [0, 0, 4, 0, 4, 8]);
    let objects = arrays["objects"].2.as_chunks().0.iter();
    let objects: Vec<i32> = objects.map(|b| i32::from_le_bytes(*b)).collect();
    assert_eq!(objects[4 * 6..5 * 6], [-1, -1, 41, -1, 41, 7]);
    assert_eq!(objects[..6], [-1; 6]);
    let vertices = numbers(&arrays["vertices"]);
    assert_eq!(vertices[3 * (5 * 6 - 1)..3 * 5 * 6], [1.0, 0.5, -2.0]);
    // Only the first path of the first link is a line of sight.
    assert_eq!(arrays["line_of_sight"].2, [0, 1, 0, 0, 0, 0]);
    let letters = arrays["tx_name"].2.as_chunks().0.iter();
    let letters = letters.filter_map(|b| char::from_u32(u32::from_le_bytes(*b)));
    assert_eq!(letters.collect::<String>(), "mastSüd\0");
    // h[rx, rx_ant, tx, tx_ant, snapshot, frequency].
    let h = numbers(&arrays["h"]);
    let expected = channels.links[1].response.over_frequency(0, 0, 1)[2];
    let offset = 2 * (((((2 * 2) * 2) * 2) + 1) * 4 + 2);
    assert_eq!([h[offset], h[offset + 1]], [expected.re, expected.im]);
    assert_eq!(numbers(&arrays["pdp"])[12..15], [1.0, 4.0, 9.0]);
}

#[test]
fn equal_channels_are_equal_bytes_and_a_folder_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let channels = Channels {
        tx: devices(&["t"]),
        rx: devices(&["r"]),
        num_ports: [1, 1],
        frequencies: vec![1.0; 4],
        times: vec![0.0, 1.0],
        delay_resolution: 1e-9,
        links: vec![link(0, 0, 2, Polarization::V)],
        beside: ChannelsBeside::default(),
    };
    let about = About {
        scenario: String::new(),
        georeference: None,
    };
    let write = |name: &str| {
        let out = folder.path().join(name);
        channels
            .write_npz(OutputFile::create(&out).unwrap(), &about)
            .unwrap();
        std::fs::read(out).unwrap()
    };
    assert_eq!(write("a.npz"), write("b.npz"));
    let missing = folder.path().join("no/such.npz");
    assert!(OutputFile::create(&missing).is_err());
    assert!(OutputFile::create(folder.path()).is_err());
    // Antennas have their axes without a path too.
    let nothing = Channels {
        num_ports: [2, 4],
        links: Vec::new(),
        ..channels
    };
    nothing
        .write_npz(
            OutputFile::create(&folder.path().join("c.npz")).unwrap(),
            &about,
        )
        .unwrap();
    assert_eq!(read(&folder.path().join("c.npz"))["a"].1, "1, 2, 1, 4, 0,");
}

//! The statements of each format come out in the frame of the core; each invalid statement is one clear error.

mod bad;
mod good;

use std::fmt::Write as _;
use std::io::Write as _;

use keller::antenna::Combination;
use keller::units::power_to_db;
use keller::{DVec3, Direction};

use super::{PatternError, PatternFile};

/// The file `name` with `bytes` in it.
fn parse(name: &str, bytes: impl AsRef<[u8]>) -> Result<PatternFile, PatternError> {
    super::parse(bytes.as_ref(), name.as_ref(), Combination::Sum)
}

/// Gain at an elevation above the horizon and an azimuth towards the left, degrees; dBi.
fn gain_db(file: &PatternFile, elevation: f64, azimuth: f64) -> f64 {
    let direction = Direction {
        zenith: (90.0 - elevation).to_radians(),
        azimuth: azimuth.to_radians(),
    };
    let vector: DVec3 = direction.unit_vector();
    power_to_db(file.pattern.gain(vector))
}

/// A parabola in dB around `center`, at most 25 dB.
fn lobe(angle: f64, center: f64, width: f64) -> f64 {
    let off = (angle - center + 180.0).rem_euclid(360.0) - 180.0;
    (12.0 * (off / width).powi(2)).min(25.0)
}

/// A sector antenna: 15 dBi, beam 20° with the clock (to the right) and 6° down, as Planet writes it.
fn msi() -> String {
    let mut text =
        "NAME Sector 65/7\r\nFREQUENCY 1710-1880\r\nGAIN 15 dBi\r\nTILT 6\r\nHORIZONTAL 360\r\n"
            .to_owned();
    for angle in 0..360 {
        write!(
            text,
            "{angle}\t{:.4}\r\n",
            lobe(f64::from(angle), 20.0, 65.0)
        )
        .unwrap();
    }
    text.push_str("VERTICAL 360\r\n");
    for angle in 0..360 {
        let ahead = lobe(f64::from(angle), 6.0, 8.0);
        write!(text, "{angle} {ahead:.4}\r\n").unwrap();
    }
    text
}

/// The same antenna as NSMA, the vertical cut closer around the beam.
fn nsma() -> String {
    let mut text = "REVNUM:,NSMA WG16.99.050\nMODNUM:,Sector 65/7\nLOWFRQ:,1710\nHGHFRQ:,1880\nGUNITS:,DBI/DBR\nMDGAIN:,15\nELTILT:,6\nNUMCUT:,2\n".to_owned();
    text.push_str("PATCUT:,AZ\nPOLARI:,V/V\nNUPOIN:,361\nFSTLST:,-180,180\n");
    for angle in -180..=180 {
        let gain = -lobe(f64::from(angle), 20.0, 65.0);
        writeln!(text, "{angle},{gain:.4}").unwrap();
    }
    let vertical: Vec<f64> = (-180..=180)
        .flat_map(|angle| {
            let angle = f64::from(angle);
            let is_beam = angle.abs() < 15.0;
            [Some(angle), is_beam.then_some(angle + 0.5)]
        })
        .flatten()
        .collect();
    writeln!(
        text,
        "PATCUT:,EL\nPOLARI:,V/V\nNUPOIN:,{}\nFSTLST:,-180,180",
        vertical.len()
    )
    .unwrap();
    for angle in vertical {
        writeln!(text, "{angle},{:.4}", -lobe(angle, -6.0, 8.0)).unwrap();
    }
    text.push_str("ENDFIL:,EOF\n");
    text
}

/// An array as NumPy saves it.
fn npy(shape: &str, values: &[f64]) -> Vec<u8> {
    let header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    let header = format!("{header:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    bytes
}

/// An archive of arrays, packed or not.
fn npz(arrays: &[(&str, Vec<u8>)], is_packed: bool) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let method = if is_packed {
        zip::CompressionMethod::Deflated
    } else {
        zip::CompressionMethod::Stored
    };
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    for (name, bytes) in arrays {
        archive.start_file(format!("{name}.npy"), options).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A row for each multiple of `step` of zenith and azimuth.
fn sphere(step: usize, value: impl Fn(f64, f64) -> String) -> String {
    let mut rows = String::new();
    for zenith in (0..=180_u16).step_by(step) {
        for azimuth in (0..360_u16).step_by(step) {
            let (zenith, azimuth) = (f64::from(zenith), f64::from(azimuth));
            writeln!(rows, "{}", value(zenith, azimuth)).unwrap();
        }
    }
    rows
}

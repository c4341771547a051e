//! The office and its measurements, as `keller compare` takes them: a scene, scenarios and an archive of profiles.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use keller::channel::{Window, delay_powers};
use keller::{DVec3, Frequency};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::{layout, mat};

/// The measurements: file, number of the mobile's place, its height in metres.
const FILES: [(&str, usize, f64); 4] = [
    ("h1_P001.mat", 1, 1.2),
    ("h1_P002.mat", 2, 1.2),
    ("h2_P001.mat", 1, 1.5),
    ("h2_P002.mat", 2, 1.5),
];

/// The anchor of each channel. Of the 24 orders two let nothing arrive before light could. In this one channel 2 begins half a
/// nanosecond after light in all four files, as channel 4 does; in the other, which exchanges 2 and 3, it would be six or seven.
const ANCHOR: [usize; 4] = [3, 4, 1, 2];

/// Profiles are sampled this finely and as far as the measurement goes without repeating, s.
const STEP: f64 = 0.05e-9;
const END: f64 = 200e-9;

/// The files that were written.
#[derive(Debug)]
pub(super) struct Converted {
    /// A scenario for each number of walls that paths may pass.
    pub(super) scenarios: Vec<PathBuf>,
    /// The profiles: the four channels of the first file, then of the second.
    pub(super) profiles: PathBuf,
    /// The office.
    pub(super) office: layout::Office,
}

/// Writes all that `keller compare` needs into `to`. Paths have up to `reflections`.
pub(super) fn convert(
    data: &Path,
    to: &Path,
    reflections: usize,
    transmissions: &[usize],
) -> Result<Converted> {
    let folder = data.join("where1");
    let office = layout::read(&folder, Frequency::from_hz(5e9)?)?;
    fs::write(to.join("office.obj"), scene(&office)?)?;
    let anchors = layout::devices(&folder, "w2m1tx.ini")?;
    let anchors = ANCHOR.map(|anchor| anchors[&anchor]);
    let places = layout::devices(&folder, "w2m1rx.ini")?;

    let mut delays = Vec::new();
    while (delays.len() as f64) * STEP < END {
        delays.push(delays.len() as f64 * STEP);
    }
    let (mut power, mut position, mut tx) = (Vec::new(), Vec::new(), Vec::new());
    let mut band = None;
    for (file, place, height) in FILES {
        let recorded = mat::read(&folder.join(file))?;
        let at = |field: &str| {
            let found = recorded.array(&["DECONV_DATA", "FREQ_DOMAIN", field]);
            found.context(file)
        };
        let frequencies: Vec<f64> = at("Freq")?.iter().map(|f| f.re).collect();
        let spacing = frequencies[1] - frequencies[0];
        for channel in 0..ANCHOR.len() {
            let measured = at(&format!("CH{}", channel + 1))?;
            ensure!(
                measured.len() == frequencies.len(),
                "{file}: channel {channel} is incomplete"
            );
            power.extend(delay_powers(measured, spacing, Window::Hann, &delays, STEP));
            position.extend(places[&place].with_z(height).to_array());
            tx.push(channel as f64);
        }
        band = Some(frequencies);
    }
    let profiles = to.join("profiles.npz");
    let mut archive = ZipWriter::new(File::create(&profiles)?);
    let count = tx.len();
    let sets = FILES.map(|(file, ..)| [file.trim_end_matches(".mat"); 4]);
    array(&mut archive, "power", &[count, delays.len()], &power)?;
    array(&mut archive, "delay", &[delays.len()], &delays)?;
    array(&mut archive, "position", &[count, 3], &position)?;
    array(&mut archive, "tx", &[count], &tx)?;
    texts(&mut archive, "set", sets.as_flattened())?;
    archive.finish()?;

    let band = band.context("no measurement")?;
    let scenarios = transmissions.iter().map(|transmissions| {
        let file = to.join(format!("office_t{transmissions}.toml"));
        let limits = [reflections, *transmissions];
        fs::write(&file, scenario(&office, &anchors, limits, &band)?)?;
        Ok(file)
    });
    Ok(Converted {
        scenarios: scenarios.collect::<Result<_>>()?,
        profiles,
        office,
    })
}

/// The walls as OBJ.
fn scene(office: &layout::Office) -> Result<String> {
    let mut text = String::new();
    for DVec3 { x, y, z } in &office.mesh.vertices {
        writeln!(text, "v {x:?} {y:?} {z:?}")?;
    }
    let mut current = None;
    for triangle in &office.mesh.triangles {
        if current != Some(triangle.material) {
            let name = &office.mesh.materials[triangle.material as usize].name;
            writeln!(text, "usemtl {name}")?;
            current = Some(triangle.material);
        }
        let [a, b, c] = triangle.vertices.map(|vertex| vertex + 1);
        writeln!(text, "f {a} {b} {c}")?;
    }
    Ok(text)
}

/// The scenario with limits of reflections and transmissions.
fn scenario(
    office: &layout::Office,
    anchors: &[DVec3],
    [reflections, transmissions]: [usize; 2],
    band: &[f64],
) -> Result<String> {
    let (first, last) = (band[0], band[band.len() - 1]);
    // Each frequency is the centre of a part of the band.
    let bandwidth = (last - first) * band.len() as f64 / (band.len() - 1) as f64;
    let mut text = format!(
        "frequency_hz = {:?}\n[scene]\nfile = \"office.obj\"\nup = \"z\"\nunit = \"m\"\n[paths]\nsearch = \"launch\"\n\
         max_interactions = {reflections}\nmax_reflections = {reflections}\nmax_transmissions = {transmissions}\n[channel]\n\
         bandwidth_hz = {bandwidth:?}\nnum_frequencies = {}\ndispersion = \"full\"\nwindow = \"hann\"\n",
        f64::midpoint(first, last),
        band.len()
    );
    text += &office.toml()?;
    for (channel, DVec3 { x, y, z }) in anchors.iter().enumerate() {
        let name = channel + 1;
        writeln!(
            text,
            "[[tx]]\nname = \"channel {name}\"\nposition = [{x:?}, {y:?}, {z:?}]"
        )?;
    }
    Ok(text)
}

/// Adds an array of numbers to an archive of numpy.
fn array(archive: &mut ZipWriter<File>, name: &str, shape: &[usize], values: &[f64]) -> Result<()> {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    entry(archive, name, "<f8", shape, &bytes.collect::<Vec<u8>>())
}

/// Adds an array of texts.
fn texts(archive: &mut ZipWriter<File>, name: &str, values: &[&str]) -> Result<()> {
    let width = values.iter().map(|text| text.chars().count()).max();
    let width = width.unwrap_or(0).max(1);
    let padded = values.iter().flat_map(|text| {
        let characters = text.chars().chain(std::iter::repeat('\0')).take(width);
        characters.flat_map(|c| u32::from(c).to_le_bytes())
    });
    let bytes: Vec<u8> = padded.collect();
    entry(
        archive,
        name,
        &format!("<U{width}"),
        &[values.len()],
        &bytes,
    )
}

fn entry(
    archive: &mut ZipWriter<File>,
    name: &str,
    kind: &str,
    shape: &[usize],
    bytes: &[u8],
) -> Result<()> {
    let lengths: Vec<String> = shape.iter().map(|length| format!("{length},")).collect();
    let shape = lengths.join(" ");
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}\n");
    archive.start_file(format!("{name}.npy"), SimpleFileOptions::default())?;
    archive.write_all(b"\x93NUMPY\x01\x00")?;
    archive.write_all(&u16::try_from(header.len())?.to_le_bytes())?;
    archive.write_all(header.as_bytes())?;
    archive.write_all(bytes)?;
    Ok(())
}

//! `keller antenna`: the figures, the table and the drawing of a pattern file.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use keller::antenna::{Figures, Pattern};
use keller::units::power_to_db;
use keller_io::formats::OutputFile;
use keller_io::formats::pattern::{self, Content, Form, PatternFile};
use serde_json::{Value, json};

use crate::args::AntennaArgs;
use crate::failure::Failure;
use crate::files::Outputs;
use crate::messages::say;
use crate::report::write_table;

pub(crate) fn run(args: &AntennaArgs) -> Result<(), Failure> {
    Outputs::default()
        .with("-o", args.out.as_deref())
        .check([args.file.as_path()])?;
    // Opened first: who cannot have the result should not wait for it.
    let out = args.out.as_deref().map(opened).transpose()?;
    let file = read(args)?;
    for warning in &file.warnings {
        say!("warning: {warning}");
    }
    if let Some((out, form)) = out {
        pattern::write(&file.pattern, form, out)?;
    }
    let figures = Figures::of(&file.pattern);
    let mut stdout = BufWriter::new(io::stdout().lock());
    if args.json {
        writeln!(stdout, "{:#}", to_json(&file, &figures))?;
    } else {
        write_table(&mut stdout, &["antenna ", ""], &to_rows(&file, &figures))?;
    }
    stdout.flush()?;
    Ok(())
}

/// The file `out`, opened, and the form of its contents.
fn opened(out: &Path) -> Result<(OutputFile, Form), Failure> {
    let form = Form::of(out).ok_or_else(|| {
        Failure::Input(format!(
            "{}: no form for this name; accepted: a name that ends in .csv or .svg",
            out.display()
        ))
    })?;
    let file = OutputFile::create(out).map_err(|error| Failure::Input(error.to_string()))?;
    Ok((file, form))
}

/// The pattern file, or the pattern of that name.
fn read(args: &AntennaArgs) -> Result<PatternFile, Failure> {
    let name = args.file.to_str().unwrap_or_default();
    match Pattern::from_name(name) {
        Ok(pattern) => Ok(PatternFile {
            pattern,
            content: Content::Gains,
            name: Some(name.to_lowercase()),
            frequencies_hz: None,
            stated_gain_dbi: None,
            stated_tilt_deg: None,
            warnings: Vec::new(),
        }),
        Err(_) => Ok(pattern::load(
            &args.file,
            args.cuts.map_or_else(Default::default, Into::into),
        )?),
    }
}

fn content(file: &PatternFile) -> &'static str {
    match file.content {
        Content::Cuts => "cuts",
        Content::Gains => "gains",
        Content::Fields => "fields",
    }
}

/// Degrees below the horizon of the largest gain.
fn tilt_deg(figures: &Figures) -> f64 {
    figures.peak.zenith.to_degrees() - 90.0
}

fn to_json(file: &PatternFile, figures: &Figures) -> Value {
    json!({
        "name": file.name,
        "content": content(file),
        "frequencies_hz": file.frequencies_hz,
        "stated_gain_dbi": file.stated_gain_dbi,
        "stated_tilt_deg": file.stated_tilt_deg,
        "gain_dbi": power_to_db(figures.peak_gain),
        "directivity_dbi": power_to_db(figures.directivity),
        "mean_gain_db": power_to_db(figures.mean_gain),
        "peak_azimuth_deg": figures.peak.azimuth.to_degrees(),
        "tilt_deg": tilt_deg(figures),
        "horizontal_beamwidth_deg": figures.horizontal_beamwidth.map(f64::to_degrees),
        "vertical_beamwidth_deg": figures.vertical_beamwidth.map(f64::to_degrees),
        // Infinite behind a null, for which JSON has no number.
        "front_to_back_db": power_to_db(figures.front_to_back),
    })
}

fn to_rows(file: &PatternFile, figures: &Figures) -> Vec<Vec<String>> {
    let width = |width: Option<f64>| {
        width.map_or("all round".to_owned(), |w| {
            format!("{:.1}°", w.to_degrees())
        })
    };
    let db = |ratio| format!("{:.2}", power_to_db(ratio));
    let stated = |value: Option<f64>, unit| value.map(|v| format!("{v:.2} {unit}"));
    let frequencies = file
        .frequencies_hz
        .map(|[low, high]| format!("{} to {} MHz", low / 1e6, high / 1e6));
    let rows = [
        ("name", file.name.clone()),
        ("made from", Some(content(file).to_owned())),
        ("frequency", frequencies),
        ("gain as stated", stated(file.stated_gain_dbi, "dBi")),
        ("tilt as stated", stated(file.stated_tilt_deg, "°")),
        ("largest gain", Some(db(figures.peak_gain) + " dBi")),
        (
            "directivity by integration",
            Some(db(figures.directivity) + " dBi"),
        ),
        (
            "mean gain over the sphere",
            Some(db(figures.mean_gain) + " dB"),
        ),
        (
            "tilt of the beam",
            Some(format!("{:.1}°", tilt_deg(figures))),
        ),
        (
            "azimuth of the beam",
            Some(format!("{:.1}°", figures.peak.azimuth.to_degrees())),
        ),
        (
            "horizontal beamwidth",
            Some(width(figures.horizontal_beamwidth)),
        ),
        (
            "vertical beamwidth",
            Some(width(figures.vertical_beamwidth)),
        ),
        ("front to back", Some(db(figures.front_to_back) + " dB")),
    ];
    rows.into_iter()
        .filter_map(|(name, value)| Some(vec![name.to_owned(), value?]))
        .collect()
}

//! A pattern for other tools and for eyes: a CSV of all directions, a drawing of both cuts.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use keller::antenna::{Figures, Pattern};
use keller::units::power_to_db;
use keller::{DVec3, Direction};

use crate::pending::Pending;

/// What of a pattern is written, by the extension of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Every whole degree of zenith and azimuth, as [`super::parse`] reads it.
    Csv,
    /// The horizontal and the vertical cut through the largest gain, 40 dB deep, as SVG.
    Drawing,
}

impl Form {
    /// The form that the extension of `file` stands for: `.csv` or `.svg`.
    pub fn of(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()?.to_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "svg" => Some(Self::Drawing),
            _ => None,
        }
    }
}

/// Writes `pattern` to `file`, which gets its name when it is whole.
///
/// # Errors
/// What the system says if the file cannot be written.
pub fn write(pattern: &Pattern, form: Form, file: &Path) -> io::Result<()> {
    let (pending, mut out) = Pending::file(file)?;
    match form {
        Form::Csv => write_csv(pattern, &mut out)?,
        Form::Drawing => out.write_all(drawing(pattern).as_bytes())?,
    }
    out.flush()?;
    drop(out);
    pending.keep()
}

fn write_csv(pattern: &Pattern, out: &mut impl Write) -> io::Result<()> {
    let has_fields = matches!(pattern, Pattern::Table(table) if table.has_fields());
    if has_fields {
        writeln!(
            out,
            "theta_deg,phi_deg,f_theta_re,f_theta_im,f_phi_re,f_phi_im"
        )?;
    } else {
        writeln!(out, "theta_deg,phi_deg,gain_dbi")?;
    }
    for zenith in 0..=180_i32 {
        for azimuth in -180..180_i32 {
            let direction = at(f64::from(zenith), f64::from(azimuth));
            write!(out, "{zenith},{azimuth}")?;
            if has_fields {
                let [theta, phi] = pattern.field(direction);
                writeln!(out, ",{},{},{},{}", theta.re, theta.im, phi.re, phi.im)?;
            } else {
                let gain_db = power_to_db(pattern.gain(direction)).max(SILENCE_DB);
                writeln!(out, ",{gain_db}")?;
            }
        }
    }
    Ok(())
}

/// What stands for no gain at all, dBi.
const SILENCE_DB: f64 = -200.0;

/// The direction at angles in degrees. Straight up and down all azimuths are one.
fn at(zenith_deg: f64, azimuth_deg: f64) -> DVec3 {
    let direction = Direction {
        zenith: zenith_deg.to_radians(),
        azimuth: azimuth_deg.to_radians(),
    };
    direction.unit_vector()
}

/// How deep the drawing goes, dB.
const DEPTH_DB: f64 = 40.0;

/// Radius of a cut, pixels.
const RADIUS: f64 = 200.0;

fn drawing(pattern: &Pattern) -> String {
    let figures = Figures::of(pattern);
    let (peak, peak_db) = (figures.peak, power_to_db(figures.peak_gain));
    let (zenith_deg, azimuth_deg) = (peak.zenith.to_degrees(), peak.azimuth.to_degrees());
    let mut svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 920 500\" font-family=\"sans-serif\" font-size=\"13\" \
                   text-anchor=\"middle\">\n<rect width=\"920\" height=\"500\" fill=\"white\"/>\n"
        .to_owned();
    // Seen from above with ahead upwards and left to the left; seen from the right with ahead to the right and up upwards.
    let horizontal = |turn: f64| (at(zenith_deg, turn), 90.0 + turn);
    let vertical = |turn: f64| (at(turn, azimuth_deg), 90.0 - turn);
    cut(&mut svg, pattern, peak_db, 230.0, &horizontal);
    cut(&mut svg, pattern, peak_db, 690.0, &vertical);
    for (x, text) in [
        (
            230.0,
            format!("horizontal, {:.1}° above the horizon", 90.0 - zenith_deg),
        ),
        (690.0, format!("vertical, azimuth {azimuth_deg:.1}°")),
        (460.0, format!("{peak_db:.2} dBi; a ring is 10 dB")),
    ] {
        let y = if x == 460.0 { 490 } else { 20 };
        // Writing to a text does not fail.
        writeln!(svg, "<text x=\"{x}\" y=\"{y}\">{text}</text>").ok();
    }
    svg.push_str("</svg>\n");
    svg
}

/// One polar cut around `x`: `place` gives the direction and the angle on paper of each turn, degrees.
fn cut(
    svg: &mut String,
    pattern: &Pattern,
    peak_db: f64,
    x: f64,
    place: &dyn Fn(f64) -> (DVec3, f64),
) {
    let y = 250.0;
    for ring in 1..=4 {
        let radius = RADIUS * f64::from(ring) / 4.0;
        let circle = "fill=\"none\" stroke=\"#ccc\"";
        writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {circle}/>"
        )
        .ok();
    }
    let points: Vec<String> = (0..360)
        .map(|turn| {
            let (direction, on_paper) = place(f64::from(turn));
            let below_db = power_to_db(pattern.gain(direction)) - peak_db;
            let radius = RADIUS * (1.0 + below_db / DEPTH_DB).max(0.0);
            let (sin, cos) = on_paper.to_radians().sin_cos();
            format!("{:.1},{:.1}", x + radius * cos, y - radius * sin)
        })
        .collect();
    let line = "fill=\"none\" stroke=\"#06c\" stroke-width=\"2\"";
    writeln!(svg, "<polygon points=\"{}\" {line}/>", points.join(" ")).ok();
}

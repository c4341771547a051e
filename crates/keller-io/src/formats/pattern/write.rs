//! A pattern for other tools and for readers: a CSV of all directions, a drawing of both cuts.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use keller::antenna::{Figures, Pattern};
use keller::units::power_to_db;
use keller::{DVec3, Direction};

use crate::formats::{OutputError, OutputFile};

/// The form in which a pattern is written, by the extension of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A row for every whole degree of zenith and azimuth, as [`super::parse`] reads it.
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

/// Writes `pattern` to `out`, whole or not at all.
///
/// # Errors
/// [`OutputError::Write`]
pub fn write(pattern: &Pattern, form: Form, out: OutputFile) -> Result<(), OutputError> {
    out.write(|writer| match form {
        Form::Csv => write_csv(pattern, writer),
        Form::Drawing => writer.write_all(drawing(pattern).as_bytes()),
    })
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

/// The value that stands for no gain at all, dBi.
const SILENCE_DB: f64 = -200.0;

/// The direction at angles in degrees. All azimuths are one straight up and down.
fn at(zenith_deg: f64, azimuth_deg: f64) -> DVec3 {
    let direction = Direction {
        zenith: zenith_deg.to_radians(),
        azimuth: azimuth_deg.to_radians(),
    };
    direction.unit_vector()
}

/// The depth of the drawing, dB.
const DEPTH_DB: f64 = 40.0;

/// The radius of a cut, pixels, and the distance from ring to ring, dB.
const RADIUS: f64 = 200.0;
const RING_DB: f64 = 10.0;

/// Centres of the cuts.
const MIDDLES: [[f64; 2]; 2] = [[240.0, 268.0], [720.0, 268.0]];

fn drawing(pattern: &Pattern) -> String {
    let figures = Figures::of(pattern);
    let (peak, peak_db) = (figures.peak, power_to_db(figures.peak_gain));
    let (zenith_deg, azimuth_deg) = (peak.zenith.to_degrees(), peak.azimuth.to_degrees());
    let mut svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 530\" font-family=\"sans-serif\" font-size=\"13\" \
                   text-anchor=\"middle\">\n<rect width=\"960\" height=\"530\" fill=\"white\"/>\n"
        .to_owned();
    // The horizontal cut is seen from above with ahead upwards and left to the left; the vertical one is seen from the
    // right with ahead to the right and up upwards.
    let horizontal = Cut {
        centre: MIDDLES[0],
        place: &|turn| (at(zenith_deg, turn), 90.0 + turn),
        // The azimuth from ahead, counterclockwise.
        label: &|on_paper| {
            if on_paper > 270 {
                on_paper - 450
            } else {
                on_paper - 90
            }
        },
    };
    let vertical = Cut {
        centre: MIDDLES[1],
        place: &|turn| (at(turn, azimuth_deg), 90.0 - turn),
        // The elevation above the horizon, ahead and behind.
        label: &|on_paper| match on_paper {
            0..=90 => on_paper,
            91..=270 => 180 - on_paper,
            _ => on_paper - 360,
        },
    };
    for cut in [horizontal, vertical] {
        cut.draw(&mut svg, pattern, peak_db);
    }
    let [[left, _], [right, _]] = MIDDLES;
    let above_deg = 90.0 - zenith_deg;
    for ([x, y], text) in [
        (
            [left, 20.0],
            format!("azimuth, {above_deg:.1}° above the horizon"),
        ),
        (
            [right, 20.0],
            format!("elevation, at azimuth {azimuth_deg:.1}°"),
        ),
        (
            [0.5 * (left + right), 518.0],
            format!("{peak_db:.2} dBi; rings in dBi"),
        ),
    ] {
        // Writing to a text does not fail.
        writeln!(svg, "<text x=\"{x}\" y=\"{y}\">{text}</text>").ok();
    }
    svg.push_str("</svg>\n");
    svg
}

/// One polar cut.
struct Cut<'a> {
    centre: [f64; 2],
    /// The direction and the angle on paper of each turn, degrees.
    place: &'a dyn Fn(f64) -> (DVec3, f64),
    /// The label at an angle on paper, degrees from the right.
    label: &'a dyn Fn(i32) -> i32,
}

impl Cut<'_> {
    fn draw(&self, svg: &mut String, pattern: &Pattern, peak_db: f64) {
        /// The angle between spokes, degrees, and the angle of the rings' numbers: between two spokes.
        const SPOKES: i32 = 30;
        const NUMBERS: f64 = 45.0;
        let [x, y] = self.centre;
        let on_paper = |angle: f64, radius: f64| {
            let (sin, cos) = angle.to_radians().sin_cos();
            [x + radius * cos, y - radius * sin]
        };
        // Writing to a text does not fail.
        for angle in (0..360).step_by(SPOKES as usize) {
            let [to_x, to_y] = on_paper(f64::from(angle), RADIUS);
            let line = "stroke=\"#ddd\"";
            writeln!(
                svg,
                "<line x1=\"{x}\" y1=\"{y}\" x2=\"{to_x:.1}\" y2=\"{to_y:.1}\" {line}/>"
            )
            .ok();
            let [at_x, at_y] = on_paper(f64::from(angle), RADIUS + 20.0);
            let (at_y, label) = (at_y + 4.0, (self.label)(angle));
            writeln!(
                svg,
                "<text x=\"{at_x:.1}\" y=\"{at_y:.1}\" fill=\"#555\" font-size=\"12\">{label}°</text>"
            )
            .ok();
        }
        let rings = (1..=4).map(|ring| RADIUS * f64::from(ring) * RING_DB / DEPTH_DB);
        for radius in rings.clone() {
            let circle = "fill=\"none\" stroke=\"#ccc\"";
            writeln!(
                svg,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {circle}/>"
            )
            .ok();
        }
        let points: Vec<String> = (0..360)
            .map(|turn| {
                let (direction, angle) = (self.place)(f64::from(turn));
                let below_db = power_to_db(pattern.gain(direction)) - peak_db;
                let [x, y] = on_paper(angle, RADIUS * (1.0 + below_db / DEPTH_DB).max(0.0));
                format!("{x:.1},{y:.1}")
            })
            .collect();
        let line = "fill=\"none\" stroke=\"#06c\" stroke-width=\"2\"";
        writeln!(svg, "<polygon points=\"{}\" {line}/>", points.join(" ")).ok();
        // The numbers are drawn over the line, so that they can be read.
        let halo = "fill=\"#555\" font-size=\"11\" stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"";
        for radius in rings {
            let gain_db = peak_db - DEPTH_DB * (1.0 - radius / RADIUS);
            let [at_x, at_y] = on_paper(NUMBERS, radius);
            let at_y = at_y + 4.0;
            writeln!(
                svg,
                "<text x=\"{at_x:.1}\" y=\"{at_y:.1}\" {halo}>{gain_db:.1}</text>"
            )
            .ok();
        }
    }
}

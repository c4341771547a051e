//! Time over the size of buffers, coarse paths over the number of interactions, and the corridor.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use keller::DVec3;
use keller_io::reports::plot::{ScatterPlot, png};

use super::buffers::Swept;
use super::place::Place;
use super::rows::Count;

pub(super) fn draw(folder: &Path, place: &Place, counts: &[Count], swept: &[Swept]) -> Result<()> {
    let over_size = |which: usize| {
        let points = swept.iter();
        points
            .map(|(size, seconds)| [(*size as f64).log10(), seconds[which]])
            .collect()
    };
    let plot = |titles: [&str; 2], curves, has_zero| ScatterPlot {
        x_title: titles[0].to_owned(),
        y_title: titles[1].to_owned(),
        points: Vec::new(),
        bars: Vec::new(),
        curves,
        has_diagonal: false,
        has_zero,
    };
    let curves = vec![
        ("one buffer".to_owned(), over_size(0)),
        ("two buffers".to_owned(), over_size(1)),
    ];
    let titles = [
        "size of a receiver's buffer, as a power of ten",
        "search and refinement / s",
    ];
    write(
        &folder.join("vaara-buffers.png"),
        &plot(titles, curves, true).svg(),
    )?;
    let mut curves = Vec::new();
    for diffractions in [0, 1] {
        let of = |coarse: &dyn Fn(&Count) -> usize| {
            let rows = counts.iter().filter(|c| c.thesis.limits[1] == diffractions);
            rows.map(|c| [c.thesis.limits[0] as f64, (coarse(c) as f64).log10()])
                .collect::<Vec<_>>()
        };
        curves.push((format!("here, D {diffractions}"), of(&|c| c.coarse)));
        curves.push((
            format!("thesis, D {diffractions}"),
            of(&|c| c.thesis.coarse),
        ));
    }
    let titles = [
        "interactions, with at most D diffractions",
        "coarse paths, as a power of ten",
    ];
    if let Some(count) = counts.iter().find(|c| c.thesis.limits == [3, 1]) {
        write(
            &folder.join("vaara-corridor.png"),
            &plan(place, &count.valid_by_rx),
        )?;
    }
    write(
        &folder.join("vaara-paths.png"),
        &plot(titles, curves, false).svg(),
    )
}

/// The corridor from above: its floor, the transmitter, and receivers as large as they have paths.
fn plan(place: &Place, valid_by_rx: &[usize]) -> String {
    const METRE: f64 = 24.0;
    let edges = place.world.scene().edges().iter();
    let floor: Vec<[DVec3; 2]> = edges
        .map(|edge| edge.ends)
        .filter(|ends| ends.iter().all(|end| end.z.abs() < 1e-3))
        .collect();
    let [low, high] = place.world.scene().bounds();
    let at = |point: DVec3| {
        let x = (point.x - low.x + 0.5) * METRE;
        [x, (high.y + 0.5 - point.y) * METRE]
    };
    let [width, height] = [high.x - low.x + 1.0, high.y - low.y + 1.0].map(|side| side * METRE);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    );
    for ends in floor {
        let [[a, b], [c, d]] = ends.map(at);
        let _ = write!(
            svg,
            "<line x1=\"{a:.1}\" y1=\"{b:.1}\" x2=\"{c:.1}\" y2=\"{d:.1}\" stroke=\"black\" stroke-width=\"1.5\"/>"
        );
    }
    for (rx, valid) in place.rx.iter().zip(valid_by_rx) {
        let [x, y] = at(*rx);
        let radius = 0.25 * (*valid as f64).sqrt();
        let _ = write!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"rgb(40,110,180)\"/><text x=\"{:.1}\" y=\"{:.1}\" font-size=\"8\">{valid}</text>",
            x - 6.0,
            y - 8.0
        );
    }
    let [x, y] = at(place.tx);
    svg + &format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"rgb(200,60,30)\"/><text x=\"{:.1}\" y=\"{:.1}\" font-size=\"13\">Tx</text></svg>",
        x - 8.0,
        y - 9.0
    )
}

fn write(file: &Path, svg: &str) -> Result<()> {
    let bytes = png(svg).context("the picture has no size")?;
    std::fs::write(file, bytes).with_context(|| file.display().to_string())
}

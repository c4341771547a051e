//! Doubles and time over the number of rays, and the image space of three rooms in the plane.

use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result};
use glam::DVec2;
use keller_io::reports::plot::{ScatterPlot, png};
use keller_lab::ray_classes::image_space::{Mirror, geometric_error, place};

use super::tally::{Left, Row};

pub(super) fn draw(folder: &Path, rows: &[Row]) -> Result<()> {
    let of_ico4: Vec<&Row> = rows
        .iter()
        .filter(|row| row.solid == "Ico4" && row.threads == 2)
        .collect();
    let curves = |value: &dyn Fn(&Row, &Left) -> f64| {
        // The removal, and a short name.
        let names = [
            ("none", "none"),
            ("classes", "classes"),
            ("neighbours, ray by ray", "ray by ray"),
            ("sequences of planes", "sequences"),
        ];
        let curve = |(name, short): &(&'static str, &'static str)| {
            let points = of_ico4.iter().map(|row| {
                let left = row
                    .left
                    .iter()
                    .find(|left| left.name == *name)
                    .expect("every row has every way");
                [(row.num_rays as f64).log10(), value(row, left)]
            });
            ((*short).to_owned(), points.collect())
        };
        names
            .iter()
            .map(curve)
            .collect::<Vec<(String, Vec<[f64; 2]>)>>()
    };
    let plot = |y_title: &str, curves| ScatterPlot {
        x_title: "number of rays, as a power of ten (Ico4)".to_owned(),
        y_title: y_title.to_owned(),
        points: Vec::new(),
        bars: Vec::new(),
        curves,
        has_diagonal: false,
        has_zero: true,
    };
    let wrong =
        curves(&|row, left| 100.0 * (left.doubles + left.dropped) as f64 / row.waves as f64);
    let title = "counted twice or dropped / % of waves";
    write(
        &folder.join("ray-classes-doubles.png"),
        &plot(title, wrong).svg(),
    )?;
    let share = curves(&|row, left| 100.0 * left.seconds / (left.seconds + row.trace_seconds));
    write(
        &folder.join("ray-classes-time.png"),
        &plot("share of all time / %", share).svg(),
    )?;
    write(&folder.join("ray-classes-image-space.png"), &image_spaces())?;
    println!(
        "\nGeometric error of the image space of a pentagon in the plane, after 6 radii: eq. (9) in two dimensions.\n\n| rays | error | times rays |\n|--:|--:|--:|"
    );
    for num_rays in [100, 300, 1000, 3000] {
        let error = geometric_error(&polygon(5, 1.0), 6.0, num_rays, 60);
        println!(
            "| {num_rays} | {error:.5} | {:.3} |",
            error * num_rays as f64
        );
    }
    Ok(())
}

/// A closed room with so many walls around the origin.
fn polygon(sides: usize, radius: f64) -> Vec<Mirror> {
    let corner = |k: usize| radius * DVec2::from_angle(PI / 2.0 + TAU * k as f64 / sides as f64);
    (0..sides).map(|k| [corner(k), corner(k + 1)]).collect()
}

/// The positions of points of image space in the room, as colours: by rays of all directions, and by 40 rays.
fn image_spaces() -> String {
    const SIDE: f64 = 200.0;
    const PIXELS: i32 = 100;
    let wall = vec![[DVec2::new(-9.0, 1.0), DVec2::new(9.0, 1.0)]];
    let rooms = [
        ("a wall", wall),
        ("a triangle", polygon(3, 1.5)),
        ("a pentagon", polygon(5, 1.2)),
    ];
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
        3.0 * (SIDE + 20.0) + 20.0,
        2.0 * (SIDE + 36.0) + 8.0
    );
    for (column, (name, mirrors)) in rooms.iter().enumerate() {
        for (line, num_rays) in [None, Some(40.0)].into_iter().enumerate() {
            let (left, top) = (
                20.0 + column as f64 * (SIDE + 20.0),
                28.0 + line as f64 * (SIDE + 36.0),
            );
            let of = num_rays.map_or_else(
                || "all rays".to_owned(),
                |count: f64| format!("{count} rays"),
            );
            let _ = write!(
                svg,
                "<text x=\"{left}\" y=\"{}\" font-size=\"13\">{name}, {of}</text>",
                top - 8.0
            );
            let pixel = SIDE / f64::from(PIXELS);
            for i in 0..PIXELS {
                for j in 0..PIXELS {
                    let q = 4.0
                        * DVec2::new(f64::from(2 * i + 1 - PIXELS), f64::from(2 * j + 1 - PIXELS))
                        / f64::from(PIXELS);
                    if q.length() > 4.0 {
                        continue;
                    }
                    let angle = q.to_angle();
                    let angle = num_rays.map_or(angle, |count: f64| {
                        (angle / TAU * count).round() * TAU / count
                    });
                    let at = place(mirrors, q.length(), angle);
                    let (x, y) = (
                        left + f64::from(i) * pixel,
                        top + SIDE - f64::from(j + 1) * pixel,
                    );
                    let _ = write!(
                        svg,
                        "<rect x=\"{x}\" y=\"{y}\" width=\"{0}\" height=\"{0}\" fill=\"{1}\"/>",
                        pixel + 0.3,
                        colour(at)
                    );
                }
            }
        }
    }
    svg + "</svg>"
}

/// A hue for the direction, paler near the origin.
fn colour(at: DVec2) -> String {
    let hue = at.to_angle();
    let strength = (at.length() / 2.0).min(1.0);
    let part = |shift: f64| 255.0 * (1.0 - strength * (0.5 - 0.5 * (hue - shift).cos()));
    let [r, g, b] = [0.0, TAU / 3.0, -TAU / 3.0].map(part);
    format!("rgb({r:.0},{g:.0},{b:.0})")
}

fn write(file: &Path, svg: &str) -> Result<()> {
    let bytes = png(svg).context("the picture has no size")?;
    std::fs::write(file, bytes).with_context(|| file.display().to_string())
}

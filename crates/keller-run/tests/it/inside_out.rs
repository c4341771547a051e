//! Runs from the street to the desk and back: regions of a city and of a building in it, in one run.

use std::sync::Arc;

use keller::DVec3;
use keller::coverage::{Levels, Region};
use keller_run::{Job, PathRunOptions};

use crate::buildings::{Folder, OFFICE, RX, TX, in_city};

/// The street in front of the building, and all of its storeys.
fn regions(engine: &str) -> String {
    let [x, y, _] = in_city(DVec3::new(-2.0, -13.5, 0.0)).to_array();
    format!(
        "[[coverage]]\nname = \"street\"\nengine = \"{engine}\"\nmin = [{x}, {y}]\nmax = [{}, {}]\nrotation_deg = 33.5\n\
         resolution = 2\nheights = [1.6, 4.6]\npath_loss_limit_db = 140\n\
         [[coverage]]\nname = \"desks\"\nengine = \"{engine}\"\nbuilding = \"office\"\nresolution = 0.5\nheights = [1.2]\n\
         path_loss_limit_db = 140\n",
        x + 14.0,
        y + 25.0,
    )
}

const LIMITS: &str = "max_reflections = 1\nmax_diffractions = 1\nmax_interactions = 1\nmax_transmissions = 4\nsearch = \"complete\"";

fn job(folder: &Folder, engine: &str, [tx, rx]: [DVec3; 2]) -> Arc<Job> {
    folder.scenario(
        "city.obj",
        OFFICE,
        &format!("{LIMITS}\n{}", regions(engine)),
    );
    let text = std::fs::read_to_string(folder.path("s.toml")).unwrap();
    // Only these two places change.
    let at = |point: DVec3| format!("position = {:?}", in_city(point).to_array());
    let swapped = text
        .replace(&at(TX), "position = TX")
        .replace(&at(RX), &at(rx));
    folder.write("s.toml", &swapped.replace("position = TX", &at(tx)));
    folder.open()
}

fn filled(job: &Arc<Job>, region: usize) -> (Region, Vec<f64>) {
    let mut run = job.coverage(region).unwrap();
    run.complete().unwrap();
    let map = run.filled_map();
    let mut gains = Vec::new();
    let take = |_, more: &[f64]| {
        gains.extend_from_slice(more);
        Ok::<(), std::io::Error>(())
    };
    map.each_gains(0, 0..run.region.num_cells(), take).unwrap();
    (run.region.clone(), gains)
}

/// The median and the 95th percentile of some errors, dB.
fn figures(mut errors: Vec<f64>) -> [f64; 2] {
    errors.sort_by(f64::total_cmp);
    [2, 20].map(|part| errors[errors.len() - 1 - (errors.len() - 1) / part])
}

/// Errors of cells above the limit, dB; infinite where one has nothing.
fn errors(tubes: &[f64], points: &[f64]) -> Vec<f64> {
    let all = tubes.iter().zip(points);
    let counts = |(a, b): &(&f64, &f64)| !b.is_nan() && (**a > 0.0 || **b > 1e-13);
    let apart = |(a, b): (&f64, &f64)| (10.0 * (a / b).log10()).abs();
    all.filter(counts).map(apart).collect()
}

#[test]
fn cells_on_both_sides_of_a_facade_are_as_the_paths_have_them() {
    let folder = Folder::new();
    // Tx in the street, at a desk, and on the roof of the neighbour.
    let roof = DVec3::new(17.0, 4.0, 14.0);
    for (name, tx) in [("street", TX), ("desk", RX), ("roof", roof)] {
        let tubes = job(&folder, "tubes", [tx, TX + DVec3::X]);
        let points = job(&folder, "points", [tx, TX + DVec3::X]);
        let mut both = Vec::new();
        for region in 0..2 {
            let (cells, of_tubes) = filled(&tubes, region);
            let (same, of_points) = filled(&points, region);
            assert_eq!(cells, same);
            let errors = errors(&of_tubes, &of_points);
            assert!(errors.len() > 100, "{} cells from the {name}", errors.len());
            let [half, most] = figures(errors);
            assert!(
                half < 0.05 && most < 1.0,
                "{name}, region {region}: {half} {most} dB"
            );
            both.push((of_tubes, of_points));
        }
        // No seam: tubes lose as much from the street to the storeys behind it as paths do.
        let mean_error = |(tubes, points): &(Vec<f64>, Vec<f64>)| {
            let heard = tubes.iter().zip(points);
            let heard = heard.filter(|(tubes, points)| **tubes > 1e-12 && **points > 1e-12);
            let errors: Vec<f64> = heard.map(|(a, b)| 10.0 * (a / b).log10()).collect();
            errors.iter().sum::<f64>() / errors.len() as f64
        };
        let [street, desks] = [0, 1].map(|k| mean_error(&both[k]));
        assert!(
            (street - desks).abs() < 0.1,
            "{name}: {street} and {desks} dB"
        );
    }
}

#[test]
fn a_region_of_a_building_has_its_axes_and_its_floors() {
    let folder = Folder::new();
    let job = job(&folder, "tubes", [TX, RX]);
    let region = job.coverage(1).unwrap().region.clone();
    assert_eq!(region.num_columns, [20, 18]);
    let levels = [1.2, 4.2, 7.2];
    let Levels::AboveSea(found) = &region.levels else {
        panic!("over its floors");
    };
    assert!(
        found.iter().zip(levels).all(|(a, b)| (a - b).abs() < 1e-9),
        "{found:?}"
    );
    for [i, j] in [[0, 0], [19, 0], [19, 17], [7, 3]] {
        let own = DVec3::new(0.5 * i as f64 + 0.25, 0.5 * j as f64 + 0.25, 0.0);
        let at = region.column(i, j);
        assert!(at.distance(in_city(own).truncate()) < 1e-9, "{at}");
    }
}

/// The same link from either end.
#[test]
fn what_comes_in_goes_out() {
    let folder = Folder::new();
    let gains = |ends| -> Vec<f64> {
        let job = job(&folder, "tubes", ends);
        let mut gains = Vec::new();
        for block in job.paths(&PathRunOptions::default()).unwrap() {
            let rows = job.path_rows(&block.unwrap());
            gains.extend(rows.iter().map(|row| row.gain_db));
        }
        gains.sort_by(f64::total_cmp);
        gains
    };
    let (inwards, outwards) = (gains([TX, RX]), gains([RX, TX]));
    assert!(inwards.len() > 5, "{} paths", inwards.len());
    assert_eq!(inwards.len(), outwards.len());
    for (a, b) in inwards.iter().zip(&outwards) {
        assert!((a - b).abs() < 1e-6, "{a} and {b} dB");
    }
}

#[test]
fn what_a_building_does_not_have_is_one_clear_error() {
    let folder = Folder::new();
    let message = |region: &str| {
        let coverage = format!("{LIMITS}\n[coverage]\nresolution = 1\n{region}");
        folder.scenario("city.obj", OFFICE, &coverage);
        let opened = folder.try_open();
        let run = opened.and_then(|job| job.coverage(0));
        run.expect_err("it is refused").to_string()
    };
    for (region, expected) in [
        (
            "building = \"villa\"\nheights = [1]",
            "there is no building \"villa\"; accepted: office",
        ),
        (
            "building = \"office\"\nheights = [9.5]",
            "none of them lies below the top",
        ),
        (
            "heights = [1]\nheight_above = \"floors\"",
            "name it with `building`",
        ),
        (
            "building = \"office\"\nrotation_deg = 3",
            "stands beside `building`",
        ),
        (
            "building = \"office\"\nmin = [3, 3, 3]\nmax = [1, 4, 4]",
            "along x",
        ),
    ] {
        let message = message(region);
        assert!(message.contains(expected), "{message}");
        assert!(message.contains("s.toml:"), "{message}");
    }
}

/// Regions of as many cells, at other places.
#[test]
fn blocks_of_one_region_are_not_those_of_another() {
    let folder = Folder::new();
    let one = "[[coverage]]\nresolution = 4\nheights = [1.5]\n";
    let regions =
        format!("{one}min = [0, -60]\nmax = [20, -50]\n{one}min = [0, -50]\nmax = [20, -40]\n");
    folder.scenario("city.obj", OFFICE, &format!("{LIMITS}\n{regions}"));
    let job = folder.open();
    let part = folder.path("map.part");
    let mut first = job.coverage(0).unwrap();
    first.keep_in(&part, false).unwrap();
    first.next().unwrap().unwrap();
    drop(first);
    let mut second = job.coverage(1).unwrap();
    assert_eq!(second.region.num_cells(), 15);
    let error = second.keep_in(&part, true).unwrap_err().to_string();
    assert!(error.contains("is of another command, scenario"), "{error}");
    job.coverage(0).unwrap().keep_in(&part, true).unwrap();
}

//! Pictures of errors: measured over predicted levels, over the distance, their distribution, along a route, and on the
//! plan.

use keller::DVec3;
use keller::scene::Scene;

use crate::reports::plot::{ErrorPlan, PlotTx, ScatterPlot};
use crate::reports::table::MeasuredRow;

/// The width of a bin of the histogram, dB.
const BIN: f64 = 2.0;

/// A title and its picture as SVG, one after the other.
pub(super) fn all(rows: &[MeasuredRow], scene: &Scene, tx: &[PlotTx]) -> Vec<(String, String)> {
    let known: Vec<(&MeasuredRow, f64)> = rows
        .iter()
        .filter_map(|row| Some((row, row.error_db()?)))
        .collect();
    if known.is_empty() {
        return Vec::new();
    }
    let picture = |title: &str, plot: ScatterPlot| (title.to_owned(), plot.svg());
    let mut pictures = vec![
        picture(
            "Measured beside predicted",
            ScatterPlot {
                x_title: "predicted path gain / dB".to_owned(),
                y_title: "measured path gain / dB".to_owned(),
                points: known
                    .iter()
                    .map(|(row, _)| [row.predicted_gain_db + row.offset_db, row.measured_gain_db])
                    .collect(),
                has_diagonal: true,
                ..ScatterPlot::default()
            },
        ),
        picture(
            "Error over distance",
            ScatterPlot {
                x_title: "distance from the Tx / m".to_owned(),
                y_title: "predicted less measured / dB".to_owned(),
                points: known
                    .iter()
                    .map(|(row, error)| [row.distance, *error])
                    .collect(),
                has_zero: true,
                ..ScatterPlot::default()
            },
        ),
        picture("Distribution of the errors", histogram(&known)),
    ];
    pictures.extend(routes(&known));
    let at: Vec<(DVec3, f64)> = known
        .iter()
        .map(|(row, error)| (row.position, *error))
        .collect();
    let plan = ErrorPlan {
        scene,
        errors: &at,
        tx,
    };
    pictures.push(("Errors on the plan".to_owned(), plan.svg()));
    pictures
}

fn histogram(known: &[(&MeasuredRow, f64)]) -> ScatterPlot {
    let mut bins = std::collections::BTreeMap::<i64, u32>::new();
    for (_, error) in known {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "errors are far below 2^63 bins"
        )]
        let bin = (error / BIN).floor() as i64;
        *bins.entry(bin).or_default() += 1;
    }
    ScatterPlot {
        x_title: "predicted less measured / dB".to_owned(),
        y_title: "measurements".to_owned(),
        bars: bins
            .into_iter()
            .map(|(bin, count)| ([bin as f64 * BIN, (bin + 1) as f64 * BIN], f64::from(count)))
            .collect(),
        ..ScatterPlot::default()
    }
}

/// The levels along each set that has at least [`MIN_ROUTE`] measurements of one Tx, in the order of the file.
fn routes(known: &[(&MeasuredRow, f64)]) -> Vec<(String, String)> {
    const MIN_ROUTE: usize = 10;
    const MAX_ROUTES: usize = 6;
    let mut routes: Vec<((&str, u32), Vec<&MeasuredRow>)> = Vec::new();
    for (row, _) in known {
        let key = (&*row.set, row.tx);
        match routes.iter_mut().find(|(of, _)| *of == key) {
            Some((_, rows)) => rows.push(row),
            None => routes.push((key, vec![row])),
        }
    }
    let long = routes
        .into_iter()
        .filter(|(_, rows)| rows.len() >= MIN_ROUTE);
    long.take(MAX_ROUTES)
        .map(|((set, _), rows)| {
            let title = format!("Along {set}, Tx {}", rows[0].tx_device.name);
            let curve = |value: &dyn Fn(&MeasuredRow) -> f64| -> Vec<[f64; 2]> {
                let values = rows.iter().enumerate();
                values.map(|(i, row)| [i as f64, value(row)]).collect()
            };
            let plot = ScatterPlot {
                x_title: "measurement".to_owned(),
                y_title: "path gain / dB".to_owned(),
                curves: vec![
                    ("measured".to_owned(), curve(&|row| row.measured_gain_db)),
                    (
                        "predicted".to_owned(),
                        curve(&|row| row.predicted_gain_db + row.offset_db),
                    ),
                ],
                ..ScatterPlot::default()
            };
            (title, plot.svg())
        })
        .collect()
}

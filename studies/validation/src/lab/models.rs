//! Compares classical path loss models with tubes on COST 231 Munich: the differences where the Tx is visible and where
//! it is not.
//!
//! Measurements of the city are not to be had, so this says how models differ from ray tracing, not which is right.

use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use glam::DVec2;
use keller::coverage::models::Models;
use keller::coverage::rooftops::{self, Rooftops};
use keller::coverage::tubes::{self, Accuracy, Tubes};
use keller::coverage::{Levels, Region, Surroundings};
use keller::models::{City, Model, Streets};
use keller::paths::Limits;
use keller::units::{db_to_power, power_to_db};
use keller::{Control, DVec3};
use keller_io::reports::plot::{CoveragePlot, PlotTx, Quantity, Scale, Slice};

use super::irla::write_picture;
use crate::tubes::Place;

/// Cells, metres, and their height over the ground.
const RESOLUTION: f64 = 10.0;
const PLANE: f64 = 1.5;

/// Weaker paths end, dB.
const LIMIT_DB: f64 = 170.0;

/// The models whose documents accept 947 MHz, but for free space and rooms.
const MODELS: [Model; 10] = [
    Model::HataUrban,
    Model::HataUrbanLarge,
    Model::HataSuburban,
    Model::HataOpen,
    Model::WalfischIkegami,
    Model::Uma,
    Model::Umi,
    Model::CanyonHighRise,
    Model::Bullington,
    Model::Deygout,
];

/// Runs on the city in DATA, and draws maps into the folder PICTURES.
pub(super) fn check(arguments: &[&str]) -> Result<()> {
    let (data, folder) = match arguments {
        [data] => (Path::new(data), None),
        [data, folder] => (Path::new(data), Some(Path::new(folder))),
        _ => anyhow::bail!("usage: keller-validation lab models DATA [PICTURES]"),
    };
    let place = Place::cost_share(data, RESOLUTION, 1.0)?;
    // Walls lie on whole centimetres.
    let low = DVec2::new(0.0013, 0.0029);
    let levels = Levels::AboveGround(vec![PLANE]);
    let high = DVec2::new(2400.0, 3400.0);
    let region = Region::planes(low, high, DVec2::splat(RESOLUTION), levels)?;
    let cells = 0..region.num_cells();
    let streets = streets(&place, &region)?;
    let start = Instant::now();
    let traced = trace(&place, &region)?;
    println!(
        "{} cells of {RESOLUTION} m by tubes and rooftops in {:.1} s\n",
        cells.len(),
        start.elapsed().as_secs_f64()
    );
    let of = |model| -> Result<Vec<f64>> {
        let models = Models::new(&place.world, &region, model, streets)?;
        Ok(models.gains(&place.tx, cells.clone(), &Control::default())?)
    };
    // The cells outdoors that tubes reach.
    let outdoors = of(Model::WalfischIkegami)?;
    let is_outdoors = |cell: &usize| outdoors[*cell] > 0.0;
    let is_kept = |cell: usize| is_outdoors(&cell) && traced[cell] > db_to_power(-LIMIT_DB);
    let num_outdoors = cells.clone().filter(is_outdoors).count();
    let num_kept = cells.clone().filter(|cell| is_kept(*cell)).count();
    println!(
        "{num_kept} of {num_outdoors} cells outdoors are compared; {} are dropped, to which tubes give less than -{LIMIT_DB} dB, \
         and {} cells are in buildings\n",
        num_outdoors - num_kept,
        cells.len() - num_outdoors
    );
    let sight = sight(&place, &region);
    println!(
        "| model | s | seen: mean dB | std dB | hidden: mean dB | std dB | all: RMSE dB | correlation |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let mut maps = vec![("tubes and rooftops", traced.clone())];
    for model in [&[Model::FreeSpace][..], &MODELS].concat() {
        let start = Instant::now();
        let found = of(model)?;
        let seconds = start.elapsed().as_secs_f64();
        let pairs = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<[f64; 2]> {
            let kept = cells.clone();
            kept.filter(|cell| is_kept(*cell) && is_wanted(*cell))
                .map(|cell| [found[cell], traced[cell]].map(power_to_db))
                .collect()
        };
        let [seen, hidden, all] = [
            Figures::of(&pairs(&|cell| sight[cell])),
            Figures::of(&pairs(&|cell| !sight[cell])),
            Figures::of(&pairs(&|_| true)),
        ];
        println!(
            "| {} | {seconds:.3} | {:+.1} | {:.1} | {:+.1} | {:.1} | {:.1} | {:.2} |",
            model.name(),
            seen.mean,
            seen.deviation,
            hidden.mean,
            hidden.deviation,
            all.mean.hypot(all.deviation),
            all.correlation
        );
        ensure!(
            all.correlation > 0.3,
            "{}: falls with distance as tubes do not",
            model.name()
        );
        if matches!(model, Model::HataUrban | Model::WalfischIkegami) {
            maps.push((model.name(), found));
        }
    }
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder)?;
        draw(folder, &place, &region, maps)?;
    }
    Ok(())
}

/// The inputs of Walfisch-Ikegami for the city, taken from its buildings: the median roof, the typical street, and rows
/// of houses twice as far apart.
fn streets(place: &Place, region: &Region) -> Result<Streets> {
    let scene = place.world.scene();
    let surroundings = Surroundings::of(scene, region);
    let width = surroundings.typical_gap.context("a city has streets")?;
    let ground = region.ground(scene);
    let centres = (0..region.num_cells()).filter_map(|n| region.centre(region.cell(n), &ground));
    let mut roofs = Vec::new();
    let mut crossings = Vec::new();
    for at in centres.filter(|at| Surroundings::is_enclosed(scene, *at)) {
        let top = at + 200.0 * DVec3::Z;
        let _ = scene.crossings(at, top, &[], usize::MAX, &mut crossings);
        roofs.extend(crossings.last().map(|crossing| PLANE + 200.0 * crossing.t));
    }
    roofs.sort_by(f64::total_cmp);
    let roof = *roofs.get(roofs.len() / 2).context("a city has roofs")?;
    println!(
        "roofs {roof:.1} m high, streets {width:.1} m wide, houses {:.1} m apart, the Tx at 13 m",
        2.0 * width
    );
    Ok(Streets::new(roof, width, 2.0 * width, 90.0, City::Large)?)
}

/// Path gains by tubes, with one edge anywhere and chains over the roofs.
fn trace(place: &Place, region: &Region) -> Result<Vec<f64>> {
    let limits = Limits {
        max_interactions: 4,
        max_reflections: 3,
        max_transmissions: 0,
        max_diffractions: 1,
        ..Limits::default()
    };
    let min_gain = db_to_power(-LIMIT_DB);
    let settings = tubes::Settings {
        limits,
        accuracy: Accuracy::Quick,
        min_gain,
    };
    let cells = 0..region.num_cells();
    let tubes = Tubes::new(&place.world, region, settings);
    let mut gains = tubes.gains(&place.tx, cells.clone(), &Control::default())?;
    let settings = rooftops::Settings {
        min_edges: 2,
        has_reflections: true,
        min_gain,
        is_exact: false,
    };
    let rooftops = Rooftops::new(&place.world, region, settings)?;
    let chains = rooftops.fill(&place.tx, cells, &Control::default())?;
    chains.add_to(&mut gains);
    Ok(gains)
}

/// Whether each cell sees the Tx.
fn sight(place: &Place, region: &Region) -> Vec<bool> {
    let scene = place.world.scene();
    let ground = region.ground(scene);
    let mut crossings = Vec::new();
    let mut sees = |number| {
        let centre = region.centre(region.cell(number), &ground)?;
        scene.crossings(place.tx.position, centre, &[], 0, &mut crossings)
    };
    (0..region.num_cells())
        .map(|number| sees(number).is_some())
        .collect()
}

/// The figures of pairs of decibels: of a model, and of tubes.
struct Figures {
    mean: f64,
    deviation: f64,
    correlation: f64,
}

impl Figures {
    fn of(pairs: &[[f64; 2]]) -> Self {
        let count = pairs.len().max(1) as f64;
        let mean = |of: &dyn Fn(&[f64; 2]) -> f64| pairs.iter().map(of).sum::<f64>() / count;
        let difference = mean(&|[a, b]| a - b);
        let square = mean(&|[a, b]| (a - b - difference).powi(2));
        let [mean_a, mean_b] = [mean(&|pair| pair[0]), mean(&|pair| pair[1])];
        let covariance = mean(&|[a, b]| (a - mean_a) * (b - mean_b));
        let variances = mean(&|[a, _]| (a - mean_a).powi(2)) * mean(&|[_, b]| (b - mean_b).powi(2));
        Self {
            mean: difference,
            deviation: square.sqrt(),
            correlation: covariance / variances.sqrt(),
        }
    }
}

/// Draws maps next to each other.
fn draw(
    folder: &Path,
    place: &Place,
    region: &Region,
    maps: Vec<(&'static str, Vec<f64>)>,
) -> Result<()> {
    let slice = |(title, gains): (&str, Vec<f64>)| Slice {
        title: title.to_owned(),
        values: gains.into_iter().map(power_to_db).collect(),
        buildings: Vec::new(),
    };
    let plot = CoveragePlot {
        title: "COST 231 Munich, 947 MHz, 1.5 m above the ground".to_owned(),
        quantity: Quantity::Numbers {
            name: "path gain / dB",
            range: [-160.0, -60.0],
            scale: Scale::Gain,
        },
        nothing: "nothing arrives",
        scene: place.world.scene(),
        tx: vec![PlotTx {
            position: place.tx.position,
            name: String::new(),
            azimuth: None,
        }],
        marks: Vec::new(),
        region,
        slices: maps.into_iter().map(slice).collect(),
    };
    write_picture(&folder.join("models.png"), &plot.svg())
}

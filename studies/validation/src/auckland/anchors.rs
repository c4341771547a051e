//! Laws without rays, fitted and evaluated on the same folds: any prediction has to be better than these.

use anyhow::Result;
use keller::calibration::{
    Calibrated, Model, Observation, Optimiser, Parameter, Settings, calibrate, cross_validate,
    folds_of_places,
};
use keller::comparison::{OffsetKind, Offsets, Pair, Statistics};
use keller::scene::Scene;
use keller::{Control, Error};

use super::fit::{Fit, NUM_FOLDS, SEED};
use super::survey::{Survey, Tx};

/// Distance exponent times ten of ITU-R P.1238 for offices at 1.9 GHz, and its loss of one and of each further floor, dB.
const P1238: [f64; 3] = [30.0, 15.0, 4.0];

/// The constant in the exponent of the loss of several floors, in the multi-wall model of COST 231 (final report,
/// equation 4.7.4).
const FLOOR_BEND: f64 = 0.46;

/// A bound of every parameter, far beyond all values that occur.
const BOUND: f64 = 100.0;

/// The materials that the multi-wall law counts. Lines from outdoors cross glass once and lines from indoors never, which
/// offsets hide.
const KINDS: [&str; 3] = ["wall", "concrete", "floor"];

/// A level that is a known one, less the weighted sum of the parameters.
pub(super) struct Law {
    pub(super) name: &'static str,
    /// The known level of each link, dB.
    known: Vec<f64>,
    /// The name of each parameter, and its weight in each link.
    weights: Vec<(&'static str, Vec<f64>)>,
}

impl Model for Law {
    type State = ();

    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, ()), Error> {
        let mut levels = self.known.clone();
        for ((_, weights), value) in self.weights.iter().zip(values) {
            for (level, weight) in levels.iter_mut().zip(weights) {
                *level -= value * weight;
            }
        }
        Ok((levels, ()))
    }
}

impl Law {
    /// Fitted to those links of a survey for which `is_used` holds.
    ///
    /// # Errors
    /// The errors of the fit.
    pub(super) fn fit(
        &self,
        survey: &Survey,
        is_used: &dyn Fn(usize) -> bool,
        offsets: OffsetKind,
    ) -> Result<Fit> {
        let links = survey.links.iter().enumerate();
        let observations: Vec<Observation> = links
            .filter(|(k, _)| is_used(*k))
            .map(|(k, _)| observation(survey, k))
            .collect();
        let parameters = self.parameters();
        let settings = settings(offsets);
        let control = Control::default();
        let found = calibrate(self, &parameters, &observations, &settings, &control)?;
        let values: Vec<f64> = found.estimates.iter().map(|e| e.value).collect();
        let (levels, ()) = self.predict(&values)?;
        Ok(Fit::new(levels, &found))
    }

    fn parameters(&self) -> Vec<Parameter> {
        let parameter = |(name, _): &(&str, Vec<f64>)| Parameter {
            name: (*name).to_owned(),
            start: 0.0,
            min: -BOUND,
            max: BOUND,
            prior: None,
            is_logarithmic: false,
        };
        self.weights.iter().map(parameter).collect()
    }
}

fn observation(survey: &Survey, link: usize) -> Observation {
    Observation {
        prediction: link,
        measured_db: survey.links[link].level_db,
        is_limit: false,
        group: survey.links[link].tx,
        deviation_db: 0.0,
    }
}

fn settings(offsets: OffsetKind) -> Settings {
    Settings {
        // A law is linear: one start is enough.
        optimiser: Optimiser::LevenbergMarquardt {
            max_steps: 100,
            starts: 1,
        },
        offsets,
        ..Settings::default()
    }
}

/// Prints the errors of each law in the building of a scene.
///
/// # Errors
/// The errors of the fits.
pub(super) fn report(survey: &Survey, scene: &Scene) -> Result<()> {
    println!(
        "\nlaws without rays, the same {NUM_FOLDS} folds by place: RMSE, dB; one offset a Tx, then one for all Tx indoors"
    );
    println!(
        "{:<44}{:>8}{:>8}{:>8}{:>8}",
        "", "fitted", "folds", "fitted", "folds"
    );
    for law in laws(survey, scene) {
        let all = Judged::of(&law, survey, &|_| true, OffsetKind::PerGroup)?;
        let indoors = Judged::of(&law, survey, &Tx::is_indoors, OffsetKind::One)?;
        println!(
            "{:<44}{:>8.2}{:>8.2}{:>8.2}{:>8.2}",
            law.name, all.fitted.rmse, all.out_of_fold, indoors.fitted.rmse, indoors.out_of_fold
        );
        for (name, judged) in [("one offset a Tx", &all), ("one offset indoors", &indoors)] {
            let values = judged.fitted.estimates.iter().map(|estimate| {
                let error = estimate
                    .standard_error
                    .map_or("-".to_owned(), |e| format!("{e:.1}"));
                format!("{} {:.1} ± {error}", estimate.name, estimate.value)
            });
            let values: Vec<String> = values.collect();
            if !values.is_empty() {
                println!("    {name}: {}", values.join(", "));
            }
        }
    }
    Ok(())
}

/// The laws in the building of a scene.
pub(super) fn laws(survey: &Survey, scene: &Scene) -> Vec<Law> {
    let distances: Vec<f64> = survey
        .links
        .iter()
        .map(|link| survey.tx[link.tx].position.distance(link.position))
        .collect();
    let decades: Vec<f64> = distances.iter().map(|d| 10.0 * d.log10()).collect();
    let counts: Vec<[f64; 3]> = survey
        .links
        .iter()
        .map(|link| crossings(scene, survey.tx[link.tx].position, link.position))
        .collect();
    let of_slope = |slope: f64| decades.iter().map(|d| -slope * d).collect::<Vec<f64>>();
    let [n, first_floor, next_floor] = P1238;
    let p1238 = decades.iter().zip(&counts).map(|(decade, counts)| {
        let floors = counts[2];
        let loss = if floors > 0.0 {
            first_floor + next_floor * (floors - 1.0)
        } else {
            0.0
        };
        -0.1 * n * decade - loss
    });
    let of_kind = |kind: usize| {
        counts.iter().map(move |counts| {
            let count = counts[kind];
            match KINDS[kind] {
                "floor" if count > 0.0 => count.powf((count + 2.0) / (count + 1.0) - FLOOR_BEND),
                _ => count,
            }
        })
    };
    vec![
        Law {
            name: "free space",
            known: of_slope(2.0),
            weights: Vec::new(),
        },
        Law {
            name: "ITU-R P.1238, as it is",
            known: p1238.collect(),
            weights: Vec::new(),
        },
        Law {
            name: "one slope, fitted",
            known: of_slope(0.0),
            weights: vec![("exponent", decades.clone())],
        },
        Law {
            name: "COST 231 multi-wall, losses fitted",
            known: of_slope(2.0),
            weights: (0..KINDS.len())
                .map(|k| (KINDS[k], of_kind(k).collect()))
                .collect(),
        },
    ]
}

/// The numbers of walls of each kind that a straight line crosses.
fn crossings(scene: &Scene, from: keller::DVec3, to: keller::DVec3) -> [f64; 3] {
    let mut found = Vec::new();
    let is_counted = scene.crossings(from, to, &[], usize::MAX, &mut found);
    assert!(is_counted.is_some(), "no limit was given");
    let mut counts = [0.0; 3];
    for crossing in found {
        let material = scene.face(crossing.face).material;
        let name = &*scene.materials()[material.index()];
        if let Some(kind) = KINDS.iter().position(|kind| *kind == name) {
            counts[kind] += 1.0;
        }
    }
    counts
}

/// A law fitted to all links, and evaluated on folds.
struct Judged {
    fitted: Calibrated,
    /// Root of the mean square error at places that had no part in the fit, dB.
    out_of_fold: f64,
}

impl Judged {
    fn of(
        law: &Law,
        survey: &Survey,
        is_wanted: &dyn Fn(&Tx) -> bool,
        offsets: OffsetKind,
    ) -> Result<Self> {
        let places = survey.places();
        let num_places = places.iter().max().map_or(0, |last| last + 1);
        let of_places = folds_of_places(num_places, NUM_FOLDS, SEED);
        let wanted = (0..survey.links.len()).filter(|k| is_wanted(&survey.tx[survey.links[*k].tx]));
        let (observations, folds): (Vec<Observation>, Vec<usize>) = wanted
            .map(|k| (observation(survey, k), of_places[places[k]]))
            .unzip();
        let parameters = law.parameters();
        let settings = settings(offsets);
        let control = Control::default();
        let fitted = calibrate(law, &parameters, &observations, &settings, &control)?;
        let (predicted, _) =
            cross_validate(law, &parameters, &observations, &folds, &settings, &control)?;
        let both = observations.iter().zip(predicted);
        let pairs: Vec<Pair> = both
            .map(|(observation, predicted_db)| Pair {
                predicted_db,
                measured_db: observation.measured_db,
                is_limit: false,
                group: observation.group,
                place: places[observation.prediction],
            })
            .collect();
        let statistics = Statistics::of(&pairs, &Offsets::Same(0.0));
        Ok(Self {
            fitted,
            out_of_fold: statistics.map_or(f64::NAN, |statistics| statistics.rmse),
        })
    }
}

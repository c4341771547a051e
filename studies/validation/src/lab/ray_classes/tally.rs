//! Counts the waves of an exact answer that rays find, and those that each removal leaves.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use glam::DVec3;
use keller::scene::Scene;
use keller_lab::ray_classes::{Directions, Removal, Scheme, Shot, image_key};

/// The exact answer: of each receiver, the images of the Tx from which waves arrive, by number of reflections.
pub(super) struct Truth {
    pub(super) rx: Vec<DVec3>,
    /// The images by number of reflections: receiver and image.
    pub(super) images: Vec<BTreeMap<(u32, [i64; 3]), DVec3>>,
}

/// The hits that a removal leaves.
#[derive(Debug, Clone, Default)]
pub(super) struct Left {
    pub(super) name: &'static str,
    /// Hits that count.
    pub(super) kept: usize,
    /// The number of these whose receiver and image another hit has already.
    pub(super) doubles: usize,
    /// Waves of the exact answer that some ray met, and of which no hit is left.
    pub(super) dropped: usize,
    /// Hits from an image from which nothing arrives: the sphere reaches into a shadow.
    pub(super) ghosts: usize,
    pub(super) seconds: f64,
    /// Receivers of which all waves are lost.
    pub(super) dark: usize,
    /// Mean over the other receivers of the error of the power of all waves, dB, and its root mean square.
    pub(super) mean_db: f64,
    pub(super) rms_db: f64,
}

/// One launch.
#[derive(Debug, Clone)]
pub(super) struct Row {
    pub(super) solid: &'static str,
    pub(super) num_rays: usize,
    pub(super) threads: usize,
    pub(super) trace_seconds: f64,
    pub(super) hits: usize,
    /// Waves of the exact answer, and those that no ray met.
    pub(super) waves: usize,
    pub(super) missed: usize,
    /// Mean length of all waves, and of those that no ray met, metres.
    pub(super) lengths: [f64; 2],
    pub(super) left: Vec<Left>,
}

/// Launches rays of a scheme's solid and removes double counts in every way.
pub(super) fn launch(
    scene: &Scene,
    tx: DVec3,
    truth: &Truth,
    (name, scheme): (&'static str, Scheme),
    most: usize,
    threads: usize,
) -> Result<Row> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let directions = Directions::new(scheme.solid(), scheme.divisions(most));
    let classes = scheme.classes(&directions);
    let ways = [
        ("none", Removal::None),
        ("classes", Removal::Classes(&classes)),
        ("classes in turn", Removal::ClassesInTurn(&classes)),
        ("neighbours, ray by ray", Removal::Sequential),
        ("sequences of planes", Removal::Sequences),
    ];
    let mut row = Row {
        solid: name,
        num_rays: directions.vectors().len(),
        threads,
        trace_seconds: 0.0,
        hits: 0,
        waves: truth.num_waves(),
        missed: 0,
        lengths: [0.0; 2],
        left: ways
            .map(|(name, _)| Left {
                name,
                ..Left::default()
            })
            .to_vec(),
    };
    let mut powers = vec![vec![0.0_f64; truth.rx.len()]; ways.len()];
    let mut shot = Shot::new(scene, &directions, tx, &truth.rx);
    for images in &truth.images {
        let of_rays = shot.images();
        let start = Instant::now();
        let lists = pool.install(|| shot.next_order());
        row.trace_seconds += start.elapsed().as_secs_f64();
        row.hits += lists.len();
        let mut met: BTreeMap<(u32, [i64; 3]), [u32; 5]> = BTreeMap::new();
        for (k, (_, way)) in ways.iter().enumerate() {
            let start = Instant::now();
            let kept = pool.install(|| way.kept(&directions, &lists));
            row.left[k].seconds += start.elapsed().as_secs_f64();
            for ((ray, hit), kept) in lists.all().zip(kept) {
                if kept {
                    met.entry((hit.rx, image_key(of_rays[ray]))).or_default()[k] += 1;
                    powers[k][hit.rx as usize] += f64::from(hit.length).powi(-2);
                }
            }
        }
        for (key, counts) in &met {
            let is_there = images.contains_key(key);
            for (left, count) in row.left.iter_mut().zip(counts) {
                left.kept += *count as usize;
                left.doubles += count.saturating_sub(1) as usize;
                left.ghosts += usize::from(!is_there && *count > 0);
                left.dropped += usize::from(is_there && *count == 0);
            }
        }
        for (key, image) in images {
            let length = truth.rx[key.0 as usize].distance(*image);
            row.lengths[0] += length / row.waves as f64;
            if !met.contains_key(key) {
                row.missed += 1;
                row.lengths[1] += length;
            }
        }
    }
    row.lengths[1] /= row.missed.max(1) as f64;
    let exact = truth.powers();
    for (left, powers) in row.left.iter_mut().zip(&powers) {
        let lit = powers.iter().zip(&exact).filter(|(_, exact)| **exact > 0.0);
        let (reached, dark): (Vec<_>, Vec<_>) = lit.partition(|(power, _)| **power > 0.0);
        left.dark = dark.len();
        let errors: Vec<f64> = reached
            .into_iter()
            .map(|(power, exact)| 10.0 * (power / exact).log10())
            .collect();
        let count = errors.len().max(1) as f64;
        left.mean_db = errors.iter().sum::<f64>() / count;
        left.rms_db = (errors.iter().map(|error| error * error).sum::<f64>() / count).sqrt();
    }
    Ok(row)
}

impl Truth {
    /// Number of waves that arrive.
    pub(super) fn num_waves(&self) -> usize {
        self.images.iter().map(BTreeMap::len).sum()
    }

    /// The power that each receiver has of waves that lose nothing when they are reflected.
    fn powers(&self) -> Vec<f64> {
        let mut powers = vec![0.0; self.rx.len()];
        for ((rx, _), image) in self.images.iter().flatten() {
            let at = self.rx[*rx as usize];
            powers[*rx as usize] += at.distance_squared(*image).recip();
        }
        powers
    }
}

pub(super) const HEADER: &str = "| rays | | threads | waves | missed | m all | m missed | hits | trace s | removal | kept | doubles | dropped | ghosts | dark | removal s | share % | error dB | rms dB |\n|--:|---|--:|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

pub(super) fn print(row: &Row) {
    for (k, left) in row.left.iter().enumerate() {
        let launch = if k == 0 {
            format!(
                "| {} | {} | {} | {} | {} | {:.0} | {:.0} | {} | {:.3} |",
                row.num_rays,
                row.solid,
                row.threads,
                row.waves,
                row.missed,
                row.lengths[0],
                row.lengths[1],
                row.hits,
                row.trace_seconds
            )
        } else {
            "| | | | | | | | | |".to_owned()
        };
        println!(
            "{launch} {} | {} | {} | {} | {} | {} | {:.4} | {:.2} | {:.3} | {:.3} |",
            left.name,
            left.kept,
            left.doubles,
            left.dropped,
            left.ghosts,
            left.dark,
            left.seconds,
            100.0 * left.seconds / (left.seconds + row.trace_seconds),
            left.mean_db,
            left.rms_db
        );
    }
}

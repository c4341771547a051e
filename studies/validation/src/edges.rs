//! Diffraction in a city: the part of the existing paths that each search finds, in paths and in power, and whether a
//! peer's paths are among them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use keller::field::PathField;
use keller::materials::Materials;
use keller::paths::{Effort, Limits, Path as Ray, Search, Sequence};
use keller::units::power_to_db;
use keller::{DVec3, Frequency, World};
use rayon::prelude::*;
use serde_json::Value;

use crate::city::{TX, receivers};
use crate::geometry;

/// The thickness in the peer where its scenes say nothing, metres.
const WALL_THICKNESS: f64 = 0.1;

const FREQUENCY_HZ: f64 = 3.5e9;

/// The peer computes in f32, and its points are only as good as the search that found them: where a wave runs along a ridge, two of its seeds
/// are 3 cm apart, and both 22 cm from where the angles at the edge are equal. Metres.
const PEER_TOLERANCE: f64 = 0.25;

/// Paths weaker than this below their receiver's total are left out of the second count, dB.
const THRESHOLD_DB: f64 = 60.0;

/// Edge points of the peer lie this near to their edges, metres.
const WEDGE_TOLERANCE: f64 = 0.02;

/// Paths shown of those that are missing.
const MAX_SHOWN: usize = 20;

/// A receiver's total may be this much lower, dB.
const MAX_LOW_DB: f64 = 0.5;

/// Runs all checks on a scene file and a table of receivers.
pub(crate) fn check(scene: &Path, rx: &Path, reference: Option<&Path>) -> Result<()> {
    let scene = keller_run::open_scene(scene)?;
    let materials = Materials {
        default_thickness: Some(WALL_THICKNESS),
        ..Materials::default()
    };
    let city = City {
        world: World::new(scene, &materials, Frequency::from_hz(FREQUENCY_HZ)?)?,
        rx: receivers(rx)?,
    };
    let shallow = limits(3, 0, 1);
    let all = city.find("depth 3, complete", &shallow, Search::Complete)?;
    if let Some(reference) = reference {
        city.contains(&all, reference)?;
    }
    for effort in EFFORTS {
        let name = format!("depth 3, {effort:?}");
        let found = city.find(&name, &shallow, Search::Launch(effort))?;
        city.compare(&found, &all);
    }
    let deep = limits(5, 3, 1);
    let found: Vec<Vec<Known>> = EFFORTS
        .into_iter()
        .map(|effort| {
            let name = format!("depth 5, T<=3, {effort:?}");
            city.find(&name, &deep, Search::Launch(effort))
        })
        .collect::<Result<_>>()?;
    let union = union(&found);
    println!("union: {} paths", union.len());
    for (effort, found) in EFFORTS.iter().zip(&found) {
        println!("{effort:?}:");
        city.compare(found, &union);
    }
    city.find(
        "two edges, nothing else, complete",
        &limits(2, 0, 2),
        Search::Complete,
    )?;
    city.one_answer(&deep)
}

const EFFORTS: [Effort; 3] = [Effort::Quick, Effort::Default, Effort::Thorough];

struct City {
    world: World,
    rx: Vec<DVec3>,
}

/// A path, its identity, and its gain.
#[derive(Clone)]
struct Known {
    path: Ray,
    key: (usize, Sequence),
    gain: f64,
}

impl City {
    fn paths(&self, limits: &Limits, search: Search) -> Result<Vec<Ray>> {
        geometry::paths(&self.world, TX, &self.rx, limits, search)
    }

    fn find(&self, name: &str, limits: &Limits, search: Search) -> Result<Vec<Known>> {
        let start = Instant::now();
        let paths = self.paths(limits, search)?;
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let known: Vec<Known> = paths
            .into_par_iter()
            .map(|path| {
                let field = PathField::new(&path, &self.world);
                let gain: f64 = field
                    .coefficient
                    .iter()
                    .flatten()
                    .map(keller::Complex64::norm_sqr)
                    .sum();
                Known {
                    key: self.key(&path),
                    gain: 0.5 * gain,
                    path,
                }
            })
            .collect();
        let fields = start.elapsed().as_secs_f64();
        let diffracted = known
            .iter()
            .filter(|k| k.path.interactions().any(|met| met.edge().is_some()))
            .count();
        println!(
            "{name}: {seconds:.2} s, {} paths, {diffracted} of them diffracted; fields {fields:.3} s",
            known.len()
        );
        ensure!(
            known.iter().all(|k| k.gain.is_finite()),
            "a gain is not finite"
        );
        Ok(known)
    }

    /// The receiver and the sequence.
    fn key(&self, path: &Ray) -> (usize, Sequence) {
        (path.rx, path.sequence(self.world.scene()))
    }

    /// The share of `all` that is in `found`: paths, power, the worst receiver's total; then the same for paths that
    /// matter.
    fn compare(&self, found: &[Known], all: &[Known]) {
        let totals = |paths: &[Known]| {
            let mut totals = vec![0.0; self.rx.len()];
            for known in paths {
                totals[known.path.rx] += known.gain;
            }
            totals
        };
        let (own, whole) = (totals(found), totals(all));
        let reached = own.iter().zip(&whole).filter(|(_, whole)| **whole > 0.0);
        let low: Vec<f64> = reached
            .map(|(own, whole)| power_to_db(whole / own))
            .filter(|low| *low > MAX_LOW_DB)
            .collect();
        let power = own.iter().sum::<f64>() / whole.iter().sum::<f64>();
        let index: HashSet<_> = found.iter().map(|k| &k.key).collect();
        for (name, threshold_db) in [("all", f64::INFINITY), ("that matter", THRESHOLD_DB)] {
            let matter = all
                .iter()
                .filter(|k| power_to_db(k.gain) >= power_to_db(whole[k.path.rx]) - threshold_db);
            let (mut listed, mut there) = (0, 0);
            let mut missed: BTreeMap<String, usize> = BTreeMap::new();
            for known in matter {
                listed += 1;
                if index.contains(&known.key) {
                    there += 1;
                } else {
                    let letters = known
                        .path
                        .vertices
                        .iter()
                        .map(|i| i.interaction.kind().letter());
                    *missed.entry(letters.collect()).or_default() += 1;
                }
            }
            let mut missed: Vec<(usize, String)> = missed
                .into_iter()
                .map(|(letters, n)| (n, letters))
                .collect();
            missed.sort_by(|a, b| b.cmp(a));
            missed.truncate(MAX_SHOWN);
            println!(
                "  {name}: {there} of {listed} paths, {:.2} %; missed {missed:?}",
                100.0 * f64::from(there_as(there)) / f64::from(there_as(listed))
            );
        }
        println!(
            "  {:.3} % of the power; {} receivers more than {MAX_LOW_DB} dB low: {low:.1?} dB",
            100.0 * power,
            low.len()
        );
    }

    /// Whether every path of the peer's union is among `all`.
    fn contains(&self, all: &[Known], reference: &Path) -> Result<()> {
        let text = std::fs::read_to_string(reference)
            .with_context(|| format!("cannot read {}", reference.display()))?;
        let (mut listed, mut missing, mut closed) = (0, 0, 0);
        for line in text.lines() {
            let peer: Value = serde_json::from_str(line)?;
            let types = peer["types"].as_str().context("a path without types")?;
            let vertices = peer["vertices"]
                .as_array()
                .context("a path without vertices")?;
            let points: Vec<DVec3> = vertices
                .iter()
                .map(|v| DVec3::from_array([0, 1, 2].map(|k| v[k].as_f64().unwrap_or(f64::NAN))))
                .collect();
            listed += 1;
            let rx = usize::try_from(peer["rx"].as_u64().context("a path without rx")?)?;
            let is_found = all.iter().filter(|k| k.path.rx == rx).any(|k| {
                let own = &k.path.vertices;
                own.len() == points.len()
                    && own
                        .iter()
                        .zip(&points)
                        .zip(types.chars())
                        .all(|((i, p), letter)| {
                            i.interaction.kind().letter() == letter
                                && i.point.distance(*p) < PEER_TOLERANCE
                        })
            });
            let at = types.find('D').map(|k| points[k]);
            if !is_found && at.is_some_and(|point| !self.is_at_wedge(point)) {
                closed += 1;
            } else if !is_found {
                missing += 1;
                if missing <= MAX_SHOWN {
                    println!("not found: rx {rx} {types} {points:?}");
                }
            }
        }
        println!(
            "{} of the peer's {listed} paths are among keller's {}, {closed} bend where no open wedge is, {missing} are missing",
            listed - missing - closed,
            all.len()
        );
        ensure!(missing == 0, "{missing} of the peer's paths are missing");
        Ok(())
    }

    /// Whether an open wedge passes within the accuracy of the peer's points.
    fn is_at_wedge(&self, point: DVec3) -> bool {
        self.world.scene().edges().iter().any(|edge| {
            let t = (point - edge.ends[0])
                .dot(edge.along())
                .clamp(0.0, edge.length());
            edge.is_wedge() && (edge.ends[0] + t * edge.along()).distance(point) < WEDGE_TOLERANCE
        })
    }

    /// The same paths for any number of threads.
    fn one_answer(&self, limits: &Limits) -> Result<()> {
        let expected = self.paths(limits, Search::default())?;
        for threads in 1..=3 {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()?;
            let found = pool.install(|| self.paths(limits, Search::default()))?;
            ensure!(found == expected, "{threads} threads give other paths");
        }
        println!("{} paths, the same for 1, 2 and 3 threads", expected.len());
        Ok(())
    }
}

/// A count for a ratio.
fn there_as(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn union(found: &[Vec<Known>]) -> Vec<Known> {
    let mut all: HashMap<&(usize, Sequence), &Known> = HashMap::new();
    for known in found.iter().flatten() {
        all.insert(&known.key, known);
    }
    let mut all: Vec<Known> = all.into_values().cloned().collect();
    all.sort_by(|a, b| a.key.cmp(&b.key));
    all
}

fn limits(depth: usize, max_transmissions: usize, max_diffractions: usize) -> Limits {
    Limits {
        max_interactions: depth,
        max_reflections: depth,
        max_transmissions,
        max_diffractions,
        max_depth: depth,
        ..Limits::default()
    }
}

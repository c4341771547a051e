//! Rays that polygons catch start diffracted rays (Hu 2020, sections 5.3.1 and 5.3.3).

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::DAffine3;
use keller::Complex64;
use keller::scene::EdgeId;
use rayon::prelude::*;

use super::super::edges::{Bend, Catch, Legs};
use super::super::{Launch, NO_PLANE, Polygons};
use super::{Batch, Segment, Source, TubeRay};

/// Rays that a thread looks at together.
const AT_ONCE: usize = 1 << 12;

/// The strongest ray of each segment of each edge: its gain at the polygon, its number, and where it is caught.
type Caught = BTreeMap<(EdgeId, usize), (f64, usize, Catch)>;

/// The batches behind the edges whose polygons rays meet, one an edge.
pub(super) fn diffract(
    launch: &Launch<'_>,
    polygons: &Polygons,
    batch: &Batch,
    segments: &[Segment],
) -> Vec<Batch> {
    let back = batch.image.inverse();
    let caught = |(chunk, segments): (usize, &[Segment])| {
        let mut caught = Caught::new();
        for (number, (ray, end, _)) in segments.iter().enumerate() {
            let bend = batch.sources[ray.source as usize].bend;
            let is_bent = |bend: &Bend| {
                let turn = back.transform_vector3(ray.direction);
                turn.angle_between(bend.incoming) > polygons.min_bend
            };
            if bend.is_some_and(|bend| !is_bent(&bend)) {
                continue;
            }
            polygons.catch(launch.world, ray.origin, ray.direction, *end, |catch| {
                if bend.is_some_and(|bend| bend.edge == catch.edge) {
                    return;
                }
                let at = back.transform_point3(ray.origin + catch.t * ray.direction);
                let (power, spreading) = batch.power(launch, ray, at);
                let found = (power / spreading, chunk * AT_ONCE + number, catch);
                add_stronger(&mut caught, found);
            });
        }
        caught
    };
    let caught = segments.par_chunks(AT_ONCE).enumerate().map(caught).reduce(
        Caught::new,
        |mut all, more| {
            for found in more.into_values() {
                add_stronger(&mut all, found);
            }
            all
        },
    );
    let mut batches: BTreeMap<EdgeId, (Vec<Source>, Vec<TubeRay>)> = BTreeMap::new();
    for (_, number, catch) in caught.into_values() {
        let (sources, rays) = batches.entry(catch.edge).or_default();
        bend(launch, batch, &segments[number].0, catch, sources, rays);
    }
    batches
        .into_values()
        .filter(|(_, rays)| !rays.is_empty())
        .map(|(sources, rays)| Batch {
            sources: Arc::new(sources),
            image: DAffine3::IDENTITY,
            reflections: batch.reflections,
            diffractions: batch.diffractions + 1,
            rays,
        })
        .collect()
}

fn add_stronger(caught: &mut Caught, found: (f64, usize, Catch)) {
    let (gain, number, catch) = found;
    let best = caught.entry((catch.edge, catch.segment)).or_insert(found);
    if gain > best.0 || gain == best.0 && number < best.1 {
        *best = found;
    }
}

/// Adds the rays that a caught ray starts, and their source.
fn bend(
    launch: &Launch<'_>,
    batch: &Batch,
    ray: &TubeRay,
    catch: Catch,
    sources: &mut Vec<Source>,
    rays: &mut Vec<TubeRay>,
) {
    let (world, source) = (launch.world, batch.source(ray));
    let Some(incoming) = (catch.point - source).try_normalize() else {
        return;
    };
    let last = source.distance(catch.point);
    let (sum, product) = match &batch.sources[ray.source as usize].bend {
        None => (last, last),
        Some(bend) => (bend.legs.sum + last, bend.legs.product * last),
    };
    let at = batch.image.inverse().transform_point3(catch.point);
    let (power, _) = batch.power(launch, ray, at);
    let scale = (power / ray.wave.power()).sqrt();
    let wave = ray.wave.times(Complex64::new(scale, 0.0));
    let legs = Legs { last, sum, product };
    let Some(bend) = Bend::new(world, catch.edge, incoming, wave, legs) else {
        return;
    };
    let Some([from, to]) = bend.shadow() else {
        return;
    };
    let width = launch.grid.size().min_element();
    let remaining = (ray.remaining - catch.t).min(last).max(2.0 * width);
    let step = width / remaining / bend.sin_beta();
    let count = ((to - from).abs() / step).ceil();
    let step = (to - from) / count;
    let left = world.scene().edges()[catch.edge.index()]
        .faces
        .map(|face| face.map_or(NO_PLANE, |face| launch.group(face)));
    let number = u32::try_from(sources.len()).unwrap_or(u32::MAX);
    let mut k = 0.0;
    while k <= count {
        // The last one is next to the wall.
        let phi = from + step * k.min(count - 0.25);
        let wave = bend.wave(world, phi);
        let unit = wave.power();
        if unit > 0.0 {
            rays.push(TubeRay {
                origin: catch.point,
                direction: bend.direction(phi),
                remaining,
                wave,
                unit,
                axis: 0,
                left,
                transmissions: ray.transmissions,
                source: number,
            });
        }
        k += 1.0;
    }
    sources.push(Source {
        at: catch.point,
        bend: Some(bend),
    });
}

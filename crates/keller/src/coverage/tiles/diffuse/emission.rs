//! The power that every tile sends in one scattering.

use glam::DVec3;

use super::super::incident_field::{Moments, TileSide};
use super::super::lobe_parts::Beam;
use super::budget::{Budget, Plan};
use super::gathered::{Gathered, MIN_COSINE};
use super::place::Places;
use crate::em::scattering::lobe_shape;
use crate::materials::Lobe;
use crate::power::sides::Side;

/// The power that all tiles send. A side that sends in one scattering what it received by several ways has a column for
/// each group of ways ([`Plan`]).
#[derive(Debug)]
pub(super) struct Emission<'a> {
    places: &'a Places,
    columns: Vec<Vec<Moments>>,
    pattern: Pattern<'a>,
    /// For each side, whether it sends nothing.
    is_dark: Vec<bool>,
    /// Upper bound of the power that any side sends to a point, over the cosine of the direction.
    brightest: f64,
}

/// The patterns of walls whose lobes are not Lambertian.
#[derive(Debug)]
enum Pattern<'a> {
    /// The power of single paths, each from its own direction.
    Paths(Vec<&'a [PathShare]>),
    /// The power from all directions, by side.
    Beams(Vec<Vec<Beam>>),
}

/// The power that a wall scatters of one path.
#[derive(Debug, Clone, Copy)]
pub(super) struct PathShare {
    /// Direction from which it arrives.
    into: DVec3,
    /// Gain in each direction divided by [`lobe_shape`], for 1 m² at 1 m.
    strength: Moments,
    state: usize,
}

/// The shares of all paths, by side.
pub(super) fn path_shares(budget: &Budget, lit: &[[TileSide; 2]]) -> Vec<Vec<PathShare>> {
    let of_side = |side: &TileSide| {
        let paths = side.scattered.iter().filter_map(|path| {
            Some(PathShare {
                into: path.into,
                strength: path.strength,
                state: budget.scattered(path.used)?,
            })
        });
        paths.collect()
    };
    lit.iter().flatten().map(of_side).collect()
}

impl<'a> Emission<'a> {
    /// The first scattering, of paths.
    pub(super) fn of_paths(places: &'a Places, plan: &Plan, shares: &'a [Vec<PathShare>]) -> Self {
        let mut columns = vec![vec![Moments::default(); shares.len()]; plan.num_columns];
        for (side, shares) in shares.iter().enumerate() {
            for share in shares {
                for column in &plan.columns_of[share.state] {
                    columns[*column][side] += share.strength;
                }
            }
        }
        let pattern = Pattern::Paths(shares.iter().map(Vec::as_slice).collect());
        Self::new(places, columns, pattern)
    }

    /// A later scattering, of the power that tiles gathered. Sides on which less than `min_gain` arrives send nothing.
    pub(super) fn of_gathered(
        places: &'a Places,
        (budget, plan): (&Budget, &Plan),
        gathered: &[[Gathered; 2]],
        min_gain: f64,
    ) -> Self {
        let num_sides = 2 * gathered.len();
        let mut columns = vec![vec![Moments::default(); num_sides]; plan.num_columns];
        let mut beams = vec![Vec::new(); num_sides];
        for (side, gathered) in gathered.iter().flatten().enumerate() {
            if gathered.gain.power < min_gain {
                continue;
            }
            for (state, again) in gathered.again.iter().enumerate() {
                let state = budget.scattered_again(state).filter(|_| again.power > 0.0);
                for column in state.iter().flat_map(|state| &plan.columns_of[*state]) {
                    columns[*column][side] += *again;
                }
            }
            let lobe = places.lobe(side);
            if let Some((lobe, arriving)) = lobe.zip(gathered.arriving.as_ref()) {
                beams[side] = arriving.beams(lobe, places.normal(Side::from_index(side)));
            }
        }
        Self::new(places, columns, Pattern::Beams(beams))
    }

    fn new(places: &'a Places, columns: Vec<Vec<Moments>>, pattern: Pattern<'a>) -> Self {
        let num_sides = columns.first().map_or(0, Vec::len);
        let is_dark = |side: usize| columns.iter().all(|column| column[side].power <= 0.0);
        let brightness = |side: usize| {
            let powers = columns.iter().map(|column| column[side].power);
            powers.fold(0.0, f64::max) * most_beside(places, &pattern, side)
        };
        Self {
            is_dark: (0..num_sides).map(is_dark).collect(),
            brightest: (0..num_sides).map(brightness).fold(0.0, f64::max),
            places,
            columns,
            pattern,
        }
    }

    pub(super) fn is_dark(&self, side: Side) -> bool {
        self.is_dark[side.index()]
    }

    /// The power that a side sends by the group of ways that brings most, over the cosine of the direction, for 1 m² at
    /// 1 m; for lobes that are not Lambertian, over their shape.
    pub(super) fn strength(&self, side: Side) -> f64 {
        let of_side = self.columns.iter().map(|column| column[side.index()].power);
        of_side.fold(0.0, f64::max)
    }

    /// For each component of open space ([`super::exchange`]), whether any side in it sends.
    pub(super) fn lit_components(&self, components: &[u32]) -> Vec<bool> {
        let mut lit = vec![false; components.len()];
        for (component, is_dark) in components.iter().zip(&self.is_dark) {
            lit[*component as usize] |= !is_dark;
        }
        lit
    }

    /// Upper bound of the power that any side sends to a point, over the cosine of the direction, for 1 m² at 1 m.
    pub(super) fn brightest(&self) -> f64 {
        self.brightest
    }

    /// Adds the power that a side sends in the direction `out`, of which it has the cosine, for 1 m² at 1 m: for each
    /// pair of a slot and a column of `reads`, `scale` times that, later by `delay`.
    pub(super) fn add_to(
        &self,
        slots: &mut [Moments],
        side: Side,
        (out, cos_out): (DVec3, f64),
        (scale, delay): (f64, f64),
        (plan, leg): (&Plan, usize),
    ) {
        let index = side.index();
        let reads = &plan.reads[leg];
        let mut send = |shape: f64| {
            for (slot, column) in reads {
                let sent = self.columns[*column][index];
                if sent.power > 0.0 {
                    slots[*slot] += sent.later(delay) * (shape * scale);
                }
            }
        };
        let lobe = match self.places.lobe(index) {
            None | Some(Lobe::Lambertian) => return send(cos_out),
            Some(lobe) => lobe,
        };
        let normal = self.places.normal(side);
        let shape = |into: DVec3| {
            let specular = 2.0 * into.dot(normal) * normal - into;
            lobe_shape(lobe, cos_out, out.dot(specular), out.dot(into))
        };
        match &self.pattern {
            Pattern::Beams(beams) => {
                let shapes = beams[index]
                    .iter()
                    .map(|beam| beam.weight * shape(beam.into));
                send(shapes.sum());
            }
            Pattern::Paths(paths) => {
                for path in paths[index] {
                    let sent = path.strength.later(delay) * (shape(path.into) * scale);
                    for (slot, column) in reads {
                        if plan.columns_of[path.state].contains(column) {
                            slots[*slot] += sent;
                        }
                    }
                }
            }
        }
    }
}

/// Upper bound of the shape of the power that a side sends, over the cosine of the direction.
fn most_beside(places: &Places, pattern: &Pattern, side: usize) -> f64 {
    match pattern {
        _ if matches!(places.lobe(side), None | Some(Lobe::Lambertian)) => 1.0,
        Pattern::Paths(_) => 1.0 / MIN_COSINE,
        Pattern::Beams(beams) => {
            let weights = beams[side].iter().map(|beam| beam.weight);
            weights.sum::<f64>() / MIN_COSINE
        }
    }
}

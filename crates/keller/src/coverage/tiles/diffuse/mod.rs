//! Diffuse scattering from tile to tile: a tile scatters power, without a phase, to all tiles that it sees, and by way
//! of walls that reflect it or let it through, and of edges.
//!
//! Every tile gathers power in three ways: from the tiles that it sees ([`exchange`]), by rays that walls reflect or
//! let through ([`gather`]), and by rays round edges ([`edges`]). It scatters the gathered power, as often as the
//! limits allow. Each scattering follows the lobe of its wall: the first for every single path, later ones for power by
//! direction ([`super::lobe_parts`]). Powers that have used different numbers of interactions are kept apart where it
//! matters ([`budget`]).
//!
//! **Cost.** For each scattering, one pass over the tiles that see each other, and [`directions::RAYS`] rays from each side
//! of each tile for each further interaction. Where scattered waves may diffract, the rays of [`edges`] as well. Once for
//! a scene: [`exchange`].
//!
//! **Assumes** that power has no phase, and after its first scattering no polarisation. **Leaves out** a part of the
//! power that is diffracted between two scatterings: see [`edges`].
//!
//! **Source.** Degli-Esposti et al. 2007 for lobes; C. M. Goral et al., "Modeling the interaction of light between
//! diffuse surfaces", SIGGRAPH 1984, doi:10.1145/800031.808601, for passing power on; J. R. Wallace, M. F. Cohen and
//! D. P. Greenberg, "A two-pass solution to the rendering equation", SIGGRAPH 1987, doi:10.1145/37401.37438, for
//! reflections in between; Kouyoumjian and Pathak 1974 for edges. Theory page: `surfaces`.

mod aims;
mod bend;
mod budget;
mod directions;
mod edge_light;
mod edges;
mod emission;
mod exchange;
mod gather;
mod gathered;
mod place;
mod ray_shares;
mod wall_light;

use rayon::prelude::*;

use self::budget::{Budget, Plan};
use self::directions::ray_order;
use self::edges::Edges;
use self::emission::{Emission, path_shares};
use self::exchange::Exchange;
use self::gather::Round;
use self::gathered::Gathered;
use self::place::Places;
use self::wall_light::{Blocks, WallLight};
use super::incident_field::{Moments, TileSide, density};
use super::results::TileField;
use crate::parallel;
use crate::paths::{Environment, Limits};
use crate::{Control, Error, Stage, World};

/// The tiles, ready to scatter.
#[derive(Debug)]
pub(super) struct Scatterer {
    environment: Environment,
    places: Places,
    blocks: Blocks,
    exchange: Exchange,
    /// `None` where no scattered wave may diffract.
    edges: Option<Edges>,
    budget: Budget,
    passes_walls: bool,
    /// The order in which rays are traced.
    ray_order: Vec<u32>,
    /// Largest number of scatterings.
    count: usize,
    density: f64,
}

/// Diffuse power on one side of a tile.
#[derive(Debug, Clone, Copy)]
pub(super) struct DiffuseSide {
    pub(super) gain: Moments,
    /// Incident power, relative to the power of the Tx.
    pub(super) incident: f64,
    /// Upper bound of the gain that was too weak to be followed.
    pub(super) omitted: f64,
}

impl DiffuseSide {
    /// Adds it to the field of the side.
    pub(super) fn add_to(&self, field: &mut TileField) {
        let all = Moments::of(field) + self.gain;
        field.path_gain += self.gain.power;
        field.diffuse_gain = self.gain.power;
        field.incident_power += self.incident;
        field.omitted_gain += self.omitted;
        (field.mean_delay, field.delay_spread) = all.mean_and_spread();
    }
}

/// Diffuse power.
#[derive(Debug)]
pub(super) struct Diffuse {
    pub(super) of_tiles: Vec<[DiffuseSide; 2]>,
    /// Incident power that was too weak to be scattered again, as often as it might have been.
    pub(super) too_weak: f64,
}

impl Scatterer {
    /// `None` where no wall scatters.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] for limits with too many combinations, [`Error::Cancelled`].
    pub(super) fn new(
        world: &World,
        environment: &Environment,
        limits: &Limits,
        control: &Control,
    ) -> Result<Option<Self>, Error> {
        let scene = world.scene();
        let places = Places::new(world, environment);
        let count = limits.max_scatterings.min(limits.interactions());
        if count == 0 || !places.any_scatters() {
            return Ok(None);
        }
        let budget = Budget::new(limits)?;
        let wavelength = world.frequency().wavelength();
        let is_bent = Plan::last(&budget).has_legs(true);
        let (exchange, met) = Exchange::new(scene, &places, environment, control)?;
        Ok(Some(Self {
            edges: is_bent.then(|| Edges::new(scene, environment, limits, wavelength)),
            passes_walls: limits.transmissions_beside(1) > 0,
            ray_order: ray_order(),
            blocks: if Plan::last(&budget).has_legs(false) {
                Blocks::new((environment, &places), &met)
            } else {
                Blocks::default()
            },
            exchange,
            places,
            environment: environment.clone(),
            budget,
            count,
            density: density(wavelength),
        }))
    }

    /// Whether it can scatter under these limits.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] for limits with too many combinations.
    pub(super) fn check(limits: &Limits) -> Result<(), Error> {
        Budget::new(limits).map(|_| ())
    }

    /// Largest number of scatterings of a path.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The power that arrives after it was scattered. Where less than `min_gain` of it arrives, it is not scattered
    /// again.
    pub(super) fn scatter(
        &self,
        world: &World,
        min_gain: f64,
        lit: &[[TileSide; 2]],
        control: &Control,
    ) -> Result<Diffuse, Error> {
        control.report(Stage::Scatter, 0.0);
        let shares = path_shares(&self.budget, lit);
        let [inner, last] = [Plan::inner(&self.budget), Plan::last(&self.budget)];
        let mut too_weak = 0.0;
        let mut sum: Vec<[Gathered; 2]> = vec![Default::default(); self.places.len()];
        let mut gathered: Vec<[Gathered; 2]> = Vec::new();
        for number in 1..=self.count {
            let plan = if number < self.count { &inner } else { &last };
            let emission = if number == 1 {
                Emission::of_paths(&self.places, plan, &shares)
            } else {
                let left = (self.count + 1 - number) as f64;
                too_weak += left * self.too_weak(&gathered, min_gain);
                let budget = (&self.budget, plan);
                Emission::of_gathered(&self.places, budget, &gathered, min_gain)
            };
            let lit = emission.lit_components(self.exchange.components());
            let light = if plan.has_legs(false) {
                let tiles = (&self.environment, &self.places);
                WallLight::new(&self.blocks, tiles, &emission)
            } else {
                WallLight::default()
            };
            let round = Round {
                scatterer: self,
                scene: world.scene(),
                world,
                emission: &emission,
                light: &light,
                plan,
                lit: &lit,
                keeps: number < self.count,
                min_gain,
            };
            let edges = self.edges.as_ref().filter(|_| plan.has_legs(true));
            let num_passes = if edges.is_some() { 2.0 } else { 1.0 };
            let done = std::sync::atomic::AtomicUsize::new(0);
            let begin = |tile: usize| {
                if tile.is_multiple_of(REPORTED) {
                    control.check()?;
                    let before = done.fetch_add(REPORTED, std::sync::atomic::Ordering::Relaxed);
                    let share = before as f64 / (num_passes * self.places.len() as f64);
                    let share = (number - 1) as f64 + share.min(1.0);
                    control.report(Stage::Scatter, share / self.count as f64);
                }
                Ok(())
            };
            let mut next: Vec<[Gathered; 2]> = parallel::try_map(self.places.len(), |tile| {
                begin(tile)?;
                Ok::<_, Error>(round.gather(tile))
            })?;
            if let Some(edges) = edges {
                let light = edges.light(world.scene(), self, &emission, &next);
                next = next
                    .into_par_iter()
                    .enumerate()
                    .map(|(tile, gathered)| {
                        begin(tile)?;
                        Ok(round.gather_round_edges((edges, &light), tile, gathered))
                    })
                    .collect::<Result<_, Error>>()?;
            }
            for (sum, next) in sum.iter_mut().flatten().zip(next.iter().flatten()) {
                sum.add(next);
            }
            gathered = next;
        }
        control.report(Stage::Scatter, 1.0);
        let of_tile = |(tile, sides): (usize, &[Gathered; 2])| {
            let area = self.places.tile(tile).area;
            [&sides[0], &sides[1]].map(|side| DiffuseSide {
                gain: side.gain,
                incident: side.flux * area * self.density,
                omitted: side.omitted,
            })
        };
        Ok(Diffuse {
            of_tiles: sum.iter().enumerate().map(of_tile).collect(),
            too_weak,
        })
    }

    /// The incident power of all sides on which less than `min_gain` arrives, relative to the Tx power.
    fn too_weak(&self, gathered: &[[Gathered; 2]], min_gain: f64) -> f64 {
        let weak = gathered.iter().enumerate().map(|(tile, sides)| {
            let weak = sides.iter().filter(|side| side.gain.power < min_gain);
            weak.map(|side| side.flux).sum::<f64>() * self.places.tile(tile).area
        });
        weak.sum::<f64>() * self.density
    }
}

/// Tiles after which progress is reported.
const REPORTED: usize = 64;

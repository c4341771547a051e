//! Predictions from traced links with other materials, by the full field along every path.
//!
//! Cost: about a microsecond a path and core. The part of a path that no material changes is kept. If one parameter
//! changes, only paths that depend on it are evaluated.

use std::sync::Arc;

use super::background::Background;
use super::domain::EnergyTie;
use super::extra_power::PowerBeside;
use super::material_parameters::{Quantity, apply, energy_ties, swings};
use super::objective::Model;
use super::parameters::Parameter;
use super::traced_links::TracedLinks;
use crate::field::FixedEnds;
use crate::materials::Material;
use crate::parallel;
use crate::scene::MaterialId;
use crate::units::power_to_db;
use crate::{Error, World};

/// The power of each link: of its paths, of a background, and of whatever else is known.
///
/// Gains are the same bits as those of a run with these materials that finds the same paths.
#[derive(Debug, Clone)]
pub struct Replay<'a> {
    world: &'a World,
    traced: &'a TracedLinks,
    /// The ends of each path.
    ends: Arc<[FixedEnds]>,
    quantities: &'a [Quantity],
    background: Option<Background>,
    extra_power: PowerBeside,
}

impl<'a> Replay<'a> {
    /// Links of a world, whose `quantities` may change.
    pub fn new(world: &'a World, traced: &'a TracedLinks, quantities: &'a [Quantity]) -> Self {
        let ends = parallel::flat_map(traced.links.len(), |n, ends| {
            let link = &traced.links[n];
            let antennas = traced.antennas(link);
            let paths = traced.paths[link.paths.clone()].iter();
            ends.extend(paths.map(|path| FixedEnds::new(path, world, antennas)));
        });
        Self {
            world,
            traced,
            ends: ends.into(),
            quantities,
            background: None,
            extra_power: PowerBeside::default(),
        }
    }

    /// This replay with a background.
    #[must_use]
    pub fn with_background(self, background: Option<Background>) -> Self {
        Self { background, ..self }
    }

    /// This replay with power in addition to the paths.
    ///
    /// # Panics
    /// If there is not one gain for each link.
    #[must_use]
    pub fn with_power_beside(self, extra_power: PowerBeside) -> Self {
        let count = extra_power.gains.len();
        assert_eq!(count, self.traced.num_links(), "one for each link");
        Self {
            extra_power,
            ..self
        }
    }

    /// The materials of the scene for some values, and the background.
    ///
    /// # Errors
    /// For values that a material cannot take.
    pub fn materials(&self, values: &[f64]) -> Result<(Vec<Material>, Option<Background>), Error> {
        apply(
            self.quantities,
            values,
            self.world.materials(),
            self.background,
            self.world.frequency(),
        )
    }

    /// The gain of every path with these materials, linear.
    ///
    /// # Errors
    /// For values that a material cannot take.
    pub fn path_gains(&self, values: &[f64]) -> Result<Vec<f64>, Error> {
        let (world, _) = self.world_of(values)?;
        let traced = self.traced;
        let of_link = |n: usize, gains: &mut Vec<f64>| {
            let paths = traced.links[n].paths.clone();
            gains.extend(paths.map(|index| self.gain(index, &world)));
        };
        Ok(parallel::flat_map(traced.links.len(), of_link))
    }

    fn world_of(&self, values: &[f64]) -> Result<(World, Option<Background>), Error> {
        let (materials, background) = self.materials(values)?;
        let world = self.world.remade(materials, self.world.frequency())?;
        Ok((world, background))
    }

    fn gain(&self, index: usize, world: &World) -> f64 {
        self.ends[index].gain(&self.traced.paths[index], world)
    }

    /// Levels of all links, dB.
    fn levels(&self, gains: &[f64], values: &[f64], background: Option<Background>) -> Vec<f64> {
        let extra_power = self.extra_power.at(values);
        let links = self.traced.links.iter().enumerate();
        links
            .map(|(index, link)| {
                let of_paths: f64 = gains[link.paths.clone()].iter().sum();
                let more = extra_power.get(index).copied().unwrap_or(0.0);
                let clutter = background.map_or(0.0, |background| background.gain(link.distance));
                power_to_db(of_paths + more + clutter)
            })
            .collect()
    }
}

impl Model for Replay<'_> {
    /// The gain of every path.
    type State = Vec<f64>;

    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, Self::State), Error> {
        let (_, background) = self.materials(values)?;
        let gains = self.path_gains(values)?;
        Ok((self.levels(&gains, values, background), gains))
    }

    fn predict_changed(
        &self,
        values: &[f64],
        changed: &[usize],
        state: &Self::State,
    ) -> Result<Vec<f64>, Error> {
        let (world, background) = self.world_of(values)?;
        let mut ids: Vec<MaterialId> = Vec::new();
        for index in changed {
            if let Quantity::Material(of_quantity, _) = &self.quantities[*index] {
                ids.extend(of_quantity);
            }
        }
        if ids.is_empty() {
            return Ok(self.levels(state, values, background));
        }
        let dependent: Vec<usize> = self.traced.dependent(&ids).collect();
        let gain = |n: usize| self.gain(dependent[n], &world);
        let changed: Vec<f64> = parallel::map_cheap(dependent.len(), 16, gain);
        let mut gains = state.clone();
        for (path, gain) in dependent.into_iter().zip(changed) {
            gains[path] = gain;
        }
        Ok(self.levels(&gains, values, background))
    }

    fn energy_ties(&self) -> Vec<EnergyTie> {
        energy_ties(self.quantities, self.world.materials())
    }

    fn swings(&self, parameters: &[Parameter]) -> Vec<f64> {
        swings(self.quantities, parameters, self.world)
    }
}

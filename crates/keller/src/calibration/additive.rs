//! Predictions from a table of the loss of each interaction, for the thousands of evaluations of a genetic algorithm.
//!
//! The loss of a path in dB is that with the materials of the start plus, for each interaction with a material that may
//! change, the difference that the change makes to a plane wave of this angle and polarisation ([`slots`]). The further
//! effect of a change, at edges above all, is a curve over the material's reflection ([`curves`]). Angles, shares of
//! polarisations and curves are put in bins, so a path is a few numbers of a small table. Powers are multiplied instead
//! of adding dB.
//!
//! Exact at the start. **Leaves out** how changes of several materials act together beyond their product. The weakest paths of a
//! link are put together with those that have the same interactions, whatever their angles.
//!
//! Cost: some nanoseconds a path.
//!
//! **Source.** Hu 2020, section 5.5.4, replays with one loss a material and kind of interaction.

mod curves;
mod slots;

use rustc_hash::FxHashMap;

use super::background::Background;
use super::domain::EnergyTie;
use super::extra_power::PowerBeside;
use super::material_parameters::{MaterialProperty, Quantity, apply, energy_ties, swings};
use super::objective::Model;
use super::parameters::Parameter;
use super::traced_links::{Link, TracedLinks};
use crate::direction::Direction;
use crate::em::Surfaces;
use crate::field::{incidences, transport};
use crate::parallel;
use crate::paths::{Path, ahead};
use crate::scene::MaterialId;
use crate::units::power_to_db;
use crate::{Error, World};
use curves::{Curve, Strength, Variant};
use slots::{Slot, SlotKind, slots_of};

/// The weakest paths of a link that together have this part of its power are put together.
const WEAK_SHARE: f64 = 0.005;

/// Paths as numbers of a table.
#[derive(Debug, Clone)]
pub struct AdditiveTable<'a> {
    world: &'a World,
    quantities: &'a [Quantity],
    background: Option<Background>,
    extra_power: PowerBeside,
    distances: Vec<f64>,
    /// The materials that change.
    materials: Vec<MaterialId>,
    variants: Vec<Variant>,
    slots: Vec<Slot>,
    /// Runs of paths with equally many slots, link after link.
    runs: Vec<Run>,
    /// Gain of each path over those of its slots at the start.
    bases: Vec<f64>,
    /// Slots of each path.
    places: Vec<u16>,
    num_paths: usize,
}

/// Paths of one link with the same number of slots.
#[derive(Debug, Clone, Copy)]
struct Run {
    link: u32,
    num_slots: u32,
    num_paths: u32,
}

impl<'a> AdditiveTable<'a> {
    /// The table of a replay's links. `gains` are those of all its paths with the values `start`, linear.
    ///
    /// # Errors
    /// For values that a material cannot take, and [`Error::Calibration`] for more than 65 536 kinds of interactions.
    ///
    /// # Panics
    /// If there is not one gain for each path.
    pub fn new(
        world: &'a World,
        traced: &TracedLinks,
        quantities: &'a [Quantity],
        (start, gains): (&[f64], &[f64]),
    ) -> Result<Self, Error> {
        assert_eq!(gains.len(), traced.num_paths(), "one gain for each path");
        let of_quantity = |quantity: &Quantity| match quantity {
            Quantity::Material(ids, _) => ids.clone(),
            Quantity::BackgroundLevel | Quantity::BackgroundExponent => Vec::new(),
        };
        let mut materials: Vec<MaterialId> = quantities.iter().flat_map(of_quantity).collect();
        materials.sort_unstable();
        materials.dedup();
        let (at_start, _) = apply(
            quantities,
            start,
            world.materials(),
            None,
            world.frequency(),
        )?;
        let at_start = world.remade(at_start, world.frequency())?;
        let mut table = Self {
            world,
            quantities,
            background: None,
            extra_power: PowerBeside::default(),
            distances: traced.links.iter().map(|link| link.distance).collect(),
            variants: Variant::all(&at_start, quantities, &materials)?,
            materials,
            slots: Vec::new(),
            runs: Vec::new(),
            bases: Vec::new(),
            places: Vec::new(),
            num_paths: traced.num_paths(),
        };
        let links: Vec<Vec<(Vec<Slot>, f64)>> = parallel::map_slice(&traced.links, |link| {
            table.of_link(traced, link, &at_start, &gains[link.paths.clone()])
        });
        let mut numbers = FxHashMap::default();
        let mut values = Vec::new();
        for (number, paths) in links.into_iter().enumerate() {
            let mut of_link = Vec::with_capacity(paths.len());
            for (slots, gain) in paths {
                let mut places = Vec::with_capacity(slots.len());
                for slot in slots {
                    let next = u16::try_from(numbers.len()).map_err(|_| {
                        Error::Calibration(
                            "more than 65 536 kinds of interactions: let fewer materials change"
                                .to_owned(),
                        )
                    })?;
                    let place = *numbers.entry(slot).or_insert_with(|| {
                        table.slots.push(slot);
                        values.push(table.at_start(slot, at_start.surfaces()));
                        next
                    });
                    places.push(place);
                }
                places.sort_unstable();
                let places_values = places.iter().map(|place| values[usize::from(*place)]);
                let of_slots: f64 = places_values.product();
                of_link.push((places, gain / of_slots));
            }
            table.add_link(number, of_link);
        }
        Ok(table)
    }

    /// This table with a background.
    #[must_use]
    pub fn with_background(self, background: Option<Background>) -> Self {
        Self { background, ..self }
    }

    /// This table with power in addition to the paths.
    #[must_use]
    pub fn with_power_beside(self, extra_power: PowerBeside) -> Self {
        Self {
            extra_power,
            ..self
        }
    }

    /// Number of paths that it stands for.
    pub fn num_paths(&self) -> usize {
        self.num_paths
    }

    /// Number of entries that it has for them: paths with the same interactions share one.
    pub fn num_entries(&self) -> usize {
        self.bases.len()
    }

    /// Number of kinds of interactions, each evaluated once for all paths.
    pub fn num_kinds(&self) -> usize {
        self.slots.len()
    }

    /// Adds the paths of a link, those of the same slots together.
    fn add_link(&mut self, link: usize, mut paths: Vec<(Vec<u16>, f64)>) {
        paths.sort_by(|(a, x), (b, y)| {
            a.len()
                .cmp(&b.len())
                .then_with(|| a.cmp(b))
                .then(x.total_cmp(y))
        });
        let link = u32::try_from(link).unwrap_or(u32::MAX);
        for same in paths.chunk_by(|(a, _), (b, _)| a == b) {
            let places = &same[0].0;
            let num_slots = u32::try_from(places.len()).unwrap_or(u32::MAX);
            match self.runs.last_mut() {
                Some(run) if run.link == link && run.num_slots == num_slots => run.num_paths += 1,
                _ => self.runs.push(Run {
                    link,
                    num_slots,
                    num_paths: 1,
                }),
            }
            self.bases.push(same.iter().map(|(_, base)| base).sum());
            self.places.extend(places);
        }
    }

    /// The slots and the gain of each path of a link at the start. The weakest ones stand together, by the strongest of those
    /// with the same interactions.
    fn of_link(
        &self,
        traced: &TracedLinks,
        link: &Link,
        at_start: &World,
        gains: &[f64],
    ) -> Vec<(Vec<Slot>, f64)> {
        let paths = &traced.paths[link.paths.clone()];
        let mut order: Vec<usize> = (0..paths.len()).collect();
        order.sort_by(|a, b| gains[*b].total_cmp(&gains[*a]).then(a.cmp(b)));
        let mut left: f64 = gains.iter().sum();
        let weak_below = WEAK_SHARE * left;
        let mut all = Vec::with_capacity(paths.len());
        let mut weak: FxHashMap<Vec<(u16, u8)>, usize> = FxHashMap::default();
        for index in order {
            let path = &paths[index];
            let is_weak = left <= weak_below;
            left -= gains[index];
            let mut slots = self.plain_slots(traced, link, path, at_start);
            if is_weak {
                let mut families: Vec<(u16, u8)> = slots.iter().map(|s| s.family()).collect();
                families.sort_unstable();
                let place = *weak.entry(families).or_insert(all.len());
                if let Some((_, gain)) = all.get_mut(place) {
                    *gain += gains[index];
                    continue;
                }
            } else {
                let curves = self.curves(traced, link, path, (&slots, at_start, gains[index]));
                slots.extend(curves);
            }
            all.push((slots, gains[index]));
        }
        all
    }

    /// The slots of a path but for curves.
    fn plain_slots(
        &self,
        traced: &TracedLinks,
        link: &Link,
        path: &Path,
        at_start: &World,
    ) -> Vec<Slot> {
        let scene = at_start.scene();
        let [tx, _] = traced.antennas(link);
        let departure = Direction::from_vector(
            ahead(path.tx_position, &path.vertices, path.rx_position).unwrap_or_default(),
        );
        let ports: Vec<_> = tx.fields(departure).collect();
        let found = incidences(path, at_start, &ports);
        slots_of(path, &found, scene, &self.materials, |id| {
            self.quantities.iter().any(|quantity| match quantity {
                Quantity::Material(ids, property) => {
                    *property == MaterialProperty::DiffractionLoss && ids.contains(&id)
                }
                Quantity::BackgroundLevel | Quantity::BackgroundExponent => false,
            })
        })
    }

    /// The effect of materials on a path beyond its slots. `gain` is its gain with the materials of the start.
    fn curves(
        &self,
        traced: &TracedLinks,
        link: &Link,
        path: &Path,
        (slots, at_start, gain): (&[Slot], &World, f64),
    ) -> Vec<Slot> {
        let scene = at_start.scene();
        let [tx, rx] = traced.antennas(link);
        let variants = self.variants.iter().filter_map(|variant| {
            let id = self.materials[usize::from(variant.material)];
            let mut materials = path.interactions().flat_map(|interaction| {
                let edge = interaction.edge().map(|edge| scene.edges()[edge.index()]);
                let of_edge = edge.map_or([None; 2], |edge| edge.faces);
                let faces = of_edge.into_iter().chain([interaction.face()]).flatten();
                faces.map(|face| scene.face(face).material)
            });
            if gain <= 0.0 || !materials.any(|material| material == id) {
                return None;
            }
            let ratios = [0, 1].map(|end| {
                let at_end = &variant.ends[end];
                let changed = transport(path, at_end).gain(tx, rx);
                let explained = slots
                    .iter()
                    .filter(|slot| slot.material == variant.material)
                    .map(|slot| {
                        let [before, after] = [at_start, at_end]
                            .map(|world| slot.value(world.surfaces().surface(id), None));
                        after / before
                    });
                changed / gain / explained.product::<f64>()
            });
            Some(Slot {
                material: variant.material,
                kind: SlotKind::Curve(Curve::new(ratios)?),
            })
        });
        variants.collect()
    }

    /// The value of a slot at the start, where curves leave everything as it is.
    fn at_start(&self, slot: Slot, surfaces: &Surfaces) -> f64 {
        slot.value(
            surfaces.surface(self.materials[usize::from(slot.material)]),
            None,
        )
    }

    /// The values of all slots.
    fn values(&self, surfaces: &Surfaces) -> Vec<f64> {
        let mut strengths: Vec<Option<Strength>> = vec![None; self.materials.len()];
        for variant in &self.variants {
            let index = usize::from(variant.material);
            let surface = surfaces.surface(self.materials[index]);
            strengths[index] = Some(variant.strength(surface));
        }
        let value = |slot: &Slot| {
            let index = usize::from(slot.material);
            let surface = surfaces.surface(self.materials[index]);
            slot.value(surface, strengths[index].as_ref())
        };
        self.slots.iter().map(value).collect()
    }

    /// The gain of each link, linear, with the values of slots.
    fn sums(&self, values: &[f64]) -> Vec<f64> {
        let mut gains = vec![0.0; self.distances.len()];
        let (mut bases, mut places) = (&self.bases[..], &self.places[..]);
        for run in &self.runs {
            let num_slots = run.num_slots as usize;
            let (of_run, rest) = bases.split_at(run.num_paths as usize);
            let (slots, others) = places.split_at(of_run.len() * num_slots);
            (bases, places) = (rest, others);
            gains[run.link as usize] += match num_slots {
                0 => of_run.iter().sum::<f64>(),
                1 => weighted::<1>(of_run, slots, values),
                2 => weighted::<2>(of_run, slots, values),
                3 => weighted::<3>(of_run, slots, values),
                4 => weighted::<4>(of_run, slots, values),
                5 => weighted::<5>(of_run, slots, values),
                6 => weighted::<6>(of_run, slots, values),
                _ => {
                    let paths = of_run.iter().zip(slots.chunks_exact(num_slots));
                    paths
                        .map(|(base, slots)| base * product(slots, values))
                        .sum::<f64>()
                }
            };
        }
        gains
    }
}

impl Model for AdditiveTable<'_> {
    type State = ();

    fn predict(&self, values: &[f64]) -> Result<(Vec<f64>, ()), Error> {
        let (materials, background) = apply(
            self.quantities,
            values,
            self.world.materials(),
            self.background,
            self.world.frequency(),
        )?;
        let surfaces = self
            .world
            .surfaces()
            .at(&materials, self.world.frequency())?;
        let of_slots = self.values(&surfaces);
        let sums = self.sums(&of_slots);
        let extra_power = self.extra_power.at(values);
        let levels = sums.iter().zip(&self.distances).enumerate();
        let levels = levels.map(|(index, (sum, distance))| {
            let more = extra_power.get(index).copied().unwrap_or(0.0);
            power_to_db(sum + more + background.map_or(0.0, |clutter| clutter.gain(*distance)))
        });
        Ok((levels.collect(), ()))
    }

    fn energy_ties(&self) -> Vec<EnergyTie> {
        energy_ties(self.quantities, self.world.materials())
    }

    fn swings(&self, parameters: &[Parameter]) -> Vec<f64> {
        swings(self.quantities, parameters, self.world)
    }
}

/// The sum over paths with `N` slots each.
fn weighted<const N: usize>(bases: &[f64], slots: &[u16], values: &[f64]) -> f64 {
    let (slots, _) = slots.as_chunks::<N>();
    let paths = bases.iter().zip(slots);
    paths
        .map(|(base, slots)| base * product(slots, values))
        .sum()
}

fn product(slots: &[u16], values: &[f64]) -> f64 {
    slots
        .iter()
        .map(|slot| values[usize::from(*slot)])
        .product()
}

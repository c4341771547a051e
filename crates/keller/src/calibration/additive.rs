//! Predictions from a table of what each interaction costs, for the thousands of evaluations of a genetic algorithm.
//!
//! In dB a path loses what it loses with the materials of the start, plus, for each interaction with a material that may
//! change, the difference that the change makes to a plane wave of this angle and polarisation. Angles and shares of
//! polarisations are put in bins, so a path is a few numbers of a small table. Powers are multiplied instead of adding dB.
//!
//! Exact at the start, but for what bins leave. **Leaves out** how changes turn the polarisation of later interactions, and
//! that of materials at edges, but for their flat losses. Paths far below the sum of their link are put together with those
//! that have the same interactions.
//!
//! Cost: some nanoseconds a path.
//!
//! **Source.** Hu 2020, section 5.5.3, replays with one loss a material and kind of interaction.

use rustc_hash::FxHashMap;

use super::background::Background;
use super::beside::PowerBeside;
use super::histories::Histories;
use super::material_parameters::{Quantity, apply};
use super::objective::Model;
use crate::em::{Surface, Surfaces};
use crate::field::{Incidence, incidences};
use crate::paths::{Interaction, Path};
use crate::scene::MaterialId;
use crate::units::{db_to_power, power_to_db};
use crate::{Error, World};

/// Bins of the square root of the cosine of incidence, and of the share of TE power.
const COSINES: usize = 48;
const SHARES: usize = 9;

/// Gains below this count as this, linear: a table of ratios needs numbers above 0.
const MIN_GAIN: f64 = 1e-30;

/// What an interaction depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Slot {
    /// Index among the materials that change.
    material: u16,
    kind: SlotKind,
    from_front: bool,
    cosine: u8,
    share: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum SlotKind {
    Reflection,
    Transmission,
    Scattering,
    /// One wall of a wedge.
    Diffraction,
}

/// Paths as numbers of a table.
#[derive(Debug, Clone)]
pub struct AdditiveTable<'a> {
    world: &'a World,
    quantities: &'a [Quantity],
    background: Option<Background>,
    beside: PowerBeside,
    distances: Vec<f64>,
    /// The materials that change.
    materials: Vec<MaterialId>,
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
        histories: &Histories,
        quantities: &'a [Quantity],
        (start, gains): (&[f64], &[f64]),
    ) -> Result<Self, Error> {
        assert_eq!(gains.len(), histories.num_paths(), "one gain for each path");
        let of_quantity = |quantity: &Quantity| match quantity {
            Quantity::Material(ids, _) => ids.clone(),
            Quantity::BackgroundLevel | Quantity::BackgroundExponent => Vec::new(),
        };
        let mut materials: Vec<MaterialId> = quantities.iter().flat_map(of_quantity).collect();
        materials.sort_unstable();
        materials.dedup();
        let mut table = Self {
            world,
            quantities,
            background: None,
            beside: PowerBeside::default(),
            distances: histories.links.iter().map(|link| link.distance).collect(),
            materials,
            slots: Vec::new(),
            runs: Vec::new(),
            bases: Vec::new(),
            places: Vec::new(),
            num_paths: histories.num_paths(),
        };
        let (at_start, _) = apply(
            quantities,
            start,
            world.materials(),
            None,
            world.frequency(),
        )?;
        let surfaces = world.surfaces().at(&at_start, world.frequency())?;
        let mut numbers = FxHashMap::default();
        let mut values = Vec::new();
        for (number, link) in histories.links.iter().enumerate() {
            let [tx, _] = histories.antennas(link);
            let mut paths: Vec<(Vec<u16>, f64)> = Vec::with_capacity(link.paths.len());
            for index in link.paths.clone() {
                let path = &histories.paths[index];
                let departure = crate::Direction::from_vector(
                    crate::paths::ahead(path.tx_position, &path.vertices, path.rx_position)
                        .unwrap_or_default(),
                );
                let ports: Vec<_> = tx.fields(departure).collect();
                let found = incidences(path, world.scene(), &surfaces, &ports);
                let mut places = Vec::new();
                for slot in table.slots_of(path, &found) {
                    let next = u16::try_from(numbers.len()).map_err(|_| {
                        Error::Calibration(
                            "more than 65 536 kinds of interactions: let fewer materials change"
                                .to_owned(),
                        )
                    })?;
                    let place = *numbers.entry(slot).or_insert_with(|| {
                        table.slots.push(slot);
                        values.push(table.value(slot, &surfaces));
                        next
                    });
                    places.push(place);
                }
                places.sort_unstable();
                let of_slots: f64 = places
                    .iter()
                    .map(|place| values[usize::from(*place)])
                    .product();
                paths.push((places, gains[index] / of_slots));
            }
            table.add_link(number, paths);
        }
        Ok(table)
    }

    /// The same with a background.
    #[must_use]
    pub fn with_background(self, background: Option<Background>) -> Self {
        Self { background, ..self }
    }

    /// The same with power beside the paths.
    #[must_use]
    pub fn with_power_beside(self, beside: PowerBeside) -> Self {
        Self { beside, ..self }
    }

    /// Number of paths that it stands for.
    pub fn num_paths(&self) -> usize {
        self.num_paths
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

    /// The slots of a path's interactions with materials that change.
    fn slots_of(&self, path: &Path, incidences: &[Option<Incidence>]) -> Vec<Slot> {
        let scene = self.world.scene();
        let index = |id: MaterialId| {
            let index = self.materials.binary_search(&id).ok()?;
            u16::try_from(index).ok()
        };
        let mut slots = Vec::new();
        for (interaction, incidence) in path.interactions().zip(incidences) {
            let kind = match interaction {
                Interaction::Reflection(_) => SlotKind::Reflection,
                Interaction::Transmission(_) => SlotKind::Transmission,
                Interaction::Scattering(..) => SlotKind::Scattering,
                Interaction::Diffraction(edge) => {
                    let [first, second] = scene.edges()[edge.index()].faces;
                    // A sheet shows both of its sides.
                    for face in [first, second.or(first)].into_iter().flatten() {
                        let material = index(scene.face(face).material);
                        slots.extend(material.map(|material| Slot {
                            material,
                            kind: SlotKind::Diffraction,
                            from_front: true,
                            cosine: 0,
                            share: 0,
                        }));
                    }
                    continue;
                }
            };
            let (Some(face), Some(incidence)) = (interaction.face(), incidence) else {
                continue;
            };
            let Some(material) = index(scene.face(face).material) else {
                continue;
            };
            slots.push(Slot {
                material,
                kind,
                from_front: incidence.from_front,
                cosine: bin(incidence.cosine.sqrt(), COSINES),
                share: bin(incidence.te_share, SHARES),
            });
        }
        slots
    }

    /// The part of the power that an interaction leaves.
    fn value(&self, slot: Slot, surfaces: &Surfaces) -> f64 {
        let surface = surfaces.surface(self.materials[usize::from(slot.material)]);
        let cosine = share(slot.cosine, COSINES).powi(2);
        let te = share(slot.share, SHARES);
        let mixed = |of: crate::em::TeTm<num_complex::Complex64>| {
            (te * of.te.norm_sqr() + (1.0 - te) * of.tm.norm_sqr()).max(MIN_GAIN)
        };
        match slot.kind {
            SlotKind::Reflection => mixed(surface.reflection(cosine, slot.from_front)),
            SlotKind::Transmission => mixed(surface.transmission(cosine, slot.from_front)),
            SlotKind::Scattering => {
                let smooth = mixed(surface.smooth_reflection(cosine, slot.from_front));
                (scattered_share(surface) * smooth).max(MIN_GAIN)
            }
            SlotKind::Diffraction => db_to_power(-0.5 * surface.diffraction_loss_db()),
        }
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
        let of_slots: Vec<f64> = self
            .slots
            .iter()
            .map(|slot| self.value(*slot, &surfaces))
            .collect();
        let sums = self.sums(&of_slots);
        let beside = self.beside.at(values);
        let levels = sums.iter().zip(&self.distances).enumerate();
        let levels = levels.map(|(index, (sum, distance))| {
            let more = beside.get(index).copied().unwrap_or(0.0);
            power_to_db(sum + more + background.map_or(0.0, |clutter| clutter.gain(*distance)))
        });
        Ok((levels.collect(), ()))
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

/// Which part of what a smooth wall reflects is scattered.
fn scattered_share(surface: &Surface) -> f64 {
    let scattering = surface.texture().scattering;
    scattering.map_or(0.0, |scattering| scattering.coefficient.powi(2))
}

/// The bin of a number from 0 to 1.
fn bin(value: f64, count: usize) -> u8 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "below 256"
    )]
    let bin = (value.clamp(0.0, 1.0) * (count - 1) as f64).round() as u8;
    bin
}

/// The number at the centre of a bin.
fn share(bin: u8, count: usize) -> f64 {
    f64::from(bin) / (count - 1) as f64
}

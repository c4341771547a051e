//! The diffuse field of a scene, of one Tx in it, and the power that an antenna receives of it.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::DVec3;

use super::caster::{Caster, Met};
use super::decay::decay_time;
use super::exchange_rays::sample_exchange;
use super::options::DiffuseOptions;
use super::patches::Patches;
use super::power_balance::{Balance, Solution};
use super::tx_rays::{ExactPaths, ScatteredPaths, TxSource, antenna_gain};
use crate::antenna::Antenna;
use crate::geometry::sampling::sphere;
use crate::paths::{Devices, Limits};
use crate::power::rays::RayStart;
use crate::scene::{FaceId, PlaneId};
use crate::tiles::Tiles;
use crate::{Control, Error, Tx, World};

/// The exchange of diffuse power between all tiles of a world. Clones share it.
///
/// ```
/// use keller::diffuse::{DiffuseField, DiffuseOptions};
/// use keller::materials::Materials;
/// use keller::paths::Limits;
/// use keller::scene::{Mesh, Scene};
/// use keller::tiles::Tiling;
/// use keller::units::power_to_db;
/// use keller::{Control, DVec3, Frequency, Tx, World, antenna::Antenna};
///
/// // A room of 4 m x 3 m x 2.5 m with walls of concrete.
/// let mut room = Mesh::default();
/// let at = |x: u8, y: u8, z: u8| DVec3::new(4.0 * f64::from(x), 3.0 * f64::from(y), 2.5 * f64::from(z));
/// for corners in [
///     [at(0, 0, 0), at(1, 0, 0), at(1, 1, 0), at(0, 1, 0)],
///     [at(0, 0, 1), at(1, 0, 1), at(1, 1, 1), at(0, 1, 1)],
///     [at(0, 0, 0), at(1, 0, 0), at(1, 0, 1), at(0, 0, 1)],
///     [at(0, 1, 0), at(1, 1, 0), at(1, 1, 1), at(0, 1, 1)],
///     [at(0, 0, 0), at(0, 1, 0), at(0, 1, 1), at(0, 0, 1)],
///     [at(1, 0, 0), at(1, 1, 0), at(1, 1, 1), at(1, 0, 1)],
/// ] {
///     room.add_polygon("concrete", &corners);
/// }
/// let world = World::new(Scene::new(&room)?, &Materials::default(), Frequency::from_ghz(2.4)?)?;
///
/// let options = DiffuseOptions::of_tiling(Tiling::of_side(1.0));
/// let field = DiffuseField::new(&world, &options, &Control::default())?;
/// let tx = Tx { position: DVec3::new(1.0, 1.0, 2.0), antenna: Antenna::default() };
/// let of_tx = field.of_tx(&tx, &Limits::default(), &Control::default())?;
/// let gain = of_tx.gain(DVec3::new(3.0, 2.0, 1.0), &Antenna::default());
/// assert!((-75.0..-45.0).contains(&power_to_db(gain)));
/// assert!(of_tx.decay_time().is_some_and(|time| time < 20e-9));
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct DiffuseField(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    world: World,
    options: DiffuseOptions,
    patches: Patches,
    balance: Balance,
}

/// The diffuse field of one Tx.
#[derive(Debug, Clone)]
pub struct DiffuseTx {
    field: DiffuseField,
    source: TxSource,
    solution: Solution,
    /// The radiosity of each side, W/m².
    radiosity: Vec<f64>,
}

/// The view of an antenna: all visible sides with their weights. It serves any number of Tx.
#[derive(Debug, Clone, PartialEq)]
pub struct DiffuseView(Vec<(u32, f64)>);

/// The balance of the power of a Tx, in W for 1 W into its antenna. Rays follow exact paths, and the diffuse field
/// starts where these end: `diffuse = absorbed + escaped`, and all but that add up to the radiated power.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PowerBudget {
    /// The power lost in walls along rays.
    pub rays_absorbed: f64,
    /// The power gone into the open along rays, or lost in clutter.
    pub rays_escaped: f64,
    /// The source of the diffuse field.
    pub diffuse: f64,
    /// The power lost in walls from the diffuse field.
    pub absorbed: f64,
    /// The power gone into the open from the diffuse field, or lost in clutter.
    pub escaped: f64,
}

impl DiffuseField {
    /// The exchange between the tiles of a world. It serves all Tx.
    ///
    /// # Errors
    /// The errors of [`Tiles::new`], [`Error::Diffuse`] for numbers of rays that are not accepted,
    /// [`Error::Cancelled`].
    pub fn new(world: &World, options: &DiffuseOptions, control: &Control) -> Result<Self, Error> {
        options.check()?;
        let tiles = Tiles::new(world.scene(), options.tiling.clone())?;
        let patches = Patches::new(world, &tiles, control)?;
        let caster = Caster {
            scene: world.scene(),
            patches: &patches,
        };
        let exchange = sample_exchange(caster, options.tile_rays, control)?;
        Ok(Self(Arc::new(Inner {
            world: world.clone(),
            options: options.clone(),
            balance: Balance::new(exchange, &patches),
            patches,
        })))
    }

    /// The diffuse field of a Tx. `limits` are those of the exact paths with which it is used.
    ///
    /// Where `max_scatterings` is positive, the paths that [`PathFinder`](crate::paths::PathFinder) finds have a part
    /// of the power that walls scatter. The field leaves this part out.
    ///
    /// # Errors
    /// [`Error::DevicePosition`], [`Error::Diffuse`] if all power stays in a closed room forever, [`Error::Cancelled`].
    pub fn of_tx(&self, tx: &Tx, limits: &Limits, control: &Control) -> Result<DiffuseTx, Error> {
        self.of_tx_beside(
            tx,
            std::slice::from_ref(limits),
            ScatteredPaths::ToDevices,
            control,
        )
    }

    /// The same with exact paths that any of several limits allows, as
    /// [`PathFinder::of_alternatives`](crate::paths::PathFinder::of_alternatives) finds them. `scattered` says which
    /// paths with a scattering are found.
    ///
    /// # Errors
    /// The errors of [`Self::of_tx`].
    pub fn of_tx_beside(
        &self,
        tx: &Tx,
        alternatives: &[Limits],
        scattered: ScatteredPaths,
        control: &Control,
    ) -> Result<DiffuseTx, Error> {
        let Inner {
            world,
            options,
            balance,
            ..
        } = &*self.0;
        let position = Devices::tx(world.scene(), [tx.position])?[0];
        let source = TxSource::trace(
            self.caster(),
            position,
            &tx.antenna,
            &ExactPaths {
                alternatives,
                scattered,
            },
            options.tx_rays,
            control,
        )?;
        let solution = balance.solve(&source.diffuse, control)?;
        let seen = solution.sent.iter().zip(&balance.exchange.side_areas);
        Ok(DiffuseTx {
            field: self.clone(),
            radiosity: seen.map(|(sent, area)| sent / area).collect(),
            source,
            solution,
        })
    }

    /// The view of an antenna at `position` (metres).
    ///
    /// # Panics
    /// If there are 2^32 sides.
    pub fn view(&self, position: DVec3, antenna: &Antenna) -> DiffuseView {
        let unit = self.gain_of_isotropic();
        let all: Vec<DVec3> = sphere(self.0.options.rx_rays).collect();
        let [view] = self.seen(position, &all, None, |direction| {
            [unit * antenna_gain(antenna, direction)]
        });
        view
    }

    /// The views of a point of a wall: as the gain of an isotropic receiver of both polarisations, and as the power
    /// that falls on a square metre there, W/m² for 1 W into the Tx antenna. `position` (metres) lies on `face`, and
    /// the unit vector `normal` of the face points to the side that is meant.
    ///
    /// # Panics
    /// If there are 2^32 sides.
    pub fn views_from_wall(
        &self,
        position: DVec3,
        normal: DVec3,
        face: FaceId,
    ) -> [DiffuseView; 2] {
        let of_both = 2.0 * self.gain_of_isotropic();
        // The radiance 1 / π of a unit radiosity over the solid angle of a ray.
        let on_wall = 4.0 / f64::from(self.0.options.rx_rays);
        let all = sphere(self.0.options.rx_rays);
        let in_front: Vec<DVec3> = all.filter(|d| d.dot(normal) > 0.0).collect();
        let plane = self.0.world.scene().plane_of(face);
        self.seen(position, &in_front, Some(plane), |direction| {
            [of_both, on_wall * direction.dot(normal)]
        })
    }

    /// Gain of an isotropic antenna of one polarisation for a unit radiosity in the direction of one ray: its effective
    /// area, half for its polarisation, times the radiance 1 / π of a unit radiosity over the solid angle of a ray.
    fn gain_of_isotropic(&self) -> f64 {
        let Inner { world, options, .. } = &*self.0;
        let wavelength = world.frequency().wavelength();
        wavelength * wavelength / (4.0 * PI) * 0.5 / PI * 4.0 * PI / f64::from(options.rx_rays)
    }

    /// The sides that rays from `position` meet, with the sums of the weights that `weigh` gives their directions.
    fn seen<const N: usize>(
        &self,
        position: DVec3,
        directions: &[DVec3],
        left: Option<PlaneId>,
        weigh: impl Fn(DVec3) -> [f64; N],
    ) -> [DiffuseView; N] {
        let starts = directions.iter();
        let starts: Vec<RayStart> = starts
            .map(|direction| RayStart::new(position, *direction, left))
            .collect();
        let met = self.caster().cast(&starts);
        let mut weights: Vec<(u32, [f64; N])> = directions
            .iter()
            .zip(met)
            .filter_map(|(direction, met)| {
                let Met { side, share, .. } = met?;
                Some((side.id(), weigh(*direction).map(|weight| share * weight)))
            })
            .collect();
        weights.sort_by_key(|(side, _)| *side);
        std::array::from_fn(|k| {
            let sum = |all: &[(u32, [f64; N])]| {
                let weights = all.iter().map(|(_, weights)| weights[k]);
                (all[0].0, weights.sum())
            };
            DiffuseView(weights.chunk_by(|a, b| a.0 == b.0).map(sum).collect())
        })
    }

    /// The time in which the energy decays by the factor e in the slowest mode of the whole scene, seconds. `None` if
    /// nothing decays, or nothing comes back. Rooms that no wave reaches count too: see [`DiffuseTx::decay_time`].
    pub fn decay_time(&self) -> Option<f64> {
        decay_time(&self.0.balance, &vec![1.0; self.num_sides()])
    }

    /// The tiles, before they are cut where walls stand on them.
    pub fn tiles(&self) -> &Tiles {
        &self.0.patches.tiles
    }

    /// Number of sides between which power is exchanged: two for each part of a tile.
    pub fn num_sides(&self) -> usize {
        self.0.patches.num_sides()
    }

    /// Number of pairs of sides that exchange power, each direction counted.
    pub fn num_exchanges(&self) -> usize {
        self.0.balance.exchange.columns.len()
    }

    /// The largest share of its power that sampling errors return to any side, 0 to 1.
    pub fn max_returned_share(&self) -> f64 {
        let exchange = &self.0.balance.exchange;
        let shares = exchange.own.iter().zip(&exchange.side_areas);
        shares.map(|(own, area)| own / area).fold(0.0, f64::max)
    }

    fn caster(&self) -> Caster<'_> {
        Caster {
            scene: self.0.world.scene(),
            patches: &self.0.patches,
        }
    }
}

impl DiffuseTx {
    /// Path gain of the diffuse field to an antenna at `position` (metres), linear. Add it to the gain of the exact
    /// paths. An Rx with two ports adds up the power of both.
    ///
    /// # Source
    /// `λ² / (4π) · 1/2 · ∫ L G dΩ` with the radiance `L` of the visible walls, for unpolarised waves (Hill 2009,
    /// section 7.4).
    pub fn gain(&self, position: DVec3, antenna: &Antenna) -> f64 {
        self.gain_of(&self.field.view(position, antenna))
    }

    /// The same for a known view, of [`DiffuseField::view`] or of [`DiffuseField::views_from_wall`].
    pub fn gain_of(&self, view: &DiffuseView) -> f64 {
        let terms = view.0.iter();
        terms
            .map(|(side, weight)| weight * self.radiosity[*side as usize])
            .sum()
    }

    /// The diffuse power that falls on the front and on the back of a tile, W/m² for 1 W into the Tx antenna.
    ///
    /// # Panics
    /// If there is no such tile.
    pub fn incident_power(&self, tile: usize) -> [f64; 2] {
        let patches = &self.field.0.patches;
        let area: f64 = patches.of_tile(tile).map(|p| patches.list[p].area).sum();
        [0, 1].map(|side| {
            let power = patches
                .of_tile(tile)
                .map(|p| self.solution.incident[2 * p + side]);
            if area > 0.0 {
                power.sum::<f64>() / area
            } else {
                0.0
            }
        })
    }

    /// The balance of the power of the Tx.
    pub fn budget(&self) -> PowerBudget {
        let balance = &self.field.0.balance;
        let exchange = &balance.exchange;
        let incident = self.solution.incident.iter().enumerate();
        let escaped = (0..exchange.len())
            .map(|side| self.solution.sent[side] * exchange.open[side] / exchange.side_areas[side]);
        PowerBudget {
            rays_absorbed: self.source.absorbed,
            rays_escaped: self.source.escaped,
            diffuse: self.source.diffuse.iter().sum(),
            absorbed: incident
                .map(|(side, power)| power * balance.absorptance(side))
                .sum(),
            escaped: escaped.sum(),
        }
    }

    /// The time in which the energy decays by the factor e in the slowest mode that the Tx reaches, seconds. `None` if
    /// nothing comes back.
    pub fn decay_time(&self) -> Option<f64> {
        decay_time(&self.field.0.balance, &self.solution.sent)
    }
}

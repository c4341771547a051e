//! A path loss model in a world, for a Tx and any point.

use glam::{DVec2, DVec3};

use super::building::is_in_building;
use super::walls;
use crate::coverage::plan::{Corner, Plan};
use crate::models::{Link, Model, Profile, Streets, Walls, free_space_db};
use crate::units::db_to_power;
use crate::{Direction, Error, Tx, World};

/// A Tx is at least so far from a point along the ground, metres: formulas have no value right below a mast.
const MIN_DISTANCE: f64 = 1.0;

/// The profiles of a Tx are looked up in this many sectors around it.
const NUM_SECTORS: usize = 2048;

/// A path loss model in a world.
#[derive(Debug)]
pub struct Predictor {
    world: World,
    model: Model,
    streets: Streets,
}

/// A [`Predictor`] with a Tx.
#[derive(Debug)]
pub struct FromTx<'a> {
    predictor: &'a Predictor,
    tx: &'a Tx,
    tx_height: f64,
    /// The edges around the Tx, for models that ask for profiles.
    plan: Option<Plan>,
}

impl Predictor {
    /// The predictor of a model in a world. Only [`Model::WalfischIkegami`] looks at `streets`.
    ///
    /// # Errors
    /// [`Error::Model`] for a frequency outside the range of the model.
    pub fn new(world: &World, model: Model, streets: Streets) -> Result<Self, Error> {
        let frequency = world.frequency();
        let [min, max] = model.range().frequency;
        if !(min..=max).contains(&frequency.hz()) {
            return Err(Error::Model(format!(
                "{} holds from {} to {} MHz, and the frequency is {} MHz",
                model.name(),
                min / 1e6,
                max / 1e6,
                frequency.hz() / 1e6
            )));
        }
        Ok(Self {
            world: world.clone(),
            model,
            streets,
        })
    }

    /// The model.
    pub fn model(&self) -> Model {
        self.model
    }

    /// The height of a Tx over the ground, metres: over the lowest point of the scene where there is no ground below
    /// it.
    ///
    /// # Errors
    /// [`Error::Model`] for one that is not over the ground.
    pub fn tx_height(&self, position: DVec3) -> Result<f64, Error> {
        let scene = self.world.scene();
        let ground = scene.ground(position.truncate());
        let height = position.z - ground.unwrap_or(scene.bounds()[0].z);
        if height > 0.0 {
            return Ok(height);
        }
        Err(Error::Model(format!(
            "it stands {:.1} m below the ground; {} takes heights above 0",
            -height,
            self.model.name()
        )))
    }

    /// The predictor from a Tx to any point.
    ///
    /// # Errors
    /// [`Error::Model`] for a Tx below the ground.
    pub fn from_tx<'a>(&'a self, tx: &'a Tx) -> Result<FromTx<'a>, Error> {
        let (scene, centre) = (self.world.scene(), tx.position.truncate());
        let plan = || Plan::new(scene, centre, NUM_SECTORS);
        Ok(FromTx {
            predictor: self,
            tx,
            tx_height: self.tx_height(tx.position)?,
            plan: self.model.needs_profile().then(plan),
        })
    }

    /// The link between two places, whose heights over the ground are given, as it is without a look at the scene.
    pub fn link(&self, tx: DVec3, tx_height: f64, rx: DVec3, rx_height: f64) -> Link {
        let distance: f64 = DVec2::distance(tx.truncate(), rx.truncate());
        Link {
            frequency: self.world.frequency(),
            distance: distance.max(MIN_DISTANCE),
            tx_height,
            rx_height,
            is_visible: true,
            walls: Walls::default(),
            diffraction_db: 0.0,
        }
    }
}

impl FromTx<'_> {
    /// Linear path gain at a point `rx_height` metres over the ground, above zero, with the antenna of the Tx and an
    /// isotropic receiver that takes both polarisations. `None` in buildings, of which the model says nothing.
    ///
    /// Below and above the range of heights of the Rx the nearest height in it counts. Nearer than the range of
    /// distances, a loss is not less than that of free space.
    pub fn gain(&self, point: DVec3, rx_height: f64) -> Option<f64> {
        let Predictor {
            world,
            model,
            streets,
        } = self.predictor;
        let scene = world.scene();
        if !model.is_indoors() && is_in_building(scene, point) {
            return None;
        }
        let from = self.tx.position;
        let mut link = self.predictor.link(from, self.tx_height, point, rx_height);
        if model.needs_visibility() {
            let walls = scene.crossings(from, point, &[], 0, &mut Vec::new());
            link.is_visible = walls.is_some();
        }
        if model.needs_walls() {
            link.walls = walls::between(world, from, point);
        }
        if let Some(plan) = &self.plan {
            link.diffraction_db = self.diffraction_db(plan, point);
        }
        let range = model.range();
        let [min, max] = range.rx_height;
        let within = Link {
            rx_height: rx_height.clamp(min, max),
            ..link
        };
        let mut loss = model.path_loss_db(&within, streets);
        if model.distance(&link) < range.distance[0] {
            let distance = link.slant_distance().max(MIN_DISTANCE);
            loss = loss.max(free_space_db(link.frequency, distance));
        }
        Some(db_to_power(-loss) * self.antenna_gain(point))
    }

    /// The losses of the scene's edges on the way to a point as knife edges, dB.
    fn diffraction_db(&self, plan: &Plan, point: DVec3) -> f64 {
        let Predictor { world, model, .. } = self.predictor;
        let away = (point - self.tx.position).truncate();
        let mut corners = Vec::new();
        plan.profile(world.scene(), plan.sector(away), away, &mut corners);
        let place = |corner: &Corner| corner.place().to_array();
        let profile = Profile {
            length: away.length(),
            ends: [self.tx.position.z, point.z],
            corners: &corners.iter().map(place).collect::<Vec<_>>(),
            curvature: 0.0,
        };
        let loss = model.diffraction_db(&profile, world.frequency());
        loss.expect("only models that ask for profiles have a plan")
    }

    /// The gain of the Tx antenna towards a point, linear. The Rx takes both polarisations; two ports share the power.
    fn antenna_gain(&self, point: DVec3) -> f64 {
        let towards = (point - self.tx.position).try_normalize();
        let direction = Direction::from_vector(towards.unwrap_or(DVec3::NEG_Z));
        let fields = self.tx.antenna.fields(direction);
        let num_ports = fields.len() as f64;
        let power = fields.flatten().map(|component| component.norm_sqr());
        power.sum::<f64>() / num_ports
    }
}

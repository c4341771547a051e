//! Places that a scenario names become positions in a scene: the scene's frame turns longitude and latitude into
//! metres, its ground carries heights above it. The cost is one projection and one vertical ray for each device.

use std::path::PathBuf;

use glam::DVec2;
use keller::DVec3;
use keller::parallel;
use keller::paths::has_room;
use keller::scene::Scene;
use keller_geo::crs::{Frame, Georeference};

use super::error::ScenarioError;
use super::site::{Height, Horizontal, Site};
use super::{CellSettings, Scenario};

/// The largest distance of a longitude and latitude from the scene, metres: a larger one is a mistake.
const MAX_DISTANCE: f64 = 100e3;

/// The number of receivers that are placed together.
const CHUNK: usize = 65_536;

/// The positions of all devices of a scenario in a scene, metres.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Positions {
    /// The position of each `[[tx]]`.
    pub tx: Vec<DVec3>,
    /// The position of each of [`super::Receivers::rx`].
    pub rx: Vec<DVec3>,
    /// The receivers of grids and files that have no place, ascending by [`LeftOut::rx`]. The positions of those
    /// without ground below are meaningless.
    pub left_out: Vec<LeftOut>,
}

/// A receiver of a grid or a file that has no place in the scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeftOut {
    /// Index of [`Positions::rx`].
    pub rx: usize,
    /// The reason why it has none.
    pub reason: NoPlace,
}

/// The reason why a receiver has no place in the scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoPlace {
    /// The receiver, or an element of its array that is traced by itself, stands on or in a wall.
    InWall,
    /// The height counts from the ground, and there is none.
    NoGround,
}

impl NoPlace {
    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::InWall => "on or in a wall",
            Self::NoGround => "over no ground",
        }
    }
}

impl Positions {
    /// Whether a receiver has a place.
    pub fn has_rx(&self, rx: usize) -> bool {
        self.reason(rx).is_none()
    }

    /// The reason why a receiver has no place; `None` if it has one.
    pub fn reason(&self, rx: usize) -> Option<NoPlace> {
        let left_out = &self.left_out;
        let found = left_out.binary_search_by_key(&rx, |left_out| left_out.rx);
        found.ok().map(|index| left_out[index].reason)
    }
}

impl Scenario {
    /// The positions of all devices in `scene`, which the files of `[scene]` make up and which lies at `georeference`.
    ///
    /// # Errors
    /// [`ScenarioError`] for a longitude and latitude or an altitude if the scene does not state its place on earth,
    /// for a longitude and latitude more than 100 km away from it, and for a height above ground if there is no ground.
    /// Grids and files leave out receivers without ground, and those on or in a wall, unless they are `strict`; no grid
    /// leaves out all.
    pub fn positions(
        &self,
        scene: &Scene,
        georeference: Option<&Georeference>,
    ) -> Result<Positions, ScenarioError> {
        let ground = |at| scene.ground(at);
        let surroundings = Surroundings::of_scene(self, scene, &ground, georeference)?;
        let tx = self.tx.iter().enumerate().map(|(i, tx)| {
            let placed = surroundings.position(tx.site);
            placed.map_err(|Unplaced { key, problem }| {
                let key = format!("[[tx]] {i} {key}");
                ScenarioError::new(&tx.file, Some(tx.line), key, problem)
            })
        });
        let tx = tx.collect::<Result<_, _>>()?;
        let receivers = &self.receivers;
        let mut rx = Vec::with_capacity(receivers.rx.len());
        let mut left_out = Vec::new();
        for start in (0..receivers.rx.len()).step_by(CHUNK) {
            let end = receivers.rx.len().min(start + CHUNK);
            let placed = parallel::map(end - start, |n| {
                let i = start + n;
                let site = receivers.site(i);
                let placed = surroundings.position(site);
                if !receivers.may_leave_out(i) {
                    return placed.map(|at| (at, None));
                }
                match placed {
                    Ok(at) => {
                        let has_room = receivers.points(i, at).all(|at| has_room(scene, at));
                        Ok((at, (!has_room).then_some(NoPlace::InWall)))
                    }
                    Err(error)
                        if receivers.is_of_grid(i) || error.key == Height::AboveGround.name() =>
                    {
                        Ok((site.at, Some(NoPlace::NoGround)))
                    }
                    Err(error) => Err(error),
                }
            });
            // The first error is that of the first receiver, for any number of threads.
            for (i, placed) in (start..end).zip(placed) {
                let of_receiver =
                    |Unplaced { key, problem }| receivers.error(i, key, problem.as_str());
                let (at, reason) = placed.map_err(of_receiver)?;
                rx.push(at);
                left_out.extend(reason.map(|reason| LeftOut { rx: i, reason }));
            }
        }
        let positions = Positions { tx, rx, left_out };
        self.check_grids(&positions)?;
        Ok(positions)
    }

    /// Refuses a grid without any point at which a receiver can stand.
    fn check_grids(&self, positions: &Positions) -> Result<(), ScenarioError> {
        let receivers = &self.receivers;
        let mut rest = 0..receivers.rx.len();
        while let Some(first) = rest.next() {
            let group = receivers.rx[first].group;
            let end = receivers.rx.partition_point(|rx| rx.group <= group);
            rest.start = end;
            if receivers.is_of_grid(first) && (first..end).all(|rx| !positions.has_rx(rx)) {
                let problem = format!(
                    "none of its {} points has room for a receiver: all lie inside walls or over no ground",
                    end - first
                );
                return Err(receivers.error(first, "", &problem));
            }
        }
        Ok(())
    }

    /// The corners of a region without `min` and `max`: the scene's, or those of the smallest box in x and y around
    /// `bounds_deg`.
    ///
    /// # Errors
    /// [`ScenarioError`] for `bounds_deg` if the scene does not state its place on earth, or lies more than 100 km
    /// away.
    pub fn coverage_bounds(
        &self,
        region: &CellSettings,
        scene: &Scene,
        georeference: Option<&Georeference>,
    ) -> Result<[DVec3; 2], ScenarioError> {
        let [low, high] = scene.bounds();
        let Some([west, south, east, north]) = region.bounds_deg else {
            return Ok([low, high]);
        };
        let ground = |at| scene.ground(at);
        let surroundings = Surroundings::of_scene(self, scene, &ground, georeference)?;
        let (mut min, mut max) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        // Parallels and meridians are curved in the scene: the centres of the sides count too.
        for lon in [west, f64::midpoint(west, east), east] {
            for lat in [south, f64::midpoint(south, north), north] {
                let at = surroundings.local(DVec2::new(lon, lat)).map_err(|error| {
                    let key = "[coverage] bounds_deg";
                    ScenarioError::new(&self.file, Some(region.line), key, error.problem)
                })?;
                (min, max) = (min.min(at), max.max(at));
            }
        }
        Ok([min.extend(low.z), max.extend(high.z)])
    }
}

/// The reason why a device or a building has no place.
#[derive(Debug)]
pub(super) struct Unplaced {
    pub(super) key: &'static str,
    pub(super) problem: String,
}

/// The surroundings in which sites are found.
pub(super) struct Surroundings<'a> {
    /// The scene files, for messages.
    pub(super) files: &'a [PathBuf],
    /// Minimum and maximum coordinates of the scene, metres.
    pub(super) bounds: [DVec3; 2],
    /// The height of the ground at x and y, metres.
    pub(super) ground: &'a (dyn Fn(DVec2) -> Option<f64> + Sync),
    pub(super) frame: Option<Frame>,
}

impl<'a> Surroundings<'a> {
    fn of_scene(
        scenario: &'a Scenario,
        scene: &Scene,
        ground: &'a (dyn Fn(DVec2) -> Option<f64> + Sync),
        georeference: Option<&Georeference>,
    ) -> Result<Self, ScenarioError> {
        let frame = georeference.map(Frame::new).transpose().map_err(|error| {
            let file = scenario.scene.files.first().unwrap_or(&scenario.file);
            ScenarioError::new(file, None, "", error.to_string())
        })?;
        Ok(Self {
            files: &scenario.scene.files,
            bounds: scene.bounds(),
            ground,
            frame,
        })
    }

    pub(super) fn position(&self, site: Site) -> Result<DVec3, Unplaced> {
        let at = site.at.truncate();
        let at = match site.coordinates.horizontal {
            Horizontal::Local => at,
            Horizontal::LonLat => self.local(at)?,
        };
        let height = site.at.z;
        let z = match site.coordinates.height {
            Height::Local => height,
            Height::AboveGround => self.ground(at)? + height,
            Height::Altitude => height - self.frame(Height::Altitude.name())?.origin().z,
        };
        Ok(at.extend(z))
    }

    /// The x and y in the scene of a longitude and latitude.
    pub(super) fn local(&self, lon_lat: DVec2) -> Result<DVec2, Unplaced> {
        let [key, _] = Horizontal::LonLat.names();
        let frame = self.frame(key)?;
        let [low, high] = self.bounds.map(DVec3::truncate);
        let distance = |at: DVec2| at.distance(at.clamp(low, high));
        let is_near = |at: &DVec2| distance(*at) <= MAX_DISTANCE;
        let local = frame.from_lon_lat(lon_lat);
        if let Some(local) = local.as_ref().ok().filter(|at| is_near(at)) {
            return Ok(*local);
        }
        let away = match &local {
            Ok(at) => format!("lies {:.0} km from the scene", distance(*at) / 1e3),
            Err(_) => "lies far from the scene".to_owned(),
        };
        let centre = frame.to_lon_lat(0.5 * (low + high));
        let centre = centre.map_or_else(
            |_| format!("in {}", frame.crs().name()),
            |at| format!("around longitude {:.5}, latitude {:.5}", at.x, at.y),
        );
        let swapped = frame.from_lon_lat(DVec2::new(lon_lat.y, lon_lat.x));
        let advice = if swapped.is_ok_and(|at| is_near(&at)) {
            "longitude and latitude are swapped".to_owned()
        } else {
            format!("accepted: at most {:.0} km away", MAX_DISTANCE / 1e3)
        };
        Err(Unplaced {
            key,
            problem: format!(
                "longitude {}, latitude {} {away}, which is {centre}; {advice}",
                lon_lat.x, lon_lat.y
            ),
        })
    }

    fn ground(&self, at: DVec2) -> Result<f64, Unplaced> {
        (self.ground)(at).ok_or_else(|| {
            let [low, high] = self.bounds;
            Unplaced {
                key: Height::AboveGround.name(),
                problem: format!(
                    "there is no ground under x = {:.2}, y = {:.2}; the scene reaches from ({:.2}, {:.2}) to ({:.2}, {:.2})",
                    at.x, at.y, low.x, low.y, high.x, high.y
                ),
            }
        })
    }

    /// The frame, which `key` needs.
    fn frame(&self, key: &'static str) -> Result<&Frame, Unplaced> {
        self.frame.as_ref().ok_or_else(|| {
            let files = self.files.iter();
            let files: Vec<_> = files.map(|file| file.display().to_string()).collect();
            Unplaced {
                key,
                problem: format!(
                    "the scene does not say where on earth it lies ({}); accepted: a scene made by `keller import`, or places in the scene's own metres",
                    files.join(", ")
                ),
            }
        })
    }
}

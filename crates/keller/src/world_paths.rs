//! The short way from positions to gains: the paths of a world, with the fields along them.
//!
//! [`World::paths`] checks positions and calls [`find_paths`]. Who wants to follow its progress, or to stop it, calls that.

use std::ops::Deref;

use glam::DVec3;

use crate::antenna::Antenna;
use crate::field::PathField;
use crate::parallel;
use crate::paths::{Devices, Path, PathOptions, find_paths};
use crate::{Control, Error, World};

/// All paths of a world from some transmitters to some receivers, sorted by (tx, rx, length), as [`World::paths`] finds them.
///
/// It is a slice of [`Path`]s, and a loop over it takes them out.
#[derive(Debug, Clone)]
pub struct Paths {
    world: World,
    all: Vec<Path>,
    num_tx: usize,
    num_rx: usize,
}

impl World {
    /// All paths from every position of `tx` to every position of `rx`, metres, with the default [`PathOptions`].
    ///
    /// ```
    /// use keller::units::power_to_db;
    /// use keller::{DVec3, Frequency, World, materials::Materials, scene::{Mesh, Scene}};
    ///
    /// let mut ground = Mesh::default();
    /// ground.add_polygon("concrete", &[[-9., -9.], [9., -9.], [9., 9.], [-9., 9.]].map(|[x, y]| DVec3::new(x, y, 0.)));
    /// let world = World::new(Scene::new(&ground)?, &Materials::default(), Frequency::from_ghz(3.5)?)?;
    /// let paths = world.paths(&[DVec3::new(-4., 0., 3.)], &[DVec3::new(4., 0., 3.), DVec3::new(4., 0., 1.5)])?;
    /// let of_first: Vec<f64> = paths.of_link(0, 0).iter().map(|path| path.length).collect();
    /// assert_eq!(of_first, [8.0, 10.0]); // direct, and by the ground
    ///
    /// // The gain of each path, and of each link.
    /// let (gains, links) = (paths.gains(), paths.link_gains());
    /// assert_eq!(links[1][0], gains[2] + gains[3]);
    /// assert_eq!(power_to_db(gains[0]).round(), -61.0);
    /// # Ok::<(), keller::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoDevice`] without any position, [`Error::DevicePosition`] for the first that cannot be used.
    pub fn paths(&self, tx: &[DVec3], rx: &[DVec3]) -> Result<Paths, Error> {
        self.paths_with(tx, rx, &PathOptions::default())
    }

    /// All paths from every position of `tx` to every position of `rx`, metres, that `options` ask for.
    ///
    /// # Errors
    /// The errors of [`Self::paths`], and those of [`find_paths`].
    pub fn paths_with(
        &self,
        tx: &[DVec3],
        rx: &[DVec3],
        options: &PathOptions,
    ) -> Result<Paths, Error> {
        let tx = Devices::tx(self.scene(), tx)?;
        let rx = Devices::rx(self.scene(), rx)?;
        // Edges know how many walls such paths may pass.
        let world = options.limits.world(self);
        Ok(Paths {
            all: find_paths(&world, &tx, &rx, options, &Control::default())?,
            world,
            num_tx: tx.len(),
            num_rx: rx.len(),
        })
    }
}

impl Paths {
    /// The field along each path, in their order.
    pub fn fields(&self) -> Vec<PathField> {
        parallel::map_slice(&self.all, |path| PathField::new(path, &self.world))
    }

    /// The gain of each path, linear, between isotropic antennas of vertical polarisation.
    pub fn gains(&self) -> Vec<f64> {
        self.gains_between(&Antenna::default(), &Antenna::default())
    }

    /// The gain of each path, linear, between these antennas: see [`PathField::gain`].
    pub fn gains_between(&self, tx: &Antenna, rx: &Antenna) -> Vec<f64> {
        parallel::map_slice(&self.all, |path| {
            PathField::new(path, &self.world).gain(tx, rx)
        })
    }

    /// The gain of each link, linear, `[num_rx][num_tx]`: those of its paths, as [`Self::gains`] has them, added as powers. It is
    /// zero without a path.
    pub fn link_gains(&self) -> Vec<Vec<f64>> {
        let mut links = vec![vec![0.0; self.num_tx]; self.num_rx];
        for (path, gain) in self.all.iter().zip(self.gains()) {
            links[path.rx][path.tx] += gain;
        }
        links
    }

    /// The paths from one Tx to one Rx, by their numbers, the shortest first.
    ///
    /// # Panics
    /// If there is no such Tx or Rx.
    pub fn of_link(&self, tx: usize, rx: usize) -> &[Path] {
        assert!(
            tx < self.num_tx && rx < self.num_rx,
            "no link from Tx {tx} to Rx {rx} among {} and {}",
            self.num_tx,
            self.num_rx
        );
        &self.all[self.start_of((tx, rx))..self.start_of((tx, rx + 1))]
    }

    /// These paths with the fields of another world, which [`World::at`] or [`World::with_materials`] has made from
    /// theirs. Nothing is traced again.
    ///
    /// # Panics
    /// If the other world does not [share the scene](World::shared_scene).
    #[must_use]
    pub fn replay(&self, world: &World) -> Self {
        self.world.assert_same_scene(world);
        let passages = self.world.surfaces().passages();
        Self {
            world: world.clone().with_passages(passages),
            ..self.clone()
        }
    }

    /// The world, for paths of these limits: see [`Limits::world`](crate::paths::Limits::world).
    pub fn world(&self) -> &World {
        &self.world
    }

    fn start_of(&self, link: (usize, usize)) -> usize {
        self.all.partition_point(|path| (path.tx, path.rx) < link)
    }
}

impl Deref for Paths {
    type Target = [Path];

    fn deref(&self) -> &[Path] {
        &self.all
    }
}

impl IntoIterator for Paths {
    type Item = Path;
    type IntoIter = std::vec::IntoIter<Path>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl<'a> IntoIterator for &'a Paths {
    type Item = &'a Path;
    type IntoIter = std::slice::Iter<'a, Path>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.iter()
    }
}

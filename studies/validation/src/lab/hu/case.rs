//! A scene with a surface, the voxels next to it, and the results of a method there.

use anyhow::Result;
use glam::DVec3;
use keller::antenna::{Antenna, Pattern};
use keller::coverage::Region;
use keller::materials::Materials;
use keller::scene::{Mesh, Scene};
use keller::{Frequency, Tx, World};

use super::methods::{Errors, Method, Run, limits};

/// A scene with a Tx and the voxels next to a surface.
pub(super) struct Case {
    pub(super) world: World,
    pub(super) tx: Tx,
    pub(super) region: Region,
    /// Voxels with centres in front of the surface and less than half a voxel off, by kind.
    pub(super) near: Vec<Vec<usize>>,
    /// Voxels with centres behind the surface.
    pub(super) behind: Vec<usize>,
    /// The lowest voxel of each column whose centre is in front.
    pub(super) lowest: Vec<Option<usize>>,
}

impl Case {
    pub(super) fn new(mesh: &Mesh, position: DVec3, region: Region) -> Result<Self> {
        let frequency = Frequency::from_ghz(2.4)?;
        let world = World::new(Scene::new(mesh)?, &Materials::default(), frequency)?;
        let antenna = Antenna {
            pattern: Pattern::from_name("isotropic")?,
            ..Antenna::default()
        };
        let tx = Tx { position, antenna };
        Ok(Self {
            world,
            tx,
            region,
            near: Vec::new(),
            behind: Vec::new(),
            lowest: Vec::new(),
        })
    }

    /// Sorts voxels: `distance` is from the surface to a point, positive in front; `kind` is one of `kinds`.
    pub(super) fn sort(
        &mut self,
        kinds: usize,
        distance: impl Fn(DVec3) -> f64,
        kind: impl Fn(DVec3) -> usize,
    ) {
        self.near = vec![Vec::new(); kinds];
        let [nx, ny, _] = self.region.shape();
        self.lowest = vec![None; nx * ny];
        for number in 0..self.region.num_cells() {
            let Some(centre) = self.region.centre(self.region.cell(number), &[]) else {
                continue;
            };
            let off = distance(centre) / self.region.resolution.x;
            if off > 0.0 {
                self.lowest[number % (nx * ny)].get_or_insert(number);
            }
            if off.abs() < 0.5 {
                if off > 0.0 {
                    self.near[kind(centre)].push(number);
                } else {
                    self.behind.push(number);
                }
            }
        }
    }

    /// Errors of each kind of voxels in front, share of the voxels behind that are filled, and the run.
    pub(super) fn run(&self, method: Method) -> Result<(Vec<Errors>, f64, Run)> {
        let run = Run::of(method, &self.world, &self.region, &self.tx, &limits(0))?;
        let factor = self.world.frequency().wavelength() / (4.0 * std::f64::consts::PI);
        let exact = |number: &usize| {
            let centre = self.region.centre(self.region.cell(*number), &[]);
            let distance = centre.map_or(f64::NAN, |c| c.distance(self.tx.position));
            [run.gains[*number], (factor / distance).powi(2)]
        };
        let errors = self.near.iter().map(|of| Errors::of(of.iter().map(exact)));
        let filled = self.behind.iter().filter(|n| run.gains[**n] > 0.0).count();
        let behind = filled as f64 / self.behind.len().max(1) as f64;
        Ok((errors.collect(), behind, run))
    }
}

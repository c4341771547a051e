//! Files of paths: the data that their paths follow from, and whether a run asks for the same.

use std::path::Path as FilePath;

use keller::paths::{Endpoints, Interaction, Path, Search};
use keller::scene::{MaterialId, Scene};
use keller_io::store::Digest;
use keller_io::store::paths::{PathBlock, PathDigests, PathFile};

use crate::ends::Ends;
use crate::{Error, Job, PathEnds};

/// A wall that lets less than this amplitude through is opaque: 200 dB.
const MIN_TRANSMISSION: f64 = 1e-10;

impl Job {
    /// The digests of all that the paths between these points follow from: a [file of paths](PathFile) keeps them.
    ///
    /// # Errors
    /// The errors of [`Job::paths`] for devices that cannot be used.
    pub fn path_digests(&self, points: PathEnds) -> Result<PathDigests, Error> {
        let ends = Ends::new(points, &self.scenario, &self.positions)?;
        Ok(self.digests(&ends))
    }

    /// The file of paths, if its paths are those that the job asks for between these points.
    pub(crate) fn path_file(&self, name: &FilePath, ends: &Ends) -> Result<PathFile, Error> {
        let file = PathFile::open(name).map_err(|error| Error::Input(error.to_string()))?;
        let (found, wanted) = (file.digests(), self.digests(ends));
        let scenario = self.scenario.file.display();
        let problem = if found.scene != wanted.scene {
            "these paths are of another scene than that of"
        } else if found.devices != wanted.devices {
            "these paths run between other Tx and Rx than those of"
        } else if found.search != wanted.search {
            "these paths were found with other [paths] or search, or through other walls, than those of"
        } else {
            return Ok(file);
        };
        Err(Error::Input(format!(
            "{}: {problem} {scenario}; accepted: what `keller paths` writes for this scenario",
            name.display()
        )))
    }

    /// The same for points that are known.
    fn digests(&self, ends: &Ends) -> PathDigests {
        let (scene, paths) = (self.world.scene(), &self.scenario.paths);
        let mut of_scene = Digest::new();
        of_scene.add_scene(scene);

        let mut devices = Digest::new();
        devices.add(&[&ends.tx, &ends.rx]);

        let mut search = Digest::new();
        let thresholds = [paths.power_threshold_db, paths.relative_threshold_db];
        search.add(&self.search());
        search.add(&paths.all_limits());
        search.add(&thresholds);
        search.add(&self.passed());
        let scatters = paths.largest(|limits| limits.max_scatterings) > 0 && self.world.scatters();
        if scatters || thresholds != [None; 2] {
            // The size of the pieces of rough walls, and the threshold of weak paths, follow from the materials.
            search.add(&self.world.materials());
            search.add(&self.world.frequency());
        }
        if thresholds != [None; 2] {
            self.add_devices(&mut search);
        }
        if self.search() == Search::Tiles {
            search.add(&self.scenario.tiles);
        }
        PathDigests {
            scene: of_scene.finish(),
            devices: devices.finish(),
            search: search.finish(),
        }
    }

    /// For each material, whether waves pass it.
    fn passed(&self) -> Vec<bool> {
        let materials = 0..self.world.scene().materials().len();
        materials
            .map(|index| {
                let surface = self.world.surfaces().surface(MaterialId::from_index(index));
                let through = surface.transmission(1.0, true);
                through.te.norm().max(through.tm.norm()) >= MIN_TRANSMISSION
            })
            .collect()
    }
}

/// Whether the paths of a block run between the points of its devices, and the scene has all that they meet. Its Tx and receivers must
/// exist.
pub(crate) fn fits(block: &PathBlock, ends: &Ends, scene: &Scene) -> bool {
    let tx = ends.tx.of_device(block.tx);
    let [of_tx, of_rx] = [&ends.tx, &ends.rx].map(Endpoints::positions);
    block.links().all(|(rx, paths)| {
        let rx = ends.rx.of_device(rx);
        paths.iter().all(|path| {
            tx.contains(&path.tx)
                && rx.contains(&path.rx)
                && path.tx_position == of_tx[path.tx]
                && path.rx_position == of_rx[path.rx]
                && is_in(path, scene)
        })
    })
}

/// Whether a scene has all that a path meets.
fn is_in(path: &Path, scene: &Scene) -> bool {
    path.vertices.iter().all(|vertex| {
        let index = vertex.interaction.object_index();
        match vertex.interaction {
            Interaction::Diffraction(_) => index < scene.edges().len(),
            _ => index < scene.faces().len(),
        }
    })
}

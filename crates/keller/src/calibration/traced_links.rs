//! The paths of all links, found once and evaluated many times.

use std::ops::Range;

use super::material_parameters::Quantity;
use crate::antenna::Antenna;
use crate::paths::Path;
use crate::scene::{MaterialId, Scene};

/// The paths of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedLink {
    /// Index of the antenna of the Tx, and of that of the Rx, in those of the [`TracedLinks`].
    pub antennas: [usize; 2],
    /// The distance from the Tx to the Rx, metres.
    pub distance: f64,
    /// Every path that some choice of parameters needs.
    pub paths: Vec<Path>,
}

/// The paths of all links.
#[derive(Debug, Clone, PartialEq)]
pub struct TracedLinks {
    pub(super) tx: Vec<Antenna>,
    pub(super) rx: Vec<Antenna>,
    pub(super) links: Vec<Link>,
    pub(super) paths: Vec<Path>,
    /// The materials on which each path depends, as bits.
    depends_on: Vec<u64>,
}

/// A link.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) antennas: [usize; 2],
    pub(super) distance: f64,
    pub(super) paths: Range<usize>,
}

impl TracedLinks {
    /// Some links in a scene with their paths; `tx` and `rx` are the antennas that they name.
    ///
    /// # Panics
    /// If a link names an antenna that is not there.
    pub fn new(
        scene: &Scene,
        tx: Vec<Antenna>,
        rx: Vec<Antenna>,
        traced: impl IntoIterator<Item = TracedLink>,
    ) -> Self {
        let mut all = Self {
            tx,
            rx,
            links: Vec::new(),
            paths: Vec::new(),
            depends_on: Vec::new(),
        };
        for link in traced {
            let [of_tx, of_rx] = link.antennas;
            assert!(
                of_tx < all.tx.len() && of_rx < all.rx.len(),
                "antennas of a link"
            );
            let start = all.paths.len();
            all.depends_on
                .extend(link.paths.iter().map(|path| depends_on(path, scene)));
            all.paths.extend(link.paths);
            all.links.push(Link {
                antennas: link.antennas,
                distance: link.distance,
                paths: start..all.paths.len(),
            });
        }
        all
    }

    /// Number of links.
    pub fn num_links(&self) -> usize {
        self.links.len()
    }

    /// Number of paths of all links.
    pub fn num_paths(&self) -> usize {
        self.paths.len()
    }

    /// Number of paths of a link.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn num_paths_of(&self, link: usize) -> usize {
        self.links[link].paths.len()
    }

    /// Number of paths that change with a quantity.
    pub fn num_dependent(&self, quantity: &Quantity) -> usize {
        match quantity {
            Quantity::Material(ids, _) => self.dependent(ids).count(),
            Quantity::BackgroundLevel | Quantity::BackgroundExponent => self.num_paths(),
        }
    }

    /// The indices of the paths that depend on some materials.
    pub(super) fn dependent(&self, ids: &[MaterialId]) -> impl Iterator<Item = usize> {
        let wanted = ids.iter().fold(0, |bits, id| bits | bit(*id));
        let paths = self.depends_on.iter().enumerate();
        paths
            .filter(move |(_, bits)| *bits & wanted != 0)
            .map(|(index, _)| index)
    }

    /// The antennas of a link.
    pub(super) fn antennas(&self, link: &Link) -> [&Antenna; 2] {
        let [tx, rx] = link.antennas;
        [&self.tx[tx], &self.rx[rx]]
    }
}

/// The materials of the faces and edges of a path. Materials that share a bit only cost time.
fn depends_on(path: &Path, scene: &Scene) -> u64 {
    let of_face = |face| bit(scene.face(face).material);
    path.interactions().fold(0, |bits, interaction| {
        let here = match (interaction.face(), interaction.edge()) {
            (Some(face), _) => of_face(face),
            (_, Some(edge)) => {
                let faces = scene.edges()[edge.index()].faces.into_iter().flatten();
                faces.fold(0, |bits, face| bits | of_face(face))
            }
            _ => 0,
        };
        bits | here
    })
}

fn bit(id: MaterialId) -> u64 {
    1 << (id.index() % 64)
}

//! Steps 3 to 6 for one transmitter after the other, and as many receivers at a time as the caller wants.

use glam::DVec3;
use rayon::prelude::*;

use super::beside::look_beside;
use super::connect::connect;
use super::diffract::diffract;
use super::scatter::scatter;
use super::search::Searcher;
use super::search::views::Views;
use super::solve::images::PlaneBoxes;
use super::{Limits, Path, Search, Transparency};
use crate::scene::Scene;
use crate::{Control, Error};

/// Finds the paths of a scene. What a transmitter sees is looked for once, and serves any number of receivers.
#[derive(Debug)]
pub struct PathFinder<'a> {
    scene: &'a Scene,
    limits: &'a Limits,
    transparency: &'a Transparency,
    searcher: Searcher<'a>,
    boxes: PlaneBoxes,
}

/// A transmitter and what it sees.
#[derive(Debug)]
pub struct Viewpoint {
    index: usize,
    position: DVec3,
    views: Views,
}

impl<'a> PathFinder<'a> {
    /// Gets the search ready: for `complete` that takes a part of a second in a city.
    pub fn new(
        scene: &'a Scene,
        limits: &'a Limits,
        transparency: &'a Transparency,
        search: Search,
    ) -> Self {
        Self {
            scene,
            limits,
            transparency,
            searcher: Searcher::new(search, scene, limits, transparency),
            boxes: PlaneBoxes::new(scene),
        }
    }

    /// What the transmitter `index` at `position` sees.
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`] from the exhaustive search, [`Error::Cancelled`].
    pub fn look_from(
        &self,
        index: usize,
        position: DVec3,
        control: &Control,
    ) -> Result<Viewpoint, Error> {
        Ok(Viewpoint {
            index,
            position,
            views: self.searcher.tx_views(position, control)?,
        })
    }

    /// Every path to every receiver that the search proposes and that is really there, sorted by (rx, length). Each receiver's do not
    /// depend on the others. Positions must have passed [`super::check_devices`].
    ///
    /// # Errors
    /// [`Error::SearchTooLarge`], [`Error::Cancelled`].
    pub fn paths(
        &self,
        tx: &Viewpoint,
        rx: &[DVec3],
        control: &Control,
    ) -> Result<Vec<Path>, Error> {
        let job = Job {
            scene: self.scene,
            limits: self.limits,
            transparency: self.transparency,
            boxes: &self.boxes,
            control,
        };
        let tx = Transmitter {
            index: tx.index,
            position: tx.position,
            views: &tx.views,
        };
        let mut paths = connect(&job, &tx, rx)?;
        if self.limits.max_diffractions > 0 {
            paths.extend(diffract(&job, &self.searcher, &tx, rx)?);
        }
        if let Some(reach) = self.searcher.reach_beside() {
            paths.sort_by_key(|path| path.rx);
            paths.extend(look_beside(&job, &tx, rx, &paths, reach)?);
        }
        if self.limits.max_scatterings > 0 {
            paths.extend(scatter(&job, &self.searcher, &tx, rx)?);
        }
        paths.par_sort_by(order);
        Ok(paths)
    }
}

/// What all stages of one call have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job<'a> {
    pub(super) scene: &'a Scene,
    pub(super) limits: &'a Limits,
    pub(super) transparency: &'a Transparency,
    pub(super) boxes: &'a PlaneBoxes,
    pub(super) control: &'a Control<'a>,
}

/// A transmitter and what it sees.
#[derive(Debug, Clone, Copy)]
pub(super) struct Transmitter<'a> {
    pub(super) index: usize,
    pub(super) position: DVec3,
    pub(super) views: &'a Views,
}

/// Sorts by (tx, rx, length); equal lengths, as in a symmetric room, by what the paths meet.
fn order(a: &Path, b: &Path) -> std::cmp::Ordering {
    let objects = |p: &Path| {
        p.interactions
            .iter()
            .map(|i| (i.kind, i.object))
            .collect::<Vec<_>>()
    };
    (a.tx, a.rx)
        .cmp(&(b.tx, b.rx))
        .then(a.length.total_cmp(&b.length))
        .then_with(|| objects(a).cmp(&objects(b)))
}

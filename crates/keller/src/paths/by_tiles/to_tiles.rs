//! The exact paths to the centre of every tile, from the chains that the search over tiles finds.
//!
//! A tile's centre lies in a wall, whose plane does not block arriving waves. A wave along the wall is a path if it
//! comes from an edge of that wall. Tiles are not visible from each other along their plane, so all tiles of an edge's
//! faces are tried.

use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::coarse::Coarse;
use super::from_tiles::FromTiles;
use crate::geometry::tolerance::{IN_PLANE_DISTANCE, SHARED_PLANE_DISTANCE};
use crate::parallel;
use crate::paths::grazing::sides_along;
use crate::paths::job::{Job, Transmitter};
use crate::paths::search::tiles::{CoarseChain, Unfollowed};
use crate::paths::search::views::Views;
use crate::paths::sequence::Step;
use crate::paths::solve::{Unfolded, Waypoint};
use crate::paths::validate::Validator;
use crate::paths::{Interaction, Path};
use crate::scene::{PlaneId, Scene};
use crate::tiles::{Tile, Tiles, VisibilityRows, row_ids};
use crate::{Control, Error, Stage};

/// Chains of reflecting planes and edges from a transmitter, and the tiles to which each may lead.
#[derive(Debug)]
pub struct TileChains {
    tx: DVec3,
    tiles: Tiles,
    chains: Vec<Vec<Step>>,
    /// The index in `of_tiles` at which the chains of each tile begin, and the end of the last.
    starts: Vec<usize>,
    of_tiles: Vec<u32>,
    paired: Option<Paired>,
    /// The largest number of edges of which no chain is lost, if any.
    all_up_to: Option<usize>,
    have_first_edges: bool,
    are_lit_in_part: bool,
    unfollowed: Unfollowed,
}

/// The chains of one interaction to which pairs of tiles lead. These chains are found without pairs; the record says
/// how many of them the pairs find.
#[derive(Debug)]
struct Paired {
    chains: FxHashMap<Step, Vec<u32>>,
    rows: Arc<dyn VisibilityRows>,
}

impl Paired {
    fn of(chains: &[CoarseChain], rows: &Arc<dyn VisibilityRows>) -> Self {
        let of_one = chains.iter().filter(|chain| chain.steps.len() == 1);
        let of_one = of_one.map(|chain| (chain.steps[0], chain.rx.clone()));
        Self {
            chains: of_one.collect(),
            rows: Arc::clone(rows),
        }
    }

    /// Whether a tile around the only reflection of a path sees the path's tile.
    fn sees_from_reflection(&self, scene: &Scene, tiles: &Tiles, path: &Path) -> Option<bool> {
        let [only] = &path.vertices[..] else {
            return None;
        };
        let Interaction::Reflection(face) = only.interaction else {
            return None;
        };
        // A wave through a neighbour counts too if it passes near the centre of the path's tile.
        let (u, v) = scene.plane(scene.plane_of(face)).axes();
        let half = 0.5 * tiles.tiling().side;
        let steps = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
        let around = steps.map(|(x, y)| only.point + half * (x * u + y * v));
        let mut around = around.iter().filter_map(|at| tiles.at(face, *at));
        Some(around.any(|tile| {
            row_ids(self.rows.row(tile))
                .flatten()
                .any(|seen| seen as usize == path.rx)
        }))
    }

    /// Whether they have the only interaction of a path, to its tile.
    fn has(&self, scene: &Scene, path: &Path) -> bool {
        let [only] = path.vertices[..] else {
            return false;
        };
        let step = match only.interaction {
            Interaction::Reflection(face) | Interaction::Transmission(face) => {
                Step::Reflection(scene.plane_of(face))
            }
            Interaction::Diffraction(edge) => Step::Diffraction(edge),
            Interaction::Scattering(..) => return false,
        };
        let tile = u32::try_from(path.rx).expect("fewer than 2^32 tiles");
        let of_step = self.chains.get(&step);
        of_step.is_some_and(|tiles| tiles.binary_search(&tile).is_ok())
    }
}

impl TileChains {
    pub(super) fn new(
        coarse: &Coarse,
        from_tiles: Option<&FromTiles>,
        tx: DVec3,
        job: &Job,
    ) -> Result<Self, Error> {
        let tiles = coarse.tiles().clone();
        let search = coarse.search();
        let single = search.single_to_tiles(tx, job.control)?;
        let keep = |steps: &[Step], rx: &mut Vec<u32>| keep_near(job, tx, &tiles, steps, rx);
        let (mut found, unfollowed) = coarse.chains_to_tiles(tx, &single, &keep, job.control)?;
        let paired = search
            .needs_pairs_to_tiles()
            .then(|| Paired::of(&found, search.rows()));
        search.put_single(&mut found, single);
        if let Some(from_tiles) = from_tiles {
            let more = from_tiles.chains(job, tx, &tiles)?;
            join(&mut found, more);
        }
        let chains = found.par_iter_mut();
        chains.for_each(|CoarseChain { steps, rx }| keep(steps, rx));
        found.retain(|chain| !chain.rx.is_empty());
        let mut starts = vec![0; tiles.len() + 1];
        for tile in found.iter().flat_map(|chain| &chain.rx) {
            starts[*tile as usize + 1] += 1;
        }
        for k in 0..tiles.len() {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        let mut of_tiles = vec![0; starts[tiles.len()]];
        let mut chains = Vec::with_capacity(found.len());
        for (number, CoarseChain { steps, rx }) in found.into_iter().enumerate() {
            let number = u32::try_from(number).expect("fewer than 2^32 chains");
            for tile in rx {
                of_tiles[next[tile as usize]] = number;
                next[tile as usize] += 1;
            }
            chains.push(steps);
        }
        Ok(Self {
            tx,
            tiles,
            chains,
            starts,
            of_tiles,
            paired,
            all_up_to: (0..=1).rev().find(|num_edges| search.has_all(*num_edges)),
            have_first_edges: search.has_first_edges(),
            are_lit_in_part: search.lights_in_part(),
            unfollowed,
        })
    }

    /// Upper bound of the path gain between isotropic antennas of the chains to a tile that were too weak to be kept;
    /// nothing without [`Environment::min_gain`](crate::paths::Environment::min_gain).
    pub fn left_out(&self, tile: usize) -> f64 {
        self.unfollowed.gains.get(tile).copied().unwrap_or(0.0)
    }

    /// The largest power that the waves that were too weak to be followed may bring to all tiles together: path gain
    /// times area, m². It assumes that no interaction adds power, which holds for reflections and only about for
    /// diffraction.
    pub fn not_followed(&self) -> f64 {
        self.unfollowed.gain_area
    }

    /// Number of pairs of a chain and a tile.
    pub fn len(&self) -> usize {
        self.of_tiles.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.of_tiles.is_empty()
    }

    /// Whether no path of so many diffractions is lost.
    pub(crate) fn has_all(&self, num_diffractions: usize) -> bool {
        self.all_up_to.is_some_and(|max| num_diffractions <= max)
    }

    /// Whether no path is lost that ends with its first diffraction, and longer ones begin with these.
    pub(crate) fn have_first_edges(&self) -> bool {
        self.have_first_edges
    }

    /// Whether pairs of tiles lead to a path of one interaction to a tile; `None` if pairs were not followed. Such paths
    /// are found without pairs of tiles.
    pub(crate) fn is_paired(&self, scene: &Scene, path: &Path) -> Option<bool> {
        let paired = self.paired.as_ref()?;
        Some(paired.has(scene, path))
    }

    /// Whether all tiles reflect first diffractions of which any part is illuminated.
    pub(crate) fn are_lit_in_part(&self) -> bool {
        self.are_lit_in_part
    }

    /// Whether the tile that reflects a path of one reflection, or a neighbour of that tile, sees the path's tile:
    /// whether pairs of tiles find the path if all illuminated tiles are known. `None` for other paths, and if pairs
    /// were not followed.
    pub(crate) fn is_paired_behind(&self, scene: &Scene, path: &Path) -> Option<bool> {
        let paired = self.paired.as_ref()?;
        paired.sees_from_reflection(scene, &self.tiles, path)
    }

    /// The values of `each` for the paths by each of some chains to each tile, in the order of tiles.
    pub(super) fn each<T: Send>(
        searches: &[(&Self, &Job)],
        each: impl Fn(usize, Vec<Vec<Path>>) -> T + Sync,
        control: &Control,
    ) -> Result<Vec<T>, Error> {
        let Some((any, _)) = searches.first() else {
            return Ok(Vec::new());
        };
        let tiles = any.tiles.all();
        let done = AtomicUsize::new(0);
        let solvers =
            || -> Vec<Solver> { searches.iter().map(|(_, job)| Solver::new(job)).collect() };
        let of_tiles = parallel::map_with(tiles.len(), solvers, |solvers, number| {
            control.check()?;
            let both = searches.iter().zip(solvers);
            let tile = &tiles[number];
            let paths = both.map(|((chains, _), solver)| solver.paths(chains, number, tile));
            let paths: Vec<Vec<Path>> = paths.collect();
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(256) {
                control.report(Stage::Coverage, done as f64 / tiles.len() as f64);
            }
            Ok(each(number, paths))
        });
        of_tiles.into_iter().collect()
    }
}

/// Makes chains to tiles exact.
struct Solver<'a> {
    job: &'a Job<'a>,
    validator: Validator<'a>,
    unfolded: Unfolded,
    waypoints: Vec<Waypoint>,
}

impl<'a> Solver<'a> {
    fn new(job: &'a Job<'a>) -> Self {
        Self {
            job,
            validator: Validator::new(job),
            unfolded: Unfolded::default(),
            waypoints: Vec::new(),
        }
    }

    /// The paths to a tile by its chains, sorted by length.
    fn paths(&mut self, all: &TileChains, number: usize, tile: &Tile) -> Vec<Path> {
        let chains = &all.of_tiles[all.starts[number]..all.starts[number + 1]];
        let views = Views::nothing(all.tx);
        let tx = Transmitter {
            index: 0,
            position: all.tx,
            views: &views,
        };
        let ends = Ends {
            tx: &tx,
            number,
            tile,
        };
        let mut paths = Vec::with_capacity(chains.len());
        for chain in chains {
            let steps = &all.chains[*chain as usize];
            let Self {
                job,
                validator,
                unfolded,
                waypoints,
            } = self;
            ends.add_paths(job, steps, validator, unfolded, waypoints, &mut paths);
        }
        paths.sort_by(Path::order);
        paths
    }
}

/// Adds chains to others, of which some have the same steps.
fn join(found: &mut Vec<CoarseChain>, more: Vec<CoarseChain>) {
    let mut known: FxHashMap<Vec<Step>, Vec<u32>> = more
        .into_iter()
        .map(|chain| (chain.steps, chain.rx))
        .collect();
    for CoarseChain { steps, rx } in found.iter_mut() {
        if let Some(other) = known.remove(steps) {
            rx.extend(other);
            rx.sort_unstable();
            rx.dedup();
        }
    }
    let others = known.into_iter();
    let mut others: Vec<CoarseChain> = others
        .map(|(steps, rx)| CoarseChain { steps, rx })
        .collect();
    others.sort_unstable_by(|a, b| a.steps.cmp(&b.steps));
    found.append(&mut others);
}

/// Leaves out the tiles for which a chain's path misses its reflecting planes. The paths to the centres are closed
/// forms once the chain's images are known.
fn keep_near(job: &Job, tx: DVec3, tiles: &Tiles, steps: &[Step], rx: &mut Vec<u32>) {
    if steps.is_empty() || rx.is_empty() || job.control.is_cancelled() {
        return;
    }
    let (mut unfolded, mut waypoints) = (Unfolded::default(), Vec::new());
    unfolded.set(job.scene, tx, steps);
    let is_near = |waypoint: &Waypoint| match waypoint.step {
        Step::Reflection(plane) => job.boxes.hold(plane, waypoint.point),
        _ => true,
    };
    rx.retain(|tile| {
        let centre = tiles.all()[*tile as usize].centre;
        unfolded.reach(centre, &mut waypoints) && waypoints.iter().all(is_near)
    });
}

/// A transmitter and a tile.
struct Ends<'a> {
    tx: &'a Transmitter<'a>,
    number: usize,
    tile: &'a Tile,
}

impl Ends<'_> {
    /// Adds the path between them by these steps, if there is one. A path along the wall ends slightly in front of each
    /// side on which it runs.
    fn add_paths(
        &self,
        job: &Job,
        steps: &[Step],
        validator: &mut Validator,
        unfolded: &mut Unfolded,
        waypoints: &mut Vec<Waypoint>,
        paths: &mut Vec<Path>,
    ) {
        let Self { tx, number, tile } = *self;
        let scene = job.scene;
        unfolded.set(scene, tx.position, steps);
        if !unfolded.reach(tile.centre, waypoints) {
            return;
        }
        let plane = scene.plane_of(tile.face);
        let wall = Some(plane);
        let last = waypoints.last().map_or(tx.position, |w| w.point);
        let distance = scene.plane(plane).distance(last).abs();
        let sides =
            (distance < SHARED_PLANE_DISTANCE).then(|| self.sides_along(job, plane, waypoints));
        let Some((first, second)) = sides.flatten() else {
            if distance >= IN_PLANE_DISTANCE {
                paths.extend(validator.path_to(tx, waypoints, number, tile.centre, wall));
            }
            return;
        };
        for outwards in [Some(first), second].into_iter().flatten() {
            let before = tile.centre + IN_PLANE_DISTANCE * outwards;
            if unfolded.reach(before, waypoints) {
                paths.extend(validator.path_to(tx, waypoints, number, before, wall));
            }
        }
    }

    /// The sides of the tile's wall along which the path continues from its last edge, if that is one of the wall's own
    /// edges.
    fn sides_along(
        &self,
        job: &Job,
        plane: PlaneId,
        waypoints: &[Waypoint],
    ) -> Option<(DVec3, Option<DVec3>)> {
        let is_edge = |w: &Waypoint| matches!(w.step, Step::Diffraction(_));
        let last = waypoints.iter().rposition(is_edge)?;
        let Step::Diffraction(edge) = waypoints[last].step else {
            return None;
        };
        let next = waypoints
            .get(last + 1)
            .map_or(self.tile.centre, |w| w.point);
        sides_along(job.scene, edge, plane, next - waypoints[last].point)
    }
}

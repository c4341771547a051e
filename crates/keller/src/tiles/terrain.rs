//! Cuts terrain by one horizontal grid: a tile is the part of all facets in a cell of the grid.
//!
//! The grid lies along the smallest rectangle around the terrain, seen from above, and its cells have the wanted side.
//! The centre of a tile is a point of the terrain over the centroid of its area, or, where that is no terrain, near it.
//! Tiles do not depend on how facets are cut into triangles.

use std::collections::BTreeMap;

use glam::{DVec2, DVec3};
use rustc_hash::FxHashMap;

use super::cells::{CellId, Divisions};
use super::cut::{Held, centre_on, held, leaves_out, min_area, parts};
use super::rectangle::{Rectangle, smallest_around};
use super::tiling::{Frame, Part, Tiling};
use crate::parallel;
use crate::scene::{FaceId, Scene};

/// One terrain, cut into tiles.
#[derive(Debug)]
pub(super) struct TerrainCut {
    /// The facets, and the frame of each. All have the same cells.
    pub(super) frames: Vec<(FaceId, Frame)>,
    pub(super) divisions: Divisions,
    /// Row by row.
    pub(super) tiles: Vec<TerrainTile>,
}

/// The part of a terrain that a cell holds.
#[derive(Debug)]
pub(super) struct TerrainTile {
    pub(super) at: CellId,
    /// The facet on which the centre lies.
    pub(super) face: FaceId,
    pub(super) centre: DVec3,
    pub(super) area: f64,
    /// The part of each facet that it holds.
    pub(super) parts: Vec<Part>,
}

/// Centres keep this part of a cell's sides away from the borders of facets, where they can.
const MARGIN: f64 = 0.02;

/// The parts of facets that a cell holds, by their places in the list.
type OfFacets = Vec<(usize, Held)>;

/// Cuts a terrain of these facets. `None` if they are too few or too small for tiles.
pub(super) fn cut_terrain(scene: &Scene, facets: &[FaceId], tiling: &Tiling) -> Option<TerrainCut> {
    let area: f64 = facets.iter().map(|face| scene.face(*face).area).sum();
    if area < tiling.min_face_area {
        return None;
    }
    let frames = frames(scene, facets, tiling.ground_side.unwrap_or(tiling.side))?;
    let divisions = divisions(scene, &frames, tiling);
    let of_facets: Vec<FxHashMap<CellId, Held>> = parallel::map_slice(&frames, |(face, frame)| {
        let is_cut = leaves_out(scene, *face, tiling);
        held(scene, *face, frame, &divisions, is_cut)
    });
    // The parts of all facets by row and column, in the order of facets.
    let mut cells: BTreeMap<[u32; 4], (CellId, OfFacets)> = BTreeMap::new();
    for (facet, of_facet) in of_facets.iter().enumerate() {
        let mut all: Vec<CellId> = of_facet.keys().copied().collect();
        all.sort_unstable_by_key(|at| at.row_by_row());
        for at in all {
            let held = of_facet[&at];
            if held.area > 0.0 {
                let cell = cells.entry(at.row_by_row());
                cell.or_insert((at, Vec::new())).1.push((facet, held));
            }
        }
    }
    let area = |cell: &[(usize, Held)]| cell.iter().map(|(_, held)| held.area).sum::<f64>();
    let cells: Vec<(CellId, OfFacets)> = cells.into_values().collect();
    let max_area = cells.iter().map(|(_, cell)| area(cell));
    let max_area = max_area.fold(0.0, f64::max);
    // The cells of all facets are the same.
    let bounds = |at: CellId| divisions.bounds(&frames[0].1, at);
    let is_cut = !tiling.under_buildings;
    let tiles = parallel::flat_map(cells.len(), |n, tiles| {
        let (at, cell) = &cells[n];
        let bounds = bounds(*at);
        if area(cell) >= min_area(bounds, max_area) {
            tiles.push(tile(scene, &frames, (*at, bounds), cell, is_cut));
        }
    });
    Some(TerrainCut {
        frames,
        divisions,
        tiles,
    })
}

/// The cells that are divided, because any facet is near there.
fn divisions(scene: &Scene, frames: &[(FaceId, Frame)], tiling: &Tiling) -> Divisions {
    let mut divisions = Divisions::default();
    if tiling.finer.is_empty() {
        return divisions;
    }
    for (face, frame) in frames {
        let triangles = scene.face(*face).triangles.clone();
        let corners = triangles.flat_map(|triangle| scene.corners(triangle));
        let empty = [DVec2::INFINITY, DVec2::NEG_INFINITY];
        let bounds = corners.fold(empty, |[low, high], corner| {
            let local = frame.local(corner);
            [low.min(local), high.max(local)]
        });
        divisions.add(frame, bounds, &tiling.finer);
    }
    divisions
}

/// The frames of all facets, with cells of about the wanted side.
fn frames(scene: &Scene, facets: &[FaceId], side: f64) -> Option<Vec<(FaceId, Frame)>> {
    let corners = facets
        .iter()
        .flat_map(|face| scene.face(*face).triangles.clone())
        .flat_map(|triangle| scene.corners(triangle));
    let points: Vec<DVec2> = corners.map(DVec3::truncate).collect();
    let Rectangle {
        corner,
        along,
        sides,
    } = smallest_around(&points)?;
    // The corner's coordinates are along the rectangle.
    let num_cells = [sides.x, sides.y].map(|length| parts(length, side));
    let cell = sides / DVec2::from(num_cells.map(f64::from));
    let axes = [along, along.perp()].map(|axis| axis.extend(0.0));
    let frame = |face: &FaceId| {
        let plane = scene.plane(scene.plane_of(*face));
        let normal = plane.normal;
        let height = (plane.offset - normal.truncate().dot(corner)) / normal.z;
        let step = |axis: DVec3| axis - normal.dot(axis) / normal.z * DVec3::Z;
        let frame = Frame {
            corner: corner.extend(height),
            axes,
            steps: axes.map(step),
            cell,
            num_cells,
        };
        (*face, frame)
    };
    Some(facets.iter().map(frame).collect())
}

/// The tile of one cell.
fn tile(
    scene: &Scene,
    frames: &[(FaceId, Frame)],
    (at, bounds): (CellId, [DVec2; 2]),
    cell: &[(usize, Held)],
    is_cut: bool,
) -> TerrainTile {
    let area: f64 = cell.iter().map(|(_, held)| held.area).sum();
    let moment: DVec2 = cell.iter().map(|(_, held)| held.moment).sum();
    let away = MARGIN * (bounds[1] - bounds[0]);
    let around = [DVec2::X, DVec2::NEG_X, DVec2::Y, DVec2::NEG_Y].map(|to| away * to);
    // The facet under a point of the plan, and the point on it.
    let found = |p: DVec2, around: &[DVec2]| {
        cell.iter().find_map(|(facet, held)| {
            let (face, frame) = &frames[*facet];
            let [low, high] = held.bounds;
            let is_on = |p: DVec2| scene.is_on_face(*face, frame.in_space(p));
            let point = frame.in_space(p);
            let is_here = p.cmpge(low).all()
                && p.cmple(high).all()
                && is_on(p)
                && around.iter().all(|to| is_on(p + *to))
                && !(is_cut && scene.is_under_building(point));
            is_here.then_some((*face, point))
        })
    };
    // Centres keep away from the borders of facets, where waves along one of them just miss the other.
    let centre = [&around[..], &[]].into_iter().find_map(|around| {
        let found = |p: DVec2| found(p, around);
        centre_on(bounds, moment / area, |p| found(p).is_some()).and_then(found)
    });
    let (face, centre) = centre.unwrap_or_else(|| {
        let largest = cell
            .iter()
            .max_by(|a, b| a.1.largest.0.total_cmp(&b.1.largest.0));
        let (facet, held) = largest.expect("a cell holds something");
        let (face, frame) = &frames[*facet];
        (*face, frame.in_space(held.largest.1))
    });
    let part = |(facet, held): &(usize, Held)| Part {
        face: frames[*facet].0,
        low: held.bounds[0],
        high: held.bounds[1],
    };
    TerrainTile {
        at,
        face,
        centre,
        area,
        parts: cell.iter().map(part).collect(),
    }
}

//! The surroundings of a model: the shells of the city near it, in the model's own axes, and which of them are ground.

use std::ops::Range;

use glam::{DVec2, DVec3};

use super::footprint::{Footprint, Grid};
use super::placement::Placement;
use super::shells::{Shells, corners, is_upright};
use crate::scene::{Mesh, check};
use crate::{Control, Error};

/// Ground has at most this much upright surface, as a share of its footprint: steps and walls in terrain.
const MAX_UPRIGHT_GROUND: f64 = 0.1;

/// A plate of at most this thickness, metres, may be ground.
const MAX_GROUND_THICKNESS: f64 = 2.0;

/// Surfaces within this height of the lowest one are ground too, metres: roads, lawns and pavements.
const GROUND_LAYERS: f64 = 2.0;

/// A mesh in which buildings are to be replaced.
#[derive(Debug)]
pub struct City<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) objects: &'a [Range<usize>],
    pub(super) shells: Vec<Shell>,
}

/// A connected surface of the city.
#[derive(Debug)]
pub(super) struct Shell {
    /// Ascending.
    pub(super) triangles: Vec<u32>,
    /// Minimum and maximum coordinates in the scene, metres.
    pub(super) bounds: [DVec3; 2],
    /// All of its surface, m².
    area: f64,
    /// Its upright surface, m².
    upright_area: f64,
}

/// A shell near a model, in the model's own axes.
#[derive(Debug)]
pub(super) struct Near {
    /// Its index among the shells of the city.
    pub(super) shell: usize,
    /// The footprint on the grid around the model.
    pub(super) footprint: Footprint,
    /// Area of the whole footprint, m², on and off the grid.
    pub(super) plan_area: f64,
    /// Minimum and maximum coordinates, metres.
    pub(super) bounds: [DVec3; 2],
    /// Whether it is a sheet or a thin plate, as ground is, and many a roof; but not the floor of a hull.
    is_sheet: bool,
    /// Whether it is the floor of a hull.
    is_floor: bool,
    /// Whether it is ground.
    pub(super) is_ground: bool,
}

impl Near {
    /// Whether it covers anything seen from above.
    pub(super) fn has_roof(&self) -> bool {
        self.plan_area > 0.0
    }

    /// Whether it may be the hull of a building, or its roof.
    pub(super) fn is_house(&self) -> bool {
        self.has_roof() && !self.is_ground && !self.is_floor
    }
}

impl<'a> City<'a> {
    /// Finds the shells of a mesh. `objects` are the triangles of its parts with a name, such as buildings.
    ///
    /// # Errors
    /// [`Error::EmptyScene`], [`Error::VertexPosition`], [`Error::IndexOutOfRange`], [`Error::Cancelled`].
    pub fn new(
        mesh: &'a Mesh,
        objects: &'a [Range<usize>],
        control: &Control<'_>,
    ) -> Result<Self, Error> {
        check(mesh)?;
        let shells = Shells::of(mesh, objects, control)?;
        let shells = shells.iter().map(|triangles| {
            let mut shell = Shell {
                triangles: triangles.to_vec(),
                bounds: [DVec3::INFINITY, DVec3::NEG_INFINITY],
                area: 0.0,
                upright_area: 0.0,
            };
            for &t in triangles {
                let corners = corners(mesh, t as usize);
                shell.bounds = grown(shell.bounds, corners);
                let [a, b, c] = corners;
                let area = 0.5 * (b - a).cross(c - a).length();
                shell.area += area;
                shell.upright_area += if is_upright(&corners) { area } else { 0.0 };
            }
            shell
        });
        Ok(Self {
            mesh,
            objects,
            shells: shells.collect(),
        })
    }

    /// The height of the ground at a point, metres: the lowest sheet there, or the foot of the building that stands
    /// there without ground under it. `None` outside all surfaces.
    pub fn ground(&self, at: DVec2) -> Option<f64> {
        /// Half the side of the square that is looked at, metres.
        const AROUND: f64 = 0.025;
        let placement = Placement::default();
        let grid = Grid::over([at - AROUND, at + AROUND]);
        let near = self.near(&placement, &grid);
        let here = near.iter().filter(|near| !near.footprint.cells.is_empty());
        let height = |near: &Near| {
            if near.is_sheet {
                near.footprint.cells[0].1[1]
            } else {
                near.bounds[0].z
            }
        };
        let lowest = |is_sheet| {
            let heights = here.clone().filter(|near| near.is_sheet == is_sheet);
            heights.map(height).min_by(f64::total_cmp)
        };
        lowest(true).or_else(|| lowest(false))
    }

    /// The corners of a triangle in the model's own axes.
    pub(super) fn own_corners(&self, placement: &Placement, triangle: u32) -> [DVec3; 3] {
        corners(self.mesh, triangle as usize).map(|corner| placement.to_own(corner))
    }

    /// The shells that reach into the grid, with those that are ground marked.
    pub(super) fn near(&self, placement: &Placement, grid: &Grid) -> Vec<Near> {
        let [low, high] = grid.bounds();
        let corners = [
            low,
            DVec2::new(high.x, low.y),
            high,
            DVec2::new(low.x, high.y),
        ];
        let corners = corners.map(|corner| placement.to_scene(corner.extend(0.0)));
        let around = grown([DVec3::INFINITY, DVec3::NEG_INFINITY], corners);
        let reaches = |shell: &Shell| {
            let [min, max] = shell.bounds.map(DVec3::truncate);
            min.cmple(around[1].truncate()).all() && max.cmpge(around[0].truncate()).all()
        };
        let mut near: Vec<Near> = (0..self.shells.len())
            .filter(|&s| reaches(&self.shells[s]))
            .map(|s| self.one_near(s, placement, grid))
            .filter(|near| {
                let [min, max] = near.bounds.map(DVec3::truncate);
                min.cmple(high).all() && max.cmpge(low).all()
            })
            .collect();
        leave_out_floors(&mut near, grid);
        mark_ground(&mut near, grid);
        near
    }

    fn one_near(&self, index: usize, placement: &Placement, grid: &Grid) -> Near {
        let shell = &self.shells[index];
        let triangles = || shell.triangles.iter();
        let own = || triangles().map(|t| self.own_corners(placement, *t));
        let bounds = own().fold([DVec3::INFINITY, DVec3::NEG_INFINITY], grown);
        let footprint = Footprint::of(grid, own());
        let [low, high] = grid.bounds();
        let is_inside =
            bounds[0].truncate().cmpge(low).all() && bounds[1].truncate().cmple(high).all();
        let (plan_area, thickness) = if is_inside {
            (footprint.area(grid), footprint.thickness())
        } else {
            let whole = Grid::over(bounds.map(DVec3::truncate));
            let footprint = Footprint::of(&whole, own());
            (footprint.area(&whole), footprint.thickness())
        };
        // A shell that is upright but for the slant of its walls has no footprint worth the name.
        let is_wall = shell.upright_area > 0.95 * shell.area;
        Near {
            shell: index,
            footprint,
            plan_area: if is_wall { 0.0 } else { plan_area },
            bounds,
            is_sheet: !is_wall
                && plan_area > 0.0
                && shell.upright_area <= MAX_UPRIGHT_GROUND * plan_area
                && thickness <= MAX_GROUND_THICKNESS,
            is_floor: false,
            is_ground: false,
        }
    }
}

/// The floor of a hull is no sheet: it may lie below the ground. It is a sheet in the box around the hull, with the hull's
/// roof over it.
fn leave_out_floors(near: &mut [Near], grid: &Grid) {
    /// Boxes fit into each other but for this, metres.
    const SLACK: f64 = 0.1;
    /// The roof covers this share of a floor.
    const MIN_COVERED: f64 = 0.9;
    for floor in 0..near.len() {
        let Near {
            footprint,
            bounds: [low, high],
            is_sheet,
            ..
        } = &near[floor];
        let is_floor_of = |hull: &Near| {
            let [hull_low, hull_high] = hull.bounds;
            if hull.is_sheet
                || !hull.has_roof()
                || low.cmplt(hull_low - SLACK).any()
                || high.cmpgt(hull_high + SLACK).any()
                || low.z > hull_low.z + SLACK
            {
                return false;
            }
            let mut is_hull = vec![false; grid.len()];
            hull.footprint.mark(&mut is_hull);
            footprint.area_in(grid, &is_hull) >= MIN_COVERED * footprint.area(grid)
        };
        if *is_sheet && near.iter().any(is_floor_of) {
            near[floor].is_sheet = false;
            near[floor].is_floor = true;
        }
    }
}

/// The lowest sheets are ground, unless walls hang below them: then they are roofs over no ground.
fn mark_ground(near: &mut [Near], grid: &Grid) {
    let mut lowest = vec![f64::INFINITY; grid.len()];
    for near in near.iter().filter(|near| near.is_sheet) {
        for &(cell, [low, _]) in &near.footprint.cells {
            lowest[cell] = lowest[cell].min(low);
        }
    }
    let walls: Vec<[DVec3; 2]> = near
        .iter()
        .filter(|near| !near.has_roof())
        .map(|near| near.bounds)
        .collect();
    for near in near.iter_mut().filter(|near| near.is_sheet) {
        let cells = &near.footprint.cells;
        let count = cells.len() as f64;
        let above = cells.iter().map(|&(cell, [low, _])| low - lowest[cell]);
        let is_lowest = above.sum::<f64>() <= GROUND_LAYERS * count;
        let height = cells.iter().map(|(_, [low, _])| low).sum::<f64>() / count.max(1.0);
        let [min, max] = near.bounds;
        let hangs_below = |wall: &[DVec3; 2]| {
            let centre = 0.5 * (wall[0] + wall[1]);
            let [centre, min, max] = [centre, min, max].map(DVec3::truncate);
            (centre.cmpge(min) & centre.cmple(max)).all()
                && wall[0].z < height - GROUND_LAYERS
                && wall[1].z > height - 1.0
        };
        // Ground reaches beyond the houses on it, and a wall next to a slope is no house.
        let is_small = near.footprint.area(grid) >= 0.5 * near.plan_area;
        near.is_ground = is_lowest && !(is_small && walls.iter().any(hangs_below));
    }
}

/// The box around a box and points.
pub(super) fn grown<const N: usize>([low, high]: [DVec3; 2], points: [DVec3; N]) -> [DVec3; 2] {
    points
        .into_iter()
        .fold([low, high], |[low, high], p| [low.min(p), high.max(p)])
}

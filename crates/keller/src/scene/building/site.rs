//! A model above the city, and the questions about both.

use glam::{DVec2, DVec3};

use super::city::{City, Near, grown};
use super::footprint::{Footprint, Grid};
use super::placement::Placement;

/// The distance by which the grid reaches beyond model and hulls, metres: farther than anything that is looked at
/// around them.
const MARGIN: f64 = 1.0;

/// The distance of the points by which walls are tested, metres.
const STEP: f64 = 0.5;

/// A model above the city, with the city around it.
#[derive(Debug)]
pub(super) struct Site<'a> {
    pub(super) city: &'a City<'a>,
    pub(super) placement: Placement,
    pub(super) grid: Grid,
    pub(super) near: Vec<Near>,
    pub(super) model: Footprint,
    /// The cells of `model`.
    pub(super) is_model: Vec<bool>,
    /// The model's box in its own axes, metres.
    pub(super) bounds: [DVec3; 2],
}

impl<'a> Site<'a> {
    pub(super) fn new(
        city: &'a City<'a>,
        model: &[[DVec3; 3]],
        placement: Placement,
        around: [DVec2; 2],
    ) -> Self {
        let bounds = model
            .iter()
            .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |all, t| {
                grown(all, *t)
            });
        let grid = Grid::around(around, MARGIN);
        let footprint = Footprint::of(&grid, model.iter().copied());
        let mut is_model = vec![false; grid.len()];
        footprint.mark(&mut is_model);
        Self {
            near: city.near(&placement, &grid),
            city,
            placement,
            grid,
            model: footprint,
            is_model,
            bounds,
        }
    }

    /// The model's footprint, m².
    pub(super) fn model_area(&self) -> f64 {
        self.model.area(&self.grid)
    }

    /// The area of a shell under the model, m².
    pub(super) fn inside(&self, near: &Near) -> f64 {
        near.footprint.area_in(&self.grid, &self.is_model)
    }

    /// The centre of a shell in the scene, x and y, metres.
    pub(super) fn centre(&self, near: &Near) -> DVec2 {
        let [low, high] = near.bounds;
        self.placement.to_scene(0.5 * (low + high)).truncate()
    }

    /// The object of the city that a shell belongs to.
    pub(super) fn object_of(&self, near: &Near) -> Option<usize> {
        let first = self.city.shells[near.shell].triangles[0] as usize;
        self.city
            .objects
            .iter()
            .position(|object| object.contains(&first))
    }

    /// Calls `visit` with points of a shell's surface, in the model's own axes, and the area that each stands for, m².
    pub(super) fn each_point(&self, shell: usize, mut visit: impl FnMut(DVec3, f64)) {
        for &t in &self.city.shells[shell].triangles {
            let corners = self.city.own_corners(&self.placement, t);
            each_point_of(corners, &mut visit);
        }
    }
}

/// Points of a triangle: the centres of the smaller ones that it is cut into, all alike.
pub(super) fn each_point_of([a, b, c]: [DVec3; 3], visit: &mut impl FnMut(DVec3, f64)) {
    /// A larger triangle is cut no finer.
    const MAX_CUTS: f64 = 64.0;
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 1 to 64"
    )]
    let cuts = (longest / STEP).ceil().clamp(1.0, MAX_CUTS) as u32;
    let n = f64::from(cuts);
    let area = 0.5 * (b - a).cross(c - a).length() / (n * n);
    let at = |u: f64, v: f64| a + (b - a) * (u / n) + (c - a) * (v / n);
    for i in 0..cuts {
        for j in 0..cuts - i {
            let (u, v) = (f64::from(i), f64::from(j));
            visit(at(u + 1.0 / 3.0, v + 1.0 / 3.0), area);
            if i + j + 1 < cuts {
                visit(at(u + 2.0 / 3.0, v + 2.0 / 3.0), area);
            }
        }
    }
}

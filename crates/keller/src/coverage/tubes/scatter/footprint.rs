//! The squares of rough walls on which tubes fall.
//!
//! The footprint of a tube is the polygon in which its corner rays meet the wall. Each square of the wall that it
//! covers gets the part of the tube's power that its solid angle there has, as seen from the source.
//!
//! Cost: in proportion to the squares that footprints cover. A tube that meets several walls illuminates only the one
//! of its centre ray, with all its power.

use glam::{DVec2, DVec3};

use super::samples::{Samples, samples_of};
use crate::coverage::tubes::cells::cell_candidate::CellCandidate;
use crate::coverage::tubes::cells::verification;
use crate::coverage::tubes::context::Context;
use crate::coverage::tubes::tables::wall::Wall;
use crate::coverage::tubes::tube::bundle::Bundle;
use crate::coverage::tubes::tube::leaf::Leaf;
use crate::coverage::tubes::tube::tube_ray::TubeRay;
use crate::coverage::tubes::tube::virtual_source::VirtualSource;
use crate::geometry::Plane;
use crate::geometry::polygon::{area_and_centre, clip};
use crate::scene::FaceId;

/// The contribution of a patch to a cell counts from this part of the minimum gain on, because the contributions of
/// many patches add up.
pub(super) const FLOOR: f64 = 0.3;

/// A footprint is divided among at most this many squares along each axis. A longer one, of a grazing tube, goes to the
/// square of its centre.
const MAX_ACROSS: i32 = 64;

/// Squares are as wide as a cell of the region, halved at most this often.
pub(super) const MAX_HALVINGS: u32 = 3;

/// The largest width of squares, in parts of the distance from the source, as far as they may be halved.
const WIDEST: f64 = 0.2;

/// A tube with less than this share of the power of a square does not become one of its samples.
const MIN_SHARE: f64 = 0.05;

/// The largest factor between the distances of a corner and of the centre of a footprint. Beyond it, the ray of the
/// corner counts as missing the wall.
const MAX_LONGER: f64 = 8.0;

/// The part of a square of a wall that a bundle illuminates.
#[derive(Debug, Clone)]
pub(super) struct Square {
    /// The number of times that the width of a cell of the region is halved.
    pub(super) halvings: u32,
    /// Its place in the wall's plane, in widths of it.
    pub(super) at: [i32; 2],
    /// The centre of the power that falls on it.
    pub(super) centre: DVec3,
    /// Illuminated points: the centres of a few footprints of tubes.
    pub(super) samples: Samples,
    /// The illuminated area, square metres.
    pub(super) area: f64,
    /// The scattered power, as the path gain at 1 m if all of it went into one steradian.
    pub(super) power: f64,
}

/// The part of a square that one tube illuminates.
#[derive(Debug, Clone, Copy)]
struct Spot {
    wall: Wall,
    face: FaceId,
    halvings: u32,
    at: [i32; 2],
    centre: DVec2,
    area: f64,
    power: f64,
    /// The number of the tube.
    leaf: usize,
}

impl Spot {
    fn square(&self) -> (u32, [i32; 2]) {
        (self.halvings, self.at)
    }
}

/// The width of a square, metres, for cells of the region of a given size, metres.
pub(super) fn width(size: f64, halvings: u32) -> f64 {
    size / f64::from(1_u32 << halvings)
}

/// The squares of rough walls that the tubes of a bundle illuminate, wall by wall, without squares that are too weak.
pub(super) fn illuminated_squares(
    ctx: &Context<'_>,
    bundle: &Bundle,
    leaves: &[Leaf],
) -> Vec<(FaceId, Vec<Square>)> {
    let mut spots = Vec::new();
    for (index, leaf) in leaves.iter().enumerate() {
        add_spots(ctx, bundle, leaf, index, &mut spots);
    }
    // Stable, so that sums do not depend on threads.
    spots.sort_by_key(|spot| (spot.wall, spot.square()));
    let mut found = Vec::new();
    for spots in spots.chunk_by(|a, b| a.wall == b.wall) {
        let plane = ctx.scene.plane(spots[0].wall.plane);
        let illuminated = reached_spots(ctx, bundle, leaves, spots);
        let squares = illuminated.chunk_by(|a, b| a.square() == b.square());
        let counts = |square: &Square| {
            let width = width(ctx.sizes.outside(), square.halvings);
            square.power >= FLOOR * ctx.min_gain * width * width
        };
        let squares = squares.map(|spots| join(plane, spots)).filter(counts);
        let squares: Vec<Square> = squares.collect();
        if !squares.is_empty() {
            found.push((spots[0].face, squares));
        }
    }
    found
}

/// Adds the part that a tube illuminates of the wall that its centre ray meets.
fn add_spots(ctx: &Context<'_>, bundle: &Bundle, leaf: &Leaf, index: usize, spots: &mut Vec<Spot>) {
    let Some(face) = leaf.ray_ends()[0].face else {
        return;
    };
    let surface = ctx.walls.world.surface(face);
    if surface.texture().scattering.is_none() {
        return;
    }
    let wall = Wall::of(ctx.scene, face);
    let plane = ctx.scene.plane(wall.plane);
    let (u, v) = plane.axes();
    let flat = |point: DVec3| DVec2::new(u.dot(point), v.dot(point));
    let (centre, corners) = rays(bundle, leaf);
    let ahead = centre.meets(plane);
    let distance = ahead * centre.direction.length();
    let gain = leaf.path_gain.at(distance);
    if !(ahead > 0.0 && gain >= ctx.min_gain) {
        return;
    }
    let normal = ctx.scene.face_normal(face);
    let Some(wave) = leaf.wave else {
        return;
    };
    let share = wave.scattered_power(normal, surface) / wave.power();
    // A ray along the wall never meets it.
    let meets = |corner: &TubeRay| {
        let t = corner.meets(plane) / ahead;
        (1.0 / MAX_LONGER..MAX_LONGER)
            .contains(&t)
            .then(|| flat(corner.at(t * ahead)))
    };
    let polygon: Option<Vec<DVec2>> = corners.iter().map(meets).collect();
    let area = polygon.as_ref().map(|polygon| area_and_centre(polygon).0);
    let at = flat(centre.at(ahead));
    let cosine = centre.direction.normalize().dot(normal).abs();
    let (area, power) = match (&bundle.source, area) {
        // All power of its solid angle, at any angle of incidence.
        (VirtualSource::Point(_), area) => {
            let across = solid_angle(leaf) * distance * distance;
            (area.unwrap_or(across / cosine), across / cosine)
        }
        (VirtualSource::Edge(_), Some(area)) => (area, area),
        (VirtualSource::Edge(_), None) => return,
    };
    let power = gain * share * power;
    let halvings = (ctx.sizes.outside() / (WIDEST * distance)).log2().ceil();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "some few"
    )]
    let halvings = halvings.clamp(0.0, f64::from(MAX_HALVINGS)) as u32;
    let width = width(ctx.sizes.outside(), halvings);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "coordinates are bounded, and a cast of floats saturates"
    )]
    let square_of = |point: DVec2| (point / width).floor().to_array().map(|c| c as i32);
    let spot = |centre, area, power| Spot {
        wall,
        face,
        halvings,
        at: square_of(centre),
        centre,
        area,
        power,
        leaf: index,
    };
    let is_short = |[first, last]: &[[i32; 2]; 2]| {
        *first != *last && (0..2).all(|k| last[k] - first[k] <= MAX_ACROSS)
    };
    let range = polygon.as_ref().map(|polygon| {
        let low = polygon.iter().fold(polygon[0], |a, b| a.min(*b));
        let high = polygon.iter().fold(polygon[0], |a, b| a.max(*b));
        [low, high].map(square_of)
    });
    let (Some(polygon), Some([first, last]), true) =
        (polygon, range.filter(is_short), leaf.is_clear)
    else {
        spots.push(spot(at, area, power));
        return;
    };
    let start = spots.len();
    let origin = flat(centre.origin);
    let height = plane.distance(centre.origin);
    let mut whole = 0.0;
    for i in first[0]..=last[0] {
        for j in first[1]..=last[1] {
            let low = width * DVec2::new(f64::from(i), f64::from(j));
            let mut part = polygon.clone();
            clip(&mut part, low, low + width);
            let (area, centre) = area_and_centre(&part);
            if area > 0.0 {
                // The solid angle, divided by the height of the source above the wall.
                let angle = area * (height.hypot(centre.distance(origin))).powi(-3);
                whole += angle;
                let centre = centre.clamp(low, (low + width).map(f64::next_down));
                spots.push(spot(centre, area, angle * power));
            }
        }
    }
    for spot in &mut spots[start..] {
        spot.power /= whole;
    }
}

/// The spots on one wall that paths reach, as far as that is uncertain.
fn reached_spots<'a>(
    ctx: &Context<'_>,
    bundle: &Bundle,
    leaves: &[Leaf],
    spots: &'a [Spot],
) -> Vec<&'a Spot> {
    let plane = ctx.scene.plane(spots[0].wall.plane);
    let candidate = |(number, spot): (usize, &Spot)| CellCandidate {
        number,
        centre: on_plane(plane, spot.centre),
        gain: 0.0,
        uncertain: leaves[spot.leaf].uncertain,
        record: 0,
    };
    let mut candidates: Vec<CellCandidate> = spots.iter().enumerate().map(candidate).collect();
    verification::retain_reached(ctx, bundle, Some(spots[0].face), &mut candidates);
    candidates
        .iter()
        .map(|illuminated| &spots[illuminated.number])
        .collect()
}

/// Joins the spots of one square.
fn join(plane: &Plane, spots: &[&Spot]) -> Square {
    let power: f64 = spots.iter().map(|spot| spot.power).sum();
    let moment: DVec2 = spots.iter().map(|spot| spot.power * spot.centre).sum();
    let counts = |spot: &&&Spot| spot.power >= MIN_SHARE * power;
    let counted = spots.iter().filter(counts);
    let centres = counted.map(|spot| on_plane(plane, spot.centre));
    let centre = on_plane(plane, moment / power);
    let (halvings, at) = spots[0].square();
    Square {
        halvings,
        at,
        centre,
        samples: samples_of(&centres, centre, plane.axes()),
        area: spots.iter().map(|spot| spot.area).sum(),
        power,
    }
}

/// The point at these coordinates of a plane.
fn on_plane(plane: &Plane, at: DVec2) -> DVec3 {
    let (u, v) = plane.axes();
    u * at.x + v * at.y + plane.normal * plane.offset
}

/// The solid angle of a tube from an image of the Tx, steradians.
fn solid_angle(leaf: &Leaf) -> f64 {
    let (area, centre) = area_and_centre(leaf.directions.outline().points());
    area * (1.0 + centre.length_squared()).powf(-1.5)
}

/// The centre ray of a tube and its corner rays, in order around it.
fn rays(bundle: &Bundle, leaf: &Leaf) -> (TubeRay, Vec<TubeRay>) {
    let cell = leaf.directions.cell;
    match &bundle.source {
        VirtualSource::Point(image) => {
            let corners = leaf.directions.outline();
            let corners = corners.points().iter();
            (
                image.line(leaf.directions.centre()),
                corners.map(|at| image.line(cell.direction(*at))).collect(),
            )
        }
        VirtualSource::Edge(_) => {
            let [centre, corners @ ..] = cell.corners().map(|corner| bundle.source.ray(corner));
            (centre, corners.to_vec())
        }
    }
}

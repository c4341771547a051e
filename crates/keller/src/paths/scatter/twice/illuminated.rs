//! The parts of rough walls that one end illuminates, exactly, and how they are divided.
//!
//! A part belongs to one face, is reached by one chain of reflections and through one set of walls, and lies in one
//! coarse cell. It is divided along the squares of that cell. Parts depend on the end alone, so all patches beyond
//! share them.

use std::sync::OnceLock;

use glam::{DVec2, DVec3};

use super::super::cells::PatchSquare;
use super::super::ends::{End, with_root};
use super::super::outline::{MIN_AREA, Outline, Overlap, range_of};
use super::super::shade::{Air, Passes, Walls};
use super::super::view::{Piece, View};
use super::super::wall_cells::WallCell;
use super::super::ways::share_of_reflections;
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::materials::Lobe;
use crate::paths::job::Job;
use crate::scene::{FaceId, PlaneId};

/// Number of scatterings of these paths.
pub(super) const SCATTERINGS: usize = 2;

/// Squares that more outlines than this cross are quartered before they are cut, which takes less time.
const MANY_OUTLINES: usize = 24;

/// Such squares are no smaller than this, metres.
const MIN_SIDE: f64 = 0.5;

/// Parts that are together this share of all that an end illuminates are left out, the weakest ones: 50 dB.
const UNSEEN: f64 = 1e-5;

/// A part of a rough wall that an end illuminates.
#[derive(Debug)]
pub(in super::super) struct IlluminatedPart {
    /// The node of the end's tree that illuminates it, its depth, and its image of the end.
    pub(super) node: usize,
    pub(super) depth: usize,
    pub(super) image: DVec3,
    /// Estimated share of the power that reflections and walls on the way keep.
    pub(super) kept: f64,
    pub(super) plane: PlaneId,
    pub(super) face: FaceId,
    /// Unit normal of the wall on the side of the image.
    pub(super) normal: DVec3,
    pub(super) lobe: Lobe,
    /// Number of walls that the wave passes on its way.
    pub(super) num_passed: usize,
    pub(super) whole: Element,
    axes: Axes,
}

/// The coordinates of a wall's plane.
#[derive(Debug, Clone, Copy)]
struct Axes {
    u: DVec3,
    v: DVec3,
    /// The plane's point nearest to the origin.
    base: DVec3,
}

impl Axes {
    fn point(&self, at: DVec2) -> DVec3 {
        self.u * at.x + self.v * at.y + self.base
    }
}

/// All of a part, or the piece of it in a square.
#[derive(Debug)]
pub(super) struct Element {
    square: PatchSquare,
    outlines: Vec<Outline>,
    pub(super) area: f64,
    /// Its centre of gravity, or that of its largest outline.
    pub(super) point: DVec3,
    /// Whether the centre of gravity of the whole lies outside all outlines.
    pub(super) is_hollow: bool,
    /// The range of its outlines.
    range: [DVec2; 2],
    /// Corners of a polygon around it: its own, or those of the rectangle.
    pub(super) corners: Vec<DVec3>,
    quarters: OnceLock<Box<[Self]>>,
}

/// The parts of all rough walls that an end illuminates by reflections that leave room for two scatterings.
pub(super) fn illuminated_parts(
    job: &Job,
    end: &End,
    walls: &[WallCell],
    pieces: &Walls,
    max_reflections_of_two: usize,
) -> Vec<IlluminatedPart> {
    let air = Air {
        walls: pieces,
        transparency: job.transparency,
        limits: job.limits,
    };
    let mut parts = Vec::new();
    for (wall, at) in walls.iter().enumerate() {
        for node in with_root(end.nodes(&at.cell)) {
            if end.illuminated.tree.nodes[node].depth as usize <= max_reflections_of_two {
                add_parts(job, end, &air, (wall, at), node, &mut parts);
            }
        }
    }
    let weights: Vec<f64> = parts.iter().map(IlluminatedPart::weight).collect();
    let floor = UNSEEN * weights.iter().sum::<f64>() / parts.len().max(1) as f64;
    let mut weights = weights.into_iter();
    parts.retain(|_| weights.next().is_some_and(|weight| weight >= floor));
    parts
}

fn add_parts(
    job: &Job,
    end: &End,
    air: &Air,
    (wall, at): (usize, &WallCell),
    node: usize,
    parts: &mut Vec<IlluminatedPart>,
) {
    let scene = job.scene;
    let plane = scene.plane(at.cell.plane);
    let faces = at.faces(job, air.walls);
    let outlines = faces.iter().map(|face| &face.1);
    let Some(range) = range_of(outlines, at.cell.range()) else {
        return;
    };
    let of_tree = &end.illuminated.tree.nodes[node];
    let above = plane.distance(of_tree.image);
    if above.abs() < ON_FACE_DISTANCE {
        return;
    }
    let max_walls = job
        .limits
        .transmissions_beside(of_tree.depth as usize + SCATTERINGS);
    let Some(shade) = end.shade(air, wall, node, &at.cell, range) else {
        return;
    };
    let pieces = faces.iter().map(|(face, outline)| Piece {
        outline: outline.clone(),
        face: *face,
        passed: [Passes::default(), Passes::default()],
    });
    let mut illuminated = Vec::new();
    light(
        at.cell,
        &View::new(shade),
        pieces.collect(),
        max_walls,
        &mut illuminated,
    );
    illuminated.sort_by(|a, b| a.kind().cmp(&b.kind()));
    let (u, v) = plane.axes();
    let axes = Axes {
        u,
        v,
        base: plane.normal * plane.offset,
    };
    for alike in illuminated.chunk_by(|a, b| a.kind() == b.kind()) {
        let (face, num_passed) = (alike[0].face, alike[0].passed[0].len());
        let passed = alike[0].passed[0].iter();
        let through: f64 = passed
            .map(|pass| job.transparency.transmitted(scene, pass.face))
            .product();
        let outlines = alike.iter().map(|piece| piece.outline.clone()).collect();
        let Some(whole) = Element::new(at.cell, outlines, &axes) else {
            continue;
        };
        parts.push(IlluminatedPart {
            node,
            depth: of_tree.depth as usize,
            image: of_tree.image,
            kept: share_of_reflections(of_tree.depth) * through,
            plane: at.cell.plane,
            face,
            normal: above.signum() * plane.normal,
            lobe: job.transparency.lobes[scene.face(face).material.index()],
            num_passed,
            whole,
            axes,
        });
    }
}

/// Adds the illuminated parts of pieces of a square.
fn light(
    square: PatchSquare,
    view: &View,
    mut pieces: Vec<Piece>,
    max_walls: usize,
    illuminated: &mut Vec<Piece>,
) {
    if view.num_outlines() > MANY_OUTLINES
        && square.side() > MIN_SIDE
        && let Some(quarters) = square.quarters()
    {
        for quarter in quarters {
            let [low, high] = quarter.range();
            let inside = pieces.iter().filter_map(|piece| {
                let outline = part_in(&piece.outline, low, high)?;
                Some(Piece {
                    outline,
                    ..piece.clone()
                })
            });
            let inside: Vec<Piece> = inside.collect();
            let outlines = inside.iter().map(|piece| &piece.outline);
            let Some([low, high]) = range_of(outlines, [low, high]) else {
                continue;
            };
            if let Some(view) = view.within(low, high, max_walls) {
                light(quarter, &view, inside, max_walls, illuminated);
            }
        }
        return;
    }
    view.light(&mut pieces, 0, max_walls);
    pieces.retain(|piece| piece.passed[0].len() <= max_walls);
    illuminated.append(&mut pieces);
}

/// The part of an outline in the square from `low` to `high`.
fn part_in(outline: &Outline, low: DVec2, high: DVec2) -> Option<Outline> {
    let square = Outline::square(low, high);
    match outline.overlap(low, high) {
        Overlap::None => None,
        Overlap::Whole => Some(square),
        Overlap::Part => outline.clone().cut(&square, &mut Vec::new()),
    }
}

impl IlluminatedPart {
    /// An estimate, hardly too low, of its share of the end's power.
    fn weight(&self) -> f64 {
        self.kept * self.solid_angle(&self.whole)
    }

    /// Upper bound of the solid angle that an element of this part takes for the end.
    pub(super) fn solid_angle(&self, element: &Element) -> f64 {
        let near = self.nearest(element, self.image);
        let to = self.image - near;
        let squared = to.length_squared();
        let cosine = self.normal.dot(to) / squared.sqrt();
        (element.area * cosine / squared).min(std::f64::consts::TAU)
    }

    /// The point of the rectangle around an element that is nearest to a point.
    pub(super) fn nearest(&self, element: &Element, to: DVec3) -> DVec3 {
        let [low, high] = element.range;
        let at = DVec2::new(self.axes.u.dot(to), self.axes.v.dot(to));
        self.axes.point(at.clamp(low, high))
    }

    /// The pieces of an element in the quarters of its square. An element that is too small to be divided has none.
    pub(super) fn quarters<'a>(&self, element: &'a Element) -> &'a [Element] {
        let quarters = || {
            let mut square = element.square;
            loop {
                let Some(quarters) = square.quarters() else {
                    return Box::default();
                };
                let inside = quarters.map(|quarter| (quarter, element.outlines_in(quarter)));
                let mut filled = inside.iter().filter(|inside| !inside.1.is_empty());
                // If all of it lies in one quarter, nothing is divided yet.
                if let (Some(only), None) = (filled.next(), filled.next()) {
                    square = only.0;
                    continue;
                }
                let inside = inside.into_iter();
                return inside
                    .filter_map(|(quarter, outlines)| Element::new(quarter, outlines, &self.axes))
                    .collect();
            }
        };
        element.quarters.get_or_init(quarters)
    }
}

impl Element {
    fn new(square: PatchSquare, outlines: Vec<Outline>, axes: &Axes) -> Option<Self> {
        let range = range_of(outlines.iter(), square.range())?;
        let (mut area, mut moment) = (0.0, DVec2::ZERO);
        let mut largest = (0.0, DVec2::ZERO);
        for outline in &outlines {
            let (part, centre) = outline.area_and_centre();
            area += part;
            moment += part * centre;
            if part > largest.0 {
                largest = (part, centre);
            }
        }
        if area < MIN_AREA {
            return None;
        }
        let centre = moment / area;
        let is_hollow = !outlines
            .iter()
            .any(|outline| outline.holds(centre, ON_FACE_DISTANCE));
        let [low, high] = range;
        let rectangle = [low, low.with_x(high.x), high, low.with_y(high.y)];
        let corners = match &*outlines {
            [only] => only.corners(),
            _ => &rectangle,
        };
        let corners = corners.iter().map(|&corner| axes.point(corner)).collect();
        Some(Self {
            square,
            outlines,
            area,
            point: axes.point(if is_hollow { largest.1 } else { centre }),
            is_hollow,
            range,
            corners,
            quarters: OnceLock::new(),
        })
    }

    /// The longer side of the rectangle around it, metres.
    pub(super) fn width(&self) -> f64 {
        (self.range[1] - self.range[0]).max_element()
    }

    fn outlines_in(&self, square: PatchSquare) -> Vec<Outline> {
        let [low, high] = square.range();
        let outlines = self.outlines.iter();
        outlines.filter_map(|o| part_in(o, low, high)).collect()
    }
}

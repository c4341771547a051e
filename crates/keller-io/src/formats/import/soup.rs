//! Collects the vertices and faces of a file, checks them, and cuts polygons into triangles.
//!
//! Quadrangles are halved. Polygons of more corners are cut by ear clipping (the `earcut` crate) in the coordinate
//! plane on which their projection is largest, so concave ones come out right. Ear clipping may lose corners in the
//! middle of a straight side; they are put back, because a neighbour may end there and a scene welds corner to corner.

use std::path::Path;

use earcut::Earcut;
use glam::{DVec2, DVec3};
use keller::scene::{Mesh, MeshTriangle};

use super::{Imported, Warning};
use crate::formats::{ImportError, Place};

/// The largest distance of a polygon's corners from its plane that needs no warning, as a part of its size.
const FLATNESS: f64 = 1e-3;

/// The largest number of corners of a polygon. Ear clipping may take their number squared: half a second for 10 000
/// corners that jump about and minutes for 300 000, which no wall has.
const MAX_CORNERS: usize = 20_000;

/// The largest difference between the area of the triangles and that of the polygon, as a part of it: beyond it the
/// outline must cross itself.
const AREA_TOLERANCE: f64 = 1e-6;

/// A mesh that is being collected.
pub(super) struct Soup<'a> {
    file: &'a Path,
    /// The mesh so far.
    pub(super) mesh: Mesh,
    /// The warnings so far.
    pub(super) warnings: Vec<Warning>,
    cutter: Cutter,
    corners: Vec<DVec3>,
    flaws: [Flaw; 3],
}

/// The number of faulty polygons of a kind, and the place of the first.
struct Flaw {
    what: &'static str,
    count: usize,
    first: Option<Place>,
}

impl<'a> Soup<'a> {
    pub(super) fn new(file: &'a Path) -> Self {
        let flaw = |what| Flaw {
            what,
            count: 0,
            first: None,
        };
        Self {
            file,
            mesh: Mesh::default(),
            warnings: Vec::new(),
            cutter: Cutter::default(),
            corners: Vec::new(),
            flaws: [
                flaw("polygons without area, left out"),
                flaw("polygons that are not flat, cut into triangles all the same"),
                flaw("polygons whose outline crosses itself, cut as well as can be"),
            ],
        }
    }

    /// Adds a vertex; `place` is its place in the file.
    pub(super) fn vertex(
        &mut self,
        position: DVec3,
        place: impl FnOnce() -> Place,
    ) -> Result<(), ImportError> {
        if !position.is_finite() {
            return Err(ImportError::VertexPosition {
                file: self.file.to_owned(),
                place: place(),
                index: self.mesh.vertices.len(),
                position: position.to_array(),
            });
        }
        if u32::try_from(self.mesh.vertices.len()).is_err() {
            return Err(ImportError::TooLarge {
                file: self.file.to_owned(),
            });
        }
        self.mesh.vertices.push(position);
        Ok(())
    }

    /// Adds a triangle; its vertices must be there already.
    pub(super) fn triangle(
        &mut self,
        vertices: [u32; 3],
        material: u32,
        place: impl FnOnce() -> Place,
    ) -> Result<(), ImportError> {
        let count = self.mesh.vertices.len();
        if let Some(index) = vertices.iter().find(|&&v| v as usize >= count) {
            return Err(self.out_of_range(index, place()));
        }
        self.mesh
            .triangles
            .push(MeshTriangle { vertices, material });
        Ok(())
    }

    /// Adds a polygon of any number of corners, cut into triangles; its vertices must be there already.
    pub(super) fn polygon(
        &mut self,
        corners: &[u32],
        material: u32,
        place: impl FnOnce() -> Place,
    ) -> Result<(), ImportError> {
        if let &[a, b, c] = corners {
            return self.triangle([a, b, c], material, place);
        }
        let count = self.mesh.vertices.len();
        if let Some(index) = corners.iter().find(|&&v| v as usize >= count) {
            return Err(self.out_of_range(index, place()));
        }
        if corners.len() > MAX_CORNERS {
            return Err(ImportError::Unsupported {
                file: self.file.to_owned(),
                place: place(),
                what: format!("a polygon of {} corners", corners.len()),
                accepted: format!(
                    "accepted: at most {MAX_CORNERS} corners; cut it into smaller ones"
                ),
            });
        }
        self.corners.clear();
        let vertices = &self.mesh.vertices;
        self.corners
            .extend(corners.iter().map(|&v| vertices[v as usize]));
        let cut = self.cutter.cut(&self.corners);
        let triangles = self.cutter.triangles.iter().map(|t| MeshTriangle {
            vertices: t.map(|corner| corners[corner as usize]),
            material,
        });
        self.mesh.triangles.extend(triangles);
        let flaw = match cut {
            Cut::Clean => return Ok(()),
            Cut::Degenerate => &mut self.flaws[0],
            Cut::Bent => &mut self.flaws[1],
            Cut::Crossing => &mut self.flaws[2],
        };
        flaw.count += 1;
        flaw.first.get_or_insert_with(place);
        Ok(())
    }

    /// The finished mesh with its warnings.
    pub(super) fn finish(mut self) -> Imported {
        for flaw in &self.flaws {
            let Some(first) = &flaw.first else { continue };
            let first = first.to_string();
            let first = first.trim_start_matches(", ");
            let message = format!("{}: {} (first: {first})", flaw.what, flaw.count);
            self.warnings.push(Warning::new(self.file, message));
        }
        Imported {
            mesh: self.mesh,
            warnings: self.warnings,
            ..Imported::default()
        }
    }

    /// The error of a face that names vertex `index`.
    pub(super) fn out_of_range(&self, index: &impl ToString, place: Place) -> ImportError {
        ImportError::IndexOutOfRange {
            file: self.file.to_owned(),
            place,
            index: index.to_string(),
            count: self.mesh.vertices.len(),
        }
    }
}

/// The outcome of cutting a polygon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Clean,
    Degenerate,
    Bent,
    Crossing,
}

/// Cuts polygons into triangles; keeps its memory between them.
#[derive(Default)]
struct Cutter {
    earcut: Earcut<f64>,
    flat: Vec<[f64; 2]>,
    indices: Vec<u32>,
    /// The triangles of the last polygon, as indices of its corners, in its sense of rotation.
    triangles: Vec<[u32; 3]>,
    is_used: Vec<bool>,
}

impl Cutter {
    fn cut(&mut self, corners: &[DVec3]) -> Cut {
        self.triangles.clear();
        let Some(normal) = newell_normal(corners) else {
            return Cut::Degenerate;
        };
        if let Ok(corners) = corners.try_into()
            && let Some(halves) = cut_quadrangle(corners, normal)
        {
            self.triangles.extend(halves);
            return if is_bent(corners, normal) {
                Cut::Bent
            } else {
                Cut::Clean
            };
        }
        self.flatten(corners, normal);
        let wanted = shoelace_area(&self.flat);
        self.earcut
            .earcut(self.flat.iter().copied(), &[], &mut self.indices);
        let mut area = 0.0;
        for corner in self.indices.as_chunks::<3>().0 {
            let [a, b, c] = *corner;
            let twice = self.twice_area(a, b, c);
            if twice != 0.0 {
                area += twice.abs() / 2.0;
                // The projection keeps the polygon's sense of rotation as counter-clockwise.
                let flipped = twice < 0.0;
                self.triangles
                    .push(if flipped { [a, c, b] } else { [a, b, c] });
            }
        }
        self.put_back_lost_corners(corners.len());
        if self.triangles.is_empty() {
            Cut::Degenerate
        } else if (area - wanted).abs() > AREA_TOLERANCE * wanted {
            Cut::Crossing
        } else if is_bent(corners, normal) {
            Cut::Bent
        } else {
            Cut::Clean
        }
    }

    /// Drops the axis nearest to the normal: unlike a rotation this rounds nothing, so straight sides stay straight.
    fn flatten(&mut self, corners: &[DVec3], normal: DVec3) {
        let axis = normal.abs().max_position();
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (u, v) = if normal[axis] > 0.0 { (u, v) } else { (v, u) };
        let origin = corners[0];
        self.flat.clear();
        self.flat.extend(corners.iter().map(|&corner| {
            let offset = corner - origin;
            [offset[u], offset[v]]
        }));
    }

    fn twice_area(&self, a: u32, b: u32, c: u32) -> f64 {
        let [a, b, c] = [a, b, c].map(|corner| DVec2::from(self.flat[corner as usize]));
        (b - a).perp_dot(c - a)
    }

    /// Fans the triangle on a straight side out to the corners on that side which no triangle uses.
    fn put_back_lost_corners(&mut self, count: usize) {
        self.is_used.clear();
        self.is_used.resize(count, false);
        for &corner in self.triangles.iter().flatten() {
            self.is_used[corner as usize] = true;
        }
        let Some(start) = self.is_used.iter().position(|&used| used) else {
            return;
        };
        let mut from = start;
        for step in 1..=count {
            let to = (start + step) % count;
            if !self.is_used[to] {
                continue;
            }
            let gap = (to + count - from) % count;
            // A gap of one is a side without lost corners; zero is a polygon of a single used corner, which no triangle
            // has.
            if gap > 1 {
                self.fan_out(from, gap, count);
            }
            from = to;
        }
    }

    /// Replaces the triangle with the side from corner `from` to the one `gap` further by triangles to all corners
    /// between.
    fn fan_out(&mut self, from: usize, gap: usize, count: usize) {
        let index =
            |corner: usize| u32::try_from(corner % count).expect("corners have u32 indices");
        let (a, b) = (index(from), index(from + gap));
        let found = self.triangles.iter().enumerate().find_map(|(at, t)| {
            let apex = match *t {
                [x, y, z] if (x, y) == (a, b) => z,
                [x, y, z] if (y, z) == (a, b) => x,
                [x, y, z] if (z, x) == (a, b) => y,
                _ => return None,
            };
            Some((at, apex))
        });
        let Some((at, apex)) = found else { return };
        let fan: Vec<[u32; 3]> = (from..from + gap)
            .map(|corner| [index(corner), index(corner + 1), apex])
            .filter(|&[a, b, c]| self.twice_area(a, b, c) > 0.0)
            .collect();
        if !fan.is_empty() {
            self.triangles.swap_remove(at);
            self.triangles.extend(fan);
        }
    }
}

/// The two halves along the diagonal that makes the smaller one larger, each facing as the whole does; `None` if a half
/// would face the other way along both, as when the outline crosses itself. Unlike ear clipping this suits quadrangles
/// of a terrain, which are not flat.
fn cut_quadrangle(corners: &[DVec3; 4], normal: DVec3) -> Option<[[u32; 3]; 2]> {
    let area = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|corner| corners[corner as usize]);
        (b - a).cross(c - a).dot(normal)
    };
    let smaller = |halves: [[u32; 3]; 2]| area(halves[0]).min(area(halves[1]));
    let (first, second) = ([[0, 1, 2], [0, 2, 3]], [[0, 1, 3], [1, 2, 3]]);
    let best = if smaller(second) > smaller(first) {
        second
    } else {
        first
    };
    (smaller(best) > 0.0).then_some(best)
}

/// The unit normal after Newell: the sum over the sides, which is exact for flat polygons, concave ones too. `None` for
/// a polygon without area or beyond the range of numbers.
fn newell_normal(corners: &[DVec3]) -> Option<DVec3> {
    let origin = *corners.first()?;
    let mut sum = DVec3::ZERO;
    let mut longest = 0.0_f64;
    let mut previous = *corners.last()? - origin;
    for &corner in corners {
        let corner = corner - origin;
        sum += previous.cross(corner);
        longest = longest.max(corner.length_squared());
        previous = corner;
    }
    // Rounding gives a collinear polygon an area of this order.
    let is_degenerate = sum.length() <= 1e-14 * longest;
    if is_degenerate {
        return None;
    }
    sum.try_normalize()
}

/// Whether a corner lies out of the plane through the corners' centre by more than [`FLATNESS`] of the polygon's size.
fn is_bent(corners: &[DVec3], normal: DVec3) -> bool {
    let centre = corners.iter().sum::<DVec3>() / corners.len() as f64;
    let (mut size, mut height) = (0.0_f64, 0.0_f64);
    for &corner in corners {
        size = size.max((corner - centre).length());
        height = height.max((corner - centre).dot(normal).abs());
    }
    height > FLATNESS * size
}

fn shoelace_area(flat: &[[f64; 2]]) -> f64 {
    let next = flat.iter().cycle().skip(1);
    let twice: f64 = flat
        .iter()
        .zip(next)
        .map(|(&a, &b)| DVec2::from(a).perp_dot(DVec2::from(b)))
        .sum();
    twice / 2.0
}

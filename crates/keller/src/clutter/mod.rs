//! Vegetation and other clutter: volumes that waves cross with loss.
//!
//! They are no walls. Nothing is reflected or diffracted at them and nothing is blocked, so paths do not depend on
//! them; the field along a path is weaker by the loss over the metres that it runs inside. Foliage that shades an edge
//! or thins a wall's reflection is not modelled.
//!
//! **Algorithm.** A straight line crosses the closed surface of a volume; the winding numbers of its triangles around the line, added
//! up along it, are not zero inside (`crossings`). Two trees of boxes, over the volumes and over the triangles of each, leave out what
//! is far from the segment (`boxes`). Where volumes lie over each other the one of the largest attenuation counts, and it alone: maps
//! often draw one wood twice.
//!
//! **Cost.** The logarithm of the number of volumes and of their triangles, for those that a segment meets. The tests have the same
//! lengths from the half-spaces of convex bodies.

mod boxes;
mod crossings;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use glam::DVec3;

use crate::Error;
use crate::geometry::tolerance::MAX_COORDINATE;
use boxes::BoxTree;
use crossings::StraightLine;

/// A body that waves cross with loss.
///
/// ```
/// use keller::{DVec3, clutter::{Clutter, Volume}};
/// let wood = Volume::prism(&[[0.0, 0.0], [30.0, 0.0], [30.0, 20.0], [0.0, 20.0]], [0.0, 12.0], 0.4, None)?;
/// let clutter = Clutter::new(vec![wood]);
/// let path = [DVec3::new(-10.0, 5.0, 2.0), DVec3::new(100.0, 5.0, 2.0)];
/// assert!((clutter.loss_db(path) - 0.4 * 30.0).abs() < 1e-12);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Volume {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    attenuation_db_per_m: f64,
    max_attenuation_db: Option<f64>,
    index: BoxTree,
}

impl Volume {
    /// The volume inside a closed surface of triangles (indices into `vertices`, metres), all with their fronts outwards or all
    /// inwards. Corners at the very same place are one.
    ///
    /// `attenuation_db_per_m` is the specific attenuation of a short way inside, dB/m, 0 or more; `max_attenuation_db`,
    /// dB and more than 0, the limit of a long way, see [`Self::loss_db`].
    ///
    /// # Errors
    /// [`Error::Clutter`] for a surface that is not closed or has no triangle, and for values out of range; [`Error::VertexPosition`],
    /// [`Error::IndexOutOfRange`].
    pub fn new(
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        attenuation_db_per_m: f64,
        max_attenuation_db: Option<f64>,
    ) -> Result<Self, Error> {
        if !(attenuation_db_per_m >= 0.0 && attenuation_db_per_m.is_finite()) {
            return Err(Error::Clutter(format!(
                "an attenuation of {attenuation_db_per_m} dB/m is not accepted; it must be 0 or more"
            )));
        }
        if let Some(max) = max_attenuation_db
            && !(max > 0.0 && max.is_finite())
        {
            return Err(Error::Clutter(format!(
                "a largest attenuation of {max} dB is not accepted; it must be more than 0"
            )));
        }
        let (vertices, triangles) = weld(vertices, triangles)?;
        check_closed(&vertices, &triangles)?;
        Ok(Self {
            index: index(&vertices, &triangles),
            vertices,
            triangles,
            attenuation_db_per_m,
            max_attenuation_db,
        })
    }

    /// An upright volume on an `outline` (x, y, metres) from the lower to the upper of two `heights`. The outline is
    /// open and goes round either way; it need not be convex.
    ///
    /// # Errors
    /// [`Error::Clutter`] for fewer than three corners, heights that are not in order, and as [`Self::new`].
    pub fn prism(
        outline: &[[f64; 2]],
        [low, high]: [f64; 2],
        attenuation_db_per_m: f64,
        max_attenuation_db: Option<f64>,
    ) -> Result<Self, Error> {
        let n = u32::try_from(outline.len()).unwrap_or(u32::MAX / 2);
        if n < 3 {
            return Err(Error::Clutter(format!(
                "an outline of {n} corners is not accepted; it must have 3 or more"
            )));
        }
        if low >= high {
            return Err(Error::Clutter(format!(
                "it reaches from {low} m to {high} m; the second must be more"
            )));
        }
        let at = |z: f64| outline.iter().map(move |&[x, y]| DVec3::new(x, y, z));
        let vertices: Vec<DVec3> = at(low).chain(at(high)).collect();
        // Fans over an outline that is not convex overlap, but with opposite signs: winding numbers come out right.
        let fans = (1..n - 1).flat_map(|k| [[0, k + 1, k], [n, n + k, n + k + 1]]);
        let sides = (0..n).flat_map(|p| {
            let q = (p + 1) % n;
            [[p, q, n + q], [p, n + q, n + p]]
        });
        let triangles: Vec<[u32; 3]> = fans.chain(sides).collect();
        Self::new(
            &vertices,
            &triangles,
            attenuation_db_per_m,
            max_attenuation_db,
        )
    }

    /// The loss over `length` metres inside, dB: `gamma d`, or where there is a largest attenuation `A_m (1 - e^{-gamma d / A_m})`.
    ///
    /// # Source
    /// ITU-R P.833-10, equation (1). Theory page: `clutter`.
    pub fn loss_db(&self, length: f64) -> f64 {
        let loss = self.attenuation_db_per_m * length;
        match self.max_attenuation_db {
            None => loss,
            Some(max) => -max * (-loss / max).exp_m1(),
        }
    }

    /// Moves it by so many metres.
    pub fn shift(&mut self, by: DVec3) {
        self.vertices.iter_mut().for_each(|vertex| *vertex += by);
        self.index = index(&self.vertices, &self.triangles);
    }

    /// The specific attenuation of a short way inside, dB/m.
    pub fn attenuation_db_per_m(&self) -> f64 {
        self.attenuation_db_per_m
    }

    /// The limit of the attenuation over a long way inside, dB.
    pub fn max_attenuation_db(&self) -> Option<f64> {
        self.max_attenuation_db
    }

    /// The corners of its surface, metres.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles of its surface, indices into [`Self::vertices`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The smallest and the largest coordinates, metres.
    pub fn bounds(&self) -> [DVec3; 2] {
        let empty = [DVec3::INFINITY, DVec3::NEG_INFINITY];
        let grow = |[low, high]: [DVec3; 2], v: &DVec3| [low.min(*v), high.max(*v)];
        self.vertices.iter().fold(empty, grow)
    }
}

/// All volumes of a scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clutter {
    volumes: Vec<Volume>,
    index: BoxTree,
}

impl Clutter {
    /// These volumes, and an index that finds them.
    pub fn new(volumes: Vec<Volume>) -> Self {
        let index = BoxTree::new(volumes.iter().map(Volume::bounds));
        Self { volumes, index }
    }

    /// The volumes.
    pub fn volumes(&self) -> &[Volume] {
        &self.volumes
    }

    /// The loss of a path along straight segments between `points` (metres), dB: the lengths inside each volume are added up over the
    /// whole path, then the losses of the volumes.
    ///
    /// # Source
    /// Theory page: `clutter`.
    pub fn loss_db(&self, points: impl IntoIterator<Item = DVec3>) -> f64 {
        if self.volumes.is_empty() {
            return 0.0;
        }
        let mut lengths = BTreeMap::new();
        let mut points = points.into_iter();
        let mut last = points.next();
        for point in points {
            if let Some(last) = last.replace(point) {
                self.add_lengths(last, point, &mut lengths);
            }
        }
        let losses = lengths
            .into_iter()
            .map(|(volume, length)| self.volumes[volume].loss_db(length));
        losses.sum()
    }

    /// Adds the metres of the segment from `a` to `b` inside each volume to `lengths`, by index. Where volumes lie over each other, only
    /// to the one of the largest attenuation, and of those the first.
    pub fn add_lengths(&self, a: DVec3, b: DVec3, lengths: &mut BTreeMap<usize, f64>) {
        let Some(line) = StraightLine::through(a, b) else {
            return;
        };
        let mut crossings = Vec::new();
        self.index.meet_segment(&line, &mut |volume| {
            let of_volume = &self.volumes[volume];
            line.cross(of_volume, &mut |t, winding| {
                crossings.push((t, volume, winding));
            });
        });
        crossings.sort_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
        // The winding number of the line's position in each volume, from one crossing to the next.
        let mut winding: BTreeMap<usize, i32> = BTreeMap::new();
        for (i, &(t, volume, change)) in crossings.iter().enumerate() {
            *winding.entry(volume).or_default() += change;
            let next = crossings.get(i + 1).map_or(1.0, |next| next.0);
            let share = next.clamp(0.0, 1.0) - t.clamp(0.0, 1.0);
            let inside = winding.iter().filter(|(_, times)| **times != 0);
            let strength = |volume: usize| self.volumes[volume].attenuation_db_per_m;
            // The last of equals is the one that `max_by` takes.
            let strongest = inside
                .map(|(volume, _)| *volume)
                .rev()
                .max_by(|p, q| strength(*p).total_cmp(&strength(*q)));
            if let Some(strongest) = strongest
                && share > 0.0
            {
                *lengths.entry(strongest).or_default() += share * line.length();
            }
        }
    }
}

fn index(vertices: &[DVec3], triangles: &[[u32; 3]]) -> BoxTree {
    BoxTree::new(triangles.iter().map(|t| {
        let [a, b, c] = t.map(|v| vertices[v as usize]);
        [a.min(b).min(c), a.max(b).max(c)]
    }))
}

/// One vertex for each place, and the triangles that have three.
fn weld(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(Vec<DVec3>, Vec<[u32; 3]>), Error> {
    let mut welded = Vec::new();
    let mut known = BTreeMap::new();
    let mut numbers = Vec::with_capacity(vertices.len());
    for (index, vertex) in vertices.iter().enumerate() {
        if !vertex.abs().cmple(DVec3::splat(MAX_COORDINATE)).all() {
            return Err(Error::VertexPosition {
                index,
                position: vertex.to_array(),
            });
        }
        // Both zeros are one place.
        let key = vertex.to_array().map(|x| (x + 0.0).to_bits());
        let number = *known.entry(key).or_insert_with(|| {
            welded.push(*vertex);
            u32::try_from(welded.len() - 1).expect("fewer than 2^32 vertices")
        });
        numbers.push(number);
    }
    let mut kept = Vec::with_capacity(triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        let number = |&corner: &u32| {
            let number = numbers.get(corner as usize).copied();
            number.ok_or(Error::IndexOutOfRange {
                triangle,
                what: "vertex",
                index: corner as usize,
                count: vertices.len(),
            })
        };
        let [a, b, c] = corners;
        let [a, b, c] = [number(a)?, number(b)?, number(c)?];
        if a != b && b != c && c != a {
            kept.push([a, b, c]);
        }
    }
    Ok((welded, kept))
}

/// Every side of a triangle must be that of another one, the other way round.
fn check_closed(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), Error> {
    if triangles.is_empty() {
        return Err(Error::Clutter("its surface has no triangles".to_owned()));
    }
    let mut sides: BTreeMap<(u32, u32), i64> = BTreeMap::new();
    for [a, b, c] in triangles {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            *sides.entry((*p.min(q), *p.max(q))).or_default() += if p < q { 1 } else { -1 };
        }
    }
    match sides.iter().find(|(_, sum)| **sum != 0) {
        None => Ok(()),
        Some((&(p, q), _)) => {
            let [p, q] = [p, q].map(|v| vertices[v as usize]);
            Err(Error::Clutter(format!(
                "its surface is not closed at the side from {p} to {q}, or triangles that meet there face different ways"
            )))
        }
    }
}

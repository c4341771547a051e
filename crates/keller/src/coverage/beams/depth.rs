//! How many walls the straight line to every cell crosses, for all cells at once.
//!
//! A wall casts a shadow on the plane: behind it, and as far as its height reaches. The number of shadows over a cell is
//! the number of walls. It changes only where a shadow ends, and where two walls meet and go on to the same side, one's
//! shadow begins where the other's ends. So only walls, far ends of shadows and silhouettes are drawn, as steps along every
//! column, and each column is added up once. Walls and far ends take few cells, and are drawn one by one. Silhouettes run
//! away from the source through the whole city: [`Silhouettes`] finds those below a cell by its direction. Any number of
//! walls and any height of the source cost the same.
//!
//! # Source
//! T. Rick and T. Kuhlen, "Accelerating Radio Wave Propagation Algorithms by Implementation on Graphics Hardware", 2010,
//! equations (1) to (4) and section 5.2. There each shadow is filled by itself.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]

use std::ops::Range;

use glam::DVec2;
use pulp::{Arch, Simd, WithSimd};

use super::raster::{Raster, first_from, rows_between};
use super::silhouettes::Silhouettes;
use super::walls::Walls;

/// The walls, and at every corner those that end there.
#[derive(Debug, Clone, Default)]
pub(super) struct Shadows {
    /// Where the list of each corner starts in `at_corner`, and the end of the last.
    starts: Vec<u32>,
    /// Twice the number of a wall, and one more for its second end.
    at_corner: Vec<u32>,
    /// Whether all walls at a corner are equally high, so that their shadows have one extent.
    is_level: Vec<bool>,
    /// The ends of every wall: x and y of the first, x and y of the second, metres.
    ends: [Vec<f64>; 4],
}

/// The numbers of walls, and the memory to find them again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct DepthImage {
    /// By columns.
    pub(super) counts: Vec<i16>,
    /// What begins below the first row, from a column on.
    base: Vec<i16>,
    /// Where every corner lies from the source, in cells.
    away: Vec<DVec2>,
    /// Of every wall: on which side of it the source lies.
    signs: Vec<i8>,
    /// Ends of shadows along lines of sight, left and right of the source.
    rays: [Vec<Ray>; 2],
    silhouettes: Silhouettes,
}

/// Where the shadow of a wall lies on the plane, in distances of the wall from the source.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Extent {
    from: f64,
    to: f64,
}

/// The end of a shadow along a line of sight.
#[derive(Debug, Clone)]
struct Ray {
    away: DVec2,
    columns: Range<usize>,
    step: i16,
}

/// An image to be drawn.
struct Drawing<'a> {
    shadows: &'a Shadows,
    walls: &'a Walls,
    raster: &'a Raster,
    source: DVec2,
    height: f64,
    plane: f64,
    image: &'a mut DepthImage,
}

impl Shadows {
    pub(super) fn new(walls: &Walls) -> Self {
        let mut starts = vec![0; walls.corners.len() + 1];
        for end in walls.walls.iter().flat_map(|wall| wall.ends) {
            starts[end as usize + 1] += 1;
        }
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        let mut at_corner = vec![0; 2 * walls.walls.len()];
        for (number, wall) in walls.walls.iter().enumerate() {
            for (end, corner) in wall.ends.into_iter().enumerate() {
                let slot = &mut next[corner as usize];
                let which = 2 * number + end;
                at_corner[*slot as usize] = u32::try_from(which).expect("fewer than 2^31 walls");
                *slot += 1;
            }
        }
        let is_level = starts.windows(2).map(|here| {
            let mut here = at_corner[here[0] as usize..here[1] as usize].iter();
            let height = |which: &u32| walls.walls[*which as usize / 2].height;
            let first = here.next().map(height);
            here.all(|which| Some(height(which)) == first)
        });
        let is_level = is_level.collect();
        Self {
            starts,
            at_corner,
            is_level,
            ends: [0, 1, 2, 3].map(|k| {
                let end = |wall| walls.ends(wall)[k / 2][k % 2];
                walls.walls.iter().map(end).collect()
            }),
        }
    }

    /// Fills in on which side of every wall a source lies. On the lattice of corners this is exact.
    #[inline(always)]
    fn look(&self, source: DVec2, signs: &mut Vec<i8>) {
        let [ax, ay, bx, by] = &self.ends;
        signs.resize(ax.len(), 0);
        for (k, sign) in signs.iter_mut().enumerate() {
            let (ax, ay) = (ax[k] - source.x, ay[k] - source.y);
            let (bx, by) = (bx[k] - source.x, by[k] - source.y);
            let turn = ax * by - ay * bx;
            *sign = i8::from(turn > 0.0) - i8::from(turn < 0.0);
        }
    }

    /// Fills in how many walls the line from `source`, at `height`, to each cell of the plane at `plane` crosses; metres
    /// over the ground.
    pub(super) fn draw(
        &self,
        walls: &Walls,
        raster: &Raster,
        (source, height): (DVec2, f64),
        plane: f64,
        image: &mut DepthImage,
    ) {
        Arch::new().dispatch(Drawing {
            shadows: self,
            walls,
            raster,
            source,
            height,
            plane,
            image,
        });
    }
}

impl WithSimd for Drawing<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, _: S) {
        self.draw();
    }
}

impl Drawing<'_> {
    #[inline(always)]
    fn draw(&mut self) {
        let centre = self.raster.cells(self.source);
        let [num_columns, _] = self.raster.count;
        self.image.clear(self.raster);
        self.draw_walls(centre);
        self.find_rays(centre);
        let first = first_from(centre.x, num_columns);
        let on_source = usize::from(first < num_columns && first as f64 == centre.x);
        self.image.add_up_base();
        self.sweep(centre, (0..first).rev(), 0);
        for column in first..first + on_source {
            let DepthImage { counts, base, .. } = &mut *self.image;
            add_up_walls(counts, base, column, self.raster.count[1]);
        }
        self.sweep(centre, first + on_source..num_columns, 1);
        self.image.finish();
    }

    /// Draws the ends of shadows along walls.
    #[inline(always)]
    fn draw_walls(&mut self, centre: DVec2) {
        let image = &mut *self.image;
        let per_metre = self.raster.resolution.recip();
        let corners = self.walls.corners.iter();
        image
            .away
            .extend(corners.map(|corner| (*corner - self.source) * per_metre));
        self.shadows.look(self.source, &mut image.signs);
        for (number, wall) in self.walls.walls.iter().enumerate() {
            let sign = i16::from(image.signs[number]);
            let extent = Extent::new(wall.height, self.height, self.plane);
            if sign == 0 || extent.is_empty() {
                continue;
            }
            let [a, b] = wall.ends.map(|end| image.away[end as usize]);
            let at = |share: f64| [centre + share * a, centre + share * b];
            image.line(self.raster, at(extent.from), -sign);
            if extent.to.is_finite() {
                image.line(self.raster, at(extent.to), sign);
            } else if a.x * b.x <= 0.0 {
                image.far_below(self.raster, centre, [a, b], sign);
            }
        }
    }

    /// Finds the ends of shadows along lines of sight.
    #[inline(always)]
    fn find_rays(&mut self, centre: DVec2) {
        let DepthImage {
            away, signs, rays, ..
        } = &mut *self.image;
        let sign = |which: u32| {
            let sign = i16::from(signs[which as usize / 2]);
            if which.is_multiple_of(2) { sign } else { -sign }
        };
        let extent = |which: u32| {
            let wall = self.walls.walls[which as usize / 2];
            Extent::new(wall.height, self.height, self.plane)
        };
        let mut put = |away: DVec2, extent: Extent, step: i16| {
            if step != 0 && !extent.is_empty() {
                let ray = Ray::new(self.raster, centre, away, extent, step);
                rays[usize::from(away.x > 0.0)].extend(ray);
            }
        };
        let lists = self.shadows.starts.windows(2).zip(&self.shadows.is_level);
        for (away, (here, is_level)) in away.iter().zip(lists) {
            let here = &self.shadows.at_corner[here[0] as usize..here[1] as usize];
            if *is_level {
                // Most corners have no step.
                let step = here.iter().map(|which| sign(*which)).sum();
                if step != 0 {
                    put(*away, extent(here[0]), step);
                }
                continue;
            }
            for (k, which) in here.iter().enumerate() {
                let of_wall = extent(*which);
                let is_same = |which: &&u32| extent(**which) == of_wall;
                if here[..k].iter().any(|which| is_same(&which)) {
                    continue;
                }
                let ends = here[k..].iter().filter(is_same);
                put(*away, of_wall, ends.map(|which| sign(*which)).sum());
            }
        }
    }

    /// Adds up columns, from the source outwards, with the rays of this side.
    #[inline(always)]
    fn sweep(&mut self, centre: DVec2, columns: impl Iterator<Item = usize>, side: usize) {
        let DepthImage {
            counts,
            base,
            rays,
            silhouettes,
            ..
        } = &mut *self.image;
        silhouettes.clear(self.raster.count, centre.y);
        for ray in &rays[side] {
            silhouettes.push(ray.away, ray.columns.clone(), ray.step);
        }
        for column in columns {
            let counts = add_up_walls(counts, base, column, self.raster.count[1]);
            silhouettes.add_to(counts, column, centre);
        }
    }
}

impl Ray {
    /// Along the line through `centre + away`; `None` if it is upright or outside.
    #[inline(always)]
    fn new(raster: &Raster, centre: DVec2, away: DVec2, extent: Extent, step: i16) -> Option<Self> {
        if away.x == 0.0 {
            return None;
        }
        let [start, end] = [extent.from, extent.to].map(|share| centre.x + share * away.x);
        let columns = rows_between(start.min(end), start.max(end), raster.count[0]);
        (!columns.is_empty()).then_some(Self {
            away,
            columns,
            step: if away.x > 0.0 { step } else { -step },
        })
    }
}

impl Extent {
    /// Of a wall, seen from a source, on a plane, at these heights.
    #[inline(always)]
    fn new(wall: f64, source: f64, plane: f64) -> Self {
        let (from, to) = if source >= plane {
            // The line sinks: it is below the top of the wall as long as it meets the plane soon enough behind it.
            if wall <= plane {
                (1.0, 1.0)
            } else if wall < source {
                (1.0, (source - plane) / (source - wall))
            } else {
                (1.0, f64::INFINITY)
            }
        } else if wall <= source {
            (1.0, 1.0)
        } else if wall < plane {
            ((plane - source) / (wall - source), f64::INFINITY)
        } else {
            (1.0, f64::INFINITY)
        };
        Self { from, to }
    }

    fn is_empty(self) -> bool {
        self.from >= self.to
    }
}

impl DepthImage {
    #[inline(always)]
    fn clear(&mut self, raster: &Raster) {
        self.counts.clear();
        self.counts.resize(raster.num_cells(), 0);
        self.base.clear();
        self.base.resize(raster.count[0] + 1, 0);
        self.away.clear();
        self.signs.clear();
        self.rays.iter_mut().for_each(Vec::clear);
    }

    /// Draws the end of a shadow from `a` to `b`, in cells: all cells above it change by `step` where it goes right, and by
    /// its opposite where it goes left.
    #[inline(always)]
    fn line(&mut self, raster: &Raster, [a, b]: [DVec2; 2], step: i16) {
        let [num_columns, num_rows] = raster.count;
        let columns = rows_between(a.x.min(b.x), a.x.max(b.x), num_columns);
        if columns.is_empty() {
            return;
        }
        let slope = (b.y - a.y) / (b.x - a.x);
        let step = if b.x > a.x { step } else { -step };
        for column in columns {
            let row = first_from(a.y + (column as f64 - a.x) * slope, num_rows);
            if row < num_rows {
                let count = &mut self.counts[column * num_rows + row];
                *count = count.wrapping_add(step);
            }
        }
    }

    /// The same for the end of a shadow without an end, where that lies infinitely far below.
    #[inline(always)]
    fn far_below(&mut self, raster: &Raster, centre: DVec2, [a, b]: [DVec2; 2], step: i16) {
        let is_below = if a.x * b.x < 0.0 {
            // Where the wall crosses the column of the source.
            a.perp_dot(b) * (b.x - a.x) > 0.0
        } else {
            (a.x == 0.0 && a.y < 0.0) || (b.x == 0.0 && b.y < 0.0)
        };
        if !is_below {
            return;
        }
        let end = |at: DVec2| {
            if at.x == 0.0 {
                centre.x
            } else {
                at.x * f64::INFINITY
            }
        };
        let (from, to) = (end(a), end(b));
        let columns = rows_between(from.min(to), from.max(to), raster.count[0]);
        let step = if to > from { step } else { -step };
        self.base[columns.start] = self.base[columns.start].wrapping_add(step);
        self.base[columns.end] = self.base[columns.end].wrapping_sub(step);
    }

    /// Turns what begins below the first row, from a column on, into what lies below it.
    #[inline(always)]
    fn add_up_base(&mut self) {
        let mut all = 0_i16;
        for step in &mut self.base {
            all = all.wrapping_add(*step);
            *step = all;
        }
    }

    /// Takes off of the sums what they do not hold.
    #[inline(always)]
    fn finish(&mut self) {
        /// Sums are known up to this, and no count is so large.
        const ALL: i16 = i16::MAX;
        for count in &mut self.counts {
            let sum = *count & ALL;
            // On a wall's line rounding may count one too few: nothing is less than none.
            *count = if sum > ALL / 2 { 0 } else { sum };
        }
    }
}

/// Turns the steps of a column into the number of walls below each row.
#[inline(always)]
fn add_up_walls<'c>(
    counts: &'c mut [i16],
    base: &[i16],
    column: usize,
    num_rows: usize,
) -> &'c mut [i16] {
    let counts = &mut counts[column * num_rows..(column + 1) * num_rows];
    let mut walls = base[column];
    for count in &mut *counts {
        walls = walls.wrapping_add(*count);
        *count = walls;
    }
    counts
}

#[cfg(test)]
mod tests {
    use pulp::Scalar;

    use super::super::walls::Wall;
    use super::*;

    /// Houses of many heights, on the lattice of cells and off it, and fences.
    fn town() -> Walls {
        let mut state = 11_u64;
        let mut draw = |low: f64, high: f64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            low + (high - low) * (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut walls = Walls::default();
        for number in 0..60 {
            let at = DVec2::new(draw(-20.0, 320.0), draw(-20.0, 420.0));
            let size = DVec2::new(draw(5.0, 40.0), draw(5.0, 40.0));
            let turn = DVec2::from_angle(if number % 3 == 0 { 0.0 } else { draw(0.0, 6.3) });
            let first = u32::try_from(walls.corners.len()).unwrap();
            let height = draw(1.0, 30.0);
            for (k, share) in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
                .iter()
                .enumerate()
            {
                let corner = at + turn.rotate(DVec2::from(*share) * size);
                walls.corners.push((corner * 1024.0).round() / 1024.0);
                let k = u32::try_from(k).unwrap();
                let ends = [first + k, first + (k + 1) % 4];
                walls.walls.push(Wall { ends, height });
            }
            if number % 7 == 0 {
                walls.walls.pop();
            }
        }
        walls
    }

    #[test]
    fn all_instructions_count_the_same_walls() {
        let walls = town();
        let shadows = Shadows::new(&walls);
        let raster = Raster {
            count: [60, 130],
            resolution: DVec2::new(5.0, 3.0),
        };
        let corner = walls.corners[17];
        let inside = DVec2::new(141.0, 203.5);
        let places = [
            inside,
            corner,
            DVec2::new(142.5, 201.5),
            DVec2::new(-50.0, 900.0),
        ];
        for (source, height) in places.into_iter().flat_map(|at| [(at, 1.0), (at, 13.0)]) {
            let images = [false, true].map(|is_scalar| {
                let mut image = DepthImage::default();
                for plane in [7.0, 1.5] {
                    let drawing = Drawing {
                        shadows: &shadows,
                        walls: &walls,
                        raster: &raster,
                        source,
                        height,
                        plane,
                        image: &mut image,
                    };
                    if is_scalar {
                        Scalar::new().vectorize(drawing);
                    } else {
                        Arch::new().dispatch(drawing);
                    }
                }
                image.counts
            });
            assert!(
                images[0].iter().any(|count| *count > 5),
                "{source} {height}"
            );
            assert_eq!(images[0], images[1], "{source} {height}");
        }
    }
}

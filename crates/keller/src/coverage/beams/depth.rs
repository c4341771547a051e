//! The number of walls that the straight line to every cell crosses, for all cells at once.
//!
//! A wall casts a shadow on the plane: behind it, and as far as its height reaches. The number of shadows over a cell is
//! the number of walls. It changes only where a shadow ends, and where two walls meet and go on to the same side, one's
//! shadow begins where the other's ends. So only walls, ends of shadows and silhouettes are drawn, as lines that change all
//! cells right of them ([`super::difference_image`]). Any number of walls and any height of the source cost the same.
//! The cells that change at the walls themselves are found once for all sources; of the walls only the sides on which a
//! source lies are its own. In a city of 16 000 walls, 8 000 silhouettes are left, and they take most of the time.
//!
//! # Source
//! T. Rick and T. Kuhlen, "Accelerating Radio Wave Propagation Algorithms by Implementation on Graphics Hardware", 2010,
//! equations (1) to (4) and section 5.2. There each shadow is filled by itself.

use std::ops::Range;

use glam::DVec2;
use pulp::Arch;

use super::difference_image::{DifferenceImage, FixedSteps};
use super::raster::{Raster, first_from, rows_between};
use super::walls::Walls;

/// The data that all sources share: the walls from low to high, and the ends of walls at corners.
#[derive(Debug, Clone, Default)]
pub(super) struct Shadows {
    /// Both corners of each wall, that in the lower row first.
    ends: Vec<[u32; 2]>,
    /// Both coordinates of the first ends and of the second, metres.
    sides: [Vec<f64>; 4],
    /// Walls of the same height.
    groups: Vec<Group>,
    /// The number of the group of each wall.
    group_of: Vec<u32>,
    /// The corners, in cells.
    cells: Vec<DVec2>,
    /// Corners of one wall or two of the same height, and all others.
    simple: Vec<Simple>,
    mixed: Vec<(u32, Vec<End>)>,
    /// The places at which counts change at walls.
    steps: FixedSteps,
}

#[derive(Debug, Clone)]
struct Group {
    /// The height over the ground, metres.
    height: f64,
    walls: Range<usize>,
}

/// The end of a wall at a corner.
#[derive(Debug, Clone, Copy)]
struct End {
    wall: u32,
    /// 1 for the first end of the wall, -1 for the second.
    sign: i16,
}

/// A corner, and the ends there. If there is just one end, the other is that of a wall behind the last.
#[derive(Debug, Clone, Copy)]
struct Simple {
    corner: u32,
    ends: [End; 2],
}

/// The numbers of walls, and the memory to find them again and again.
#[derive(Debug, Clone, Default)]
pub(super) struct Depth {
    image: DifferenceImage,
    /// The side of each wall on which the source lies, 0 if it casts no shadow; and 0 behind the last.
    signs: Vec<i16>,
    /// The start and the end of the shadows of a group, in distances of the wall from the source.
    extents: Vec<[f64; 2]>,
    /// Numbers of simple corners, and the change there.
    silhouettes: Vec<(u32, i16)>,
}

/// The place of a source.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The position, metres.
    source: DVec2,
    /// The coordinates of the source in cells.
    centre: DVec2,
}

impl Depth {
    /// The counts by columns; [`num_walls`] says what they mean.
    pub(super) fn counts(&self) -> &[i16] {
        self.image.counts()
    }
}

impl Shadows {
    pub(super) fn new(walls: &Walls, raster: &Raster) -> Self {
        let short = |number: usize| u32::try_from(number).expect("fewer than 2^32 walls");
        let mut sorted: Vec<usize> = (0..walls.walls.len()).collect();
        sorted.sort_by(|a, b| walls.walls[*a].height.total_cmp(&walls.walls[*b].height));
        let mut all = Self {
            cells: walls.corners.iter().map(|at| raster.cells(*at)).collect(),
            ..Self::default()
        };
        let mut at_corner = vec![Vec::new(); walls.corners.len()];
        for (number, wall) in sorted.iter().map(|wall| &walls.walls[*wall]).enumerate() {
            let [a, b] = wall.ends;
            let is_rising = all.cells[a as usize].y <= all.cells[b as usize].y;
            let ends = if is_rising { [a, b] } else { [b, a] };
            all.ends.push(ends);
            for (end, sign) in ends.into_iter().zip([1, -1]) {
                let wall = short(number);
                at_corner[end as usize].push(End { wall, sign });
            }
            match all.groups.last_mut() {
                Some(group) if group.height == wall.height => group.walls.end += 1,
                _ => all.groups.push(Group {
                    height: wall.height,
                    walls: number..number + 1,
                }),
            }
            all.group_of.push(short(all.groups.len() - 1));
        }
        all.sides = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(end, axis)| {
            let corners = all.ends.iter().map(|ends| ends[end] as usize);
            corners.map(|corner| walls.corners[corner][axis]).collect()
        });
        let group_of = |end: &End| all.group_of[end.wall as usize];
        let nothing = End {
            wall: short(all.ends.len()),
            sign: 1,
        };
        for (corner, here) in (0..).zip(at_corner) {
            let ends = match here[..] {
                [one] => [one, nothing],
                [one, two] if group_of(&one) == group_of(&two) => [one, two],
                _ => {
                    all.mixed.push((corner, here));
                    continue;
                }
            };
            all.simple.push(Simple { corner, ends });
        }
        all.steps = FixedSteps::new(raster, all.cells_of_walls(raster));
        all
    }

    /// The row and column of the first cells right of all walls, and the number of the wall.
    fn cells_of_walls(&self, raster: &Raster) -> impl Iterator<Item = ([usize; 2], usize)> {
        let [num_columns, num_rows] = raster.count;
        let walls = self.ends.iter().enumerate();
        let all = walls.flat_map(move |(wall, ends)| {
            let [a, b] = ends.map(|end| self.cells[end as usize]);
            let slope = (b.x - a.x) / (b.y - a.y);
            rows_between(a.y, b.y, num_rows).map(move |row| {
                let column = first_from(a.x + (row as f64 - a.y) * slope, num_columns);
                ([row, column], wall)
            })
        });
        all.filter(move |([_, column], _)| *column < num_columns)
    }

    /// Fills in how many walls the line from `source`, at `height`, to each cell of the plane at `plane` crosses; metres
    /// over the ground.
    pub(super) fn draw(
        &self,
        raster: &Raster,
        (source, height): (DVec2, f64),
        plane: f64,
        depth: &mut Depth,
    ) {
        let place = Place {
            source,
            centre: raster.cells(source),
        };
        let extents = self.groups.iter();
        let extents = extents.map(|group| extent(group.height, height, plane));
        depth.extents.clear();
        depth.extents.extend(extents);
        depth.image.clear(raster);
        self.find_signs(source, &mut depth.signs);
        for number in 0..self.groups.len() {
            self.walls(raster, place, number, depth);
        }
        self.silhouettes(raster, place, depth);
        for (group, [from, _]) in self.groups.iter().zip(&depth.extents) {
            if *from != 1.0 {
                // The shadows of these walls do not begin at the walls.
                depth.signs[group.walls.clone()].fill(0);
            }
        }
        depth.image.add_up(raster, &self.steps, &depth.signs);
    }

    /// 1 for walls that turn to the left around the source, and -1 for those that turn to the right.
    fn find_signs(&self, source: DVec2, signs: &mut Vec<i16>) {
        signs.clear();
        signs.resize(self.ends.len() + 1, 0);
        let [ax, ay, bx, by] = &self.sides;
        Arch::new().dispatch(
            #[inline(always)]
            || {
                let ends = ax.iter().zip(ay).zip(bx.iter().zip(by));
                for (sign, ((ax, ay), (bx, by))) in signs.iter_mut().zip(ends) {
                    let (ax, ay) = (ax - source.x, ay - source.y);
                    let (bx, by) = (bx - source.x, by - source.y);
                    let turn = ax * by - ay * bx;
                    *sign = i16::from(turn > 0.0) - i16::from(turn < 0.0);
                }
            },
        );
    }

    /// Draws the ends of the shadows of a group that do not lie at the walls.
    fn walls(&self, raster: &Raster, place: Place, group: usize, depth: &mut Depth) {
        let [from, to] = depth.extents[group];
        let walls = self.groups[group].walls.clone();
        if from >= to {
            depth.signs[walls].fill(0);
            return;
        }
        for (distance, side) in [(from, 1), (to, -1)] {
            if distance == 1.0 || distance == f64::INFINITY {
                continue;
            }
            for (ends, sign) in self.ends[walls.clone()]
                .iter()
                .zip(&depth.signs[walls.clone()])
            {
                let at = |end: u32| place.centre + distance * self.away(place, end);
                depth.image.line(raster, ends.map(at), sign * side);
            }
        }
        if to == f64::INFINITY {
            let [_, ay, _, by] = &self.sides;
            for wall in walls {
                let (low, high) = (ay[wall], by[wall]);
                let meets_row = place.source.y.clamp(low, high) == place.source.y;
                if meets_row && depth.signs[wall] < 0 {
                    // The shadow ends infinitely far left, from where the lines to both ends of the wall lead.
                    let row = place.centre.y;
                    let start = if low < place.source.y { 0.0 } else { row };
                    let end = if high > place.source.y {
                        f64::INFINITY
                    } else {
                        row
                    };
                    let rows = rows_between(start, end, raster.count[1]);
                    depth.image.whole_rows(rows, 1);
                }
            }
        }
    }

    /// Draws the lines behind corners at which shadows end and none begin.
    fn silhouettes(&self, raster: &Raster, place: Place, depth: &mut Depth) {
        let Depth {
            image,
            signs,
            extents,
            silhouettes,
        } = depth;
        let of_end = |end: &End| end.sign * signs[end.wall as usize];
        let extent = |end: &End| extents[self.group_of[end.wall as usize] as usize];
        // Most corners have no step; those that have one come in no order that a processor could foresee.
        silhouettes.resize(self.simple.len(), (0, 0));
        let mut count = 0;
        for (number, Simple { ends: [a, b], .. }) in (0..).zip(&self.simple) {
            let step = of_end(a) + of_end(b);
            silhouettes[count] = (number, step);
            count += usize::from(step != 0);
        }
        for &(number, step) in &silhouettes[..count] {
            let Simple { corner, ends } = &self.simple[number as usize];
            self.ray(raster, place, *corner, extent(&ends[0]), step, image);
        }
        for (corner, here) in &self.mixed {
            for (k, end) in here.iter().enumerate() {
                let own = extent(end);
                let is_same = |other: &&End| extent(other) == own;
                if own[0] >= own[1] || here[..k].iter().any(|other| is_same(&other)) {
                    continue;
                }
                let step: i16 = here[k..].iter().filter(is_same).map(of_end).sum();
                if step != 0 {
                    self.ray(raster, place, *corner, own, step, image);
                }
            }
        }
    }

    /// Draws the line from a source through a corner, between two distances of that.
    #[inline]
    fn ray(
        &self,
        raster: &Raster,
        place: Place,
        corner: u32,
        [from, to]: [f64; 2],
        step: i16,
        image: &mut DifferenceImage,
    ) {
        let away = self.away(place, corner);
        if away.y == 0.0 {
            return;
        }
        let row_at = |distance: f64| {
            if distance == 1.0 {
                // Exactly where the wall ends.
                self.cells[corner as usize].y
            } else {
                place.centre.y + distance * away.y
            }
        };
        let [start, end] = [from, to].map(row_at);
        let rows = rows_between(start.min(end), start.max(end), raster.count[1]);
        let step = if away.y < 0.0 { step } else { -step };
        image.rows_of_line(raster, rows, place.centre, away.x / away.y, step);
    }

    /// The vector from a source to a corner, in cells.
    fn away(&self, place: Place, corner: u32) -> DVec2 {
        self.cells[corner as usize] - place.centre
    }
}

/// The number of walls that a count of an image says. On the line of a wall rounding may count one too few: nothing is less
/// than none.
#[inline]
pub(super) fn num_walls(count: i16) -> u16 {
    count.max(0).cast_unsigned()
}

/// The start and the end of a wall's shadow on the plane, in distances of the wall from the source.
fn extent(wall: f64, source: f64, plane: f64) -> [f64; 2] {
    if source >= plane {
        // The line sinks: it is below the top of the wall as long as it meets the plane soon enough behind it.
        if wall <= plane {
            [1.0, 1.0]
        } else if wall < source {
            [1.0, (source - plane) / (source - wall)]
        } else {
            [1.0, f64::INFINITY]
        }
    } else if wall <= source {
        [1.0, 1.0]
    } else if wall < plane {
        [(plane - source) / (wall - source), f64::INFINITY]
    } else {
        [1.0, f64::INFINITY]
    }
}

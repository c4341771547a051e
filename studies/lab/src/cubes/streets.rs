//! Follows waves around corners: rays are launched again from cubes next to a wall and next to a shadow.

use std::collections::BTreeMap;

use glam::DVec2;
use keller::coverage::beams::{Bends, Losses, Through};
use rayon::prelude::*;

use super::raster::Heights;

/// A cube from which rays are launched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Source {
    pub(super) cell: u32,
    /// The direction in plan from which the wave comes, a unit vector.
    from: DVec2,
    /// The length of the way to here in plan, metres.
    length: f64,
    bends: Bends,
    /// Gain up to here without that of the diffraction here, linear.
    gain: f64,
}

/// The parameters of the losses from a Tx around corners.
#[derive(Debug, Clone, Copy)]
pub(super) struct Way {
    pub(super) losses: Losses,
    pub(super) wavelength: f64,
    /// The height of the Tx over the cells, metres.
    pub(super) drop: f64,
}

impl Way {
    fn gain(&self, length: f64, bends: Bends) -> f64 {
        let through = if bends.count == 0 {
            Through::Air
        } else {
            Through::Corners(bends)
        };
        free_space(length.hypot(self.drop), self.wavelength)
            * keller::units::db_to_power(-self.losses.of(through))
    }
}

/// Free space over a distance, linear.
pub(super) fn free_space(distance: f64, wavelength: f64) -> f64 {
    (wavelength / (4.0 * std::f64::consts::PI * distance)).powi(2)
}

/// The cubes from which waves go around corners, which a Tx at `place` lights.
pub(super) fn corners_of_tx(
    heights: &Heights,
    is_lit: &[bool],
    place: DVec2,
    way: &Way,
) -> Vec<Source> {
    let lit = (0_u32..).zip(is_lit).filter(|(_, is_lit)| **is_lit);
    let corners = lit.filter(|(cell, _)| is_corner(heights, *cell, |cell| is_lit[cell]));
    let source = |(cell, _): (u32, &bool)| {
        let away = heights.centre(cell) - place;
        let length = away.length();
        Some(Source {
            cell,
            from: away.try_normalize()?,
            length,
            bends: Bends::default(),
            gain: way.gain(length, Bends::default()),
        })
    };
    corners.filter_map(source).collect()
}

/// Launches from sources: raises `best` to the strongest gain around a corner to each cell, and returns the corners that they
/// light and a Tx does not.
pub(super) fn launch(
    heights: &Heights,
    sources: &[Source],
    is_lit_by_tx: &[bool],
    way: &Way,
    best: &mut [f64],
) -> Vec<Source> {
    let border = heights.border();
    let mut next: BTreeMap<u32, Source> = BTreeMap::new();
    // The sources go some at a time, so that the cells that they reach are not held for all of them.
    for sources in sources.chunks(64) {
        let lit: Vec<Vec<u32>> = sources
            .par_iter()
            .map_init(
                || vec![false; heights.of_cells.len()],
                |is_lit, source| in_sight(heights, &border, source.cell, is_lit),
            )
            .collect();
        for (source, lit) in sources.iter().zip(lit) {
            let (corners, others) = lit.split_at(lit[0] as usize + 1);
            let mut reach = |cell: u32| {
                let away = heights.centre(cell) - heights.centre(source.cell);
                let length = source.length + away.length();
                let direction = away.try_normalize()?;
                let bends = source.bends.and(source.from.angle_to(direction).abs());
                let gain = way.gain(length, bends);
                let best = &mut best[cell as usize];
                *best = best.max(gain);
                Some(Source {
                    cell,
                    from: direction,
                    length,
                    bends,
                    gain,
                })
            };
            for &cell in others {
                if !is_lit_by_tx[cell as usize] {
                    reach(cell);
                }
            }
            for &cell in &corners[1..] {
                if is_lit_by_tx[cell as usize] {
                    continue;
                }
                if let Some(found) = reach(cell) {
                    let known = next.entry(cell).or_insert(found);
                    if found.gain > known.gain {
                        *known = found;
                    }
                }
            }
        }
    }
    next.into_values().collect()
}

/// The cells visible from a cell at the height of the receivers: first the number of corners among them, then these,
/// then the others. `is_lit` is all false, before and after.
fn in_sight(heights: &Heights, border: &[u32], from: u32, is_lit: &mut [bool]) -> Vec<u32> {
    let grid = &heights.grid;
    let place = heights.centre(from);
    let mut lit = Vec::new();
    for &end in border {
        let Some(direction) = (heights.centre(end) - place).try_normalize() else {
            continue;
        };
        let origin = place.extend(0.5 * grid.side);
        grid.walk(origin, direction.extend(0.0), |passed| {
            let cell = passed.voxel.y * grid.count.x + passed.voxel.x;
            if cell != from {
                if !heights.is_free(cell as usize) {
                    return false;
                }
                if !std::mem::replace(&mut is_lit[cell as usize], true) {
                    lit.push(cell);
                }
            }
            true
        });
    }
    is_lit[from as usize] = true;
    let mut sorted = vec![0];
    let (corners, others): (Vec<u32>, Vec<u32>) = lit
        .iter()
        .partition(|cell| is_corner(heights, **cell, |cell| is_lit[cell]));
    is_lit[from as usize] = false;
    for &cell in &lit {
        is_lit[cell as usize] = false;
    }
    sorted[0] = u32::try_from(corners.len()).expect("no more than cells");
    sorted.extend(corners);
    sorted.extend(others);
    sorted
}

/// Whether a visible cell is next to a building, corners included, and next to a free cell in shadow.
fn is_corner(heights: &Heights, cell: u32, is_lit: impl Fn(usize) -> bool) -> bool {
    let [nx, ny, _] = heights.grid.count.to_array();
    let (i, j) = (cell % nx, cell / nx);
    if !heights.is_free(cell as usize) {
        return false;
    }
    let [mut has_wall, mut has_shadow] = [false; 2];
    for y in j.saturating_sub(1)..(j + 2).min(ny) {
        for x in i.saturating_sub(1)..(i + 2).min(nx) {
            let other = (y * nx + x) as usize;
            let is_free = heights.is_free(other);
            has_wall |= !is_free;
            has_shadow |= is_free && (x == i || y == j) && !is_lit(other);
        }
    }
    has_wall && has_shadow
}

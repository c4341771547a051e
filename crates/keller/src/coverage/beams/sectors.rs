//! Sectors around a transmitter, and things by their sectors.

use glam::DVec2;

/// The number of sectors around the transmitter.
pub(super) const NUM_SECTORS: usize = 2048;

/// The sector of [`NUM_SECTORS`] in which a direction lies, rising with the azimuth, without its arc tangent.
pub(super) fn sector(away: DVec2) -> usize {
    let share = away.y / (away.x.abs() + away.y.abs());
    let quarters = if away.x < 0.0 { 2.0 - share } else { share };
    let quarters = if quarters < 0.0 {
        quarters + 4.0
    } else {
        quarters
    };
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative"
    )]
    let number = (quarters * (NUM_SECTORS as f64 / 4.0)) as usize;
    number.min(NUM_SECTORS - 1)
}

/// The direction in which a sector begins.
fn begin(sector: usize) -> DVec2 {
    let quarters = 4.0 * sector as f64 / NUM_SECTORS as f64;
    let (along, up) = match quarters {
        q if q < 1.0 => (1.0 - q, q),
        q if q < 2.0 => (1.0 - q, 2.0 - q),
        q if q < 3.0 => (q - 3.0, 2.0 - q),
        q => (q - 3.0, q - 4.0),
    };
    DVec2::new(along, up)
}

/// The directions in which a sector begins and ends.
pub(super) fn bounds(sector: usize) -> [DVec2; 2] {
    [begin(sector), begin((sector + 1) % NUM_SECTORS)]
}

/// Items by their sectors: `starts` has the index at which the items of each begin, and the end of the last.
pub(super) struct BySector<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy + Default> BySector<T> {
    pub(super) fn new(found: &[(u32, T)]) -> Self {
        let mut starts = vec![0; NUM_SECTORS + 1];
        for (sector, _) in found {
            starts[*sector as usize + 1] += 1;
        }
        for k in 1..=NUM_SECTORS {
            starts[k] += starts[k - 1];
        }
        let mut next = starts.clone();
        let mut items = vec![T::default(); found.len()];
        for (sector, item) in found {
            let slot = &mut next[*sector as usize];
            items[*slot as usize] = *item;
            *slot += 1;
        }
        Self { starts, items }
    }

    pub(super) fn of(&self, sector: usize) -> &[T] {
        &self.items[self.starts[sector] as usize..self.starts[sector + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directions_between_the_bounds_of_a_sector_lie_in_it() {
        for number in 0..NUM_SECTORS {
            let bounds = bounds(number);
            assert!(bounds[0].perp_dot(bounds[1]) > 0.0, "sector {number}");
            for share in [0.01, 0.5, 0.99] {
                let between = bounds[0].lerp(bounds[1], share);
                assert_eq!(sector(37.0 * between), number);
            }
        }
    }
}

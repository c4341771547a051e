//! Shares the rays of a tile round edges among the edges that it sees: the nearer an edge is and the more power arrives
//! there, the more rays it gets.

use crate::scene::EdgeId;

/// An edge whose bordering tiles are dark counts as if it had this share of the mean of all edges of a tile.
const DARK: f64 = 0.05;

/// A segment as a tile sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sighted {
    pub(super) segment: usize,
    pub(super) edge: EdgeId,
    /// Distance of the tile from the line of the edge, and the place of its foot, metres from the first end.
    pub(super) distance: f64,
    pub(super) foot: f64,
    /// Angles of both ends from the foot, seen from the tile, radians.
    pub(super) ends: [f64; 2],
    /// The side of the tile that the centre of the segment is on.
    pub(super) is_back: bool,
    /// Share of the rays with angles where edges send much.
    pub(super) share: f64,
}

impl Sighted {
    /// The part of a tile's view that the segment takes, whatever power arrives there: power behind a shadow boundary
    /// falls as one over the root of the distance.
    pub(super) fn spread(&self) -> f64 {
        (self.ends[1] - self.ends[0]) / self.distance.sqrt()
    }
}

/// Gives segments their shares of the rays with angles where edges send much. `arriving` is the power at the border of a
/// segment.
pub(super) fn share_out(sighted: &mut [Sighted], arriving: impl Fn(usize) -> f64) {
    let spreads = || sighted.iter().map(Sighted::spread);
    let powers = sighted.iter().map(|one| arriving(one.segment));
    let mean = spreads().zip(powers).map(|(a, b)| a * b).sum::<f64>() / spreads().sum::<f64>();
    // All count alike if all of them are dark.
    let least = if mean > 0.0 { DARK * mean } else { 1.0 };
    let mut sum = 0.0;
    for one in &mut *sighted {
        one.share = one.spread() * (arriving(one.segment) + least);
        sum += one.share;
    }
    for one in sighted {
        one.share /= sum;
    }
}

/// Deals rays evenly among shares whose sum is 1: for each ray the number of its share, and how much of that share lies
/// before it. `shift`, between 0 and 1, moves all rays.
pub(super) fn deal(
    mut shares: impl ExactSizeIterator<Item = f64>,
    num_rays: u32,
    shift: f64,
) -> Vec<(usize, f64)> {
    let mut dealt = Vec::new();
    let last = shares.len().saturating_sub(1);
    let (mut number, mut before) = (0, 0.0);
    let Some(mut own) = shares.next() else {
        return dealt;
    };
    for ray in 0..num_rays {
        let at = (f64::from(ray) + shift) / f64::from(num_rays);
        while number < last && at >= before + own {
            before += own;
            own = shares.next().expect("as many as there are");
            number += 1;
        }
        dealt.push((number, ((at - before) / own).clamp(0.0, 1.0)));
    }
    dealt
}

//! The aims of rays: places from which much power may come, with the way on which it would come.
//!
//! Small bright tiles bring much of the power by few rays of even directions, or by none. So each tile also aims rays
//! at those from which the largest power may come. Power that rays of either kind could bring counts by the densities
//! of both together (the balance heuristic), so nothing counts twice, and an estimate that is wrong costs rays but no
//! power.
//!
//! **Source.** E. Veach and L. J. Guibas, "Optimally combining sampling techniques for Monte Carlo rendering", SIGGRAPH
//! 1995, doi:10.1145/218380.218498, for the weights. Theory page: `surfaces`.

use glam::{DVec2, DVec3};

use super::ray_shares::deal;
use crate::paths::Environment;
use crate::power::sides::Side;

/// The largest number of aimed rays of one aim: more would add little information.
const OF_ONE: u32 = 32;

/// The part of the power of a side that a source must be able to bring to be aimed at.
pub(super) const NEGLIGIBLE: f64 = 1e-3;

/// The part of its estimate for which a source counts where its centre is hidden: other parts of it may be visible.
pub(super) const HIDDEN: f64 = 0.3;

/// A source at a smaller cosine counts as if it had this one: a tile is larger than a point.
pub(super) const MIN_COSINE: f64 = 0.05;

/// The part of the power of a side from which on the side has all aimed rays; it has fewer if they may bring less.
const MUCH: f64 = 0.05;

/// The part of all rays that a side has at least.
const FEWEST: f64 = 0.125;

/// The number of rays, out of `most`, that are needed for this part of all that a side gets.
pub(super) fn rays_for(most: u32, part: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the number of all"
    )]
    let num = (f64::from(most) * (part / MUCH).clamp(FEWEST, 1.0)).ceil() as u32;
    num
}

/// The ways of waves from one scattering to the next, as far as rays are aimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Way {
    /// A free line of sight.
    Open,
    /// Straight through walls.
    Straight,
    /// One reflection at the plane with this number, or one diffraction at the edge with this number. The same rays are
    /// never aimed by both.
    By(u32),
    /// Any other way, at which no ray is aimed.
    Other,
}

impl Way {
    /// The way with a transmission more.
    pub(super) fn transmitted(self) -> Self {
        match self {
            Self::Open => Self::Straight,
            way => way,
        }
    }

    /// The way with a reflection more, by the wall of the way `by`.
    pub(super) fn reflected(self, by: Self) -> Self {
        match self {
            Self::Open | Self::Straight => by,
            Self::By(_) | Self::Other => Self::Other,
        }
    }

    /// Whether this may be the beginning of another way.
    pub(super) fn leads_to(self, whole: Self) -> bool {
        self == whole || self == Self::Straight
    }
}

/// A side of a tile, and the way by which it is aimed at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aim {
    pub(super) way: Way,
    pub(super) side: Side,
    /// The power that may come, in any unit that all have in common. Among [`Aims`], its share of all.
    pub(super) power: f64,
}

/// The aims of all rays from one place.
#[derive(Debug, Default)]
pub(super) struct Aims {
    /// The aims in ascending order of ways and sides.
    all: Vec<Aim>,
    num_rays: u32,
}

impl Aims {
    /// Takes aims in any order, for `most` rays at most. Those of the same way and side are one.
    pub(super) fn new(mut all: Vec<Aim>, most: u32) -> Self {
        let sum: f64 = all.iter().map(|aim| aim.power).sum();
        if sum <= 0.0 {
            return Self::default();
        }
        all.sort_by_key(|aim| (aim.way, aim.side.index()));
        all.dedup_by(|next, aim| {
            let is_same = (next.way, next.side) == (aim.way, aim.side);
            if is_same {
                aim.power += next.power;
            }
            is_same
        });
        for aim in &mut all {
            aim.power /= sum;
        }
        let num_aims = u32::try_from(all.len()).unwrap_or(u32::MAX);
        Self {
            num_rays: num_aims.saturating_mul(OF_ONE).min(most),
            all,
        }
    }

    /// The aims of all rays, dealt evenly. `shift`, between 0 and 1, moves all rays.
    pub(super) fn dealt(&self, shift: f64) -> impl Iterator<Item = Aim> {
        let shares = self.all.iter().map(|aim| aim.power);
        let dealt = deal(shares, self.num_rays, shift);
        dealt.into_iter().map(|(number, _)| self.all[number])
    }

    /// The number of rays, not in general whole, that come to a side by a way.
    pub(super) fn num_to(&self, way: Way, side: Side) -> f64 {
        let key = (way, side.index());
        let own = self
            .all
            .binary_search_by_key(&key, |aim| (aim.way, aim.side.index()));
        own.map_or(0.0, |own| f64::from(self.num_rays) * self.all[own].power)
    }
}

/// A place on a tile, from three numbers in `[0, 1)`.
pub(super) fn place_on(
    environment: &Environment,
    tile: usize,
    [x, y, choice]: [f64; 3],
) -> Option<DVec3> {
    let parts = environment.tiles.parts(tile);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "not negative, and below the number of parts"
    )]
    let choice = (choice * parts.len() as f64) as usize;
    let part = &parts[choice.min(parts.len() - 1)];
    let frame = environment.tiles.frame(part.face)?;
    Some(frame.in_space(part.low + DVec2::new(x, y) * (part.high - part.low)))
}

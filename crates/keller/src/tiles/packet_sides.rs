//! The tiles that are hidden from eight viewpoints because exactly one end of the segment is inside a closed surface.

#![allow(
    clippy::inline_always,
    reason = "vector code must end up inside the functions that are compiled for it"
)]
#![allow(
    clippy::cast_possible_truncation,
    reason = "f32 decides only what is sure"
)]

use super::groups::{Node, Target};
use super::screens::{EYES, LaneMask, Lanes, Seen};
use super::sides::{MAX_CLEARANCE, Side, TileSides};
use super::viewpoint_packet::ViewpointPacket;
use crate::geometry::bvh::simd::Simd;

/// The sides of eight viewpoints, for all solids that one of them mentions.
#[derive(Debug)]
pub(super) struct PacketSides {
    /// `None` if a viewpoint is a device, of which nothing is known.
    solids: Option<Vec<OfSolid>>,
    /// Twice the error of rays, squared, m².
    enough: f32,
}

/// The sides of eight viewpoints for one solid.
#[derive(Debug)]
struct OfSolid {
    solid: u32,
    /// The viewpoints that have the solid before and behind them.
    is_inside: [LaneMask; 2],
    /// Squares of clearances, m². Infinite for viewpoints that are outside without doubt.
    clearance: Lanes,
    rise: Lanes,
    /// Squares of reaches, m².
    reach: Lanes,
}

/// A segment from each viewpoint: the squares of its length, also in plan, m².
struct Segments<S: Simd> {
    length: S::F,
    in_plan: S::F,
}

impl PacketSides {
    /// `margin` is the error of rays, metres.
    pub(super) fn new(packet: &ViewpointPacket, sides: &TileSides, margin: f32) -> Self {
        let mut found = Self {
            solids: None,
            enough: 4.0 * margin * margin,
        };
        if packet.from.iter().any(|from| from.tile == u32::MAX) {
            return found;
        }
        let mut all: Vec<OfSolid> = Vec::new();
        for (k, from) in packet.from.iter().enumerate() {
            for side in sides.of_tile(from.tile) {
                let known = all.iter().position(|of| of.solid == side.solid);
                let at = known.unwrap_or_else(|| {
                    all.push(OfSolid {
                        solid: side.solid,
                        is_inside: [0; 2],
                        clearance: [f32::INFINITY; EYES],
                        rise: [0.0; EYES],
                        reach: [0.0; EYES],
                    });
                    all.len() - 1
                });
                let of = &mut all[at];
                for (mask, is_inside) in of.is_inside.iter_mut().zip(side.is_inside) {
                    *mask |= LaneMask::from(is_inside) << k;
                }
                of.clearance[k] = side.clearance * side.clearance;
                of.rise[k] = side.rise;
                of.reach[k] = side.reach * side.reach;
            }
        }
        found.solids = Some(all);
        found
    }

    /// The viewpoints from which a tile is hidden. `sides` are those of the tile.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    pub(super) unsafe fn hide<S: Simd>(
        &self,
        packet: &ViewpointPacket,
        target: &Target,
        sides: &[Side],
        seen: &Seen<S>,
    ) -> LaneMask {
        let Some(solids) = &self.solids else {
            return 0;
        };
        let n = target.plane.normal.as_vec3().to_array();
        let offset = target.plane.distance(packet.eyes.centre) as f32;
        let mut hidden = 0;
        // SAFETY: the caller guarantees it, and there are eight floats in each row.
        unsafe {
            let zero = S::splat(0.0);
            let segments = Segments::<S>::of(seen);
            let far = S::splat((MAX_CLEARANCE * MAX_CLEARANCE) as f32);
            let is_far = S::bits(S::lt(far, segments.length));
            // Distances of the viewpoints from the tile's plane, and of the tile from theirs.
            let around = |k: usize| S::mul(S::splat(n[k]), S::load(packet.eyes.around[k].as_ptr()));
            let its = S::add(
                S::add(around(0), around(1)),
                S::add(around(2), S::splat(offset)),
            );
            let own = own_distance::<S>(packet, seen);
            let (is_before_its, is_before_own) =
                (S::bits(S::lt(zero, its)), S::bits(S::lt(zero, own)));
            let (its, own) = (S::mul(its, its), S::mul(own, own));
            let enough = S::mul(S::splat(self.enough), segments.length);
            for side in sides {
                let clearance = S::splat(side.clearance * side.clearance);
                let mut known = S::bits(S::lt(enough, S::mul(its, clearance)));
                known &= segments.stay_above(
                    S::splat(side.rise),
                    S::splat(side.reach * side.reach),
                    seen.0[2],
                );
                let all = |is_inside: bool| if is_inside { LaneMask::MAX } else { 0 };
                let mut inside = chosen(side.is_inside.map(all), is_before_its);
                if let Some(of) = solids.iter().find(|of| of.solid == side.solid) {
                    let clearance = S::load(of.clearance.as_ptr());
                    known &= S::bits(S::lt(enough, S::mul(own, clearance)));
                    inside ^= chosen(of.is_inside, is_before_own);
                }
                hidden |= known & inside;
            }
            for of in solids {
                let inside = chosen(of.is_inside, is_before_own);
                if inside & !hidden == 0 || sides.iter().any(|side| side.solid == of.solid) {
                    continue;
                }
                let known = S::bits(S::lt(enough, S::mul(own, S::load(of.clearance.as_ptr()))));
                let drop = S::sub(zero, seen.0[2]);
                let stays = segments.stay_above(
                    S::load(of.rise.as_ptr()),
                    S::load(of.reach.as_ptr()),
                    drop,
                );
                hidden |= known & stays & inside;
            }
            hidden & is_far
        }
    }

    /// The viewpoints from which all of a group is hidden because they look into a solid that no tile of the group
    /// mentions.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    pub(super) unsafe fn hide_box<S: Simd>(
        &self,
        packet: &ViewpointPacket,
        node: &Node,
        may_mention: impl Fn(u32) -> bool,
    ) -> LaneMask {
        let Some(solids) = &self.solids else {
            return 0;
        };
        let mut hidden = 0;
        for of in solids.iter().filter(|of| !may_mention(of.solid)) {
            // SAFETY: the caller guarantees it, and there are eight floats in each row.
            unsafe {
                let seen = packet.eyes.seen_at::<S>(node.centre);
                let segments = Segments::<S>::of(&seen);
                let zero = S::splat(0.0);
                let own = own_distance::<S>(packet, &seen);
                let inside = chosen(of.is_inside, S::bits(S::lt(zero, own)));
                if inside & !hidden == 0 {
                    continue;
                }
                let half = node.half.as_vec3().to_array();
                let size = node.half.length_squared() as f32;
                let reach = |k: usize| {
                    S::mul(
                        S::splat(half[k]),
                        S::abs(S::load(packet.normals[k].as_ptr())),
                    )
                };
                let reach = S::add(S::add(reach(0), reach(1)), reach(2));
                // The least distance of the box from the viewpoints' planes.
                let depth = S::max(S::sub(S::abs(own), reach), zero);
                // The square of a sum is at most twice the sum of squares.
                let length = S::add(segments.length, S::splat(size));
                let enough = S::mul(S::splat(2.0 * self.enough), length);
                let clearance = S::load(of.clearance.as_ptr());
                let mut known = S::bits(S::lt(enough, S::mul(S::mul(depth, depth), clearance)));
                // The nearest point is at least half as far as the centre, and not near.
                let far = S::splat(4.0 * size.max((MAX_CLEARANCE * MAX_CLEARANCE) as f32));
                known &= S::bits(S::lt(far, segments.length));
                let flat = S::splat(4.0 * (half[0] * half[0] + half[1] * half[1]));
                let in_plan = S::max(S::sub(segments.in_plan, flat), zero);
                let nearest = Segments::<S> {
                    length: segments.length,
                    in_plan: S::mul(in_plan, S::splat(0.25)),
                };
                let drop = S::sub(S::splat(half[2]), seen.0[2]);
                known &=
                    nearest.stay_above(S::load(of.rise.as_ptr()), S::load(of.reach.as_ptr()), drop);
                hidden |= known & inside;
            }
        }
        hidden
    }
}

impl<S: Simd> Segments<S> {
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn of(seen: &Seen<S>) -> Self {
        let [x, y, z] = seen.0;
        // SAFETY: the caller guarantees it.
        unsafe {
            let in_plan = S::add(S::mul(x, x), S::mul(y, y));
            Self {
                length: S::add(in_plan, S::mul(z, z)),
                in_plan,
            }
        }
    }

    /// The segments that stay above a floor. They begin `rise` metres above it and end `drop` metres lower, and the
    /// floor is nowhere farther in plan than the root of `reach`.
    ///
    /// # Safety
    /// The same as for [`Simd`].
    #[allow(unsafe_code, reason = "vector instructions")]
    #[inline(always)]
    unsafe fn stay_above(&self, rise: S::F, reach: S::F, drop: S::F) -> LaneMask {
        // SAFETY: the caller guarantees it.
        unsafe {
            let ends_above = S::lt(drop, rise);
            let fall = S::mul(S::mul(drop, drop), reach);
            let passes = S::lt(fall, S::mul(S::mul(rise, rise), self.in_plan));
            S::bits(S::or(ends_above, passes))
        }
    }
}

/// The distance of a point from each viewpoint's plane, metres.
///
/// # Safety
/// The same as for [`Simd`].
#[allow(unsafe_code, reason = "vector instructions")]
#[inline(always)]
unsafe fn own_distance<S: Simd>(packet: &ViewpointPacket, seen: &Seen<S>) -> S::F {
    // SAFETY: the caller guarantees it, and there are eight floats in each row.
    unsafe {
        let along = |k: usize| S::mul(S::load(packet.normals[k].as_ptr()), seen.0[k]);
        S::add(S::add(along(0), along(1)), along(2))
    }
}

/// The first mask where `is_before` is set, the second elsewhere.
fn chosen([before, behind]: [LaneMask; 2], is_before: LaneMask) -> LaneMask {
    (before & is_before) | (behind & !is_before)
}

//! The steps from launched rays to split tubes, for comparison: what each of them buys.
//!
//! # Source
//! H. Hu, doctoral thesis, University of Sheffield, 2020: launched rays without splitting (chapter 4), tubes split behind their middle ray
//! and cells that the middle ray pierces (sections 5.1 and 5.2).

use std::collections::HashSet;

use super::bundle::Bundle;
use super::split::Leaf;
use super::tracer::Tracer;
use super::verify::Candidate;

/// How tubes are split, and which cells get their field. The default is the engine as it is; all else is less right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ladder {
    /// How tubes are split.
    pub splitting: Splitting,
    /// Which cells get the field of a tube.
    pub owner: Owner,
}

/// How tubes are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Splitting {
    /// From the last wall on, where the rays of a tube disagree, and where it is too wide.
    #[default]
    Adaptive,
    /// Where it is too wide, as far as its middle ray goes: what hides the middle hides all children.
    BehindMiddle,
    /// Not at all: each of `6 * 4^level` tubes goes where its middle ray goes.
    Fixed {
        /// How often the faces of the cube of directions are cut in four.
        level: u32,
    },
}

/// Which cells get the field of a tube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Owner {
    /// Those whose middles lie in it.
    #[default]
    Direction,
    /// Those that its middle ray pierces, once for all tubes of a sequence of walls. In regions of even levels over the sea; elsewhere none.
    Pierced,
}

impl Ladder {
    /// Whether tubes go where their middle rays go.
    pub(super) fn follows_middle(self) -> bool {
        self.splitting != Splitting::Adaptive
    }
}

impl Tracer<'_> {
    /// Adds the gains of tubes to the cells of the region that their middle rays pierce.
    pub(super) fn pierce(&self, bundle: &Bundle, leaves: &[Leaf]) {
        let mut haul = self.haul();
        let mut known = HashSet::new();
        let start_plane = bundle.start.map(|plane| self.scene.plane(plane));
        for leaf in leaves {
            let tube = haul
                .as_mut()
                .map_or(0, |haul| self.begin(bundle, leaf, haul));
            let [middle, ..] = leaf.piece.cell.corners();
            let line = bundle.source.ray(middle);
            let length = line.direction.length();
            let start = start_plane.map_or(0.0, |plane| line.meets(plane));
            let end = match leaf.seen()[0].face {
                Some(face) => line.meets(self.scene.plane(self.scene.plane_of(face))),
                None => f64::INFINITY,
            };
            let end = end.min(leaf.strength.reach(self.least_gain) / length);
            self.grid
                .pierced(&line, [start.max(0.0), end], |number, middle| {
                    let gain = leaf.strength.gain(middle.distance(line.origin));
                    if gain >= self.least_gain && known.insert(number) {
                        let cell = Candidate {
                            number,
                            middle,
                            gain,
                            doubts: leaf.doubts,
                            tube,
                        };
                        self.add(bundle, &cell, &mut haul);
                    }
                });
        }
        self.hand_over(haul);
    }
}

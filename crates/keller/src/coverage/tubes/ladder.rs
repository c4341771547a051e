//! The steps from launched rays to split tubes, for comparison: what each of them buys.
//!
//! # Source
//! H. Hu, doctoral thesis, University of Sheffield, 2020: launched rays without splitting (chapter 4), tubes split behind their centre ray
//! and cells that the centre ray pierces (sections 5.1 and 5.2).

use std::collections::HashSet;

use super::bundle::Bundle;
use super::propagation::Tracer;
use super::split::Leaf;
use super::verification::CellCandidate;

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
    /// Where it is too wide, as far as its centre ray goes: what hides the centre hides all children.
    BehindMiddle,
    /// Not at all: each of `6 * 4^level` tubes goes where its centre ray goes.
    Fixed {
        /// How often the faces of the cube of directions are cut in four.
        level: u32,
    },
}

/// Which cells get the field of a tube.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Owner {
    /// Those whose centres lie in it.
    #[default]
    Direction,
    /// Those that its centre ray pierces, once for all tubes of a sequence of walls. In regions of even levels over the sea; elsewhere none.
    Pierced,
}

impl Ladder {
    /// Whether tubes go where their centre rays go.
    pub(super) fn follows_middle(self) -> bool {
        self.splitting != Splitting::Adaptive
    }
}

impl Tracer<'_> {
    /// Adds the gains of tubes to the cells of the region that their centre rays pierce.
    pub(super) fn pierce(&self, bundle: &Bundle, leaves: &[Leaf]) {
        let mut haul = self.haul();
        let mut known = HashSet::new();
        let start_plane = bundle.start.map(|plane| self.scene.plane(plane));
        for leaf in leaves {
            let record = haul
                .as_mut()
                .map_or(0, |haul| self.begin(bundle, leaf, haul));
            let [centre, ..] = leaf.directions.cell.corners();
            let line = bundle.source.ray(centre);
            let length = line.direction.length();
            let start = start_plane.map_or(0.0, |plane| line.meets(plane));
            let end = match leaf.ray_ends()[0].face {
                Some(face) => line.meets(self.scene.plane(self.scene.plane_of(face))),
                None => f64::INFINITY,
            };
            let end = end.min(leaf.path_gain.reach(self.min_gain) / length);
            self.grid
                .pierced(&line, [start.max(0.0), end], |number, centre| {
                    let gain = leaf.path_gain.at(centre.distance(line.origin));
                    if gain >= self.min_gain && known.insert(number) {
                        let cell = CellCandidate {
                            number,
                            centre,
                            gain,
                            uncertain: leaf.uncertain,
                            record,
                        };
                        self.add(bundle, &cell, &mut haul);
                    }
                });
        }
        self.hand_over(haul);
    }
}

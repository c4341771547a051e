//! The building as a scene file: the plan of level 8 on every level, slabs between levels, and the ground.

use std::fmt::Write;
use std::ops::RangeInclusive;

use super::survey::{LOWEST_LEVEL, SIDE, STOREY, Survey};

/// The parts of the building that are in the scene.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct House {
    /// The levels that it has.
    pub(super) levels: RangeInclusive<u32>,
    /// Whether it stands on the ground, in place of the lowest slab. The Tx outdoors stand 2 m above it.
    pub(super) has_ground: bool,
}

/// Every level on which a Tx stands, on the ground.
pub(super) const WHOLE: House = House {
    levels: LOWEST_LEVEL..=9,
    has_ground: true,
};

/// The ground reaches so far around the building, metres: beyond the farthest Tx.
const GROUND: f64 = 60.0;

impl House {
    /// The scene as OBJ.
    pub(super) fn obj(&self, survey: &Survey) -> String {
        let mut obj = String::from("# The plan of level 8 on each level. z is up; metres.\n");
        let mut count = 0;
        let mut quad = |material: &str, corners: [[f64; 3]; 4]| {
            let _ = writeln!(obj, "usemtl {material}");
            for [x, y, z] in corners {
                let _ = writeln!(obj, "v {x} {y} {z}");
            }
            let [a, b, c, d] = [1, 2, 3, 4].map(|k| count + k);
            let _ = writeln!(obj, "f {a} {b} {c} {d}");
            count += 4;
        };
        let height = |level: u32| f64::from(level - LOWEST_LEVEL) * STOREY;
        for level in self.levels.clone() {
            let [low, high] = [height(level), height(level + 1)];
            for wall in &survey.walls {
                let [[ax, ay], [bx, by]] = wall.ends;
                let corners = [[ax, ay, low], [bx, by, low], [bx, by, high], [ax, ay, high]];
                quad(&wall.material, corners);
            }
        }
        for level in *self.levels.start()..=self.levels.end() + 1 {
            if self.has_ground && level == LOWEST_LEVEL {
                continue;
            }
            quad("floor", flat(0.0, SIDE, height(level)));
        }
        if self.has_ground {
            quad("ground", flat(-GROUND, SIDE + GROUND, 0.0));
        }
        obj
    }
}

fn flat(from: f64, to: f64, z: f64) -> [[f64; 3]; 4] {
    [[from, from, z], [to, from, z], [to, to, z], [from, to, z]]
}

//! The upward axis of a mesh, found from its shape.
//!
//! Places lie flat: they are less high than wide, floors, grounds and roofs are level, walls upright, and much of a
//! building begins at one level. Each of these votes for y or z. y is taken only if the sum is large and other votes
//! than the extents' contribute enough to it, because a lone block may stand or lie.

use std::ops::AddAssign;

use keller::scene::Mesh;

use super::Up;

/// The axis that a shape speaks for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Verdict {
    /// The axis is plainly z.
    Z,
    /// The axis is plainly y.
    Y {
        /// The reasons, in words.
        because: String,
    },
    /// The axis may be either.
    Unclear,
}

impl Verdict {
    /// The axis that is taken.
    pub(super) fn up(&self) -> Up {
        match self {
            Self::Y { .. } => Up::Y,
            Self::Z | Self::Unclear => Up::Z,
        }
    }
}

/// The cosine to an axis from which on a surface is level along it (roofs to 25°, slopes of terrain), and the cosine up
/// to which it is upright.
const LEVEL: f64 = 0.9;
const UPRIGHT: f64 = 0.05;

/// The largest weight of one vote, in powers of two.
const MOST: f64 = 2.0;

/// The votes that make y plain, of which the next constant must not come from the extents; without any, z is plain.
const PLAIN: f64 = 3.0;
const BEYOND_EXTENTS: f64 = 1.0;

/// The smallest share of a place's area that is level, and that is upright.
const MIN_SHARE: f64 = 0.05;

/// The number of levels of corners that are distinguished over an extent.
const LEVELS: usize = 1000;

/// Values along y and along z.
type Both = [f64; 2];

/// The verdict of all meshes together.
pub(super) fn verdict(meshes: &[&Mesh]) -> Verdict {
    let facts = Facts::of(meshes);
    if facts.area <= 0.0 {
        return Verdict::Z;
    }
    let [low, high] = facts.bounds;
    let extent: Both = [1, 2].map(|axis| high[axis] - low[axis]);
    let votes = |of: Both, least: f64| {
        let [y, z] = of.map(|value| value + least);
        (y / z).log2().clamp(-MOST, MOST)
    };
    let width = (high[0] - low[0]).max(extent[0]).max(extent[1]);
    let thin = -votes(extent, 1e-6 * width);
    let level = votes(facts.level, 0.01 * facts.area);
    let slanted: Both = [0, 1].map(|i| facts.area - facts.level[i] - facts.upright[i]);
    let plumb = -votes(slanted, 0.05 * facts.area);
    let begins = votes(facts.at_one_level, 0.01);
    let sum = thin + level + plumb + begins;
    let has_walls = facts.upright[0] > MIN_SHARE * facts.area;
    let has_floors = facts.level[0] > MIN_SHARE * facts.area;
    if sum >= PLAIN && plumb + begins >= BEYOND_EXTENTS && has_walls && has_floors {
        let share = |of: Both, whole: f64| of.map(|v| (100.0 * v / whole).round());
        let [level_y, level_z] = share(facts.level, facts.area);
        let [begin_y, begin_z] = share(facts.at_one_level, 1.0);
        let because = format!(
            "it measures {:.3} along y and {:.3} along z, {level_y} % of its area is level if y is up and {level_z} % if z is, {begin_y} % and \
             {begin_z} % of its corners lie at one level",
            extent[0], extent[1]
        );
        return Verdict::Y { because };
    }
    if sum <= 0.0 {
        Verdict::Z
    } else {
        Verdict::Unclear
    }
}

/// Sums over all triangles.
#[derive(Debug, Default)]
struct Facts {
    bounds: [[f64; 3]; 2],
    area: f64,
    level: Both,
    upright: Both,
    /// The largest share of corners at one level.
    at_one_level: Both,
}

impl Facts {
    fn of(meshes: &[&Mesh]) -> Self {
        let mut facts = Self {
            bounds: [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]],
            ..Self::default()
        };
        for corners in corners(meshes) {
            let [a, b, c] = corners;
            for corner in corners {
                for (axis, value) in corner.to_array().into_iter().enumerate() {
                    facts.bounds[0][axis] = facts.bounds[0][axis].min(value);
                    facts.bounds[1][axis] = facts.bounds[1][axis].max(value);
                }
            }
            let twice = (b - a).cross(c - a);
            let Some(normal) = twice.try_normalize() else {
                continue;
            };
            let area = 0.5 * twice.length();
            facts.area += area;
            for (i, cosine) in [normal.y, normal.z].into_iter().enumerate() {
                if cosine.abs() >= LEVEL {
                    facts.level[i].add_assign(area);
                } else if cosine.abs() <= UPRIGHT {
                    facts.upright[i].add_assign(area);
                }
            }
        }
        facts.at_one_level = [1, 2].map(|axis| facts.most_at_one_level(meshes, axis));
        facts
    }

    /// The largest share of corners that lie within two parts in a thousand of the extent.
    fn most_at_one_level(&self, meshes: &[&Mesh], axis: usize) -> f64 {
        let [low, high] = self.bounds.map(|bound| bound[axis]);
        let mut levels = vec![0_u64; LEVELS + 1];
        let mut count = 0_u64;
        for corner in corners(meshes).flatten() {
            let share = if high > low {
                (corner[axis] - low) / (high - low)
            } else {
                0.0
            };
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "from 0 to LEVELS"
            )]
            let level = (share * LEVELS as f64) as usize;
            levels[level.min(LEVELS)] += 1;
            count += 1;
        }
        let most = levels.windows(2).map(|pair| pair[0] + pair[1]).max();
        most.unwrap_or(0) as f64 / (count.max(1)) as f64
    }
}

fn corners(meshes: &[&Mesh]) -> impl Iterator<Item = [glam::DVec3; 3]> {
    meshes.iter().flat_map(|mesh| {
        let triangles = mesh.triangles.iter();
        triangles.map(|t| t.vertices.map(|v| mesh.vertices[v as usize]))
    })
}

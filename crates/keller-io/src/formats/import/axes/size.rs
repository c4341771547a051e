//! Sizes that no place has: a mesh in another unit than metres gives plausible nonsense.

use std::path::PathBuf;

use glam::DVec3;

use super::super::{Imported, Warning};
use super::{Stated, Unit};

/// The largest width of a place, metres: the plane that keller takes the earth for holds no wider ones.
const MAX_WIDTH: f64 = 200e3;

/// The largest height of a wall, metres: the tallest building has 828 m.
const MAX_WALL: f64 = 1000.0;

/// The smallest width of a place of so many triangles, metres: a smaller one is a model of something larger.
const MIN_WIDTH: f64 = 2.0;
const MANY_TRIANGLES: usize = 200;

/// The range of the highest wall of a scene in the right unit, metres.
const LIKELY_WALL: std::ops::RangeInclusive<f64> = 1.5..=700.0;

/// The size of all files together, metres.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    extent: DVec3,
    /// The height of the highest upright triangle.
    wall: f64,
    num_triangles: usize,
}

/// Warns of a size that is absurd in metres, and says which units make sense of it.
pub(super) fn suspect(files: &mut [(PathBuf, Imported, Stated)]) {
    let is_local =
        |(_, imported, _): &&(PathBuf, Imported, Stated)| imported.georeference.is_none();
    let size = Size::of(
        files
            .iter()
            .filter(is_local)
            .map(|(_, imported, _)| imported),
    );
    let Some(message) = size.suspicion() else {
        return;
    };
    if let Some((file, imported, _)) = files.iter_mut().find(|file| is_local(&&**file)) {
        imported.warnings.push(Warning::new(file, message));
    }
}

impl Size {
    fn of<'a>(all: impl Iterator<Item = &'a Imported>) -> Self {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let mut size = Self::default();
        for imported in all {
            let mesh = &imported.mesh;
            size.num_triangles += mesh.triangles.len();
            for triangle in &mesh.triangles {
                let [a, b, c] = triangle.vertices.map(|v| mesh.vertices[v as usize]);
                let (least, most) = (a.min(b).min(c), a.max(b).max(c));
                (low, high) = (low.min(least), high.max(most));
                let normal = (b - a).cross(c - a);
                if normal.z.abs() < 0.05 * normal.length() {
                    size.wall = size.wall.max(most.z - least.z);
                }
            }
        }
        if low.is_finite() && high.is_finite() {
            size.extent = high - low;
        }
        size
    }

    fn width(&self) -> f64 {
        self.extent.x.max(self.extent.y)
    }

    /// The absurd size in metres and the units that would make sense of it; `None` for a size that places have.
    fn suspicion(&self) -> Option<String> {
        let (width, wall) = (self.width(), self.wall);
        let what = if width > MAX_WIDTH {
            format!("it is {} wide", length(width))
        } else if wall > MAX_WALL {
            format!("it has walls {} high", length(wall))
        } else if self.extent.max_element() < MIN_WIDTH
            && width > 0.0
            && self.num_triangles >= MANY_TRIANGLES
        {
            format!("it is only {} wide", length(width))
        } else {
            return None;
        };
        let likely = Unit::NAMES.iter().filter_map(|(name, unit)| {
            let of = |metres: f64| metres * unit.metres();
            let is_likely = *unit != Unit::Metre
                && of(width) <= MAX_WIDTH
                && of(width) >= MIN_WIDTH
                && (wall == 0.0 || LIKELY_WALL.contains(&of(wall)));
            let walls = if wall > 0.0 {
                format!(" with walls up to {}", length(of(wall)))
            } else {
                String::new()
            };
            is_likely.then(|| format!("`{name}` it is {} wide{walls}", length(of(width))))
        });
        let likely: Vec<String> = likely.collect();
        let cure = if likely.is_empty() {
            "if that is not meant".to_owned()
        } else {
            format!("in {}", likely.join(", in "))
        };
        Some(format!(
            "{what}, taken in metres; {cure}: `unit = \"...\"` in [scene], or `--mesh-unit`, says its unit (m if this is right)"
        ))
    }
}

/// A length in a unit in which it has few digits.
fn length(metres: f64) -> String {
    if metres >= 10e3 {
        format!("{:.0} km", metres * 1e-3)
    } else if metres >= 10.0 {
        format!("{metres:.0} m")
    } else {
        format!("{metres:.2} m")
    }
}

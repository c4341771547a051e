//! The precision with which a wall is cut: a patch's centre must represent its square within the error that the effort
//! allows.
//!
//! The integrand is the contribution of a square metre at a point of the wall: the wall's lobe divided by both squared
//! distances. It is compared between the centre of a square and the centres of its quarters.

use glam::DVec3;

use super::ways::share_of_reflections;
use crate::em::scattering::{lobe, lobe_scale};
use crate::geometry::tolerance::ON_FACE_DISTANCE;
use crate::materials::Lobe;
use crate::paths::{Effort, TreeNode};

/// The errors that an effort allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Precision {
    /// Largest error of a square, as a share of its contribution.
    pub(super) share: f64,
    /// Largest width of a square, as a share of the distance to the nearer end.
    pub(super) width: f64,
    /// Squares that contribute less than this share of the total are left out.
    floor: f64,
}

/// A square may also be off by this part of its allowed share of the total, because there are some hundred squares.
const OF_TOTAL: f64 = 1.0 / 256.0;

/// The same part for errors at shadow borders: each square counts as wholly illuminated or wholly dark, and the errors
/// have either sign.
const FAINT: f64 = 1.0 / 64.0;

/// Half the diagonal of a square of side 1.
const HALF_DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;

impl Precision {
    /// Precision that keeps the power within 1, 0.3 or 0.1 dB of the integral.
    pub(super) fn of(effort: Effort) -> Self {
        let (share, width, floor) = match effort {
            Effort::Quick => (0.3, 0.7, 6e-5),
            Effort::Default => (0.1, 0.5, 2e-5),
            Effort::Thorough => (0.03, 0.35, 6e-6),
        };
        Self {
            share,
            width,
            floor,
        }
    }

    /// Whether to leave out a square that contributes at most `bound`, where `total` is the power of all squares known
    /// so far.
    pub(super) fn leaves_out(&self, bound: f64, total: f64) -> bool {
        bound < self.floor * total
    }

    /// Whether a square that contributes at most `bound` is too weak for shadow borders to matter. Its centre alone
    /// then decides whether it is illuminated.
    pub(super) fn is_faint(&self, bound: f64, total: f64) -> bool {
        bound <= self.share * FAINT * total
    }

    /// Whether a square is too weak to be quartered.
    pub(super) fn is_weak(&self, bound: f64, total: f64) -> bool {
        bound <= self.share * OF_TOTAL * total
    }
}

/// A wall between the last images of both ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Integrand {
    images: [DVec3; 2],
    /// Heights of the images above the wall, metres.
    heights: [f64; 2],
    lobe: Lobe,
    /// Share of the power that the reflections keep.
    kept: f64,
}

impl Integrand {
    /// The integrand on a plane with the unit `normal` through `centre`; `None` unless both images lie on the same
    /// side.
    pub(super) fn new(
        lobe: Lobe,
        normal: DVec3,
        centre: DVec3,
        nodes: [&TreeNode; 2],
    ) -> Option<Self> {
        let images = nodes.map(|node| node.image);
        let above = images.map(|image| normal.dot(image - centre));
        let heights = above.map(f64::abs);
        let is_above = above[0] * above[1] > 0.0 && heights[0].min(heights[1]) >= ON_FACE_DISTANCE;
        is_above.then(|| Self {
            images,
            heights,
            lobe,
            kept: share_of_reflections(nodes[0].depth + nodes[1].depth),
        })
    }

    /// The contribution of a square metre at a point of the wall, 1/m⁴.
    pub(super) fn at(&self, point: DVec3) -> f64 {
        let to = self.images.map(|image| image - point);
        let squares = to.map(DVec3::length_squared);
        let lengths = squares.map(f64::sqrt);
        let cosines = [0, 1].map(|k| self.heights[k] / lengths[k]);
        let between = to[0].dot(to[1]) / (lengths[0] * lengths[1]);
        // The specular direction has the same height and the opposite component along the wall.
        let specular = 2.0 * cosines[0] * cosines[1] - between;
        let density = lobe(self.lobe, cosines[0], cosines[1], specular, between);
        self.kept * density / (squares[0] * squares[1])
    }

    /// Upper bound of the contribution of a square metre within a square around `centre`, 1/m⁴.
    fn max_integrand(&self, centre: DVec3, side: f64) -> f64 {
        let near = [0, 1].map(|k| {
            let height = self.heights[k];
            let along = (self.images[k].distance_squared(centre) - height * height)
                .max(0.0)
                .sqrt();
            let along = (along - HALF_DIAGONAL * side).max(0.0);
            height * height + along * along
        });
        let cosines = [0, 1].map(|k| self.heights[k] / near[k].sqrt());
        let density = match self.lobe {
            Lobe::Lambertian => lobe(self.lobe, cosines[0], cosines[1], 1.0, 1.0),
            // The norm of a lobe is smallest where half of the lobe is behind the wall.
            _ => cosines[0] * lobe_scale(self.lobe, GRAZING) / GRAZING,
        };
        self.kept * density / (near[0] * near[1])
    }

    /// Upper bound of the contribution of a square.
    pub(super) fn bound(&self, centre: DVec3, side: f64) -> f64 {
        self.max_integrand(centre, side) * side * side
    }

    /// Whether the centre of a square represents all of it. `axes` are unit vectors along its sides, and `total` is the
    /// power of all squares known so far.
    pub(super) fn is_smooth(
        &self,
        centre: DVec3,
        side: f64,
        axes: (DVec3, DVec3),
        precision: &Precision,
        total: f64,
    ) -> bool {
        let nearest = self.images.map(|image| image.distance_squared(centre));
        if side * side > precision.width * precision.width * nearest[0].min(nearest[1]) {
            return false;
        }
        let quarter = 0.25 * side;
        let mut mean = 0.0;
        for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            mean += 0.25 * self.at(centre + quarter * (a * axes.0 + b * axes.1));
        }
        let area = side * side;
        // Quarters have a quarter of the error.
        let off = 4.0 / 3.0 * (mean - self.at(centre)).abs() * area;
        off <= precision.share * (mean * area + OF_TOTAL * total)
    }
}

/// A cosine of grazing incidence.
const GRAZING: f64 = 1e-9;

//! How finely a wall is cut: so that a patch's centre stands for its square within a share of the power that the effort allows.
//!
//! The integrand is what a square metre brings at a point of the wall: the lobe of the wall over both squared distances. It is compared
//! at the centre of a square and at those of its quarters.

use glam::DVec3;

use super::ways::share_of_reflections;
use crate::em::scattering::{lobe, lobe_scale};
use crate::materials::Lobe;
use crate::paths::{Effort, TreeNode};

/// What an effort allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Precision {
    /// How far a square may be off, as a share of what it brings.
    share: f64,
    /// A square is at most this part of the distance to the nearer end wide.
    width: f64,
    /// Squares that bring at most this share of all there is are left out.
    floor: f64,
}

/// A square may be off by this part of its allowance for all there is as well: there are some hundred of them.
const OF_TOTAL: f64 = 1.0 / 256.0;

/// The same for what borders of shadows may be off: each square is lit as a whole or not at all, and errors have either sign.
const FAINT: f64 = 1.0 / 64.0;

/// Half the diagonal of a square of side 1.
const HALF_DIAGONAL: f64 = std::f64::consts::FRAC_1_SQRT_2;

impl Precision {
    /// Power within 1, 0.3 or 0.1 dB of the integral.
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

    /// Whether a square that brings at most `bound` is left out where `total` is known of the power of all squares.
    pub(super) fn leaves_out(&self, bound: f64, total: f64) -> bool {
        bound < self.floor * total
    }

    /// Whether a square that brings at most `bound` is too weak for its borders to matter: its centre may say whether it is lit.
    pub(super) fn is_faint(&self, bound: f64, total: f64) -> bool {
        bound <= self.share * FAINT * total
    }

    /// Whether it is too weak to be quartered.
    pub(super) fn is_weak(&self, bound: f64, total: f64) -> bool {
        bound <= self.share * OF_TOTAL * total
    }
}

/// A wall between the last images of both ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Integrand {
    images: [DVec3; 2],
    /// Of the images above the wall, metres.
    heights: [f64; 2],
    lobe: Lobe,
    /// What reflections keep.
    kept: f64,
}

impl Integrand {
    /// At a plane with the unit `normal` through `centre`; `None` unless both images show above the same side.
    pub(super) fn new(
        lobe: Lobe,
        normal: DVec3,
        centre: DVec3,
        nodes: [&TreeNode; 2],
    ) -> Option<Self> {
        let images = nodes.map(|node| node.image);
        let above = images.map(|image| normal.dot(image - centre));
        let heights = above.map(f64::abs);
        let is_above =
            above[0] * above[1] > 0.0 && heights[0].min(heights[1]) >= super::ON_FACE_DISTANCE;
        is_above.then(|| Self {
            images,
            heights,
            lobe,
            kept: share_of_reflections(nodes[0].depth + nodes[1].depth),
        })
    }

    /// Of a square metre at a point of the wall, 1/m⁴.
    pub(super) fn at(&self, point: DVec3) -> f64 {
        let to = self.images.map(|image| image - point);
        let squares = to.map(DVec3::length_squared);
        let lengths = squares.map(f64::sqrt);
        let cosines = [0, 1].map(|k| self.heights[k] / lengths[k]);
        let between = to[0].dot(to[1]) / (lengths[0] * lengths[1]);
        // The specular direction has the same height and the opposite way along the wall.
        let specular = 2.0 * cosines[0] * cosines[1] - between;
        let density = lobe(self.lobe, cosines[0], cosines[1], specular, between);
        self.kept * density / (squares[0] * squares[1])
    }

    /// The most that a square metre of a square around `centre` brings.
    fn most(&self, centre: DVec3, side: f64) -> f64 {
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
            // The norm of a lobe is least where half of it is behind the wall.
            _ => cosines[0] * lobe_scale(self.lobe, GRAZING) / GRAZING,
        };
        self.kept * density / (near[0] * near[1])
    }

    /// The most that a square brings.
    pub(super) fn bound(&self, centre: DVec3, side: f64) -> f64 {
        self.most(centre, side) * side * side
    }

    /// Whether the centre of a square stands for all of it. `axes` are unit vectors along its sides, and `total` what is known of the
    /// power of all squares.
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
        // Quarters leave a quarter of the error.
        let off = 4.0 / 3.0 * (mean - self.at(centre)).abs() * area;
        off <= precision.share * (mean * area + OF_TOTAL * total)
    }
}

/// A cosine of incidence along the wall.
const GRAZING: f64 = 1e-9;

//! Rays that show whether an accelerator computes exactly.
//!
//! Most rays hit far from any border, and an inexact accelerator answers them as well. Those here go to vertices, to points on
//! edges, and along axes and edges, where one rounding more or less changes the answer or the last bit of t.

use glam::Vec3;

use super::accelerator::{Answer, Question, RayAccelerator};
use super::node::{Child, Node};
use super::sights::AcceleratorFailed;
use super::{Bvh, Ray};
use crate::random::Random;

/// Rays that probe an accelerator.
const PROBES: usize = 4096;

impl Bvh {
    /// The number of probing rays that `accelerator` answers otherwise than this index, and the number of all.
    ///
    /// # Errors
    /// [`AcceleratorFailed`].
    pub fn wrong_answers(
        &self,
        accelerator: &dyn RayAccelerator,
    ) -> Result<[usize; 2], AcceleratorFailed> {
        let rays = self.probes();
        let expected: Vec<_> = rays.iter().map(|ray| self.closest_hit(ray)).collect();
        let mut wrong = 0;
        for question in [Question::First, Question::Any] {
            accelerator.answer(&rays, question, &mut |ray, answer| {
                let is_right = match (answer, question) {
                    (Answer::Unknown, _) => true,
                    (Answer::Nothing, _) => expected[ray].is_none(),
                    (Answer::Hit(hit), Question::First) => expected[ray] == Some(hit),
                    (Answer::Hit(_), Question::Any) => expected[ray].is_some(),
                };
                wrong += usize::from(!is_right);
            })?;
        }
        Ok([wrong, 2 * rays.len()])
    }

    fn probes(&self) -> Vec<Ray> {
        let mut random = Random(0x6b1d5);
        let [low, high] = self.corners.map(Vec3::from);
        let leaves: Vec<Child> = (self.nodes.iter().flat_map(Node::children))
            .filter_map(|(_, child)| child.is_leaf().then_some(child))
            .collect();
        if leaves.is_empty() {
            return Vec::new();
        }
        let some = |random: &mut Random| {
            let leaf = leaves[random.below(leaves.len())];
            (self.triangles).vertices(leaf, random.below(leaf.length()))
        };
        let share = |random: &mut Random| (random.bits() >> 40) as f32 / (1 << 24) as f32;
        (0..PROBES)
            .map(|i| {
                let [a, b, c] = some(&mut random);
                let place = Vec3::from_array([0; 3].map(|_| share(&mut random)));
                let from = match i % 4 {
                    0 => some(&mut random)[0],
                    _ => low + place * (high - low),
                };
                let share = share(&mut random);
                let to = match i % 5 {
                    0 => a,
                    1 => a + share * (b - a),
                    2 => 0.5 * (b + c),
                    _ => (a + b + c) / 3.0,
                };
                let ray = match i % 8 {
                    0 => Ray::new(from, Vec3::AXES[i / 8 % 3]),
                    1 => Ray::new(a - (b - a), b - a),
                    2 => Ray::between(from, to),
                    _ => Ray::new(from, to - from),
                };
                let names = &self.triangles.names;
                match i % 3 {
                    0 => ray.skipping([names[random.below(names.len())].group, Ray::NO_GROUP]),
                    _ => ray,
                }
            })
            .collect()
    }
}

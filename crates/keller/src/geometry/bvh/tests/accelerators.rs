//! An index with an accelerator: whatever the accelerator leaves to the processor, and however it fails, the answers are the index's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Vectors, rays, soup};
use crate::geometry::bvh::{AcceleratorFailed, Answer, Bvh, Question, Ray, RayAccelerator};
use crate::random::Random;
use glam::Vec3;

/// Answers some rays, backwards, and fails after some batches.
#[derive(Debug)]
struct Moody {
    bvh: Bvh,
    /// One of so many rays is left to the processor.
    unknown: usize,
    batches_left: AtomicUsize,
    /// Whether t is one bit off.
    is_off: bool,
}

impl RayAccelerator for Moody {
    fn fewest_rays(&self) -> usize {
        5
    }

    fn rays_at_once(&self) -> usize {
        1000
    }

    fn answer(
        &self,
        rays: &[Ray],
        _: Question,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), AcceleratorFailed> {
        let left = self.batches_left.fetch_sub(1, Ordering::Relaxed);
        let answered = if left == 1 {
            rays.len() / 2
        } else {
            rays.len()
        };
        for ray in (0..answered).rev() {
            let answer = match self.bvh.closest_hit(&rays[ray]) {
                _ if ray % self.unknown == 0 => Answer::Unknown,
                None => Answer::Nothing,
                Some(mut hit) => {
                    hit.t = f32::from_bits(hit.t.to_bits() + u32::from(self.is_off));
                    Answer::Hit(hit)
                }
            };
            set(ray, answer);
        }
        if left == 1 {
            self.batches_left.store(1, Ordering::Relaxed);
            return Err(AcceleratorFailed);
        }
        Ok(())
    }
}

#[test]
fn answers_with_an_accelerator_are_those_of_the_index() {
    let mut random = Vectors(Random(11));
    let triangles = soup(&mut random, 300, 10.0, Vec3::ZERO);
    let bvh = Bvh::build(&triangles);
    let moody = Arc::new(Moody {
        bvh: bvh.clone(),
        unknown: 3,
        batches_left: AtomicUsize::new(20),
        is_off: false,
    });
    let with_accelerator = bvh.clone().with_accelerator(moody.clone());
    for count in [1, 4, 5, 999, 5000].into_iter().cycle().take(40) {
        let rays = rays(&mut random, &triangles, count, 10.0, Vec3::ZERO);
        let (mut here, mut there) = (vec![None; count], vec![None; count]);
        bvh.closest_hits(&rays, &mut here);
        with_accelerator.closest_hits(&rays, &mut there);
        assert_eq!(here, there, "{count} rays");
        let (mut here, mut there) = (vec![false; count], vec![false; count]);
        bvh.are_free(&rays, &mut here);
        with_accelerator.are_free(&rays, &mut there);
        assert_eq!(here, there, "{count} rays");
        let mut blockers = vec![None; count];
        with_accelerator.blockers(&rays, &mut blockers);
        for (free, blocker) in here.iter().zip(&blockers) {
            assert_eq!(*free, blocker.is_none(), "{count} rays");
        }
    }
    assert_eq!(
        moody.batches_left.load(Ordering::Relaxed),
        1,
        "the accelerator must have failed"
    );
}

#[test]
fn an_accelerator_that_is_one_bit_off_is_found_out() {
    let mut random = Vectors(Random(12));
    let triangles = soup(&mut random, 300, 10.0, Vec3::ZERO);
    let bvh = Bvh::build(&triangles);
    let mut accelerator = Moody {
        bvh: bvh.clone(),
        unknown: 3,
        batches_left: AtomicUsize::new(100),
        is_off: false,
    };
    let [wrong, of] = bvh.wrong_answers(&accelerator).unwrap();
    assert!(wrong == 0 && of > 1000, "{wrong} of {of}");
    accelerator.is_off = true;
    let [wrong, _] = bvh.wrong_answers(&accelerator).unwrap();
    assert!(wrong > of / 20, "{wrong} of {of}");
}

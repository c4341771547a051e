//! Rows of visibility with accelerators that are unsure, wrong or lost: they are always those of the processor.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{random_city, random_scene};
use keller::Control;
use keller::geometry::bvh::{
    AcceleratorFailed, Answer, Question, RUNS, Ray, RayAccelerator, Sight, SightPlace, SightPoint,
    Sights,
};
use keller::scene::Scene;
use keller::tiles::{Tiles, Tiling, Visibility};

/// The behaviour of an accelerator with viewpoints.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Manner {
    /// It leaves every tile to the processor.
    Doubts,
    /// It says that every tile is seen.
    Errs,
    /// It is lost after a few batches, in the middle of one.
    Fails,
}

#[derive(Debug)]
struct Accelerator {
    manner: Manner,
    looks: Arc<AtomicUsize>,
    refusals: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Looking {
    manner: Manner,
    num_points: u32,
    looks: Arc<AtomicUsize>,
    refusals: Arc<AtomicUsize>,
}

impl RayAccelerator for Accelerator {
    fn fewest_rays(&self) -> usize {
        usize::MAX
    }

    fn rays_at_once(&self) -> usize {
        1
    }

    fn answer(
        &self,
        _: &[Ray],
        _: Question,
        _: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), AcceleratorFailed> {
        unreachable!("no batch is large enough")
    }

    fn fewest_pairs(&self) -> usize {
        1
    }

    fn sights(&self, place: &SightPlace<'_>) -> Option<Box<dyn Sights>> {
        // The assumptions of an accelerator hold.
        for point in place.points {
            let mut numbers = point.at.iter().chain(&point.normal);
            assert!(numbers.all(|x| x.is_finite()), "{point:?}");
        }
        for wall in place.wall_of {
            assert!((*wall as usize) < place.walls.len(), "wall {wall}");
        }
        let (margin, beside) = (place.margin, place.beside);
        assert!(margin > 0.0 && beside > margin, "{margin} {beside}");
        // A run of neighbours fits into a small box.
        let extent = |points: &[SightPoint]| -> f32 {
            let span = |axis: usize| {
                let all = points.iter().map(|point| point.at[axis]);
                all.clone().fold(f32::NEG_INFINITY, f32::max) - all.fold(f32::INFINITY, f32::min)
            };
            span(0) + span(1) + span(2)
        };
        let runs = place.points.chunks_exact(RUNS[0]);
        let mean = runs.clone().map(extent).sum::<f32>() / runs.len().max(1) as f32;
        let all = extent(place.points);
        assert!(
            place.points.len() < 16 * RUNS[0] || mean < 0.5 * all,
            "{mean} of {all}"
        );
        Some(Box::new(Looking {
            manner: self.manner,
            num_points: u32::try_from(place.points.len()).unwrap(),
            looks: Arc::clone(&self.looks),
            refusals: Arc::clone(&self.refusals),
        }))
    }
}

impl Sights for Looking {
    fn rows_at_once(&self) -> usize {
        13
    }

    fn look(
        &self,
        from: &[SightPoint],
        tell: &mut dyn FnMut(usize, Sight<'_>),
    ) -> Result<(), AcceleratorFailed> {
        let doubts: Vec<u32> = (0..self.num_points).collect();
        let none = vec![0; doubts.len().div_ceil(32)];
        let mut every = none.clone();
        for k in &doubts {
            every[*k as usize / 32] |= 1 << (k % 32);
        }
        let looks = self.looks.fetch_add(1, Ordering::Relaxed);
        for row in 0..from.len() {
            if self.manner == Manner::Fails && looks > 3 && row > 5 {
                return Err(AcceleratorFailed);
            }
            let sight = match self.manner {
                Manner::Errs => Sight {
                    seen: &every,
                    doubts: &[],
                },
                Manner::Doubts | Manner::Fails => Sight {
                    seen: &none,
                    doubts: &doubts,
                },
            };
            tell(row, sight);
        }
        Ok(())
    }

    fn refuse(&self, wrong: usize, of: usize) {
        assert!(wrong > 0 && wrong <= of, "{wrong} of {of}");
        self.refusals.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn rows_are_right_with_accelerators_that_are_unsure_wrong_or_lost() {
    for (mesh, side) in [(random_scene(1).0, 2.0), (random_city(1).0, 5.0)] {
        let scene = Scene::new(&mesh).unwrap();
        let tiles = Tiles::new(&scene, Tiling::of_side(side)).unwrap();
        let rows =
            |scene: Scene| Visibility::new(&Arc::new(scene), &tiles, &Control::default()).unwrap();
        let expected = rows(scene.clone());
        for manner in [Manner::Doubts, Manner::Errs, Manner::Fails] {
            let [looks, refusals] = [0; 2].map(|n| Arc::new(AtomicUsize::new(n)));
            let accelerator = Accelerator {
                manner,
                looks: Arc::clone(&looks),
                refusals: Arc::clone(&refusals),
            };
            let found = rows(scene.clone().with_accelerator(Arc::new(accelerator)));
            assert!(found == expected, "{manner:?}, {} tiles", tiles.len());
            assert!(looks.load(Ordering::Relaxed) > 0, "{manner:?}");
            let is_refused = refusals.load(Ordering::Relaxed) > 0;
            assert_eq!(is_refused, manner == Manner::Errs, "{manner:?}");
        }
    }
}

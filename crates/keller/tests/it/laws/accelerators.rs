//! An accelerator that answers rays changes no bit of any engine's results.
//!
//! Runs on the card whose name `KELLER_TEST_GPU` has, else on one that software imitates, else not at all. Where the variable is
//! set, it fails if there is no such card.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DMat3;
use keller::Control;
use keller::diffuse::{DiffuseField, DiffuseOptions};
use keller::geometry::bvh::{
    AcceleratorFailed, Answer, Question, Ray, RayAccelerator, SightPlace, Sights,
};
use keller::scene::Scene;
use keller::tiles::{Tiles, Tiling, Visibility};
use keller_gpu::{Gpu, GpuIndex, Tuning, for_tests};

use super::worlds::{World, kinds};
use super::{engines_for, odd, sender};
use crate::common::engines::tile_fields;
use crate::common::turning::turned;
use crate::common::{random_city, random_scene};

/// Every question goes to the accelerator, in several batches.
const TUNING: Tuning = Tuning {
    fewest_rays: 1,
    rays_at_once: 1 << 14,
    fewest_pairs: 1,
    pairs_at_once: 1 << 15,
};

/// An accelerator that counts its answers.
#[derive(Debug)]
struct Counting {
    index: GpuIndex,
    rays: AtomicUsize,
    /// Places in which it reported what is visible.
    places: AtomicUsize,
}

impl RayAccelerator for Counting {
    fn fewest_rays(&self) -> usize {
        // Smaller batches take longer than the law needs.
        32
    }

    fn rays_at_once(&self) -> usize {
        self.index.rays_at_once()
    }

    fn answer(
        &self,
        rays: &[Ray],
        question: Question,
        set: &mut dyn FnMut(usize, Answer),
    ) -> Result<(), AcceleratorFailed> {
        self.rays.fetch_add(rays.len(), Ordering::Relaxed);
        self.index.answer(rays, question, set)
    }

    fn fewest_pairs(&self) -> usize {
        self.index.fewest_pairs()
    }

    fn sights(&self, place: &SightPlace<'_>) -> Option<Box<dyn Sights>> {
        self.places.fetch_add(1, Ordering::Relaxed);
        self.index.sights(place)
    }
}

/// The accelerator to be tested.
fn gpu() -> Option<Gpu> {
    Some(Gpu::of(&for_tests()?).unwrap())
}

/// The same place, whose batches of rays the accelerator answers.
fn accelerated(gpu: &Gpu, place: &keller::World) -> (keller::World, Arc<Counting>) {
    let index = gpu.index_with(place.scene().index(), TUNING, |error| panic!("{error}"));
    let accelerator = Arc::new(Counting {
        index: index.unwrap(),
        rays: AtomicUsize::new(0),
        places: AtomicUsize::new(0),
    });
    (
        place.clone().with_accelerator(accelerator.clone()),
        accelerator,
    )
}

#[test]
fn accelerators_change_no_bit() {
    let Some(gpu) = gpu() else { return };
    let antenna = &odd(DMat3::IDENTITY)[0];
    for world in World::all() {
        let tx = sender(world.tx, antenna);
        for kind in kinds() {
            let here = world.place(&kind);
            let (there, accelerator) = accelerated(&gpu, &here);
            for engine in engines_for(&world, &kind) {
                let expected = engine.received(&here, &tx, &world.rx, &kind.limits);
                let found = engine.received(&there, &tx, &world.rx, &kind.limits);
                assert_eq!(found, expected, "{}, {}, {engine:?}", world.name, kind.name);
            }
            let [expected, found] =
                [&here, &there].map(|place| tile_fields(place, &tx, kind.on_tiles(), 4.0));
            assert!(found == expected, "{}, {}, tiles", world.name, kind.name);
            assert!(
                accelerator.rays.load(Ordering::Relaxed) > 100,
                "{}, {}: the accelerator was not asked",
                world.name,
                kind.name
            );
        }
    }
}

#[test]
fn accelerators_change_no_bit_of_the_diffuse_field() {
    let Some(gpu) = gpu() else { return };
    for world in World::all() {
        let kind = &kinds()[0];
        let here = world.place(kind);
        let (there, accelerator) = accelerated(&gpu, &here);
        let [expected, found] = [&here, &there].map(|place| {
            let options = DiffuseOptions::of_scene(place.scene());
            let control = Control::default();
            let field = DiffuseField::new(place, &options, &control).unwrap();
            let antenna = odd(DMat3::IDENTITY).into_iter().next().unwrap();
            let tx = sender(world.tx, &antenna);
            let lit = field.of_tx(&tx, &kind.limits, &control).unwrap();
            let budget = lit.budget();
            (
                field.num_exchanges(),
                budget.diffuse.to_bits(),
                budget.absorbed.to_bits(),
            )
        });
        assert_eq!(found, expected, "{}", world.name);
        assert!(
            accelerator.rays.load(Ordering::Relaxed) > 10_000,
            "{}",
            world.name
        );
    }
}

/// Tiles see each other on an accelerator where they do on the processor, which sees what rays between all pairs say: in rooms, among loose
/// and touching polygons, and in cities, along the axes and at odd angles.
#[test]
fn accelerators_see_the_same() {
    let Some(gpu) = gpu() else { return };
    let scenes = (0..6).map(|seed| (seed, random_scene(seed).0, 3.0));
    let cities = (0..2).map(|seed| (seed, random_city(seed).0, 8.0));
    for (seed, mesh, side) in scenes.chain(cities) {
        let mesh = if seed % 2 == 0 { mesh } else { turned(&mesh) };
        let scene = Scene::new(&mesh).unwrap();
        let tiles = Tiles::new(&scene, Tiling::of_side(side)).unwrap();
        let index = gpu.index_with(scene.index(), TUNING, |error| panic!("{error}"));
        let accelerator = Arc::new(Counting {
            index: index.unwrap(),
            rays: AtomicUsize::new(0),
            places: AtomicUsize::new(0),
        });
        let there = Arc::new(scene.clone().with_accelerator(accelerator.clone()));
        let [expected, found] = [&Arc::new(scene), &there]
            .map(|scene| Visibility::new(scene, &tiles, &Control::default()).unwrap());
        assert!(expected.num_pairs() > 0, "{seed}");
        assert!(found == expected, "{seed}: {} tiles", tiles.len());
        // Every block of rows has a place of its own.
        let places = accelerator.places.load(Ordering::Relaxed);
        let block = (tiles.len() / 8).max(1024);
        assert_eq!(places, tiles.len().div_ceil(block), "{seed}");
    }
}

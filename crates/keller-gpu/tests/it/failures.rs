//! Cards that are not there, too small, inexact, or lost.

use std::sync::{Arc, Mutex};

use crate::gpu;
use glam::Vec3;
use keller::geometry::bvh::{Bvh, Triangle};
use keller::random::Random;

use crate::random_rays::{Vectors, rays, soup};
use keller_gpu::{Choice, Error, Gpu, Tuning, adapters, for_tests};

#[test]
fn a_choice_is_a_word_or_part_of_a_name() {
    let parsed = |text: &str| text.parse::<Choice>().unwrap();
    assert_eq!(parsed("cpu"), Choice::Cpu);
    assert_eq!(parsed("auto"), Choice::Auto);
    assert_eq!(parsed("gpu"), Choice::Gpu);
    assert_eq!(parsed("RTX 4090"), Choice::Named("RTX 4090".into()));
    let Err(error) = Gpu::open(&parsed("no such card")) else {
        panic!("there is such a card")
    };
    assert!(error.to_string().contains("`no such card`"), "{error}");
    assert!(Gpu::open(&Choice::Cpu).unwrap().is_none(), "a processor");
    assert!(Choice::Auto.among(Vec::new()).unwrap().is_none(), "no card");
    let none = Choice::Gpu.among(Vec::new()).unwrap_err();
    assert_eq!(none, Error::NoCard { there: Vec::new() });
    if let Some(adapter) = for_tests() {
        let shouted = Choice::Named(adapter.name.to_uppercase());
        let found = shouted.among(adapters()).unwrap().unwrap();
        assert_eq!(found.name, adapter.name);
    }
}

#[test]
fn what_is_lost_is_told_once_and_computed_by_the_processor() {
    let Some(gpu) = gpu() else { return };
    let mut random = Vectors(Random(5));
    let triangles = soup(&mut random, 300, 10.0, Vec3::ZERO);
    let here = Bvh::build(&triangles);
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let tuning = Tuning {
        fewest_rays: 1,
        ..Tuning::default()
    };
    let warn = move |error: Error| tell.lock().unwrap().push(error.to_string());
    let there = here
        .clone()
        .with_accelerator(Arc::new(gpu.index_with(&here, tuning, warn).unwrap()));
    let rays = rays(&mut random, &triangles, 5000, 10.0, Vec3::ZERO);
    let mut expected = vec![None; rays.len()];
    here.closest_hits(&rays, &mut expected);
    for batch in 0..4 {
        if batch == 2 {
            gpu.lose();
        }
        let mut hits = vec![None; rays.len()];
        there.closest_hits(&rays, &mut hits);
        assert_eq!(hits, expected, "batch {batch}");
    }
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains(gpu.name()), "{told:?}");
    assert!(gpu.index(&here, |_| ()).is_err(), "it is lost");
}

#[test]
fn coordinates_that_a_card_may_take_for_zero_are_refused() {
    let Some(gpu) = gpu() else { return };
    let triangle = Triangle {
        vertices: [Vec3::ZERO, Vec3::new(1.0, 1e-35, 0.0), Vec3::Y],
        group: 0,
    };
    let error = gpu.index(&Bvh::build(&[triangle]), |_| ()).unwrap_err();
    assert!(matches!(error, Error::TooSmall { .. }), "{error}");
}

//! A threshold of path gain on surfaces: paths that are strong enough stay to the last bit, and the power that is left
//! out is bounded.

use std::f64::consts::PI;

use crate::common::place::{HZ, at, both, wavelength};
use crate::common::{Random, by_name, devices, random_city, random_scene};
use keller::coverage::tiles::{Survey, TileCoverage, TileField};
use keller::materials::{Lobe, Material, Scattering, Texture};
use keller::paths::{Environment, Limits};
use keller::scene::{Mesh, Scene};
use keller::tiles::Tiling;
use keller::{Control, DVec3, Tx, World};

/// A world, tiles of `side` metres and a Tx.
struct Place {
    world: World,
    environment: Environment,
    limits: Limits,
    tx: Tx,
}

impl Place {
    fn new(world: World, bounds: [DVec3; 2], limits: Limits, side: f64, seed: u64) -> Self {
        let mut random = Random(seed);
        let position = devices(world.scene(), &mut random, bounds, 1)[0];
        let (tiling, control) = (Tiling::of_side(side), Control::default());
        Self {
            environment: Environment::new(world.shared_scene(), tiling, &control).unwrap(),
            world,
            limits,
            tx: at(position.to_array(), both()),
        }
    }

    /// The fields with a threshold, and without one.
    fn survey(&self, min_gain: Option<f64>) -> Survey {
        let environment = Environment {
            min_gain: min_gain.map(|gain| gain / self.tx.antenna.largest_gain()),
            ..self.environment.clone()
        };
        let coverage = TileCoverage::new(&self.world, &self.limits, environment).unwrap();
        let coverage = coverage.with_min_gain(min_gain.unwrap_or(0.0));
        let control = Control::default();
        coverage.survey(&self.tx, true, &control).unwrap()
    }

    /// The sum of something over all tiles and sides, times area.
    fn sum(&self, survey: &Survey, value: impl Fn(&TileField) -> f64) -> f64 {
        let tiles = self.environment.tiles.all().iter().zip(&survey.fields);
        let of_tile = |(tile, [front, back]): (&keller::tiles::Tile, &[TileField; 2])| {
            tile.area * (value(front) + value(back))
        };
        tiles.map(of_tile).sum()
    }
}

fn limits(reflections: usize, diffractions: usize) -> Limits {
    Limits {
        max_interactions: reflections,
        max_reflections: reflections,
        max_diffractions: diffractions,
        ..Limits::default()
    }
}

/// Thresholds at which a fifth to nearly all of the rays are too weak; a ray itself is at each of them.
fn thresholds(survey: &Survey) -> Vec<f64> {
    let mut gains: Vec<f64> = survey.rays.iter().map(|ray| ray.gain).collect();
    gains.sort_by(f64::total_cmp);
    let at = |percent: usize| gains[percent * (gains.len() - 1) / 100];
    [20, 60, 90].map(at).to_vec()
}

#[test]
fn strong_rays_to_tiles_stay_to_the_last_bit_and_the_others_are_bounded() {
    let mut dropped = 0;
    for seed in 0..4 {
        for (reflections, diffractions) in [(3, 0), (2, 1), (2, 2)] {
            let (mesh, bounds): (Mesh, _) = if seed % 2 == 0 {
                random_city(seed)
            } else {
                random_scene(seed)
            };
            let side = if seed % 2 == 0 { 6.0 } else { 2.5 };
            let limits = limits(reflections, diffractions);
            let place = Place::new(by_name(&mesh, None, HZ), bounds, limits, side, seed);
            let all = place.survey(None);
            assert_eq!(all.recall.unfollowed_power, 0.0, "nothing is left out");
            assert!(!all.rays.is_empty(), "seed {seed}");
            for min_gain in thresholds(&all) {
                let strong = place.survey(Some(min_gain));
                let wanted = all.rays.iter().filter(|ray| ray.gain >= min_gain);
                let wanted: Vec<_> = wanted.cloned().collect();
                assert!(strong.rays == wanted, "seed {seed}, {limits:?}");
                dropped += all.rays.len() - wanted.len();
                let density = 4.0 * PI / wavelength().powi(2);
                let [of_all, of_strong] =
                    [&all, &strong].map(|survey| density * place.sum(survey, |f| f.path_gain));
                let omitted = density * place.sum(&strong, |f| f.omitted_gain);
                let most = of_strong + omitted + strong.recall.unfollowed_power;
                assert!(of_all <= 1.000_001 * most, "{of_all} {most}: seed {seed}");
            }
        }
    }
    assert!(dropped > 1000, "{dropped}");
}

#[test]
fn a_threshold_below_all_changes_nothing() {
    let (mesh, bounds) = random_city(3);
    let world = by_name(&mesh, None, HZ);
    let place = Place::new(world, bounds, limits(2, 1), 6.0, 3);
    let all = place.survey(None);
    // Waves along a conductor bring nothing but rounding.
    let weakest = all
        .rays
        .iter()
        .map(|ray| ray.gain)
        .filter(|gain| *gain > 1e-25);
    let min_gain = weakest.fold(f64::INFINITY, f64::min);
    let same = place.survey(Some(min_gain));
    let wanted = all.rays.iter().filter(|ray| ray.gain >= min_gain);
    assert!(same.rays.iter().eq(wanted), "all rays with power");
    for (all, same) in all
        .fields
        .iter()
        .flatten()
        .zip(same.fields.iter().flatten())
    {
        let off = (all.path_gain - same.path_gain).abs();
        assert!(off <= 1e-25 + 1e-12 * all.path_gain, "{all:?}, {same:?}");
        assert!(same.omitted_gain < 1e-24, "{same:?}");
    }
}

#[test]
fn what_is_left_out_does_not_depend_on_threads() {
    let (mesh, bounds) = random_city(5);
    let world = by_name(&mesh, None, HZ);
    let place = Place::new(world, bounds, limits(3, 1), 6.0, 5);
    let min_gain = thresholds(&place.survey(None))[2];
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| place.survey(Some(min_gain)))
    };
    let (one, three) = (with(1), with(3));
    assert!(one == three, "the same bits");
    assert!(one.recall.unfollowed_power > 0.0, "something is left out");
}

/// A room whose walls scatter all that they do not reflect.
fn rough_room(coefficient: f64) -> (World, [DVec3; 2]) {
    let (mesh, bounds) = random_scene(1);
    let scene = Scene::new(&mesh).unwrap();
    let texture = Texture {
        scattering: Some(Scattering {
            coefficient,
            cross_polarization: 0.0,
            lobe: Lobe::Lambertian,
        }),
        roughness: 0.0,
    };
    let wall = Material::from_name("concrete")
        .unwrap()
        .with_texture(texture);
    let materials = vec![wall; scene.materials().len()];
    (crate::common::world(scene, &materials, HZ), bounds)
}

#[test]
fn diffuse_power_that_is_left_out_is_bounded() {
    let (world, bounds) = rough_room(0.5);
    let limits = Limits {
        max_interactions: 4,
        max_scatterings: 3,
        ..limits(2, 0)
    };
    let place = Place::new(world, bounds, limits, 2.0, 8);
    let all = place.survey(None);
    let mut levels: Vec<f64> = all
        .fields
        .iter()
        .flatten()
        .map(|f| f.diffuse_gain)
        .collect();
    levels.sort_by(f64::total_cmp);
    let mut lacks = 0;
    for percent in [30, 60, 90] {
        let strong = place.survey(Some(levels[percent * levels.len() / 100]));
        let power = |survey: &Survey| -> f64 {
            survey
                .fields
                .iter()
                .flatten()
                .map(|f| f.incident_power)
                .sum()
        };
        let density = 4.0 * PI / wavelength().powi(2);
        let omitted = density * place.sum(&strong, |f| f.omitted_gain);
        let lack = power(&all) - power(&strong);
        let most = omitted + strong.recall.unfollowed_power;
        assert!(lack <= 1.000_001 * most, "{lack} of {most}");
        lacks += usize::from(lack > 0.0);
    }
    assert!(lacks > 0, "the threshold leaves something out");
}

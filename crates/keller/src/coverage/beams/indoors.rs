//! The outdoor part of the plan.

use std::collections::VecDeque;

use glam::DVec2;

use super::Kind;
use super::raster::Raster;
use super::triangulation::{NOTHING, Triangulation, side};
use crate::coverage::Region;
use crate::parallel;
use crate::scene::Scene;

/// The height of the ground where it is taken as level, metres: the median of some places in the region, or the lowest
/// height of the scene where none has ground.
pub(super) fn level_ground(scene: &Scene, region: &Region) -> f64 {
    /// The number of places along each axis.
    const PLACES: u32 = 9;
    let share = |k: u32| (f64::from(k) + 0.5) / f64::from(PLACES);
    let extent = region.extent();
    let places = (0..PLACES * PLACES)
        .map(|n| region.to_scene(extent * DVec2::new(share(n % PLACES), share(n / PLACES))));
    let mut heights: Vec<f64> = places.filter_map(|at| scene.ground(at)).collect();
    heights.sort_by(f64::total_cmp);
    heights
        .get(heights.len() / 2)
        .copied()
        .unwrap_or(scene.bounds()[0].z)
}

/// Whether each triangle is outdoors, at a height over the ground. The area that no wall divides is one place: it is
/// indoors if walls enclose it and there is something above it, as in a house and not in its yard.
pub(super) fn outdoors(
    scene: &Scene,
    region: &Region,
    net: &Triangulation,
    height: f64,
) -> Vec<bool> {
    let mut place_of = vec![NOTHING; net.triangles.len()];
    let mut largest: Vec<(f64, u32)> = Vec::new();
    let mut is_open: Vec<bool> = Vec::new();
    let mut queue = VecDeque::new();
    for first in 0..net.triangles.len() {
        if place_of[first] != NOTHING {
            continue;
        }
        let number = u32::try_from(largest.len()).expect("no more than triangles");
        largest.push((0.0, 0));
        is_open.push(false);
        place_of[first] = number;
        queue.push_back(u32::try_from(first).expect("fewer than 2^32 triangles"));
        while let Some(here) = queue.pop_front() {
            let [a, b, c] = net.corners(here);
            let known = &mut largest[number as usize];
            let size = side(a, b, c);
            if size > known.0 {
                *known = (size, here);
            }
            let triangle = &net.triangles[here as usize];
            for (across, wall) in triangle.across.iter().zip(triangle.heights) {
                let beyond = across / 4;
                is_open[number as usize] |= *across == NOTHING;
                if *across != NOTHING && wall <= 0.0 && place_of[beyond as usize] == NOTHING {
                    place_of[beyond as usize] = number;
                    queue.push_back(beyond);
                }
            }
        }
    }
    let level = level_ground(scene, region);
    let top = scene.bounds()[1].z + 1.0;
    let is_outdoors: Vec<bool> = parallel::map(largest.len(), |place| {
        let (_, triangle) = largest[place];
        let [a, b, c] = net.corners(triangle);
        let at = region.to_scene((a + b + c) / 3.0);
        let from = at.extend(scene.ground(at).unwrap_or(level) + height);
        let mut above = Vec::new();
        // The limit allows any number of faces.
        let _ = scene.crossings(from, at.extend(top), &[], usize::MAX, &mut above);
        is_open[place] || above.is_empty()
    });
    place_of
        .into_iter()
        .map(|place| is_outdoors[place as usize])
        .collect()
}

/// The kind of every cell, by columns.
pub(super) fn kinds(net: &Triangulation, raster: &Raster, is_outdoors: &[bool]) -> Vec<Kind> {
    let [num_columns, num_rows] = raster.count;
    let of_column = |column: usize| {
        let mut here = None;
        (0..num_rows).map(move |row| {
            let place = raster.centre(column, row);
            here = net.triangle_near(here, place);
            match here {
                Some(triangle) if !is_outdoors[triangle as usize] => Kind::Indoors,
                _ => Kind::Outdoors,
            }
        })
    };
    parallel::flat_map(num_columns, |column, kinds| kinds.extend(of_column(column)))
}

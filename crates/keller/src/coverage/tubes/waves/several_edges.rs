//! The wave behind several edges, for which the path to each point is evaluated as an exact one.
//!
//! Behind one edge a wave is that of its tube, times a diffraction that is known for all angles and distances. A second
//! edge may lie on the shadow boundary of the first or on the same face as it. Then the slope of the field counts, and the
//! field in the direction of the edges may vanish, so that no factor can be taken out.
//!
//! Cost: some microseconds for each point.

use glam::DVec3;

use super::route::TracedWalls;
use crate::coverage::tubes::tube::bundle::{TubeInteraction, around_last_edge};
use crate::coverage::tubes::tube::edge_image::EdgeImage;
use crate::coverage::tubes::tube::unfolding::vertices_from_end;
use crate::field::{FaceInteraction, FlatFacets, PlaneWave};
use crate::geometry::tolerance::MIN_SEGMENT_LENGTH;
use crate::paths::{Path, Vertex};
use crate::scene::Scene;

impl TracedWalls<'_> {
    /// The wave `ahead` metres behind a place of an edge that another edge lights, with its spreading. Arguments as in
    /// [`Self::behind_edge`]. A rough wave is an estimate that takes half the time.
    pub(in crate::coverage::tubes) fn behind_several(
        &self,
        tx_wave: impl Fn(DVec3) -> PlaneWave,
        interactions: &[TubeInteraction],
        image: &EdgeImage,
        place: [f64; 2],
        ahead: f64,
        is_rough: bool,
    ) -> PlaneWave {
        let path = path_to(self.world.scene(), interactions, image, place, ahead);
        let wave = tx_wave(image.departure_to(place[0]));
        let points: Vec<DVec3> = path.points().collect();
        let mut segments = points.windows(2).map(|ends| ends[0].distance(ends[1]));
        // No path leads over the corner where two edges meet, nor along an edge.
        if !segments.all(|length| length >= MIN_SEGMENT_LENGTH) {
            return wave.without_power();
        }
        let worlds = if is_rough && self.exact.len() == 1 {
            std::slice::from_ref(self.world)
        } else {
            self.exact
        };
        wave.along(&path, worlds.iter().map(FlatFacets), is_rough)
    }
}

/// The path by interactions that leaves the last edge at a place and goes on for `ahead` metres.
fn path_to(
    scene: &Scene,
    interactions: &[TubeInteraction],
    image: &EdgeImage,
    place: [f64; 2],
    ahead: f64,
) -> Path {
    let (before, after) = around_last_edge(interactions);
    let line = image.unfolded_ray(place);
    let mut vertices = Vec::with_capacity(interactions.len());
    let tx_position = vertices_from_end(scene, before, image.light(), line.origin, &mut vertices);
    vertices.reverse();
    let rx_position = add_after(
        scene,
        after,
        [line.origin, line.direction],
        ahead,
        &mut vertices,
    );
    Path {
        tx: 0,
        rx: 0,
        tx_position,
        rx_position,
        vertices,
        length: image.arrival(place[0]).behind + ahead,
    }
}

/// Adds the last edge and the interactions after it, along a ray of `length` metres. Returns where the path ends.
fn add_after(
    scene: &Scene,
    interactions: &[TubeInteraction],
    [mut from, mut direction]: [DVec3; 2],
    length: f64,
    vertices: &mut Vec<Vertex>,
) -> DVec3 {
    let mut left = length;
    for interaction in interactions {
        let mut point = from;
        if let TubeInteraction::Wall { kind, face } = *interaction {
            let plane = scene.plane(scene.plane_of(face));
            let distance = -plane.distance(from) / plane.normal.dot(direction);
            point = from + distance * direction;
            if kind == FaceInteraction::Reflection {
                (from, left) = (point, left - distance);
                direction -= 2.0 * direction.dot(plane.normal) * plane.normal;
            }
        }
        vertices.push(Vertex {
            interaction: interaction.of_path(),
            point,
        });
    }
    from + left * direction
}

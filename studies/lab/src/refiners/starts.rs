//! The start points of descents: the tiles by which coarse paths lead.
//!
//! The search follows chains, not rays from tile to tile ([`keller::paths::TileFinder`]), so a coarse path's tiles
//! are found afterwards. They are the tiles that contain the points of the unfolded path, or the nearest tiles of the
//! same planes and edges.

use keller::paths::{CoarsePaths, Step, TileFinder, Unfolded, Waypoint};
use keller::scene::{EdgeId, FaceId, PlaneId, Scene};
use keller::tiles::{Segments, Tiles};
use keller::{Control, DVec3, Error};
use rayon::prelude::*;

/// The start points of the descents of coarse paths: centres of tiles and of edges' segments.
#[derive(Debug, Clone, PartialEq)]
pub struct Starts {
    /// The points of all receivers of each chain, those of one receiver in a row.
    by_chain: Vec<Vec<DVec3>>,
    num_steps: Vec<usize>,
}

impl Starts {
    /// The start points of these paths from `tx` to `rx`.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn new(
        finder: &TileFinder,
        tx: DVec3,
        rx: &[DVec3],
        coarse: &CoarsePaths,
        control: &Control,
    ) -> Result<Self, Error> {
        let places = Places::new(finder);
        let chains: Vec<(&[Step], &[u32])> = coarse.chains().collect();
        let by_chain: Result<Vec<_>, Error> = chains
            .par_iter()
            .map_init(
                || (Unfolded::default(), Vec::new()),
                |(unfolded, waypoints), &(steps, receivers)| {
                    control.check()?;
                    unfolded.set(places.scene, tx, steps);
                    let mut points = Vec::with_capacity(steps.len() * receivers.len());
                    for r in receivers {
                        let rx = rx[*r as usize];
                        if !unfolded.reach(rx, waypoints) {
                            unfolded.approach(rx, waypoints);
                        }
                        points.extend(waypoints.iter().map(|w| places.centre(w)));
                    }
                    Ok(points)
                },
            )
            .collect();
        Ok(Self {
            by_chain: by_chain?,
            num_steps: chains.iter().map(|(steps, _)| steps.len()).collect(),
        })
    }

    /// The start points on the way to receiver `n` of chain `k`.
    pub(super) fn of(&self, k: usize, n: usize) -> &[DVec3] {
        let len = self.num_steps[k];
        &self.by_chain[k][n * len..(n + 1) * len]
    }
}

/// The tiles of planes and the segments of edges.
struct Places<'a> {
    scene: &'a Scene,
    tiles: &'a Tiles,
    segments: Segments,
    /// The faces of each plane that have tiles.
    faces: Vec<Vec<FaceId>>,
}

impl<'a> Places<'a> {
    fn new(finder: &'a TileFinder) -> Self {
        let (scene, tiles) = (finder.world().scene(), finder.tiles());
        let free_edges = finder.limits().free_edges;
        let mut faces = vec![Vec::new(); scene.planes().len()];
        for face in (0..scene.faces().len()).map(FaceId::from_index) {
            if tiles.of_face(face).len() > 0 {
                faces[scene.plane_of(face).index()].push(face);
            }
        }
        Self {
            scene,
            tiles,
            segments: Segments::new(scene, tiles, |edge| free_edges || edge.is_wedge()),
            faces,
        }
    }

    /// The centre of the tile or segment that contains a waypoint, or of one near it.
    fn centre(&self, waypoint: &Waypoint) -> DVec3 {
        let point = waypoint.point;
        let found = match waypoint.step {
            Step::Reflection(plane) => self.tile(plane, point),
            Step::Diffraction(edge) => self.segment(edge, point),
            Step::Scattering(..) => unreachable!("coarse paths are specular"),
        };
        found.unwrap_or(point)
    }

    fn tile(&self, plane: PlaneId, point: DVec3) -> Option<DVec3> {
        let centre = |tile: usize| self.tiles.all()[tile].centre;
        let on_face = self.scene.face_at(plane, point);
        if let Some(tile) = on_face.and_then(|face| self.tiles.at(face, point)) {
            return Some(centre(tile));
        }
        let faces = &self.faces[plane.index()];
        let nearest = |tiles: &mut dyn Iterator<Item = usize>| {
            tiles.map(centre).min_by(|a, b| {
                let [a, b] = [a, b].map(|p| p.distance_squared(point));
                a.total_cmp(&b)
            })
        };
        // All tiles of a plane are searched only where no face has a tile in the cell of the point.
        nearest(&mut faces.iter().filter_map(|face| self.tiles.at(*face, point)))
            .or_else(|| nearest(&mut faces.iter().flat_map(|face| self.tiles.of_face(*face))))
    }

    fn segment(&self, id: EdgeId, point: DVec3) -> Option<DVec3> {
        let edge = &self.scene.edges()[id.index()];
        let t = (point - edge.ends[0]).dot(edge.along());
        let all = self.segments.all();
        let of_edge = &all[all.partition_point(|s| s.edge < id)..];
        let of_edge = &of_edge[..of_edge.partition_point(|s| s.edge == id)];
        let last = of_edge.len().checked_sub(1)?;
        let [from, to] = of_edge[of_edge.partition_point(|s| s.interval[1] < t).min(last)].interval;
        Some(edge.ends[0] + 0.5 * (from + to) * edge.along())
    }
}

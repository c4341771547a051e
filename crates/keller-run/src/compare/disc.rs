//! Points on a disc around each place, at which power is averaged.

use std::f64::consts::TAU;

use keller::DVec3;
use keller::parallel;
use keller::paths::has_room;

use crate::Job;

/// Number of points on a whole disc.
const NUM_POINTS: u32 = 32;

/// The points of all discs: of each place its centre, then the points of its disc that can be reached from there.
#[derive(Debug)]
pub(super) struct Disc {
    /// The place of each point, and where it is, metres. The points of a place stand together.
    pub(super) points: Vec<(usize, DVec3)>,
    /// The first point of each place, and the end of the last.
    starts: Vec<usize>,
}

impl Disc {
    /// Horizontal discs of this radius, metres, around the receivers of a job. Points inside walls, and those behind a
    /// wall as seen from the centre, are left out.
    pub(super) fn new(job: &Job, radius: f64) -> Self {
        let scene = job.world.scene();
        let discs: Vec<Vec<DVec3>> = parallel::map(job.positions.rx.len(), |place| {
            let has_place = job.positions.has_rx(place);
            let centre = job.positions.rx[place];
            let is_usable = |point: &DVec3| {
                let is_free = scene.crossings(centre, *point, &[], 0, &mut Vec::new());
                has_place && is_free.is_some() && has_room(scene, *point)
            };
            let points = spiral(centre, radius).filter(is_usable);
            std::iter::once(centre).chain(points).collect()
        });
        let mut points = Vec::new();
        let mut starts = vec![0];
        for (place, disc) in discs.into_iter().enumerate() {
            points.extend(disc.into_iter().map(|point| (place, point)));
            starts.push(points.len());
        }
        Self { points, starts }
    }

    /// Whether a point is the centre of its disc.
    pub(super) fn is_centre(&self, point: usize) -> bool {
        self.starts[self.points[point].0] == point
    }

    /// The share of a point in the mean of its disc; `None` for a centre that does not count, because its disc has
    /// points.
    pub(super) fn share(&self, point: usize) -> Option<f64> {
        let place = self.points[point].0;
        let num_beside = self.starts[place + 1] - self.starts[place] - 1;
        match (self.is_centre(point), num_beside) {
            (true, 0) => Some(1.0),
            (true, _) => None,
            (false, count) => Some(1.0 / count as f64),
        }
    }
}

/// Points that fill a horizontal disc evenly, each with the same area around it.
///
/// # Source
/// H. Vogel, "A better way to construct the sunflower head", Math. Biosci. 44 (1979), pp. 179-189.
fn spiral(centre: DVec3, radius: f64) -> impl Iterator<Item = DVec3> {
    let golden_angle = TAU * (1.0 - 0.5 * (5.0_f64.sqrt() - 1.0));
    (0..NUM_POINTS).map(move |k| {
        let k = f64::from(k);
        let away = radius * ((k + 0.5) / f64::from(NUM_POINTS)).sqrt();
        let (sin, cos) = (k * golden_angle).sin_cos();
        centre + DVec3::new(away * cos, away * sin, 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of a polynomial over the disc is close to its integral over the area.
    #[test]
    fn the_points_fill_the_disc_evenly() {
        let centre = DVec3::new(3.0, -2.0, 1.5);
        let points: Vec<DVec3> = spiral(centre, 2.0).map(|p| (p - centre) / 2.0).collect();
        assert!(points.iter().all(|p| p.length() < 1.0 && p.z == 0.0));
        let mean =
            |f: &dyn Fn(&DVec3) -> f64| points.iter().map(f).sum::<f64>() / f64::from(NUM_POINTS);
        for (found, exact) in [
            (mean(&|p| p.x), 0.0),
            (mean(&|p| p.y), 0.0),
            (mean(&|p| p.x * p.y), 0.0),
            (mean(&|p| p.x * p.x), 0.25),
            (mean(&|p| p.length_squared()), 0.5),
        ] {
            assert!((found - exact).abs() < 0.02, "{found} {exact}");
        }
    }
}

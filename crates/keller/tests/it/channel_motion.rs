//! Motion: Doppler shifts against exact lengths a moment later.
use crate::common::reflections::{BOTH_V, Link, frequency, over_band, two_ray};
use keller::DVec3;
use keller::channel::{Band, Motion, doppler_shift, length_rate, replay};
use keller::materials::{ItuMaterial, Medium};
use keller::paths::{Interaction, Path, Vertex};
use keller::scene::{EdgeId, FaceId};
use keller::units::SPEED_OF_LIGHT;

/// Whether the reflecting planes are met in their order: only then the segments are as long as the line from the image.
fn is_specular(path: &Path) -> bool {
    let mut points = vec![path.tx_position];
    points.extend(path.vertices.iter().map(|i| i.point));
    points.push(path.rx_position);
    let sum: f64 = points.windows(2).map(|p| p[0].distance(p[1])).sum();
    (sum - path.length).abs() < 1e-12 * sum
}

/// Metres per second: a difference of lengths over half a millisecond, whose rounding and curvature stay below this.
const RATE_TOLERANCE: f64 = 1e-6;
const STEP: f64 = 5e-4;

#[test]
fn a_path_grows_as_fast_as_the_exact_length_between_moving_mirrors() {
    for reflections in [vec![], vec![0], vec![1, 2], vec![0, 1, 2], vec![1, 3, 1]] {
        let link = Link {
            reflections: reflections.clone(),
            ..Link::skew(Medium::PerfectConductor)
        };
        let length = |time| link.at(time).paths()[1].length;
        assert!(is_specular(&link.paths()[1]), "{reflections:?}");
        let expected = (length(STEP) - length(-STEP)) / (2.0 * STEP);
        let found = length_rate(
            &link.paths()[1],
            &link.world.at(frequency(1e9)),
            &link.motion(),
        );
        assert!(
            (found - expected).abs() < RATE_TOLERANCE,
            "{reflections:?}: {found} {expected}"
        );
    }
}

#[test]
fn a_path_round_a_moving_edge_grows_as_its_exact_length_does() {
    // Unfolded around the edge, Tx and Rx lie in one plane.
    let along = DVec3::new(0.2, -0.3, 1.0).normalize();
    let link = Link::skew(Medium::PerfectConductor);
    let (edge, edge_velocity) = (DVec3::new(3.0, 4.0, 0.0), DVec3::new(-2.0, 0.5, 1.0));
    let parts = |point: DVec3, edge: DVec3| {
        let axial = (point - edge).dot(along);
        (axial, (point - edge - axial * along).length())
    };
    let length = |time: f64| {
        let edge = edge + edge_velocity * time;
        let ((z_tx, r_tx), (z_rx, r_rx)) =
            (parts(link.at(time).tx, edge), parts(link.at(time).rx, edge));
        (r_tx + r_rx).hypot(z_rx - z_tx)
    };
    let ((z_tx, r_tx), (z_rx, r_rx)) = (parts(link.tx, edge), parts(link.rx, edge));
    let point = edge + along * (z_tx + (z_rx - z_tx) * r_tx / (r_tx + r_rx));
    let path = Path {
        vertices: vec![Vertex {
            interaction: Interaction::Diffraction(EdgeId::from_index(0)),
            point,
        }],
        length: length(0.0),
        ..link.paths().remove(0)
    };
    // The second face moves, the first stands still.
    let motion = Motion {
        materials: &[DVec3::ZERO, edge_velocity],
        ..link.motion()
    };
    let expected = (length(STEP) - length(-STEP)) / (2.0 * STEP);
    let found = length_rate(&path, &link.world.at(frequency(1e9)), &motion);
    assert!(
        (found - expected).abs() < RATE_TOLERANCE,
        "{found} {expected}"
    );
}

#[test]
fn a_mirror_that_comes_nearer_shifts_by_twice_its_speed() {
    let mut link = two_ray(Medium::PerfectConductor);
    link.rx = link.tx + DVec3::new(1e-6, 0.0, 0.0);
    link.world.velocities = vec![DVec3::new(5.0, -7.0, 2.0)];
    let world = link.world.at(frequency(SPEED_OF_LIGHT));
    let [direct, reflected] =
        [0, 1].map(|i| doppler_shift(&link.paths()[i], &world, &link.motion()));
    // The wavelength is 1 m; only the motion across the reflecting plane counts.
    assert!((reflected - 4.0).abs() < 1e-6, "{reflected}");
    assert_eq!(direct, 0.0);
}

#[test]
fn a_moving_wall_that_is_passed_straight_through_shifts_nothing() {
    let mut link = two_ray(Medium::PerfectConductor);
    link.world.velocities = vec![DVec3::new(5.0, -7.0, 2.0)];
    let centre = Vertex {
        interaction: Interaction::Transmission(FaceId::from_index(0)),
        point: 0.5 * (link.tx + link.rx),
    };
    let mut path = link.paths().remove(0);
    path.vertices.push(centre);
    let rate = length_rate(&path, &link.world.at(frequency(1e9)), &link.motion());
    assert!(rate.abs() < 1e-14, "{rate}");
}

#[test]
fn the_response_after_a_while_is_that_of_the_scene_that_has_moved() {
    let link = Link::skew(Medium::Itu(ItuMaterial::Concrete));
    let band = Band::new(frequency(5e9), 2e9, 5).unwrap();
    // Everything moves by a few wavelengths' hundredths.
    let time = 1e-4;
    let respond = |link: &Link, time| {
        let motion = link.motion();
        let worlds = over_band(link, &band);
        replay(&link.paths(), &worlds, BOTH_V, &motion, &[time]).values
    };
    let (before, predicted, moved) = (
        respond(&link, 0.0),
        respond(&link, time),
        respond(&link.at(time), 0.0),
    );
    for i in 0..5 {
        let (error, change) = (
            (predicted[i] - moved[i]).norm(),
            (before[i] - moved[i]).norm(),
        );
        // The rest are gains and angles, which change by the path's relative length, 1e-5.
        assert!(error < 2e-3 * change, "{i}: {error} of {change}");
    }
}

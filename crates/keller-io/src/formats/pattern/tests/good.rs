//! Correct files.

use super::*;
use crate::formats::pattern::Content;
use keller::antenna::{Antenna, Figures, Pattern};

#[test]
fn planet_and_nsma_files_of_one_antenna_are_one_pattern() {
    let (planet, nsma) = (
        parse("a.MSI", msi()).unwrap(),
        parse("a.adf", nsma()).unwrap(),
    );
    for file in [&planet, &nsma] {
        assert_eq!(file.name.as_deref(), Some("Sector 65/7"));
        assert_eq!(file.frequencies_hz, Some([1.71e9, 1.88e9]));
        assert_eq!(file.stated_gain_dbi, Some(15.0));
        assert_eq!(file.stated_tilt_deg, Some(6.0));
        assert_eq!(file.content, Content::Cuts);
        assert_eq!(file.warnings, []);
        // Clockwise is towards -y; the beam is below the horizon.
        let peak = Figures::of(&file.pattern).peak;
        assert!((peak.zenith.to_degrees() - 96.0).abs() < 1e-6, "{peak:?}");
        assert!((peak.azimuth.to_degrees() + 20.0).abs() < 1e-6, "{peak:?}");
    }
    for elevation in [-80.0, -30.0, -6.0, 0.0, 10.0] {
        for azimuth in [-170.0, -20.0, 0.0, 45.0, 180.0] {
            let (a, b) = (
                gain_db(&planet, elevation, azimuth),
                gain_db(&nsma, elevation, azimuth),
            );
            assert!((a - b).abs() < 1e-3, "{elevation} {azimuth}: {a} {b}");
        }
    }
    // The cuts do not agree straight ahead, so each counts from its own peak.
    let expected = 15.0 - lobe(10.0, 6.0, 8.0) - lobe(0.0, 20.0, 65.0);
    assert!((gain_db(&planet, -10.0, 0.0) - expected).abs() < 1e-3);
}

#[test]
fn gain_without_a_unit_is_dbd_and_says_so() {
    for (gain, expected, warnings) in [
        ("GAIN 12.85 dBd", 15.0, 0),
        ("GAIN 12.85", 15.0, 1),
        ("gain 15.0dBi", 15.0, 0),
    ] {
        let file = parse("a.pln", msi().replace("GAIN 15 dBi", gain)).unwrap();
        let stated = file.stated_gain_dbi.unwrap();
        assert!((stated - expected).abs() < 1e-9, "{gain}: {stated}");
        assert_eq!(file.warnings.len(), warnings, "{gain}");
    }
}

#[test]
fn latin_1_names_and_names_without_their_key_are_read() {
    let mut bytes = msi().into_bytes();
    let at = bytes.windows(6).position(|w| w == b"Sector").unwrap();
    bytes.splice(at..at + 6, *b"Stra\xdfe");
    assert_eq!(
        parse("a.msi", bytes).unwrap().name.as_deref(),
        Some("Straße 65/7")
    );
    let text = msi().replace("NAME Sector", "Sector");
    assert_eq!(
        parse("a.msi", text).unwrap().name.as_deref(),
        Some("Sector 65/7")
    );
}

#[test]
fn a_dish_with_one_cut_has_it_in_both_planes() {
    let text = nsma();
    let (horizontal, _) = text.split_once("PATCUT:,EL").unwrap();
    let file = parse("a.nsm", horizontal.replace("MDGAIN:,15", "MDGAIN:,9")).unwrap();
    assert!(file.warnings[0].to_string().contains("as for a dish"));
    // The value 30° to the left is the one 30° up.
    let (left, up) = (gain_db(&file, 0.0, 30.0), gain_db(&file, 30.0, 0.0));
    assert!((left - up).abs() < 1e-9, "{left} {up}");
}

#[test]
fn csv_columns_may_stand_in_any_order_and_angles_have_three_names() {
    // Gains of a dipole, in three ways to say the same.
    let dipole = |zenith: f64| {
        Pattern::HalfWaveDipole.gain(
            Direction {
                zenith: zenith.to_radians(),
                azimuth: 0.0,
            }
            .unit_vector(),
        )
    };
    let linear = sphere(5, |zenith, azimuth| {
        format!("{},{azimuth},{zenith}", dipole(zenith))
    });
    let db = sphere(5, |zenith, azimuth| {
        let gain_db = power_to_db(dipole(zenith)).max(-100.0);
        format!("{},{gain_db},note,{}", 90.0 - zenith, azimuth - 180.0)
    });
    let mut cut = String::new();
    for zenith in (0..=180).step_by(5).map(f64::from) {
        let gain_db = power_to_db(dipole(zenith)).max(-100.0);
        writeln!(cut, "{zenith},{gain_db}").unwrap();
    }
    for (text, content) in [
        (
            format!("gain_linear,phi_deg,theta_deg\n{linear}"),
            Content::Gains,
        ),
        (
            format!("# mine\nELEVATION_DEG , gain_dbi , x, azimuth_deg\n{db}"),
            Content::Gains,
        ),
        (format!("zenith_deg,gain_db\n{cut}"), Content::Cuts),
    ] {
        let file = parse("a.csv", &text).unwrap();
        assert_eq!(file.content, content);
        for (elevation, azimuth) in [(0.0, 0.0), (-40.0, 77.0), (60.0, -3.0)] {
            let expected = power_to_db(dipole(90.0 - elevation));
            let found = gain_db(&file, elevation, azimuth);
            assert!((found - expected).abs() < 0.02, "{found} {expected}");
        }
    }
}

#[test]
fn a_csv_of_two_cuts_leaves_one_angle_empty_in_each_row() {
    let mut text = "azimuth_deg,elevation_deg,gain_dbi\n".to_owned();
    for angle in -180..180 {
        writeln!(
            text,
            "{angle},,{}",
            15.0 - lobe(f64::from(angle), -20.0, 65.0)
        )
        .unwrap();
    }
    for angle in -180..=180 {
        writeln!(
            text,
            ",{angle},{}",
            15.0 - lobe(f64::from(angle), -6.0, 8.0)
        )
        .unwrap();
    }
    let (file, planet) = (
        parse("a.csv", text).unwrap(),
        parse("a.msi", msi()).unwrap(),
    );
    for (elevation, azimuth) in [(-6.0, -20.0), (0.0, 0.0), (-30.0, 100.0), (10.0, 180.0)] {
        let (a, b) = (
            gain_db(&file, elevation, azimuth),
            gain_db(&planet, elevation, azimuth),
        );
        assert!((a - b).abs() < 1e-3, "{elevation} {azimuth}: {a} {b}");
    }
}

#[test]
fn fields_of_both_polarisations_keep_their_phase() {
    // A circularly polarised isotropic antenna: (1, -j) / sqrt 2.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let rows = sphere(10, |zenith, azimuth| {
        format!("{zenith},{azimuth},{half},0,0,{}", -half)
    });
    let text = format!("theta_deg,phi_deg,f_theta_re,f_theta_im,f_phi_re,f_phi_im\n{rows}");
    let file = parse("a.csv", text).unwrap();
    assert_eq!(file.content, Content::Fields);
    let antenna = Antenna {
        pattern: file.pattern,
        ..Antenna::default()
    };
    let direction = Direction {
        zenith: 1.234,
        azimuth: -2.0,
    };
    let [theta, phi] = antenna.fields(direction).next().unwrap();
    assert!((theta - half).norm() < 1e-12 && (phi / theta + keller::Complex64::I).norm() < 1e-12);
}

#[test]
fn npz_axes_and_rows_packed_or_not_are_one_pattern() {
    let zeniths: Vec<f64> = (0..=18).map(|i| f64::from(10 * i)).collect();
    let azimuths: Vec<f64> = (0..36).map(|i| f64::from(10 * i)).collect();
    let gain = |zenith: f64, azimuth: f64| {
        0.5 * zenith.to_radians().sin() * (1.2 + azimuth.to_radians().sin())
    };
    let pairs: Vec<(f64, f64)> = zeniths
        .iter()
        .flat_map(|z| azimuths.iter().map(move |a| (*z, *a)))
        .collect();
    let gains: Vec<f64> = pairs.iter().map(|(z, a)| gain(*z, *a)).collect();
    let axes = [
        ("gain_linear", npy("(19, 36)", &gains)),
        ("theta_deg", npy("(19,)", &zeniths)),
        ("phi_deg", npy("(36,)", &azimuths)),
    ];
    let (z, a): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    let rows = [
        ("azimuth_deg", npy("(684,)", &a)),
        ("zenith_deg", npy("(684,)", &z)),
        ("gain_linear", npy("(684,)", &gains)),
    ];
    let [first, second] =
        [npz(&axes, true), npz(&rows, false)].map(|bytes| parse("a.npz", bytes).unwrap());
    assert_eq!(first.pattern, second.pattern);
    let found = gain_db(&first, 0.0, 90.0);
    assert!(
        (found - power_to_db(gain(90.0, 90.0))).abs() < 1e-9,
        "{found}"
    );
}

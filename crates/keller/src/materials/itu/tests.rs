use super::*;

fn at_ghz(material: ItuMaterial, ghz: f64) -> Result<Complex64, Error> {
    material.relative_permittivity(Frequency::from_hz(ghz * 1e9)?)
}

#[test]
fn every_range_is_closed_and_only_what_lies_below_is_extrapolated() {
    for material in ItuMaterial::ALL {
        for (i, p) in material.parameters().iter().enumerate() {
            for end in [p.min_ghz, p.max_ghz] {
                let hz = Frequency::from_hz(end * 1e9).unwrap();
                assert!(
                    material.relative_permittivity(hz).is_ok(),
                    "{} at {end} GHz",
                    material.name()
                );
            }
            let below = p.min_ghz * (1.0 - 1e-9);
            let is_extrapolated = i == 0 && below >= ItuMaterial::MIN_EXTRAPOLATED_GHZ;
            let rows = material.parameters();
            let is_in_another = |f: f64| rows.iter().any(|q| (q.min_ghz..=q.max_ghz).contains(&f));
            let above = p.max_ghz * (1.0 + 1e-9);
            for (outside, is_known) in [
                (below, is_extrapolated || is_in_another(below)),
                (above, is_in_another(above)),
            ] {
                assert_eq!(
                    at_ghz(material, outside).is_ok(),
                    is_known,
                    "{} at {outside} GHz",
                    material.name()
                );
            }
        }
    }
}

#[test]
fn below_the_range_a_row_goes_on_without_a_step_down_to_100_mhz() {
    for material in ItuMaterial::ALL {
        let lowest = material.parameters()[0].min_ghz;
        if lowest <= ItuMaterial::MIN_EXTRAPOLATED_GHZ {
            continue;
        }
        let [at, below] = [lowest, lowest * (1.0 - 1e-9)].map(|f| at_ghz(material, f).unwrap());
        assert!(
            (at - below).norm() < 1e-7 * at.norm(),
            "{}",
            material.name()
        );
        let low = at_ghz(material, 0.1).unwrap();
        assert_eq!(low.re, at.re, "{}: real part", material.name());
        assert!(low.im <= 0.0, "{}: passive", material.name());
        assert!(at_ghz(material, 0.099_999).is_err(), "{}", material.name());
    }
    // Conductivity 0.0462 f^0.7822 S/m at 0.45 GHz, over 2 pi f eps0.
    let concrete = at_ghz(ItuMaterial::Concrete, 0.45).unwrap();
    let by_hand =
        0.0462 * 0.45_f64.powf(0.7822) / (std::f64::consts::TAU * 0.45e9 * 8.854_187_8e-12);
    assert!((concrete.im + by_hand).abs() < 1e-6 * by_hand, "{concrete}");
}

#[test]
fn every_spelling_names_the_same_row() {
    for material in ItuMaterial::ALL {
        let name = material.name();
        for spelling in [
            name.to_owned(),
            format!("itu_{name}"),
            format!("mat-itu_{name}"),
            format!("mat-itu-{}", name.replace('_', "-")),
            format!("ITU {}", name.replace('_', " ").to_uppercase()),
        ] {
            assert_eq!(
                ItuMaterial::from_name(&spelling),
                Some(material),
                "{spelling}"
            );
        }
    }
    for unknown in ["", "itu_", "mat-", "concrete2", "granite", "pec"] {
        assert_eq!(ItuMaterial::from_name(unknown), None, "{unknown}");
    }
}

#[test]
fn permittivities_agree_with_independently_computed_ones() {
    // eps' and -sigma/(omega eps0) as listed in cases/*/case.json.
    use ItuMaterial::*;
    for (material, ghz, re, im) in [
        (Concrete, 5.2, 5.24, -0.579_919_682_628),
        (Concrete, 3.5, 5.24, -0.632_143_035_061),
        (Concrete, 2.4, 5.24, -0.686_283_201_961),
        (CeilingBoard, 5.2, 1.48, -0.022_375_066_651_9),
        (Plasterboard, 5.2, 2.73, -0.138_284_061_051),
        (Wood, 5.2, 1.99, -0.095_099_514_494),
        (Brick, 3.5, 3.91, -0.149_358_932_707),
        (Glass, 3.5, 6.31, -0.098_998_951_904_9),
        (MediumDryGround, 3.5, 13.233_796_577_3, -1.385_167_566_48),
    ] {
        let eta = at_ghz(material, ghz).unwrap();
        assert!(
            (eta - Complex64::new(re, im)).norm() < 1e-11 * re,
            "{} at {ghz} GHz: {eta}",
            material.name()
        );
    }
}

#[test]
fn no_row_amplifies_and_none_is_thinner_than_vacuum() {
    for material in ItuMaterial::ALL {
        for p in material.parameters() {
            for i in 0..=20 {
                let ghz = p.min_ghz * (p.max_ghz / p.min_ghz).powf(f64::from(i) / 20.0);
                let eta = at_ghz(material, ghz.clamp(p.min_ghz, p.max_ghz)).unwrap();
                assert!(eta.re >= 1.0 && eta.im <= 0.0, "{}", material.name());
            }
        }
    }
}

#[test]
fn a_frequency_outside_names_material_frequency_and_ranges() {
    let error = at_ghz(ItuMaterial::Brick, 60.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "frequency 60 GHz is outside the range of material `brick`: 1 to 40 or 110 to 330 GHz"
    );
    let error = at_ghz(ItuMaterial::Glass, 451.0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "frequency 451 GHz is outside the range of material `glass`: 0.1 to 450 GHz"
    );
}

#[test]
fn where_ranges_overlap_the_first_row_holds() {
    // Computed by hand from the rows: relative permittivity, and conductivity in S/m.
    use ItuMaterial::*;
    for (material, ghz, permittivity, conductivity) in [
        (Concrete, 100.0, 5.24, 0.0462 * 100_f64.powf(0.7822)),
        (Concrete, 140.0, 5.17, 0.0145 * 140_f64.powf(1.09)),
        (Plasterboard, 105.0, 2.65, 0.0002 * 105_f64.powf(1.598)),
        (Plasterboard, 140.0, 2.56, 0.0001 * 140_f64.powf(1.7799)),
        (Plasterboard, 350.0, 2.65, 0.0002 * 350_f64.powf(1.598)),
        (Glass, 150.0, 6.5767, 0.0012 * 150_f64.powf(1.4697)),
        (Glass, 300.0, 5.79, 0.0004 * 300_f64.powf(1.658)),
        (CeilingBoard, 150.0, 1.2567, 0.00013 * 150_f64.powf(1.454)),
        (CeilingBoard, 300.0, 1.52, 0.0029 * 300_f64.powf(1.029)),
        (Floorboard, 150.0, 3.1575, 0.001_675 * 150_f64.powf(1.32775)),
        (Floorboard, 250.0, 5.27, 2.22e-17 * 250_f64.powf(7.3413)),
        (Floorboard, 450.0, 5.27, 49.8726),
        (ClearAcrylic, 200.0, 2.58, 0.0001 * 200_f64.powf(1.6524)),
        (VinylTile, 5.0, 3.62, 0.0051 * 5_f64.powf(0.8422)),
        (CarpetTile, 5.0, 2.08, 0.0009 * 5_f64.powf(0.82)),
        (AsphaltConcrete, 5.0, 4.83, 0.0108 * 5_f64.powf(1.3969)),
    ] {
        let eta = at_ghz(material, ghz).unwrap();
        let loss = conductivity / (std::f64::consts::TAU * ghz * 1e9 * 8.854_187_812_8e-12);
        let expected = Complex64::new(permittivity, -loss);
        assert!(
            (eta - expected).norm() < 1e-8 * expected.norm(),
            "{} at {ghz} GHz: {eta}, not {expected}",
            material.name()
        );
    }
}

#[test]
fn the_newer_edition_changes_no_value_that_the_older_one_states() {
    for material in ItuMaterial::ALL {
        for p in material.parameters_in(ItuEdition::P2040_3) {
            for ghz in [p.min_ghz, 0.5 * (p.min_ghz + p.max_ghz), p.max_ghz] {
                let frequency = Frequency::from_hz(ghz * 1e9).unwrap();
                assert!(material.is_stated_in(ItuEdition::P2040_3, frequency));
                let expected =
                    complex_permittivity(p.a * ghz.powf(p.b), p.c * ghz.powf(p.d), frequency);
                let eta = material.relative_permittivity(frequency).unwrap();
                assert_eq!(eta, expected, "{} at {ghz} GHz", material.name());
            }
        }
    }
    let at = |ghz: f64| Frequency::from_hz(ghz * 1e9).unwrap();
    let old = ItuEdition::P2040_3;
    assert!(!ItuMaterial::Glass.is_stated_in(old, at(150.0)));
    assert!(!ItuMaterial::CarpetTile.is_stated_in(old, at(3.5)));
    assert_eq!(
        ItuMaterial::Glass.ranges_in(old),
        "0.1 to 100 or 220 to 450 GHz"
    );
    assert_eq!(ItuMaterial::CarpetTile.ranges_in(old), "none");
}

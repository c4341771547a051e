//! The materials of ITU-R P.2040-3, Table 3: real relative permittivity and conductivity as powers of the frequency.

use num_complex::Complex64;

use super::{base_name, complex_permittivity};
use crate::{Error, Frequency};

/// A row of ITU-R P.2040-3, Table 3.
///
/// ```
/// use keller::{Frequency, materials::ItuMaterial};
///
/// let brick = ItuMaterial::from_name("mat-itu_brick").expect("a row of the table");
/// let eta = brick.relative_permittivity(Frequency::from_hz(3.5e9)?)?;
/// assert!((eta.re - 3.91).abs() < 1e-12 && eta.im < 0.0);
/// # Ok::<(), keller::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ItuMaterial {
    /// Vacuum, about air.
    Vacuum,
    /// Concrete.
    Concrete,
    /// Brick.
    Brick,
    /// Plasterboard.
    Plasterboard,
    /// Wood.
    Wood,
    /// Glass.
    Glass,
    /// Ceiling board.
    CeilingBoard,
    /// Chipboard.
    Chipboard,
    /// Plywood.
    Plywood,
    /// Marble.
    Marble,
    /// Floorboard.
    Floorboard,
    /// Metal.
    Metal,
    /// Very dry ground.
    VeryDryGround,
    /// Medium dry ground.
    MediumDryGround,
    /// Wet ground.
    WetGround,
}

/// The parameters of one material in one closed frequency range, `f` in GHz: relative permittivity `a f^b`,
/// conductivity `c f^d` in S/m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ItuParameters {
    /// Lower end of the range, GHz; it belongs to the range.
    pub min_ghz: f64,
    /// Upper end of the range, GHz; it belongs to the range.
    pub max_ghz: f64,
    /// Relative permittivity at 1 GHz.
    pub a: f64,
    /// Exponent of the relative permittivity.
    pub b: f64,
    /// Conductivity at 1 GHz, S/m.
    pub c: f64,
    /// Exponent of the conductivity.
    pub d: f64,
}

impl ItuMaterial {
    /// Every material, in the order of the table.
    pub const ALL: [Self; 15] = [
        Self::Vacuum,
        Self::Concrete,
        Self::Brick,
        Self::Plasterboard,
        Self::Wood,
        Self::Glass,
        Self::CeilingBoard,
        Self::Chipboard,
        Self::Plywood,
        Self::Marble,
        Self::Floorboard,
        Self::Metal,
        Self::VeryDryGround,
        Self::MediumDryGround,
        Self::WetGround,
    ];

    /// The material called `name`: `concrete`, `itu_concrete` or `mat-itu_concrete`, in any case, with `-` or a space for `_`, and with the
    /// number of a copy in Blender (`concrete.001`).
    pub fn from_name(name: &str) -> Option<Self> {
        let name = base_name(name);
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Its name in the form `medium_dry_ground`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vacuum => "vacuum",
            Self::Concrete => "concrete",
            Self::Brick => "brick",
            Self::Plasterboard => "plasterboard",
            Self::Wood => "wood",
            Self::Glass => "glass",
            Self::CeilingBoard => "ceiling_board",
            Self::Chipboard => "chipboard",
            Self::Plywood => "plywood",
            Self::Marble => "marble",
            Self::Floorboard => "floorboard",
            Self::Metal => "metal",
            Self::VeryDryGround => "very_dry_ground",
            Self::MediumDryGround => "medium_dry_ground",
            Self::WetGround => "wet_ground",
        }
    }

    /// Complex relative permittivity `eps' - j sigma / (omega eps0)`.
    ///
    /// Below its lowest range, down to [`MIN_EXTRAPOLATED_GHZ`](Self::MIN_EXTRAPOLATED_GHZ), the row is extrapolated:
    /// the real part keeps its value at the end of the range, the conductivity follows its power law.
    /// [`is_extrapolated`](Self::is_extrapolated) tells where that is so.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`] at any other frequency outside the material's ranges.
    ///
    /// # Source
    /// ITU-R P.2040-3, section 2.1.4 and Table 3. Theory page: `materials`.
    pub fn relative_permittivity(self, frequency: Frequency) -> Result<Complex64, Error> {
        let f = frequency.ghz();
        let rows = self.parameters();
        let p = if self.is_extrapolated(frequency) {
            &rows[0]
        } else {
            rows.iter()
                .find(|p| (p.min_ghz..=p.max_ghz).contains(&f))
                .ok_or_else(|| self.frequency_error(f))?
        };
        let conductivity = p.c * f.powf(p.d);
        Ok(complex_permittivity(
            p.a * f.max(p.min_ghz).powf(p.b),
            conductivity,
            frequency,
        ))
    }

    /// The lowest frequency to which rows are extrapolated below their range, GHz.
    pub const MIN_EXTRAPOLATED_GHZ: f64 = 0.1;

    /// Whether `frequency` lies below the material's ranges, and not below
    /// [`MIN_EXTRAPOLATED_GHZ`](Self::MIN_EXTRAPOLATED_GHZ): its row is used there beyond what ITU-R P.2040 states.
    ///
    /// ```
    /// use keller::{Frequency, materials::ItuMaterial};
    ///
    /// let lte_800 = Frequency::from_hz(800e6)?;
    /// assert!(ItuMaterial::Concrete.is_extrapolated(lte_800), "its range begins at 1 GHz");
    /// assert!(!ItuMaterial::Glass.is_extrapolated(lte_800), "its range begins at 0.1 GHz");
    /// # Ok::<(), keller::Error>(())
    /// ```
    pub fn is_extrapolated(self, frequency: Frequency) -> bool {
        let lowest = self.parameters()[0].min_ghz;
        (Self::MIN_EXTRAPOLATED_GHZ..lowest).contains(&frequency.ghz())
    }

    /// Its frequency ranges in words: `0.1 to 100 or 220 to 450 GHz`.
    pub fn ranges(self) -> String {
        let ranges: Vec<String> = self
            .parameters()
            .iter()
            .map(|p| format!("{} to {}", p.min_ghz, p.max_ghz))
            .collect();
        format!("{} GHz", ranges.join(" or "))
    }

    /// Its parameters, one entry a frequency range, the lowest first.
    ///
    /// # Source
    /// ITU-R P.2040-3, Table 3.
    pub fn parameters(self) -> &'static [ItuParameters] {
        const fn row(min_ghz: f64, max_ghz: f64, abcd: [f64; 4]) -> ItuParameters {
            let [a, b, c, d] = abcd;
            ItuParameters {
                min_ghz,
                max_ghz,
                a,
                b,
                c,
                d,
            }
        }
        match self {
            Self::Vacuum => const { &[row(0.001, 100.0, [1.0, 0.0, 0.0, 0.0])] },
            Self::Concrete => const { &[row(1.0, 100.0, [5.24, 0.0, 0.0462, 0.7822])] },
            Self::Brick => const { &[row(1.0, 40.0, [3.91, 0.0, 0.0238, 0.16])] },
            Self::Plasterboard => const { &[row(1.0, 100.0, [2.73, 0.0, 0.0085, 0.9395])] },
            Self::Wood => const { &[row(0.001, 100.0, [1.99, 0.0, 0.0047, 1.0718])] },
            Self::Glass => {
                const {
                    &[
                        row(0.1, 100.0, [6.31, 0.0, 0.0036, 1.3394]),
                        row(220.0, 450.0, [5.79, 0.0, 0.0004, 1.658]),
                    ]
                }
            }
            Self::CeilingBoard => {
                const {
                    &[
                        row(1.0, 100.0, [1.48, 0.0, 0.0011, 1.075]),
                        row(220.0, 450.0, [1.52, 0.0, 0.0029, 1.029]),
                    ]
                }
            }
            Self::Chipboard => const { &[row(1.0, 100.0, [2.58, 0.0, 0.0217, 0.78])] },
            Self::Plywood => const { &[row(1.0, 40.0, [2.71, 0.0, 0.33, 0.0])] },
            Self::Marble => const { &[row(1.0, 60.0, [7.074, 0.0, 0.0055, 0.9262])] },
            Self::Floorboard => const { &[row(50.0, 100.0, [3.66, 0.0, 0.0044, 1.3515])] },
            Self::Metal => const { &[row(1.0, 100.0, [1.0, 0.0, 1e7, 0.0])] },
            Self::VeryDryGround => const { &[row(1.0, 10.0, [3.0, 0.0, 0.00015, 2.52])] },
            Self::MediumDryGround => const { &[row(1.0, 10.0, [15.0, -0.1, 0.035, 1.63])] },
            Self::WetGround => const { &[row(1.0, 10.0, [30.0, -0.4, 0.15, 1.3])] },
        }
    }

    fn frequency_error(self, frequency_ghz: f64) -> Error {
        Error::MaterialFrequency {
            material: self.name().to_owned(),
            frequency_ghz,
            ranges: self.ranges(),
        }
    }
}

#[cfg(test)]
mod tests {
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
                for (outside, is_known) in
                    [(below, is_extrapolated), (p.max_ghz * (1.0 + 1e-9), false)]
                {
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
        let error = at_ghz(ItuMaterial::Glass, 150.0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "frequency 150 GHz is outside the range of material `glass`: 0.1 to 100 or 220 to 450 GHz"
        );
    }
}

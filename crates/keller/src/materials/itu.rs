//! The materials of ITU-R P.2040-3, Table 3: real relative permittivity and conductivity as powers of the frequency.

use num_complex::Complex64;

use super::{canonical_name, complex_permittivity};
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

    /// The material called `name`: `concrete`, `itu_concrete` or `mat-itu_concrete`, in any case, with `-` or a space for `_`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = canonical_name(name);
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
    /// # Errors
    /// [`Error::MaterialFrequency`] outside the material's ranges.
    ///
    /// # Source
    /// ITU-R P.2040-3, section 2.1.4 and Table 3. Theory page: `materials`.
    pub fn relative_permittivity(self, frequency: Frequency) -> Result<Complex64, Error> {
        let f = frequency.ghz();
        let p = self
            .parameters()
            .iter()
            .find(|p| (p.min_ghz..=p.max_ghz).contains(&f))
            .ok_or_else(|| self.frequency_error(f))?;
        let conductivity = p.c * f.powf(p.d);
        Ok(complex_permittivity(
            p.a * f.powf(p.b),
            conductivity,
            frequency,
        ))
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
        let ranges: Vec<String> = self
            .parameters()
            .iter()
            .map(|p| format!("{} to {}", p.min_ghz, p.max_ghz))
            .collect();
        Error::MaterialFrequency {
            material: self.name().to_owned(),
            frequency_ghz,
            ranges: ranges.join(" or "),
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
    fn every_range_is_closed_and_nothing_lies_outside() {
        for material in ItuMaterial::ALL {
            for p in material.parameters() {
                for end in [p.min_ghz, p.max_ghz] {
                    let hz = Frequency::from_hz(end * 1e9).unwrap();
                    assert!(
                        material.relative_permittivity(hz).is_ok(),
                        "{} at {end} GHz",
                        material.name()
                    );
                }
                for outside in [p.min_ghz * (1.0 - 1e-9), p.max_ghz * (1.0 + 1e-9)] {
                    assert!(
                        at_ghz(material, outside).is_err(),
                        "{} at {outside} GHz",
                        material.name()
                    );
                }
            }
        }
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

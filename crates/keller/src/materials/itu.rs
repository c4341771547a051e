//! The materials of ITU-R P.2040-4 (September 2025), Table 3: real relative permittivity and conductivity as powers of
//! the frequency. Table 3 of P.2040-3 (August 2023) is a part of it.

#[cfg(test)]
mod tests;

use num_complex::Complex64;

use super::complex_permittivity;
use super::names::base_name;
use crate::{Error, Frequency};

/// A material of ITU-R P.2040-4, Table 3.
///
/// ```
/// use keller::{Frequency, materials::ItuMaterial};
///
/// let brick = ItuMaterial::from_name("mat-itu_brick").expect("a material of the table");
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
    /// Clear acrylic.
    ClearAcrylic,
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
    /// Vinyl tile.
    VinylTile,
    /// Carpet tile.
    CarpetTile,
    /// Asphalt concrete.
    AsphaltConcrete,
    /// Metal.
    Metal,
    /// Very dry ground.
    VeryDryGround,
    /// Medium dry ground.
    MediumDryGround,
    /// Wet ground.
    WetGround,
}

/// An edition of ITU-R P.2040.
///
/// ```
/// use keller::materials::{ItuEdition, ItuMaterial};
///
/// let brick = ItuMaterial::Brick;
/// assert_eq!(brick.parameters_in(ItuEdition::P2040_3).len(), 1);
/// assert_eq!(brick.parameters_in(ItuEdition::P2040_4).len(), 2);
/// assert_eq!(brick.ranges_in(ItuEdition::P2040_4), "1 to 40 or 110 to 330 GHz");
/// assert_eq!(ItuMaterial::VinylTile.parameters_in(ItuEdition::P2040_3), []);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ItuEdition {
    /// P.2040-3 of August 2023.
    P2040_3,
    /// P.2040-4 of September 2025. It adds materials and frequencies, and changes no value that P.2040-3 states.
    #[default]
    P2040_4,
}

impl ItuEdition {
    /// Every edition, by its name.
    pub const NAMES: [(&'static str, Self); 2] =
        [("P.2040-4", Self::P2040_4), ("P.2040-3", Self::P2040_3)];

    /// Its name in the form `P.2040-4`.
    pub fn name(self) -> &'static str {
        match self {
            Self::P2040_3 => "P.2040-3",
            Self::P2040_4 => "P.2040-4",
        }
    }
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
    pub const ALL: [Self; 19] = [
        Self::Vacuum,
        Self::Concrete,
        Self::Brick,
        Self::Plasterboard,
        Self::Wood,
        Self::Glass,
        Self::ClearAcrylic,
        Self::CeilingBoard,
        Self::Chipboard,
        Self::Plywood,
        Self::Marble,
        Self::Floorboard,
        Self::VinylTile,
        Self::CarpetTile,
        Self::AsphaltConcrete,
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
            Self::ClearAcrylic => "clear_acrylic",
            Self::CeilingBoard => "ceiling_board",
            Self::Chipboard => "chipboard",
            Self::Plywood => "plywood",
            Self::Marble => "marble",
            Self::Floorboard => "floorboard",
            Self::VinylTile => "vinyl_tile",
            Self::CarpetTile => "carpet_tile",
            Self::AsphaltConcrete => "asphalt_concrete",
            Self::Metal => "metal",
            Self::VeryDryGround => "very_dry_ground",
            Self::MediumDryGround => "medium_dry_ground",
            Self::WetGround => "wet_ground",
        }
    }

    /// Complex relative permittivity `eps' - j sigma / (omega eps0)`.
    ///
    /// If ranges of the material overlap, the row that stands first in [`Self::parameters`] holds. Below its lowest
    /// range, down to [`MIN_EXTRAPOLATED_GHZ`](Self::MIN_EXTRAPOLATED_GHZ), the row is extrapolated: the real part
    /// keeps its value at the end of the range, the conductivity follows its power law.
    /// [`is_extrapolated`](Self::is_extrapolated) says whether that is so.
    ///
    /// # Errors
    /// [`Error::MaterialFrequency`] at any other frequency outside the material's ranges.
    ///
    /// # Source
    /// ITU-R P.2040-4, section 2.1.4 and Table 3. Theory page: `materials`.
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
    /// [`MIN_EXTRAPOLATED_GHZ`](Self::MIN_EXTRAPOLATED_GHZ): its row is used there beyond the range that ITU-R P.2040
    /// states.
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

    /// Whether the frequency lies in one of the ranges that an edition states for it.
    pub fn is_stated_in(self, edition: ItuEdition, frequency: Frequency) -> bool {
        let rows = self.parameters_in(edition).iter();
        rows.into_iter()
            .any(|p| (p.min_ghz..=p.max_ghz).contains(&frequency.ghz()))
    }

    /// Its frequency ranges in words, overlapping ones as one: `1 to 40 or 110 to 330 GHz`.
    pub fn ranges(self) -> String {
        self.ranges_in(ItuEdition::default())
    }

    /// The ranges in an edition, which may state none.
    pub fn ranges_in(self, edition: ItuEdition) -> String {
        let rows = self.parameters_in(edition).iter();
        let mut ranges: Vec<[f64; 2]> = rows.map(|p| [p.min_ghz, p.max_ghz]).collect();
        ranges.sort_by(|a, b| a[0].total_cmp(&b[0]));
        let mut whole: Vec<[f64; 2]> = Vec::new();
        for [min, max] in ranges {
            match whole.last_mut() {
                Some([_, end]) if min <= *end => *end = end.max(max),
                _ => whole.push([min, max]),
            }
        }
        let words: Vec<String> = whole
            .iter()
            .map(|[min, max]| format!("{min} to {max}"))
            .collect();
        if words.is_empty() {
            return "none".to_owned();
        }
        format!("{} GHz", words.join(" or "))
    }

    /// Its parameters in an edition, as [`Self::parameters`] has them. Empty if the edition does not have the material.
    pub fn parameters_in(self, edition: ItuEdition) -> &'static [ItuParameters] {
        let all = self.parameters();
        // P.2040-4 appends its rows to those of P.2040-3.
        let old = match self {
            Self::Glass | Self::CeilingBoard => 2,
            Self::ClearAcrylic | Self::VinylTile | Self::CarpetTile | Self::AsphaltConcrete => 0,
            _ => 1,
        };
        match edition {
            ItuEdition::P2040_3 => &all[..old],
            ItuEdition::P2040_4 => all,
        }
    }

    /// Its parameters, one entry a frequency range, the lowest first but for ranges that overlap earlier ones. Where
    /// ranges overlap, the earlier entry holds.
    ///
    /// # Source
    /// ITU-R P.2040-4, Table 3, in the order of Sionna RT 2.2.
    #[expect(clippy::too_many_lines, reason = "it is a table")]
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
            Self::Concrete => {
                const {
                    &[
                        row(1.0, 100.0, [5.24, 0.0, 0.0462, 0.7822]),
                        row(110.0, 330.0, [5.17, 0.0, 0.0145, 1.09]),
                    ]
                }
            }
            Self::Brick => {
                const {
                    &[
                        row(1.0, 40.0, [3.91, 0.0, 0.0238, 0.16]),
                        row(110.0, 330.0, [4.15, 0.0, 0.0006, 1.5712]),
                    ]
                }
            }
            Self::Plasterboard => {
                const {
                    &[
                        row(1.0, 100.0, [2.73, 0.0, 0.0085, 0.9395]),
                        row(110.0, 330.0, [2.56, 0.0, 0.0001, 1.7799]),
                        row(100.0, 400.0, [2.65, 0.0, 0.0002, 1.598]),
                    ]
                }
            }
            Self::Wood => {
                const {
                    &[
                        row(0.001, 100.0, [1.99, 0.0, 0.0047, 1.0718]),
                        row(110.0, 330.0, [1.82, 0.0, 0.004, 1.0761]),
                        row(100.0, 400.0, [2.1183, 0.0, 0.0055, 1.1113]),
                    ]
                }
            }
            Self::Glass => {
                const {
                    &[
                        row(0.1, 100.0, [6.31, 0.0, 0.0036, 1.3394]),
                        row(220.0, 450.0, [5.79, 0.0, 0.0004, 1.658]),
                        row(100.0, 400.0, [6.5767, 0.0, 0.0012, 1.4697]),
                    ]
                }
            }
            Self::ClearAcrylic => const { &[row(110.0, 330.0, [2.58, 0.0, 0.0001, 1.6524])] },
            Self::CeilingBoard => {
                const {
                    &[
                        row(1.0, 100.0, [1.48, 0.0, 0.0011, 1.075]),
                        row(220.0, 450.0, [1.52, 0.0, 0.0029, 1.029]),
                        row(100.0, 400.0, [1.2567, 0.0, 0.00013, 1.454]),
                    ]
                }
            }
            Self::Chipboard => {
                const {
                    &[
                        row(1.0, 100.0, [2.58, 0.0, 0.0217, 0.78]),
                        row(100.0, 200.0, [2.16, 0.0, 0.0023, 1.359]),
                    ]
                }
            }
            Self::Plywood => {
                const {
                    &[
                        row(1.0, 40.0, [2.71, 0.0, 0.33, 0.0]),
                        row(110.0, 330.0, [1.94, 0.0, 0.0067, 0.9982]),
                        row(100.0, 400.0, [2.17, 0.0, 0.0063, 1.045]),
                    ]
                }
            }
            Self::Marble => {
                const {
                    &[
                        row(1.0, 60.0, [7.074, 0.0, 0.0055, 0.9262]),
                        row(110.0, 330.0, [7.94, 0.0, 0.0001, 1.733]),
                        row(100.0, 400.0, [8.62, 0.0, 0.0027, 1.15]),
                    ]
                }
            }
            Self::Floorboard => {
                const {
                    &[
                        row(50.0, 100.0, [3.66, 0.0, 0.0044, 1.3515]),
                        row(220.0, 300.0, [5.27, 0.0, 2.22e-17, 7.3413]),
                        row(300.0, 400.0, [5.27, 0.0, 0.0003, 2.0298]),
                        row(400.0, 450.0, [5.27, 0.0, 49.8726, 0.0]),
                        row(100.0, 400.0, [3.1575, 0.0, 0.001_675, 1.32775]),
                    ]
                }
            }
            Self::VinylTile => const { &[row(1.0, 40.0, [3.62, 0.0, 0.0051, 0.8422])] },
            Self::CarpetTile => const { &[row(1.0, 40.0, [2.08, 0.0, 0.0009, 0.82])] },
            Self::AsphaltConcrete => const { &[row(1.0, 40.0, [4.83, 0.0, 0.0108, 1.3969])] },
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

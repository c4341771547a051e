//! Classical path loss models, with which planners compare a ray tracer.
//!
//! A model turns a [`Link`] (frequency, distance, two heights, and whether the line between the ends is free) into one
//! loss between isotropic antennas. It knows no scene; [`crate::coverage::models`] fills cells with it. One file holds
//! one family, and each formula names its document and the range in which the document states it. A formula computes
//! outside that range too; [`Model::range`] serves callers that want to warn.
//!
//! ```
//! use keller::Frequency;
//! use keller::models::{Link, Model, Streets, Walls};
//!
//! let link = Link {
//!     frequency: Frequency::from_hz(869e6)?,
//!     distance: 2000.0,
//!     tx_height: 30.0,
//!     rx_height: 1.0,
//!     is_visible: false,
//!     walls: Walls::default(),
//!     diffraction_db: 0.0,
//! };
//! let loss_db = Model::HataUrban.path_loss_db(&link, &Streets::default());
//! assert!((loss_db - 137.9).abs() < 0.1);
//! # Ok::<(), keller::Error>(())
//! ```

mod free_space;
mod hata;
mod knife_edge;
mod multi_wall;
mod profile;
mod site_general;
mod street_canyon;
mod tr38901;
mod walfisch_ikegami;

pub use free_space::free_space_db;
pub use hata::{City, Surrounding, cost231_hata_db, okumura_hata_db};
pub use knife_edge::{fresnel_parameter, knife_edge_db};
pub use multi_wall::{Walls, multi_wall_db};
pub use profile::Profile;
pub use site_general::{Canyon, Indoors, p1238_db, p1411_db};
pub use street_canyon::{street_canyon_bounds_db, street_canyon_db};
pub use tr38901::{inh_db, uma_db, umi_db};
pub use walfisch_ikegami::{Streets, walfisch_ikegami_db};

use crate::Frequency;

/// The values of a link that models use.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// The carrier.
    pub frequency: Frequency,
    /// Horizontal distance between the ends, metres, above zero.
    pub distance: f64,
    /// Height of the Tx above the ground, metres, above zero.
    pub tx_height: f64,
    /// Height of the Rx above the ground, metres, above zero.
    pub rx_height: f64,
    /// Whether nothing stands on the straight line between the ends.
    pub is_visible: bool,
    /// The walls and floors on that line.
    pub walls: Walls,
    /// The loss of the knife edges on the way, in addition to free space, dB: [`Profile::bullington_db`] or
    /// [`Profile::deygout_db`], by the model.
    pub diffraction_db: f64,
}

impl Link {
    /// The distance between the two antennas, metres.
    pub fn slant_distance(&self) -> f64 {
        self.distance.hypot(self.tx_height - self.rx_height)
    }

    fn mhz(&self) -> f64 {
        self.frequency.hz() / 1e6
    }

    fn km(&self) -> f64 {
        self.distance / 1e3
    }
}

/// The closed ranges in which a model's document states it; both ends are accepted. Where there is no limit, an end is
/// infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// The frequencies, Hz.
    pub frequency: [f64; 2],
    /// The distances, metres, as [`Model::distance`] counts them.
    pub distance: [f64; 2],
    /// The heights of the Tx above the ground, metres.
    pub tx_height: [f64; 2],
    /// The heights of the Rx above the ground, metres.
    pub rx_height: [f64; 2],
}

/// A model, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Model {
    /// [`free_space_db`]
    FreeSpace,
    /// [`okumura_hata_db`] in a small or medium-sized city.
    HataUrban,
    /// [`okumura_hata_db`] in a large city.
    HataUrbanLarge,
    /// [`okumura_hata_db`] in a suburb.
    HataSuburban,
    /// [`okumura_hata_db`] in the open.
    HataOpen,
    /// [`cost231_hata_db`] in a medium-sized city or a suburb.
    Cost231Hata,
    /// [`cost231_hata_db`] in a metropolitan centre.
    Cost231HataMetropolitan,
    /// [`walfisch_ikegami_db`]
    WalfischIkegami,
    /// [`uma_db`]
    Uma,
    /// [`umi_db`]
    Umi,
    /// [`inh_db`]
    Inh,
    /// [`p1238_db`] in an office.
    IndoorOffice,
    /// [`p1238_db`] in a corridor.
    IndoorCorridor,
    /// [`p1238_db`] in a factory.
    IndoorIndustrial,
    /// [`multi_wall_db`]
    MultiWall,
    /// [`p1411_db`] between high buildings.
    CanyonHighRise,
    /// [`p1411_db`] between low buildings and in suburbs.
    CanyonLowRise,
    /// Free space and the loss of [`Profile::bullington_db`].
    Bullington,
    /// Free space and the loss of [`Profile::deygout_db`].
    Deygout,
}

impl Model {
    /// Every model, by the name that a scenario uses.
    pub const NAMES: [(&'static str, Self); 19] = [
        ("free-space", Self::FreeSpace),
        ("hata-urban", Self::HataUrban),
        ("hata-urban-large", Self::HataUrbanLarge),
        ("hata-suburban", Self::HataSuburban),
        ("hata-open", Self::HataOpen),
        ("cost231-hata", Self::Cost231Hata),
        ("cost231-hata-metropolitan", Self::Cost231HataMetropolitan),
        ("walfisch-ikegami", Self::WalfischIkegami),
        ("3gpp-uma", Self::Uma),
        ("3gpp-umi", Self::Umi),
        ("3gpp-inh", Self::Inh),
        ("itu-indoor-office", Self::IndoorOffice),
        ("itu-indoor-corridor", Self::IndoorCorridor),
        ("itu-indoor-industrial", Self::IndoorIndustrial),
        ("cost231-multi-wall", Self::MultiWall),
        ("itu-canyon-high-rise", Self::CanyonHighRise),
        ("itu-canyon-low-rise", Self::CanyonLowRise),
        ("bullington", Self::Bullington),
        ("deygout", Self::Deygout),
    ];

    /// The name that a scenario uses.
    ///
    /// # Panics
    /// Never: every model has a name.
    pub fn name(self) -> &'static str {
        let named = Self::NAMES.iter().find(|(_, model)| *model == self);
        named.expect("every model has a name").0
    }

    /// Path loss between isotropic antennas, dB. Only [`Self::WalfischIkegami`] looks at `streets`.
    pub fn path_loss_db(self, link: &Link, streets: &Streets) -> f64 {
        match self {
            Self::FreeSpace => free_space_db(link.frequency, link.slant_distance()),
            Self::HataUrban => okumura_hata_db(link, Surrounding::Urban(City::Medium)),
            Self::HataUrbanLarge => okumura_hata_db(link, Surrounding::Urban(City::Large)),
            Self::HataSuburban => okumura_hata_db(link, Surrounding::Suburban),
            Self::HataOpen => okumura_hata_db(link, Surrounding::Open),
            Self::Cost231Hata => cost231_hata_db(link, City::Medium),
            Self::Cost231HataMetropolitan => cost231_hata_db(link, City::Large),
            Self::WalfischIkegami => walfisch_ikegami_db(link, streets),
            Self::Uma => uma_db(link),
            Self::Umi => umi_db(link),
            Self::Inh => inh_db(link),
            Self::IndoorOffice => p1238_db(link, Indoors::Office),
            Self::IndoorCorridor => p1238_db(link, Indoors::Corridor),
            Self::IndoorIndustrial => p1238_db(link, Indoors::Industrial),
            Self::MultiWall => multi_wall_db(link),
            Self::CanyonHighRise => p1411_db(link, Canyon::HighRise),
            Self::CanyonLowRise => p1411_db(link, Canyon::LowRise),
            Self::Bullington | Self::Deygout => {
                free_space_db(link.frequency, link.slant_distance()) + link.diffraction_db
            }
        }
    }

    /// The range in which the document states the formula.
    pub fn range(self) -> Range {
        const ANY: [f64; 2] = [0.0, f64::INFINITY];
        match self {
            Self::FreeSpace | Self::Bullington | Self::Deygout => Range {
                frequency: ANY,
                distance: ANY,
                tx_height: ANY,
                rx_height: ANY,
            },
            Self::HataUrban | Self::HataUrbanLarge | Self::HataSuburban | Self::HataOpen => {
                hata::OKUMURA_HATA
            }
            Self::Cost231Hata | Self::Cost231HataMetropolitan => hata::COST231_HATA,
            Self::WalfischIkegami => walfisch_ikegami::RANGE,
            Self::Uma => tr38901::UMA,
            Self::Umi => tr38901::UMI,
            Self::Inh => tr38901::INH,
            Self::IndoorOffice => site_general::OFFICE,
            Self::IndoorCorridor => site_general::CORRIDOR,
            Self::IndoorIndustrial => site_general::INDUSTRIAL,
            Self::MultiWall => multi_wall::RANGE,
            Self::CanyonHighRise => site_general::HIGH_RISE,
            Self::CanyonLowRise => site_general::LOW_RISE,
        }
    }

    /// The distance that the [range](Self::range) is about, metres: along the ground, or between the antennas.
    pub fn distance(self, link: &Link) -> f64 {
        match self {
            Self::Inh
            | Self::IndoorOffice
            | Self::IndoorCorridor
            | Self::IndoorIndustrial
            | Self::CanyonHighRise
            | Self::CanyonLowRise => link.slant_distance(),
            _ => link.distance,
        }
    }

    /// Whether the loss depends on [`Link::is_visible`].
    pub fn needs_visibility(self) -> bool {
        matches!(
            self,
            Self::WalfischIkegami
                | Self::Uma
                | Self::Umi
                | Self::Inh
                | Self::IndoorOffice
                | Self::IndoorCorridor
                | Self::IndoorIndustrial
                | Self::CanyonHighRise
                | Self::CanyonLowRise
        )
    }

    /// Whether the loss depends on [`Link::walls`].
    pub fn needs_walls(self) -> bool {
        self == Self::MultiWall
    }

    /// The value of [`Link::diffraction_db`], dB, for models that depend on it.
    pub fn diffraction_db(self, profile: &Profile<'_>, frequency: Frequency) -> Option<f64> {
        match self {
            Self::Bullington => Some(profile.bullington_db(frequency)),
            Self::Deygout => Some(profile.deygout_db(frequency)),
            _ => None,
        }
    }

    /// Whether the loss depends on [`Link::diffraction_db`].
    pub fn needs_profile(self) -> bool {
        matches!(self, Self::Bullington | Self::Deygout)
    }

    /// Whether the model says something of receivers in buildings. Free space knows no buildings and holds everywhere.
    pub fn is_indoors(self) -> bool {
        matches!(
            self,
            Self::FreeSpace
                | Self::Inh
                | Self::IndoorOffice
                | Self::IndoorCorridor
                | Self::IndoorIndustrial
                | Self::MultiWall
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_has_a_name_of_its_own_and_grows_with_distance() {
        for (index, (name, model)) in Model::NAMES.into_iter().enumerate() {
            assert_eq!(model.name(), name);
            let first = Model::NAMES.iter().position(|(other, _)| *other == name);
            assert_eq!(first, Some(index));
            for is_visible in [false, true] {
                let loss = |distance| {
                    let link = Link {
                        frequency: Frequency::from_ghz(1.5).unwrap(),
                        distance,
                        tx_height: 30.0,
                        rx_height: 1.5,
                        is_visible,
                        walls: Walls::default(),
                        diffraction_db: 0.0,
                    };
                    model.path_loss_db(&link, &Streets::default())
                };
                let losses: Vec<f64> = (1..200).map(|n| loss(25.0 * f64::from(n))).collect();
                assert!(losses.iter().all(|loss| loss.is_finite()), "{name}");
                assert!(losses.is_sorted(), "{name} {is_visible}");
            }
        }
    }

    #[test]
    fn visibility_matters_only_where_it_is_asked_for_and_never_costs() {
        for (name, model) in Model::NAMES {
            let loss = |is_visible| {
                let link = Link {
                    frequency: Frequency::from_ghz(1.8).unwrap(),
                    distance: 140.0,
                    tx_height: 10.0,
                    rx_height: 1.5,
                    is_visible,
                    walls: Walls::default(),
                    diffraction_db: 0.0,
                };
                model.path_loss_db(&link, &Streets::default())
            };
            assert_eq!(loss(true) < loss(false), model.needs_visibility(), "{name}");
        }
    }
}

//! COST 231 multi-wall: free space, and the walls and floors on the straight line.

use super::{Link, Range, free_space_db};

/// COST 231 gives the losses of walls and floors at 1.8 GHz and states no range; this is the band of the whole action.
pub(super) const RANGE: Range = Range {
    frequency: [800e6, 2000e6],
    distance: [0.0, f64::INFINITY],
    tx_height: [0.0, f64::INFINITY],
    rx_height: [0.0, f64::INFINITY],
};

/// The walls and floors on the straight line between two ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Walls {
    /// Walls that bear no load, of plasterboard, particle board or light concrete, thinner than 10 cm.
    pub light: u32,
    /// Walls that bear load, of concrete or brick, 10 cm and thicker.
    pub heavy: u32,
    /// Floors.
    pub floors: u32,
}

/// A light wall, dB.
const LIGHT: f64 = 3.4;
/// A heavy wall, dB.
const HEAVY: f64 = 6.9;
/// A floor, dB.
const FLOOR: f64 = 18.3;
/// The exponent by which each further floor costs less.
const B: f64 = 0.46;

/// Path loss by the multi-wall model of COST 231, dB: free space, 3.4 dB for each light wall, 6.9 dB for each heavy
/// one, and `18.3 n^((n + 2) / (n + 1) - 0.46)` for n floors. The constant loss of the model is 0, its usual value.
///
/// # Source
/// COST 231 final report (1999), chapter 4, section 4.7, multi-wall model, with the losses for 1.8 GHz; ETSI TR 101 112
/// (UMTS 30.03), annex B, has the same losses of walls and floors.
pub fn multi_wall_db(link: &Link) -> f64 {
    let Walls {
        light,
        heavy,
        floors,
    } = link.walls;
    let n = f64::from(floors);
    let of_floors = FLOOR * n.powf((n + 2.0) / (n + 1.0) - B);
    free_space_db(link.frequency, link.slant_distance())
        + LIGHT * f64::from(light)
        + HEAVY * f64::from(heavy)
        + of_floors
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frequency;

    fn beyond_free_space(walls: Walls) -> f64 {
        let link = Link {
            frequency: Frequency::from_ghz(1.8).unwrap(),
            distance: 20.0,
            tx_height: 2.0,
            rx_height: 1.5,
            is_visible: false,
            walls,
            diffraction_db: 0.0,
        };
        multi_wall_db(&link) - free_space_db(link.frequency, link.slant_distance())
    }

    /// One floor costs the whole 18.3 dB. Two cost `18.3 * 2^(4/3 - 0.46)` = 33.5 dB, so the second costs less.
    #[test]
    fn walls_add_up_and_floors_less_and_less() {
        let walls = Walls::default();
        assert_eq!(beyond_free_space(walls), 0.0);
        let loss = beyond_free_space(Walls {
            light: 2,
            heavy: 1,
            ..walls
        });
        assert!((loss - 13.7).abs() < 1e-9);
        let floors: Vec<f64> = (0..6)
            .map(|floors| beyond_free_space(Walls { floors, ..walls }))
            .collect();
        assert!((floors[1] - 18.3).abs() < 1e-9);
        assert!((floors[2] - 33.53).abs() < 0.01, "{floors:?}");
        let steps: Vec<f64> = floors.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| *step > 0.0), "{steps:?}");
        assert!(steps.windows(2).all(|pair| pair[1] < pair[0]), "{steps:?}");
    }
}

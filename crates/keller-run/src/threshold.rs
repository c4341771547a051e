//! Drops paths that are too weak for the scenario, and sums the power of those dropped.

use std::ops::Range;

use keller::World;
use keller::antenna::Antenna;
use keller::field::PathField;
use keller::parallel;
use keller::paths::{Path, Thresholds};
use keller::units::{db_to_power, power_to_db};
use keller_io::scenario::Scenario;

use crate::ends::Ends;

/// The path gain between isotropic antennas (linear) below which a search may leave paths out, because [`keep_strong`]
/// would drop them. `None` if a threshold relative to the sum of all paths needs them all.
pub(crate) fn for_search(scenario: &Scenario) -> Option<f64> {
    if scenario.paths.relative_threshold_db.is_some() {
        return None;
    }
    min_gain(scenario)
}

/// The thresholds of the scenario for the search `tubes`. It knows the power of a link between isotropic antennas alone:
/// between others a path may have a larger share, so all shares are then wanted.
pub(crate) fn for_tubes(scenario: &Scenario) -> Thresholds {
    let receivers = &scenario.receivers;
    let isotropic = Antenna::default();
    let is_even = scenario.tx.iter().all(|tx| tx.antenna == isotropic)
        && (0..receivers.rx.len()).all(|rx| *receivers.antenna(rx) == isotropic);
    let relative_db = scenario.paths.relative_threshold_db.filter(|_| is_even);
    Thresholds {
        min_gain: min_gain(scenario).unwrap_or(0.0),
        min_share: relative_db.map_or(0.0, |db| db_to_power(-db)),
    }
}

/// The path gain between isotropic antennas, linear, below which no path has the least gain that is wanted.
fn min_gain(scenario: &Scenario) -> Option<f64> {
    let min_db = scenario.paths.power_threshold_db?;
    let receivers = &scenario.receivers;
    let most = |gains: &mut dyn Iterator<Item = f64>| gains.fold(0.0, f64::max);
    let tx = most(&mut scenario.tx.iter().map(|tx| tx.antenna.largest_gain()));
    // A receiver adds the power of all its ports.
    let of_rx = |antenna: &Antenna| antenna.num_ports() as f64 * antenna.largest_gain();
    let rx = most(&mut (0..receivers.rx.len()).map(|rx| of_rx(receivers.antenna(rx))));
    Some(db_to_power(min_db) / (tx * rx))
}

/// Whether the scenario has a threshold.
pub(crate) fn has_threshold(scenario: &Scenario) -> bool {
    let paths = &scenario.paths;
    paths.power_threshold_db.is_some() || paths.relative_threshold_db.is_some()
}

/// Drops the paths below the scenario's threshold, and those too far below the sum of all paths of their link. Where
/// elements are traced, each pair of elements is a link. The paths run to `receivers`.
///
/// Also returns, for each of the receivers, the power of the paths that are dropped, in the units of the incoherent
/// gain of the link; `None` without a threshold.
pub(crate) fn keep_strong(
    scenario: &Scenario,
    ends: &Ends,
    world: &World,
    receivers: Range<usize>,
    paths: Vec<Path>,
) -> (Vec<Path>, Option<Vec<f64>>) {
    if !has_threshold(scenario) {
        return (paths, None);
    }
    let settings = &scenario.paths;
    let least = settings.power_threshold_db.unwrap_or(f64::NEG_INFINITY);
    let share = settings
        .relative_threshold_db
        .map_or(0.0, |db| db_to_power(-db));
    let gains: Vec<f64> = parallel::map_slice(&paths, |path| {
        let (tx, rx) = ends.link(path);
        let antenna = &scenario.tx[tx].antenna;
        PathField::new(path, world).gain(antenna, scenario.receivers.antenna(rx))
    });
    let mut kept = Vec::with_capacity(paths.len());
    let mut omitted = vec![0.0; receivers.len()];
    let mut rest = paths.into_iter().zip(gains).peekable();
    while let Some((first, _)) = rest.peek() {
        let link = (first.tx, first.rx);
        let mut of_link = Vec::new();
        while let Some(path) = rest.next_if(|(p, _)| (p.tx, p.rx) == link) {
            of_link.push(path);
        }
        let gains: Vec<f64> = of_link.iter().map(|&(_, gain)| gain).collect();
        let is_weak = weak(&gains, least, share);
        let mut dropped = 0.0;
        for ((path, gain), is_weak) in of_link.into_iter().zip(is_weak) {
            if is_weak {
                dropped += gain;
            } else {
                kept.push(path);
            }
        }
        let (tx, rx) = (ends.tx.device(link.0), ends.rx.device(link.1));
        omitted[rx - receivers.start] += in_link(scenario, ends, tx, rx) * dropped;
    }
    (kept, Some(omitted))
}

/// The incoherent gain of a link that a unit of path gain between two of its points adds. The elements of a Tx share
/// its power; those of an Rx add up their received power, also where one point stands for all of them.
fn in_link(scenario: &Scenario, ends: &Ends, tx: usize, rx: usize) -> f64 {
    let array = scenario.receivers.array(rx);
    let elements = array.map_or(1, |array| array.elements().len());
    let points = [ends.tx.of_device(tx), ends.rx.of_device(rx)].map(|points| points.len() as f64);
    elements as f64 / (points[0] * points[1])
}

/// Whether each path of a link is dropped: below `min_db`, or below `share` of the sum of all. A gain that is not a
/// number is not below anything: its path stays visible in the results, and does not affect the others.
fn weak(gains: &[f64], min_db: f64, share: f64) -> Vec<bool> {
    let total: f64 = gains.iter().filter(|gain| gain.is_finite()).sum();
    let is_weak = |&gain: &f64| power_to_db(gain) < min_db || gain < share * total;
    gains.iter().map(is_weak).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_without_a_number_drops_no_other_and_stays_in_sight() {
        let gains = [1e-9, f64::NAN, 1e-12, 0.0];
        assert_eq!(weak(&gains, -100.0, 0.0), [false, false, true, true]);
        assert_eq!(
            weak(&gains, f64::NEG_INFINITY, 0.01),
            [false, false, true, true]
        );
    }

    #[test]
    fn thresholds_are_closed() {
        let gains = [1e-9, 1e-10];
        assert_eq!(weak(&gains, -100.0, 0.0), [false, false]);
        assert_eq!(weak(&gains, f64::NEG_INFINITY, 0.0), [false, false]);
    }
}

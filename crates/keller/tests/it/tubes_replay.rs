//! One trace for many antennas, checked against a trace of each and by the path engine.

use crate::common::town::{MIN_GAIN, Town, bits, errors, one_edge, reflections, sector};
use keller::Control;
use keller::antenna::{Antenna, Pattern, Polarization};
use keller::coverage::tubes::{Accuracy, Envelope};

/// Antennas of one mast that an optimiser may ask for.
fn variants() -> Vec<Antenna> {
    vec![
        sector(0.3, 0.1, Polarization::V),
        sector(2.5, 0.2, Polarization::Cross),
        sector(-1.7, -0.1, Polarization::Slant(0.6)),
        sector(1.0, 0.0, Polarization::H),
    ]
}

#[test]
fn a_replay_is_what_a_trace_of_the_antenna_gives() {
    for (limits, accuracy) in [
        (reflections(3), Accuracy::Default),
        (one_edge(), Accuracy::Default),
        (reflections(2), Accuracy::Exact),
    ] {
        let mut pairs = [const { Vec::new() }; 3];
        for seed in [2, 5, 8] {
            let town = Town::random(seed);
            let tubes = town.tubes(&limits, accuracy);
            let envelope = Envelope::Gain(Pattern::Tr38901.peak_gain());
            let recording = tubes.record(town.tx, envelope, town.all(), &Control::default());
            let recording = recording.unwrap();
            for antenna in variants() {
                let replayed = recording.gains(&antenna);
                let fresh = town.fresh(&tubes, &antenna);
                let points = town.by_points(&limits, &antenna);
                let [of_both, of_replay, of_fresh] = &mut pairs;
                of_both.extend(replayed.iter().copied().zip(fresh.iter().copied()));
                of_replay.extend(replayed.into_iter().zip(points.iter().copied()));
                of_fresh.extend(fresh.into_iter().zip(points));
            }
        }
        let [both, replayed, fresh] = pairs.map(|pairs| errors(pairs.into_iter()));
        assert!(both[0] < 0.01 && both[1] < 0.2, "{both:?} dB");
        // Each cell has the gain of its own direction, however steep the pattern is.
        assert!(replayed[0] < 0.1 && replayed[1] < 0.5, "{replayed:?} dB");
        let is_as_near = |k: usize| replayed[k] < 1.02 * fresh[k] + 0.002;
        assert!(
            is_as_near(0) && is_as_near(1),
            "{replayed:?} dB for {fresh:?} dB"
        );
    }
}

#[test]
fn all_around_nothing_is_lost_or_won() {
    let town = Town::random(3);
    let limits = reflections(3);
    let tubes = town.tubes(&limits, Accuracy::Default);
    let isotropic = Antenna::default();
    let recording = tubes.record(
        town.tx,
        Envelope::Antennas(std::slice::from_ref(&isotropic)),
        town.all(),
        &Control::default(),
    );
    let replayed = recording.unwrap().gains(&isotropic);
    let fresh = town.fresh(&tubes, &isotropic);
    let sum = |gains: &[f64]| gains.iter().filter(|g| !g.is_nan()).sum::<f64>();
    let ratio = sum(&replayed) / sum(&fresh);
    assert!((ratio - 1.0).abs() < 1e-4, "{ratio}");
    let blocked = |gains: &[f64]| gains.iter().map(|g| g.is_nan()).collect::<Vec<_>>();
    assert_eq!(blocked(&replayed), blocked(&fresh));
}

#[test]
fn twice_the_gain_is_twice_the_power() {
    let town = Town::random(6);
    let limits = one_edge();
    let tubes = town.tubes(&limits, Accuracy::Quick);
    let gain = Pattern::Tr38901.peak_gain();
    let envelope = Envelope::Gain(2.0 * gain);
    let recording = tubes.record(town.tx, envelope, town.all(), &Control::default());
    let recording = recording.unwrap();
    let weak = sector(0.4, 0.1, Polarization::Cross);
    let strong = Antenna {
        peak_gain: Some(2.0 * gain),
        ..weak.clone()
    };
    let (weak, strong) = (recording.gains(&weak), recording.gains(&strong));
    // Some paths of weaker cells count for the stronger antenna alone.
    let clear = weak
        .iter()
        .zip(&strong)
        .filter(|(w, _)| **w > 1e4 * MIN_GAIN);
    let mut count = 0;
    for (weak, strong) in clear {
        assert!((strong / weak - 2.0).abs() < 1e-2, "{strong} for {weak}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn blocks_threads_and_company_change_no_byte() {
    let town = Town::random(4);
    let limits = one_edge();
    let tubes = town.tubes(&limits, Accuracy::Quick);
    let antennas = variants();
    let control = Control::default();
    let recorded = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let envelope = Envelope::Antennas(&antennas);
            let recording = tubes.record(town.tx, envelope, town.all(), &control);
            let recording = recording.unwrap();
            let of = |antenna| bits(&recording.gains(antenna));
            let first = antennas.iter().map(of).collect::<Vec<_>>();
            let again = antennas.iter().map(of).collect::<Vec<_>>();
            assert!(first == again);
            first
        })
    };
    let one = recorded(1);
    assert!(one == recorded(2) && one == recorded(5));
    let together = |cells| tubes.gains_of_antennas(town.tx, &antennas, cells, &control);
    let whole: Vec<_> = together(town.all()).unwrap();
    assert!(whole.iter().map(|gains| bits(gains)).eq(one));
    let part = town.region.num_cells() / 3;
    for first in (0..town.region.num_cells()).step_by(part) {
        let cells = first..town.region.num_cells().min(first + part);
        let envelope = Envelope::Antennas(&antennas);
        let recording = tubes.record(town.tx, envelope, cells.clone(), &control);
        let recording = recording.unwrap();
        let of_part = together(cells.clone()).unwrap();
        for ((antenna, of_part), whole) in antennas.iter().zip(of_part).zip(&whole) {
            assert!(bits(&of_part) == bits(&whole[cells.clone()]));
            assert!(bits(&recording.gains(antenna)) == bits(&of_part));
        }
    }
}

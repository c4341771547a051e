//! Knife edges over the profile between two ends.
//!
//! Every corner of the profile counts as an edge of no thickness across the way. Bullington replaces all by one edge,
//! where the two horizons meet; Deygout takes the worst edge, and the worst on either side of it. **Cost:** a few
//! passes over the corners. **Loses** waves around obstacles, and reflections on the ground; edges close to each other,
//! such as the two of one roof, cost Deygout too much.

use super::{fresnel_parameter, knife_edge_db};
use crate::Frequency;

/// The vertical section between two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile<'a> {
    /// The distance from one end to the other along the ground, metres.
    pub length: f64,
    /// The heights of the ends, metres over the same level as those of the corners.
    pub ends: [f64; 2],
    /// Distance from the first end along the ground, and height, metres, in order of distance. Corners that are not
    /// between the ends do not count.
    pub corners: &'a [[f64; 2]],
    /// One over the effective radius of the Earth, 1/m; 0 where heights are over a plane, as in scenes.
    pub curvature: f64,
}

/// A corner nearer to an end than this, metres, is that end.
const MIN_DISTANCE: f64 = 1e-3;

impl Profile<'_> {
    /// The loss by Bullington's construction in addition to free space, dB.
    ///
    /// If the ends see each other, it is the loss of the corner that reaches farthest into the Fresnel zones. If they
    /// do not, it is that of one edge where the steepest lines from both ends meet. To either loss J, `(1 - exp(-J /
    /// 6)) (10 + 0.02 d)` is added, with the length d in km.
    ///
    /// # Source
    /// ITU-R P.526-15 (2019), section 4.5.1, Bullington model.
    pub fn bullington_db(&self, frequency: Frequency) -> f64 {
        let [start, end] = self.ends;
        let steepest = |slope: &dyn Fn([f64; 2]) -> f64| {
            let slopes = self.bulged().map(slope);
            slopes.fold(f64::NEG_INFINITY, f64::max)
        };
        let from_start = steepest(&|[distance, height]| (height - start) / distance);
        let edge = if from_start < (end - start) / self.length {
            let parameters = self
                .bulged()
                .map(|corner| self.parameter(frequency, corner));
            parameters.fold(f64::NEG_INFINITY, f64::max)
        } else if from_start.is_finite() {
            let from_end =
                steepest(&|[distance, height]| (height - end) / (self.length - distance));
            let distance = (end - start + from_end * self.length) / (from_start + from_end);
            self.parameter(frequency, [distance, start + from_start * distance])
        } else {
            f64::NEG_INFINITY
        };
        let edge = knife_edge_db(edge);
        edge + (1.0 - (-edge / 6.0).exp()) * (10.0 + 0.02 * self.length / 1e3)
    }

    /// The loss by Deygout's construction with at most three edges, in addition to free space, dB: that of the edge
    /// with the largest parameter ν, and those of the edges with the largest ν between it and either end. An edge with
    /// ν of -0.78 and less costs nothing, and without a main edge there are no others.
    ///
    /// # Source
    /// J. Deygout (1966), "Multiple knife-edge diffraction of microwaves", IEEE Transactions on Antennas and
    /// Propagation 14(4), 480-489, DOI 10.1109/TAP.1966.1138719.
    pub fn deygout_db(&self, frequency: Frequency) -> f64 {
        let corners: Vec<[f64; 2]> = self.bulged().collect();
        let [start, end] = self.ends;
        let ends = [[0.0, start], [self.length, end]];
        let Some((main, loss)) = worst(frequency, ends, &corners) else {
            return 0.0;
        };
        if loss == 0.0 {
            return 0.0;
        }
        let corner = corners[main];
        let before = worst(frequency, [ends[0], corner], &corners[..main]);
        let after = worst(frequency, [corner, ends[1]], &corners[main + 1..]);
        let sides = [before, after].into_iter().flatten();
        loss + sides.map(|(_, loss)| loss).sum::<f64>()
    }

    /// The corners between the ends, raised by the bulge of the Earth.
    fn bulged(&self) -> impl Iterator<Item = [f64; 2]> {
        let inner = self
            .corners
            .iter()
            .filter(|[distance, _]| (MIN_DISTANCE..=self.length - MIN_DISTANCE).contains(distance));
        inner.map(|&[distance, height]| {
            let bulge = 0.5 * self.curvature * distance * (self.length - distance);
            [distance, height + bulge]
        })
    }

    /// ν of a corner.
    fn parameter(&self, frequency: Frequency, corner: [f64; 2]) -> f64 {
        let [start, end] = self.ends;
        parameter(frequency, [[0.0, start], [self.length, end]], corner)
    }
}

/// The index of the corner with the largest ν between two ends, and its loss, dB; `None` without corners.
fn worst(frequency: Frequency, ends: [[f64; 2]; 2], corners: &[[f64; 2]]) -> Option<(usize, f64)> {
    let [[start, _], [end, _]] = ends;
    let parameters = corners.iter().enumerate();
    let inner = parameters.filter(|(_, [distance, _])| {
        (start + MIN_DISTANCE..=end - MIN_DISTANCE).contains(distance)
    });
    let found = inner.map(|(index, corner)| (index, parameter(frequency, ends, *corner)));
    let worst = found.max_by(|(_, a), (_, b)| a.total_cmp(b));
    worst.map(|(index, nu)| (index, knife_edge_db(nu)))
}

/// ν of a corner between two ends.
fn parameter(frequency: Frequency, ends: [[f64; 2]; 2], corner: [f64; 2]) -> f64 {
    let [[start, low], [end, high]] = ends;
    let [distance, height] = corner;
    let (before, after) = (distance - start, end - distance);
    let line = (low * after + high * before) / (before + after);
    fresnel_parameter(frequency, height - line, before, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ITU-R Study Group 3, "Validation examples for the delta Bullington diffraction prediction method", path 3: the
    /// height of the ground over the sea every 50 m, and at last at 17.397 km, metres.
    #[rustfmt::skip]
    const PATH_3: [u16; 349] = [
    697, 697, 697, 690, 690, 665, 665, 661, 653, 656, 644, 644, 638, 629, 620, 620, 610, 610, 608,
    608, 610, 610, 609, 609, 611, 611, 604, 604, 604, 607, 607, 609, 609, 611, 606, 606, 606, 602,
    602, 602, 602, 604, 603, 606, 606, 603, 603, 605, 607, 607, 605, 605, 605, 605, 600, 601, 594,
    594, 589, 589, 595, 589, 589, 586, 586, 582, 584, 581, 579, 575, 575, 577, 577, 585, 587, 586,
    596, 596, 587, 589, 593, 593, 589, 589, 593, 593, 590, 600, 592, 601, 605, 605, 601, 609, 609,
    618, 618, 613, 613, 612, 615, 612, 612, 618, 618, 616, 616, 612, 613, 613, 613, 613, 613, 612,
    609, 609, 606, 606, 604, 604, 602, 602, 602, 602, 603, 603, 604, 601, 601, 602, 602, 607, 603,
    605, 606, 610, 610, 610, 610, 611, 611, 611, 616, 616, 618, 618, 622, 621, 625, 625, 635, 635,
    631, 638, 638, 621, 620, 620, 616, 611, 611, 594, 594, 589, 589, 586, 582, 579, 578, 579, 579,
    576, 576, 574, 577, 577, 575, 575, 571, 572, 572, 572, 571, 571, 575, 575, 573, 571, 569, 570,
    570, 570, 570, 575, 575, 576, 576, 577, 577, 578, 574, 574, 574, 575, 575, 577, 577, 577, 579,
    579, 579, 583, 583, 586, 583, 583, 584, 584, 586, 586, 587, 594, 599, 599, 588, 591, 590, 592,
    592, 594, 594, 596, 597, 602, 599, 605, 605, 605, 605, 610, 607, 607, 615, 615, 621, 621, 624,
    621, 633, 633, 632, 632, 636, 630, 639, 630, 630, 634, 628, 632, 632, 628, 628, 625, 625, 626,
    621, 624, 624, 620, 620, 620, 620, 620, 616, 616, 610, 610, 605, 607, 604, 604, 603, 603, 594,
    594, 594, 596, 592, 592, 587, 586, 585, 583, 583, 579, 579, 571, 573, 575, 576, 572, 572, 573,
    573, 569, 569, 569, 568, 568, 566, 568, 568, 564, 563, 563, 559, 559, 564, 567, 564, 563, 562,
    562, 561, 563, 563, 561, 561, 562, 562, 561, 563, 564, 564, 563, 563, 565, 565, 564, 566, 566,
    568, 568, 569, 567, 570, 570, 569,
    ];

    /// The losses are column Lba of the same document, for an effective radius of 8500 km; its tolerance is 0.1 dB.
    #[test]
    fn bullington_gives_the_validation_examples_of_itu_r() {
        const LENGTH: f64 = 17_396.889_66;
        let corners: Vec<[f64; 2]> = (0_u16..348)
            .map(|n| [50.0 * f64::from(n), f64::from(PATH_3[usize::from(n)])])
            .collect();
        for ([tx, rx], mhz, expected) in [
            ([30.0, 30.0], 1000.0, 17.6204),
            ([50.0, 10.0], 2500.0, 25.1017),
            ([20.0, 20.0], 600.0, 20.2549),
            ([40.0, 50.0], 200.0, 10.1899),
            ([70.0, 5.0], 150.0, 16.2759),
        ] {
            let profile = Profile {
                length: LENGTH,
                ends: [f64::from(PATH_3[0]) + tx, f64::from(PATH_3[348]) + rx],
                corners: &corners,
                curvature: 1.0 / 8.5e6,
            };
            let loss = profile.bullington_db(Frequency::from_hz(mhz * 1e6).unwrap());
            assert!((loss - expected).abs() < 0.02, "{mhz} {loss} {expected}");
        }
    }

    fn profile(corners: &[[f64; 2]]) -> Profile<'_> {
        Profile {
            length: 1000.0,
            ends: [20.0, 1.5],
            corners,
            curvature: 0.0,
        }
    }

    #[test]
    fn one_edge_costs_what_one_knife_edge_costs() {
        let frequency = Frequency::from_ghz(2.0).unwrap();
        for height in [0.0, 11.0, 15.0, 40.0] {
            let corners = [[400.0, height]];
            let profile = profile(&corners);
            let over_line = height - (20.0 - 0.4 * 18.5);
            let edge = knife_edge_db(fresnel_parameter(frequency, over_line, 400.0, 600.0));
            assert!((profile.deygout_db(frequency) - edge).abs() < 1e-9);
            let bullington = edge + (1.0 - (-edge / 6.0).exp()) * 10.02;
            let found = profile.bullington_db(frequency);
            assert!((found - bullington).abs() < 1e-9, "{height} {found}");
        }
    }

    #[test]
    fn an_open_way_costs_nothing_and_corners_beyond_the_ends_do_not_count() {
        let frequency = Frequency::from_ghz(2.0).unwrap();
        for corners in [&[][..], &[[0.0, 99.0], [1000.0, 99.0], [1200.0, 99.0]]] {
            let profile = profile(corners);
            assert_eq!(profile.bullington_db(frequency), 0.0);
            assert_eq!(profile.deygout_db(frequency), 0.0);
        }
    }

    /// Deygout by hand: the edge at 600 m has the largest ν, and one edge is left on either side of it.
    #[test]
    fn deygout_adds_the_worst_edges_on_both_sides_of_the_main_edge() {
        let frequency = Frequency::from_ghz(0.9).unwrap();
        let corners = [[200.0, 24.0], [600.0, 30.0], [900.0, 12.0]];
        let edge = |height, before, after| {
            knife_edge_db(fresnel_parameter(frequency, height, before, after))
        };
        let main = edge(30.0 - (20.0 - 0.6 * 18.5), 600.0, 400.0);
        let before = edge(24.0 - (20.0 + 10.0 / 3.0), 200.0, 400.0);
        let after = edge(12.0 - (30.0 - 0.75 * 28.5), 300.0, 100.0);
        let found = profile(&corners).deygout_db(frequency);
        assert!((found - main - before - after).abs() < 1e-9, "{found}");
    }

    #[test]
    fn both_constructions_are_the_same_from_the_other_end() {
        let frequency = Frequency::from_ghz(1.8).unwrap();
        let corners = [[100.0, 12.0], [300.0, 25.0], [310.0, 25.0], [850.0, 9.0]];
        let mut turned = corners.map(|[distance, height]| [1000.0 - distance, height]);
        turned.reverse();
        let there = profile(&corners);
        let back = Profile {
            ends: [1.5, 20.0],
            corners: &turned,
            ..there
        };
        for loss in [Profile::bullington_db, Profile::deygout_db] {
            let [a, b] = [there, back].map(|profile| loss(&profile, frequency));
            assert!(a > 6.0 && (a - b).abs() < 1e-9, "{a} {b}");
        }
    }
}

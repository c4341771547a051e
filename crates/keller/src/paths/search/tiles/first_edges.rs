//! Chains to tiles of reflections and then one edge: only those that are surely too weak are lost.
//!
//! The beam tree of [`reflection_chains`](super::reflection_chains) has all parts of edges that the transmitter sees by
//! reflections. Each sends a wave on, as from the transmitter's last image, and its Keller cones are followed through
//! groups of tiles like those of an edge that the transmitter sees directly. Longer chains begin with these, and with
//! the tiles of which any part is illuminated according to pairs of tiles.
//!
//! A first edge may also illuminate a part of a tile whose centre is dark and to which no pair leads. With two
//! interactions, whole tiles are followed through groups for that. With more it would take three times as long as all
//! else, for one path in twenty.

use super::beam::{BeamSource, Steps};
use super::front::{IlluminatedTile, Scratch, Spread, Wave};
use super::gate::Gate;
use super::lanes::Some16;
use super::power::Power;
use super::visible_tiles::{blocks, difference};
use crate::parallel;
use crate::paths::Step;
use crate::paths::search::views::{EdgeView, Views};
use crate::tiles::{Asked, Opening, Segment};

/// Groups of tiles are left out together if the bound is at most this share of the wanted power. The bound counts for
/// all their area, so a larger share would say little of the power that is left out.
const MUCH_TOO_WEAK: f32 = 1e-2;

impl Spread<'_> {
    /// Follows the waves behind edges that the transmitter sees by reflections.
    pub(super) fn after_reflections(&self, views: &Views) {
        let mirrored = views.edges.iter().filter(|view| view.node != 0);
        let mirrored: Vec<&EdgeView> = mirrored.collect();
        parallel::each_with(mirrored.len(), Scratch::default, |scratch, n| {
            self.behind_mirror(views, mirrored[n], scratch);
        });
    }

    fn behind_mirror(&self, views: &Views, view: &EdgeView, scratch: &mut Scratch) {
        let search = self.search;
        let planes = views.tree.sequence(view.node as usize);
        let reflections = planes
            .iter()
            .fold(Steps::NONE, |steps, plane| steps.with_mirror(*plane));
        if self.control.is_cancelled() || !self.may_diffract(&reflections) {
            return;
        }
        let steps = reflections.with_edge(view.edge);
        let image = views.tree.nodes[view.node as usize].image;
        let Some(opening) = search
            .visibility
            .diffracted(image, view.edge, view.interval)
        else {
            return;
        };
        let edge = &search.scene.edges()[view.edge.index()];
        let diffracted = search.edge_source(view.edge, search.local(image));
        let source = BeamSource::Edge(diffracted);
        let ends = view
            .interval
            .map(|t| search.local(edge.ends[0] + t * edge.along()));
        let segments = || {
            let all = search.visible_tiles.segments.of_edge(view.edge);
            all.filter(|number| {
                let [low, high] = search.visible_tiles.segments.all()[*number as usize].interval;
                low <= view.interval[1] && high >= view.interval[0]
            })
        };
        let (before, from) = search.mirrored_way(views.tree.nodes[0].image, &planes);
        let way = match &search.power {
            Some(power) => {
                let arriving = power.arriving(&before, &from, ends);
                if let Some(share) = power.too_weak_behind(arriving) {
                    for number in segments() {
                        let segment: Segment = search.visible_tiles.segments.all()[number as usize];
                        for tile in segment.parents.into_iter().flatten() {
                            self.do_not_follow(tile, share, 1 + self.num_more(&steps));
                        }
                    }
                    return;
                }
                Some(before.diffracted(&from, edge, &diffracted, (ends, arriving)))
            }
            None => None,
        };
        let power = search.power.as_ref();
        let bound = power.zip(way.as_ref());
        let bound = bound.map(|(power, way)| (power, power.bound(way, &source)));
        let reached = search.visibility.reached_by(&opening, |asked| {
            bound.as_ref().is_none_or(|(power, bound)| {
                let amplitude = bound.amplitude(search.ball(asked));
                self.counts(power, asked, amplitude, self.num_more(&steps))
            })
        });
        let places = search.places.of(reached.into_iter());
        let exact = blocks(places.into_iter()).into_vec();
        let wave = (&steps, &source, way.as_ref());
        let wanted = self.wanted(wave, exact.clone());
        self.known.add(steps, self.kept(&steps, wanted));
        if !self.goes_on(&steps) {
            return;
        }
        scratch.tiles.add(&exact);
        for number in segments() {
            let segment = search.visible_tiles.segments.all()[number as usize];
            if let Some((mut diffraction, _)) = search.diffraction(&segment, &from) {
                #[expect(clippy::cast_possible_truncation, reason = "f32 proposes")]
                let part = view.interval.map(|t| t as f32);
                diffraction.interval = [
                    diffraction.interval[0].max(part[0]),
                    diffraction.interval[1].min(part[1]),
                ];
                search
                    .visible_tiles
                    .of_segment(number, &search.places, |row| {
                        self.reach(&Gate::EdgeDiffraction(diffraction), row, scratch);
                    });
            }
        }
        let tiles = scratch.tiles.take();
        let in_part = self.illuminated_in_part(&[opening], (&steps, &source, way.as_ref()), &tiles);
        self.continue_from(steps, source, way, (&tiles, in_part), scratch);
    }

    /// The parts of the edge that diffracts a wave straight from the transmitter, if that is all of the chain.
    pub(super) fn openings_of_first(&self, steps: &Steps) -> Vec<Opening> {
        match steps.last() {
            Some(Step::Diffraction(edge))
                if steps.len() == 1 && self.receivers.is_none() && self.search.lights_in_part() =>
            {
                self.search.visibility.openings(self.tx, false, &[edge])
            }
            _ => Vec::new(),
        }
    }

    /// Tiles that may reflect the waves that leave an edge by these openings although they are not among `tiles`: some
    /// part of them may be illuminated.
    pub(super) fn illuminated_in_part(
        &self,
        openings: &[Opening],
        wave: Wave,
        tiles: &[Some16],
    ) -> Vec<IlluminatedTile> {
        let search = self.search;
        let (steps, source, way) = wave;
        if openings.is_empty() || !search.lights_in_part() || !self.may_reflect(steps) {
            return Vec::new();
        }
        let bound = search.power.as_ref().zip(way);
        let bound = bound.map(|(power, way)| (power, power.bound(way, source)));
        let is_strong = |asked: &Asked| {
            let Some((power, bound)) = &bound else {
                return true;
            };
            let share = power.too_weak(bound.amplitude(search.ball(asked)));
            // Tiles are asked again below, by their shapes.
            let Some(share) = share.filter(|share| asked.only.is_none() && *share <= MUCH_TOO_WEAK)
            else {
                return true;
            };
            self.left_out.do_not_follow(share, asked.area, 1);
            false
        };
        let illuminated = openings
            .iter()
            .flat_map(|opening| search.visibility.illuminated_by(opening, is_strong));
        let mut places = search.places.of(illuminated);
        places.dedup();
        let illuminated = difference(&blocks(places.into_iter()), tiles);
        self.illuminated(wave, &illuminated)
    }

    /// Whether a wave of at most this amplitude counts at a tile, or anywhere in a group of tiles. Notes what is left
    /// out.
    fn counts(&self, power: &Power, asked: &Asked, amplitude: f32, num_more: usize) -> bool {
        let Some(share) = power.too_weak(amplitude) else {
            return true;
        };
        match asked.only {
            Some(tile) => {
                let place = self.search.places.place(tile);
                self.left_out.leave_out(place, share);
                self.do_not_follow(tile, share, num_more);
            }
            None if share > MUCH_TOO_WEAK => return true,
            None => self.left_out.do_not_follow(share, asked.area, 1 + num_more),
        }
        false
    }
}

//! What a tube brings to the cells of the region whose centres lie in it.

use glam::{DVec2, DVec3};

use super::bundle::{Bundle, TubeInteraction};
use super::path_accumulator::PathContribution;
use super::propagation::{Sink, Tracer};
use super::recorded_tubes::TubeBatch;
use super::region_grid::Hull;
use super::split::Leaf;
use super::verification::CellCandidate;
use super::virtual_source::{TubeRay, VirtualSource};
use crate::geometry::Plane;
use crate::paths::InteractionKind;
use crate::units::db_to_power;

/// Cells that are looked at one by one are collected to so many.
const AT_ONCE: usize = 4096;

/// Cells that are to be looked at one by one.
#[derive(Debug, Default)]
struct Open {
    /// Because rays of their tubes disagree.
    uncertain: Vec<CellCandidate>,
    /// Because they lie on the border of their tubes.
    ties: Vec<CellCandidate>,
}

impl Tracer<'_> {
    /// Adds the gains of tubes to the cells of the region whose centres lie in them.
    pub(super) fn fill(&self, bundle: &Bundle, leaves: &[Leaf]) {
        let mut open = Open::default();
        let mut haul = self.haul();
        for leaf in leaves {
            self.visit(bundle, leaf, &mut open, &mut haul);
            if open.uncertain.len() + open.ties.len() >= AT_ONCE {
                self.settle(bundle, &mut open, &mut haul);
            }
        }
        self.settle(bundle, &mut open, &mut haul);
        self.hand_over(haul);
    }

    /// Adds the gains of those of the cells to which a path leads.
    fn settle(&self, bundle: &Bundle, open: &mut Open, haul: &mut Option<TubeBatch<'_>>) {
        if !open.uncertain.is_empty() {
            self.verify(bundle, None, &mut open.uncertain);
        }
        self.judge(bundle, &mut open.ties);
        for cell in open.uncertain.drain(..).chain(open.ties.drain(..)) {
            self.add(bundle, &cell, haul);
        }
    }

    /// Adds what a path brings to a cell.
    pub(super) fn add(
        &self,
        bundle: &Bundle,
        cell: &CellCandidate,
        haul: &mut Option<TubeBatch<'_>>,
    ) {
        let &CellCandidate { gain, centre, .. } = cell;
        match (&self.sink, haul) {
            (Sink::Gains(sums), _) => sums.add(cell.number, gain, || {
                self.contribution(bundle, centre, gain)
            }),
            (Sink::Tubes(_), Some(haul)) => haul.reach(cell.record, cell.number, gain),
            (Sink::Tubes(_), None) => {}
        }
    }

    /// What the path by the walls of a bundle brings to the centre of a cell.
    pub(super) fn contribution(
        &self,
        bundle: &Bundle,
        centre: DVec3,
        gain: f64,
    ) -> PathContribution {
        let located = bundle.source.locate(centre);
        let way = centre - located.origin;
        let length = located.behind + way.length();
        let excess = self.excess_length(bundle, &located, centre);
        let (departure, wave) = self.wave_to(bundle, &located, centre);
        PathContribution {
            is_line_of_sight: bundle.interactions.is_empty(),
            ..self.contribution_of(&wave, gain, [length, excess], [departure, way, centre])
        }
    }

    /// Adds the gain of a tube to the cells in it, or lists them if they must be looked at one by one.
    fn visit(
        &self,
        bundle: &Bundle,
        leaf: &Leaf,
        open: &mut Open,
        haul: &mut Option<TubeBatch<'_>>,
    ) {
        let cell = leaf.directions.cell;
        let centre = bundle.source.ray(cell.corners()[0]);
        let corners = frame(bundle, leaf);
        let uncertain = leaf.uncertain_behind(bundle);
        let is_verified = !uncertain.is_none();
        let may_tie = !self.ladder.follows_middle();
        let axis = centre.direction.normalize();
        // Beyond, nothing of it counts.
        let weak = leaf.path_gain.reach(self.min_gain);
        let far = exit_along(centre.origin, axis, self.grid.bounds()).min(weak);
        // Nor does anything of it lead beyond the farthest wall: but for tubes that were mirrored behind an edge, whose rays may begin
        // beside the face that mirrors.
        let is_mirrored = matches!(bundle.source, VirtualSource::Edge(_)) && bundle.start.is_some();
        let far = if leaf.is_clear || is_mirrored {
            far
        } else {
            let ends = leaf.ray_ends().iter().map(|ahead| match ahead.face {
                Some(_) => f64::from(ahead.reach),
                None => far,
            });
            ends.fold(0.0, f64::max).min(far)
        };
        let end_plane = leaf.ray_ends()[0]
            .face
            .filter(|_| leaf.is_clear)
            .map(|face| self.scene.plane(self.scene.plane_of(face)));
        let start_plane = bundle.start.map(|plane| self.scene.plane(plane));
        let ends = corners.map(|line| {
            let across = far / line.direction.dot(axis);
            let end: f64 = end_plane.map_or(across, |plane| {
                let t = line.meets(plane);
                if t > 0.0 { t.min(across) } else { across }
            });
            let start = start_plane.map_or(0.0, |plane| line.meets(plane));
            [start.clamp(0.0, end), end]
        });
        let lengths = corners.iter().zip(ends);
        let longest = lengths.map(|(line, [_, end])| end * line.direction.length());
        let hull = Hull {
            edges: corners,
            ends,
            margin: bundle.source.sag(cell, longest.fold(0.0, f64::max)),
        };
        let has_clutter = !self.scene.clutter().volumes().is_empty();
        let has_own = haul.is_some() && self.has_own_matrices(bundle);
        let gain_at = (!has_own).then(|| self.gain_in(bundle, cell, leaf.path_gain));
        let kept_at = has_own.then(|| self.kept_in(bundle, cell));
        let mut record_of_all = None;
        self.grid.near(&hull, |number, cell_centre| {
            let located = bundle.source.locate(cell_centre);
            if !leaf.directions.contains(located.on) {
                return;
            }
            let direction = cell_centre - located.origin;
            let ahead = direction.length();
            let is_behind =
                |plane: &Plane| plane.distance(cell_centre) * plane.normal.dot(direction) > 0.0;
            if start_plane.is_some_and(|plane| !is_behind(plane))
                || end_plane.is_some_and(is_behind)
            {
                return;
            }
            let kept = kept_at
                .as_ref()
                .map(|kept_at| kept_at(&located, cell_centre, ahead));
            let mut gain = match (&gain_at, &kept) {
                (Some(gain_at), _) => gain_at(&located, cell_centre, ahead),
                (None, Some(kept)) => kept.gain,
                (None, None) => 0.0,
            };
            if has_clutter {
                gain *= db_to_power(-self.clutter_loss_db(bundle, cell_centre));
            }
            if gain < self.min_gain {
                return;
            }
            let record = match (&kept, haul.as_mut()) {
                (_, None) => 0,
                (Some(kept), Some(haul)) => haul.begin(kept.departure, &kept.matrix, kept.power),
                (None, Some(haul)) => {
                    *record_of_all.get_or_insert_with(|| self.begin(bundle, leaf, haul))
                }
            };
            let cell = CellCandidate {
                number,
                centre: cell_centre,
                gain,
                uncertain,
                record,
            };
            if may_tie && leaf.directions.has_on_border(located.on) {
                open.ties.push(cell);
            } else if is_verified {
                open.uncertain.push(cell);
            } else {
                self.add(bundle, &cell, haul);
            }
        });
    }

    /// What clutter takes of the path to `end`, dB.
    pub(super) fn clutter_loss_db(&self, bundle: &Bundle, end: DVec3) -> f64 {
        let mut points = vec![end];
        let (mut from, mut to) = (bundle.source.locate(end).origin, end);
        for interaction in bundle.interactions.iter().rev() {
            match *interaction {
                TubeInteraction::Wall {
                    kind: InteractionKind::Reflection,
                    face,
                } => {
                    let plane = self.scene.plane(self.scene.plane_of(face));
                    to = plane.between(to, from);
                    from = plane.mirror(from);
                    points.push(to);
                }
                TubeInteraction::Wall { .. } => {}
                TubeInteraction::Edge(_) => {
                    to = from;
                    points.push(to);
                    from = bundle.source.position();
                }
            }
        }
        points.push(from);
        self.scene.clutter().loss_db(points)
    }
}

/// Four rays around all of a tube.
fn frame(bundle: &Bundle, leaf: &Leaf) -> [TubeRay; 4] {
    let cell = leaf.directions.cell;
    match &bundle.source {
        VirtualSource::Point(image) if !leaf.directions.is_whole() => {
            let [low, high] = leaf.directions.outline().frame();
            [
                low,
                DVec2::new(high.x, low.y),
                high,
                DVec2::new(low.x, high.y),
            ]
            .map(|at| image.line(cell.direction(at)))
        }
        VirtualSource::Point(_) | VirtualSource::Edge(_) => {
            let [_, corners @ ..] = cell.corners();
            corners.map(|corner| bundle.source.ray(corner))
        }
    }
}

/// How far a box reaches along a unit vector, metres from a point.
fn exit_along(from: DVec3, axis: DVec3, [low, high]: [DVec3; 2]) -> f64 {
    let corner = DVec3::select(axis.cmpge(DVec3::ZERO), high, low);
    (corner - from).dot(axis).max(0.0)
}

//! Paths of one diffraction: closed form at every edge that is visible from both ends.

use super::Encounter;
use super::seen::{SeenEdges, ViewedEdge};
use crate::paths::Step;
use crate::paths::solve::Waypoint;
use crate::scene::EdgeId;

/// The transmitter's entries as one array for each number, so that several entries are tried at once.
#[derive(Debug)]
pub(super) struct Lanes {
    along: Vec<f64>,
    away: Vec<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

/// Entries tried at once.
const LANES: usize = 8;

impl Lanes {
    pub(super) fn new(seen: &SeenEdges) -> Self {
        let each = |value: &dyn Fn(&ViewedEdge) -> f64| seen.entries().iter().map(value).collect();
        Self {
            along: each(&|seen| seen.at_edge.along),
            away: each(&|seen| seen.at_edge.away),
            low: each(&|seen| seen.interval[0]),
            high: each(&|seen| seen.interval[1]),
        }
    }

    /// Appends those of the entries `from..to` whose path to `end` meets the edge where both ends see it.
    fn meeting(&self, from: usize, to: usize, end: &ViewedEdge, found: &mut Vec<usize>) {
        let [low, high] = end.interval;
        let (along, away) = (&self.along[from..to], &self.away[from..to]);
        let (lows, highs) = (&self.low[from..to], &self.high[from..to]);
        let meets = |i: usize| {
            // The position times the sum of both distances, which avoids a division.
            let sum = away[i] + end.at_edge.away;
            let numerator = end.at_edge.along * away[i] + along[i] * end.at_edge.away;
            (numerator >= low.max(lows[i]) * sum) & (numerator <= high.min(highs[i]) * sum)
        };
        let whole = along.len() - along.len() % LANES;
        for first in (0..whole).step_by(LANES) {
            let mut any = false;
            for i in first..first + LANES {
                any |= meets(i);
            }
            if any {
                found.extend(
                    (first..first + LANES)
                        .filter(|&i| meets(i))
                        .map(|i| from + i),
                );
            }
        }
        found.extend((whole..along.len()).filter(|&i| meets(i)).map(|i| from + i));
    }
}

impl Encounter<'_> {
    pub(super) fn meet_at_one_edge(&mut self) {
        let meeting = self.meeting;
        let scene = meeting.job.scene;
        let limits = meeting.job.limits;
        let max_reflections = limits.reflections_beside_diffraction().unwrap_or(0);
        let mut found: Vec<usize> = Vec::new();
        for index in 0..self.rx.seen.edges().len() {
            let edge_index = self.rx.seen.edges()[index] as usize;
            let from_tx = meeting.tx.seen.range(edge_index);
            if from_tx.is_empty() {
                continue;
            }
            let edge = &scene.edges()[edge_index];
            let along = edge.along();
            for i in self.rx.seen.range(edge_index) {
                let a = self.rx.seen.entries()[i];
                let others = &meeting.tx.seen.entries()[from_tx.clone()];
                let few =
                    others.partition_point(|b| (a.depth + b.depth) as usize <= max_reflections);
                found.clear();
                let (from, to) = (from_tx.start, from_tx.start + few);
                meeting.lanes.meeting(from, to, &a, &mut found);
                for &k in &found {
                    let b = meeting.tx.seen.entries()[k];
                    let point = edge.ends[0] + a.at_edge.meet(b.at_edge) * along;
                    self.waypoints.clear();
                    let tx_planes = &meeting.tx.planes;
                    if !tx_planes.reflection_points(b.node as usize, point, &mut self.waypoints) {
                        continue;
                    }
                    self.waypoints.reverse();
                    self.waypoints.push(Waypoint {
                        step: Step::Diffraction(EdgeId::from_index(edge_index)),
                        point,
                    });
                    let rx_planes = &self.rx.planes;
                    if rx_planes.reflection_points(a.node as usize, point, &mut self.waypoints) {
                        self.validate();
                    }
                }
            }
        }
    }
}

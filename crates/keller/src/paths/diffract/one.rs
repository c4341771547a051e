//! Paths of one diffraction: closed form at every edge that both ends see.

use super::Encounter;
use crate::paths::solve::{Step, Waypoint};
use crate::scene::EdgeId;

impl Encounter<'_> {
    pub(super) fn meet_at_one_edge(&mut self) {
        let meeting = self.meeting;
        let scene = meeting.job.scene;
        let limits = meeting.job.limits;
        let most = limits.reflections_beside_diffraction().unwrap_or(0);
        // What is tried is rare among what is compared, so it is put aside for a second pass.
        let mut tries: Vec<(u32, u32, f64)> = Vec::new();
        for index in 0..self.rx.seen.edges().len() {
            let edge_index = self.rx.seen.edges()[index] as usize;
            let from_tx = meeting.tx.seen.of(edge_index);
            if from_tx.is_empty() {
                continue;
            }
            tries.clear();
            for (i, a) in self.rx.seen.of(edge_index).iter().enumerate() {
                for (k, b) in from_tx.iter().enumerate() {
                    if (a.depth + b.depth) as usize > most {
                        break;
                    }
                    let low = a.interval[0].max(b.interval[0]);
                    let high = a.interval[1].min(b.interval[1]);
                    let t = a.beside.meet(b.beside);
                    if low <= t && t <= high {
                        tries.push((narrow(i), narrow(k), t));
                    }
                }
            }
            let edge = &scene.edges()[edge_index];
            let along = edge.along();
            for &(i, k, t) in &tries {
                let a = self.rx.seen.of(edge_index)[i as usize];
                let b = from_tx[k as usize];
                let point = edge.ends[0] + t * along;
                self.waypoints.clear();
                let tx_mirrors = &meeting.tx.mirrors;
                if !tx_mirrors.reflection_points(b.node as usize, point, &mut self.waypoints) {
                    continue;
                }
                self.waypoints.reverse();
                self.waypoints.push(Waypoint {
                    step: Step::Diffraction(EdgeId::from_index(edge_index)),
                    point,
                });
                let rx_mirrors = &self.rx.mirrors;
                if rx_mirrors.reflection_points(a.node as usize, point, &mut self.waypoints) {
                    self.validate();
                }
            }
        }
    }
}

fn narrow(n: usize) -> u32 {
    u32::try_from(n).expect("fewer than 2^32 entries")
}

//! Sionna RT on the same card: `benches/peer/whole_runs.py` does the runs most similar to ours.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use glam::DVec2;
use keller::DVec3;
use serde_json::{Value, json};

use super::root;

/// The peer, and the scene as it reads it.
pub(super) struct Peer<'a> {
    pub(super) python: &'a Path,
    pub(super) scene: &'a Path,
}

/// A run of the peer.
#[derive(Debug, Clone, Copy)]
pub(super) enum PeerRun {
    Paths { depth: u32, diffraction: bool },
    Maps { depth: usize, planes: u32 },
}

/// The lowest plane of cells of maps, metres.
pub(super) struct Plane {
    pub(super) min: DVec2,
    pub(super) max: DVec2,
    pub(super) floor: f64,
    pub(super) cell: DVec3,
}

impl Peer<'_> {
    /// The seconds that each run takes.
    pub(super) fn seconds(
        &self,
        tx: DVec3,
        rx: &[DVec3],
        plane: &Plane,
        runs: &[PeerRun],
    ) -> Result<Vec<f64>> {
        let runs: Vec<Value> = runs.iter().map(|run| run.told(plane)).collect();
        let rx: Vec<[f64; 3]> = rx.iter().map(DVec3::to_array).collect();
        let asked = json!({ "scene": self.scene, "tx": tx.to_array(), "rx": rx, "runs": runs });
        let file = std::env::temp_dir().join(format!("keller-runs-{}.json", std::process::id()));
        std::fs::write(&file, asked.to_string())?;
        let script = root().join("benches/peer/whole_runs.py");
        let run = Command::new(self.python).arg(script).arg(&file).output();
        let run = run.with_context(|| self.python.display().to_string())?;
        std::fs::remove_file(&file)?;
        if !run.status.success() {
            bail!("the peer failed: {}", String::from_utf8_lossy(&run.stderr));
        }
        let text = String::from_utf8_lossy(&run.stdout);
        let last = text.lines().last().unwrap_or_default();
        let seconds: Vec<f64> =
            serde_json::from_str(last).with_context(|| format!("the peer said {last}"))?;
        ensure!(seconds.len() == runs.len(), "the peer said {last}");
        Ok(seconds)
    }
}

impl PeerRun {
    fn told(self, plane: &Plane) -> Value {
        match self {
            Self::Paths { depth, diffraction } => json!({
                "kind": "paths", "depth": depth, "transmissions": true, "diffraction": diffraction,
            }),
            Self::Maps { depth, planes } => {
                let middle = |k: u32| plane.floor + plane.cell.z * (f64::from(k) + 0.5);
                json!({
                    "kind": "maps",
                    "depth": depth,
                    "center": (0.5 * (plane.min + plane.max)).to_array(),
                    "size": (plane.max - plane.min).to_array(),
                    "cell": plane.cell.truncate().to_array(),
                    "heights": (0..planes).map(middle).collect::<Vec<f64>>(),
                })
            }
        }
    }
}

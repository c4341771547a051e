//! Runs that are killed at any moment, again and again, and end with the bytes of one that was left alone.

#![cfg(unix)]

use std::time::Instant;

use crate::common::{Folder, street};

/// Parts of the time of a whole run after which the run is stopped: the first, then what goes on, and so on.
const MOMENTS: [f64; 9] = [0.02, 0.11, 0.37, 0.6, 0.23, 0.5, 0.07, 0.3, 0.45];

/// Runs `args`, stops it at these moments, each time with the next signal, and lets the last run end. Returns how often
/// it was stopped before it ended by itself.
fn stopped_again_and_again(folder: &Folder, args: &str, seconds: f64) -> usize {
    let keller = env!("CARGO_BIN_EXE_keller");
    let mut stopped = 0;
    for (k, moment) in MOMENTS.into_iter().enumerate() {
        let signal = ["KILL", "KILL", "INT"][k % 3];
        let run = folder.shell(&format!(
            "{keller} {args} --threads {} & p=$!; sleep {:.4}; kill -{signal} $p 2>/dev/null; wait $p",
            1 + k % 3,
            moment * seconds
        ));
        if run.code == Some(0) {
            return stopped;
        }
        let is_signal = matches!(run.code, Some(130 | 137));
        assert!(is_signal, "{:?}: {}", run.code, run.stderr);
        stopped += 1;
    }
    let run = folder.keller(&args.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    stopped
}

/// Runs `args` undisturbed, then the same to another file with stops.
fn check(folder: &Folder, args: &str, whole: &str, torn: &str) {
    let start = Instant::now();
    let run = folder.keller(
        &format!("{args} {whole} --threads 1")
            .split(' ')
            .collect::<Vec<_>>(),
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let seconds = start.elapsed().as_secs_f64();
    let resume = if args.starts_with("coverage") {
        " --resume"
    } else {
        ""
    };
    let stopped = stopped_again_and_again(folder, &format!("{args} {torn}{resume}"), seconds);
    assert!(stopped >= 3, "only {stopped} runs were stopped");
    let is_same = folder.read_bytes(whole) == folder.read_bytes(torn);
    assert!(is_same, "other bytes after {stopped} stops");
    let left: Vec<String> = folder.names();
    let is_left = |name: &String| name.contains(".part") || name.contains(".tmp");
    assert!(!left.iter().any(is_left), "{left:?}");
}

#[test]
fn visibility_ends_with_the_same_bytes() {
    let folder = Folder::new("stops-visibility");
    folder.write("street.obj", &street());
    let args = "visibility street.obj --tile 1.2 -o";
    check(&folder, args, "whole.vis", "torn.vis");
}

#[test]
fn surfaces_end_with_the_same_bytes() {
    let folder = Folder::new("stops-surfaces");
    folder.write("street.obj", &street());
    let tx = (0..12).map(|k| format!("[[tx]]\nposition = [{}, 0, 14]\n", 12 * k));
    let scenario = format!(
        "frequency_hz = 3.5e9\n[scene]\nfile = \"street.obj\"\n{}[materials.concrete]\nitu = \"concrete\"\nscattering = 0.3\n[paths]\nmax_interactions = 2\nmax_reflections = 2\nmax_scatterings = 1\n[tiles]\nside = 2.5\n[coverage]\nengine = \"tiles\"\n",
        tx.collect::<String>()
    );
    folder.write("c.toml", &scenario);
    check(&folder, "coverage c.toml -o", "whole.npz", "torn.npz");
}

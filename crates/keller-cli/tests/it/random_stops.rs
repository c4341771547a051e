//! Runs that are killed again and again while they work, and end with the bytes of one that was left alone.

#![cfg(unix)]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::common::{Folder, street};

/// The largest number of times that a run is stopped.
const MOST_STOPS: u32 = 9;

/// Runs `args` until it has kept more than there was in `part`, stops it with the next signal, runs it again, and so on,
/// and lets the last run end. Returns how often it was stopped before it ended by itself.
fn stopped_again_and_again(folder: &Folder, args: &str, part: &str) -> u32 {
    for k in 0..MOST_STOPS {
        let size = || fs::metadata(folder.path(part)).map_or(0, |part| part.len());
        let before = size();
        let threads = (1 + k % 3).to_string();
        let mut run = Command::new(env!("CARGO_BIN_EXE_keller"))
            .args(args.split(' '))
            .args(["--threads", &threads])
            .current_dir(folder.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("keller runs");
        while size() <= before && run.try_wait().unwrap().is_none() {
            sleep(Duration::from_millis(1));
        }
        // Now at once, now amid the next block.
        sleep(Duration::from_millis(u64::from(3 * (k % 4))));
        stop(&run, ["KILL", "KILL", "INT"][k as usize % 3]);
        let ended = run.wait().unwrap();
        if ended.success() {
            return k;
        }
        let is_stopped = ended.signal() == Some(9) || ended.code() == Some(130);
        assert!(is_stopped, "{ended:?}");
    }
    let run = folder.keller(&args.split(' ').collect::<Vec<_>>());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    MOST_STOPS
}

fn stop(run: &Child, signal: &str) {
    let kill = format!("kill -{signal} {} 2>/dev/null", run.id());
    // It may have ended by itself.
    _ = Command::new("sh").args(["-c", &kill]).status();
}

/// Runs `args` undisturbed, then the same to another file with stops.
fn check(folder: &Folder, args: &str, whole: &str, torn: &str) {
    let run = folder.keller(
        &format!("{args} {whole} --threads 1")
            .split(' ')
            .collect::<Vec<_>>(),
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let resume = if args.starts_with("coverage") {
        " --resume"
    } else {
        ""
    };
    let part = format!("{torn}.part");
    let stopped = stopped_again_and_again(folder, &format!("{args} {torn}{resume}"), &part);
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
        "frequency_hz = 3.5e9\n[scene]\nfile = \"street.obj\"\n{}[materials.concrete]\nitu = \"concrete\"\nscattering = 0.3\n[paths]\nmax_interactions = 2\nmax_reflections = 2\nmax_scatterings = 1\n[tiles]\nside = 2.5\n[coverage]\nengine = \"surfaces\"\n",
        tx.collect::<String>()
    );
    folder.write("c.toml", &scenario);
    check(&folder, "coverage c.toml -o", "whole.npz", "torn.npz");
}

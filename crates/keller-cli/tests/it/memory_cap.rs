//! `--memory` is kept to, whatever takes the memory, and too little of it is reported as such.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::common::{Folder, street};

const SCENARIO: &str = "frequency_hz = 3.5e9\n[scene]\nfile = \"street.obj\"\n[materials.concrete]\nitu = \"concrete\"\nscattering = 0.3\n\
[[tx]]\nname = \"a\"\nposition = [1, 0, 5]\n[[tx]]\nname = \"b\"\nposition = [40, 1, 6]\n\
[paths]\nmax_interactions = 1\nmax_reflections = 1\n[diffuse]\nside = 1.2\ntile_rays = 256\n\
[coverage]\nengine = \"points\"\nmin = [0, -4]\nmax = [40, 4]\nresolution = 0.5\nheights = [1.5]\n";

fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("street.obj", &street());
    folder.write("c.toml", SCENARIO);
    let rows = (0..60).map(|k| {
        let tx = ["a", "b"][k % 2];
        format!("{tx},{},{},1.5,-80\n", 2 + k / 2, k % 7)
    });
    folder.write(
        "m.csv",
        &("tx,x,y,z,path_gain_db\n".to_owned() + &rows.collect::<String>()),
    );
    folder
}

/// Runs a command; its exit code, its messages, and the largest memory that it had while it was looked at, bytes.
fn watched(folder: &Folder, args: &[&str]) -> (Option<i32>, String, u64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_keller"));
    command.args(args).current_dir(folder.path(""));
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    let code = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let found = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        most = most.max(found.unwrap_or(0) * 1024);
        if let Some(code) = child.try_wait().unwrap() {
            break code.code();
        }
        thread::sleep(Duration::from_millis(1));
    };
    let mut told = String::new();
    child.stderr.unwrap().read_to_string(&mut told).unwrap();
    (code, told, most)
}

/// Each of two threads may take so much before it looks again, bytes.
const SLACK: u64 = 2 << 20;

/// Threads give back memory that others took, so the heap holds more than is allocated.
#[test]
fn a_cap_holds_for_the_diffuse_field_of_measurements() {
    let folder = folder("cap-compare");
    let args = ["compare", "c.toml", "m.csv", "--threads", "2"];
    let (code, told, peak) = watched(&folder, &args);
    assert_eq!(code, Some(0), "{told}");
    for share in [60, 75, 90] {
        let cap = peak * share / 100;
        let memory = format!("{cap}B");
        let (code, told, most) = watched(&folder, &[&args[..], &["--memory", &memory]].concat());
        assert!(
            most <= cap + SLACK,
            "{share} %: {most} of {cap} bytes: {told}"
        );
        // Some runs can do with less.
        assert!(matches!(code, Some(0 | 3)), "{share} %: {code:?}: {told}");
        assert!(code == Some(0) || told.contains("--memory"), "{told}");
    }
}

#[test]
fn too_little_memory_for_the_diffuse_field_of_cells_is_no_stop() {
    let folder = folder("cap-coverage");
    let args = ["coverage", "c.toml", "-o", "c.npz"];
    let (code, told, peak) = watched(&folder, &args);
    assert_eq!(code, Some(0), "{told}");
    fs::remove_file(folder.path("c.npz")).unwrap();
    let memory = format!("{}B", peak * 6 / 10);
    let (code, told, _) = watched(&folder, &[&args[..], &["--memory", &memory]].concat());
    assert_eq!(code, Some(3), "{told}");
    assert!(told.contains("--memory"), "{told}");
    assert!(!told.contains("stopped"), "{told}");
    assert!(!folder.path("c.npz").exists());
}

/// Tubes of all directions at once would take 500 bytes for a column, and more.
#[test]
fn a_column_of_tubes_takes_little_memory() {
    const MOST: u64 = 150;
    let folder = folder("cap-tubes");
    let scenario = |resolution: f64| {
        format!(
            "frequency_hz = 3.5e9\n[scene]\nfile = \"street.obj\"\n[materials.concrete]\nitu = \"concrete\"\n\
             [[tx]]\nposition = [80, 1, 5]\n[paths]\nmax_interactions = 1\nmax_reflections = 1\n\
             [coverage]\nengine = \"tubes\"\nmin = [0, -40]\nmax = [160, 40]\nheights = [1.5]\n\
             resolution = {resolution}\n"
        )
    };
    let peak = |resolution| {
        folder.write("t.toml", &scenario(resolution));
        let args = ["coverage", "t.toml", "-o", "t.npz", "--threads", "2"];
        let (code, told, peak) = watched(&folder, &args);
        assert_eq!(code, Some(0), "{told}");
        peak
    };
    let [small, large] = [8.0, 0.2].map(peak);
    let columns = 800 * 400;
    assert!(large < small + MOST * columns, "{large} beside {small}");
}

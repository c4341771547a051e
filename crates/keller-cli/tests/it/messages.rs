//! Messages of the program: their readers may have gone or stand still, and names may hold anything.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Folder, SCENARIO};

const KELLER: &str = env!("CARGO_BIN_EXE_keller");

/// Longer than a stopped run takes.
const AT_MOST: Duration = Duration::from_secs(5);

/// A folder with a scenario whose paths and cells take minutes on any machine, and the arguments of runs of it.
fn long(test: &str) -> (Folder, [(&'static str, &'static str); 3]) {
    let folder = Folder::new(test);
    let town = folder.keller(&["demo", "-o", "town"]);
    assert_eq!(town.code, Some(0), "{}", town.stderr);
    let scenario = folder.read("town/scenario.toml").replace(
        "[paths]",
        "[paths]\nsearch = \"launch\"\neffort = \"thorough\"",
    );
    let many = "[[tx]]\nposition = [1, 1, 30]\n".repeat(300);
    let cells = "[coverage]\nengine = \"points\"\nresolution = 1\nheights = [1.5]\n";
    folder.write("town/long.toml", &format!("{scenario}{many}"));
    folder.write("town/cells.toml", &format!("{scenario}{cells}"));
    let runs = [
        ("paths town/long.toml -o town/p.csv", ".p.csv."),
        ("channel town/long.toml -o town/c.npz", ".c.npz."),
        ("coverage town/cells.toml -o town/m.npz", ".m.npz."),
    ];
    (folder, runs)
}

/// Starts a run and waits until its unfinished file is there.
fn start(folder: &Folder, (args, unfinished): (&str, &str), stderr: Stdio) -> Child {
    let mut child = Command::new(KELLER)
        .args(args.split(' '))
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(stderr)
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    let is_there = || {
        folder
            .names_in("town")
            .iter()
            .any(|name| name.starts_with(unfinished))
    };
    while !is_there() {
        assert_eq!(child.try_wait().unwrap(), None, "{args} ended");
        sleep(Duration::from_millis(5));
    }
    child
}

/// Stops a run by a signal. Returns its exit code, if it ends soon.
fn stopped(child: &mut Child, signal: &str) -> Option<i32> {
    let kill = Command::new("sh")
        .args(["-c", &format!("kill -{signal} {}", child.id())])
        .status();
    assert!(kill.unwrap().success(), "the run has ended");
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if start.elapsed() > AT_MOST {
            child.kill().unwrap();
            child.wait().unwrap();
            return None;
        }
        sleep(Duration::from_millis(10));
    }
}

fn unfinished(folder: &Folder) -> Vec<String> {
    let mut names = folder.names_in("town");
    names.retain(|name| name.contains(".tmp"));
    names
}

#[test]
fn a_signal_ends_a_run_whose_messages_nobody_reads() {
    let (folder, runs) = long("closed-stderr");
    for run in runs {
        // Now at once, now amid the work.
        for delay in [0, 300] {
            let mut child = start(&folder, run, Stdio::piped());
            sleep(Duration::from_millis(delay));
            assert_eq!(
                stopped(&mut child, "TERM"),
                Some(143),
                "{} after {delay} ms",
                run.0
            );
            assert_eq!(unfinished(&folder), [""; 0], "{}", run.0);
            let part = run.0.rsplit(' ').next().unwrap();
            fs::remove_file(folder.path(&format!("{part}.part"))).ok();
        }
    }
}

#[test]
fn a_signal_ends_a_run_whose_messages_wait_for_a_reader() {
    let (folder, runs) = long("full-stderr");
    let (reader, mut writer) = std::io::pipe().unwrap();
    // The text fills a pipe of Linux, so that the next message waits.
    let filler = writer.try_clone().unwrap();
    let mut filled = Command::new("head")
        .args(["-c", "200000", "/dev/zero"])
        .stdout(filler)
        .spawn()
        .unwrap();
    sleep(Duration::from_millis(300));
    filled.kill().unwrap();
    filled.wait().unwrap();
    let mut child = start(&folder, runs[0], Stdio::from(writer.try_clone().unwrap()));
    sleep(Duration::from_millis(300));
    assert_eq!(stopped(&mut child, "TERM"), Some(143));
    assert_eq!(unfinished(&folder), [""; 0]);
    drop(reader);
    assert!(writer.write_all(b"x").is_err(), "nobody reads");
}

/// Whoever reads standard output may go at any time: that is no failure, and not a word is said.
#[test]
fn a_closed_standard_output_is_no_failure() {
    let folder = Folder::new("closed-stdout");
    let cells = "[coverage]\nmin = [-9, -9]\nmax = [9, 9]\nresolution = 3\nheights = [2]\n";
    folder.write("c.toml", &format!("{SCENARIO}{cells}"));
    for args in [
        "coverage c.toml -o c.npz --json",
        "coverage c.toml",
        "paths s.toml --json",
        "paths s.toml -o p.csv --json",
        "scene s.toml",
        "view s.toml -o v.html",
        "view s.toml --serve --no-open",
        "help",
        "completions bash",
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut child = Command::new(KELLER)
            .args(args.split(' '))
            .current_dir(folder.path(""))
            .stdout(writer)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{args}: {stderr}");
        assert!(
            !stderr.contains("panicked") && !stderr.contains("keller:"),
            "{args}: {stderr}"
        );
    }
}

#[test]
fn a_name_moves_no_cursor_and_makes_up_no_line() {
    let folder = Folder::new("control");
    let name = "a\u{1b}[2J\u{9b}31m\u{7f}\u{8}b";
    folder.write(
        "square.obj",
        &crate::common::SQUARE.replace("concrete", name),
    );
    for line in [
        "paths s.toml",
        "import square.obj -o x.glb",
        "scene square.obj",
    ] {
        let run = folder.keller(&line.split(' ').collect::<Vec<_>>());
        assert!(
            !run.stderr.contains(|c: char| c.is_control() && c != '\n'),
            "{:?}",
            run.stderr
        );
    }
    let run = folder.keller(&["paths", "s.toml"]);
    assert!(
        run.stderr.contains("a\\u{1b}[2J\\u{9b}31m\\u{7f}\\u{8}b"),
        "{:?}",
        run.stderr
    );
    // Names on the command line come from scripts that list folders.
    let run = folder.keller(&["paths", "no\nkeller: all is well\u{1b}.toml"]);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    assert!(
        run.stderr.contains("no\\nkeller: all is well\\u{1b}.toml"),
        "{}",
        run.stderr
    );
}

//! `--only-from`: the files that a scenario of somebody else reads.

#![cfg(unix)]

use crate::common::{Folder, SCENARIO};

#[test]
fn a_scenario_of_somebody_else_reads_in_its_folder_alone() {
    let folder = Folder::new("only-from");
    folder.must("mkdir -p theirs/below mine && cp square.obj theirs && cp square.obj theirs/below && cp square.obj mine");
    folder.must("ln -s ../mine/square.obj theirs/link.obj && ln -s ../mine theirs/away && ln -s square.obj theirs/near.obj");
    let secret = folder.path("mine/square.obj");
    let run = |name: &str, more: &[&str]| {
        folder.write("theirs/s.toml", &SCENARIO.replace("square.obj", name));
        folder.keller(&[&["paths", "theirs/s.toml"], more].concat())
    };
    let only = ["--only-from", "theirs"];
    for name in [
        "square.obj",
        "below/square.obj",
        "below/../square.obj",
        "near.obj",
    ] {
        let told = run(name, &only);
        assert_eq!(told.code, Some(0), "{name}: {}", told.stderr);
    }
    for name in [
        secret.to_str().unwrap(),
        "../mine/square.obj",
        "link.obj",
        "away/square.obj",
    ] {
        assert_eq!(run(name, &[]).code, Some(0), "{name}");
        let told = run(name, &only);
        assert_eq!(told.code, Some(2), "{name}: {}", told.stderr);
        assert!(
            told.stderr.contains("lies outside"),
            "{name}: {}",
            told.stderr
        );
        assert!(
            told.stderr.contains("theirs/s.toml:"),
            "{name}: {}",
            told.stderr
        );
    }
    // It names other files: receivers, those that a scene names, and the scenario itself.
    folder.write("mine/rx.csv", "x,y,z\n1,1,1\n");
    let rx = "square.obj\"\n[[rx]]\nfile = \"../mine/rx.csv";
    let told = run(rx, &only);
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    assert!(told.stderr.contains("lies outside"), "{}", told.stderr);
    folder.must("cp theirs/s.toml mine");
    let told = folder.keller(&["paths", "mine/s.toml", "--only-from", "theirs"]);
    assert!(told.stderr.contains("lies outside"), "{}", told.stderr);
    // Results go anywhere.
    let told = run("square.obj", &["-o", "mine/p.csv", "--only-from", "theirs"]);
    assert_eq!(told.code, Some(0), "{}", told.stderr);
    let told = run("square.obj", &["--only-from", "nowhere"]);
    assert_eq!(told.code, Some(2), "{}", told.stderr);
    assert!(
        told.stderr.contains("--only-from nowhere"),
        "{}",
        told.stderr
    );
}

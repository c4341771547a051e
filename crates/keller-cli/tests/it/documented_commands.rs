//! Every command that the pages show can be run as it stands there, from the folder of the repository.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Folder;

/// The pages, from the folder of the repository, and how many commands each shows at least.
const PAGES: [(&str, usize); 3] = [
    ("README.md", 3),
    ("examples/README.md", 5),
    ("examples/village/scenario.toml", 2),
];

/// How pages call the program.
const PREFIXES: [&str; 2] = ["cargo run --release -p keller-cli -- ", "keller "];

#[test]
fn every_command_of_the_pages_runs_as_it_stands_there() {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (page, least) in PAGES {
        let folder = Folder::new(&format!("documented-{}", page.replace('/', "-")));
        folder.copy(&repository.join("examples"), Path::new("examples"));
        let text = fs::read_to_string(repository.join(page)).unwrap();
        let commands = commands(&text);
        assert!(commands.len() >= least, "{page} shows {commands:?} only");
        for arguments in commands {
            let words: Vec<&str> = arguments.split_whitespace().collect();
            let run = folder.keller(&words);
            let told = &run.stderr;
            assert_eq!(run.code, Some(0), "{page}: keller {arguments}: {told}");
            for (option, file) in words.iter().zip(&words[1..]) {
                let is_output = matches!(*option, "-o" | "--map" | "--view" | "--plot");
                assert!(
                    !is_output || folder.path(file).exists(),
                    "{page}: keller {arguments} wrote no {file}"
                );
            }
            // A newcomer should see no warning at first steps.
            assert!(
                !told.contains("warning"),
                "{page}: keller {arguments}: {told}"
            );
        }
    }
}

#[test]
fn a_scene_that_has_not_been_made_yet_is_refused_with_the_command_that_makes_it() {
    let repository = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Folder::new("not-made");
    folder.copy(&repository.join("examples"), Path::new("examples"));
    let run = folder.keller(&["coverage", "examples/village/scenario.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let command = run
        .stderr
        .split('`')
        .find(|part| part.starts_with("keller import "));
    let command = command.unwrap_or_else(|| panic!("no command in: {}", run.stderr));
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    assert_eq!(folder.keller(&words).code, Some(0), "{command}");
    let run = folder.keller(&["coverage", "examples/village/scenario.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

/// The arguments of all commands on lines of their own, indented or behind a `#`. What has brackets, bars or capitals for names of files
/// is a summary of options and no command.
fn commands(text: &str) -> Vec<&str> {
    let shown = text.lines().filter_map(|line| {
        let indented = line.strip_prefix("    ").or(line.strip_prefix("#   "))?;
        PREFIXES
            .iter()
            .find_map(|prefix| indented.strip_prefix(prefix))
    });
    let is_placeholder = |word: &str| {
        let stem = word.split('.').next().unwrap_or_default();
        word.contains(['[', ']', '|'])
            || (stem.len() > 1 && stem.chars().all(char::is_uppercase))
            || word == "scenario.toml"
            || word == "scene.glb"
    };
    shown
        .filter(|arguments| !arguments.split_whitespace().any(is_placeholder))
        .collect()
}

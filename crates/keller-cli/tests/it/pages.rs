//! The pages are true: every command and scenario in them runs as it stands there, links lead somewhere, labels exist, and the
//! Reference is what the program says.
//!
//! Pages mark what is run by the language of a fenced block:
//! - `toml` or `csv`: a file. Its first line is a comment with the file's name, `# office.toml`.
//! - `console`: lines that begin with `$ ` are commands, run in order in a folder of the page's own with copies of
//!   `examples/` and `cases/`. All other lines are output: each must occur, with any text in place of `…`. Warnings are
//!   errors unless the block shows them.
//! - `console no-run: REASON`: commands that are not run.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Folder;

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_readme_runs() {
    assert!(run_page("README.md") >= 3, "README shows too few commands");
}

#[test]
fn the_start_of_the_book_runs() {
    assert!(
        run_page("docs/src/start.md") >= 5,
        "Start shows too few commands"
    );
}

#[test]
fn the_examples_run() {
    assert!(run_page("examples/README.md") >= 5, "too few commands");
    // A scenario that says in its comments how to run it.
    let scenario = "examples/village/scenario.toml";
    let text = fs::read_to_string(repository().join(scenario)).unwrap();
    let commands: Vec<&str> = text
        .lines()
        .filter_map(|l| l.strip_prefix("#   "))
        .collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    let page = fs::read_to_string(repository().join("examples/README.md")).unwrap();
    for command in commands {
        assert!(
            page.contains(&format!("$ {command}\n")),
            "examples/README.md lacks {command}"
        );
    }
}

#[test]
fn the_rest_of_the_book_runs() {
    let mut num_commands = 0;
    for page in book() {
        if page != "docs/src/start.md" {
            num_commands += run_page(&page);
        }
    }
    assert!(
        num_commands > 20,
        "the guide shows {num_commands} commands only"
    );
}

#[test]
fn a_scene_that_has_not_been_made_yet_is_refused_with_the_command_that_makes_it() {
    let folder = folder_of("not-made");
    let run = folder.keller(&["coverage", "examples/village/scenario.toml"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    let command = run
        .stderr
        .split('`')
        .find(|part| part.starts_with("keller import "));
    let command = command.unwrap_or_else(|| panic!("no command in: {}", run.stderr));
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    assert_eq!(folder.keller(&words).code, Some(0), "{command}");
    let run = folder.keller(&["scene", "examples/village/scenario.toml"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

#[test]
fn the_reference_is_what_the_program_says() {
    let folder = folder_of("reference");
    let run = folder.keller(&["reference", ".", "--python", "program.py"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let (pages, package) = ("docs/src/reference", "crates/keller-py/python/keller");
    for (committed, name) in [
        (pages, "scenario.md"),
        (pages, "tables.md"),
        (pages, "commands.md"),
        (pages, "exit-codes.md"),
        (package, "program.py"),
        (package, "options.py"),
    ] {
        let now = fs::read_to_string(folder.path(name)).unwrap();
        let committed = format!("{committed}/{name}");
        let text = fs::read_to_string(repository().join(&committed)).unwrap_or_default();
        assert!(
            now == text,
            "{committed} is stale. Renew it with\n    cargo run -p keller-cli -- reference {pages} --python {package}/program.py"
        );
    }
}

/// Files and folders that the map of the code names are there: each is the end of a path in the repository.
#[test]
fn the_map_names_files_that_exist() {
    fn gather(folder: &Path, all: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name == "target" || name == "node_modules" || name == ".git" {
                continue;
            }
            all.push(path.to_string_lossy().replace('\\', "/"));
            if path.is_dir() {
                gather(&path, all);
            }
        }
    }
    let mut all = Vec::new();
    gather(&repository(), &mut all);
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let named = text.split('`').skip(1).step_by(2);
    let is_place = |word: &&str| {
        let is_file = word.contains(".rs") || word.ends_with('/') || word.contains(".py");
        is_file && !word.contains([' ', ':', '*', '<'])
    };
    let mut count = 0;
    for word in named.filter(is_place) {
        let end = format!("/{}", word.trim_end_matches('/'));
        assert!(
            all.iter().any(|path| path.ends_with(&end)),
            "ARCHITECTURE.md: nothing is at {word}"
        );
        count += 1;
    }
    assert!(count > 50, "{count} places");
}

#[test]
fn links_between_pages_lead_somewhere() {
    let others = [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "examples/README.md",
    ];
    let pages = book().into_iter().chain(others.map(str::to_owned));
    for page in pages {
        let file = repository().join(&page);
        let text = fs::read_to_string(&file).unwrap();
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            if link.contains("://") {
                continue;
            }
            let (name, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if name.is_empty() {
                file.clone()
            } else {
                file.parent().unwrap().join(name)
            };
            assert!(target.exists(), "{page}: nothing is at {link}");
            if !anchor.is_empty() {
                let anchors = anchors(&fs::read_to_string(&target).unwrap());
                assert!(
                    anchors.iter().any(|a| a == anchor),
                    "{page}: no anchor {link}"
                );
            }
        }
    }
}

#[test]
fn the_summary_has_every_page() {
    let summary = fs::read_to_string(repository().join("docs/src/SUMMARY.md")).unwrap();
    for page in book() {
        let name = page.strip_prefix("docs/src/").unwrap();
        let is_listed = name == "SUMMARY.md" || summary.contains(&format!("({name})"));
        assert!(is_listed, "SUMMARY.md lacks {name}");
    }
}

#[test]
fn labels_of_the_theory_that_the_code_points_to_exist() {
    let mut anchors_of_theory = Vec::new();
    for page in book().iter().filter(|page| page.contains("/theory/")) {
        anchors_of_theory.extend(anchors(
            &fs::read_to_string(repository().join(page)).unwrap(),
        ));
    }
    let mut num_labels = 0;
    let mut files = Vec::new();
    list(&repository().join("crates"), "rs", &mut files);
    for file in files
        .iter()
        .filter(|file| file.iter().any(|part| part == "src"))
    {
        // Comments as one line, so that a label may stand in the line after its reference.
        let lines = fs::read_to_string(file).unwrap();
        let text: Vec<&str> = lines
            .lines()
            .map(|l| l.trim().trim_start_matches(['/', '!', ' ']))
            .collect();
        for reference in text.join(" ").split("heory page: ").skip(1) {
            let mut rest = reference;
            while let Some((label, after)) = rest.strip_prefix('`').and_then(|r| r.split_once('`'))
            {
                let is_there = anchors_of_theory.iter().any(|anchor| anchor == label);
                assert!(is_there, "{}: no theory page has `{label}`", file.display());
                num_labels += 1;
                rest = after.trim_start_matches([',', ' ']);
            }
        }
    }
    assert!(
        num_labels > 50,
        "only {num_labels} labels are found: do comments write them differently?"
    );
}

/// The pages of the book, from the folder of the repository.
fn book() -> Vec<String> {
    let mut files = Vec::new();
    list(&repository().join("docs/src"), "md", &mut files);
    let pages = files
        .iter()
        .map(|file| file.strip_prefix(repository()).unwrap());
    pages
        .map(|page| page.to_str().unwrap().to_owned())
        .collect()
}

/// Adds all files with an extension, in the order of their names.
fn list(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            list(&path, extension, files);
        } else if path.extension().is_some_and(|e| e == extension) {
            files.push(path);
        }
    }
}

/// The targets that links can have in a page: headings, and `<a id="...">`.
fn anchors(text: &str) -> Vec<String> {
    let named = text.split("<a id=\"").skip(1);
    let named = named.filter_map(|rest| rest.split('"').next().map(str::to_owned));
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let of_heading = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    named.chain(headings.map(of_heading)).collect()
}

/// A folder with the examples and the cases.
fn folder_of(page: &str) -> Folder {
    let folder = Folder::new(&format!("page-{}", page.replace('/', "-")));
    for inputs in ["examples", "cases"] {
        folder.copy(&repository().join(inputs), Path::new(inputs));
    }
    folder
}

/// A fenced block.
struct Block<'a> {
    line: usize,
    language: &'a str,
    lines: Vec<&'a str>,
}

/// Writes the files of a page and runs its commands; returns how many there are.
fn run_page(page: &str) -> usize {
    let text = fs::read_to_string(repository().join(page)).unwrap();
    let folder = folder_of(page);
    let mut num_commands = 0;
    for block in blocks(page, &text) {
        let place = format!("{page}:{}", block.line);
        match block.language.split_once(": ") {
            Some(("console no-run" | "python no-run", reason)) if !reason.is_empty() => continue,
            _ => {}
        }
        match block.language {
            "console" => {
                let mut rest = &block.lines[..];
                while let [command, after @ ..] = rest {
                    let command = command.strip_prefix("$ ");
                    let command =
                        command.unwrap_or_else(|| panic!("{place}: output before a command"));
                    let length = after
                        .iter()
                        .take_while(|line| !line.starts_with("$ "))
                        .count();
                    run(&folder, &place, command, &after[..length]);
                    num_commands += 1;
                    rest = &after[length..];
                }
            }
            "toml" | "csv" => {
                let name = block.lines.first().and_then(|line| line.strip_prefix("# "));
                let name = name.unwrap_or_else(|| panic!("{place}: no name of a file"));
                assert!(
                    text.contains(&name[name.rfind('/').map_or(0, |i| i + 1)..]),
                    "{place}"
                );
                folder.write(name, &(block.lines.join("\n") + "\n"));
            }
            // Programs are compiled as tests of their crate.
            "text" | "rust" | "rust,no_run" | "python" => {}
            other => panic!("{place}: a block of `{other}` is neither run nor marked"),
        }
    }
    num_commands
}

/// The fenced blocks of a page.
fn blocks<'a>(page: &str, text: &'a str) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().map(|(_, line)| line);
            let inside: Vec<&str> = inside.take_while(|line| *line != "```").collect();
            blocks.push(Block {
                line: number + 1,
                language,
                lines: inside,
            });
        }
        assert!(
            !line.starts_with("    keller "),
            "{page}:{}: a command outside a block",
            number + 1
        );
    }
    blocks
}

/// Runs a command that must succeed, and looks for the output that the page shows.
fn run(folder: &Folder, place: &str, command: &str, shown: &[&str]) {
    let arguments = command.strip_prefix("keller ");
    let arguments = arguments.unwrap_or_else(|| panic!("{place}: mark `{command}` as no-run"));
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let run = folder.keller(&words);
    let told = &run.stderr;
    assert_eq!(run.code, Some(0), "{place}: {command}: {told}");
    for (option, file) in words.iter().zip(&words[1..]) {
        let is_output = [
            "-o",
            "--picture",
            "--picture",
            "--profile",
            "--contours",
            "--glb",
            "--rays",
        ]
        .contains(option);
        // Variants have a file each, with their number in the name.
        let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
        let first = format!("{stem}-0.{extension}");
        assert!(
            !is_output || folder.path(file).exists() || folder.path(&first).exists(),
            "{place}: {command} wrote no {file}"
        );
    }
    let shows_warning = shown.iter().any(|line| line.starts_with("warning"));
    assert!(
        shows_warning || !told.contains("warning"),
        "{place}: {command}: {told}"
    );
    let output = run.stdout + told;
    for line in shown.iter().filter(|line| !line.is_empty()) {
        let is_there = output.lines().any(|found| fits(found, line));
        assert!(
            is_there,
            "{place}: {command} does not print `{line}` but\n{output}"
        );
    }
}

/// Whether a line of output is the one shown, with any text in place of `…`.
fn fits(found: &str, shown: &str) -> bool {
    let mut rest = found.trim_end();
    let mut parts = shown.split('…');
    let first = parts.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else {
        return false;
    };
    rest = after;
    let mut is_open = false;
    for part in parts {
        let Some(at) = rest.find(part.trim_end()) else {
            return false;
        };
        rest = &rest[at + part.trim_end().len()..];
        is_open = part.trim().is_empty();
    }
    rest.is_empty() || is_open
}

#[test]
fn every_array_is_in_the_reference() {
    const CELLS: &str = r#"
frequency_hz = 3.5e9
[scene]
file = "square.obj"
[[tx]]
position = [-4, 0, 3]
[[tx]]
position = [4, 0, 3]
[[rx]]
position = [4, 0, 2]
[coverage]
"#;
    let folder = folder_of("arrays");
    let plane = "resolution = 3\nheights = [1.5]\nnoise_dbm = -95\n";
    let planes = format!("{plane}height_above = \"ground\"\n");
    let runs = [
        ("cells", planes.clone() + "multipath = true\n"),
        ("roofs", planes + "engine = \"tubes\"\nrooftops = true\n"),
        ("tiles", "engine = \"surfaces\"\n".to_owned()),
    ];
    let page = repository().join("docs/src/reference/files.md");
    let page = fs::read_to_string(page).unwrap();
    let mut files = Vec::new();
    for (name, keys) in runs {
        let scenario = format!("{name}.toml");
        folder.write(&scenario, &format!("{CELLS}{keys}"));
        files.push((["coverage", &scenario, "-o", name].map(str::to_owned), name));
    }
    folder.write("links.toml", CELLS.trim_end_matches("[coverage]\n"));
    files.push((
        ["channel", "links.toml", "-o", "links"].map(str::to_owned),
        "links",
    ));
    for (mut words, name) in files {
        let file = format!("{name}.npz");
        words[3].clone_from(&file);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = folder.keller(&words);
        assert_eq!(run.code, Some(0), "{name}: {}", run.stderr);
        let archive = zip::ZipArchive::new(fs::File::open(folder.path(&file)).unwrap()).unwrap();
        assert!(archive.len() > 5, "{name}");
        for array in archive.file_names() {
            let array = array.unwrap();
            let array = array.trim_end_matches(".npy");
            assert!(
                page.contains(&format!("`{array}`")),
                "files.md lacks {array} of {name}"
            );
        }
    }
}

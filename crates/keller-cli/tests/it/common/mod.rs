//! A folder with a small scenario in it, and a way to run the program there.

#![allow(clippy::unwrap_used, reason = "what fails here fails the test")]

mod arrays;
mod street;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) use self::street::street;

/// A square of concrete, 18 m by 18 m, its centre at the origin.
pub(crate) const SQUARE: &str =
    "usemtl concrete\nv -9 -9 0\nv 9 -9 0\nv 9 9 0\nv -9 9 0\nf 1 2 3 4\n";

/// Two points above the square, 8 m apart: a direct path of 8 m and a reflection at the origin of 10 m.
pub(crate) const SCENARIO: &str = r#"frequency_hz = 3.5e9
[scene]
file = "square.obj"
[[tx]]
position = [-4, 0, 3]
[[rx]]
position = [4, 0, 3]
[paths]
search = "exhaustive"
"#;

/// A folder of its own for one test, removed at the end.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

/// A Python that has packages to read files with.
pub(crate) fn python() -> String {
    std::env::var("KELLER_PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// The result of a run of a program.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    /// A folder with `square.obj` and `s.toml`.
    pub(crate) fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("keller-cli-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        folder.write("square.obj", SQUARE);
        folder.write("s.toml", SCENARIO);
        folder
    }

    /// Runs keller here.
    pub(crate) fn keller(&self, args: &[&str]) -> Run {
        self.run(Command::new(env!("CARGO_BIN_EXE_keller")).args(args))
    }

    /// Runs a line of bash here.
    pub(crate) fn shell(&self, line: &str) -> Run {
        self.run(Command::new("bash").args(["-c", line]))
    }

    /// Standard output of a line of bash that must succeed.
    pub(crate) fn must(&self, line: &str) -> String {
        let run = self.shell(line);
        assert_eq!(run.code, Some(0), "{line}: {}{}", run.stdout, run.stderr);
        run.stdout
    }

    /// Whether a program that files are read with is there: `command` must succeed where `KELLER_READERS` lists it.
    pub(crate) fn has_reader(&self, reader: &str, command: &str) -> bool {
        let is_there = self.shell(command).code == Some(0);
        let required = std::env::var("KELLER_READERS").unwrap_or_default();
        let is_required = required.split_whitespace().any(|r| r == reader);
        assert!(
            is_there || !is_required,
            "{reader} is required, but `{command}` fails"
        );
        if !is_there {
            eprintln!("skipped: there is no {reader}");
        }
        is_there
    }

    fn run(&self, command: &mut Command) -> Run {
        let output = command.current_dir(&self.0).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Run {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// A little more than the least `--memory` with which keller does `args` here, MB. The system may have some MB more of
    /// the program's own pages in memory the next time.
    pub(crate) fn min_memory(&self, args: &[&str]) -> String {
        let is_enough = |megabytes: u32| {
            let memory = format!("{megabytes}MB");
            let run = self.keller(&[args, &["--memory", &memory]].concat());
            // A failed run was refused before the work, or ended in it, and says so once.
            if run.code != Some(0) {
                assert!(matches!(run.code, Some(2 | 3)), "{}", run.stderr);
                assert_eq!(run.stderr.matches("--memory").count(), 1, "{}", run.stderr);
            }
            // Blocks that were finished before are no part of the next attempt.
            for name in self
                .names()
                .iter()
                .filter(|name| Path::new(name).extension().is_some_and(|e| e == "part"))
            {
                fs::remove_file(self.0.join(name)).unwrap();
            }
            run.code == Some(0)
        };
        let (mut too_few, mut enough) = (4, 16);
        while !is_enough(enough) {
            (too_few, enough) = (enough, 2 * enough);
            assert!(enough < 4000, "no memory is enough");
        }
        while enough - too_few > 4 {
            let centre = u32::midpoint(too_few, enough);
            if is_enough(centre) {
                enough = centre;
            } else {
                too_few = centre;
            }
        }
        format!("{}MB", enough + 10)
    }

    /// The path of a file of this folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Copies the files and folders in `from` to `to` in this folder.
    pub(crate) fn copy(&self, from: &Path, to: &Path) {
        fs::create_dir_all(self.0.join(to)).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let target = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                self.copy(&entry.path(), &target);
            } else {
                fs::copy(entry.path(), self.0.join(target)).unwrap();
            }
        }
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    pub(crate) fn write_bytes(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    pub(crate) fn read_bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.0.join(name)).unwrap()
    }

    /// Everything in the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        self.names_in("")
    }

    /// Everything in a folder within it, sorted.
    pub(crate) fn names_in(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(folder)).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

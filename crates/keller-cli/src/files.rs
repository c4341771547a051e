//! The files of a run: no output is one that is read or another output, and there is room for them.
//!
//! Files are the same where their names lead to the same place, over links and `..` too, or where they are one file under two names (hard links).

use std::path::{Path, PathBuf};

use bytesize::ByteSize;

use crate::failure::Failure;

/// The ending that the name of a file gets for the file in which blocks are kept.
const PART: &str = ".part";

/// The outputs of a run, each with the option that asks for it.
#[derive(Debug, Default)]
pub(crate) struct Outputs(Vec<(String, PathBuf)>);

impl Outputs {
    /// Adds the file that `option` names, if it names one, and the files that are written next to it.
    #[must_use]
    pub(crate) fn with(mut self, option: &str, file: Option<&Path>) -> Self {
        if let Some(file) = file {
            self.0.push((option.to_owned(), file.to_owned()));
            if file
                .extension()
                .is_some_and(|own| own.eq_ignore_ascii_case("csv"))
            {
                self.beside(option, file, ".meta.json");
            }
        }
        self
    }

    /// Adds the file `.part` next to the first output, in which blocks are kept.
    #[must_use]
    pub(crate) fn with_part(mut self) -> Self {
        if let Some((option, file)) = self.0.first().cloned() {
            self.beside(&option, &file, PART);
        }
        self
    }

    /// The outputs of both.
    #[must_use]
    pub(crate) fn and(mut self, other: &Self) -> Self {
        self.0.extend_from_slice(&other.0);
        self
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Fails where a run is to go on though it names no file next to which anything was kept.
    pub(crate) fn check_resume(&self, is_asked: bool) -> Result<(), Failure> {
        if is_asked && self.is_empty() {
            let problem = "--resume: without a file to write nothing was kept; name the same files as the run that was stopped";
            return Err(Failure::Input(problem.to_owned()));
        }
        Ok(())
    }

    /// The extension of the first output, in lower case.
    pub(crate) fn first_extension(&self) -> String {
        let extension = self.0.first().and_then(|(_, file)| file.extension());
        extension
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase()
    }

    /// The name of the file `.part` next to the first output.
    pub(crate) fn part(&self) -> Option<PathBuf> {
        let (_, file) = self.0.first()?;
        Some(with_end(file, PART))
    }

    fn beside(&mut self, option: &str, file: &Path, end: &str) {
        self.0.push((option.to_owned(), with_end(file, end)));
    }

    /// Fails if an output is one of `inputs`, or two outputs are one file. Call this before anything is opened.
    pub(crate) fn check<'p>(
        &self,
        inputs: impl IntoIterator<Item = &'p Path>,
    ) -> Result<(), Failure> {
        let read: Vec<(&Path, Identity)> = inputs
            .into_iter()
            .map(|file| (file, Identity::of(file)))
            .collect();
        let mut written: Vec<(&str, &Path, Identity)> = Vec::new();
        for (option, file) in &self.0 {
            let identity = Identity::of(file);
            let told = format!("{option} {}", file.display());
            if let Some((input, _)) = read.iter().find(|(_, own)| own.is(&identity)) {
                let which = if *input == file {
                    String::new()
                } else {
                    format!(", as {}", input.display())
                };
                return Err(Failure::Input(format!(
                    "{told}: this run reads that file{which}, and would overwrite it; accepted: another name"
                )));
            }
            if let Some((other, name, _)) = written.iter().find(|(.., own)| own.is(&identity)) {
                return Err(Failure::Input(format!(
                    "{told}: {other} {} is the same file; accepted: a name for each",
                    name.display()
                )));
            }
            written.push((option, file, identity));
        }
        Ok(())
    }

    /// Fails if where the first output goes there is no room for so many bytes.
    pub(crate) fn check_room(&self, bytes: u64, what: &str) -> Result<(), Failure> {
        let Some((option, file)) = self.0.first() else {
            return Ok(());
        };
        match room(file) {
            Some(room) if room < bytes => Err(Failure::Input(format!(
                "{option} {}: {what} takes {}, and there is room for {}",
                file.display(),
                ByteSize(bytes),
                ByteSize(room)
            ))),
            _ => Ok(()),
        }
    }
}

/// A file with a name before its extension: `map.tif` becomes `map-NAME.tif`.
pub(crate) fn with_name(file: &Path, name: &str) -> PathBuf {
    let stem = file.file_stem().unwrap_or_default();
    let mut own = stem.to_owned();
    own.push("-");
    own.push(name);
    if let Some(extension) = file.extension() {
        own.push(".");
        own.push(extension);
    }
    file.with_file_name(own)
}

fn with_end(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// The identity of the file that a name means.
#[derive(Debug, Default, PartialEq)]
struct Identity {
    /// The place where it leads, over all links; of a file that is not there yet, where it will be.
    place: Option<PathBuf>,
    /// Device and number of a file that is there.
    number: Option<[u64; 2]>,
}

impl Identity {
    fn of(file: &Path) -> Self {
        Self {
            place: place(file, 0),
            number: number(file),
        }
    }

    fn is(&self, other: &Self) -> bool {
        let is_same_place = self.place.is_some() && self.place == other.place;
        is_same_place || self.number.is_some() && self.number == other.number
    }
}

/// The place where a name leads; nothing need be there yet.
fn place(file: &Path, depth: usize) -> Option<PathBuf> {
    /// The largest number of links that are followed, as in operating systems.
    const MAX_LINKS: usize = 40;
    if let Ok(place) = file.canonicalize() {
        return Some(place);
    }
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // A link to a file that is not there yet.
    if let Ok(target) = file.read_link()
        && depth < MAX_LINKS
    {
        return place(&folder.join(target), depth + 1);
    }
    Some(folder.canonicalize().ok()?.join(file.file_name()?))
}

#[cfg(unix)]
fn number(file: &Path) -> Option<[u64; 2]> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(file)
        .ok()
        .filter(std::fs::Metadata::is_file)?;
    Some([found.dev(), found.ino()])
}

#[cfg(not(unix))]
fn number(_: &Path) -> Option<[u64; 2]> {
    None
}

/// The largest size that a file may have where `file` is, bytes; `None` where the system does not say.
#[cfg(unix)]
fn room(file: &Path) -> Option<u64> {
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
fn room(_: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn one_file_under_many_names() {
        let folder = std::env::temp_dir().join(format!("keller-files-{}", std::process::id()));
        fs::create_dir_all(folder.join("in")).unwrap();
        let at = |name: &str| folder.join(name);
        fs::write(at("in/a.csv"), "").unwrap();
        symlink(at("in/a.csv"), at("link.csv")).unwrap();
        symlink("in", at("way")).unwrap();
        symlink("in/new.csv", at("to_new.csv")).unwrap();
        fs::hard_link(at("in/a.csv"), at("hard.csv")).unwrap();
        let same = |a: &str, b: &str| Identity::of(&at(a)).is(&Identity::of(&at(b)));
        for name in ["link.csv", "way/a.csv", "hard.csv", "in/../in/a.csv"] {
            assert!(same(name, "in/a.csv"), "{name}");
        }
        for name in ["to_new.csv", "way/new.csv", "way/../in/new.csv"] {
            assert!(same(name, "in/new.csv"), "{name}");
        }
        assert!(!same("in/new.csv", "in/a.csv"));
        assert!(!same("none/a.csv", "in/a.csv"));
        fs::remove_dir_all(folder).unwrap();
    }
}

#[cfg(test)]
mod names {
    use super::*;

    #[test]
    fn the_name_of_a_region_stands_before_the_extension() {
        let of = |file: &str| with_name(Path::new(file), "level.3");
        assert_eq!(of("maps/city.tif"), Path::new("maps/city-level.3.tif"));
        assert_eq!(of("a.b.zarr"), Path::new("a.b-level.3.zarr"));
        assert_eq!(of("city"), Path::new("city-level.3"));
    }
}

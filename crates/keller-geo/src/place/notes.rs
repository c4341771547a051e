//! Collects warnings: one of each kind, with the first feature concerned and how many more there are.

use std::fmt;
use std::path::{Path, PathBuf};

use glam::DVec2;

/// Something in a file that was left out, mended or assumed, and every feature of which that is so.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    file: Option<PathBuf>,
    what: String,
    concerned: Vec<Concerned>,
}

/// A feature that a warning is about.
#[derive(Debug, Clone, PartialEq)]
struct Concerned {
    /// The name in messages; empty for the file itself.
    place: String,
    /// The smallest and the largest coordinates of the feature, in the file's own system; none if they are not known.
    ends: Option<[DVec2; 2]>,
}

impl Warning {
    /// Keeps the features between whose ends something `is_kept`, and those of which nobody knows where they are; false if none is
    /// left.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut([DVec2; 2]) -> bool) -> bool {
        self.concerned
            .retain(|concerned| concerned.ends.is_none_or(&mut is_kept));
        !self.concerned.is_empty()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.concerned.first().map_or("", |first| &first.place);
        if let Some(file) = &self.file {
            let comma = if first.is_empty() { "" } else { ", " };
            write!(f, "`{}`{comma}", file.display())?;
        }
        f.write_str(&first.replace(char::is_control, " "))?;
        if self.concerned.len() > 1 {
            write!(f, " and {} more", self.concerned.len() - 1)?;
        }
        write!(f, ": {}", self.what.replace(char::is_control, " "))
    }
}

impl PartialEq<&str> for Warning {
    #[expect(clippy::cmp_owned, reason = "a sentence is made of parts")]
    fn eq(&self, other: &&str) -> bool {
        self.to_string() == *other
    }
}

/// The warnings of one file in the making.
#[derive(Debug)]
pub(super) struct Notes {
    file: Option<PathBuf>,
    warnings: Vec<Warning>,
    /// The corners of the feature that is being read.
    ends: Option<[DVec2; 2]>,
}

impl Notes {
    /// Warnings that open with `file`.
    pub(super) fn new(file: &Path) -> Self {
        Self {
            file: Some(file.to_owned()),
            ..Self::without_file()
        }
    }

    /// Warnings about buildings of any file.
    pub(super) fn without_file() -> Self {
        Self {
            file: None,
            warnings: Vec::new(),
            ends: None,
        }
    }

    /// Notes that all messages of `read` are about a feature with these smallest and largest coordinates.
    pub(super) fn about<T>(&mut self, ends: [DVec2; 2], read: impl FnOnce(&mut Self) -> T) -> T {
        let is_known = ends[0].is_finite() && ends[1].is_finite();
        let before = std::mem::replace(&mut self.ends, is_known.then_some(ends));
        let value = read(self);
        self.ends = before;
        value
    }

    /// Says `what` about the thing at `place`; an empty place is the file itself.
    pub(super) fn add(&mut self, place: &str, what: impl Into<String>) {
        let what = what.into();
        let concerned = Concerned {
            place: place.to_owned(),
            ends: self.ends,
        };
        match self.warnings.iter_mut().find(|w| w.what == what) {
            Some(warning) => warning.concerned.push(concerned),
            None => self.warnings.push(Warning {
                file: self.file.clone(),
                what,
                concerned: vec![concerned],
            }),
        }
    }

    /// All warnings.
    pub(super) fn finish(self) -> Vec<Warning> {
        self.warnings
    }

    /// All warnings as sentences.
    pub(super) fn sentences(self) -> Vec<String> {
        self.warnings.iter().map(Warning::to_string).collect()
    }
}

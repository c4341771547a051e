//! Collects warnings: one a kind, with the first feature concerned and how many more there are.

use std::path::{Path, PathBuf};

/// The warnings of one file in the making.
#[derive(Debug)]
pub(super) struct Notes {
    file: Option<PathBuf>,
    notes: Vec<Note>,
}

#[derive(Debug)]
struct Note {
    what: String,
    first: String,
    count: usize,
}

impl Notes {
    /// Warnings that open with `file`.
    pub(super) fn new(file: &Path) -> Self {
        Self {
            file: Some(file.to_owned()),
            notes: Vec::new(),
        }
    }

    /// Warnings about buildings of any file.
    pub(super) fn without_file() -> Self {
        Self {
            file: None,
            notes: Vec::new(),
        }
    }

    /// Says `what` about the thing at `place`; an empty place is the file itself.
    pub(super) fn add(&mut self, place: &str, what: impl Into<String>) {
        let what = what.into();
        match self.notes.iter_mut().find(|note| note.what == what) {
            Some(note) => note.count += 1,
            None => self.notes.push(Note {
                what,
                first: place.to_owned(),
                count: 1,
            }),
        }
    }

    /// All warnings as sentences.
    pub(super) fn finish(self) -> Vec<String> {
        let Self { file, notes } = self;
        let file = file.map_or(String::new(), |file| format!("`{}`", file.display()));
        let sentence = |note: Note| {
            let comma = if file.is_empty() || note.first.is_empty() {
                ""
            } else {
                ", "
            };
            let more = match note.count {
                1 => String::new(),
                count => format!(" and {} more", count - 1),
            };
            format!("{file}{comma}{}{more}: {}", note.first, note.what)
        };
        notes.into_iter().map(sentence).collect()
    }
}

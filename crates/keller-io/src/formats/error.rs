//! The faults of a scene file. Every message opens with the file, then the place in it if one is known.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use keller_geo::other_formats::way_out;
use thiserror::Error;

/// The reason why a scene file could not be imported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file is missing or the system would not hand it over.
    #[error("`{}`: cannot be read: {source}{}", file.display(), by_whom(named_by.as_ref()))]
    Read {
        /// The file.
        file: PathBuf,
        /// The file that names it, and the place there, if it is not the scene itself.
        named_by: Option<(PathBuf, Place)>,
        /// The system's error.
        source: io::Error,
    },
    /// A name whose extension says nothing about the format.
    #[error(
        "`{}`: the extension {extension} is no known scene format; accepted are {accepted}{}",
        file.display(), way_out(file)
    )]
    Extension {
        /// The file.
        file: PathBuf,
        /// Its extension in quotes, or `(none)`.
        extension: String,
        /// The accepted extensions.
        accepted: &'static str,
    },
    /// A file of zero bytes.
    #[error("`{}`: the file is empty", file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// A file that is in order but holds no surface.
    #[error("`{}`: there are no triangles in it", file.display())]
    NoTriangles {
        /// The file.
        file: PathBuf,
    },
    /// A file that breaks the rules of its format, or ends too early.
    #[error("`{}`{place}: {problem}", file.display())]
    Malformed {
        /// The file.
        file: PathBuf,
        /// The place in it.
        place: Place,
        /// The fault that was found, and what is accepted.
        problem: String,
    },
    /// A correct file that uses a part of its format which is not read here.
    #[error("`{}`{place}: {what} is not supported; {accepted}", file.display())]
    Unsupported {
        /// The file.
        file: PathBuf,
        /// The place in it.
        place: Place,
        /// The part of the format.
        what: String,
        /// The accepted substitute.
        accepted: String,
    },
    /// A coordinate that is NaN or infinite.
    #[error(
        "`{}`{place}: vertex {index} has the coordinates ({x}, {y}, {z}); they must be finite",
        file.display(), x = position[0], y = position[1], z = position[2]
    )]
    VertexPosition {
        /// The file.
        file: PathBuf,
        /// The place in it.
        place: Place,
        /// The vertex, counted from 0.
        index: usize,
        /// Its coordinates, metres.
        position: [f64; 3],
    },
    /// A face that names a vertex the file does not have.
    #[error("`{}`{place}: vertex {index} is named, but {}", file.display(), vertices_there_are(*count))]
    IndexOutOfRange {
        /// The file.
        file: PathBuf,
        /// The face.
        place: Place,
        /// The index as it stands in the file.
        index: String,
        /// The number of vertices in the file.
        count: usize,
    },
    /// More vertices than 32-bit indices can name.
    #[error("`{}`: more than 2^32 vertices; cut the scene into parts", file.display())]
    TooLarge {
        /// The file.
        file: PathBuf,
    },
}

/// The place in a file where something was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// No particular place.
    File,
    /// A line, counted from 1.
    Line(usize),
    /// A byte offset, counted from 0.
    Byte(usize),
    /// A thing with a number counted from 0, such as `face 17`.
    Item(String, usize),
    /// A thing with a name.
    Named(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ", line {line}"),
            Self::Byte(byte) => write!(f, ", byte {byte}"),
            Self::Item(what, index) => write!(f, ", {what} {index} (counted from 0)"),
            Self::Named(name) => write!(f, ", {name}"),
        }
    }
}

impl ImportError {
    /// A [`ImportError::Malformed`] of `file`.
    pub(crate) fn malformed(file: &Path, place: Place, problem: impl Into<String>) -> Self {
        Self::Malformed {
            file: file.to_owned(),
            place,
            problem: problem.into(),
        }
    }
}

fn by_whom(named_by: Option<&(PathBuf, Place)>) -> String {
    named_by.map_or(String::new(), |(file, place)| {
        format!(" (named by `{}`{place})", file.display())
    })
}

fn vertices_there_are(count: usize) -> String {
    match count {
        0 => "there are no vertices".to_owned(),
        1 => "there is 1 vertex".to_owned(),
        _ => format!("there are {count} vertices"),
    }
}

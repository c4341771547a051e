//! Reads a scene from a file, if it is the wanted one.

use std::io;
use std::path::{Path, PathBuf};

use keller::scene::{Lists, Scene};
use rayon::prelude::*;
use thiserror::Error;

use super::head::Head;
use super::{CompiledScene, Found, KIND, Wanted, unit};
use crate::store::records::{self, Begin, Marked};

/// The beginning of files of the versions before the seventh.
const OLD_MAGIC: &[u8; 16] = b"keller scene  \r\n";

/// The reason why a file cannot be read, or must not be written over.
#[derive(Debug, Error)]
pub enum SceneCacheError {
    /// The system does not read the file.
    #[error("cannot read `{file}`: {source}", file = file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is something else.
    #[error(
        "`{file}` is no scene that keller has kept, and is not written over: remove it or give another name",
        file = file.display()
    )]
    Foreign {
        /// The file.
        file: PathBuf,
    },
}

/// Reads the scene in `file`.
///
/// # Errors
/// [`SceneCacheError`]; a file that is damaged or does not fit is no error.
pub fn read(file: &Path, wanted: &Wanted<'_>) -> Result<Found, SceneCacheError> {
    let fail = |source| SceneCacheError::Read {
        file: file.to_owned(),
        source,
    };
    if !file.exists() {
        return Ok(Found::Nothing);
    }
    // The file is not mapped: another program that cuts a mapped file meanwhile ends this one.
    let bytes = keller_geo::input::read(file).map_err(fail)?;
    parse(&bytes, file, wanted)
}

/// Reads the same from bytes.
///
/// # Errors
/// [`SceneCacheError::Foreign`], which names `file`.
pub fn parse(bytes: &[u8], file: &Path, wanted: &Wanted<'_>) -> Result<Found, SceneCacheError> {
    if bytes.starts_with(OLD_MAGIC) {
        return Ok(Found::Stale(
            "it is of an older version of the format".to_owned(),
        ));
    }
    if !records::is_of(bytes, KIND) {
        return Err(SceneCacheError::Foreign {
            file: file.to_owned(),
        });
    }
    let (head, start) = match head(bytes) {
        Ok(Ok(head)) => head,
        Ok(Err(version)) => {
            let other = format!("it is of version {version} of the format");
            return Ok(Found::Stale(other));
        }
        Err(problem) => return Ok(Found::Damaged(problem)),
    };
    if let Err(problem) = head.check(wanted) {
        return Ok(Found::Stale(problem));
    }
    Ok(match scene(bytes, start, &head) {
        Err(problem) => Found::Damaged(problem),
        Ok(scene) => Found::Fitting(Box::new(CompiledScene {
            scene: scene.into(),
            materials: head.materials,
            volumes: head.volumes,
            georeference: head.georeference,
            warnings: head.warnings,
            sources: head.sources,
            contents: head.contents,
            buildings: head.buildings,
            openings: head.openings,
            terrain: head.terrain,
        })),
    })
}

/// The head and the length of the header with it, or the other version that the file has; fails if it is damaged.
pub(super) fn head(bytes: &[u8]) -> Result<Result<(Head, u64), u32>, String> {
    let begin = records::begin(&mut records::reader(bytes)).map_err(|error| error.to_string())?;
    let Begin::Container { head, .. } = begin else {
        return Err("its head is not whole, or its checksum is wrong".to_owned());
    };
    let start = records::HEADER_BYTES + head.len() as u64;
    let head = Head::parse(&head).ok_or("its head makes no sense")?;
    Ok(head.map(|head| (head, start)))
}

/// The scene whose lists begin at `start`; fails if one of them is damaged.
pub(super) fn scene(bytes: &[u8], start: u64, head: &Head) -> Result<Scene, String> {
    let marks = records::hop(start, &mut records::reader(bytes));
    let marks = marks.map_err(|error| error.to_string())?;
    if !marks.is_ended {
        let problem = if marks.is_torn {
            "it ends too early"
        } else {
            "the checksum of a list or of its end is wrong, or more follows"
        };
        return Err(problem.to_owned());
    }
    let mut lists = Stored {
        bytes,
        marks: &marks.all,
        num_read: 0,
    };
    let scene = Scene::from_lists(&head.materials, &mut lists)?;
    if lists.num_read == marks.all.len() {
        Ok(scene)
    } else {
        Err("it has too many lists".to_owned())
    }
}

/// The lists in a file.
struct Stored<'b> {
    bytes: &'b [u8],
    marks: &'b [Marked],
    num_read: usize,
}

impl Stored<'_> {
    /// The next list, of this kind.
    fn next<T: Copy + Default + Send, const N: usize>(
        &mut self,
        kind: usize,
        number: impl Fn([u8; N]) -> T + Sync,
    ) -> Result<Vec<T>, String> {
        /// The count of numbers that one thread takes at once.
        const TOGETHER: usize = 1 << 16;
        let wrong = "the checksum of a list is wrong";
        let marked = self
            .marks
            .get(self.num_read)
            .ok_or("it has too few lists")?;
        let record = marked.record(self.bytes).ok_or(wrong)?;
        let content = records::in_memory(self.bytes, record.at, record.length);
        let (numbers, rest) = content.as_chunks::<N>();
        let mut list = vec![T::default(); numbers.len()];
        let (is_whole, ()) = rayon::join(
            || marked.is_whole(self.bytes),
            || {
                list.par_chunks_mut(TOGETHER)
                    .zip(numbers.par_chunks(TOGETHER))
                    .for_each(|(list, numbers)| {
                        for (slot, bytes) in list.iter_mut().zip(numbers) {
                            *slot = number(*bytes);
                        }
                    });
            },
        );
        if !is_whole || record.unit != unit(self.num_read, kind) || !rest.is_empty() {
            return Err(wrong.to_owned());
        }
        self.num_read += 1;
        Ok(list)
    }
}

impl Lists for Stored<'_> {
    type Error = String;

    fn whole(&mut self) -> Result<Vec<u32>, String> {
        self.next(0, u32::from_le_bytes)
    }

    fn single(&mut self) -> Result<Vec<f32>, String> {
        self.next(1, f32::from_le_bytes)
    }

    fn double(&mut self) -> Result<Vec<f64>, String> {
        self.next(2, f64::from_le_bytes)
    }

    fn refuse(&self, problem: &'static str) -> String {
        problem.to_owned()
    }
}

//! Takes a scene from a file, if it is of what is wanted.

use std::io;
use std::path::{Path, PathBuf};

use keller::scene::{Lists, Scene};
use rayon::prelude::*;
use thiserror::Error;
use twox_hash::XxHash3_64;

use super::bytes::In;
use super::head::Head;
use super::{Found, MAGIC, Prepared, VERSION, Wanted};

/// Why a file cannot be looked at, or must not be written over.
#[derive(Debug, Error)]
pub enum SceneFileError {
    /// The system does not give it.
    #[error("cannot read `{file}`: {source}", file = file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is something else.
    #[error(
        "`{file}` is no scene that keller has kept, and is not written over: remove it or give another name",
        file = file.display()
    )]
    Foreign {
        /// The file.
        file: PathBuf,
    },
}

/// What is in `file`.
///
/// # Errors
/// [`SceneFileError`]; a file that is damaged or does not fit is none.
pub fn read(file: &Path, wanted: &Wanted<'_>) -> Result<Found, SceneFileError> {
    let fail = |source| SceneFileError::Read {
        file: file.to_owned(),
        source,
    };
    if !file.exists() {
        return Ok(Found::Nothing);
    }
    // Not mapped: who cuts a mapped file meanwhile ends the program.
    let bytes = keller_geo::input::read(file).map_err(fail)?;
    parse(&bytes, file, wanted)
}

/// The same from bytes.
///
/// # Errors
/// [`SceneFileError::Foreign`], which names `file`.
pub fn parse(bytes: &[u8], file: &Path, wanted: &Wanted<'_>) -> Result<Found, SceneFileError> {
    if !bytes.starts_with(MAGIC) {
        return Err(SceneFileError::Foreign {
            file: file.to_owned(),
        });
    }
    let mut from = In::new(bytes);
    let head = match head(bytes, &mut from) {
        Ok(Ok(head)) => head,
        Ok(Err(other)) => return Ok(Found::Stale(other)),
        Err(problem) => return Ok(Found::Damaged(problem)),
    };
    if let Err(problem) = head.check(wanted) {
        return Ok(Found::Stale(problem));
    }
    let scene = Scene::from_lists(&head.materials, &mut Stored(&mut from));
    let scene = scene.and_then(|scene| {
        if from.is_at_end() {
            Ok(scene)
        } else {
            Err("it is too long".to_owned())
        }
    });
    Ok(match scene {
        Err(problem) => Found::Damaged(problem),
        Ok(scene) => Found::Fitting(Box::new(Prepared {
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

/// The head, or what other version it is of; fails if it is damaged.
fn head(bytes: &[u8], from: &mut In<'_>) -> Result<Result<Head, String>, String> {
    from.take(MAGIC.len())?;
    let version = from.take(8)?;
    let version = u32::from_le_bytes([0, 1, 2, 3].map(|k| version[k]));
    // A version says how the rest is to be read.
    if version != VERSION {
        return Ok(Err(format!("it is of version {version} of the format")));
    }
    let length = from.count(1)?;
    let content = from.take(length)?;
    let all = &bytes[..MAGIC.len() + 16 + length];
    if XxHash3_64::oneshot(all) != from.long()? {
        return Err("the checksum of its head is wrong".to_owned());
    }
    Head::parse(content).map(Ok)
}

/// Lists in a file.
struct Stored<'f, 'b>(&'f mut In<'b>);

impl Stored<'_, '_> {
    /// The next list, of this kind.
    fn next<T: Copy + Default + Send, const N: usize>(
        &mut self,
        kind: u64,
        number: impl Fn([u8; N]) -> T + Sync,
    ) -> Result<Vec<T>, String> {
        /// Numbers that one thread takes at once.
        const TOGETHER: usize = 1 << 16;
        let before = self.0.clone();
        let found = self.0.long()?;
        let count = self.0.count(N)?;
        let content = self.0.take(count * N)?;
        self.0.take((8 - count * N % 8) % 8)?;
        let all = before.clone().take(16 + (count * N).next_multiple_of(8))?;
        let mut list = vec![T::default(); count];
        let (sum, ()) = rayon::join(
            || XxHash3_64::oneshot(all),
            || {
                list.par_chunks_mut(TOGETHER)
                    .zip(content.par_chunks(TOGETHER * N))
                    .for_each(|(list, bytes)| {
                        for (slot, bytes) in list.iter_mut().zip(bytes.as_chunks::<N>().0) {
                            *slot = number(*bytes);
                        }
                    });
            },
        );
        if found != kind || sum != self.0.long()? {
            return Err("the checksum of a list is wrong".to_owned());
        }
        Ok(list)
    }
}

impl Lists for Stored<'_, '_> {
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

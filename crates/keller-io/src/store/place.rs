//! The place of a store: a folder, or a bucket of object storage.

use std::io;
use std::path::{Path, PathBuf};

use super::StoreError;
use super::entry::Entry;
use super::folder::{self, TEMPORARY};

/// A place for files, each of which appears whole or not at all. Names have slashes between folders.
#[derive(Debug, Clone)]
pub(super) enum Place {
    Folder(PathBuf),
    #[cfg(feature = "object-storage")]
    Bucket(super::bucket::Bucket),
}

/// A file of a place on this machine; it is removed at the end if it is a copy.
#[derive(Debug)]
pub struct LocalFile {
    name: PathBuf,
    _copy: Option<tempfile::TempPath>,
}

impl LocalFile {
    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.name
    }
}

impl Place {
    /// The folder of this name, or the bucket if it is an address such as `s3://bucket/folder`.
    pub(super) fn new(name: &Path) -> Result<Self, StoreError> {
        let Some(address) = name.to_str().filter(|name| name.contains("://")) else {
            return Ok(Self::Folder(name.to_owned()));
        };
        Self::bucket(address).map_err(|problem| StoreError::refused(name, problem))
    }

    #[cfg(feature = "object-storage")]
    fn bucket(address: &str) -> Result<Self, String> {
        super::bucket::Bucket::new(address).map(Self::Bucket)
    }

    #[cfg(not(feature = "object-storage"))]
    fn bucket(_: &str) -> Result<Self, String> {
        Err("this keller was built without object storage: accepted: a folder; or build it with `--features object-storage`".to_owned())
    }

    /// Makes a folder, if the place has folders.
    pub(super) fn create_folder(&self, name: &str) -> io::Result<()> {
        match self {
            Self::Folder(root) => std::fs::create_dir_all(root.join(name)),
            #[cfg(feature = "object-storage")]
            Self::Bucket(_) => Ok(()),
        }
    }

    /// Writes a file, in place of one that may be there.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Folder(root) => folder::write(&root.join(name), bytes),
            #[cfg(feature = "object-storage")]
            Self::Bucket(bucket) => bucket.write(name, bytes),
        }
    }

    /// Writes a file unless there is one. Returns whether it is new.
    pub(super) fn create(&self, name: &str, bytes: &[u8]) -> io::Result<bool> {
        match self {
            Self::Folder(root) => folder::create(&root.join(name), bytes),
            #[cfg(feature = "object-storage")]
            Self::Bucket(bucket) => bucket.create(name, bytes),
        }
    }

    /// The content of a file; `None` if there is none.
    pub(super) fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match self {
            Self::Folder(root) => match keller_geo::input::read(&root.join(name)) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(error) if is_nothing(&error) => Ok(None),
                Err(error) => Err(error),
            },
            #[cfg(feature = "object-storage")]
            Self::Bucket(bucket) => bucket.read(name),
        }
    }

    /// The length of a file, bytes; `None` if there is none.
    pub(super) fn num_bytes(&self, name: &str) -> io::Result<Option<u64>> {
        match self {
            Self::Folder(root) => match std::fs::metadata(root.join(name)) {
                Ok(about) => Ok(Some(about.len())),
                Err(error) if is_nothing(&error) => Ok(None),
                Err(error) => Err(error),
            },
            #[cfg(feature = "object-storage")]
            Self::Bucket(bucket) => bucket.num_bytes(name),
        }
    }

    /// The files in a folder, in order; none if there is no folder.
    pub(super) fn entries(&self, name: &str) -> io::Result<Vec<Entry>> {
        match self {
            Self::Folder(root) => folder::entries(&root.join(name)),
            #[cfg(feature = "object-storage")]
            Self::Bucket(bucket) => bucket.entries(name),
        }
    }

    /// Removes a file.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        match self {
            Self::Folder(root) => std::fs::remove_file(root.join(name)),
            #[cfg(feature = "object-storage")]
            Self::Bucket(bucket) => bucket.remove(name),
        }
    }

    /// A file as one of this machine; `None` if there is none.
    pub(super) fn local(&self, name: &str) -> io::Result<Option<LocalFile>> {
        match self {
            Self::Folder(root) => {
                let file = root.join(name);
                Ok(file.try_exists()?.then_some(LocalFile {
                    name: file,
                    _copy: None,
                }))
            }
            #[cfg(feature = "object-storage")]
            Self::Bucket(bucket) => {
                let Some(bytes) = bucket.read(name)? else {
                    return Ok(None);
                };
                let copy = tempfile::NamedTempFile::new()?.into_temp_path();
                std::fs::write(&copy, bytes)?;
                Ok(Some(LocalFile {
                    name: copy.to_path_buf(),
                    _copy: Some(copy),
                }))
            }
        }
    }

    /// Writes a file that `write` makes on this machine.
    pub(super) fn write_local(
        &self,
        name: &str,
        write: &dyn Fn(&Path) -> io::Result<()>,
    ) -> io::Result<()> {
        match self {
            Self::Folder(root) => write(&root.join(name)),
            #[cfg(feature = "object-storage")]
            Self::Bucket(bucket) => {
                let folder = tempfile::tempdir()?;
                let file = folder.path().join("file");
                write(&file)?;
                bucket.write(name, &keller_geo::input::read(&file)?)
            }
        }
    }
}

/// Whether an error says that there is no such file.
fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// Whether a writer has not finished a file of this name, or was killed.
pub(super) fn is_temporary(name: &str) -> bool {
    name.ends_with(TEMPORARY)
}

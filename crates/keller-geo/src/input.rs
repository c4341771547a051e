//! The one door through which files are read: regular files alone, and no more of them than memory may take.
//!
//! A pipe may never end, a device (`/dev/zero`) never does, and opening either may wait for ever. All readers of keller go through here, so
//! that none of them does, whatever a name or a link leads to. A test of `keller-io` looks through the sources for others.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The most bytes of a file that is read whole. Larger ones are rather mistakes, such as a sparse file or a disk image, and would not leave
/// room for what is made of them.
pub const MAX_BYTES: u64 = 1 << 34;

/// The folder outside which nothing is read, over all links; none if all may be read.
static ONLY_FROM: OnceLock<PathBuf> = OnceLock::new();

/// Restricts this process from now on to reading files in `folder` and below, whatever names and links lead there.
/// Files that it continues are no input.
///
/// # Errors
/// The error of the system for the folder; an error if there is such a folder already.
pub fn only_from(folder: &Path) -> io::Result<()> {
    let root = folder.canonicalize()?;
    let set = ONLY_FROM.set(root);
    set.map_err(|_| io::Error::other("files are read from one folder alone already"))
}

/// The bytes of a regular file.
///
/// # Errors
/// What the system says; a reason for everything that is no regular file, and for one of more than [`MAX_BYTES`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(path, MAX_BYTES)
}

/// The bytes of a regular file that has at most `limit` of them.
///
/// # Errors
/// The errors of [`read`].
pub fn read_at_most(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let too_large = |length: u64| {
        io::Error::other(format!(
            "it has {length} bytes or more; accepted: at most {limit}"
        ))
    };
    let length = file.metadata()?.len();
    if length > limit {
        return Err(too_large(length));
    }
    let mut bytes = Vec::new();
    // The whole of it at once, or an error rather than the end of the program.
    let room = usize::try_from(length).map_err(|_| too_large(length))?;
    bytes.try_reserve_exact(room)?;
    // Somebody may write to it meanwhile.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// The text of a regular file.
///
/// # Errors
/// The errors of [`read`], and an error for a text that is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|error| {
        let line = line_at(error.as_bytes(), error.utf8_error().valid_up_to());
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("line {line} is not UTF-8; accepted: text"),
        )
    })
}

/// The line, from 1, of the byte at a place.
fn line_at(bytes: &[u8], place: usize) -> usize {
    bytes[..place].split(|byte| *byte == b'\n').count()
}

/// A regular file, open for reading.
///
/// # Errors
/// The errors of [`read`].
pub fn open(path: &Path) -> io::Result<File> {
    // The kind is checked before the file is opened, because opening a pipe waits for its writer.
    check(path)?;
    let file = File::open(path)?;
    check_kind(&file.metadata()?)?;
    Ok(file)
}

/// A regular file or a pipe, open for reading: for a file that the user names to be read line by line, such as `<(program)` of a shell. It
/// waits for whoever writes to the pipe.
///
/// # Errors
/// The errors of [`read`]. A folder and a device are refused; a pipe too if files are read [from one
/// folder](only_from).
pub fn open_stream(path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&fs::metadata(path)?.file_type()) {
        check_place(path)?;
        return File::open(path);
    }
    open(path)
}

/// A regular file to go on with, open for reading and writing; an empty one if there is none.
///
/// # Errors
/// The errors of [`read`].
pub fn open_or_create(path: &Path) -> io::Result<File> {
    if path.exists() {
        check_kind(&fs::metadata(path)?)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path)?;
    check_kind(&file.metadata()?)?;
    Ok(file)
}

/// Checks that there is a regular file, without opening it.
///
/// # Errors
/// The errors of [`open`].
pub fn check(path: &Path) -> io::Result<()> {
    check_kind(&fs::metadata(path)?)?;
    check_place(path)
}

fn check_place(path: &Path) -> io::Result<()> {
    match ONLY_FROM.get() {
        Some(root) if !path.canonicalize()?.starts_with(root) => Err(io::Error::other(format!(
            "it lies outside `{}`; accepted: files in that folder and below, as was asked for",
            root.display()
        ))),
        _ => Ok(()),
    }
}

/// Why a path leads to no regular file, which a file names that is being read; `None` if it leads to one.
pub fn why_no_file(path: &Path) -> Option<String> {
    let name = path.display();
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Some(format!("there is no file `{name}`"));
        }
        Err(error) => return Some(format!("`{name}` cannot be read: {error}")),
    };
    match kind_of(&found) {
        Some(kind) => Some(format!("`{name}` is {kind}, not a file")),
        None => check_place(path)
            .err()
            .map(|error| format!("`{name}`: {error}")),
    }
}

fn check_kind(found: &Metadata) -> io::Result<()> {
    kind_of(found).map_or(Ok(()), |kind| {
        Err(io::Error::other(format!(
            "it is {kind}; accepted: a regular file"
        )))
    })
}

/// The kind of a file that is not a regular one.
fn kind_of(found: &Metadata) -> Option<&'static str> {
    match found {
        found if found.is_file() => None,
        found if found.is_dir() => Some("a folder"),
        _ => Some("a pipe or a device"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_devices_are_no_files() {
        let folder = std::env::temp_dir();
        let message = read(&folder).unwrap_err().to_string();
        assert_eq!(message, "it is a folder; accepted: a regular file");
        #[cfg(unix)]
        for read in [read, |path: &Path| {
            read_to_string(path).map(String::into_bytes)
        }] {
            let message = read(Path::new("/dev/zero")).unwrap_err().to_string();
            assert_eq!(
                message,
                "it is a pipe or a device; accepted: a regular file"
            );
        }
        let absent = folder.join("keller-no-such-file");
        assert_eq!(read(&absent).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn files_are_read_up_to_a_limit() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "line\n\u{e9}").unwrap();
        assert_eq!(read_at_most(file.path(), 7).unwrap().len(), 7);
        let message = read_at_most(file.path(), 6).unwrap_err().to_string();
        assert_eq!(message, "it has 7 bytes or more; accepted: at most 6");
        // A sparse file takes no room on the disk, and would take all memory.
        file.as_file().set_len(MAX_BYTES + 1).unwrap();
        assert!(read(file.path()).is_err());
        fs::write(file.path(), b"line\n\xe9").unwrap();
        let message = read_to_string(file.path()).unwrap_err().to_string();
        assert_eq!(message, "line 2 is not UTF-8; accepted: text");
    }
}

//! The one door through which files are read: regular files alone.
//!
//! A pipe may never end, a device (`/dev/zero`) never does, and opening either may wait for ever. All readers of keller go through here, so
//! that none of them does, whatever a name or a link leads to.

use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a regular file.
///
/// # Errors
/// What the system says; a reason for everything that is no regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a regular file.
///
/// # Errors
/// As [`read`], and for what is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}

/// A regular file, open for reading.
///
/// # Errors
/// As [`read`].
pub fn open(path: &Path) -> io::Result<File> {
    // Before it is opened, which waits for whoever writes to a pipe.
    check(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

fn check(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let what = if found.is_dir() {
        "a folder"
    } else {
        "a pipe or a device"
    };
    Err(io::Error::other(format!(
        "it is {what}; accepted: a regular file"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_devices_are_no_files() {
        let folder = std::env::temp_dir();
        let told = read(&folder).unwrap_err().to_string();
        assert_eq!(told, "it is a folder; accepted: a regular file");
        #[cfg(unix)]
        for read in [read, |path: &Path| {
            read_to_string(path).map(String::into_bytes)
        }] {
            let told = read(Path::new("/dev/zero")).unwrap_err().to_string();
            assert_eq!(told, "it is a pipe or a device; accepted: a regular file");
        }
        let absent = folder.join("keller-no-such-file");
        assert_eq!(read(&absent).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}

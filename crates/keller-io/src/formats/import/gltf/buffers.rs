//! The bytes of a glTF file's numbers: in the binary part of a GLB, in `data:` URIs, or in other files.

use std::borrow::Cow;
use std::path::Path;

use base64::Engine;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};

use super::schema::Root;
use crate::formats::import::{ReadFile, text};
use crate::formats::{ImportError, Place};

/// Base64 as found in files: some leave out the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The JSON, and the binary part if the file is a GLB that has one.
pub(super) fn split<'b>(
    bytes: &'b [u8],
    file: &Path,
) -> Result<(&'b [u8], Option<&'b [u8]>), ImportError> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let bad = |byte, problem: String| ImportError::malformed(file, Place::Byte(byte), problem);
    let word = |at: usize| {
        let word = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
        word.map(|&word| u32::from_le_bytes(word))
            .ok_or_else(|| bad(at, "the file ends too early: it is truncated".to_owned()))
    };
    let version = word(4)?;
    if version != 2 {
        return Err(bad(4, format!("the version is {version}, accepted is 2")));
    }
    let mut parts = [None, None];
    let mut at = 12;
    while at < bytes.len() && parts[1].is_none() {
        let length = word(at)? as usize;
        let kind = word(at + 4)?.to_le_bytes();
        let start = at + 8;
        let Some(part) = bytes[start..].get(..length) else {
            let left = bytes.len() - start;
            return Err(bad(
                at,
                format!(
                    "a part of {length} bytes is announced, but only {left} follow: the file is truncated"
                ),
            ));
        };
        match (&kind, &parts) {
            (b"JSON", [None, _]) => parts[0] = Some(part),
            (b"BIN\0", [Some(_), None]) => parts[1] = Some(part),
            (_, [None, _]) => {
                return Err(bad(at, "the first part is not JSON".to_owned()));
            }
            // The format may grow other parts.
            _ => {}
        }
        at = start + length;
    }
    let [json, blob] = parts;
    let json = json.ok_or_else(|| {
        bad(
            12,
            "the file ends before its JSON: it is truncated".to_owned(),
        )
    })?;
    Ok((json, blob))
}

/// The buffers, each read when first asked for.
pub(super) struct Buffers<'a> {
    pub(super) file: &'a Path,
    blob: Option<&'a [u8]>,
    read: &'a ReadFile<'a>,
    loaded: Vec<Option<Cow<'a, [u8]>>>,
}

impl<'a> Buffers<'a> {
    pub(super) fn new(file: &'a Path, blob: Option<&'a [u8]>, read: &'a ReadFile<'a>) -> Self {
        Self {
            file,
            blob,
            read,
            loaded: Vec::new(),
        }
    }

    /// The bytes of buffer view `index`.
    pub(super) fn view(&mut self, root: &Root, index: usize) -> Result<&[u8], ImportError> {
        let view = &root.buffer_views[index];
        let buffer = view.buffer;
        self.load(root, buffer)?;
        let bytes: &[u8] = self.loaded[buffer].as_deref().unwrap_or_default();
        let (offset, length) = (view.byte_offset, view.byte_length);
        let part = slice(bytes, offset, length);
        part.ok_or_else(|| {
            ImportError::malformed(
                self.file,
                Place::Item("bufferView".to_owned(), index),
                format!(
                    "it ends {} bytes into buffer {buffer}, which has only {}: the data is truncated",
                    u128::from(offset) + u128::from(length),
                    bytes.len()
                ),
            )
        })
    }

    fn load(&mut self, root: &Root, index: usize) -> Result<(), ImportError> {
        self.loaded.resize(root.buffers.len(), None);
        if self.loaded[index].is_some() {
            return Ok(());
        }
        let place = || Place::Item("buffer".to_owned(), index);
        let bytes = match root.buffers[index].uri.as_deref() {
            None => Cow::Borrowed(self.blob.filter(|_| index == 0).ok_or_else(|| {
                let problem = "it has no uri, and there is no binary part";
                ImportError::malformed(self.file, place(), problem)
            })?),
            Some(uri) if uri.starts_with("data:") => {
                let encoded = uri.split_once(";base64,").map(|(_, encoded)| encoded);
                let decoded = encoded.and_then(|encoded| BASE64.decode(encoded).ok());
                Cow::Owned(decoded.ok_or_else(|| {
                    let problem = "its data: URI is not base64";
                    ImportError::malformed(self.file, place(), problem)
                })?)
            }
            Some(uri) if uri.contains("://") => {
                return Err(ImportError::Unsupported {
                    file: self.file.to_owned(),
                    place: place(),
                    what: format!("the address {}", text::quoted(uri.as_bytes())),
                    accepted: "accepted are files beside the scene and data: URIs".to_owned(),
                });
            }
            Some(uri) => {
                let folder = self.file.parent().unwrap_or(Path::new(""));
                let path = folder.join(percent_decoded(uri));
                let bytes = (self.read)(&path);
                Cow::Owned(bytes.map_err(|source| ImportError::Read {
                    file: path,
                    named_by: Some((self.file.to_owned(), place())),
                    source,
                })?)
            }
        };
        let announced = root.buffers[index].byte_length;
        if announced > bytes.len() as u64 {
            return Err(ImportError::malformed(
                self.file,
                place(),
                format!(
                    "{announced} bytes are announced, but there are only {}: the data is truncated",
                    bytes.len()
                ),
            ));
        }
        self.loaded[index] = Some(bytes);
        Ok(())
    }
}

/// `length` bytes from `offset` on, if there are as many.
pub(super) fn slice(bytes: &[u8], offset: u64, length: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let length = usize::try_from(length).ok()?;
    bytes.get(start..)?.get(..length)
}

/// `uri` with `%20` and the like decoded.
fn percent_decoded(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.first_chunk::<2>().filter(|_| first == b'%');
        let code = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(code.unwrap_or(first));
        rest = if code.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

//! The header before the data: the encoding, and the elements that follow with their properties.

use std::path::Path;

use crate::formats::import::text;
use crate::formats::{ImportError, Place};

/// The header before the data.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) encoding: Encoding,
    pub(super) elements: Vec<Element>,
    /// The offset of the data, bytes.
    pub(super) body: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Ascii,
    Little,
    Big,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    /// The type of a list's length; `None` for a single value.
    pub(super) length: Option<Scalar>,
    pub(super) value: Scalar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Header {
    pub(super) fn parse(bytes: &[u8], file: &Path) -> Result<Self, ImportError> {
        let mut lines = HeaderLines::new(bytes);
        if !bytes.starts_with(b"ply") || lines.next().as_deref() != Some(&["ply"]) {
            return Err(ImportError::malformed(
                file,
                Place::Line(1),
                "a PLY file begins with a line `ply`, but this one does not",
            ));
        }
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        loop {
            let Some(words) = lines.next() else {
                return Err(ImportError::malformed(
                    file,
                    Place::Line(lines.line),
                    "the file ends too early: the header has no `end_header`",
                ));
            };
            let bad = |problem: String| {
                Err(ImportError::malformed(
                    file,
                    Place::Line(lines.line),
                    problem,
                ))
            };
            match words.as_slice() {
                [] | ["comment" | "obj_info", ..] => {}
                ["format", name, _version] => {
                    encoding = match *name {
                        "ascii" => Some(Encoding::Ascii),
                        "binary_little_endian" => Some(Encoding::Little),
                        "binary_big_endian" => Some(Encoding::Big),
                        _ => {
                            return bad(format!(
                                "format {} is unknown; accepted are ascii, binary_little_endian and binary_big_endian",
                                text::quoted(name.as_bytes())
                            ));
                        }
                    };
                }
                ["element", name, count] => {
                    let Ok(count) = count.parse() else {
                        return bad(format!("{} is not a count", text::quoted(count.as_bytes())));
                    };
                    if elements.iter().any(|element| element.name == *name) {
                        return bad(format!(
                            "there are two elements {}",
                            text::quoted(name.as_bytes())
                        ));
                    }
                    elements.push(Element {
                        name: (*name).to_owned(),
                        count,
                        properties: Vec::new(),
                    });
                }
                ["property", description @ ..] => {
                    let Some(property) = Property::parse(description) else {
                        return bad(
                            "a property is `property TYPE NAME` or `property list TYPE TYPE NAME`, with types such as float, double, uchar and int"
                                .to_owned(),
                        );
                    };
                    let Some(element) = elements.last_mut() else {
                        return bad("a property stands before the first element".to_owned());
                    };
                    element.properties.push(property);
                }
                ["end_header"] => break,
                [first, ..] => {
                    return bad(format!(
                        "{} is no line of a PLY header",
                        text::quoted(first.as_bytes())
                    ));
                }
            }
        }
        let encoding = encoding.ok_or_else(|| {
            ImportError::malformed(
                file,
                Place::Named("header".to_owned()),
                "there is no `format` line",
            )
        })?;
        Ok(Self {
            encoding,
            elements,
            body: lines.at,
        })
    }
}

impl Property {
    fn parse(words: &[&str]) -> Option<Self> {
        match *words {
            ["list", length, value, name] => Some(Self {
                name: name.to_owned(),
                length: Some(Scalar::parse(length)?).filter(|length| length.is_integer()),
                value: Scalar::parse(value)?,
            })
            .filter(|property| property.length.is_some()),
            [value, name] => Some(Self {
                name: name.to_owned(),
                length: None,
                value: Scalar::parse(value)?,
            }),
            _ => None,
        }
    }
}

impl Scalar {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

/// The header's lines, each as its words. A line ends with LF, CR LF, or, if the first one does, CR.
struct HeaderLines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    end: u8,
}

impl<'a> HeaderLines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let is_cr = bytes.get(3) == Some(&b'\r') && bytes.get(4) != Some(&b'\n');
        Self {
            bytes,
            at: 0,
            line: 0,
            end: if is_cr { b'\r' } else { b'\n' },
        }
    }

    /// The words of the next line; `None` at the end of the file. Words that are not UTF-8 come as `?`.
    fn next(&mut self) -> Option<Vec<&'a str>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|&byte| byte == self.end);
        let line = &rest[..length.unwrap_or(rest.len())];
        self.at += line.len() + usize::from(length.is_some());
        self.line += 1;
        let words = line.split(u8::is_ascii_whitespace);
        Some(
            words
                .filter(|word| !word.is_empty())
                .map(|word| std::str::from_utf8(word).unwrap_or("?"))
                .collect(),
        )
    }
}

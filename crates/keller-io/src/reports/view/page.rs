//! A view as the page that browsers open.

use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::View;
use super::format::{Manifest, VERSION};

/// The page without data, which `viewer/` makes. The data replace [`MARK`].
const PAGE: &str = include_str!("viewer.html");
const MARK: &str = "<!--view-->";

impl View {
    /// Writes one page with everything in it, which needs no network.
    ///
    /// # Errors
    /// The errors of `writer`.
    pub fn page(&self, writer: &mut dyn Write) -> io::Result<()> {
        let (before, after) = self.halves();
        writer.write_all(before.as_bytes())?;
        for (number, packed) in self.parts.packed.iter().enumerate() {
            write!(writer, "<script type=\"text/plain\" id=\"part-{number}\">")?;
            writer.write_all(BASE64_STANDARD.encode(packed).as_bytes())?;
            writer.write_all(b"</script>\n")?;
        }
        writer.write_all(after.as_bytes())
    }

    /// The page without its parts, which it requests as `part/N` relative to its own address.
    pub fn served_page(&self) -> String {
        let (before, after) = self.halves();
        before + after
    }

    /// A part as gzip, if there are that many.
    pub fn part(&self, number: usize) -> Option<&[u8]> {
        self.parts.packed.get(number).map(Vec::as_slice)
    }

    /// The number of parts.
    pub fn num_parts(&self) -> usize {
        self.parts.packed.len()
    }

    /// The size of the page with everything in it, bytes, but for the manifest.
    pub fn size(&self) -> usize {
        let packed = self.parts.packed.iter();
        PAGE.len()
            + packed
                .map(|part| part.len().div_ceil(3) * 4 + 60)
                .sum::<usize>()
    }

    /// The text before and after the parts.
    fn halves(&self) -> (String, &'static str) {
        let (before, after) = PAGE.split_once(MARK).expect("the page has the mark");
        let manifest = serde_json::to_string(&self.manifest()).expect("it is plain data");
        // No name may end the element.
        let manifest = manifest.replace('<', "\\u003c");
        let before =
            format!("{before}<script type=\"application/json\" id=\"view\">{manifest}</script>\n");
        (before, after)
    }

    fn manifest(&self) -> Manifest<'_> {
        let bounds = self.bounds.unwrap_or_default();
        Manifest {
            format: "keller view",
            version: VERSION,
            title: &self.title,
            program: const { concat!("keller ", env!("CARGO_PKG_VERSION")) },
            origin: self.parts.origin.to_array(),
            bounds: bounds.map(|corner| corner.to_array()),
            earth: self.earth.as_ref(),
            parts: self.parts.sizes.clone(),
            scene: self.scene.as_ref(),
            snapshots: &self.snapshots,
            maps: &self.maps,
            surfaces: &self.surfaces,
            measured: &self.measured,
        }
    }
}

//! The outlines of a text in one font, so that nothing depends on the fonts of the machine.

use std::sync::LazyLock;

use roxmltree::Node;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::style::{Style, number};

static FONTS: LazyLock<[Face<'static>; 2]> = LazyLock::new(|| {
    [dejavu::sans::regular(), dejavu::sans::bold()]
        .map(|font| Face::parse(font, 0).expect("a font that is part of the program"))
});

/// The outline of a text at its place; `None` for an empty one.
pub(super) fn outline(node: Node<'_, '_>, style: &Style) -> Option<Path> {
    let font = &FONTS[usize::from(style.is_bold)];
    // Writers put the text on a line of its own.
    let text = node.text()?.trim();
    let scale = style.font_size / f32::from(font.units_per_em());
    let mut glyphs = Vec::new();
    let mut width = 0.0;
    for letter in text.chars() {
        let glyph = font.glyph_index(letter).unwrap_or_default();
        if let Some((last, _)) = glyphs.last() {
            width += scale * f32::from(kerning(font, *last, glyph));
        }
        glyphs.push((glyph, width));
        width += scale * f32::from(font.glyph_hor_advance(glyph).unwrap_or_default());
    }
    let of = |name| node.attribute(name).map_or(0.0, number);
    let mut pen = Pen {
        path: PathBuilder::new(),
        at: [0.0, of("y")],
        scale,
    };
    for (glyph, x) in glyphs {
        pen.at[0] = of("x") + x - style.anchor * width;
        font.outline_glyph(glyph, &mut pen);
    }
    pen.path.finish()
}

/// The kerning of two glyphs: the additional distance between them, in units of the font.
fn kerning(font: &Face<'_>, a: GlyphId, b: GlyphId) -> i16 {
    let tables = font.tables().kern.iter().flat_map(|kern| kern.subtables);
    let mut usual =
        tables.filter(|table| table.horizontal && !table.variable && !table.has_cross_stream);
    usual
        .find_map(|table| table.glyphs_kerning(a, b))
        .unwrap_or(0)
}

/// Draws glyphs, whose y goes up, on a page, whose y goes down.
struct Pen {
    path: PathBuilder,
    at: [f32; 2],
    scale: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.at[0] + self.scale * x, self.at[1] - self.scale * y)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let [(x1, y1), (x2, y2), (x, y)] =
            [(x1, y1), (x2, y2), (x, y)].map(|(x, y)| self.place(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

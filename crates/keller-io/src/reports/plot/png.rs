//! Pictures as PNG: the same drawings, painted.
//!
//! This module reads the output of its neighbours, and no more of SVG: groups, shapes, straight paths, pictures, text,
//! clips and patterns.

mod glyphs;
mod style;

use std::collections::HashMap;
use std::rc::Rc;

use base64::prelude::{BASE64_STANDARD, Engine};
use roxmltree::{Document, Node};
use tiny_skia::{
    FillRule, FilterQuality, Mask, Paint, Path, PathBuilder, Pattern, Pixmap, PixmapPaint, Rect,
    SpreadMode, Transform,
};

use self::style::{Colour, Style, number, transform};

/// The number of pixels a unit of the drawing: sharp on screens of high resolution and in print.
const SCALE: f32 = 2.0;
/// The same number, for callers that place pictures.
pub(super) const PIXELS_PER_UNIT: f64 = SCALE as f64;

/// A drawing of this module, painted; `None` if the text is no SVG or the picture has no size.
pub fn png(svg: &str) -> Option<Vec<u8>> {
    let document = Document::parse(svg).ok()?;
    let root = document.root_element();
    let side = |name| Some((number(root.attribute(name)?) * SCALE).ceil());
    let mut painter = Painter {
        pixels: Pixmap::new(pixels(side("width")?)?, pixels(side("height")?)?)?,
        by_id: document
            .descendants()
            .filter_map(|node| Some((node.attribute("id")?, node)))
            .collect(),
    };
    let at = Place {
        style: Style::default(),
        transform: Transform::from_scale(SCALE, SCALE),
        clip: None,
    };
    painter.node(root, &at);
    painter.pixels.encode_png().ok()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked"
)]
fn pixels(side: f32) -> Option<u32> {
    (1.0..=65_536.0).contains(&side).then_some(side as u32)
}

struct Painter<'a, 'input> {
    pixels: Pixmap,
    by_id: HashMap<&'a str, Node<'a, 'input>>,
}

/// The way and the place in which something is painted.
#[derive(Clone)]
struct Place {
    style: Style,
    transform: Transform,
    clip: Option<Rc<Mask>>,
}

impl<'a, 'input> Painter<'a, 'input> {
    fn node(&mut self, node: Node<'a, 'input>, outer: &Place) {
        let mut at = outer.clone();
        at.style.read(node);
        if let Some(text) = node.attribute("transform") {
            at.transform = at.transform.pre_concat(transform(text));
        }
        if let Some(clip) = node.attribute("clip-path").and_then(|url| self.named(url)) {
            at.clip = self.clip(clip, &at);
        }
        match node.tag_name().name() {
            "svg" | "g" => self.group(node, &at),
            "use" => {
                if let Some(target) = node.attribute("href").and_then(|id| self.named(id)) {
                    self.node(target, &at);
                }
            }
            "image" => drop(self.image(node, &at)),
            "text" => {
                if let Some(path) = glyphs::outline(node, &at.style) {
                    self.paint(&path, &at);
                }
            }
            _ => {
                if let Some(path) = shape(node) {
                    self.paint(&path, &at);
                }
            }
        }
    }

    /// The element to which `#name` or `url(#name)` refers.
    fn named(&self, reference: &str) -> Option<Node<'a, 'input>> {
        let id = reference.trim_start_matches("url(").trim_end_matches(')');
        self.by_id.get(id.strip_prefix('#')?).copied()
    }

    fn group(&mut self, group: Node<'a, 'input>, at: &Place) {
        let opacity = group.attribute("opacity").map_or(1.0, number);
        // A transparent group is painted apart, and then laid over the rest.
        let empty = (opacity < 1.0)
            .then(|| Pixmap::new(self.pixels.width(), self.pixels.height()))
            .flatten();
        let below = empty.map(|empty| std::mem::replace(&mut self.pixels, empty));
        for child in group.children().filter(Node::is_element) {
            self.node(child, at);
        }
        if let Some(below) = below {
            let layer = std::mem::replace(&mut self.pixels, below);
            let paint = PixmapPaint {
                opacity,
                ..PixmapPaint::default()
            };
            let (whole, target) = (Transform::identity(), &mut self.pixels);
            target.draw_pixmap(0, 0, layer.as_ref(), &paint, whole, None);
        }
    }

    /// A mask of the shapes of a clip.
    fn clip(&self, clip: Node<'_, '_>, at: &Place) -> Option<Rc<Mask>> {
        let mut mask = Mask::new(self.pixels.width(), self.pixels.height())?;
        for path in clip.children().filter_map(shape) {
            mask.fill_path(&path, FillRule::Winding, true, at.transform);
        }
        Some(Rc::new(mask))
    }

    fn paint(&mut self, path: &Path, at: &Place) {
        let style = &at.style;
        let order = if style.is_stroked_first {
            [false, true]
        } else {
            [true, false]
        };
        for is_fill in order {
            let (colour, opacity) = if is_fill {
                (&style.fill, style.fill_opacity)
            } else {
                (&style.stroke, 1.0)
            };
            let mut tile = None;
            let mut paint = Paint::default();
            match colour {
                Colour::None => continue,
                Colour::Plain(colour) => {
                    let mut colour = *colour;
                    colour.apply_opacity(opacity);
                    paint.set_color(colour);
                }
                Colour::Pattern(url) => {
                    let Some(pattern) = self.named(url) else {
                        continue;
                    };
                    tile = Self::tile(pattern);
                    let Some(tile) = &tile else { continue };
                    let own = pattern
                        .attribute("patternTransform")
                        .map_or(Transform::identity(), transform);
                    // The painter adds the transform of the shape.
                    let place = own.pre_scale(1.0 / SCALE, 1.0 / SCALE);
                    paint.shader = Pattern::new(
                        tile.as_ref(),
                        SpreadMode::Repeat,
                        FilterQuality::Bicubic,
                        opacity,
                        place,
                    );
                }
            }
            let clip = at.clip.as_deref();
            if is_fill {
                self.pixels
                    .fill_path(path, &paint, FillRule::Winding, at.transform, clip);
            } else {
                self.pixels
                    .stroke_path(path, &paint, &style.line, at.transform, clip);
            }
            drop(tile);
        }
    }

    /// One tile of a pattern.
    fn tile(pattern: Node<'_, '_>) -> Option<Pixmap> {
        let side = |name| pixels((number(pattern.attribute(name)?) * SCALE).ceil());
        let mut painter = Painter {
            pixels: Pixmap::new(side("width")?, side("height")?)?,
            by_id: HashMap::new(),
        };
        let at = Place {
            style: Style::default(),
            transform: Transform::from_scale(SCALE, SCALE),
            clip: None,
        };
        painter.group(pattern, &at);
        Some(painter.pixels)
    }

    fn image(&mut self, image: Node<'_, '_>, at: &Place) -> Option<()> {
        let encoded = image
            .attribute("href")?
            .strip_prefix("data:image/png;base64,")?;
        let picture = Pixmap::decode_png(&BASE64_STANDARD.decode(encoded).ok()?).ok()?;
        let of = |name| image.attribute(name).map_or(0.0, number);
        let scale = [
            of("width") / picture.width() as f32,
            of("height") / picture.height() as f32,
        ];
        let is_pixelated = image
            .attribute("style")
            .is_some_and(|style| style.contains("pixelated"));
        let paint = PixmapPaint {
            quality: if is_pixelated {
                FilterQuality::Nearest
            } else {
                FilterQuality::Bicubic
            },
            ..PixmapPaint::default()
        };
        let place = at
            .transform
            .pre_translate(of("x"), of("y"))
            .pre_scale(scale[0], scale[1]);
        self.pixels
            .draw_pixmap(0, 0, picture.as_ref(), &paint, place, at.clip.as_deref());
        Some(())
    }
}

/// The outline of a shape.
fn shape(node: Node<'_, '_>) -> Option<Path> {
    let of = |name| node.attribute(name).map_or(0.0, number);
    match node.tag_name().name() {
        "rect" => Some(PathBuilder::from_rect(Rect::from_xywh(
            of("x"),
            of("y"),
            of("width"),
            of("height"),
        )?)),
        "circle" => PathBuilder::from_circle(of("cx"), of("cy"), of("r")),
        "line" => straight(&[of("x1"), of("y1"), of("x2"), of("y2")], false),
        "polygon" => straight(&numbers(node.attribute("points")?), true),
        "path" => {
            let mut path = PathBuilder::new();
            // Each part goes from an M to a Z or to the next M.
            for part in node.attribute("d")?.split('M').skip(1) {
                let part = part.trim_end();
                extend(
                    &mut path,
                    &numbers(part.trim_end_matches('Z')),
                    part.ends_with('Z'),
                );
            }
            path.finish()
        }
        _ => None,
    }
}

/// All numbers of a text, with any separators.
fn numbers(text: &str) -> Vec<f32> {
    let words = text.split(|c: char| !(c.is_ascii_digit() || ".-+e".contains(c)));
    words.filter_map(|word| word.parse().ok()).collect()
}

/// A line through these coordinates.
fn straight(at: &[f32], is_closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    extend(&mut path, at, is_closed);
    path.finish()
}

fn extend(path: &mut PathBuilder, at: &[f32], is_closed: bool) {
    for (k, point) in at.chunks_exact(2).enumerate() {
        match k {
            0 => path.move_to(point[0], point[1]),
            _ => path.line_to(point[0], point[1]),
        }
    }
    if is_closed {
        path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_is_painted_with_its_text() {
        let svg = |text: &str| {
            format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='20' viewBox='0 0 60 20' font-family='sans-serif'>\
                 <rect width='60' height='20' fill='white'/><text x='2' y='15' font-size='12' fill='black'>{text}</text></svg>"
            )
        };
        let dark = |bytes: &[u8]| {
            let pixels = Pixmap::decode_png(bytes).unwrap();
            assert_eq!((pixels.width(), pixels.height()), (120, 40));
            pixels.pixels().iter().filter(|p| p.red() < 128).count()
        };
        let [none, some, more] = ["", "l", "WWW"].map(|text| dark(&png(&svg(text)).unwrap()));
        assert_eq!(none, 0);
        assert!(some > 10 && more > 10 * some / 2, "{some} {more}");
        assert_eq!(png(&svg("WWW")), png(&svg("WWW")));
        assert_eq!(png(&svg("\nl\n")), png(&svg("l")));
        assert!(png("no picture").is_none());
    }

    /// Stripes 3 units wide, 7 apart, cover three parts of seven, and the colour between them is that of the ground.
    #[test]
    fn patterns_clips_and_layers_cover_what_they_should() {
        let red = |shapes: &str| {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='140' height='70'><defs><clipPath id='left'>\
                 <rect width='70' height='70'/></clipPath><pattern id='stripes' width='7' height='7' \
                 patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>\
                 <line x1='0' y1='0' x2='0' y2='7' stroke='#000000' stroke-width='6'/></pattern></defs>\
                 <rect width='140' height='70' fill='white'/>{shapes}</svg>"
            );
            let pixels = Pixmap::decode_png(&png(&svg).unwrap()).unwrap();
            let sum: f64 = pixels.pixels().iter().map(|p| f64::from(p.red())).sum();
            sum / (255.0 * f64::from(pixels.width() * pixels.height()))
        };
        let rect = |how: &str| red(&format!("<rect width='140' height='70' {how}/>"));
        assert_eq!(rect("fill='none'"), 1.0);
        let off = [
            rect("fill='url(#stripes)'") - 4.0 / 7.0,
            rect("fill='#000000' clip-path='url(#left)'") - 0.5,
            rect("fill='#000000' fill-opacity='0.25'") - 0.75,
            red(
                "<g opacity='0.5'><rect width='70' height='70'/><rect width='70' height='70'/></g>",
            ) - 0.75,
        ];
        assert!(off.iter().all(|off| off.abs() < 0.01), "{off:?}");
    }
}

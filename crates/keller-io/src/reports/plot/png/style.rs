//! The style of shapes: their colours and lines, from attributes that groups hand on.

use roxmltree::Node;
use tiny_skia::{Color, LineCap, LineJoin, Stroke, Transform};

/// The colour of a shape or a line, or none, or a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Colour {
    None,
    Plain(Color),
    /// The pattern of `url(#...)`.
    Pattern(String),
}

/// The attributes that groups hand on to their elements.
#[derive(Debug, Clone)]
pub(super) struct Style {
    pub(super) fill: Colour,
    pub(super) fill_opacity: f32,
    pub(super) stroke: Colour,
    pub(super) line: Stroke,
    /// Whether the line lies under the filling.
    pub(super) is_stroked_first: bool,
    pub(super) font_size: f32,
    pub(super) is_bold: bool,
    /// The share of a text's width that lies before its place.
    pub(super) anchor: f32,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            fill: Colour::Plain(Color::BLACK),
            fill_opacity: 1.0,
            stroke: Colour::None,
            line: Stroke::default(),
            is_stroked_first: false,
            font_size: 16.0,
            is_bold: false,
            anchor: 0.0,
        }
    }
}

impl Style {
    /// Changes the style by the attributes of an element.
    pub(super) fn read(&mut self, node: Node<'_, '_>) {
        for attribute in node.attributes() {
            let value = attribute.value();
            match attribute.name() {
                "fill" => self.fill = colour(value),
                "fill-opacity" => self.fill_opacity = number(value),
                "stroke" => self.stroke = colour(value),
                "stroke-width" => self.line.width = number(value),
                "stroke-linecap" if value == "round" => self.line.line_cap = LineCap::Round,
                "stroke-linejoin" if value == "round" => self.line.line_join = LineJoin::Round,
                "paint-order" => self.is_stroked_first = value == "stroke",
                "font-size" => self.font_size = number(value),
                "font-weight" => self.is_bold = value == "bold",
                "text-anchor" => {
                    self.anchor = match value {
                        "middle" => 0.5,
                        "end" => 1.0,
                        _ => 0.0,
                    }
                }
                _ => {}
            }
        }
    }
}

/// The number of a text; 0 if it is none.
pub(super) fn number(text: &str) -> f32 {
    text.parse().unwrap_or(0.0)
}

/// The colour of `#rrggbb`, `rgb(r,g,b)`, `white`, or a reference to a pattern; black for other names.
fn colour(text: &str) -> Colour {
    if text == "none" {
        return Colour::None;
    }
    if text.starts_with("url(") {
        return Colour::Pattern(text.to_owned());
    }
    let [r, g, b] = if let Some(hex) = text.strip_prefix('#') {
        [0, 2, 4].map(|at| {
            hex.get(at..at + 2)
                .and_then(|byte| u8::from_str_radix(byte, 16).ok())
        })
    } else if text.starts_with("rgb(") {
        let mut values = super::numbers(text).into_iter();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped"
        )]
        let byte = |value: f32| value.clamp(0.0, 255.0) as u8;
        [0; 3].map(|_| values.next().map(byte))
    } else {
        [(text == "white").then_some(255); 3]
    }
    .map(Option::unwrap_or_default);
    Colour::Plain(Color::from_rgba8(r, g, b, 255))
}

/// The transform of `translate(x y)` or `rotate(angle x y)`.
pub(super) fn transform(text: &str) -> Transform {
    let at = super::numbers(text.split_once('(').map_or("", |(_, rest)| rest));
    let of = |k: usize| at.get(k).copied().unwrap_or(0.0);
    if text.starts_with("rotate") {
        Transform::from_rotate_at(of(0), of(1), of(2))
    } else {
        Transform::from_translate(of(0), of(1))
    }
}

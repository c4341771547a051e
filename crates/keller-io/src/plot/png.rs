//! Pictures as PNG: the same drawings, painted.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Pixels a unit of the drawing: sharp on screens of high resolution and in print.
const SCALE: f32 = 2.0;

/// One font for all text, so that nothing depends on the fonts of the machine.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    Arc::new(fonts)
});

/// A drawing of this module, painted; `None` if the text is no SVG or the picture has no size.
pub fn png(svg: &str) -> Option<Vec<u8>> {
    let options = Options {
        fontdb: Arc::clone(&FONTS),
        font_family: "DejaVu Sans".to_owned(),
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).ok()?;
    let size = tree.size().to_int_size().scale_by(SCALE)?;
    let mut pixels = Pixmap::new(size.width(), size.height())?;
    let transform = Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    pixels.encode_png().ok()
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
        assert!(png("no picture").is_none());
    }
}

//! From SVG to PNG.

use super::{ChartError, text};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{ImageHrefResolver, Options, Tree, fontdb};
use std::sync::{Arc, LazyLock};

/// Pixels of the PNG for one of the SVG.
const SCALE: f32 = 2.0;

/// More pixels than any chart has, yet few enough to allocate.
const MOST_PIXELS: f32 = 200e6;

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(text::REGULAR.to_vec());
    fonts.load_font_data(text::BOLD.to_vec());
    Arc::new(fonts)
});

/// An SVG of [`svg`](super::svg) as a PNG of twice its size, on white, with the embedded font and no other.
///
/// # Errors
/// The text is no SVG, or its picture is too large.
pub fn png(svg: &str) -> Result<Vec<u8>, ChartError> {
    let options = Options {
        font_family: "DejaVu Sans".to_owned(),
        fontdb: Arc::clone(&FONTS),
        // No file is ever read, whatever the SVG refers to.
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    let tree = Tree::from_str(svg, &options).map_err(|error| ChartError::Svg(error.to_string()))?;
    let (width, height) = ((tree.size().width() * SCALE).ceil(), (tree.size().height() * SCALE).ceil());
    let too_large = ChartError::TooLarge { width: width as u32, height: height as u32 };
    if width * height > MOST_PIXELS {
        return Err(too_large);
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or(too_large)?;
    pixels.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
    pixels.encode_png().map_err(|error| ChartError::Png(error.to_string()))
}

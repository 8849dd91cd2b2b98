//! From SVG to PNG: the elements that charts are made of, and no others.

mod elements;
mod lettering;
mod paths;

use super::ChartError;
use roxmltree::Document;
use tiny_skia::{Color, Pixmap};

/// Pixels of the PNG for one of the SVG.
const SCALE: f32 = 2.0;

/// More pixels than any chart has, yet few enough to allocate.
const MOST_PIXELS: f32 = 200e6;

/// An SVG of [`svg`](super::svg) as a PNG of twice its size, on white, with the embedded font and no other.
///
/// # Errors
/// The text is no SVG, it has an element or a value that no chart has, or its picture is too large.
pub fn png(svg: &str) -> Result<Vec<u8>, ChartError> {
    let document = Document::parse(svg).map_err(|error| ChartError::Svg(error.to_string()))?;
    let root = document.root_element();
    let view = elements::View::of(root)?;
    let (width, height) = ((view.width * SCALE).ceil(), (view.height * SCALE).ceil());
    let too_large = ChartError::TooLarge { width: width as u32, height: height as u32 };
    if width * height > MOST_PIXELS {
        return Err(too_large);
    }
    let mut pixels = Pixmap::new(width as u32, height as u32).ok_or(too_large)?;
    pixels.fill(Color::WHITE);
    elements::draw(root, &view, SCALE, &mut pixels)?;
    pixels.encode_png().map_err(|error| ChartError::Png(error.to_string()))
}

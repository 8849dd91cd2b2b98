//! The elements of a chart, drawn one after another.

use super::lettering;
use super::paths::path;
use crate::chart::ChartError;
use roxmltree::Node;
use std::str::FromStr;
use tiny_skia::{
    BlendMode, Color, FillRule, FilterQuality, IntRect, LineCap, LineJoin, Paint, Path, PathBuilder, Pattern, Pixmap,
    Rect, Shader, SpreadMode, Stroke, StrokeDash, Transform,
};

/// The size of the picture in its pixels, and the rectangle of its units that this is.
pub(super) struct View {
    pub(super) width: f32,
    pub(super) height: f32,
    /// Left, top, width and height in units.
    units: [f32; 4],
}

impl View {
    /// That of the root element.
    pub(super) fn of(root: Node) -> Result<Self, ChartError> {
        if root.tag_name().name() != "svg" {
            return Err(ChartError::Svg("the root element is not `svg`".to_owned()));
        }
        let (width, height) = (told(root, "width")?, told(root, "height")?);
        let units = match root.attribute("viewBox") {
            None => Some([0.0, 0.0, width, height]),
            Some(text) => {
                let numbers: Option<Vec<f32>> = text.split_whitespace().map(|number| number.parse().ok()).collect();
                numbers.and_then(|numbers| numbers.try_into().ok())
            }
        };
        let units = units.ok_or_else(|| wrong(root, "viewBox"))?;
        let positive = |size: f32| size.is_finite() && size > 0.0;
        if ![width, height, units[2], units[3]].into_iter().all(positive) {
            return Err(ChartError::Svg("the picture has no size".to_owned()));
        }
        Ok(Self { width, height, units })
    }

    /// From units to pixels: as large as fits, and in the middle.
    fn transform(&self) -> Transform {
        let [left, top, width, height] = self.units;
        let scale = (self.width / width).min(self.height / height);
        let margin = (self.width - width * scale, self.height - height * scale);
        Transform::from_row(scale, 0.0, 0.0, scale, -left * scale + margin.0 / 2.0, -top * scale + margin.1 / 2.0)
    }
}

/// What a path is drawn with.
struct Style {
    fill: Option<Color>,
    stroke: Option<(Color, Stroke)>,
}

/// Draws what is in `root`, `scale` pixels for each of the picture.
pub(super) fn draw(root: Node, view: &View, scale: f32, pixels: &mut Pixmap) -> Result<(), ChartError> {
    let transform = Transform::from_scale(scale, scale).pre_concat(view.transform());
    children(root, (view.units[2], view.units[3]), transform, pixels)
}

fn children(parent: Node, units: (f32, f32), transform: Transform, pixels: &mut Pixmap) -> Result<(), ChartError> {
    for node in parent.children().filter(Node::is_element) {
        match node.tag_name().name() {
            "title" | "desc" => {}
            "g" => children(node, units, transform, pixels)?,
            "text" => {
                if let Some(outline) = lettering::outline(node)? {
                    let style = Style { fill: color(node, "fill")?, stroke: None };
                    style.draw(&outline, transform, pixels);
                }
            }
            _ => {
                if let Some(path) = path(node, units)? {
                    let style = Style { fill: color(node, "fill")?, stroke: stroke(node)? };
                    match number(node, "opacity")?.map(|opacity| opacity.clamp(0.0, 1.0)) {
                        Some(opacity) if opacity < 1.0 => style.draw_through(&path, transform, opacity, pixels),
                        _ => style.draw(&path, transform, pixels),
                    }
                }
            }
        }
    }
    Ok(())
}

impl Style {
    fn draw(&self, path: &Path, transform: Transform, pixels: &mut Pixmap) {
        let paint = |color| Paint { shader: Shader::SolidColor(color), ..Paint::default() };
        let flat = path.bounds().width() == 0.0 || path.bounds().height() == 0.0;
        if let Some(color) = self.fill.filter(|_| !flat) {
            pixels.fill_path(path, &paint(color), FillRule::Winding, transform, None);
        }
        if let Some((color, stroke)) = &self.stroke {
            pixels.stroke_path(path, &paint(*color), stroke, transform, None);
        }
    }

    /// Draws fill and stroke together with this opacity: on a layer of their own, which is then laid over the picture.
    fn draw_through(&self, path: &Path, transform: Transform, opacity: f32, pixels: &mut Pixmap) {
        let Some(extent) = self.extent(path).and_then(|extent| extent.transform(transform)) else { return };
        let Some(place) = place(extent, pixels) else { return };
        let Some(mut layer) = Pixmap::new(place.width(), place.height()) else { return };
        let (left, top) = (place.x() as f32, place.y() as f32);
        let shift = Transform::from_translate(-(extent.x() - (extent.x() - left)), -(extent.y() - (extent.y() - top)));
        self.draw(path, shift.pre_concat(transform), &mut layer);
        let layer = Pattern::new(
            layer.as_ref(),
            SpreadMode::Pad,
            FilterQuality::Bilinear,
            opacity,
            Transform::from_translate(left, top),
        );
        let paint = Paint { shader: layer, blend_mode: BlendMode::SourceOver, ..Paint::default() };
        let whole = PathBuilder::from_rect(place.to_rect());
        pixels.fill_path(&whole, &paint, FillRule::Winding, Transform::identity(), None);
    }

    /// The rectangle around what is drawn, in units.
    fn extent(&self, path: &Path) -> Option<Rect> {
        let stroked = self
            .stroke
            .as_ref()
            .and_then(|(_, stroke)| path.stroke(&Stroke { dash: None, ..stroke.clone() }, 1.0)?.compute_tight_bounds());
        stroked.or_else(|| path.compute_tight_bounds())
    }
}

/// The pixels of a layer: two more on each side, so that no edge is cut off, and none far outside of the picture.
fn place(extent: Rect, pixels: &Pixmap) -> Option<IntRect> {
    let (width, height) = (i32::try_from(pixels.width()).ok()?, i32::try_from(pixels.height()).ok()?);
    let left = (extent.x().floor() as i32).checked_sub(2)?;
    let top = (extent.y().floor() as i32).checked_sub(2)?;
    let right = left.checked_add((extent.width().ceil() as i32).checked_add(4)?)?;
    let bottom = top.checked_add((extent.height().ceil() as i32).checked_add(4)?)?;
    let inside = |position: i32, size: i32| position.clamp(size.saturating_mul(-2), size.saturating_mul(3));
    IntRect::from_ltrb(inside(left, width), inside(top, height), inside(right, width), inside(bottom, height))
}

/// A colour, `None` for none.
fn color(node: Node, name: &str) -> Result<Option<Color>, ChartError> {
    let Some(text) = node.attribute(name).filter(|text| *text != "none") else { return Ok(None) };
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6);
    let value = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).ok_or_else(|| wrong(node, name))?;
    let [_, red, green, blue] = value.to_be_bytes();
    Ok(Some(Color::from_rgba8(red, green, blue, u8::MAX)))
}

fn stroke(node: Node) -> Result<Option<(Color, Stroke)>, ChartError> {
    let Some(color) = color(node, "stroke")? else { return Ok(None) };
    let width = number(node, "stroke-width")?.unwrap_or(1.0);
    if width <= 0.0 {
        return Ok(None);
    }
    let line_cap = match inherited(node, "stroke-linecap") {
        None | Some("butt") => LineCap::Butt,
        Some("round") => LineCap::Round,
        Some("square") => LineCap::Square,
        Some(_) => return Err(wrong(node, "stroke-linecap")),
    };
    let line_join = match inherited(node, "stroke-linejoin") {
        None | Some("miter") => LineJoin::Miter,
        Some("round") => LineJoin::Round,
        Some("bevel") => LineJoin::Bevel,
        Some(_) => return Err(wrong(node, "stroke-linejoin")),
    };
    let dash = match inherited(node, "stroke-dasharray") {
        None => None,
        Some(text) => {
            let lengths = text.split([' ', ',']).filter(|length| !length.is_empty()).map(f32::from_str);
            let lengths: Result<Vec<f32>, _> = lengths.collect();
            StrokeDash::new(lengths.map_err(|_| wrong(node, "stroke-dasharray"))?, 0.0)
        }
    };
    Ok(Some((color, Stroke { width, line_cap, line_join, dash, ..Stroke::default() })))
}

/// An attribute of the element or of the nearest around it that has one.
fn inherited<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    node.ancestors().find_map(|node| node.attribute(name))
}

/// A number; `None` where there is no such attribute.
pub(super) fn number(node: Node, name: &str) -> Result<Option<f32>, ChartError> {
    let finite = |text: &str| text.parse::<f32>().ok().filter(|number| number.is_finite());
    node.attribute(name).map(|text| finite(text).ok_or_else(|| wrong(node, name))).transpose()
}

/// A number that must be there.
pub(super) fn told(node: Node, name: &str) -> Result<f32, ChartError> {
    number(node, name)?.ok_or_else(|| wrong(node, name))
}

pub(super) fn wrong(node: Node, name: &str) -> ChartError {
    let (element, value) = (node.tag_name().name(), node.attribute(name).unwrap_or_default());
    ChartError::Svg(format!("`{element}` cannot have {name}=\"{value}\""))
}

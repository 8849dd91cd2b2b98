//! From the attributes of a shape to its path.

use super::elements::{number, told, wrong};
use crate::chart::ChartError;
use roxmltree::Node;
use std::f64::consts::TAU;
use tiny_skia::{Path, PathBuilder, Rect};

/// How far a Bézier curve may be from its circle, in units of the SVG.
const TOLERANCE: f64 = 0.1;

/// The path of a shape; `None` where it has no extent, so that there is nothing to draw.
pub(super) fn path(node: Node, view: (f32, f32)) -> Result<Option<Path>, ChartError> {
    match node.tag_name().name() {
        "rect" => rectangle(node, view),
        "circle" => circle(node),
        "line" => line(node),
        "polyline" => Ok(points(node)?.and_then(PathBuilder::finish)),
        "polygon" => Ok(points(node)?.and_then(|mut builder| {
            builder.close();
            builder.finish()
        })),
        name => Err(ChartError::Svg(format!("`{name}` is no element of a chart"))),
    }
}

/// A length that may be a percentage of `whole`.
fn length(node: Node, name: &str, whole: f32) -> Result<f32, ChartError> {
    match node.attribute(name).and_then(|text| text.strip_suffix('%')) {
        Some(percent) => percent.parse().map(|percent: f32| whole * percent / 100.0).map_err(|_| wrong(node, name)),
        None => Ok(number(node, name)?.unwrap_or(0.0)),
    }
}

fn rectangle(node: Node, (view_width, view_height): (f32, f32)) -> Result<Option<Path>, ChartError> {
    let (width, height) = (length(node, "width", view_width)?, length(node, "height", view_height)?);
    if width <= 0.0 || height <= 0.0 {
        return Ok(None);
    }
    let (x, y) = (length(node, "x", view_width)?, length(node, "y", view_height)?);
    Ok(Rect::from_xywh(x, y, width, height).map(PathBuilder::from_rect))
}

fn line(node: Node) -> Result<Option<Path>, ChartError> {
    let mut builder = PathBuilder::new();
    builder.move_to(told(node, "x1")?, told(node, "y1")?);
    builder.line_to(told(node, "x2")?, told(node, "y2")?);
    Ok(builder.finish())
}

fn points(node: Node) -> Result<Option<PathBuilder>, ChartError> {
    let text = node.attribute("points").unwrap_or_default();
    let mut builder = PathBuilder::new();
    for point in text.split_whitespace() {
        let numbers = point.split_once(',').and_then(|(x, y)| x.parse().ok().zip(y.parse().ok()));
        let (x, y) = numbers.ok_or_else(|| wrong(node, "points"))?;
        if builder.is_empty() { builder.move_to(x, y) } else { builder.line_to(x, y) }
    }
    Ok((builder.len() > 1).then_some(builder))
}

/// Quarters of a circle clockwise from its right, each in as many cubic curves as the tolerance asks for.
fn circle(node: Node) -> Result<Option<Path>, ChartError> {
    let (x, y, radius) = (told(node, "cx")?, told(node, "cy")?, told(node, "r")?);
    if radius <= 0.0 {
        return Ok(None);
    }
    let (center_x, center_y, radius_64) = (f64::from(x), f64::from(y), f64::from(radius));
    let around = (1.1163 * radius_64 / TOLERANCE).powf(1.0 / 6.0).max(3.999_999);
    let curves = (around / 4.0).ceil();
    let step = TAU / 4.0 / curves;
    let arm = 4.0 / 3.0 * (0.25 * step).tan();
    let mut builder = PathBuilder::new();
    builder.move_to(x + radius, y);
    for quarter in 0..4 {
        for curve in 0..curves as u32 {
            let start = f64::from(quarter) * TAU / 4.0 + f64::from(curve) * step;
            let ((from_sine, from_cosine), (to_sine, to_cosine)) = (start.sin_cos(), (start + step).sin_cos());
            let at = |x: f64, y: f64| ((center_x + radius_64 * x) as f32, (center_y + radius_64 * y) as f32);
            let (first_x, first_y) = at(from_cosine - arm * from_sine, from_sine + arm * from_cosine);
            let (second_x, second_y) = at(to_cosine + arm * to_sine, to_sine - arm * to_cosine);
            let (end_x, end_y) = at(to_cosine, to_sine);
            builder.cubic_to(first_x, first_y, second_x, second_y, end_x, end_y);
        }
    }
    builder.close();
    Ok(builder.finish())
}

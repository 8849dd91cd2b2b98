//! Text as the outlines of its letters.

use super::elements::{number, told, wrong};
use crate::chart::{ChartError, text};
use roxmltree::Node;
use std::sync::LazyLock;
use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::gpos::{PairAdjustment, PositioningSubtable};
use ttf_parser::{Face, GlyphId, OutlineBuilder, Tag};

static REGULAR: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(text::REGULAR, 0).ok());
static BOLD: LazyLock<Option<Face<'static>>> = LazyLock::new(|| Face::parse(text::BOLD, 0).ok());

/// A letter on its line.
struct Letter {
    face: &'static Face<'static>,
    glyph: GlyphId,
    /// From its start to that of the next one, in units of the SVG.
    advance: f32,
}

/// The outline of a `text` element; `None` where nothing of it is to be seen.
pub(super) fn outline(node: Node) -> Result<Option<Path>, ChartError> {
    let (x, y, size) = (told(node, "x")?, told(node, "y")?, told(node, "font-size")?);
    let shift = match node.attribute("dy") {
        None => 0.0,
        Some(text) => {
            let em = text.strip_suffix("em").and_then(|number| number.parse::<f32>().ok());
            em.ok_or_else(|| wrong(node, "dy"))? * size
        }
    };
    if number(node, "font-size")?.is_none_or(|size| size <= 0.0) {
        return Ok(None);
    }
    let bold = match node.attribute("font-weight") {
        None | Some("normal") => false,
        Some("bold") => true,
        Some(_) => return Err(wrong(node, "font-weight")),
    };
    let words = node.text().unwrap_or_default().split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty());
    let line = words.collect::<Vec<_>>().join(" ");
    let letters = letters(&line, size, bold).ok_or(ChartError::Font)?;

    let width = letters.iter().fold(0.0, |width, letter| width + letter.advance);
    let mut start = match node.attribute("text-anchor") {
        None | Some("start") => 0.0,
        Some("middle") => -width / 2.0,
        Some("end") => -width,
        Some(_) => return Err(wrong(node, "text-anchor")),
    };
    let mut whole = PathBuilder::new();
    for Letter { face, glyph, advance } in letters {
        let scale = size / f32::from(face.units_per_em());
        let mut pen = Pen(PathBuilder::new());
        if face.outline_glyph(glyph, &mut pen).is_some() {
            // Fonts count upwards.
            let place = Transform::from_translate(x, y)
                .pre_concat(Transform::from_translate(start, shift))
                .pre_concat(Transform::from_scale(scale, scale))
                .pre_concat(Transform::from_scale(1.0, -1.0));
            if let Some(outline) = pen.0.finish().and_then(|outline| outline.transform(place)) {
                whole.push_path(&outline);
            }
        }
        start += advance;
    }
    Ok(whole.finish())
}

/// The letters of a line: what the face does not have is taken from the regular one, and is a gap if that lacks it too.
fn letters(line: &str, size: f32, bold: bool) -> Option<Vec<Letter>> {
    let regular = REGULAR.as_ref()?;
    let face = if bold { BOLD.as_ref()? } else { regular };
    let kerned = is_latin(line);
    let mut letters: Vec<Letter> = Vec::new();
    let mut before: Option<(GlyphId, u16)> = None;
    for character in line.chars().filter(|character| !is_invisible(*character)) {
        let own = face.glyph_index(character).map(|glyph| (face, glyph));
        let other = || regular.glyph_index(character).map(|glyph| (regular, glyph));
        let (from, glyph) = own.or_else(other).unwrap_or((face, GlyphId(0)));
        if let (true, Some((first, advance)), Some(last)) = (kerned, before, letters.last_mut()) {
            let kern = kerning(face, first, glyph).unwrap_or(0);
            last.advance = (i32::from(advance) + i32::from(kern)) as f32 * scale(face, size);
        }
        let advance = from.glyph_hor_advance(glyph).unwrap_or(0);
        letters.push(Letter { face: from, glyph, advance: f32::from(advance) * scale(from, size) });
        before = own.map(|(_, glyph)| (glyph, advance));
    }
    Some(letters)
}

fn scale(face: &Face, size: f32) -> f32 {
    size / f32::from(face.units_per_em())
}

/// What the font adds to the advance of `first` where `second` follows, in its units.
fn kerning(face: &Face, first: GlyphId, second: GlyphId) -> Option<i16> {
    let positions = face.tables().gpos?;
    let feature = positions.features.find(Tag::from_bytes(b"kern"))?;
    let lookups = feature.lookup_indices.into_iter().filter_map(|index| positions.lookups.get(index));
    let mut subtables = lookups.flat_map(|lookup| lookup.subtables.into_iter::<PositioningSubtable>());
    subtables.find_map(|subtable| {
        let PositioningSubtable::Pair(pairs) = subtable else { return None };
        let covered = pairs.coverage().get(first)?;
        let (value, _) = match pairs {
            PairAdjustment::Format1 { sets, .. } => sets.get(covered)?.get(second)?,
            PairAdjustment::Format2 { classes, matrix, .. } => {
                matrix.get((classes.0.get(first), classes.1.get(second)))?
            }
        };
        Some(value.x_advance)
    })
}

/// Whether the line is in Latin letters, for which alone the font has kerning: its first letter decides.
fn is_latin(line: &str) -> bool {
    // The sign of the micro belongs to no script.
    let first = line.chars().find(|character| character.is_alphabetic() && *character != 'µ');
    first.is_some_and(|letter| matches!(letter, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' | 'ⁱ' | 'ⁿ' | 'ₐ'..='ₜ'))
}

/// Characters that only say how others are to be shown.
fn is_invisible(character: char) -> bool {
    matches!(u32::from(character), 0xad | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0xfe00..=0xfe0f | 0xfeff)
}

/// Draws outlines of the font into a path.
struct Pen(PathBuilder);

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

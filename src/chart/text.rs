//! Text on a chart: the embedded font, how wide a text is, and where to break it.

use super::ChartError;
use super::look::Theme;
use super::theme::Paint;
use located_toml::words::is_control;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, TextStyle, register_font};
use std::sync::LazyLock;

/// What the SVG asks for: the embedded font where it is known, else the common font with the same proportions.
pub(super) const FAMILY: &str = "DejaVu Sans, Verdana, sans-serif";

pub(super) const REGULAR: &[u8] = include_bytes!("font/DejaVuSans-subset.ttf");
pub(super) const BOLD: &[u8] = include_bytes!("font/DejaVuSans-Bold-subset.ttf");

/// How many units of the SVG one pixel has: plotters knows whole units only, and markers must sit finer than pixels.
pub(super) const UNITS: f64 = 10.0;

/// Plotters takes the height of a line for the size of a font, and divides by this to get the em.
const PLOTTERS_LINE: f64 = 1.24;

/// Plotters' `ab_glyph` back end scales by ascent plus descent instead: 1901 + 483 of 2048 units in this font.
const FONT_LINE: f64 = 2384.0 / 2048.0;

/// Browsers without the font substitute one that can be a little wider.
const SLACK: f64 = 1.02;

static FONT: LazyLock<bool> = LazyLock::new(|| {
    register_font(FAMILY, FontStyle::Normal, REGULAR).is_ok() && register_font(FAMILY, FontStyle::Bold, BOLD).is_ok()
});

/// A way to write: em in pixels, weight and colour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    pub(super) size: f64,
    pub(super) bold: bool,
    pub(super) color: Paint,
}

impl Face {
    /// From one baseline to the next, in pixels.
    pub(super) fn line_height(self) -> f64 {
        (self.size * 1.4).round()
    }

    #[allow(clippy::float_cmp, reason = "the one size that divides back to the em exactly is wanted")]
    fn font(self) -> Result<FontDesc<'static>, ChartError> {
        if !*FONT {
            return Err(ChartError::Font);
        }
        // The size whose quotient is the em exactly, so that the SVG says 130 and not 130.00000000000003.
        let em = self.size * UNITS;
        let product = em * PLOTTERS_LINE;
        let size = [product, product.next_up(), product.next_down()]
            .into_iter()
            .find(|size| *size / PLOTTERS_LINE == em)
            .unwrap_or(product);
        let style = if self.bold { FontStyle::Bold } else { FontStyle::Normal };
        Ok(FontDesc::new(FontFamily::Name(FAMILY), size, style))
    }

    /// The style plotters draws with; its position is the top of the line, see [`Face::top`].
    pub(super) fn style(self, anchor: HPos, theme: Theme) -> Result<TextStyle<'static>, ChartError> {
        Ok(self.font()?.color(&self.color.on(theme)).pos(Pos::new(anchor, VPos::Top)))
    }

    /// The y that plotters must get for the text to stand on `baseline`.
    pub(super) fn top(self, baseline: f64) -> f64 {
        baseline - 0.76 * self.size
    }

    /// The width of `text` in pixels.
    pub(super) fn width(self, text: &str) -> Result<f64, ChartError> {
        // The font has no ideographs or emoji; whatever a browser takes instead is up to an em wide.
        let wide = text.chars().filter(|c| is_wide(*c)).count();
        let known: String = text.chars().filter(|c| !is_wide(*c)).collect();
        let (width, _) = self.font()?.box_size(&known).map_err(|error| ChartError::Draw(error.to_string()))?;
        let known_width = f64::from(width) / UNITS * FONT_LINE / PLOTTERS_LINE;
        Ok((known_width + wide as f64 * self.size) * SLACK)
    }

    /// Breaks `text` into lines of at most `limit` pixels: at spaces, if possible after a comma or before a dash;
    /// inside a word only if the word alone is too long. No text, no lines.
    pub(super) fn wrap(self, text: &str, limit: f64) -> Result<Vec<String>, ChartError> {
        let space = self.width(" ")?;
        let mut lines = Vec::new();
        let mut line: Vec<(String, f64)> = Vec::new();
        let mut used = 0.0;
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            for piece in self.pieces(word, limit)? {
                let width = self.width(&piece)?;
                if !line.is_empty() && used + space + width > limit {
                    let rest = line.split_off(good_break(&line, &piece, limit));
                    lines.push(join(&line));
                    line = rest;
                    used = line.iter().map(|(_, width)| width + space).sum::<f64>() - space;
                    if !line.is_empty() && used + space + width > limit {
                        lines.push(join(&line));
                        line.clear();
                    }
                }
                used = if line.is_empty() { width } else { used + space + width };
                line.push((piece, width));
            }
        }
        if !line.is_empty() {
            lines.push(join(&line));
        }
        Ok(lines)
    }

    /// The word itself, or pieces of it that fit.
    fn pieces(self, word: &str, limit: f64) -> Result<Vec<String>, ChartError> {
        if self.width(word)? <= limit {
            return Ok(vec![word.to_owned()]);
        }
        let mut pieces = vec![];
        let (mut piece, mut used) = (String::new(), 0.0);
        for character in word.chars() {
            let width = self.width(character.encode_utf8(&mut [0; 4]))?;
            if !piece.is_empty() && used + width > limit {
                pieces.push(std::mem::take(&mut piece));
                used = 0.0;
            }
            piece.push(character);
            used += width;
        }
        pieces.push(piece);
        Ok(pieces)
    }
}

/// How many words of a full line stay on it: all, or those up to a comma or dash in its second half.
fn good_break(line: &[(String, f64)], next: &str, limit: f64) -> usize {
    if next.starts_with('—') {
        return line.len();
    }
    let mut used = 0.0;
    let mut best = line.len();
    for (index, (word, width)) in line.iter().enumerate() {
        used += width;
        let follower = line.get(index + 1).map_or(next, |(word, _)| word);
        if used > limit * 0.4 && (word.ends_with([',', ';', ':']) || follower.starts_with('—')) {
            best = index + 1;
        }
    }
    best
}

fn join(line: &[(String, f64)]) -> String {
    line.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(" ")
}

fn is_wide(character: char) -> bool {
    matches!(u32::from(character), 0x1100..=0x11ff | 0x2e80..=0xd7ff | 0xf900..=0xfaff | 0xfe30..=0xfe4f | 0xff00..)
}

/// The text with everything replaced that XML cannot carry (control characters, even escaped), that turns the direction of what follows, or
/// that a line cannot hold.
pub(super) fn printable(text: &str) -> String {
    let forbidden = |c: char| is_control(c) || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if forbidden(c) { ' ' } else { c }).collect()
}

/// The text escaped for element content and attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACE: Face = Face { size: 12.0, bold: false, color: Paint::Ink };

    #[test]
    fn widths_are_those_of_the_font() {
        // Advance widths of DejaVu Sans: m 1995, i 569 of 2048.
        let em = 12.0 / 2048.0 * SLACK;
        assert!((FACE.width("mmmm").unwrap() - 4.0 * 1995.0 * em).abs() < 0.2);
        assert!((FACE.width("iiii").unwrap() - 4.0 * 569.0 * em).abs() < 0.2);
        assert!(FACE.width("漢字").unwrap() >= 24.0);
    }

    #[test]
    fn lines_break_at_spaces_and_fit() {
        let text = "t = 9.12 µs + 23.3 µs · n, R² = 0.99998 — holds from n ≥ 2";
        let lines = FACE.wrap(text, 250.0).unwrap();
        assert_eq!(lines, ["t = 9.12 µs + 23.3 µs · n, R² = 0.99998", "— holds from n ≥ 2"]);
        assert!(lines.iter().all(|line| FACE.width(line).unwrap() <= 250.0));
        assert_eq!(FACE.wrap(text, 1000.0).unwrap(), [text]);
        assert!(FACE.wrap(" ", 100.0).unwrap().is_empty());
    }

    #[test]
    fn long_words_are_cut() {
        let lines = FACE.wrap(&"m".repeat(100), 100.0).unwrap();
        assert_eq!(lines.concat().len(), 100);
        assert!(lines.iter().all(|line| FACE.width(line).unwrap() <= 100.5));
    }
}

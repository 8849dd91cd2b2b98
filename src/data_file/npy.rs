//! The header of NumPy's `.npy` files: <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>.
//!
//! It is read here and not by a library of Python's literals: files come from anywhere, and what is allowed is one dictionary of three keys. So
//! neither the length that a file claims, nor brackets in brackets, nor a shape that overflows can do harm.

use std::io::Read;

use crate::workload::Element;

/// What every file begins with.
pub(super) const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// The longest header that is read, in bytes: NumPy's own limit.
const LONGEST: u32 = 10_000;

/// What a header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// The type of the elements, as NumPy writes it: `<f4`.
    descr: String,
    is_fortran: bool,
    shape: Vec<u64>,
}

impl Header {
    /// Reads the header; what follows are the elements.
    ///
    /// # Errors
    /// Why it is none.
    pub(super) fn read(file: &mut impl Read) -> Result<Self, String> {
        let mut start = [0; 8];
        let is_there = file.read_exact(&mut start).is_ok();
        if !is_there || start[..6] != MAGIC {
            return Err("is no .npy file: it does not begin with \\x93NUMPY".to_owned());
        }
        let mut length = [0; 4];
        let length_bytes = match start[6] {
            1 => 2,
            2 | 3 => 4,
            version => return Err(format!("is a .npy file of version {version}, where 1 to 3 are known")),
        };
        file.read_exact(&mut length[..length_bytes]).map_err(|_| CUT_OFF.to_owned())?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(format!("has a header of {length} bytes, where {LONGEST} are possible"));
        }
        let mut text = vec![0; length as usize];
        file.read_exact(&mut text).map_err(|_| CUT_OFF.to_owned())?;
        let text = String::from_utf8(text).map_err(|_| "has a header that is not UTF-8 text".to_owned())?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let unknown = || {
            format!(
                "has a header that NumPy does not write: {}",
                located_toml::words::quote(&located_toml::words::shorten(text.trim(), 80))
            )
        };
        let inner = text.trim().strip_prefix('{').and_then(|text| text.strip_suffix('}')).ok_or_else(unknown)?;
        let (mut descr, mut is_fortran, mut shape) = (None, None, None);
        for entry in split(inner).into_iter().filter(|entry| !entry.is_empty()) {
            let (key, value) = entry.split_once(':').ok_or_else(unknown)?;
            let value = value.trim();
            match unquoted(key.trim()).ok_or_else(unknown)? {
                // A list is of the fields of a structure.
                "descr" => descr = Some(unquoted(value).unwrap_or(value).to_owned()),
                "fortran_order" => {
                    is_fortran = Some(match value {
                        "True" => true,
                        "False" => false,
                        _ => return Err(unknown()),
                    });
                }
                "shape" => shape = Some(extents(value).ok_or_else(unknown)?),
                _ => return Err(unknown()),
            }
        }
        let (Some(descr), Some(is_fortran), Some(shape)) = (descr, is_fortran, shape) else { return Err(unknown()) };
        Ok(Self { descr, is_fortran, shape })
    }

    /// How many elements of this type there are.
    ///
    /// # Errors
    /// Where the elements are of another type, or in another order: both, and what to do.
    pub(super) fn elements(&self, element: Element) -> Result<u64, String> {
        let name = element.name();
        let (order, kind) = (self.descr.chars().next().unwrap_or(' '), self.descr.get(1..).unwrap_or_default());
        if !kinds(element).contains(&kind) {
            let held = dtype(&self.descr);
            let convert = kinds(element)[0];
            let remedy = match kind.chars().next() {
                _ if order == '[' => "save its fields one by one, each with its own buffer".to_owned(),
                _ if element == Element::BrainFloat => "convert it with .astype(ml_dtypes.bfloat16)".to_owned(),
                Some('c') => "save its view as floats, such as .view(\"f4\") of complex64".to_owned(),
                _ => format!("convert it with .astype(\"{convert}\")"),
            };
            let other = Element::ALL.iter().find(|(_, own)| kinds(*own).contains(&kind));
            let or = other.map_or(String::new(), |(other, _)| format!(", or write type = \"{other}\""));
            return Err(format!("holds {held}, and the buffer has the type {name}: {remedy}{or}"));
        }
        if order == '>' && element.bytes() > 1 {
            return Err(format!(
                "holds {}, whose bytes are in big-endian order: convert it with .astype(\"<{kind}\")",
                dtype(&self.descr)
            ));
        }
        // Of one dimension, both orders are the same.
        if self.is_fortran && self.shape.iter().filter(|extent| **extent != 1).count() > 1 {
            return Err("is in Fortran order, column by column: save numpy.ascontiguousarray(array)".to_owned());
        }
        let elements = self.shape.iter().try_fold(1_u64, |all, extent| all.checked_mul(*extent));
        let elements = elements.filter(|elements| elements.checked_mul(element.bytes()).is_some());
        elements.ok_or_else(|| format!("has the shape {}, which no memory holds", self.shape_text()))
    }

    /// The shape as NumPy writes it.
    pub(super) fn shape_text(&self) -> String {
        let extents: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        let comma = if extents.len() == 1 { "," } else { "" };
        format!("({}{comma})", extents.join(", "))
    }
}

/// What a file says that ends in its header.
const CUT_OFF: &str = "is cut off in its header";

/// The letters and digits that NumPy has for a type, behind the order of its bytes.
fn kinds(element: Element) -> &'static [&'static str] {
    match element {
        Element::Float(64) => &["f8"],
        Element::Float(32) => &["f4"],
        Element::Float(_) => &["f2"],
        // ml_dtypes writes its own types as bytes without a meaning.
        Element::BrainFloat => &["V2"],
        Element::Signed(64) => &["i8"],
        Element::Signed(32) => &["i4"],
        Element::Signed(16) => &["i2"],
        Element::Signed(_) => &["i1"],
        Element::Unsigned(64) => &["u8"],
        Element::Unsigned(32) => &["u4"],
        Element::Unsigned(16) => &["u2"],
        Element::Unsigned(_) => &["u1", "b1"],
    }
}

/// What NumPy calls the type that a file names.
fn dtype(descr: &str) -> String {
    if descr.starts_with('[') {
        return "structures".to_owned();
    }
    let shown = located_toml::words::shorten(descr, 40);
    let (kind, bytes) = descr.get(1..).and_then(|kind| kind.split_at_checked(1)).unwrap_or(("", ""));
    let bits = bytes.parse::<u32>().ok().and_then(|bytes| bytes.checked_mul(8));
    match (kind, bits) {
        ("f", Some(bits)) => format!("float{bits} (`{shown}`)"),
        ("i", Some(bits)) => format!("int{bits} (`{shown}`)"),
        ("u", Some(bits)) => format!("uint{bits} (`{shown}`)"),
        ("c", Some(bits)) => format!("complex{bits} (`{shown}`)"),
        ("b", _) => format!("bool (`{shown}`)"),
        ("O", _) => format!("objects of Python (`{shown}`)"),
        _ => format!("`{shown}`"),
    }
}

/// The text within quotes.
fn unquoted(text: &str) -> Option<&str> {
    ['\'', '"'].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote))
}

/// The entries between commas that are in no brackets and quotes.
fn split(text: &str) -> Vec<&str> {
    let mut entries = Vec::new();
    let (mut depth, mut quote, mut begin) = (0_u32, None, 0);
    for (place, letter) in text.char_indices() {
        if let Some(open) = quote {
            quote = quote.filter(|_| letter != open);
            continue;
        }
        match letter {
            '\'' | '"' => quote = Some(letter),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                entries.push(text[begin..place].trim());
                begin = place + 1;
            }
            _ => {}
        }
    }
    entries.push(text[begin..].trim());
    entries
}

/// The numbers of a tuple. Those of Python 2 may end in L.
fn extents(text: &str) -> Option<Vec<u64>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let extents = inner.split(',').map(str::trim);
    let count = extents.clone().count();
    // A comma may stand behind the last.
    let numbers = extents.enumerate().filter(|(index, text)| !text.is_empty() || index + 1 < count);
    numbers.map(|(_, text)| text.strip_suffix('L').unwrap_or(text).parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Result<Header, String> {
        Header::parse(text)
    }

    /// All but the last are texts of NumPy 2.4; numbers that end in L are those of Python 2.
    #[test]
    fn headers_that_numpy_writes_are_read() {
        for (text, element, elements) in [
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }   \n", Element::Float(32), 1000),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4, 5), }\n", Element::Float(64), 60),
            ("{'descr': '<f2', 'fortran_order': False, 'shape': (), }\n", Element::Float(16), 1),
            ("{'descr': '|u1', 'fortran_order': False, 'shape': (7, 1), }\n", Element::Unsigned(8), 7),
            ("{'descr': '|b1', 'fortran_order': False, 'shape': (0,), }\n", Element::Unsigned(8), 0),
            ("{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }\n", Element::BrainFloat, 2),
            ("{'descr': '<i8', 'fortran_order': False, 'shape': (2L, 3L), }\n", Element::Signed(64), 6),
        ] {
            assert_eq!(header(text).and_then(|header| header.elements(element)), Ok(elements), "{text}");
        }
    }

    #[test]
    fn what_is_not_as_the_buffer_needs_it_is_told_with_what_to_do() {
        let told = |descr: &str, fortran: &str, shape: &str| {
            let text = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}");
            header(&text).and_then(|header| header.elements(Element::Float(32))).unwrap_err()
        };
        let all = [
            told("'<f8'", "False", "(3,)"),
            told("'<c8'", "False", "(3,)"),
            told("'>f4'", "False", "(3,)"),
            told("'|O'", "False", "(3,)"),
            told("[('x', '<f4'), ('y', '<i4', (2, 2))]", "False", "(3,)"),
            told("'<f4'", "True", "(3, 4)"),
            told("'<f4'", "False", "(4294967296, 4294967296)"),
            told("'<f4'", "False", "(-1,)"),
            told("'<f4'", "no", "(3,)"),
            told("''", "False", "(3,)"),
        ];
        insta::assert_snapshot!(all.join("\n"));
    }
}

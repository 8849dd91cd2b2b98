//! Contents of structures with members of several types: what is read as a float is about 1, what is read as a whole number is 0, or a place where such
//! elements say places.

use super::fill::Fill;
use crate::signature::{MemberKind, Structure};
use crate::workload::Element;

/// The most words of a structure whose contents are written.
const WORDS_MOST: usize = 32;
/// The bits of 1.0 as a float of 32 bits, and the upper word of it as one of 64 bits.
const ONE: u32 = 1.0_f32.to_bits();
const ONE_OF_64: u32 = (1.0_f64.to_bits() >> 32) as u32;
/// What an eighth more is in the bits of a float of 32 bits between 1 and 2.
const EIGHTH: u32 = 1.125_f32.to_bits() - ONE;
/// Floats of which no two neighbours are the same, so that differences are not 0.
const VARIED: &str = "(1 + i % 7 / 8)";

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Nothing, or a part of something larger.
    Zero,
    /// A whole number of 32 bits.
    Whole,
    /// A float of 32 bits.
    Float,
    /// The upper word of a float of 64 bits.
    FloatOf64,
}

/// The type of the elements that a buffer of such structures has, and the expression of its contents, where `elements` would be those of the structure's
/// words; `None` where it is written otherwise.
pub(super) fn fill(structure: &Structure, elements: &Fill) -> Option<(Element, Fill)> {
    let bytes = structure.layout().0;
    if !bytes.is_multiple_of(4) || bytes / 4 > WORDS_MOST as u64 {
        return None;
    }
    let mut words = vec![Word::Zero; bytes as usize / 4];
    set(structure, 0, &mut words)?;
    let wholes = match elements {
        Fill::Places(below) => Some(format!("floor(i / {}) % {}", words.len(), below.factor())),
        _ => None,
    };
    let wholes = wholes.as_deref().filter(|_| words.contains(&Word::Whole));
    let (element, text) = written(&words, wholes);
    Some((element, Fill::Words(text, wholes.is_some())))
}

/// Sets the words of a structure that begins at this byte; `None` where a float is less than a word.
fn set(structure: &Structure, begin: u64, words: &mut [Word]) -> Option<()> {
    let mut end = begin;
    for member in &structure.members {
        let (bytes, align) = member.kind.layout();
        end = end.next_multiple_of(align);
        for _ in 0..member.count {
            let (element, count) = match &member.kind {
                MemberKind::Number(element) => (*element, 1),
                MemberKind::Pointer { .. } => (Element::Unsigned(64), 1),
                MemberKind::Structure(inner) => {
                    set(inner, end, words)?;
                    (Element::Unsigned(8), 0)
                }
            };
            for own in 0..count {
                let word = (end + own * element.bytes()) as usize / 4;
                match element {
                    Element::Float(32) => *words.get_mut(word)? = Word::Float,
                    Element::Float(64) => *words.get_mut(word + 1)? = Word::FloatOf64,
                    Element::Float(_) | Element::BrainFloat => return None,
                    Element::Signed(32) | Element::Unsigned(32) => *words.get_mut(word)? = Word::Whole,
                    Element::Signed(_) | Element::Unsigned(_) => {}
                }
            }
            end += bytes;
        }
    }
    Some(())
}

/// Floats where most words are and whole numbers are 0, so that people read them; words otherwise.
fn written(words: &[Word], wholes: Option<&str>) -> (Element, String) {
    let count = |wanted: &[Word]| words.iter().filter(|word| wanted.contains(word)).count();
    let places = |wanted: &[Word]| {
        let is = |(place, word): (usize, &Word)| wanted.contains(word).then_some(place);
        let one = |place: usize| match place {
            0 => format!("max(0, 1 - i % {})", words.len()),
            place => format!("max(0, 1 - abs(i % {} - {place}))", words.len()),
        };
        words.iter().enumerate().filter_map(is).map(one).collect::<Vec<_>>().join(" + ")
    };
    let is_float = 2 * count(&[Word::Float]) >= words.len() && count(&[Word::FloatOf64]) == 0;
    if is_float && wholes.is_none() {
        let others = [Word::Zero, Word::Whole];
        return (
            Element::Float(32),
            if count(&others) == 0 {
                VARIED.to_owned()
            } else {
                format!("{VARIED} * (1 - {})", join(&places(&others)))
            },
        );
    }
    let one = if is_float { format!("({ONE} + i % 7 * {EIGHTH})") } else { ONE.to_string() };
    let of = |wanted: Word, value: &str| (count(&[wanted]) > 0).then(|| format!("{value} * ({})", places(&[wanted])));
    let floats = [of(Word::Float, &one), of(Word::FloatOf64, &ONE_OF_64.to_string())];
    let all: Vec<String> = floats.into_iter().chain([wholes.and_then(|own| of(Word::Whole, own))]).flatten().collect();
    (Element::Unsigned(32), if all.is_empty() { "zeros".to_owned() } else { all.join(" + ") })
}

/// A sum as what is taken away.
fn join(sum: &str) -> String {
    if sum.contains(") + ") { format!("({sum})") } else { sum.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::super::amount::Amount;
    use super::*;
    use crate::signature::Member;
    use crate::user_kernel::{Expression, Scope};

    fn structure(kinds: Vec<MemberKind>) -> Structure {
        let member = |kind| Member { name: "own".to_owned(), kind, count: 1 };
        Structure { name: "S".to_owned(), members: kinds.into_iter().map(member).collect(), asked_align: None }
    }

    /// The words of two structures.
    fn words(kinds: Vec<MemberKind>, elements: &Fill) -> (Element, Vec<f64>) {
        let (own, count) = (structure(kinds.clone()), structure(kinds).layout().0 / 4);
        let (element, filled) = fill(&own, elements).unwrap();
        let text = filled.written().unwrap();
        let value = |index: u64| {
            if text == "zeros" {
                return 0.0;
            }
            Expression::parse(&text, &["i"]).unwrap().value(&Scope::new([("i", index as f64)])).unwrap()
        };
        (element, (0..2 * count).map(value).collect())
    }

    #[test]
    fn floats_are_about_one_and_whole_numbers_are_nothing() {
        let number = MemberKind::Number;
        let (f32, i32, f64) = (number(Element::Float(32)), number(Element::Signed(32)), number(Element::Float(64)));
        let particle = words(vec![f32.clone(), f32.clone(), f32.clone(), i32.clone()], &Fill::Uniform);
        assert_eq!(particle, (Element::Float(32), vec![1.0, 1.125, 1.25, 0.0, 1.5, 1.625, 1.75, 0.0]));
        let cell = words(
            vec![i32.clone(), MemberKind::Pointer { element: None, is_const: true }, f32.clone()],
            &Fill::Uniform,
        );
        let one = f64::from(ONE);
        assert_eq!(cell, (Element::Unsigned(32), [[0.0, 0.0, 0.0, 0.0, one, 0.0]; 2].concat()));
        let wide = words(vec![f64, i32.clone()], &Fill::Uniform);
        assert_eq!(wide, (Element::Unsigned(32), [[0.0, f64::from(ONE_OF_64), 0.0, 0.0]; 2].concat()));
        assert_eq!(words(vec![i32, number(Element::Unsigned(8))], &Fill::Uniform).1, [0.0; 4]);
        assert_eq!(fill(&structure(vec![f32, number(Element::Float(16))]), &Fill::Uniform), None);
    }

    #[test]
    fn whole_numbers_are_places_where_elements_say_places() {
        let number = MemberKind::Number;
        let places = Fill::Places(Amount::number(2));
        let kinds = vec![number(Element::Float(32)), number(Element::Float(32)), number(Element::Signed(32))];
        let (element, own) = words(kinds, &places);
        assert_eq!(element, Element::Unsigned(32));
        let bits = |float: f32| f64::from(float.to_bits());
        assert_eq!(own, [bits(1.0), bits(1.125), 0.0, bits(1.375), bits(1.5), 1.0]);
        let pointers = vec![MemberKind::Pointer { element: None, is_const: true }, number(Element::Signed(32))];
        assert_eq!(words(pointers, &places).1, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}

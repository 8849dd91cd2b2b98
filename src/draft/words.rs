//! Contents of structures with members of several types: what is read as a float is about 1, what is read as a whole number is 0.

use crate::signature::{MemberKind, Structure};
use crate::workload::Element;

/// The most words of a structure whose contents are written.
const WORDS_MOST: usize = 32;
/// The bits of 1.0 as a float of 32 bits, and the upper word of it as one of 64 bits.
const ONE: u32 = 1.0_f32.to_bits();
const ONE_OF_64: u32 = (1.0_f64.to_bits() >> 32) as u32;

/// The type of the elements that a buffer of such structures has, and the expression of its contents; `None` where it is written otherwise.
pub(super) fn fill(structure: &Structure) -> Option<(Element, String)> {
    let bytes = structure.layout().0;
    if bytes.is_multiple_of(4) && bytes / 4 <= WORDS_MOST as u64 {
        let mut words = vec![0; bytes as usize / 4];
        set(structure, 0, &mut words)?;
        return Some(written(&words));
    }
    None
}

/// Sets the words of a structure that begins at this byte; `None` where a float is less than a word.
fn set(structure: &Structure, begin: u64, words: &mut [u32]) -> Option<()> {
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
                    Element::Float(32) => *words.get_mut(word)? = ONE,
                    Element::Float(64) => *words.get_mut(word + 1)? = ONE_OF_64,
                    Element::Float(_) | Element::BrainFloat => return None,
                    Element::Signed(_) | Element::Unsigned(_) => {}
                }
            }
            end += bytes;
        }
    }
    Some(())
}

/// Floats where most words are, so that people read them; words otherwise.
fn written(words: &[u32]) -> (Element, String) {
    let count = |wanted: u32| words.iter().filter(|word| **word == wanted).count();
    let places = |wanted: u32| {
        let is = |(place, word): (usize, &u32)| (*word == wanted).then_some(place);
        let one = |place: usize| match place {
            0 => format!("max(0, 1 - i % {})", words.len()),
            place => format!("max(0, 1 - abs(i % {} - {place}))", words.len()),
        };
        words.iter().enumerate().filter_map(is).map(one).collect::<Vec<_>>().join(" + ")
    };
    if 2 * count(ONE) >= words.len() && count(ONE_OF_64) == 0 {
        // Of which no two neighbours are the same, so that differences are not 0.
        let float = "(1 + i % 7 / 8)";
        return (
            Element::Float(32),
            if count(0) == 0 { float.to_owned() } else { format!("{float} * (1 - {})", join(&places(0))) },
        );
    }
    let of = |wanted: u32| (count(wanted) > 0).then(|| format!("{wanted} * ({})", places(wanted)));
    let all: Vec<String> = [ONE, ONE_OF_64].into_iter().filter_map(of).collect();
    (Element::Unsigned(32), if all.is_empty() { "zeros".to_owned() } else { all.join(" + ") })
}

/// A sum as what is taken away.
fn join(sum: &str) -> String {
    if sum.contains(") + ") { format!("({sum})") } else { sum.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::Member;
    use crate::user_kernel::{Expression, Scope};

    fn structure(kinds: Vec<MemberKind>) -> Structure {
        let member = |kind| Member { name: "own".to_owned(), kind, count: 1 };
        Structure { name: "S".to_owned(), members: kinds.into_iter().map(member).collect(), asked_align: None }
    }

    /// The words of two structures.
    fn words(kinds: Vec<MemberKind>) -> (Element, Vec<f64>) {
        let (own, count) = (structure(kinds.clone()), structure(kinds).layout().0 / 4);
        let (element, text) = fill(&own).unwrap();
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
        let particle = words(vec![f32.clone(), f32.clone(), f32.clone(), i32.clone()]);
        assert_eq!(particle, (Element::Float(32), vec![1.0, 1.125, 1.25, 0.0, 1.5, 1.625, 1.75, 0.0]));
        let cell = words(vec![i32.clone(), MemberKind::Pointer { element: None, is_const: true }, f32.clone()]);
        let one = f64::from(ONE);
        assert_eq!(cell, (Element::Unsigned(32), [[0.0, 0.0, 0.0, 0.0, one, 0.0]; 2].concat()));
        let wide = words(vec![f64, i32.clone()]);
        assert_eq!(wide, (Element::Unsigned(32), [[0.0, f64::from(ONE_OF_64), 0.0, 0.0]; 2].concat()));
        assert_eq!(words(vec![i32, number(Element::Unsigned(8))]).1, [0.0; 4]);
        assert_eq!(fill(&structure(vec![f32, number(Element::Float(16))])), None);
    }
}

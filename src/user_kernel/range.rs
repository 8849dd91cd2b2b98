//! Whether a number is in the range of the type that a kernel's source gives a parameter. PTX has one type for `int` and `unsigned`.

use super::declared::Declared;
use crate::signature::{is_bool, number_of};
use crate::workload::Element;

/// Whether a whole number is in the range of a type; of floats, whether it is not too large.
pub(super) fn is_in(element: Element, number: f64) -> bool {
    let (least, most) = element.range().unwrap_or((i128::MIN, i128::MAX));
    element.holds(number) && (element.is_float() || (least..=most).contains(&(number as i128)))
}

/// The numbers of a type, in words.
pub(super) fn told(element: Element) -> String {
    match (element.range(), element) {
        (Some((least, most)), _) => format!("{least} to {most}"),
        (None, Element::Float(64)) => format!("-{:e} to {:e}", f64::MAX, f64::MAX),
        (None, Element::Float(32)) => format!("-{:e} to {:e}", f32::MAX, f32::MAX),
        (None, Element::BrainFloat) => format!("-{:e} to {:e}", half::bf16::MAX, half::bf16::MAX),
        (None, _) => format!("-{} to {}", half::f16::MAX, half::f16::MAX),
    }
}

/// The numbers that a parameter takes, in words, where this is none of them.
pub(super) fn left_by(number: f64, declared: &Declared<'_>) -> Option<String> {
    let ty = declared.typed.as_deref().or(declared.source.map(|own| own.declared.as_str()))?;
    // Of a type whose size is another where the source was compiled, such as `long`, nothing is known.
    let element = number_of(ty).filter(|own| own.bytes() == u64::from(declared.variable.ty.bytes()))?;
    let is_whole = element.is_float() || number.fract() == 0.0;
    if is_bool(ty) && !(0.0..=1.0).contains(&number) && is_whole {
        return Some("0 or 1".to_owned());
    }
    (is_whole && !is_in(element, number)).then(|| told(element))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_in_the_range_of_its_sign() {
        let (i32, u32) = (Element::Signed(32), Element::Unsigned(32));
        let f32 = Element::Float(32);
        for (element, number, is) in [
            (i32, 2_147_483_647.0, true),
            (i32, 2_147_483_648.0, false),
            (i32, -2_147_483_648.0, true),
            (i32, 0.5, false),
            (u32, 4_294_967_295.0, true),
            (u32, -1.0, false),
            (Element::Signed(64), 9e18, true),
            (Element::Signed(64), 1e19, false),
            (Element::Unsigned(64), 1e19, true),
            (f32, -1e38, true),
            (f32, 1e39, false),
        ] {
            assert_eq!(is_in(element, number), is, "{element:?} {number}");
        }
        assert_eq!(told(Element::Signed(16)), "-32768 to 32767");
        assert_eq!(told(f32), "-3.4028235e38 to 3.4028235e38");
        assert_eq!(told(Element::Float(16)), "-65504 to 65504");
    }
}

//! The numbers that are added, as bits.

use super::Variant;

/// Elements of a word, and the type of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    U32,
    U64,
    F32,
    F64,
    F16x2,
    Bf16x2,
}

impl Variant {
    fn elements(self) -> (Element, u32) {
        match self {
            Self::U32 => (Element::U32, 1),
            Self::U64 => (Element::U64, 1),
            Self::F32 => (Element::F32, 1),
            Self::F64 => (Element::F64, 1),
            Self::F16x2 => (Element::F16x2, 1),
            Self::Bf16x2 => (Element::Bf16x2, 1),
            Self::F32x2 => (Element::F32, 2),
            Self::F32x4 => (Element::F32, 4),
            Self::F16x8 => (Element::F16x2, 4),
        }
    }

    /// Bytes of a word.
    pub(super) fn bytes(self) -> u32 {
        let (element, count) = self.elements();
        count * if matches!(element, Element::U64 | Element::F64) { 8 } else { 4 }
    }

    /// The largest whole number up to which the type holds every one.
    pub(super) fn counts_to(self) -> u32 {
        match self.elements().0 {
            Element::Bf16x2 => 1 << 8,
            Element::F16x2 => 1 << 11,
            Element::F32 => 1 << 24,
            Element::U32 | Element::U64 | Element::F64 => u32::MAX,
        }
    }

    /// A whole number in each half, or in all, of an element: the bits of the element. Whole numbers wrap around below 0.
    pub(super) fn bits_of(self, number: i32) -> u64 {
        let pair = |half: u16| u64::from(u32::from(half) << 16 | u32::from(half));
        match self.elements().0 {
            Element::U32 => u64::from(number.cast_unsigned()),
            Element::U64 => i64::from(number).cast_unsigned(),
            Element::F32 => u64::from((number as f32).to_bits()),
            Element::F64 => f64::from(number).to_bits(),
            Element::F16x2 => pair(half::f16::from_f32(number as f32).to_bits()),
            Element::Bf16x2 => pair(half::bf16::from_f32(number as f32).to_bits()),
        }
    }

    /// The words of 32 bits of a word that holds this number.
    pub(super) fn words_of(self, number: u32) -> Vec<u32> {
        let bits = self.bits_of(number.cast_signed());
        match self.elements() {
            (Element::U64 | Element::F64, _) => vec![bits as u32, (bits >> 32) as u32],
            (_, count) => vec![bits as u32; count as usize],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::Named as _;

    #[test]
    fn numbers_are_the_bits_that_the_manual_says() {
        assert_eq!([1, -1].map(|own| Variant::U64.bits_of(own)), [1, u64::MAX]);
        assert_eq!([1, -1].map(|own| Variant::F32.bits_of(own)), [0x3f80_0000, 0xbf80_0000]);
        assert_eq!([1, -1].map(|own| Variant::F16x2.bits_of(own)), [0x3c00_3c00, 0xbc00_bc00]);
        assert_eq!([1, -1].map(|own| Variant::Bf16x2.bits_of(own)), [0x3f80_3f80, 0xbf80_bf80]);
        assert_eq!(Variant::F64.words_of(3), [0, 0x4008_0000]);
        assert_eq!(Variant::F16x8.words_of(2), [0x4000_4000; 4]);
    }

    #[test]
    fn every_type_counts_exactly_as_far_as_it_says_and_halves_no_further() {
        for &variant in Variant::ALL {
            let words = variant.words_of(1).len() as u32;
            assert_eq!(variant.bytes(), 4 * words, "{}", variant.name());
        }
        for (variant, most) in [(Variant::F16x2, 2048), (Variant::F16x8, 2048), (Variant::Bf16x2, 256)] {
            assert_eq!(variant.counts_to(), most);
            assert_ne!(variant.bits_of(most as i32 - 1), variant.bits_of(most as i32));
            assert_eq!(variant.bits_of(most as i32 + 1), variant.bits_of(most as i32), "rounded to even");
        }
    }
}

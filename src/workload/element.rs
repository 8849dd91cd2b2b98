//! Types of the elements of buffers.

/// The type of an element, by the names that PTX has for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// A whole number of so many bits, negative ones included.
    Signed(u8),
    /// A whole number of so many bits from 0 on.
    Unsigned(u8),
    /// A float of 16, 32 or 64 bits (IEEE 754).
    Float(u8),
    /// A float of 16 bits with the exponent of one of 32.
    BrainFloat,
}

impl Element {
    /// All, with their names in scenarios.
    pub const ALL: [(&'static str, Self); 12] = [
        ("f32", Self::Float(32)),
        ("f64", Self::Float(64)),
        ("f16", Self::Float(16)),
        ("bf16", Self::BrainFloat),
        ("i8", Self::Signed(8)),
        ("i16", Self::Signed(16)),
        ("i32", Self::Signed(32)),
        ("i64", Self::Signed(64)),
        ("u8", Self::Unsigned(8)),
        ("u16", Self::Unsigned(16)),
        ("u32", Self::Unsigned(32)),
        ("u64", Self::Unsigned(64)),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, own)| *own == self).map_or("", |(name, _)| name)
    }

    /// Its size.
    pub fn bytes(self) -> u64 {
        match self {
            Self::Signed(bits) | Self::Unsigned(bits) | Self::Float(bits) => u64::from(bits) / 8,
            Self::BrainFloat => 2,
        }
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float(_) | Self::BrainFloat)
    }

    /// Whether a number can be written as this type: a whole one in its range, which may be that with a sign or that without one, or a float that is
    /// not too large for it.
    pub fn holds(self, number: f64) -> bool {
        if self.is_float() {
            let mut bytes = Vec::new();
            self.put(number, &mut bytes);
            return number.is_finite() && self.number(&bytes).is_finite();
        }
        let bits = self.bytes() as i32 * 8;
        number.fract() == 0.0 && number >= -(2_f64.powi(bits - 1)) && number < 2_f64.powi(bits)
    }

    /// The least and the largest whole number of this type; `None` of floats.
    pub fn range(self) -> Option<(i128, i128)> {
        match self {
            Self::Signed(bits) => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
            Self::Unsigned(bits) => Some((0, (1 << bits) - 1)),
            Self::Float(_) | Self::BrainFloat => None,
        }
    }

    /// Writes the bits of a number as this type, the lowest byte first. Whole numbers are cut off towards zero, and wrap around.
    pub fn put(self, number: f64, bytes: &mut Vec<u8>) {
        match self {
            Self::Float(64) => bytes.extend(number.to_le_bytes()),
            Self::Float(32) => bytes.extend((number as f32).to_le_bytes()),
            Self::Float(_) => bytes.extend(half::f16::from_f64(number).to_le_bytes()),
            Self::BrainFloat => bytes.extend(half::bf16::from_f64(number).to_le_bytes()),
            Self::Signed(_) | Self::Unsigned(_) => {
                bytes.extend(&(number as i128).to_le_bytes()[..self.bytes() as usize]);
            }
        }
    }

    /// The number that these bytes are; whole numbers of 64 bits are rounded to 53.
    pub fn number(self, bytes: &[u8]) -> f64 {
        let mut all = [0; 8];
        let count = bytes.len().min(all.len());
        all[..count].copy_from_slice(&bytes[..count]);
        let bits = u64::from_le_bytes(all);
        match self {
            Self::Float(64) => f64::from_bits(bits),
            Self::Float(32) => f64::from(f32::from_bits(bits as u32)),
            Self::Float(_) => half::f16::from_bits(bits as u16).to_f64(),
            Self::BrainFloat => half::bf16::from_bits(bits as u16).to_f64(),
            Self::Unsigned(_) => bits as f64,
            Self::Signed(width) => {
                let unused = 64 - u32::from(width);
                (((bits << unused) as i64) >> unused) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_a_type_has_are_read_as_they_were_written() {
        for (name, element) in Element::ALL {
            for number in [0.0, 1.0, 5.0, 100.0, -3.0] {
                if number < 0.0 && matches!(element, Element::Unsigned(_)) {
                    continue;
                }
                let mut bytes = Vec::new();
                element.put(number, &mut bytes);
                assert_eq!(bytes.len() as u64, element.bytes(), "{name}");
                assert!((element.number(&bytes) - number).abs() < f64::EPSILON, "{name}");
            }
            assert_eq!(element.name(), name);
        }
    }

    #[test]
    fn numbers_beyond_a_type_are_not_held() {
        let i8 = Element::Signed(8);
        assert!([-128.0, 127.0, 255.0, -0.0].into_iter().all(|number| i8.holds(number)));
        assert!([-129.0, 256.0, 0.5, f64::NAN, f64::INFINITY].into_iter().all(|number| !i8.holds(number)));
        assert_eq!(i8.range(), Some((-128, 127)));
        assert_eq!(Element::Unsigned(64).range(), Some((0, i128::from(u64::MAX))));
        assert!(Element::Unsigned(64).holds(1e19) && !Element::Unsigned(64).holds(2e19));
        assert!(Element::Float(16).holds(65_504.0) && !Element::Float(16).holds(1e6));
        assert!(Element::Float(32).holds(0.1) && !Element::Float(32).holds(1e39));
    }

    #[test]
    fn floats_have_the_bits_of_the_standard() {
        let bits = |element: Element| {
            let mut bytes = Vec::new();
            element.put(-1.5, &mut bytes);
            bytes
        };
        assert_eq!(bits(Element::Float(16)), 0xbe00_u16.to_le_bytes());
        assert_eq!(bits(Element::BrainFloat), 0xbfc0_u16.to_le_bytes());
        assert_eq!(bits(Element::Float(32)), 0xbfc0_0000_u32.to_le_bytes());
    }
}

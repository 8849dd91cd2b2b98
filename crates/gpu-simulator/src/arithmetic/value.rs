//! How the values of PTX's types lie in registers.

/// A value of a type of PTX, and how a register holds it.
pub(super) trait Value: Copy + 'static {
    /// `u32` for types up to 32 bits, else `u64`.
    type Register: super::lift::Register;
    /// The value in a register, whose bits above the type's width are ignored.
    fn read(register: Self::Register) -> Self;
    /// The register that holds the value, with zeros above the type's width.
    fn write(self) -> Self::Register;
}

/// An integer type. `absolute` and `negative` are for signed types.
pub(super) trait Integer: Value + Ord + Default {
    /// Its width.
    const BITS: u32;
    /// Whether it is signed.
    const SIGNED: bool;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    /// The upper half of the product.
    fn multiply_high(self, other: Self) -> Self;
    /// All ones where `divisor` is 0; the smallest number divided by -1 is itself.
    fn divide(self, divisor: Self) -> Self;
    /// All ones where `divisor` is 0.
    fn remainder(self, divisor: Self) -> Self;
    /// Zeros come in; 0 for amounts from the width on.
    fn shift_left(self, amount: u32) -> Self;
    /// Zeros or copies of the sign come in, whatever the amount.
    fn shift_right(self, amount: u32) -> Self;
    /// The value, extended by its sign or by zeros.
    fn extend(self) -> u64;
}

macro_rules! integer {
    ($($ty:ty, $unsigned:ty, $register:ty;)*) => {$(
        impl Value for $ty {
            type Register = $register;
            fn read(register: $register) -> Self {
                register as Self
            }
            fn write(self) -> $register {
                <$register>::from(self as $unsigned)
            }
        }

        #[allow(clippy::cast_lossless)] // Also of types as wide or wider.
        impl Integer for $ty {
            const BITS: u32 = Self::BITS;
            const SIGNED: bool = Self::MIN != 0;
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn subtract(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            fn multiply(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn multiply_high(self, other: Self) -> Self {
                if Self::BITS == 64 {
                    ((self as i128).wrapping_mul(other as i128) >> 64) as Self
                } else {
                    ((self as i64).wrapping_mul(other as i64) >> Self::BITS) as Self
                }
            }
            fn divide(self, divisor: Self) -> Self {
                if divisor == 0 { !0 } else { self.wrapping_div(divisor) }
            }
            fn remainder(self, divisor: Self) -> Self {
                if divisor == 0 { !0 } else { self.wrapping_rem(divisor) }
            }
            fn shift_left(self, amount: u32) -> Self {
                if amount < Self::BITS { self << amount } else { 0 }
            }
            fn shift_right(self, amount: u32) -> Self {
                if amount < Self::BITS || Self::SIGNED { self >> amount.min(Self::BITS - 1) } else { 0 }
            }
            fn extend(self) -> u64 {
                self as u64
            }
        }
    )*};
}

integer! {
    u8, u8, u32;
    i8, u8, u32;
    u16, u16, u32;
    i16, u16, u32;
    u32, u32, u32;
    i32, u32, u32;
    u64, u64, u64;
    i64, u64, u64;
}

impl Value for f32 {
    type Register = u32;
    fn read(register: u32) -> Self {
        Self::from_bits(register)
    }
    fn write(self) -> u32 {
        self.to_bits()
    }
}

impl Value for f64 {
    type Register = u64;
    fn read(register: u64) -> Self {
        Self::from_bits(register)
    }
    fn write(self) -> u64 {
        self.to_bits()
    }
}

/// An expression with `$letter` as the type of the integers that a [`Type`] of 16 to 64 bits names, or `None` for others.
macro_rules! with_integer {
    ($ty:expr, $letter:ident => $function:expr) => {
        with_integer!($ty, $letter => $function; Unsigned(16) u16, Unsigned(32) u32, Unsigned(64) u64,
            Signed(16) i16, Signed(32) i32, Signed(64) i64)
    };
    ($ty:expr, $letter:ident => $function:expr; $($variant:ident($bits:literal) $integer:ty),*) => {
        match $ty {
            $(ptx_syntax::module::Type::$variant($bits) => {
                type $letter = $integer;
                Some($function)
            })*
            _ => None,
        }
    };
}
pub(super) use with_integer;

/// An expression with `$letter` as the unsigned type of a [`Type`]'s width, 16 to 64 bits: for what takes no notice of
/// signs.
macro_rules! with_width {
    ($ty:expr, $letter:ident => $function:expr) => {
        with_integer!(ptx_syntax::module::Type::Unsigned($ty.bits()), $letter => $function;
            Unsigned(16) u16, Unsigned(32) u32, Unsigned(64) u64)
    };
}
pub(super) use with_width;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_values_have_zeros_above_them() {
        assert_eq!((-2_i16).write(), 0xfffe);
        assert_eq!((-2_i8).write(), 0xfe);
        assert_eq!(i16::read(0xabcd_fffe), -2);
    }

    #[test]
    fn upper_halves_of_products() {
        assert_eq!(u64::MAX.multiply_high(u64::MAX), u64::MAX - 1);
        assert_eq!(u32::MAX.multiply_high(u32::MAX), u32::MAX - 1);
        assert_eq!(u16::MAX.multiply_high(u16::MAX), u16::MAX - 1);
        assert_eq!(i64::MIN.multiply_high(i64::MIN), 1 << 62);
        assert_eq!(i32::MIN.multiply_high(-1), 0);
        assert_eq!((-1_i16).multiply_high(1), -1);
    }
}

//! The types of instructions, and values as lanes of bits.

/// One value of each lane of a warp. A value of fewer than 64 bits is zero-extended.
pub(super) type Lanes = [u64; LANES];

pub(super) const LANES: usize = 32;

/// Returns the lanes of a mask.
pub(super) fn each(mask: u32) -> impl Iterator<Item = usize> {
    let mut left = mask;
    std::iter::from_fn(move || {
        let lane = left.trailing_zeros() as usize;
        left &= left.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

/// A type of PTX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Pred,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    Bf16,
    F32,
    F64,
    F16x2,
    Bf16x2,
    U16x2,
    S16x2,
    B128,
    Tf32,
    E4m3,
    E5m2,
    E4m3x2,
    E5m2x2,
    U4,
    S4,
}

impl Type {
    /// Returns the type of a part of a name. `.bN` is unsigned.
    pub(super) fn read(name: &str) -> Option<Self> {
        Some(match name {
            "pred" => Self::Pred,
            "b8" | "u8" => Self::U8,
            "b16" | "u16" => Self::U16,
            "b32" | "u32" => Self::U32,
            "b64" | "u64" => Self::U64,
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "f16x2" => Self::F16x2,
            "bf16x2" => Self::Bf16x2,
            "u16x2" => Self::U16x2,
            "s16x2" => Self::S16x2,
            "b128" => Self::B128,
            "tf32" => Self::Tf32,
            "e4m3" => Self::E4m3,
            "e5m2" => Self::E5m2,
            "e4m3x2" => Self::E4m3x2,
            "e5m2x2" => Self::E5m2x2,
            "u4" => Self::U4,
            "s4" => Self::S4,
            _ => return None,
        })
    }

    pub(super) fn bits(self) -> u32 {
        match self {
            Self::Pred => 1,
            Self::U4 | Self::S4 => 4,
            Self::U8 | Self::S8 | Self::E4m3 | Self::E5m2 => 8,
            Self::U16 | Self::S16 | Self::F16 | Self::Bf16 | Self::E4m3x2 | Self::E5m2x2 => 16,
            Self::U32 | Self::S32 | Self::F32 | Self::F16x2 | Self::Bf16x2 | Self::U16x2 | Self::S16x2 | Self::Tf32 => {
                32
            }
            Self::U64 | Self::S64 | Self::F64 => 64,
            Self::B128 => 128,
        }
    }

    pub(super) fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    pub(super) fn is_signed(self) -> bool {
        matches!(self, Self::S4 | Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    pub(super) fn is_float(self) -> bool {
        !self.is_integer() && !matches!(self, Self::Pred | Self::B128 | Self::U16x2 | Self::S16x2)
    }

    pub(super) fn is_integer(self) -> bool {
        self.is_signed() || matches!(self, Self::U4 | Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }
}

/// Returns the mask of the lowest `bits` bits.
pub(super) fn low(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// A value of a type that Rust has, as bits.
pub(super) trait Bits: Copy + 'static {
    fn get(bits: u64) -> Self;
    fn put(self) -> u64;
}

macro_rules! bits {
    ($($kind:ty, $unsigned:ty);*) => {
        $(impl Bits for $kind {
            #[inline(always)]
            fn get(bits: u64) -> Self {
                bits as Self
            }
            #[inline(always)]
            fn put(self) -> u64 {
                u64::from(self as $unsigned)
            }
        })*
    };
}

bits! { u8, u8; u16, u16; u32, u32; u64, u64; i8, u8; i16, u16; i32, u32; i64, u64 }

impl Bits for f32 {
    #[inline(always)]
    fn get(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Bits for f64 {
    #[inline(always)]
    fn get(bits: u64) -> Self {
        Self::from_bits(bits)
    }
    #[inline(always)]
    fn put(self) -> u64 {
        self.to_bits()
    }
}

/// Returns a value sign-extended from `bits` bits, if it is signed.
pub(super) fn extend(value: u64, kind: Type) -> u64 {
    let bits = kind.bits();
    if kind.is_signed() && bits < 64 {
        let shift = 64 - bits;
        ((value << shift).cast_signed() >> shift).cast_unsigned()
    } else {
        value & low(bits)
    }
}

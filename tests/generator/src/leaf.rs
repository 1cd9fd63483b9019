//! The types that are made of no others: scalars, CUDA's vectors, opaque objects.

/// How a component of a leaf draws its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// 0 or 1, one byte.
    Bool,
    /// Any bits of this many bytes: integers and floats.
    Bits(usize),
    /// Any bits of this many bytes but not all zero.
    NonZero(usize),
}

impl Scalar {
    /// Bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Bits(size) | Self::NonZero(size) => size,
        }
    }
}

/// A type that is made of no others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The Rust type, as it is spelled where `kernel_args`' and `core::num`'s names are in scope.
    pub rust: &'static str,
    /// The C++ type, after [`PRELUDE`](crate::cpp::PRELUDE).
    pub cpp: &'static str,
    /// What each component is.
    pub scalar: Scalar,
    /// How many components there are, one after another.
    pub count: usize,
    /// The alignment on the device, in bytes.
    pub align: usize,
    /// Whether C++ passes it as a struct, not as a scalar.
    pub aggregate: bool,
}

impl Leaf {
    /// Bytes: components stand tightly.
    #[must_use]
    pub fn size(&self) -> usize {
        self.scalar.size() * self.count
    }

    /// The leaf with this Rust spelling.
    #[must_use]
    pub fn named(rust: &str) -> Option<&'static Self> {
        LEAVES.iter().find(|leaf| leaf.rust == rust)
    }
}

const fn scalar(rust: &'static str, cpp: &'static str, scalar: Scalar, align: usize) -> Leaf {
    Leaf {
        rust,
        cpp,
        scalar,
        count: 1,
        align,
        aggregate: false,
    }
}

const fn vector(
    rust: &'static str,
    cpp: &'static str,
    component: usize,
    count: usize,
    align: usize,
) -> Leaf {
    Leaf {
        rust,
        cpp,
        scalar: Scalar::Bits(component),
        count,
        align,
        aggregate: true,
    }
}

use Scalar::{Bits, Bool, NonZero};

/// Every leaf. Alignments: CUDA C++ Programming Guide, "Built-in Vector Types".
pub const LEAVES: &[Leaf] = &[
    scalar("bool", "bool", Bool, 1),
    scalar("i8", "signed char", Bits(1), 1),
    scalar("u8", "unsigned char", Bits(1), 1),
    scalar("i16", "short", Bits(2), 2),
    scalar("u16", "unsigned short", Bits(2), 2),
    scalar("i32", "int", Bits(4), 4),
    scalar("u32", "unsigned int", Bits(4), 4),
    scalar("i64", "long long", Bits(8), 8),
    scalar("u64", "unsigned long long", Bits(8), 8),
    scalar("isize", "long", Bits(8), 8),
    scalar("usize", "unsigned long", Bits(8), 8),
    scalar("i128", "__int128", Bits(16), 16),
    scalar("u128", "unsigned __int128", Bits(16), 16),
    scalar("f32", "float", Bits(4), 4),
    scalar("f64", "double", Bits(8), 8),
    scalar("NonZeroI8", "char", NonZero(1), 1),
    scalar("NonZeroU8", "unsigned char", NonZero(1), 1),
    scalar("NonZeroI16", "short", NonZero(2), 2),
    scalar("NonZeroU16", "unsigned short", NonZero(2), 2),
    scalar("NonZeroI32", "int", NonZero(4), 4),
    scalar("NonZeroU32", "unsigned int", NonZero(4), 4),
    scalar("NonZeroI64", "long long", NonZero(8), 8),
    scalar("NonZeroU64", "unsigned long long", NonZero(8), 8),
    scalar("NonZeroI128", "__int128", NonZero(16), 16),
    scalar("NonZeroU128", "unsigned __int128", NonZero(16), 16),
    scalar("NonZeroIsize", "long", NonZero(8), 8),
    scalar("NonZeroUsize", "unsigned long", NonZero(8), 8),
    scalar("Wrapping<u32>", "unsigned int", Bits(4), 4),
    scalar("TextureObject", "cudaTextureObject_t", Bits(8), 8),
    scalar("SurfaceObject", "cudaSurfaceObject_t", Bits(8), 8),
    vector("TensorMap", "TensorMap128", 8, 16, 128),
    vector("TensorMapA64", "TensorMap64", 8, 16, 64),
    vector("Char1", "char1", 1, 1, 1),
    vector("Char2", "char2", 1, 2, 2),
    vector("Char3", "char3", 1, 3, 1),
    vector("Char4", "char4", 1, 4, 4),
    vector("UChar1", "uchar1", 1, 1, 1),
    vector("UChar2", "uchar2", 1, 2, 2),
    vector("UChar3", "uchar3", 1, 3, 1),
    vector("UChar4", "uchar4", 1, 4, 4),
    vector("Short1", "short1", 2, 1, 2),
    vector("Short2", "short2", 2, 2, 4),
    vector("Short3", "short3", 2, 3, 2),
    vector("Short4", "short4", 2, 4, 8),
    vector("UShort1", "ushort1", 2, 1, 2),
    vector("UShort2", "ushort2", 2, 2, 4),
    vector("UShort3", "ushort3", 2, 3, 2),
    vector("UShort4", "ushort4", 2, 4, 8),
    vector("Int1", "int1", 4, 1, 4),
    vector("Int2", "int2", 4, 2, 8),
    vector("Int3", "int3", 4, 3, 4),
    vector("Int4", "int4", 4, 4, 16),
    vector("UInt1", "uint1", 4, 1, 4),
    vector("UInt2", "uint2", 4, 2, 8),
    vector("UInt3", "uint3", 4, 3, 4),
    vector("UInt4", "uint4", 4, 4, 16),
    vector("Long1", "long1", 8, 1, 8),
    vector("Long2", "long2", 8, 2, 16),
    vector("Long3", "long3", 8, 3, 8),
    vector("Long4", "long4", 8, 4, 16),
    vector("Long4A16", "long4_16a", 8, 4, 16),
    vector("Long4A32", "long4_32a", 8, 4, 32),
    vector("ULong1", "ulong1", 8, 1, 8),
    vector("ULong2", "ulong2", 8, 2, 16),
    vector("ULong3", "ulong3", 8, 3, 8),
    vector("ULong4", "ulong4", 8, 4, 16),
    vector("ULong4A16", "ulong4_16a", 8, 4, 16),
    vector("ULong4A32", "ulong4_32a", 8, 4, 32),
    vector("LongLong1", "longlong1", 8, 1, 8),
    vector("LongLong2", "longlong2", 8, 2, 16),
    vector("LongLong3", "longlong3", 8, 3, 8),
    vector("LongLong4", "longlong4", 8, 4, 16),
    vector("LongLong4A16", "longlong4_16a", 8, 4, 16),
    vector("LongLong4A32", "longlong4_32a", 8, 4, 32),
    vector("ULongLong1", "ulonglong1", 8, 1, 8),
    vector("ULongLong2", "ulonglong2", 8, 2, 16),
    vector("ULongLong3", "ulonglong3", 8, 3, 8),
    vector("ULongLong4", "ulonglong4", 8, 4, 16),
    vector("ULongLong4A16", "ulonglong4_16a", 8, 4, 16),
    vector("ULongLong4A32", "ulonglong4_32a", 8, 4, 32),
    vector("Float1", "float1", 4, 1, 4),
    vector("Float2", "float2", 4, 2, 8),
    vector("Float3", "float3", 4, 3, 4),
    vector("Float4", "float4", 4, 4, 16),
    vector("Double1", "double1", 8, 1, 8),
    vector("Double2", "double2", 8, 2, 16),
    vector("Double3", "double3", 8, 3, 8),
    vector("Double4", "double4", 8, 4, 16),
    vector("Double4A16", "double4_16a", 8, 4, 16),
    vector("Double4A32", "double4_32a", 8, 4, 32),
    vector("Dim3", "dim3", 4, 3, 4),
    vector("CuFloatComplex", "cuFloatComplex", 4, 2, 8),
    vector("CuDoubleComplex", "cuDoubleComplex", 8, 2, 16),
    vector("half::f16", "__half", 2, 1, 2),
    vector("half::bf16", "__nv_bfloat16", 2, 1, 2),
    vector("Half2", "__half2", 2, 2, 4),
    vector("BFloat162", "__nv_bfloat162", 2, 2, 4),
];

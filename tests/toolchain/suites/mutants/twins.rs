//! Pairs of types that can be confused, by their Rust spelling.

/// A different width.
pub(crate) const WIDTHS: &[(&str, &str)] = &[
    ("i8", "i16"),
    ("u8", "u32"),
    ("i16", "i32"),
    ("u16", "u32"),
    ("i32", "i64"),
    ("u32", "usize"),
    ("i64", "i32"),
    ("u64", "u32"),
    ("isize", "i32"),
    ("usize", "u32"),
    ("i128", "i64"),
    ("u128", "u64"),
    ("f32", "f64"),
    ("f64", "f32"),
    ("half::f16", "f32"),
    ("half::bf16", "f32"),
    ("bool", "u32"),
    ("TextureObject", "u32"),
    ("NonZeroU32", "NonZeroU64"),
];

/// Integers instead of floating-point numbers of the same size, and the reverse.
pub(crate) const NUMBERS: &[(&str, &str)] = &[
    ("f32", "i32"),
    ("f32", "u32"),
    ("i32", "f32"),
    ("u32", "f32"),
    ("NonZeroU32", "f32"),
    ("f64", "i64"),
    ("f64", "u64"),
    ("i64", "f64"),
    ("u64", "f64"),
    ("usize", "f64"),
    ("half::f16", "u16"),
    ("half::bf16", "i16"),
    ("u16", "half::f16"),
    ("i16", "half::bf16"),
];

/// A different signedness.
pub(crate) const SIGNS: &[(&str, &str)] = &[
    ("i8", "u8"),
    ("i16", "u16"),
    ("i32", "u32"),
    ("i64", "u64"),
    ("isize", "usize"),
    ("i128", "u128"),
    ("u8", "i8"),
    ("u16", "i16"),
    ("u32", "i32"),
    ("u64", "i64"),
    ("usize", "isize"),
    ("u128", "i128"),
    ("NonZeroI32", "NonZeroU32"),
    ("Wrapping<u32>", "i32"),
    ("TextureObject", "i64"),
];

/// The two 16-bit formats.
pub(crate) const HALVES: &[(&str, &str)] =
    &[("half::f16", "half::bf16"), ("half::bf16", "half::f16"), ("Half2", "BFloat162"), ("BFloat162", "Half2")];

/// Vectors of integers instead of vectors of floating-point numbers: prefixes of names, or whole names.
pub(crate) const KINDS_OF_VECTORS: &[(&str, &str)] = &[
    ("Float", "Int"),
    ("Int", "Float"),
    ("UInt", "Float"),
    ("Double", "LongLong"),
    ("LongLong", "Double"),
    ("ULongLong", "Double"),
    ("Long", "Double"),
    ("ULong", "Double"),
    ("CuFloatComplex", "UInt2"),
    ("Dim3", "Float3"),
];

/// The same bytes with a different alignment.
pub(crate) const ALIGNMENTS: &[(&str, &str)] = &[
    ("Double4", "Double4A32"),
    ("Double4A16", "Double4A32"),
    ("Double4A32", "Double4A16"),
    ("Long4A32", "Long4A16"),
    ("LongLong4A16", "LongLong4A32"),
    ("TensorMap", "TensorMapA64"),
    ("TensorMapA64", "TensorMap"),
];

/// Two names of the same integer.
pub(crate) const LONGS: &[(&str, &str)] = &[
    ("isize", "i64"),
    ("usize", "u64"),
    ("i64", "isize"),
    ("u64", "usize"),
    ("TextureObject", "u64"),
    ("Wrapping<u32>", "u32"),
];

/// An integer, and a wrapper for it.
pub(crate) const NON_ZERO: &[(&str, &str)] = &[
    ("i32", "NonZeroI32"),
    ("u64", "NonZeroU64"),
    ("NonZeroU8", "u8"),
    ("NonZeroI64", "i64"),
    ("NonZeroIsize", "isize"),
];

/// The scalars of vectors by prefix of the name, longer prefixes first.
pub(crate) const ELEMENTS: &[(&str, &str)] = &[
    ("ULongLong", "u64"),
    ("LongLong", "i64"),
    ("ULong", "u64"),
    ("Long", "i64"),
    ("UShort", "u16"),
    ("Short", "i16"),
    ("UChar", "u8"),
    ("Char", "i8"),
    ("UInt", "u32"),
    ("Int", "i32"),
    ("Float", "f32"),
    ("Double", "f64"),
    ("CuFloatComplex", "f32"),
    ("CuDoubleComplex", "f64"),
    ("Half2", "half::f16"),
    ("BFloat162", "half::bf16"),
    ("TensorMap", "u64"),
];

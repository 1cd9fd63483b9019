//! Types without fields of other types: scalars, CUDA's vectors, opaque objects.

/// How a component of a leaf gets its random value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// 0 or 1, one byte.
    Bool,
    /// Any bits of this many bytes: integers and floats.
    Bits(usize),
    /// Any bits of this many bytes, but not all zero.
    NonZero(usize),
}

impl Scalar {
    /// The size in bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Bits(size) | Self::NonZero(size) => size,
        }
    }
}

/// A type without fields of other types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// The Rust spelling, with the names of `kernel_args` and `core::num` in scope.
    pub rust: &'static str,
    /// The C++ type, after [`PRELUDE`](crate::cpp::PRELUDE).
    pub cpp: &'static str,
    /// The kind of each component.
    pub scalar: Scalar,
    /// The number of components, one after another.
    pub count: usize,
    /// The alignment on the device, in bytes.
    pub align: usize,
    /// Whether C++ passes it as a struct and not as a scalar.
    pub aggregate: bool,
}

impl Leaf {
    /// The size in bytes. Components have no gaps.
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

macro_rules! leaves {
    ($($rust:ty = $cpp:literal, $passed:ident $count:literal x $size:literal aligned $align:literal,
       $drawn:ident $(of $inner:ty)?;)*) => {
        /// Every leaf, in the order of the table.
        pub const LEAVES: &[Leaf] = &[$(Leaf {
            rust: crate::spelling!($rust),
            cpp: $cpp,
            scalar: component!($drawn $size),
            count: $count,
            align: $align,
            aggregate: aggregate!($passed),
        }),*];
    };
}

macro_rules! component {
    (truth $size:literal) => {
        Scalar::Bool
    };
    (non_zero $size:literal) => {
        Scalar::NonZero($size)
    };
    ($drawn:ident $size:literal) => {
        Scalar::Bits($size)
    };
}

macro_rules! aggregate {
    (scalar) => {
        false
    };
    (aggregate) => {
        true
    };
}

crate::cuda_types!(leaves);

/// A type of another crate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Foreign {
    /// The Rust type.
    pub rust: &'static str,
    /// The C++ type, after [`PRELUDE`](crate::cpp::PRELUDE).
    pub cpp: &'static str,
    /// The size in bytes.
    pub size: usize,
    /// The alignment on the device, in bytes.
    pub align: usize,
}

macro_rules! foreign {
    ($($rust:ty = $cpp:literal, $count:literal x $size:literal aligned $align:literal, echo $kernel:ident;)*) => {
        /// Every type of another crate, in the order of the table.
        pub const FOREIGN: &[Foreign] = &[$(Foreign {
            rust: crate::spelling!($rust),
            cpp: $cpp,
            size: $count * $size,
            align: $align,
        }),*];
    };
}

crate::foreign_types!(foreign);

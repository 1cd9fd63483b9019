//! Grid and block.

use crate::device::vector::Dim3;

/// Three extents: of a grid in blocks, or of a block in threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dim {
    /// Along x.
    pub x: u32,
    /// Along y.
    pub y: u32,
    /// Along z.
    pub z: u32,
}

impl Dim {
    /// An extent along each axis.
    #[must_use]
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// How many points there are; saturating.
    #[must_use]
    pub const fn count(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }
}

impl core::fmt::Display for Dim {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "({}, {}, {})", self.x, self.y, self.z)
    }
}

/// What [`launch!`](crate::launch!) takes for a grid or a block: `256`, `(16, 16)`, `(8, 8, 4)`, or an array of these.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no grid or block",
    label = "not an extent",
    note = "write a `u32`, a tuple or array of one to three `u32`, a `Dim` or a `Dim3`; \
            for another integer convert first: `u32::try_from(n)?`"
)]
pub trait IntoDim {
    /// The extents; those that are not given are 1.
    fn into_dim(self) -> Dim;
}

macro_rules! dims {
    ($($ty:ty, $pattern:pat => $x:expr, $y:expr, $z:expr;)*) => {$(
        impl IntoDim for $ty {
            #[inline(always)]
            fn into_dim(self) -> Dim {
                let $pattern = self;
                Dim::new($x, $y, $z)
            }
        }
    )*};
}

dims! {
    u32, x => x, 1, 1;
    (u32,), (x,) => x, 1, 1;
    (u32, u32), (x, y) => x, y, 1;
    (u32, u32, u32), (x, y, z) => x, y, z;
    [u32; 1], [x] => x, 1, 1;
    [u32; 2], [x, y] => x, y, 1;
    [u32; 3], [x, y, z] => x, y, z;
    Dim, dim => dim.x, dim.y, dim.z;
    Dim3, dim => dim.x, dim.y, dim.z;
}

//! Grids and blocks: the types that a launch accepts.

use crate::device::vector::Dim3;

/// A type that [`launch!`](crate::launch!) accepts as a grid or a block: `256`, `(16, 16)`, `(8, 8, 4)`, an array of
/// one to three `u32`, or a [`Dim3`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a launch dimension",
    label = "not a grid or block",
    note = "write a `u32`, a tuple or array of one to three `u32`, or a `Dim3`; \
            for another integer convert first: `u32::try_from(n)?`",
    note = "the grid for `n` elements in blocks of 256 threads is `n.div_ceil(256)`, with integers: it rounds up",
    note = "a cudarc `LaunchConfig` contains the grid and the block: `launch!(func, config, args)`"
)]
pub trait IntoDim {
    /// Returns the extent along each axis; a missing extent is 1.
    fn into_dim(self) -> Dim3;
}

macro_rules! into_dim {
    ($($ty:ty, $pattern:pat => $x:expr, $y:expr, $z:expr;)*) => {$(
        impl IntoDim for $ty {
            #[inline(always)]
            fn into_dim(self) -> Dim3 {
                let $pattern = self;
                Dim3::new($x, $y, $z)
            }
        }
    )*};
}

into_dim! {
    u32, x => x, 1, 1;
    (u32,), (x,) => x, 1, 1;
    (u32, u32), (x, y) => x, y, 1;
    (u32, u32, u32), (x, y, z) => x, y, z;
    [u32; 1], [x] => x, 1, 1;
    [u32; 2], [x, y] => x, y, 1;
    [u32; 3], [x, y, z] => x, y, z;
    Dim3, dim => dim.x, dim.y, dim.z;
}

//! The form in which a launch passes its parameters.

use crate::marshal::KernelArgs;
use kernel_args_abi::ParamLayout;

/// The form in which a launch passes its parameters to the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `kernelParams`: a pointer to each parameter.
    KernelParams,
    /// `CU_LAUNCH_PARAM_BUFFER_POINTER`: one buffer.
    Packed,
}

/// Above this many bytes, parameters of [`LARGE_PARAMETER`] bytes on average are passed as `kernelParams`.
///
/// With `cuLaunchKernelEx` the driver takes a struct of 4 KiB in 2313 ns packed and in 2352 ns as `kernelParams`, and one
/// of 32 KiB in 3198 and 3191 ns (H200, CUDA 13.0, `benches/`). Where a struct is not itself the packed form,
/// that copies the parameters once more: 9 ns for 4 KiB, 703 ns for 32 KiB, which do not fit twice into the L1 cache.
const LARGE_BLOCK: usize = 8 * 1024;

/// The driver takes one more nanosecond for each parameter of `kernelParams`, and a copy as long for some 50 bytes; this
/// is well above.
const LARGE_PARAMETER: usize = 256;

impl Form {
    /// The form of a launch of `A` that does not name one: packed, which is the faster one, except
    ///
    /// - above 8 KiB in a few large parameters, which `kernelParams` passes without a copy;
    /// - for an alignment above 16 bytes, where packed offsets depend on the GPU;
    /// - without parameters, where both are the same.
    ///
    /// A cooperative launch that names no form takes `kernelParams` too: drivers refuse its packed form on a stream that is
    /// being captured.
    #[must_use]
    pub const fn of<A: KernelArgs>() -> Self {
        Self::of_parameters(A::PARAMETERS.len(), &A::LAYOUT)
    }

    /// The form of a launch with so many parameters of this layout.
    pub(crate) const fn of_parameters(count: usize, layout: &ParamLayout) -> Self {
        let size = layout.size();
        let large = size > LARGE_BLOCK && size >= LARGE_PARAMETER * count;
        if count == 0 || large || layout.depends_on_gpu() {
            Self::KernelParams
        } else {
            Self::Packed
        }
    }
}

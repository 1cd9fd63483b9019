//! The two forms of parameters, and which one a launch uses.

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
/// With `cuLaunchKernelEx` the driver takes 2313 ns for a packed struct of 4 KiB and 2352 ns as `kernelParams`; for a
/// struct of 32 KiB 3198 and 3191 ns (H200, CUDA 13.0, `tests/benches/`). If a struct is not itself in the packed form,
/// packing copies the parameters once more: 9 ns for 4 KiB, 703 ns for 32 KiB.
const LARGE_BLOCK: usize = 8 * 1024;

/// With `kernelParams` the driver needs about one more nanosecond for each parameter, the time to copy about 50 bytes.
/// This limit is well above that.
const LARGE_PARAMETER: usize = 256;

impl Form {
    /// Returns the default form of a launch of `A`: packed, which is faster, except
    ///
    /// - above 8 KiB in a few large parameters, which `kernelParams` passes without a copy;
    /// - for an alignment above 16 bytes, because packed offsets then depend on the GPU;
    /// - without parameters, because both forms are the same.
    ///
    /// A cooperative launch also uses `kernelParams` by default: drivers reject its packed form on a stream that is
    /// being captured.
    #[must_use]
    pub const fn of<A: KernelArgs>() -> Self {
        Self::of_parameters(A::PARAMETERS.len(), &A::LAYOUT)
    }

    pub(crate) const fn of_parameters(count: usize, layout: &ParamLayout) -> Self {
        let size = layout.size();
        let large = size > LARGE_BLOCK && size >= LARGE_PARAMETER * count;
        if count == 0 || large || layout.depends_on_gpu() { Self::KernelParams } else { Self::Packed }
    }
}

//! Where a field lies among the parameters, by its name.

use super::KernelArgs;

/// The offset of a field among the kernel's parameters, in bytes; a constant where it is evaluated in one.
///
/// It is what `cudaGraphKernelNodeSetParam` takes, with which a kernel updates a parameter of another node of its graph (CUDA
/// Runtime API, "Graph Management").
///
/// ```
/// use kernel_args::{DevicePointerMut, KernelArgs, args::offset_of};
///
/// #[derive(KernelArgs)]
/// struct Scale { n: u32, factor: f64, y: DevicePointerMut<f64> }
///
/// const FACTOR: usize = offset_of::<Scale>("factor");
/// assert_eq!(FACTOR, 8);
/// ```
///
/// ```compile_fail,E0080
/// # use kernel_args::{KernelArgs, args::offset_of};
/// # #[derive(KernelArgs)]
/// # struct Scale { n: u32 }
/// const M: usize = offset_of::<Scale>("m"); // there is no such field
/// # let _ = M;
/// ```
///
/// # Panics
/// Where the struct has no such parameter, or a parameter is aligned to more than 16 bytes, so that offsets depend on the GPU
/// ([`ParamLayout::on`](crate::abi::ParamLayout::on) tells them). In a constant that is a compile error.
#[must_use]
#[track_caller]
pub const fn offset_of<A: KernelArgs>(field: &str) -> usize {
    assert!(
        !A::LAYOUT.depends_on_gpu(),
        "a parameter is aligned to more than 16 bytes, so that offsets depend on the GPU\n\
         help: ask `ParamLayout::on` or `cuFuncGetParamInfo` for the offsets of one GPU"
    );
    let mut i = 0;
    while i < A::PARAMETERS.len() {
        let parameter = &A::PARAMETERS[i];
        if is_same(parameter.name.as_bytes(), field.as_bytes())
            && let Some(offset) = parameter.offset
        {
            return offset;
        }
        i += 1;
    }
    panic!(
        "the struct has no parameter of that name\n\
         help: write the name of one of its fields; a field with `#[kernel_args(skip)]` is not a parameter"
    )
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

//! The offset of a field among the parameters, by its name.

use super::KernelArgs;

/// Returns the offset of a field among the kernel's parameters, in bytes. It can be evaluated in a constant.
///
/// `cudaGraphKernelNodeSetParam` takes this offset: with it, a kernel updates a parameter of another node of its graph
/// (CUDA Runtime API, "Graph Management").
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
/// const M: usize = offset_of::<Scale>("m"); // `Scale` has no field `m`
/// # let _ = M;
/// ```
///
/// # Panics
/// If the struct has no parameter with this name, or if a parameter is aligned to more than 16 bytes. In the second
/// case offsets depend on the GPU: use [`ParamLayout::on`](crate::abi::ParamLayout::on). In a constant, the panic is a
/// compile error.
#[must_use]
#[track_caller]
pub const fn offset_of<A: KernelArgs>(field: &str) -> usize {
    assert!(
        !A::LAYOUT.depends_on_gpu(),
        "a parameter is aligned to more than 16 bytes, so its offset depends on the GPU\n\
         help: use `ParamLayout::on` or `cuFuncGetParamInfo` for the offsets of one GPU"
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
        "the struct has no parameter with this name\n\
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

//! From a struct to the parameters of one launch, in either form.

use super::{
    KernelArgs, LaunchStream,
    param_writer::{KernelParams, Packed},
};
use core::{ffi::c_void, mem::MaybeUninit, ptr};
use kernel_args_abi::{ParamLayout, Parameter};

/// Lowers `args` to one pointer for each parameter and calls `launch` with them.
#[inline]
pub(crate) fn marshal_params<A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(*mut *mut c_void) -> R,
) -> R {
    let mut buffer = MaybeUninit::<A::ParamBuffer>::uninit();
    let mut pointers = MaybeUninit::<A::ParamPointers>::uninit();
    let pointers = pointers.as_mut_ptr().cast::<*mut c_void>();
    // SAFETY: `KernelArgs` promises that both locals are large enough, and both outlive the call.
    unsafe {
        args.lower::<KernelParams, R>(stream, buffer.as_mut_ptr().cast(), pointers, || {
            launch(pointers)
        })
    }
}

/// Lowers `args` to the packed form and calls `launch` with its first byte; it is `LAYOUT.size()` bytes long. A struct that is
/// laid out so itself is not copied.
///
/// Offsets follow C's rule, so this is not for a layout that depends on the GPU.
#[inline]
pub(crate) fn marshal_packed<A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(*const u8) -> R,
) -> R {
    if let Some(packed) = args.packed_in_place() {
        return launch(packed);
    }
    let mut buffer = MaybeUninit::<A::ParamBuffer>::uninit();
    let buffer = buffer.as_mut_ptr().cast::<u8>();
    if const { has_gaps(A::PARAMETERS) } {
        // SAFETY: `KernelArgs` promises that the buffer has at least `LAYOUT.size()` bytes.
        unsafe { buffer.write_bytes(0, A::LAYOUT.size()) };
    }
    // SAFETY: `buffer` is as large as the promise says and outlives the call; the packed form writes no pointers.
    unsafe { args.lower::<Packed, R>(stream, buffer, ptr::null_mut(), || launch(buffer)) }
}

/// Whether there are bytes between parameters.
pub(crate) const fn has_gaps(parameters: &[Parameter<'_>]) -> bool {
    let mut end = 0;
    let mut i = 0;
    while i < parameters.len() {
        match parameters[i].offset {
            Some(offset) if offset == end => end += parameters[i].size,
            _ => return true,
        }
        i += 1;
    }
    false
}

/// Panics where the packed form of a struct depends on the GPU.
///
/// # Panics
/// At compile time, with what to write instead.
#[track_caller]
pub(super) const fn assert_same_on_every_gpu(layout: &ParamLayout) {
    assert!(
        !layout.depends_on_gpu(),
        "a parameter is aligned to more than 16 bytes, so its packed offset depends on the GPU\n\
         help: use `with_kernel_params`, or `pack_at` with the offsets of the loaded function"
    );
}

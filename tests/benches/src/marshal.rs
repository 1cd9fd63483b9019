//! Six ways from a struct of arguments to the driver call.
//!
//! Each way is a separate function that is never inlined and takes a pointer to the struct, to hide the arguments from
//! the optimizer. The driver is a sink in a separate C file.

use crate::callgrind::{Call, measured};
use core::{ffi::c_void, ptr};

/// How the arguments are marshalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// `with_kernel_params`.
    OursParams,
    /// An array of pointers, hand-written in Rust.
    RustParams,
    /// An array of pointers, hand-written in C.
    CParams,
    /// `with_packed`.
    OursPacked,
    /// A buffer with a running offset, hand-written in Rust.
    RustPacked,
    /// A buffer with a running offset, hand-written in C.
    CPacked,
}

impl Variant {
    /// All ways, grouped by form.
    pub const ALL: [Self; 6] =
        [Self::OursParams, Self::RustParams, Self::CParams, Self::OursPacked, Self::RustPacked, Self::CPacked];
}

/// A struct of arguments.
pub struct Shape {
    /// `p8`, `mix`.
    pub name: &'static str,
    pub(crate) offsets: &'static [usize],
    /// The bytes of each parameter that all ways pass identically: the bytes without padding, or all bytes if every way
    /// zeroes the padding.
    pub(crate) sizes: &'static [usize],
    pub(crate) run: fn(Variant, &mut dyn FnMut(Call, *mut c_void)),
}

impl Shape {
    /// Marshals example arguments once. Callgrind counts this call.
    pub fn run(&self, variant: Variant) {
        // SAFETY: the arguments have the type that the call takes.
        (self.run)(variant, &mut |call, args| unsafe { measured(call, args) });
    }

    /// The number of parameters.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// The bytes that the driver would read: every parameter at its offset, `0xee` in between.
    #[must_use]
    pub fn handed_over(&self, variant: Variant) -> Vec<u8> {
        let size = self.offsets.iter().zip(self.sizes).map(|(offset, size)| offset + size);
        let mut bytes = vec![0xee; size.max().unwrap_or(0) + 1];
        // SAFETY: the sink writes below `offset + size` of the parameters, until the check ends.
        unsafe {
            cu_check_launches(bytes.as_mut_ptr(), self.offsets.as_ptr(), self.sizes.as_ptr(), self.sizes.len());
        }
        self.run(variant);
        // SAFETY: null ends the check.
        unsafe { cu_check_launches(ptr::null_mut(), ptr::null(), ptr::null(), 0) };
        bytes
    }
}

unsafe extern "C" {
    fn cu_check_launches(to: *mut u8, offsets: *const usize, sizes: *const usize, count: usize);
    fn cu_launch_sink(
        function: *mut c_void,
        grid_x: u32,
        grid_y: u32,
        grid_z: u32,
        block_x: u32,
        block_y: u32,
        block_z: u32,
        shared: u32,
        stream: *mut c_void,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> i32;
}

/// `variant` prevents the optimizer from merging the functions.
#[inline(always)]
pub(crate) fn launch_params(variant: u32, params: *mut *mut c_void) {
    // SAFETY: the sink takes the arguments of `cuLaunchKernel`.
    unsafe { cu_launch_sink(ptr::null_mut(), 1, 1, 1, 32, 1, 1, variant, ptr::null_mut(), params, ptr::null_mut()) };
}

#[inline(always)]
pub(crate) fn launch_packed(variant: u32, buffer: *const u8, mut size: usize) {
    let mut extra: [*mut c_void; 5] = [
        ptr::without_provenance_mut(1),
        buffer.cast_mut().cast(),
        ptr::without_provenance_mut(2),
        (&raw mut size).cast(),
        ptr::null_mut(),
    ];
    // SAFETY: the sink takes the arguments of `cuLaunchKernel`.
    unsafe {
        cu_launch_sink(
            ptr::null_mut(),
            1,
            1,
            1,
            32,
            1,
            1,
            variant,
            ptr::null_mut(),
            ptr::null_mut(),
            extra.as_mut_ptr(),
        )
    };
}

//! The two forms in which `cuLaunchKernel` takes parameters, one parameter at a time.

use super::{Guard, KernelArg, LaunchStream};
use crate::device::{DeviceType, assert_layout};
use core::{ffi::c_void, ptr};

mod sealed {
    pub trait Sealed {}
}

/// Writes parameters in one of the two forms: `KernelParams` or `Packed`.
pub trait ParamWriter: sealed::Sealed {
    /// Lowers one argument and writes its parameter; returns its guard.
    ///
    /// # Safety
    /// `buffer` is valid for writes of the device type's size at `offset`. For `KernelParams`, `pointers` is
    /// valid for a write at `index`; the pointer that is stored there is valid as long as `arg` and `buffer` are.
    unsafe fn put<'s, A: KernelArg>(
        arg: &'s mut A,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s>;
}

/// `void* kernelParams[]`: a pointer to each parameter.
///
/// An argument that is already in memory as the kernel reads it is not copied.
pub(crate) enum KernelParams {}

/// `CU_LAUNCH_PARAM_BUFFER_POINTER`: all parameters in one buffer, at their offsets.
pub(crate) enum Packed {}

impl sealed::Sealed for KernelParams {}
impl sealed::Sealed for Packed {}

impl ParamWriter for KernelParams {
    #[inline(always)]
    unsafe fn put<'s, A: KernelArg>(
        arg: &'s mut A,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s> {
        // The driver reads `LAYOUT.size()` bytes, in place as well.
        const { assert_layout::<A::Device>() };
        // SAFETY: the caller has room for a pointer at `index`.
        let pointer = unsafe { pointers.add(index) };
        // A value with padding is copied, because the driver reads the padding too.
        if !A::Device::HAS_PADDING
            && let Some(device) = arg.in_place()
        {
            let device = ptr::from_ref(device).cast_mut().cast::<c_void>();
            // SAFETY: the caller has room for a pointer at `index`. The driver only reads through it.
            unsafe { pointer.write(device) };
            return Guard::NONE;
        }
        // SAFETY: the caller vouches for `buffer` at `offset`.
        let slot = unsafe { buffer.add(offset) };
        // SAFETY: the caller has room for a pointer at `index`.
        unsafe { pointer.write(slot.cast::<c_void>()) };
        // SAFETY: the caller vouches for `buffer` at `offset`, for the size of the device type.
        unsafe { store(arg, stream, slot, index) }
    }
}

impl ParamWriter for Packed {
    #[inline(always)]
    unsafe fn put<'s, A: KernelArg>(
        arg: &'s mut A,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        _: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s> {
        const { assert_layout::<A::Device>() };
        // SAFETY: the caller vouches for `buffer` at `offset`.
        let slot = unsafe { buffer.add(offset) };
        // SAFETY: the caller vouches for `buffer` at `offset`, for the size of the device type.
        unsafe { store(arg, stream, slot, index) }
    }
}

/// Lowers `arg` and writes what the kernel receives to `slot`.
///
/// # Safety
/// `slot` is valid for writes of the device type's size.
#[inline(always)]
unsafe fn store<'s, A: KernelArg>(
    arg: &'s mut A,
    stream: &'s LaunchStream<'_>,
    slot: *mut u8,
    index: usize,
) -> Guard<'s> {
    if arg.in_place().is_none() {
        stream.enter(index);
    }
    let (device, guard) = arg.lower(stream);
    // SAFETY: the caller vouches for `slot`.
    unsafe { device.store(slot) };
    guard
}

#[cfg(feature = "cudarc")]
/// An argument whose type is forgotten: what a list does with it.
pub(super) trait Argument {
    /// As [`KernelArg::check_context`], for argument `index`.
    fn check_context(&self, stream: &LaunchStream<'_>, index: usize);

    /// As [`ParamWriter::put`] of `KernelParams`.
    ///
    /// # Safety
    /// As there.
    unsafe fn put_pointer<'s>(
        &'s mut self,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s>;

    /// As [`ParamWriter::put`] of `Packed`.
    ///
    /// # Safety
    /// As there.
    unsafe fn put_bytes<'s>(
        &'s mut self,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        index: usize,
    ) -> Guard<'s>;
}

#[cfg(feature = "cudarc")]
impl<T: KernelArg> Argument for T {
    fn check_context(&self, stream: &LaunchStream<'_>, index: usize) {
        if self.in_place().is_none() {
            stream.enter(index);
            KernelArg::check_context(self, stream);
        }
    }

    unsafe fn put_pointer<'s>(
        &'s mut self,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s> {
        // SAFETY: the caller's promise is the same one.
        unsafe { KernelParams::put(self, stream, buffer, offset, pointers, index) }
    }

    unsafe fn put_bytes<'s>(
        &'s mut self,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        index: usize,
    ) -> Guard<'s> {
        // SAFETY: the caller's promise is the same one; the packed form writes no pointers.
        unsafe { Packed::put(self, stream, buffer, offset, ptr::null_mut(), index) }
    }
}

//! Writes single parameters in the two forms that `cuLaunchKernel` accepts.

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
    /// valid for a write at `index`. The pointer that this call stores there is valid as long as `arg` and `buffer` are valid.
    unsafe fn put<'s, A: KernelArg>(
        arg: &'s mut A,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s>;
}

/// The method of a trait that a derive uses for an argument: [`ParamWriter::put`] with the argument as `self`.
macro_rules! forward_put {
    () => {
        #[inline(always)]
        unsafe fn put<'s, F: ParamWriter>(
            &'s mut self,
            stream: &'s LaunchStream<'_>,
            buffer: *mut u8,
            offset: usize,
            pointers: *mut *mut c_void,
            index: usize,
        ) -> Guard<'s> {
            // SAFETY: the caller makes the same promise.
            unsafe { F::put(self, stream, buffer, offset, pointers, index) }
        }
    };
}
pub(crate) use forward_put;

/// `void* kernelParams[]`: a pointer to each parameter.
///
/// An argument is not copied if its memory already contains the value for the kernel.
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
        // The driver reads `LAYOUT.size()` bytes, also from an argument that is not copied.
        const { assert_layout::<A::Device>() };
        // SAFETY: the caller guarantees room for a pointer at `index`.
        let pointer = unsafe { pointers.add(index) };
        // A value with padding is copied, because the driver also reads the padding.
        if !A::Device::HAS_PADDING
            && let Some(device) = arg.in_place()
        {
            let device = ptr::from_ref(device).cast_mut().cast::<c_void>();
            // SAFETY: the caller guarantees room for a pointer at `index`. The driver only reads through this pointer.
            unsafe { pointer.write(device) };
            return Guard::NONE;
        }
        // SAFETY: the caller guarantees that `buffer` is valid at `offset`.
        let slot = unsafe { buffer.add(offset) };
        // SAFETY: the caller guarantees room for a pointer at `index`.
        unsafe { pointer.write(slot.cast::<c_void>()) };
        // SAFETY: the caller guarantees that `buffer` is valid at `offset` for writes of the device type's size.
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
        // SAFETY: the caller guarantees that `buffer` is valid at `offset`.
        let slot = unsafe { buffer.add(offset) };
        // SAFETY: the caller guarantees that `buffer` is valid at `offset` for writes of the device type's size.
        unsafe { store(arg, stream, slot, index) }
    }
}

/// Lowers `arg` and writes the value for the kernel to `slot`.
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
    // SAFETY: the caller guarantees that `slot` is valid for writes of the device type's size.
    unsafe { device.store(slot) };
    guard
}

#[cfg(feature = "cudarc")]
/// A type-erased argument of a list.
pub(super) trait Argument {
    /// [`KernelArg::check_context`] for the argument with this index.
    fn check_context(&self, stream: &LaunchStream<'_>, index: usize);

    /// [`ParamWriter::put`] of `KernelParams`.
    ///
    /// # Safety
    /// The conditions of [`ParamWriter::put`].
    unsafe fn put_pointer<'s>(
        &'s mut self,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s>;

    /// [`ParamWriter::put`] of `Packed`.
    ///
    /// # Safety
    /// The conditions of [`ParamWriter::put`].
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
        // SAFETY: the caller makes the same promise.
        unsafe { KernelParams::put(self, stream, buffer, offset, pointers, index) }
    }

    unsafe fn put_bytes<'s>(
        &'s mut self,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        index: usize,
    ) -> Guard<'s> {
        // SAFETY: the caller makes the same promise; the packed form writes no pointers.
        unsafe { Packed::put(self, stream, buffer, offset, ptr::null_mut(), index) }
    }
}

//! Writes single parameters in the two forms that `cuLaunchKernel` accepts.

use super::{Guard, KernelArg, KernelArgs, LaunchStream, first};
use crate::device::{DeviceType, assert_layout};
use core::{ffi::c_void, marker::PhantomData, mem::MaybeUninit, ptr, slice};

mod sealed {
    pub trait Sealed {}
}

/// Writes parameters in one of the two forms: `KernelParams` or `Packed`. [`Within`] is either form, for a flattened
/// field.
pub trait ParamWriter: sealed::Sealed {
    /// Lowers one argument and writes its parameter; returns its guard.
    ///
    /// # Safety
    /// For [`Within<F, A, FIELD>`](Within): `index` is the index of a parameter of the field. It has the device type of
    /// `arg`. `F` can write the parameter of `A` for it, with these `buffer` and `pointers`. `offset` is not used.
    ///
    /// Otherwise: `buffer` is valid for writes of the device type's size at `offset`. For `KernelParams`, `pointers` is
    /// valid for a write at `index`. The pointer that this call stores there is valid as long as `arg` and `buffer` are
    /// valid.
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

/// `void* kernelParams[]`: a pointer to each parameter, into the argument if it contains the value for the kernel.
pub(crate) enum KernelParams {}

/// `CU_LAUNCH_PARAM_BUFFER_POINTER`: all parameters in one buffer, at their offsets.
pub(crate) enum Packed {}

/// The packed form. Structs share the code of each type of argument.
#[cfg(any(feature = "graphs", feature = "observe"))]
pub(crate) enum Shared {}

/// The form `F`, for the fields of a flattened struct, which is the field `FIELD` of the struct `A`.
pub enum Within<F, A, const FIELD: usize> {
    /// Never: the type is only a parameter of [`KernelArgs::lower`].
    #[doc(hidden)]
    Never(core::convert::Infallible, PhantomData<(F, A)>),
}

impl<F, A, const FIELD: usize> sealed::Sealed for Within<F, A, FIELD> {}
impl sealed::Sealed for KernelParams {}
impl sealed::Sealed for Packed {}
#[cfg(any(feature = "graphs", feature = "observe"))]
impl sealed::Sealed for Shared {}

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

#[cfg(any(feature = "graphs", feature = "observe"))]
impl ParamWriter for Shared {
    #[inline(always)]
    unsafe fn put<'s, A: KernelArg>(
        arg: &'s mut A,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s> {
        #[inline(never)]
        unsafe fn shared<'s, A: KernelArg>(
            arg: &'s mut A,
            stream: &'s LaunchStream<'_>,
            buffer: *mut u8,
            offset: usize,
            index: usize,
        ) -> Guard<'s> {
            // SAFETY: the caller makes the same promise. The packed form has no pointers.
            unsafe { Packed::put(arg, stream, buffer, offset, ptr::null_mut(), index) }
        }
        if arg.in_place().is_some() {
            // SAFETY: the caller makes the same promise.
            return unsafe { Packed::put(arg, stream, buffer, offset, pointers, index) };
        }
        // SAFETY: the caller makes the same promise.
        unsafe { shared(arg, stream, buffer, offset, index) }
    }
}

impl<F: ParamWriter, A: KernelArgs, const FIELD: usize> ParamWriter for Within<F, A, FIELD> {
    #[inline(always)]
    unsafe fn put<'s, T: KernelArg>(
        arg: &'s mut T,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        _: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s> {
        let index = const { first::<A>(FIELD) } + index;
        // `place` has computed the offset of each parameter.
        let offset = A::PARAMETERS[index].offset.unwrap_or(0);
        // SAFETY: the caller guarantees that `F` can write this parameter of `A`.
        unsafe { F::put(arg, stream, buffer, offset, pointers, index) }
    }
}

/// Values of type `T` in the memory of an `E`, an array of `T` or a tuple of such types: in a constant of a generic
/// struct, an array has no length.
pub struct Row<E, T> {
    room: MaybeUninit<E>,
    len: usize,
    of: PhantomData<T>,
}

impl<E, T: Copy> Row<E, T> {
    /// Creates no values.
    #[must_use]
    pub const fn new() -> Self {
        assert!(align_of::<E>() >= align_of::<T>());
        Self { room: MaybeUninit::uninit(), len: 0, of: PhantomData }
    }

    /// Appends a value.
    ///
    /// # Panics
    /// If `E` has no room for it.
    pub const fn push(&mut self, value: T) {
        assert!((self.len + 1) * size_of::<T>() <= size_of::<E>());
        // SAFETY: `room` has the size of `E`, so there is room for a `T` at this index, as asserted above.
        let place = unsafe { self.room.as_mut_ptr().cast::<T>().add(self.len) };
        // SAFETY: `place` is inside `room`, and aligned: `new` compares the alignments.
        unsafe { place.write(value) };
        self.len += 1;
    }

    /// Returns the values, if they fill the memory.
    ///
    /// # Panics
    /// If they do not. `E` then could have padding, which a move does not copy.
    #[must_use]
    pub const fn full(self) -> Self {
        assert!(self.len * size_of::<T>() == size_of::<E>());
        self
    }

    /// Returns the values.
    #[must_use]
    pub const fn as_slice(&self) -> &[T] {
        // SAFETY: `slice::from_raw_parts`, "Safety": `push` has written `len` values one after another, and they are
        // borrowed with `self`.
        unsafe { slice::from_raw_parts(self.room.as_ptr().cast::<T>(), self.len) }
    }

    /// Returns the values.
    pub const fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: the same, and `self` is borrowed exclusively.
        unsafe { slice::from_raw_parts_mut(self.room.as_mut_ptr().cast::<T>(), self.len) }
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
pub(super) trait ErasedArgument {
    fn check_context(&self, stream: &LaunchStream<'_>, index: usize);

    /// [`ParamWriter::put`] of `KernelParams`; of `Packed` if `pointers` is null.
    ///
    /// # Safety
    /// The conditions of [`ParamWriter::put`].
    unsafe fn put<'s>(
        &'s mut self,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s>;
}

#[cfg(feature = "cudarc")]
impl<T: KernelArg> ErasedArgument for T {
    fn check_context(&self, stream: &LaunchStream<'_>, index: usize) {
        if self.in_place().is_none() {
            stream.enter(index);
            KernelArg::check_context(self, stream);
        }
    }

    unsafe fn put<'s>(
        &'s mut self,
        stream: &'s LaunchStream<'_>,
        buffer: *mut u8,
        offset: usize,
        pointers: *mut *mut c_void,
        index: usize,
    ) -> Guard<'s> {
        if pointers.is_null() {
            // SAFETY: the caller makes the same promise; the packed form writes no pointers.
            return unsafe { Packed::put(self, stream, buffer, offset, pointers, index) };
        }
        // SAFETY: the caller makes the same promise.
        unsafe { KernelParams::put(self, stream, buffer, offset, pointers, index) }
    }
}

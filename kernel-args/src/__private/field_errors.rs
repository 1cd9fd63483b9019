//! The words of the errors for types that cannot be passed, by what the field's type looks like.
//!
//! Each module holds the traits that the derives' output goes through: `Arg`, which every
//! [`KernelArg`](crate::KernelArg) implements, and `Member`, which every [`DeviceType`](crate::DeviceType)
//! implements. The derive chooses a module by the looks of a field's type; whether the type can be passed does not
//! depend on it.

#![allow(
    missing_docs,
    reason = "named by generated code only; the words are in the attributes"
)]

macro_rules! field_errors {
    ($($(#[$attr:meta])* $module:ident;)*) => {$(
        pub mod $module {
            use crate::{
                __private::TypeInfo,
                device::DeviceType,
                marshal::{Guard, KernelArg, LaunchStream, ParamWriter},
            };
            use core::{ffi::c_void, mem::MaybeUninit};

            /// An argument.
            $(#[$attr])*
            pub trait Arg {
                type Device: DeviceType;
                const TYPE_INFO: TypeInfo;

                /// # Safety
                /// As [`ParamWriter::put`].
                unsafe fn put<'s, F: ParamWriter>(
                    &'s mut self,
                    stream: &'s LaunchStream<'_>,
                    buffer: *mut u8,
                    offset: usize,
                    pointers: *mut *mut c_void,
                    index: usize,
                ) -> Guard<'s>;
            }

            /// Room for one parameter and for the padding that the device may put before the next one
            /// where the host's alignment is smaller.
            #[repr(C)]
            pub struct Slot<A: Arg> {
                _value: MaybeUninit<A::Device>,
                _padding: [MaybeUninit<u8>; 16],
            }

            #[diagnostic::do_not_recommend]
            impl<A: KernelArg> Arg for A {
                type Device = A::Device;
                const TYPE_INFO: TypeInfo = TypeInfo::of::<A::Device>();

                #[inline(always)]
                unsafe fn put<'s, F: ParamWriter>(
                    &'s mut self,
                    stream: &'s LaunchStream<'_>,
                    buffer: *mut u8,
                    offset: usize,
                    pointers: *mut *mut c_void,
                    index: usize,
                ) -> Guard<'s> {
                    // SAFETY: the caller's promise is the same one.
                    unsafe { F::put(self, stream, buffer, offset, pointers, index) }
                }
            }

            /// A field of a device type.
            $(#[$attr])*
            pub trait Member {
                const TYPE_INFO: TypeInfo;
                const HAS_PADDING: bool;

                /// # Safety
                /// As [`DeviceType::store`].
                unsafe fn store(&self, to: *mut u8);
            }

            #[diagnostic::do_not_recommend]
            impl<D: DeviceType> Member for D {
                const TYPE_INFO: TypeInfo = TypeInfo::of::<D>();
                const HAS_PADDING: bool = D::HAS_PADDING;

                #[inline(always)]
                unsafe fn store(&self, to: *mut u8) {
                    // SAFETY: the caller's promise is the same one.
                    unsafe { DeviceType::store(self, to) };
                }
            }
        }
    )*};
}

field_errors! {
    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be passed to a CUDA kernel",
        label = "no form on the device",
        note = "a kernel takes integers, floats, `bool`, arrays of them, CUDA's vector types (`Float4`), device \
                pointers (`&CudaSlice<T>`, `&mut CudaSlice<T>`, `DevicePointer<T>`, `Option` of one), and structs \
                and enums with `#[derive(DeviceType)]`",
        note = "a field that is no parameter of the kernel is marked `#[kernel_args(skip)]`"
    )]
    unsupported;

    #[diagnostic::on_unimplemented(
        message = "a reference to host memory, `{Self}`, cannot be passed to a CUDA kernel",
        label = "the GPU cannot follow this reference",
        note = "to pass the value itself, write the type without `&`",
        note = "to pass a pointer to device memory, copy the data there and write `&CudaSlice<T>` (the kernel \
                reads it) or `&mut CudaSlice<T>` (the kernel writes it)"
    )]
    reference;

    #[diagnostic::on_unimplemented(
        message = "a host pointer, `{Self}`, cannot be passed to a CUDA kernel",
        label = "the GPU cannot follow a pointer to host memory",
        note = "for a pointer to device memory write `DevicePointer<T>` (C++'s `T const*`) or \
                `DevicePointerMut<T>` (`T*`), or a cudarc slice: `&CudaSlice<T>`, `&mut CudaSlice<T>`"
    )]
    raw_pointer;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` is in host memory and cannot be passed to a CUDA kernel",
        label = "the GPU cannot reach this memory",
        note = "copy the data to the device and pass `&CudaSlice<T>` or `&mut CudaSlice<T>`",
        note = "a few values of fixed number can be passed by value: `[T; N]`"
    )]
    sequence;

    #[diagnostic::on_unimplemented(
        message = "text, `{Self}`, cannot be passed to a CUDA kernel",
        label = "the GPU cannot reach this memory",
        note = "copy the bytes to the device and pass `&CudaSlice<u8>` and a length, or pass a fixed \
                number of bytes by value: `[u8; N]`"
    )]
    text;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be passed to a CUDA kernel: C++'s `char` is one byte, Rust's is four",
        label = "no form on the device",
        note = "for C++'s `char` write `i8` (`u8` for `unsigned char`); for a code point write `u32` and pass \
                `c as u32`"
    )]
    character;

    #[diagnostic::on_unimplemented(
        message = "a tuple, `{Self}`, cannot be passed to a CUDA kernel",
        label = "Rust does not say how a tuple is laid out",
        note = "if these are parameters of their own, write one field for each",
        note = "if the kernel takes a struct, write one with `#[derive(Clone, Copy, DeviceType)] #[repr(C)]`; \
                for `float2` and its like there are `Float2`, `Int4`, …"
    )]
    tuple;

    #[diagnostic::on_unimplemented(
        message = "code of the host, `{Self}`, cannot be passed to a CUDA kernel",
        label = "the GPU cannot call this",
        note = "pass a number or an enum that tells the kernel what to do"
    )]
    closure;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` by value cannot be passed to a CUDA kernel: it would be freed with the struct",
        label = "borrow it",
        note = "write `&'a` in front for memory that the kernel reads, `&'a mut` for memory that it writes"
    )]
    owned_slice;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be passed to a CUDA kernel: only an `Option` of a device pointer has a null value",
        label = "not an `Option` of a device pointer",
        note = "an optional pointer is `Option<&CudaSlice<T>>`, `Option<&mut CudaSlice<T>>` or \
                `Option<DevicePointer<T>>`; `None` is the null pointer",
        note = "for an optional value pass the value and a flag, or a pointer to it"
    )]
    optional;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be passed to a CUDA kernel: what it holds has no form there",
        label = "the elements are no device type",
        note = "what stands in device memory must be laid out as the kernel reads it: write \
                `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on the elements' struct"
    )]
    device_memory;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be in a struct that is passed to a CUDA kernel",
        label = "no form on the device",
        note = "a device type holds integers, floats, `bool`, arrays of them, CUDA's vector types (`Float4`), \
                `DevicePointer<T>`, and structs and enums with `#[derive(DeviceType)]`",
        note = "for a struct of your own write `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on it"
    )]
    member;

    #[diagnostic::on_unimplemented(
        message = "`{Self}` cannot be in a struct that is passed to a CUDA kernel: it is in host memory",
        label = "the GPU cannot reach this memory",
        note = "for a pointer to device memory write `DevicePointer<T>` (C++'s `T const*`) or \
                `DevicePointerMut<T>` (`T*`)",
        note = "a few values of fixed number can be passed by value: `[T; N]`"
    )]
    host_member;
}

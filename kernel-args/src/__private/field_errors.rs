//! The errors for field types that cannot be passed to a kernel.
//!
//! Each module contains the traits that the output of the derives uses: `Arg`, which every [`KernelArg`] implements,
//! and `Member`, which every [`DeviceType`] implements. The modules differ only in their error messages.
//!
//! [`KernelArg`]: crate::marshal::KernelArg
//! [`DeviceType`]: crate::device::DeviceType

#![allow(missing_docs, reason = "only generated code names these items; the messages are in the rows of the macro")]

/// A row is a module with its message, its label and its notes, which become `on_unimplemented` of both traits.
macro_rules! field_errors {
    ($($module:ident: $message:tt, $label:tt, $($note:tt),+;)*) => {$(
        pub mod $module {
            use crate::{
                __private::{TypeInfo, members::behind},
                device::{DeviceType, forward_store},
                marshal::{Guard, KernelArg, LaunchStream, ParamWriter, forward_put},
            };
            use core::{ffi::c_void, mem::MaybeUninit};
            use kernel_args_abi::Parameter;

            #[diagnostic::on_unimplemented(message = $message, label = $label, $(note = $note),+)]
            pub trait Arg {
                type Device: DeviceType;
                const TYPE_INFO: TypeInfo;

                fn check_context(&self, stream: &LaunchStream<'_>, index: usize);

                /// # Safety
                /// The conditions of [`ParamWriter::put`].
                unsafe fn put<'s, F: ParamWriter>(
                    &'s mut self,
                    stream: &'s LaunchStream<'_>,
                    buffer: *mut u8,
                    offset: usize,
                    pointers: *mut *mut c_void,
                    index: usize,
                ) -> Guard<'s>;
            }

            /// Room for one parameter and for the padding before the next parameter. The padding is needed if the
            /// alignment on the device is larger than on the host.
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
                fn check_context(&self, stream: &LaunchStream<'_>, index: usize) {
                    if self.in_place().is_none() {
                        stream.enter(index);
                        KernelArg::check_context(self, stream);
                    }
                }

                forward_put!();
            }

            #[diagnostic::on_unimplemented(message = $message, label = $label, $(note = $note),+)]
            pub trait Member {
                const TYPE_INFO: TypeInfo;
                const BEHIND: Parameter<'static>;
                const HAS_PADDING: bool;

                /// # Safety
                /// The conditions of [`DeviceType::store`].
                unsafe fn store(&self, to: *mut u8);

                fn is_value(bytes: &[u8]) -> bool;
            }

            #[diagnostic::do_not_recommend]
            impl<D: DeviceType> Member for D {
                const TYPE_INFO: TypeInfo = TypeInfo::in_struct::<D>();
                const BEHIND: Parameter<'static> = behind::<D>();
                const HAS_PADDING: bool = D::HAS_PADDING;

                forward_store!();

                #[inline]
                fn is_value(bytes: &[u8]) -> bool {
                    D::is_value(bytes)
                }
            }
        }
    )*};
}

field_errors! {
    unsupported:
        "`{Self}` cannot be passed to a CUDA kernel",
        "not a kernel argument",
        "to pass a struct of your own, write `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on it; on an enum, `#[repr(i32)]`",
        "a kernel takes integers, floats, `bool`, arrays of them, CUDA's vector types (`Float4`), device \
            pointers (`&CudaSlice<T>`, `&mut CudaSlice<T>`, `DevicePointer<T>`, `Option` of one), and structs \
            and enums with `#[derive(DeviceType)]`",
        "mark a field that is not a parameter of the kernel with `#[kernel_args(skip)]`";

    reference:
        "a reference to host memory, `{Self}`, cannot be passed to a CUDA kernel",
        "the GPU cannot access host memory",
        "to pass the value itself, write the type without `&`",
        "to pass a pointer to device memory, copy the data there and write `&CudaSlice<T>` (the kernel \
            reads it) or `&mut CudaSlice<T>` (the kernel writes it)";

    raw_pointer:
        "a host pointer, `{Self}`, cannot be passed to a CUDA kernel",
        "the GPU cannot access host memory",
        "to pass a pointer to device memory, write `DevicePointer<T>` (C++'s `T const*`) or \
            `DevicePointerMut<T>` (`T*`), or a cudarc slice: `&CudaSlice<T>`, `&mut CudaSlice<T>`";

    array:
        "an array, `{Self}`, cannot be passed to a CUDA kernel",
        "a kernel takes a texture or a surface",
        "declare `&'a Texture` and pass `&Texture::new(&array, &TextureOptions::new())?`; or `&'a Surface` and `&Surface::new(&array)?`";

    stream:
        "a stream, `{Self}`, is no field of the arguments",
        "the launch names its stream",
        "remove the field: `launch!(…, stream = &stream)` passes the stream to the kernel or the launcher",
        "if a launcher takes its stream before other arguments, write `#[kernel_args(stream = before(field))]` on the struct";

    sequence:
        "`{Self}` is in host memory and cannot be passed to a CUDA kernel",
        "the GPU cannot access host memory",
        "copy the data to the device and pass `&CudaSlice<T>` or `&mut CudaSlice<T>`",
        "to pass a fixed number of values by value, write an array: `[T; N]`",
        "mark a field that is not a parameter of the kernel with `#[kernel_args(skip)]`";

    text:
        "text, `{Self}`, cannot be passed to a CUDA kernel",
        "the GPU cannot access host memory",
        "copy the bytes to the device and pass `&CudaSlice<u8>` and a length, or pass a fixed \
            number of bytes by value: `[u8; N]`";

    character:
        "`{Self}` cannot be passed to a CUDA kernel: C++'s `char` is one byte, Rust's is four",
        "not a kernel argument",
        "for C++'s `char` write `i8` (`u8` for `unsigned char`); for a code point write `u32` and pass \
            `c as u32`";

    tuple:
        "a tuple, `{Self}`, cannot be passed to a CUDA kernel",
        "Rust does not define the layout of a tuple",
        "if these are separate parameters, write one field for each",
        "if the kernel takes a struct, write one with `#[derive(Clone, Copy, DeviceType)] #[repr(C)]`; \
            for CUDA's vector types write `Float2`, `Int4`, …";

    closure:
        "host code, `{Self}`, cannot be passed to a CUDA kernel",
        "the GPU cannot call host code",
        "pass a number or an enum that selects what the kernel does";

    owned_slice:
        "`{Self}` cannot be passed to a CUDA kernel by value: its memory would be freed with the struct",
        "borrow it",
        "write `&'a` before the type if the kernel reads the memory, `&'a mut` if it writes to it";

    slice_owner:
        "`{Self}` cannot be passed to a CUDA kernel: the slice inside is a kernel argument, its owner is not",
        "borrow the slice inside",
        "write `&'a CudaSlice<T>` if the kernel reads the memory, and pass `slice.as_ref()`",
        "write `&'a mut CudaSlice<T>` if it writes to it, and pass `&mut *slice` for a `Box`, or the result of \
            `Arc::get_mut(&mut slice)` for an `Arc`";

    memory_object:
        "`{Self}` cannot be passed to a CUDA kernel: the type of the memory is not known at compile time",
        "not a kernel argument",
        "write `CudaView<'a, T>` if the kernel reads the memory, `CudaViewMut<'a, T>` if it writes to it: \
            the methods `as_view()` and `as_view_mut()` of `CudaSlice` return them";

    optional:
        "`{Self}` cannot be passed to a CUDA kernel: only an `Option` of a device pointer has a null value",
        "not an `Option` of a device pointer",
        "an optional pointer is `Option<&CudaSlice<T>>`, `Option<&mut CudaSlice<T>>` or \
            `Option<DevicePointer<T>>`; `None` is the null pointer",
        "to pass an optional value, pass the value and a flag, or a pointer to it";

    device_memory:
        "`{Self}` cannot be passed to a CUDA kernel: its elements are not a device type",
        "the elements are not a device type",
        "data in device memory needs the layout that the kernel reads: write \
            `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on the struct of the elements",
        "if the elements are a device type, the slice is of another version of cudarc than kernel-args uses: \
            `cargo tree --duplicates` lists both";

    foreign_slice:
        "`{Self}` cannot be passed to a CUDA kernel: it is of another version of cudarc than kernel-args uses, or of another crate",
        "not a slice of the cudarc that kernel-args uses",
        "write the type as `kernel_args::external::cudarc::driver::CudaSlice`, or the version of cudarc that kernel-args uses in \
            `Cargo.toml`: `cargo tree --duplicates` lists both versions";

    device_pointer:
        "`{Self}` cannot be passed to a CUDA kernel: what it points to has no C++ type",
        "does not point to a device type",
        "data in device memory needs the layout that the kernel reads: write \
            `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on the struct that it points to",
        "for untyped memory write `DevicePointer<core::ffi::c_void>`";

    math:
        "`{Self}` cannot be passed to a CUDA kernel",
        "not a device type",
        "to pass a struct of your own, write `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on it",
        "numbers, vectors and matrices of the crates `half`, `float8`, `num-complex`, `glam`, `nalgebra` and `mint` \
            are device types if kernel-args has the feature with the crate's name, in the versions that \
            the documentation of kernel-args lists",
        "the types for CUDA's own vectors are `Float2`, `Float3`, `Float4`, `CuFloatComplex`, …; an array such as \
            `[f32; 9]` can be passed directly";

    padded:
        "`{Self}` cannot be passed to a CUDA kernel: no CUDA type has its layout",
        "not a device type",
        "to pass a struct of your own, write `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on it",
        "`Vec3A` has 16 bytes, but `float3` has 12: write `Vec3`, and `Mat3` for `Mat3A`; `.into()` converts",
        "`Mat2` is aligned to 16 bytes, but `float2` is aligned to 8: write its columns, `[Float2; 2]`";

    transformation:
        "a transformation, `{Self}`, cannot be passed to a CUDA kernel",
        "not a device type",
        "to pass a struct of your own, write `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on it",
        "pass its matrix: `.to_homogeneous()` for nalgebra, `Mat4::from(…)` or `Mat3::from(…)` for glam";

    member:
        "`{Self}` cannot be in a struct that is passed to a CUDA kernel",
        "not a device type",
        "to nest a struct of your own, write `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on it; on an enum, `#[repr(i32)]`",
        "a device type contains integers, floats, `bool`, arrays of them, CUDA's vector types (`Float4`), \
            `DevicePointer<T>`, and structs and enums with `#[derive(DeviceType)]`";

    host_member:
        "`{Self}` cannot be in a struct that is passed to a CUDA kernel: it is in host memory",
        "the GPU cannot access host memory",
        "to pass a pointer to device memory, write `DevicePointer<T>` (C++'s `T const*`) or \
            `DevicePointerMut<T>` (`T*`)",
        "to pass a fixed number of values by value, write an array: `[T; N]`";
}

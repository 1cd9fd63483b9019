//! Types that a kernel can take by value, with their size and alignment on the device.

use super::{content_of, in_memory};
use core::{
    marker::PhantomData,
    num::{NonZero, Wrapping},
    ptr, slice,
};
use kernel_args_abi::{Class, CppBase, CppType, Layout, Meaning, Members, Parameter, Pointee};

/// A type that a kernel can take by value.
///
/// It has the size and alignment of the type on the *device*: `f64` is aligned to 8 bytes even on a host that aligns it
/// to 4. Sources: CUDA C++ Programming Guide, "Built-in Vector Types"; CUDA Driver API, `cuLaunchKernel`.
///
/// Implemented for all integers and floats, `bool`, `NonZero*`, `Wrapping`, arrays, CUDA's vector types
/// ([`crate::vector`]), device pointers, texture and surface objects. Derive it for structs and enums.
///
/// # In device memory
///
/// [`structs`](crate::guide::structs#in-device-memory) documents slices of device types.
///
/// Reading memory back (`clone_dtoh`) assumes that it contains values of the type: the `unsafe` launch includes the
/// promise that the kernel writes only `0` and `1` to a `bool`, and only discriminants to an enum. If a kernel can
/// write different values, allocate memory of the integer type and convert after reading back.
///
/// # Padding
///
/// The padding of a struct contains whatever was in the host's memory before. This crate copies none of it to the
/// device: it uses [`store`](Self::store), which writes zeros, or copies values without padding.
///
/// | path | padding |
/// |---|---|
/// | a parameter of a launch, of a captured launch, of a node of a graph or of its update, in both forms; an argument of an `ArgList` | zeros: a value is passed without a copy only if it has no padding |
/// | the bytes between two parameters in the packed form | zeros |
/// | `with_kernel_params`, `with_packed` and `pack_at`, for other bindings | the same as in a launch |
/// | `Graph::add_memcpy_htod` | zeros: the graph copies elements with padding when the node is added |
/// | `Graph::add_memset` | one byte, for every byte |
/// | `Global::write`, `write_on`, `write_at`, `write_at_on` | zeros |
/// | cudarc: copies such as `clone_htod` and `memcpy_htod`, captured or not; arguments of its launch builder | **the bytes of the host** |
///
/// For cudarc, declare the padding as a field: `_padding: [u8; 3]`.
///
/// # Safety
/// - `size_of::<Self>() == LAYOUT.size()`, and `align_of::<Self>()` is `LAYOUT.align()`, or less if `LAYOUT.align()` is
///   at most 16.
/// - Every byte of a value that is not padding is initialised and is at the offset where the device expects it.
/// - [`store`](Self::store) writes all `LAYOUT.size()` bytes, padding as zeros.
/// - If [`HAS_PADDING`](Self::HAS_PADDING) is `false`, all bytes of every value are initialised.
/// - If [`is_value`](Self::is_value) returns `true` for `LAYOUT.size()` bytes, they are a value of the type.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that a CUDA kernel can take by value",
    label = "not a device type",
    note = "to pass a struct of your own, write `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on it",
    note = "device types are integers, floats, `bool`, arrays of them, CUDA's vector types (`Float4`), \
            device pointers, and structs and enums with `#[derive(DeviceType)]`",
    note = "for a slice instead of a type parameter, write `&'a CudaSlice<T>` as the field's type, with `T` as the parameter"
)]
pub unsafe trait DeviceType: Copy + 'static {
    /// Size and alignment on the device, in bytes.
    const LAYOUT: Layout;
    /// Integer, float, pointer, or bytes.
    const CLASS: Class;
    /// The C++ type. For an array it is the array type. In C++, an array is a member of a struct; a parameter is a
    /// struct that contains the array.
    const CPP: CppType<'static>;
    /// For a struct its members, in the order of their offsets; for an array the members of one element; for an enum
    /// its variants. They are compared with the debug information of the kernel, including nested members. C++ headers
    /// are written from them. [`Members::UNKNOWN`] matches every type with the same size, alignment and name.
    ///
    /// Memory safety does not depend on them.
    const MEMBERS: Members<'static> = Members::UNKNOWN;
    /// The name of a struct or enum in Rust, for messages; of an array or pointer, the name of its elements.
    #[doc(hidden)]
    const RUST_NAME: &'static str = "";
    /// What a pointer points to, without arrays and further pointers.
    #[doc(hidden)]
    const POINTEE: Pointee<'static> = Pointee::UNKNOWN;
    /// [`POINTEE`](Self::POINTEE) of a field of a struct.
    #[doc(hidden)]
    const POINTEE_IN_STRUCT: Pointee<'static> = Pointee::UNKNOWN;
    /// What a pointer to this type points to, without arrays and further pointers.
    #[doc(hidden)]
    const BEHIND: Pointee<'static> =
        Pointee::of(&in_memory::<Self>(Self::CLASS, Self::CPP, Self::MEMBERS, Self::POINTEE));
    /// [`BEHIND`](Self::BEHIND) of a field of a struct.
    #[doc(hidden)]
    const BEHIND_IN_STRUCT: Pointee<'static> = Self::BEHIND;
    /// Whether a value has bytes that belong to no field.
    const HAS_PADDING: bool = false;
    /// The fields of a struct with the derive. The derive computes the layout from them.
    #[doc(hidden)]
    const FIELDS: &'static [Parameter<'static>] = &[];

    /// Writes the value in the layout of the device: all `LAYOUT.size()` bytes, padding as zeros.
    ///
    /// # Safety
    /// `to` is valid for writes of `LAYOUT.size()` bytes. It need not be aligned.
    #[inline]
    unsafe fn store(&self, to: *mut u8) {
        const {
            assert_layout::<Self>();
            assert!(!Self::HAS_PADDING, "a type with padding must write its own zeros");
        };
        // SAFETY: the caller guarantees `LAYOUT.size()` writable bytes at `to`, and the assertion above proves that
        // this is the size of `Self`.
        unsafe { to.cast::<Self>().write_unaligned(*self) };
    }

    /// Returns whether `bytes`, which are `LAYOUT.size()` bytes from device memory, are a value of this type: a `bool`
    /// is 0 or 1, an enum is one of its variants. The default rejects all bytes.
    #[must_use]
    fn is_value(bytes: &[u8]) -> bool {
        let _ = bytes;
        false
    }
}

/// Returns the value in `bytes`. `None` if they are not a value of the type, or not `LAYOUT.size()` bytes.
#[cfg(feature = "cudarc")]
pub(crate) fn from_bytes<T: DeviceType>(bytes: &[u8]) -> Option<T> {
    const { assert_layout::<T>() };
    if bytes.len() != size_of::<T>() || !T::is_value(bytes) {
        return None;
    }
    // SAFETY: the slice has the size of `T`, and `is_value` promises that its bytes are a value of `T`.
    Some(unsafe { bytes.as_ptr().cast::<T>().read_unaligned() })
}

/// Asserts that a Rust type has the device's size and alignment. For alignments up to 16, the host alignment can be
/// smaller. All code that writes parameters evaluates it for each type.
///
/// # Panics
/// At compile time, if size or alignment differ.
#[track_caller]
pub const fn assert_layout<T: DeviceType>() {
    let (host, device) = (align_of::<T>(), T::LAYOUT.align().bytes());
    assert!(
        size_of::<T>() == T::LAYOUT.size(),
        "the size of a device type on the host differs from its size on the device (`DeviceType::LAYOUT`)"
    );
    assert!(
        host == device || host < device && device <= 16,
        "the alignment of a device type on the host differs from its alignment on the device (`DeviceType::LAYOUT`)"
    );
}

/// Returns the bytes of a value without padding.
pub(crate) const fn bytes_of<T: DeviceType>(value: &T) -> &[u8] {
    const {
        assert!(!T::HAS_PADDING, "the padding of a type is not initialised");
    };
    // SAFETY: `slice::from_raw_parts`, "Safety": the bytes are in one value, which is borrowed as long as the slice;
    // `DeviceType` promises that all bytes of a type without padding are initialised.
    unsafe { slice::from_raw_parts(ptr::from_ref(value).cast::<u8>(), size_of::<T>()) }
}

/// Writes the elements in the layout of the device to `to`, one after another, padding as zeros.
///
/// # Panics
/// If `to` does not have the size of the elements.
#[cfg(feature = "cudarc")]
pub(crate) fn store_all<T: DeviceType>(elements: &[T], to: &mut [u8]) {
    const { assert_layout::<T>() };
    assert_eq!(to.len(), size_of_val(elements));
    for (element, to) in elements.iter().zip(to.chunks_exact_mut(size_of::<T>())) {
        // SAFETY: `to` has the size of `T`, which is `LAYOUT.size()`, as asserted above.
        unsafe { element.store(to.as_mut_ptr()) };
    }
}

/// The method of a trait that a derive uses for a field: [`DeviceType::store`].
macro_rules! forward_store {
    () => {
        #[inline(always)]
        unsafe fn store(&self, to: *mut u8) {
            // SAFETY: the caller makes the same promise.
            unsafe { DeviceType::store(self, to) };
        }
    };
}
pub(crate) use forward_store;

/// The variants of an enum.
pub trait Variants: Sized + 'static {
    /// The integer of its `repr`.
    type Integer: DeviceType;
    /// Each variant, with its discriminant.
    const ALL: &'static [(Self, Self::Integer)];
}

/// Asserts that the bytes of each variant of an enum are the bytes of its discriminant.
///
/// An attribute macro that runs after the derive can replace the `repr`: with `repr(align(4))`, three bytes are not
/// initialised.
///
/// # Panics
/// At compile time, if the bytes differ.
pub const fn assert_variants<E: Variants>() {
    const {
        let mut i = 0;
        while i < E::ALL.len() {
            let (variant, discriminant) = &E::ALL[i];
            let (size, variant) = (size_of::<E>(), ptr::from_ref(variant).cast::<u8>());
            // SAFETY: `slice::from_raw_parts`, "Safety": the bytes are in one value, which is borrowed as long as the
            // slice. Not all of them may be initialised: this is evaluated only at compile time, where the compiler
            // rejects reads of such bytes.
            let variant = unsafe { slice::from_raw_parts(variant, size) };
            let discriminant = bytes_of(discriminant);
            let mut byte = 0;
            while byte < variant.len() && byte < discriminant.len() {
                assert!(
                    variant[byte] == discriminant[byte],
                    "the bytes of an enum variant differ from the bytes of its discriminant"
                );
                byte += 1;
            }
            i += 1;
        }
    }
}

pub(crate) const fn layout(size: usize, align: usize) -> Layout {
    match Layout::from_size_align(size, align) {
        Ok(layout) => layout,
        Err(_) => panic!("not a layout"),
    }
}

pub(crate) const fn component<T: DeviceType>(
    name: &'static str,
    spelling: &'static str,
    offset: usize,
) -> Parameter<'static> {
    Parameter::field(name, spelling, offset, T::LAYOUT, T::CLASS, T::CPP).with_members(T::MEMBERS)
}

/// Implements [`DeviceType`] and [`ZeroBits`](super::ZeroBits) for types without padding for which zero bytes are a
/// value, and asserts their size and alignment at compile time.
macro_rules! device_types {
    ($($(#[$meta:meta])* $ty:ty: $size:literal / $align:literal, $class:ident, $cpp:expr $(, $members:expr)?;)*) => {$(
        $(#[$meta])*
        // SAFETY: the assertion below proves size and alignment; the type has no padding and no
        // pointer to the host.
        unsafe impl $crate::device::DeviceType for $ty {
            const LAYOUT: kernel_args_abi::Layout = $crate::device::layout($size, $align);
            const CLASS: kernel_args_abi::Class = kernel_args_abi::Class::$class;
            const CPP: kernel_args_abi::CppType<'static> = $cpp;
            $(const MEMBERS: kernel_args_abi::Members<'static> = $members;)?

            #[inline]
            fn is_value(bytes: &[u8]) -> bool {
                // Every other type of the list consists of numbers.
                !matches!(Self::CPP.base, kernel_args_abi::CppBase::Bool) || matches!(bytes, [0 | 1])
            }
        }
        $(#[$meta])*
        // SAFETY: zero bytes are the number 0, so they are a value of every type that consists of numbers; for `bool`
        // they are `false`.
        #[diagnostic::do_not_recommend]
        unsafe impl $crate::device::ZeroBits for $ty {}
        $(#[$meta])*
        const _: () = $crate::device::assert_layout::<$ty>();
    )*};
}
pub(crate) use device_types;

/// What `usize` stands for.
const COUNT: Members<'static> = Members::meaning(Meaning::Count);

const fn int(signed: bool, bits: u16) -> CppType<'static> {
    CppType::integer(signed, bits)
}

const fn float(bits: u16) -> CppType<'static> {
    CppType::of(CppBase::Float { bits })
}

device_types! {
    bool: 1 / 1, Integer, CppType::of(CppBase::Bool);
    i8: 1 / 1, Integer, int(true, 8);
    u8: 1 / 1, Integer, int(false, 8);
    i16: 2 / 2, Integer, int(true, 16);
    u16: 2 / 2, Integer, int(false, 16);
    i32: 4 / 4, Integer, int(true, 32);
    u32: 4 / 4, Integer, int(false, 32);
    i64: 8 / 8, Integer, int(true, 64);
    u64: 8 / 8, Integer, int(false, 64);
    i128: 16 / 16, Integer, int(true, 128);
    u128: 16 / 16, Integer, int(false, 128);
    f32: 4 / 4, Float, float(32);
    f64: 8 / 8, Float, float(64);
    #[cfg(target_pointer_width = "64")]
    isize: 8 / 8, Integer, int(true, 64), COUNT;
    #[cfg(target_pointer_width = "64")]
    usize: 8 / 8, Integer, int(false, 64), COUNT;
    #[cfg(target_pointer_width = "32")]
    isize: 4 / 4, Integer, int(true, 32), COUNT;
    #[cfg(target_pointer_width = "32")]
    usize: 4 / 4, Integer, int(false, 32), COUNT;
}

/// For a type with the layout of `$inner`: its layout, its class and its C++ type. [`content_of`] is the rest.
macro_rules! layout_of {
    ($inner:ty) => {
        const LAYOUT: kernel_args_abi::Layout = <$inner as $crate::device::DeviceType>::LAYOUT;
        const CLASS: kernel_args_abi::Class = <$inner as $crate::device::DeviceType>::CLASS;
        const CPP: kernel_args_abi::CppType<'static> = <$inner as $crate::device::DeviceType>::CPP;
    };
}
pub(crate) use layout_of;

/// Types that have the layout of an integer by a guarantee of the standard library, and all its values but 0.
macro_rules! like {
    ($($inner:ident)*) => {$(
        // SAFETY: the standard library documents that both types have the same size and representation.
        unsafe impl DeviceType for NonZero<$inner> {
            layout_of!($inner);
            const MEMBERS: Members<'static> = <$inner as DeviceType>::MEMBERS;

            fn is_value(bytes: &[u8]) -> bool {
                bytes.iter().any(|byte| *byte != 0)
            }
        }
        const _: () = assert_layout::<NonZero<$inner>>();
    )*};
}

like! {
    i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize
}

/// A `repr(transparent)` type around a `T`, which the invocation promises; `$inner` is the `&T` in `$this`.
macro_rules! transparent {
    ($ty:ident, |$this:ident| $inner:expr) => {
        // SAFETY: the type is `repr(transparent)` around `T`, so it has the same layout and the same values (Rust
        // Reference, "The transparent representation").
        unsafe impl<T: $crate::device::DeviceType> $crate::device::DeviceType for $ty<T> {
            $crate::device::layout_of!(T);
            $crate::device::content_of!(T);
            const HAS_PADDING: bool = T::HAS_PADDING;

            #[inline]
            unsafe fn store(&self, to: *mut u8) {
                let $this = self;
                let inner: &T = $inner;
                // SAFETY: the caller makes the promise of `T::store`: both types have the same size.
                unsafe { inner.store(to) };
            }

            #[inline]
            fn is_value(bytes: &[u8]) -> bool {
                T::is_value(bytes)
            }
        }
    };
}
#[cfg(feature = "nalgebra")]
pub(crate) use transparent;

// `Wrapping`: "is guaranteed to have the same layout and ABI as T".
transparent!(Wrapping, |this| &this.0);

// SAFETY: an array contains its elements one after another, in Rust and in C++ (Rust Reference, "Array layout": "the
// zero-based nth element of the array is offset from the start of the array by n * size_of::<T>() bytes").
unsafe impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    const LAYOUT: Layout = match T::LAYOUT.array(N) {
        Ok(layout) => layout,
        Err(_) => panic!("this array is larger than the address space"),
    };
    const CLASS: Class = Class::Bytes;
    const CPP: CppType<'static> = if N <= u32::MAX as usize { T::CPP.array(N as u32) } else { CppType::UNKNOWN };
    content_of!(T);
    const HAS_PADDING: bool = T::HAS_PADDING;

    #[inline]
    unsafe fn store(&self, to: *mut u8) {
        const { assert_layout::<T>() };
        if T::HAS_PADDING {
            for (i, element) in self.iter().enumerate() {
                // SAFETY: `i < N`, so the element is inside the `N * size` bytes at `to`.
                let place = unsafe { to.add(i * T::LAYOUT.size()) };
                // SAFETY: the whole element is inside, because `(i + 1) * size <= N * size`.
                unsafe { element.store(place) };
            }
        } else {
            // SAFETY: `to` is valid for `LAYOUT.size()` bytes. This is the size of the array, because the size of `T`
            // is `T::LAYOUT.size()`, as asserted above. Memory that is valid for writes does not overlap a shared
            // reference.
            unsafe {
                ptr::copy_nonoverlapping(ptr::from_ref(self).cast::<u8>(), to, size_of::<Self>());
            };
        }
    }

    #[inline]
    fn is_value(bytes: &[u8]) -> bool {
        size_of::<T>() == 0 || bytes.chunks_exact(size_of::<T>()).all(T::is_value)
    }
}

// SAFETY: `PhantomData` has no bytes (its documentation: "Zero-sized type"), so nothing is stored.
unsafe impl<T: ?Sized + 'static> DeviceType for PhantomData<T> {
    const LAYOUT: Layout = layout(0, 1);
    const CLASS: Class = Class::Bytes;
    /// A marker has no C++ type.
    const CPP: CppType<'static> = CppType::of(CppBase::Void);

    fn is_value(bytes: &[u8]) -> bool {
        bytes.is_empty()
    }
}

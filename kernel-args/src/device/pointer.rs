//! Pointers to device memory.

use super::{DeviceType, ZeroBits, assert_layout, layout};
use core::{ffi::c_void, fmt, hash::Hash, marker::PhantomData};
use kernel_args_abi::{self as abi, Class, CppBase, CppType, Layout};

/// A type that a device pointer can point to: every [`DeviceType`], and `c_void` for C++'s `void`.
#[diagnostic::on_unimplemented(
    message = "a device pointer to `{Self}` has no C++ type",
    label = "not a device type",
    note = "data in device memory needs the layout that the kernel reads: \
            write `#[derive(Clone, Copy, DeviceType)] #[repr(C)]` on the struct",
    note = "for untyped memory use `DevicePointer<core::ffi::c_void>`"
)]
pub trait Pointee: 'static {
    /// The C++ type.
    const CPP: CppType<'static>;
    /// See [`DeviceType::BEHIND`].
    #[doc(hidden)]
    const BEHIND: abi::Pointee<'static> = abi::Pointee::UNKNOWN;
    /// See [`DeviceType::BEHIND_IN_STRUCT`].
    #[doc(hidden)]
    const BEHIND_IN_STRUCT: abi::Pointee<'static> = abi::Pointee::UNKNOWN;
    /// See [`DeviceType::RUST_NAME`].
    #[doc(hidden)]
    const RUST_NAME: &'static str = "";
}

#[diagnostic::do_not_recommend]
impl<T: DeviceType> Pointee for T {
    const CPP: CppType<'static> = <T as DeviceType>::CPP;
    const BEHIND: abi::Pointee<'static> = <T as DeviceType>::BEHIND;
    const BEHIND_IN_STRUCT: abi::Pointee<'static> = <T as DeviceType>::BEHIND_IN_STRUCT;
    const RUST_NAME: &'static str = <T as DeviceType>::RUST_NAME;
}

impl Pointee for c_void {
    const CPP: CppType<'static> = CppType::of(CppBase::Void);
}

macro_rules! pointers {
    ($($(#[$doc:meta])* $name:ident, $to_const:literal, $sigil:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// 8 bytes, aligned to 8. It does not own the memory, and nothing checks that the memory is valid when the
        /// kernel runs: the caller of the `unsafe` launch promises this.
        #[repr(transparent)]
        pub struct $name<T> {
            address: u64,
            pointee: PhantomData<*const T>,
        }

        impl<T> $name<T> {
            /// The null pointer.
            pub const NULL: Self = Self::from_raw(0);

            /// Returns a pointer from a raw `CUdeviceptr`.
            #[must_use]
            pub const fn from_raw(address: u64) -> Self {
                Self { address, pointee: PhantomData }
            }

            /// Returns the raw `CUdeviceptr`.
            #[must_use]
            pub const fn address(self) -> u64 {
                self.address
            }

            /// Returns whether this is the null pointer.
            #[must_use]
            pub const fn is_null(self) -> bool {
                self.address == 0
            }

            /// Returns the address as a pointer to another type.
            #[must_use]
            pub const fn cast<U>(self) -> $name<U> {
                $name::from_raw(self.address)
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> Default for $name<T> {
            fn default() -> Self {
                Self::NULL
            }
        }

        impl<T> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                self.address == other.address
            }
        }

        impl<T> Eq for $name<T> {}

        impl<T> Hash for $name<T> {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                self.address.hash(state);
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($sigil, " {:#x}"), self.address)
            }
        }

        // SAFETY: it is an address in device memory; for the host it is only a number.
        unsafe impl<T> Send for $name<T> {}
        // SAFETY: for the host it is only a number, and a shared reference cannot change it.
        unsafe impl<T> Sync for $name<T> {}

        // SAFETY: `repr(transparent)` over a `u64` for every `T`; the assertion below proves the layout for one `T`.
        unsafe impl<T: Pointee> DeviceType for $name<T> {
            const LAYOUT: Layout = layout(8, 8);
            const CLASS: Class = Class::Pointer;
            const CPP: CppType<'static> = T::CPP.pointer($to_const);
            const POINTEE: abi::Pointee<'static> = T::BEHIND;
            const RUST_NAME: &'static str = T::RUST_NAME;
            const POINTEE_IN_STRUCT: abi::Pointee<'static> = T::BEHIND_IN_STRUCT;
            const BEHIND: abi::Pointee<'static> = T::BEHIND;
            const BEHIND_IN_STRUCT: abi::Pointee<'static> = T::BEHIND_IN_STRUCT;

            #[inline]
            fn is_value(bytes: &[u8]) -> bool {
                bytes.len() == 8
            }
        }

        const _: () = assert_layout::<$name<u8>>();

        // SAFETY: `repr(transparent)` over a `u64`; 0 is the null pointer.
        unsafe impl<T: Pointee> ZeroBits for $name<T> {}

        impl<T: Pointee> Nullable for $name<T> {
            const NULL: Self = Self::NULL;
        }
    )*};
}

pointers! {
    /// A pointer to device memory that a kernel reads: C++'s `T const*`.
    ///
    /// ```
    /// use kernel_args::{DevicePointer, KernelArgs};
    ///
    /// #[derive(KernelArgs)]
    /// struct Sum { n: u32, data: DevicePointer<f32> }
    ///
    /// # let address = 0x7f00_0000_0000_u64;
    /// let sum = Sum { n: 256, data: DevicePointer::from_raw(address) }; // a `CUdeviceptr`
    /// ```
    DevicePointer, true, "device";
    /// A pointer to device memory that a kernel reads and writes: C++'s `T*`. A [`DevicePointer`] is C++'s `T const*`.
    DevicePointerMut, false, "device mut";
}

impl<T> From<DevicePointerMut<T>> for DevicePointer<T> {
    fn from(pointer: DevicePointerMut<T>) -> Self {
        Self::from_raw(pointer.address)
    }
}

/// A device type with a null value: `None` is passed as this value.
pub trait Nullable: DeviceType {
    /// The null value.
    const NULL: Self;
}

//! CUDA's built-in vector types.
//!
//! Sizes and alignments: CUDA C++ Programming Guide, "Built-in Vector Types".

/// C's `long` on the platform of the kernel's compiler: 8 bytes on Linux.
#[cfg(not(windows))]
pub type CLong = i64;
/// C's `unsigned long` on the platform of the kernel's compiler: 8 bytes on Linux.
#[cfg(not(windows))]
pub type CULong = u64;
/// C's `long` on the platform of the kernel's compiler: 4 bytes on Windows.
#[cfg(windows)]
pub type CLong = i32;
/// C's `unsigned long` on the platform of the kernel's compiler: 4 bytes on Windows.
#[cfg(windows)]
pub type CULong = u32;

macro_rules! vectors {
    // CUDA's constructor is `dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)`. The default of the vectors is zero.
    (default component of Dim3) => {
        1
    };
    (default component of $name:ident) => {
        Default::default()
    };
    ($($(#[$meta:meta])* $name:ident($element:ty) = $cpp:literal [$($field:ident)+] $size:literal / $align:literal
        $(, same as $same:literal)? $(, also $($alias:literal)+)?;)*) => {$(
        $(#[$meta])*
        #[doc = concat!("CUDA's `", $cpp, "`: ", $size, " bytes, aligned to ", $align, ".")]
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[cfg_attr(
            feature = "zerocopy",
            derive(zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable, zerocopy::KnownLayout)
        )]
        #[repr(C, align($align))]
        pub struct $name {
            $(
                #[doc = concat!("The component `", stringify!($field), "`.")]
                pub $field: $element,
            )+
        }

        $(#[$meta])*
        impl $name {
            /// Creates a vector of these components.
            #[must_use]
            pub const fn new($($field: $element),+) -> Self {
                Self { $($field),+ }
            }
        }

        $(#[$meta])*
        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::device::vector::vectors!(default component of $name)),+ }
            }
        }

        $(#[$meta])*
        impl From<[$element; [$(stringify!($field)),+].len()]> for $name {
            fn from([$($field),+]: [$element; [$(stringify!($field)),+].len()]) -> Self {
                Self { $($field),+ }
            }
        }

        $(#[$meta])*
        impl From<$name> for [$element; [$(stringify!($field)),+].len()] {
            fn from(vector: $name) -> Self {
                [$(vector.$field),+]
            }
        }

        $(#[$meta])*
        // SAFETY: all components are zeroable.
        unsafe impl bytemuck::Zeroable for $name {}

        $(#[$meta])*
        // SAFETY: `repr(C)`, all components are `Pod`, and the assertion proves that there is no padding.
        unsafe impl bytemuck::Pod for $name {}

        $(#[$meta])*
        const _: () = {
            let count = [$(stringify!($field)),+].len();
            assert!(size_of::<$name>() == count * size_of::<$element>(), "a vector with padding");
            assert!(align_of::<$name>() == $align, "the host's alignment differs from the device's");
        };

        $crate::device::device_types! {
            $(#[$meta])*
            $name: $size / $align, Bytes, kernel_args_abi::CppType::named($cpp), kernel_args_abi::Members::of(const {
                &[$($crate::device::component::<$element>(
                    stringify!($field),
                    stringify!($element),
                    core::mem::offset_of!($name, $field),
                )),+]
            });
        }
    )*};
}
pub(crate) use vectors;

macro_rules! table {
    (half_scalars $_scalars:tt half_vectors $_half:tt float8_scalars $_float8:tt vectors { $($rows:tt)* } objects {
        $($object:ident = $_cpp:literal $size:literal / $align:literal $(, also $($_alias:literal)+)?;)*
    }) => {
        vectors! { $($rows)* }

        // Messages name these types: asserts that they exist with the layout of the table.
        const _: () = {
            $(assert!(
                <crate::device::$object as super::DeviceType>::LAYOUT.same(crate::device::layout($size, $align)),
                "the table has another layout"
            );)*
        };
    };
}
kernel_args_abi::cuda_types!(table);

#[cfg(test)]
mod tests {
    use super::{Dim3, Float4};

    /// CUDA C++ Programming Guide, "dim3": "any component left unspecified is initialized to 1".
    #[test]
    fn an_extent_is_one_by_default_and_a_vector_is_zero() {
        assert_eq!(Dim3::default(), Dim3::new(1, 1, 1));
        assert_eq!(Float4::default(), Float4::new(0.0, 0.0, 0.0, 0.0));
    }
}

//! CUDA's built-in vector types.
//!
//! Sizes and alignments: CUDA C++ Programming Guide, "Built-in Vector Types".

/// C's `long` where the kernel was compiled: 8 bytes on Linux.
#[cfg(not(windows))]
pub type CLong = i64;
/// C's `unsigned long` where the kernel was compiled: 8 bytes on Linux.
#[cfg(not(windows))]
pub type CULong = u64;
/// C's `long` where the kernel was compiled: 4 bytes on Windows.
#[cfg(windows)]
pub type CLong = i32;
/// C's `unsigned long` where the kernel was compiled: 4 bytes on Windows.
#[cfg(windows)]
pub type CULong = u32;

/// One row for each type: name, element, C++ name, components, size / alignment in bytes.
macro_rules! vectors {
    ($($(#[$meta:meta])* $name:ident($element:ty) = $cpp:literal [$($field:ident)+; $count:literal]
        $size:literal / $align:literal;)*) => {$(
        $(#[$meta])*
        #[doc = concat!("CUDA's `", $cpp, "`: ", $size, " bytes, aligned to ", $align, ".")]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(C, align($align))]
        pub struct $name {
            $(
                #[doc = concat!("The component `", stringify!($field), "`.")]
                pub $field: $element,
            )+
        }

        $(#[$meta])*
        impl $name {
            /// A vector of these components.
            #[must_use]
            pub const fn new($($field: $element),+) -> Self {
                Self { $($field),+ }
            }
        }

        $(#[$meta])*
        impl From<[$element; $count]> for $name {
            fn from([$($field),+]: [$element; $count]) -> Self {
                Self { $($field),+ }
            }
        }

        $(#[$meta])*
        impl From<$name> for [$element; $count] {
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
            assert!(size_of::<$name>() == $count * size_of::<$element>(), "a vector with padding");
            assert!(align_of::<$name>() == $align, "the host's alignment differs from the device's");
        };

        $crate::device::device_types! {
            $(#[$meta])*
            $name: $size / $align, Bytes, kernel_args_abi::CppType::named($cpp);
        }
    )*};
}
#[cfg(feature = "half")]
pub(crate) use vectors;

vectors! {
    Char1(i8) = "char1" [x; 1] 1 / 1;
    Char2(i8) = "char2" [x y; 2] 2 / 2;
    Char3(i8) = "char3" [x y z; 3] 3 / 1;
    Char4(i8) = "char4" [x y z w; 4] 4 / 4;
    UChar1(u8) = "uchar1" [x; 1] 1 / 1;
    UChar2(u8) = "uchar2" [x y; 2] 2 / 2;
    UChar3(u8) = "uchar3" [x y z; 3] 3 / 1;
    UChar4(u8) = "uchar4" [x y z w; 4] 4 / 4;
    Short1(i16) = "short1" [x; 1] 2 / 2;
    Short2(i16) = "short2" [x y; 2] 4 / 4;
    Short3(i16) = "short3" [x y z; 3] 6 / 2;
    Short4(i16) = "short4" [x y z w; 4] 8 / 8;
    UShort1(u16) = "ushort1" [x; 1] 2 / 2;
    UShort2(u16) = "ushort2" [x y; 2] 4 / 4;
    UShort3(u16) = "ushort3" [x y z; 3] 6 / 2;
    UShort4(u16) = "ushort4" [x y z w; 4] 8 / 8;
    Int1(i32) = "int1" [x; 1] 4 / 4;
    Int2(i32) = "int2" [x y; 2] 8 / 8;
    Int3(i32) = "int3" [x y z; 3] 12 / 4;
    Int4(i32) = "int4" [x y z w; 4] 16 / 16;
    UInt1(u32) = "uint1" [x; 1] 4 / 4;
    UInt2(u32) = "uint2" [x y; 2] 8 / 8;
    UInt3(u32) = "uint3" [x y z; 3] 12 / 4;
    UInt4(u32) = "uint4" [x y z w; 4] 16 / 16;
    LongLong1(i64) = "longlong1" [x; 1] 8 / 8;
    LongLong2(i64) = "longlong2" [x y; 2] 16 / 16;
    LongLong3(i64) = "longlong3" [x y z; 3] 24 / 8;
    LongLong4(i64) = "longlong4" [x y z w; 4] 32 / 16;
    LongLong4A16(i64) = "longlong4_16a" [x y z w; 4] 32 / 16;
    LongLong4A32(i64) = "longlong4_32a" [x y z w; 4] 32 / 32;
    ULongLong1(u64) = "ulonglong1" [x; 1] 8 / 8;
    ULongLong2(u64) = "ulonglong2" [x y; 2] 16 / 16;
    ULongLong3(u64) = "ulonglong3" [x y z; 3] 24 / 8;
    ULongLong4(u64) = "ulonglong4" [x y z w; 4] 32 / 16;
    ULongLong4A16(u64) = "ulonglong4_16a" [x y z w; 4] 32 / 16;
    ULongLong4A32(u64) = "ulonglong4_32a" [x y z w; 4] 32 / 32;
    Float1(f32) = "float1" [x; 1] 4 / 4;
    Float2(f32) = "float2" [x y; 2] 8 / 8;
    Float3(f32) = "float3" [x y z; 3] 12 / 4;
    Float4(f32) = "float4" [x y z w; 4] 16 / 16;
    Double1(f64) = "double1" [x; 1] 8 / 8;
    Double2(f64) = "double2" [x y; 2] 16 / 16;
    Double3(f64) = "double3" [x y z; 3] 24 / 8;
    Double4(f64) = "double4" [x y z w; 4] 32 / 16;
    Double4A16(f64) = "double4_16a" [x y z w; 4] 32 / 16;
    Double4A32(f64) = "double4_32a" [x y z w; 4] 32 / 32;
    Dim3(u32) = "dim3" [x y z; 3] 12 / 4;
}

#[cfg(not(windows))]
vectors! {
    Long1(CLong) = "long1" [x; 1] 8 / 8;
    Long2(CLong) = "long2" [x y; 2] 16 / 16;
    Long3(CLong) = "long3" [x y z; 3] 24 / 8;
    Long4(CLong) = "long4" [x y z w; 4] 32 / 16;
    Long4A16(CLong) = "long4_16a" [x y z w; 4] 32 / 16;
    Long4A32(CLong) = "long4_32a" [x y z w; 4] 32 / 32;
    ULong1(CULong) = "ulong1" [x; 1] 8 / 8;
    ULong2(CULong) = "ulong2" [x y; 2] 16 / 16;
    ULong3(CULong) = "ulong3" [x y z; 3] 24 / 8;
    ULong4(CULong) = "ulong4" [x y z w; 4] 32 / 16;
    ULong4A16(CULong) = "ulong4_16a" [x y z w; 4] 32 / 16;
    ULong4A32(CULong) = "ulong4_32a" [x y z w; 4] 32 / 32;
}

#[cfg(windows)]
vectors! {
    Long1(CLong) = "long1" [x; 1] 4 / 4;
    Long2(CLong) = "long2" [x y; 2] 8 / 8;
    Long3(CLong) = "long3" [x y z; 3] 12 / 4;
    Long4(CLong) = "long4" [x y z w; 4] 16 / 16;
    ULong1(CULong) = "ulong1" [x; 1] 4 / 4;
    ULong2(CULong) = "ulong2" [x y; 2] 8 / 8;
    ULong3(CULong) = "ulong3" [x y z; 3] 12 / 4;
    ULong4(CULong) = "ulong4" [x y z w; 4] 16 / 16;
}

// `x` is the real part, `y` the imaginary.
vectors! {
    CuFloatComplex(f32) = "cuFloatComplex" [x y; 2] 8 / 8;
    CuDoubleComplex(f64) = "cuDoubleComplex" [x y; 2] 16 / 16;
}

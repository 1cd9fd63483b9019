//! The table of CUDA types for all suites.
//!
//! The table is written from CUDA's documentation, independent of the library's own table, and the oracle suite
//! compares it with NVIDIA's compiler. To add a type, add one row here: the random signatures, the random values, the
//! layouts in the oracle suite and the echo kernels are derived from the rows.

/// Calls the macro `$then` with all rows:
///
/// `RUST = "C++", PASSED COUNT x SIZE aligned ALIGN, DRAWN;`
///
/// | column | meaning |
/// |---|---|
/// | `RUST` | the type, with the names of `kernel_args` and `core::num` in scope |
/// | `C++` | the type after [`PRELUDE`](crate::cpp::PRELUDE) |
/// | `PASSED` | whether C++ passes it as a `scalar` or as an `aggregate` |
/// | `COUNT x SIZE` | its components, which have no gaps, and the size of each in bytes |
/// | `ALIGN` | its alignment on the device. CUDA C++ Programming Guide, "Built-in Vector Types" |
/// | `DRAWN` | how a random value is made: `truth`, `number` from its bytes, `non_zero of` an integer, `wrapper of` its only field, `vector of` its components |
#[macro_export]
macro_rules! cuda_types {
    ($then:ident) => {
        $then! {
        bool = "bool", scalar 1 x 1 aligned 1, truth;
        i8 = "signed char", scalar 1 x 1 aligned 1, number;
        u8 = "unsigned char", scalar 1 x 1 aligned 1, number;
        i16 = "short", scalar 1 x 2 aligned 2, number;
        u16 = "unsigned short", scalar 1 x 2 aligned 2, number;
        i32 = "int", scalar 1 x 4 aligned 4, number;
        u32 = "unsigned int", scalar 1 x 4 aligned 4, number;
        i64 = "long long", scalar 1 x 8 aligned 8, number;
        u64 = "unsigned long long", scalar 1 x 8 aligned 8, number;
        isize = "long", scalar 1 x 8 aligned 8, number;
        usize = "unsigned long", scalar 1 x 8 aligned 8, number;
        i128 = "__int128", scalar 1 x 16 aligned 16, number;
        u128 = "unsigned __int128", scalar 1 x 16 aligned 16, number;
        f32 = "float", scalar 1 x 4 aligned 4, number;
        f64 = "double", scalar 1 x 8 aligned 8, number;
        NonZeroI8 = "char", scalar 1 x 1 aligned 1, non_zero of i8;
        NonZeroU8 = "unsigned char", scalar 1 x 1 aligned 1, non_zero of u8;
        NonZeroI16 = "short", scalar 1 x 2 aligned 2, non_zero of i16;
        NonZeroU16 = "unsigned short", scalar 1 x 2 aligned 2, non_zero of u16;
        NonZeroI32 = "int", scalar 1 x 4 aligned 4, non_zero of i32;
        NonZeroU32 = "unsigned int", scalar 1 x 4 aligned 4, non_zero of u32;
        NonZeroI64 = "long long", scalar 1 x 8 aligned 8, non_zero of i64;
        NonZeroU64 = "unsigned long long", scalar 1 x 8 aligned 8, non_zero of u64;
        NonZeroI128 = "__int128", scalar 1 x 16 aligned 16, non_zero of i128;
        NonZeroU128 = "unsigned __int128", scalar 1 x 16 aligned 16, non_zero of u128;
        NonZeroIsize = "long", scalar 1 x 8 aligned 8, non_zero of isize;
        NonZeroUsize = "unsigned long", scalar 1 x 8 aligned 8, non_zero of usize;
        Wrapping<u32> = "unsigned int", scalar 1 x 4 aligned 4, wrapper of u32;
        TextureObject = "cudaTextureObject_t", scalar 1 x 8 aligned 8, wrapper of u64;
        SurfaceObject = "cudaSurfaceObject_t", scalar 1 x 8 aligned 8, wrapper of u64;
        TensorMap = "TensorMap128", aggregate 16 x 8 aligned 128, wrapper of [u64; 16];
        TensorMapA64 = "TensorMap64", aggregate 16 x 8 aligned 64, wrapper of [u64; 16];
        Char1 = "char1", aggregate 1 x 1 aligned 1, vector of i8;
        Char2 = "char2", aggregate 2 x 1 aligned 2, vector of i8;
        Char3 = "char3", aggregate 3 x 1 aligned 1, vector of i8;
        Char4 = "char4", aggregate 4 x 1 aligned 4, vector of i8;
        UChar1 = "uchar1", aggregate 1 x 1 aligned 1, vector of u8;
        UChar2 = "uchar2", aggregate 2 x 1 aligned 2, vector of u8;
        UChar3 = "uchar3", aggregate 3 x 1 aligned 1, vector of u8;
        UChar4 = "uchar4", aggregate 4 x 1 aligned 4, vector of u8;
        Short1 = "short1", aggregate 1 x 2 aligned 2, vector of i16;
        Short2 = "short2", aggregate 2 x 2 aligned 4, vector of i16;
        Short3 = "short3", aggregate 3 x 2 aligned 2, vector of i16;
        Short4 = "short4", aggregate 4 x 2 aligned 8, vector of i16;
        UShort1 = "ushort1", aggregate 1 x 2 aligned 2, vector of u16;
        UShort2 = "ushort2", aggregate 2 x 2 aligned 4, vector of u16;
        UShort3 = "ushort3", aggregate 3 x 2 aligned 2, vector of u16;
        UShort4 = "ushort4", aggregate 4 x 2 aligned 8, vector of u16;
        Int1 = "int1", aggregate 1 x 4 aligned 4, vector of i32;
        Int2 = "int2", aggregate 2 x 4 aligned 8, vector of i32;
        Int3 = "int3", aggregate 3 x 4 aligned 4, vector of i32;
        Int4 = "int4", aggregate 4 x 4 aligned 16, vector of i32;
        UInt1 = "uint1", aggregate 1 x 4 aligned 4, vector of u32;
        UInt2 = "uint2", aggregate 2 x 4 aligned 8, vector of u32;
        UInt3 = "uint3", aggregate 3 x 4 aligned 4, vector of u32;
        UInt4 = "uint4", aggregate 4 x 4 aligned 16, vector of u32;
        Long1 = "long1", aggregate 1 x 8 aligned 8, vector of i64;
        Long2 = "long2", aggregate 2 x 8 aligned 16, vector of i64;
        Long3 = "long3", aggregate 3 x 8 aligned 8, vector of i64;
        Long4 = "long4", aggregate 4 x 8 aligned 16, vector of i64;
        Long4A16 = "long4_16a", aggregate 4 x 8 aligned 16, vector of i64;
        Long4A32 = "long4_32a", aggregate 4 x 8 aligned 32, vector of i64;
        ULong1 = "ulong1", aggregate 1 x 8 aligned 8, vector of u64;
        ULong2 = "ulong2", aggregate 2 x 8 aligned 16, vector of u64;
        ULong3 = "ulong3", aggregate 3 x 8 aligned 8, vector of u64;
        ULong4 = "ulong4", aggregate 4 x 8 aligned 16, vector of u64;
        ULong4A16 = "ulong4_16a", aggregate 4 x 8 aligned 16, vector of u64;
        ULong4A32 = "ulong4_32a", aggregate 4 x 8 aligned 32, vector of u64;
        LongLong1 = "longlong1", aggregate 1 x 8 aligned 8, vector of i64;
        LongLong2 = "longlong2", aggregate 2 x 8 aligned 16, vector of i64;
        LongLong3 = "longlong3", aggregate 3 x 8 aligned 8, vector of i64;
        LongLong4 = "longlong4", aggregate 4 x 8 aligned 16, vector of i64;
        LongLong4A16 = "longlong4_16a", aggregate 4 x 8 aligned 16, vector of i64;
        LongLong4A32 = "longlong4_32a", aggregate 4 x 8 aligned 32, vector of i64;
        ULongLong1 = "ulonglong1", aggregate 1 x 8 aligned 8, vector of u64;
        ULongLong2 = "ulonglong2", aggregate 2 x 8 aligned 16, vector of u64;
        ULongLong3 = "ulonglong3", aggregate 3 x 8 aligned 8, vector of u64;
        ULongLong4 = "ulonglong4", aggregate 4 x 8 aligned 16, vector of u64;
        ULongLong4A16 = "ulonglong4_16a", aggregate 4 x 8 aligned 16, vector of u64;
        ULongLong4A32 = "ulonglong4_32a", aggregate 4 x 8 aligned 32, vector of u64;
        Float1 = "float1", aggregate 1 x 4 aligned 4, vector of f32;
        Float2 = "float2", aggregate 2 x 4 aligned 8, vector of f32;
        Float3 = "float3", aggregate 3 x 4 aligned 4, vector of f32;
        Float4 = "float4", aggregate 4 x 4 aligned 16, vector of f32;
        Double1 = "double1", aggregate 1 x 8 aligned 8, vector of f64;
        Double2 = "double2", aggregate 2 x 8 aligned 16, vector of f64;
        Double3 = "double3", aggregate 3 x 8 aligned 8, vector of f64;
        Double4 = "double4", aggregate 4 x 8 aligned 16, vector of f64;
        Double4A16 = "double4_16a", aggregate 4 x 8 aligned 16, vector of f64;
        Double4A32 = "double4_32a", aggregate 4 x 8 aligned 32, vector of f64;
        Dim3 = "dim3", aggregate 3 x 4 aligned 4, vector of u32;
        CuFloatComplex = "cuFloatComplex", aggregate 2 x 4 aligned 8, vector of f32;
        CuDoubleComplex = "cuDoubleComplex", aggregate 2 x 8 aligned 16, vector of f64;
        half::f16 = "__half", aggregate 1 x 2 aligned 2, number;
        half::bf16 = "__nv_bfloat16", aggregate 1 x 2 aligned 2, number;
        Half2 = "__half2", aggregate 2 x 2 aligned 4, vector of half::f16;
        BFloat162 = "__nv_bfloat162", aggregate 2 x 2 aligned 4, vector of half::bf16;
        }
    };
}

/// Calls the macro `$then` with every type of a foreign crate that is a device type with a feature of `kernel-args`:
///
/// `RUST = "C++", COUNT x SIZE aligned ALIGN, echo KERNEL;`
///
/// The columns have the same meaning as in [`cuda_types!`]. `ALIGN` is the alignment on the device; on the host it may
/// be lower. `KERNEL` is the name of the kernel in `ptx/` that echoes the type, after `echo_`. For a generic type the
/// rows are samples. Random signatures do not contain these types: in a struct that is passed by value they are
/// rejected if the host's alignment changes their offset.
#[macro_export]
macro_rules! foreign_types {
    ($then:ident) => {
        $then! {
        float8::F8E4M3 = "__nv_fp8_e4m3", 1 x 1 aligned 1, echo fp8_e4m3;
        float8::F8E5M2 = "__nv_fp8_e5m2", 1 x 1 aligned 1, echo fp8_e5m2;
        num_complex::Complex<f32> = "cuFloatComplex", 2 x 4 aligned 8, echo float_complex;
        num_complex::Complex<f64> = "cuDoubleComplex", 2 x 8 aligned 16, echo double_complex;
        num_complex::Complex<half::f16> = "__half2", 2 x 2 aligned 4, echo half2;
        glam::Vec2 = "float2", 2 x 4 aligned 8, echo float2;
        glam::Vec3 = "float3", 3 x 4 aligned 4, echo float3;
        glam::Vec4 = "float4", 4 x 4 aligned 16, echo float4;
        glam::DVec2 = "double2", 2 x 8 aligned 16, echo double2;
        glam::DVec3 = "double3", 3 x 8 aligned 8, echo double3;
        glam::DVec4 = "double4_16a", 4 x 8 aligned 16, echo double4_16a;
        glam::I8Vec2 = "char2", 2 x 1 aligned 2, echo char2;
        glam::I8Vec3 = "char3", 3 x 1 aligned 1, echo char3;
        glam::I8Vec4 = "char4", 4 x 1 aligned 4, echo char4;
        glam::U8Vec2 = "uchar2", 2 x 1 aligned 2, echo uchar2;
        glam::U8Vec3 = "uchar3", 3 x 1 aligned 1, echo uchar3;
        glam::U8Vec4 = "uchar4", 4 x 1 aligned 4, echo uchar4;
        glam::I16Vec2 = "short2", 2 x 2 aligned 4, echo short2;
        glam::I16Vec3 = "short3", 3 x 2 aligned 2, echo short3;
        glam::I16Vec4 = "short4", 4 x 2 aligned 8, echo short4;
        glam::U16Vec2 = "ushort2", 2 x 2 aligned 4, echo ushort2;
        glam::U16Vec3 = "ushort3", 3 x 2 aligned 2, echo ushort3;
        glam::U16Vec4 = "ushort4", 4 x 2 aligned 8, echo ushort4;
        glam::IVec2 = "int2", 2 x 4 aligned 8, echo int2;
        glam::IVec3 = "int3", 3 x 4 aligned 4, echo int3;
        glam::IVec4 = "int4", 4 x 4 aligned 16, echo int4;
        glam::UVec2 = "uint2", 2 x 4 aligned 8, echo uint2;
        glam::UVec3 = "uint3", 3 x 4 aligned 4, echo uint3;
        glam::UVec4 = "uint4", 4 x 4 aligned 16, echo uint4;
        glam::I64Vec2 = "longlong2", 2 x 8 aligned 16, echo longlong2;
        glam::I64Vec3 = "longlong3", 3 x 8 aligned 8, echo longlong3;
        glam::I64Vec4 = "longlong4_16a", 4 x 8 aligned 16, echo longlong4_16a;
        glam::U64Vec2 = "ulonglong2", 2 x 8 aligned 16, echo ulonglong2;
        glam::U64Vec3 = "ulonglong3", 3 x 8 aligned 8, echo ulonglong3;
        glam::U64Vec4 = "ulonglong4_16a", 4 x 8 aligned 16, echo ulonglong4_16a;
        glam::Quat = "float4", 4 x 4 aligned 16, echo float4;
        glam::DQuat = "double4_16a", 4 x 8 aligned 16, echo double4_16a;
        glam::Mat3 = "Array<float3, 3>", 9 x 4 aligned 4, echo columns_float3_3;
        glam::Mat4 = "Array<float4, 4>", 16 x 4 aligned 16, echo columns_float4_4;
        glam::DMat2 = "Array<double2, 2>", 4 x 8 aligned 16, echo columns_double2_2;
        glam::DMat3 = "Array<double3, 3>", 9 x 8 aligned 8, echo columns_double3_3;
        glam::DMat4 = "Array<double4_16a, 4>", 16 x 8 aligned 16, echo columns_double4_4;
        nalgebra::Vector2<f32> = "float2", 2 x 4 aligned 8, echo float2;
        nalgebra::Vector3<f32> = "float3", 3 x 4 aligned 4, echo float3;
        nalgebra::Vector4<f32> = "float4", 4 x 4 aligned 16, echo float4;
        nalgebra::Vector2<f64> = "double2", 2 x 8 aligned 16, echo double2;
        nalgebra::Vector3<f64> = "double3", 3 x 8 aligned 8, echo double3;
        nalgebra::Vector4<f64> = "double4_16a", 4 x 8 aligned 16, echo double4_16a;
        nalgebra::Vector3<i8> = "char3", 3 x 1 aligned 1, echo char3;
        nalgebra::Vector4<u8> = "uchar4", 4 x 1 aligned 4, echo uchar4;
        nalgebra::Vector4<i16> = "short4", 4 x 2 aligned 8, echo short4;
        nalgebra::Vector2<u16> = "ushort2", 2 x 2 aligned 4, echo ushort2;
        nalgebra::Vector2<i32> = "int2", 2 x 4 aligned 8, echo int2;
        nalgebra::Vector3<i32> = "int3", 3 x 4 aligned 4, echo int3;
        nalgebra::Vector4<i32> = "int4", 4 x 4 aligned 16, echo int4;
        nalgebra::Vector3<u32> = "uint3", 3 x 4 aligned 4, echo uint3;
        nalgebra::Vector2<i64> = "longlong2", 2 x 8 aligned 16, echo longlong2;
        nalgebra::Vector4<u64> = "ulonglong4_16a", 4 x 8 aligned 16, echo ulonglong4_16a;
        nalgebra::Point2<f32> = "float2", 2 x 4 aligned 8, echo float2;
        nalgebra::Point3<f32> = "float3", 3 x 4 aligned 4, echo float3;
        nalgebra::Point4<f64> = "double4_16a", 4 x 8 aligned 16, echo double4_16a;
        nalgebra::Quaternion<f32> = "float4", 4 x 4 aligned 16, echo float4;
        nalgebra::Quaternion<f64> = "double4_16a", 4 x 8 aligned 16, echo double4_16a;
        nalgebra::Matrix2<f32> = "Array<float, 4>", 4 x 4 aligned 4, echo elements_float_4;
        nalgebra::Matrix3<f32> = "Array<float, 9>", 9 x 4 aligned 4, echo elements_float_9;
        nalgebra::Matrix4<f32> = "Array<float, 16>", 16 x 4 aligned 4, echo elements_float_16;
        nalgebra::Matrix2x3<f32> = "Array<float, 6>", 6 x 4 aligned 4, echo elements_float_6;
        nalgebra::Vector6<f32> = "Array<float, 6>", 6 x 4 aligned 4, echo elements_float_6;
        nalgebra::RowVector3<i32> = "Array<int, 3>", 3 x 4 aligned 4, echo elements_int_3;
        nalgebra::Matrix3<f64> = "Array<double, 9>", 9 x 8 aligned 8, echo elements_double_9;
        nalgebra::Matrix4<f64> = "Array<double, 16>", 16 x 8 aligned 8, echo elements_double_16;
        mint::Vector2<f32> = "float2", 2 x 4 aligned 8, echo float2;
        mint::Vector3<f32> = "float3", 3 x 4 aligned 4, echo float3;
        mint::Vector4<f32> = "float4", 4 x 4 aligned 16, echo float4;
        mint::Vector2<i32> = "int2", 2 x 4 aligned 8, echo int2;
        mint::Vector4<u8> = "uchar4", 4 x 1 aligned 4, echo uchar4;
        mint::Vector4<f64> = "double4_16a", 4 x 8 aligned 16, echo double4_16a;
        mint::Point2<f64> = "double2", 2 x 8 aligned 16, echo double2;
        mint::Point3<f32> = "float3", 3 x 4 aligned 4, echo float3;
        mint::Quaternion<f32> = "float4", 4 x 4 aligned 16, echo float4;
        mint::ColumnMatrix2<f32> = "Array<float, 4>", 4 x 4 aligned 4, echo elements_float_4;
        mint::ColumnMatrix3<f32> = "Array<float, 9>", 9 x 4 aligned 4, echo elements_float_9;
        mint::ColumnMatrix4<f32> = "Array<float, 16>", 16 x 4 aligned 4, echo elements_float_16;
        mint::ColumnMatrix2x3<f32> = "Array<float, 6>", 6 x 4 aligned 4, echo elements_float_6;
        mint::RowMatrix3x2<f32> = "Array<float, 6>", 6 x 4 aligned 4, echo elements_float_6;
        mint::RowMatrix3<f64> = "Array<double, 9>", 9 x 8 aligned 8, echo elements_double_9;
        mint::RowMatrix4<f32> = "Array<float, 16>", 16 x 4 aligned 4, echo elements_float_16;
        }
    };
}

/// The source text of a type: `stringify!` without the spaces between tokens.
#[macro_export]
macro_rules! spelling {
    ($ty:ty) => {{
        const TEXT: &str = stringify!($ty);
        const LEN: usize = $crate::types::letters(TEXT);
        const LETTERS: [u8; LEN] = $crate::types::without_spaces(TEXT);
        match core::str::from_utf8(&LETTERS) {
            Ok(text) => text,
            Err(_) => panic!("what is left of a text is one"),
        }
    }};
}

/// The number of bytes of a text that are not spaces.
#[must_use]
pub const fn letters(text: &str) -> usize {
    let (mut i, mut count) = (0, 0);
    while i < text.len() {
        if text.as_bytes()[i] != b' ' {
            count += 1;
        }
        i += 1;
    }
    count
}

/// The `N` bytes of a text that are not spaces.
#[must_use]
pub const fn without_spaces<const N: usize>(text: &str) -> [u8; N] {
    let (mut i, mut count, mut found) = (0, 0, [0; N]);
    while i < text.len() {
        if text.as_bytes()[i] != b' ' {
            found[count] = text.as_bytes()[i];
            count += 1;
        }
        i += 1;
    }
    found
}

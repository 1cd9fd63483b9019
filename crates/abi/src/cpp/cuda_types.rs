//! The table of CUDA built-in types. Names, hints, decoding and the Rust types are generated from it.

/// Passes every built-in CUDA type to a macro, one row per type.
///
/// A row is `Rust name(element) = "C++ name" [components] size / alignment in bytes`. Optional parts follow: `same as`
/// names the usual type with the same meaning and layout, `also` lists typedefs and instances of the `complex`
/// templates. A `complex` is its real part followed by its imaginary part, with the alignment of the vector.
///
/// Among vectors of the same size, hints use the first ones. `double4_16a` has the layout of `double4` before CUDA 13,
/// which introduced both names. CUDA C++ Programming Guide, "Built-in Vector Types".
#[doc(hidden)]
#[macro_export]
macro_rules! cuda_types {
    ($callback:ident) => {
        $callback! {
            // Types of the crate `half`.
            half_scalars {
                f16 = "__half" 2 / 2, also "half" "_Float16";
                bf16 = "__nv_bfloat16" 2 / 2, also "nv_bfloat16" "__bf16";
            }
            half_vectors {
                Half2(f16) = "__half2" [x y] 4 / 4, also "half2" "complex<__half>" "complex<half>";
                BFloat162(bf16) = "__nv_bfloat162" [x y] 4 / 4, also "nv_bfloat162";
            }
            // Types of the crate `float8`.
            float8_scalars {
                F8E4M3 = "__nv_fp8_e4m3" 1 / 1;
                F8E5M2 = "__nv_fp8_e5m2" 1 / 1;
            }
            vectors {
                Float1(f32) = "float1" [x] 4 / 4;
                Float2(f32) = "float2" [x y] 8 / 8;
                Float3(f32) = "float3" [x y z] 12 / 4;
                Float4(f32) = "float4" [x y z w] 16 / 16;
                Int1(i32) = "int1" [x] 4 / 4;
                Int2(i32) = "int2" [x y] 8 / 8;
                Int3(i32) = "int3" [x y z] 12 / 4;
                Int4(i32) = "int4" [x y z w] 16 / 16;
                Double1(f64) = "double1" [x] 8 / 8;
                Double2(f64) = "double2" [x y] 16 / 16;
                Double3(f64) = "double3" [x y z] 24 / 8;
                Double4(f64) = "double4" [x y z w] 32 / 16, same as "double4_16a";
                Double4A16(f64) = "double4_16a" [x y z w] 32 / 16;
                Double4A32(f64) = "double4_32a" [x y z w] 32 / 32;
                UInt1(u32) = "uint1" [x] 4 / 4;
                UInt2(u32) = "uint2" [x y] 8 / 8;
                UInt3(u32) = "uint3" [x y z] 12 / 4;
                UInt4(u32) = "uint4" [x y z w] 16 / 16;
                UChar1(u8) = "uchar1" [x] 1 / 1;
                UChar2(u8) = "uchar2" [x y] 2 / 2;
                UChar3(u8) = "uchar3" [x y z] 3 / 1;
                UChar4(u8) = "uchar4" [x y z w] 4 / 4;
                UShort1(u16) = "ushort1" [x] 2 / 2;
                UShort2(u16) = "ushort2" [x y] 4 / 4;
                UShort3(u16) = "ushort3" [x y z] 6 / 2;
                UShort4(u16) = "ushort4" [x y z w] 8 / 8;
                Char1(i8) = "char1" [x] 1 / 1;
                Char2(i8) = "char2" [x y] 2 / 2;
                Char3(i8) = "char3" [x y z] 3 / 1;
                Char4(i8) = "char4" [x y z w] 4 / 4;
                Short1(i16) = "short1" [x] 2 / 2;
                Short2(i16) = "short2" [x y] 4 / 4;
                Short3(i16) = "short3" [x y z] 6 / 2;
                Short4(i16) = "short4" [x y z w] 8 / 8;
                LongLong1(i64) = "longlong1" [x] 8 / 8;
                LongLong2(i64) = "longlong2" [x y] 16 / 16;
                LongLong3(i64) = "longlong3" [x y z] 24 / 8;
                LongLong4(i64) = "longlong4" [x y z w] 32 / 16, same as "longlong4_16a";
                LongLong4A16(i64) = "longlong4_16a" [x y z w] 32 / 16;
                LongLong4A32(i64) = "longlong4_32a" [x y z w] 32 / 32;
                ULongLong1(u64) = "ulonglong1" [x] 8 / 8;
                ULongLong2(u64) = "ulonglong2" [x y] 16 / 16;
                ULongLong3(u64) = "ulonglong3" [x y z] 24 / 8;
                ULongLong4(u64) = "ulonglong4" [x y z w] 32 / 16, same as "ulonglong4_16a";
                ULongLong4A16(u64) = "ulonglong4_16a" [x y z w] 32 / 16;
                ULongLong4A32(u64) = "ulonglong4_32a" [x y z w] 32 / 32;
                #[cfg(not(windows))] Long1(CLong) = "long1" [x] 8 / 8, same as "longlong1";
                #[cfg(not(windows))] Long2(CLong) = "long2" [x y] 16 / 16, same as "longlong2";
                #[cfg(not(windows))] Long3(CLong) = "long3" [x y z] 24 / 8, same as "longlong3";
                #[cfg(not(windows))] Long4(CLong) = "long4" [x y z w] 32 / 16, same as "longlong4_16a";
                #[cfg(not(windows))] Long4A16(CLong) = "long4_16a" [x y z w] 32 / 16, same as "longlong4_16a";
                #[cfg(not(windows))] Long4A32(CLong) = "long4_32a" [x y z w] 32 / 32, same as "longlong4_32a";
                #[cfg(not(windows))] ULong1(CULong) = "ulong1" [x] 8 / 8, same as "ulonglong1";
                #[cfg(not(windows))] ULong2(CULong) = "ulong2" [x y] 16 / 16, same as "ulonglong2";
                #[cfg(not(windows))] ULong3(CULong) = "ulong3" [x y z] 24 / 8, same as "ulonglong3";
                #[cfg(not(windows))] ULong4(CULong) = "ulong4" [x y z w] 32 / 16, same as "ulonglong4_16a";
                #[cfg(not(windows))] ULong4A16(CULong) = "ulong4_16a" [x y z w] 32 / 16, same as "ulonglong4_16a";
                #[cfg(not(windows))] ULong4A32(CULong) = "ulong4_32a" [x y z w] 32 / 32, same as "ulonglong4_32a";
                #[cfg(windows)] Long1(CLong) = "long1" [x] 4 / 4, same as "int1";
                #[cfg(windows)] Long2(CLong) = "long2" [x y] 8 / 8, same as "int2";
                #[cfg(windows)] Long3(CLong) = "long3" [x y z] 12 / 4, same as "int3";
                #[cfg(windows)] Long4(CLong) = "long4" [x y z w] 16 / 16, same as "int4";
                #[cfg(windows)] ULong1(CULong) = "ulong1" [x] 4 / 4, same as "uint1";
                #[cfg(windows)] ULong2(CULong) = "ulong2" [x y] 8 / 8, same as "uint2";
                #[cfg(windows)] ULong3(CULong) = "ulong3" [x y z] 12 / 4, same as "uint3";
                #[cfg(windows)] ULong4(CULong) = "ulong4" [x y z w] 16 / 16, same as "uint4";
                Dim3(u32) = "dim3" [x y z] 12 / 4;
                CuFloatComplex(f32) = "cuFloatComplex" [x y] 8 / 8, same as "float2", also "cuComplex" "complex<float>";
                CuDoubleComplex(f64) = "cuDoubleComplex" [x y] 16 / 16, same as "double2", also "complex<double>";
            }
            // A tensor map has a different alignment in the headers of CUDA 13 and CUDA 12.
            objects {
                TensorMap = "CUtensorMap" 128 / 128, also "CUtensorMap_st";
                TensorMapA64 = "CUtensorMap" 128 / 64, also "CUtensorMap_st";
            }
        }
    };
}

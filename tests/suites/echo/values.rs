//! Scalars, vectors and opaque objects, each between two chars.

use crate::ways::{Between, echo_between};
use kernel_args::{
    Char1, Char2, Char3, Char4, CuDoubleComplex, CuFloatComplex, Dim3, Double1, Double2, Double3,
    Double4, Double4A16, Double4A32, Float1, Float2, Float3, Float4, Int1, Int2, Int3, Int4,
    KernelArgs, Long1, Long2, Long3, Long4, Long4A16, Long4A32, LongLong1, LongLong2, LongLong3,
    LongLong4, LongLong4A16, LongLong4A32, Short1, Short2, Short3, Short4, SurfaceObject,
    TensorMap, TensorMapA64, TextureObject, UChar1, UChar2, UChar3, UChar4, UInt1, UInt2, UInt3,
    UInt4, ULong1, ULong2, ULong3, ULong4, ULong4A16, ULong4A32, ULongLong1, ULongLong2,
    ULongLong3, ULongLong4, ULongLong4A16, ULongLong4A32, UShort1, UShort2, UShort3, UShort4,
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;

const SCALARS: &str = include_str!("../../../ptx/echo_scalars.ptx");
const VECTORS: &str = include_str!("../../../ptx/echo_vectors.ptx");
const STRUCTS: &str = include_str!("../../../ptx/echo_structs.ptx");

pub(crate) fn trials() -> Vec<Trial> {
    macro_rules! between {
        ($ptx:ident: $($entry:literal $ty:ty)*) => {
            vec![$(trial($entry, || echo_between::<$ty>($ptx, $entry)),)*]
        };
    }
    let mut trials = between! { SCALARS:
        "echo_u8" u8 "echo_u16" u16 "echo_u32" u32 "echo_u64" u64 "echo_u128" u128 "echo_usize" usize
        "echo_i8" i8 "echo_i16" i16 "echo_i32" i32 "echo_i64" i64 "echo_i128" i128 "echo_isize" isize
        "echo_char" i8 "echo_bool" bool "echo_f32" f32 "echo_f64" f64
        "echo_f16" half::f16 "echo_bf16" half::bf16
    };
    trials.extend(between! { VECTORS:
        "echo_char1" Char1 "echo_char2" Char2 "echo_char3" Char3 "echo_char4" Char4
        "echo_uchar1" UChar1 "echo_uchar2" UChar2 "echo_uchar3" UChar3 "echo_uchar4" UChar4
        "echo_short1" Short1 "echo_short2" Short2 "echo_short3" Short3 "echo_short4" Short4
        "echo_ushort1" UShort1 "echo_ushort2" UShort2 "echo_ushort3" UShort3 "echo_ushort4" UShort4
        "echo_int1" Int1 "echo_int2" Int2 "echo_int3" Int3 "echo_int4" Int4
        "echo_uint1" UInt1 "echo_uint2" UInt2 "echo_uint3" UInt3 "echo_uint4" UInt4
        "echo_long1" Long1 "echo_long2" Long2 "echo_long3" Long3 "echo_long4" Long4
        "echo_long4_16a" Long4A16 "echo_long4_32a" Long4A32
        "echo_ulong1" ULong1 "echo_ulong2" ULong2 "echo_ulong3" ULong3 "echo_ulong4" ULong4
        "echo_ulong4_16a" ULong4A16 "echo_ulong4_32a" ULong4A32
        "echo_longlong1" LongLong1 "echo_longlong2" LongLong2 "echo_longlong3" LongLong3
        "echo_longlong4" LongLong4 "echo_longlong4_16a" LongLong4A16 "echo_longlong4_32a" LongLong4A32
        "echo_ulonglong1" ULongLong1 "echo_ulonglong2" ULongLong2 "echo_ulonglong3" ULongLong3
        "echo_ulonglong4" ULongLong4 "echo_ulonglong4_16a" ULongLong4A16 "echo_ulonglong4_32a" ULongLong4A32
        "echo_float1" Float1 "echo_float2" Float2 "echo_float3" Float3 "echo_float4" Float4
        "echo_double1" Double1 "echo_double2" Double2 "echo_double3" Double3 "echo_double4" Double4
        "echo_double4_16a" Double4A16 "echo_double4_32a" Double4A32
        "echo_dim3" Dim3
    });
    trials.extend(between! { STRUCTS:
        "echo_float_complex" CuFloatComplex "echo_double_complex" CuDoubleComplex
        "echo_texture_object" TextureObject "echo_surface_object" SurfaceObject
        "echo_tensor_map_64" TensorMapA64 "echo_tensor_map_128" TensorMap
    });
    trials
}

// The suite is worth nothing if `Between` were laid out without padding.
const _: () = assert!(Between::<Float4>::LAYOUT.size() == 33);

// Device types of other crates, except scalars and vectors, each between two chars: pairs of halves,
// 8-bit floats, matrices.
// The comments give size / alignment.
#include "echo.cuh"

// The definition in `cuda_fp16.h` and `cuda_bf16.h`. 4/4
struct alignas(4) __half2 {
    unsigned short x, y;
};
struct alignas(4) __nv_bfloat162 {
    unsigned short x, y;
};
ECHO_STRUCT(half2, __half2)
ECHO_STRUCT(bfloat162, __nv_bfloat162)

// The definition in `cuda_fp8.h`: structs around the bits. 1/1
struct __nv_fp8_e4m3 {
    unsigned char bits;
};
struct __nv_fp8_e5m2 {
    unsigned char bits;
};
ECHO_STRUCT(fp8_e4m3, __nv_fp8_e4m3)
ECHO_STRUCT(fp8_e5m2, __nv_fp8_e5m2)

// A matrix as an array of columns, or of elements.
template <typename T, unsigned int N>
struct Array {
    T elements[N];
};
#define ECHO_ARRAY(name, type, length)                                                           \
    using Array_##name = Array<type, length>;                                                    \
    ECHO_STRUCT(name, Array_##name)

ECHO_ARRAY(columns_float3_3, float3, 3)         // 36/4
ECHO_ARRAY(columns_float4_4, float4, 4)         // 64/16
ECHO_ARRAY(columns_double2_2, double2, 2)       // 32/16
ECHO_ARRAY(columns_double3_3, double3, 3)       // 72/8
ECHO_ARRAY(columns_double4_4, double4_16a, 4)   // 128/16
ECHO_ARRAY(elements_float_4, float, 4)          // 16/4
ECHO_ARRAY(elements_float_6, float, 6)          // 24/4
ECHO_ARRAY(elements_float_9, float, 9)          // 36/4
ECHO_ARRAY(elements_float_16, float, 16)        // 64/4
ECHO_ARRAY(elements_double_9, double, 9)        // 72/8
ECHO_ARRAY(elements_double_16, double, 16)      // 128/8
ECHO_ARRAY(elements_int_3, int, 3)              // 12/4

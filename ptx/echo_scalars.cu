// Each scalar type between two chars.
#include "echo.cuh"

// The half types, declared as in NVIDIA's headers for the ABI: two bytes, aligned to two.
struct __align__(2) __half {
    unsigned short bits;
};
struct __align__(2) __nv_bfloat16 {
    unsigned short bits;
};

ECHO_SCALAR(u8, unsigned char)
ECHO_SCALAR(u16, unsigned short)
ECHO_SCALAR(u32, unsigned int)
ECHO_SCALAR(u64, unsigned long long)
ECHO_SCALAR(u128, unsigned __int128)
ECHO_SCALAR(usize, unsigned long)

ECHO_SCALAR(i8, signed char)
ECHO_SCALAR(i16, short)
ECHO_SCALAR(i32, int)
ECHO_SCALAR(i64, long long)
ECHO_SCALAR(i128, __int128)
ECHO_SCALAR(isize, long)

ECHO_SCALAR(char, char)
ECHO_SCALAR(bool, bool)
ECHO_STRUCT(f16, __half)
ECHO_STRUCT(bf16, __nv_bfloat16)
ECHO_SCALAR(f32, float)
ECHO_SCALAR(f64, double)

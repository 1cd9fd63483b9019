// How an echo kernel answers. Each is named `echo...`, its first parameter is
// `unsigned char* out`, and it copies every following parameter, byte for byte and with
// padding, to `out`: in order, one directly after another. One thread does this.
//
// A struct or a vector is `BY_VALUE(type)`: the compiler then reads the parameter bank itself.
// The compiler may copy a plain parameter field by field, without the padding.
// A scalar or a pointer is a plain parameter: with `__grid_constant__`, the PTX would
// declare it as bytes, and its class (`.u32`, `.f64`...) would be lost.
#pragma once

#define BY_VALUE(type) const __grid_constant__ type

template <typename T>
__device__ __forceinline__ void put(unsigned char*& out, const T& value)
{
    // A C cast: it removes `restrict`, which reinterpret_cast keeps.
    const unsigned char* bytes = (const unsigned char*)&value;
    if constexpr (sizeof(T) <= 256) {
#pragma unroll
        for (unsigned int i = 0; i < sizeof(T); ++i) {
            out[i] = bytes[i];
        }
    } else {
#pragma unroll 1
        for (unsigned int i = 0; i < sizeof(T); ++i) {
            out[i] = bytes[i];
        }
    }
    out += sizeof(T);
}

template <typename... T>
__device__ __forceinline__ void echo(unsigned char* out, const T&... values)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        (put(out, values), ...);
    }
}

// Kernels that echo one value between two chars, to detect any wrong offset.
#define ECHO(name, parameter)                                                                    \
    extern "C" __global__ void echo_##name(                                                      \
        unsigned char* out, char before, parameter value, char after)                            \
    {                                                                                            \
        echo(out, before, value, after);                                                         \
    }
#define ECHO_SCALAR(name, type) ECHO(name, type)
#define ECHO_STRUCT(name, type) ECHO(name, BY_VALUE(type))

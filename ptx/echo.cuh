// How an echo kernel answers. Each is named `echo...`, its first parameter is
// `unsigned char* out`, and it copies every following parameter, byte for byte and padding
// included, to `out`: in order, tightly one after another. One thread does it.
//
// A struct or a vector is `BY_VALUE(type)`: the compiler then reads the parameter bank itself.
// From a plain parameter it may first make a copy, field by field, which leaves the padding
// behind. A scalar or a pointer is a plain parameter: `__grid_constant__` would make the PTX
// declare it as bytes, and its class (`.u32`, `.f64`...) would be lost.
#pragma once

#define BY_VALUE(type) const __grid_constant__ type

template <typename T>
__device__ __forceinline__ void put(unsigned char*& out, const T& value)
{
    // A cast of C: it takes away `restrict`, which reinterpret_cast keeps.
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

// Kernels that echo one value between two chars: any offset that is wrong shows.
#define ECHO(name, parameter)                                                                    \
    extern "C" __global__ void echo_##name(                                                      \
        unsigned char* out, char before, parameter value, char after)                            \
    {                                                                                            \
        echo(out, before, value, after);                                                         \
    }
#define ECHO_SCALAR(name, type) ECHO(name, type)
#define ECHO_STRUCT(name, type) ECHO(name, BY_VALUE(type))

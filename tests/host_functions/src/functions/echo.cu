// Functions with arguments of every kind, whose kernels write them to memory.
#include "params.h"
#include <cuda_fp16.h>

namespace {

template <typename T>
__device__ void put(unsigned char*& to, T value) {
    memcpy(to, &value, sizeof value);
    to += 16;
}

__global__ void scalars(
    unsigned char* to, bool a, char b, signed char c, unsigned char d, short e, unsigned short f, int g, unsigned h, long long i, unsigned long long j,
    float k, double l, __half m
) {
    put(to, a), put(to, b), put(to, c), put(to, d), put(to, e), put(to, f), put(to, g);
    put(to, h), put(to, i), put(to, j), put(to, k), put(to, l), put(to, m);
}

__global__ void structs(unsigned char* to, Small small, Params params, Mode mode, size_t count) {
    put(to, small.x), put(to, small.y), put(to, params.scale), put(to, params.small[1].y), put(to, params.mode);
    put(to, mode), put(to, count);
}

} // namespace

extern "C" cudaError_t echo_scalars(
    unsigned char* to, bool a, char b, signed char c, unsigned char d, short e, unsigned short f, int g, unsigned h, long long i, unsigned long long j,
    float k, double l, __half m, cudaStream_t stream
) {
    scalars<<<1, 1, 0, stream>>>(to, a, b, c, d, e, f, g, h, i, j, k, l, m);
    return cudaGetLastError();
}

// The stream is neither the first nor the last argument.
extern "C" int echo_structs(unsigned char* to, Small small, cudaStream_t stream, Params params, Mode mode, size_t count) {
    structs<<<1, 1, 0, stream>>>(to, small, params, mode, count);
    return cudaGetLastError();
}

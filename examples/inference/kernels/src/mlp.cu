// Kernels of a multilayer perceptron, for float, __half and __nv_bfloat16; from sm_89 on also for __nv_fp8_e4m3.
//
// Nine families and one kernel without an element type: `linear_f32`, `linear_f16`, `linear_bf16`, …
// No headers are needed, so NVRTC compiles this as well as nvcc.

// The CUDA types as the headers declare them for the ABI: two bytes, aligned to two.
struct __align__(2) __half {
    unsigned short bits;
};
struct __align__(2) __nv_bfloat16 {
    unsigned short bits;
};

// The type that each family computes with.
__device__ float load(float x) { return x; }
__device__ float load(__half x)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x.bits));
    return value;
}
__device__ float load(__nv_bfloat16 x) { return __uint_as_float((unsigned)x.bits << 16); }

__device__ void store(float* to, float value) { *to = value; }
__device__ void store(__half* to, float value)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"(value));
}
__device__ void store(__nv_bfloat16* to, float value)
{
    // Round to nearest, ties to even; sm_75 has no instruction for this.
    unsigned bits = __float_as_uint(value);
    to->bits = (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

#if __CUDA_ARCH__ >= 890
struct __nv_fp8_e4m3 {
    unsigned char bits;
};
__device__ float load(__nv_fp8_e4m3 x)
{
    unsigned pair;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"((unsigned short)x.bits));
    __half low;
    low.bits = (unsigned short)pair;
    return load(low);
}
__device__ void store(__nv_fp8_e4m3* to, float value)
{
    unsigned short pair;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));
    to->bits = (unsigned char)pair;
}
#endif

// A matrix in row-major order.
struct Matrix {
    unsigned rows;
    unsigned columns;
};

// outputs = inputs * weights^T + bias, for `rows` vectors.
struct Linear {
    unsigned rows;
    unsigned inputs;
    unsigned outputs;
};

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Reduces one value per thread of a block to one value. `scratch` has a float for each thread.
template <typename Combine>
__device__ float reduce(float value, float* scratch, Combine combine)
{
    scratch[threadIdx.x] = value;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            scratch[threadIdx.x] = combine(scratch[threadIdx.x], scratch[threadIdx.x + half]);
        }
        __syncthreads();
    }
    float result = scratch[0];
    __syncthreads();
    return result;
}

__device__ float sum(float value, float* scratch)
{
    return reduce(value, scratch, [](float a, float b) { return a + b; });
}

__device__ float maximum(float value, float* scratch)
{
    return reduce(value, scratch, [](float a, float b) { return fmaxf(a, b); });
}

// Uniform values in [-scale, scale), equal for every element type except for rounding.
template <typename T> __device__ void init(unsigned n, unsigned seed, float scale, T* out)
{
    unsigned i = thread();
    if (i < n) {
        unsigned hash = (i + 1) * 2654435761u ^ seed;
        hash = (hash ^ hash >> 15) * 2246822519u;
        hash = (hash ^ hash >> 13) * 3266489917u;
        hash ^= hash >> 16;
        store(&out[i], scale * ((hash >> 8) * (1.0f / 8388608.0f) - 1.0f));
    }
}

template <typename T> __device__ void widen(unsigned n, T const* in, float* out)
{
    unsigned i = thread();
    if (i < n) {
        out[i] = load(in[i]);
    }
}

// One block for each row.
template <typename T>
__device__ void layer_norm(Matrix shape, float epsilon, T const* in, T* out, float* scratch)
{
    T const* row = in + (size_t)blockIdx.x * shape.columns;
    T* result = out + (size_t)blockIdx.x * shape.columns;
    float total = 0, squares = 0;
    for (unsigned j = threadIdx.x; j < shape.columns; j += blockDim.x) {
        total += load(row[j]);
    }
    float mean = sum(total, scratch) / shape.columns;
    for (unsigned j = threadIdx.x; j < shape.columns; j += blockDim.x) {
        float centred = load(row[j]) - mean;
        squares += centred * centred;
    }
    float scale = rsqrtf(sum(squares, scratch) / shape.columns + epsilon);
    for (unsigned j = threadIdx.x; j < shape.columns; j += blockDim.x) {
        store(&result[j], (load(row[j]) - mean) * scale);
    }
}

template <typename T>
__device__ void linear(Linear shape, T const* in, T const* weights, T const* bias, T* out)
{
    unsigned output = thread(), row = blockIdx.y;
    if (output < shape.outputs && row < shape.rows) {
        float total = load(bias[output]);
        for (unsigned k = 0; k < shape.inputs; ++k) {
            total += load(in[(size_t)row * shape.inputs + k])
                * load(weights[(size_t)output * shape.inputs + k]);
        }
        store(&out[(size_t)row * shape.outputs + output], total);
    }
}

template <typename T> __device__ void relu(unsigned n, T const* in, T* out)
{
    unsigned i = thread();
    if (i < n) {
        store(&out[i], fmaxf(load(in[i]), 0.0f));
    }
}

template <typename T> __device__ void gelu(unsigned n, T const* in, T* out)
{
    unsigned i = thread();
    if (i < n) {
        float x = load(in[i]);
        store(&out[i], 0.5f * x * (1.0f + erff(x * 0.70710678f)));
    }
}

template <typename T> __device__ void scale(unsigned n, float factor, T* values)
{
    unsigned i = thread();
    if (i < n) {
        store(&values[i], factor * load(values[i]));
    }
}

// One block for each row.
template <typename T>
__device__ void softmax(Matrix shape, T const* in, T* out, float* scratch)
{
    T const* row = in + (size_t)blockIdx.x * shape.columns;
    T* result = out + (size_t)blockIdx.x * shape.columns;
    float largest = load(row[0]), total = 0;
    for (unsigned j = threadIdx.x; j < shape.columns; j += blockDim.x) {
        largest = fmaxf(largest, load(row[j]));
    }
    largest = maximum(largest, scratch);
    for (unsigned j = threadIdx.x; j < shape.columns; j += blockDim.x) {
        total += expf(load(row[j]) - largest);
    }
    total = sum(total, scratch);
    for (unsigned j = threadIdx.x; j < shape.columns; j += blockDim.x) {
        store(&result[j], expf(load(row[j]) - largest) / total);
    }
}

// The first column with the largest value of each row.
template <typename T> __device__ void argmax(Matrix shape, T const* in, unsigned* out)
{
    unsigned row = thread();
    if (row < shape.rows) {
        T const* values = in + (size_t)row * shape.columns;
        unsigned best = 0;
        for (unsigned j = 1; j < shape.columns; ++j) {
            best = load(values[j]) > load(values[best]) ? j : best;
        }
        out[row] = best;
    }
}

extern __shared__ float scratch[];

#define FAMILIES(T, S)                                                                             \
    __global__ void init_##S(unsigned n, unsigned seed, float scale, T* out)                       \
    {                                                                                              \
        init(n, seed, scale, out);                                                                 \
    }                                                                                              \
    __global__ void widen_##S(unsigned n, T const* in, float* out) { widen(n, in, out); }          \
    __global__ void layer_norm_##S(Matrix shape, float epsilon, T const* in, T* out)               \
    {                                                                                              \
        layer_norm(shape, epsilon, in, out, scratch);                                              \
    }                                                                                              \
    __global__ void linear_##S(                                                                    \
        Linear shape, T const* in, T const* weights, T const* bias, T* out)                        \
    {                                                                                              \
        linear(shape, in, weights, bias, out);                                                     \
    }                                                                                              \
    __global__ void urelu_##S(unsigned n, T const* in, T* out) { relu(n, in, out); }               \
    __global__ void ugelu_##S(unsigned n, T const* in, T* out) { gelu(n, in, out); }               \
    __global__ void scale_##S(unsigned n, float factor, T* values) { scale(n, factor, values); }   \
    __global__ void softmax_##S(Matrix shape, T const* in, T* out)                                 \
    {                                                                                              \
        softmax(shape, in, out, scratch);                                                          \
    }                                                                                              \
    __global__ void argmax_##S(Matrix shape, T const* in, unsigned* out) { argmax(shape, in, out); }

FAMILIES(float, f32)
FAMILIES(__half, f16)
FAMILIES(__nv_bfloat16, bf16)
#if __CUDA_ARCH__ >= 890
FAMILIES(__nv_fp8_e4m3, f8_e4m3)
#endif

// Counts the predictions that are equal in two runs.
__global__ void agreement(unsigned n, unsigned const* a, unsigned const* b, unsigned* same)
{
    unsigned i = thread();
    if (i < n && a[i] == b[i]) {
        atomicAdd(same, 1);
    }
}

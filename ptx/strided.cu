// y = 2 x for a tensor with any strides: the lengths and strides of its dimensions reach the kernel in three ways.

typedef unsigned long long size;

// The offset of the element with this number, in a tensor whose lengths and strides are given.
template <typename Dims>
__device__ __forceinline__ size offset(size element, size dimensions, const Dims& lengths, const Dims& strides)
{
    size at = 0;
    for (size i = 0; i < dimensions; ++i) {
        size dimension = dimensions - 1 - i;
        at += element % lengths[dimension] * strides[dimension];
        element /= lengths[dimension];
    }
    return at;
}

__device__ __forceinline__ size element()
{
    return (size)blockIdx.x * blockDim.x + threadIdx.x;
}

// In device memory, where the host must copy them before each launch.
extern "C" __global__ void strided_uploaded(size n, size dimensions, const size* dims, const float* x, float* y)
{
    if (size i = element(); i < n) {
        const size* strides = dims + dimensions;
        y[i] = 2 * x[offset(i, dimensions, dims, strides)];
    }
}

// By value: for at most 4 dimensions.
struct Dims {
    size lengths[4];
    size strides[4];
};
extern "C" __global__ void strided_by_value(size n, size dimensions, const __grid_constant__ Dims dims, const float* x, float* y)
{
    if (size i = element(); i < n) {
        y[i] = 2 * x[offset(i, dimensions, dims.lengths, dims.strides)];
    }
}

// As separate parameters: for exactly 3 dimensions.
extern "C" __global__ void strided_spread(
    size n, size length_0, size length_1, size length_2, size stride_0, size stride_1, size stride_2, const float* x, float* y)
{
    if (size i = element(); i < n) {
        const size lengths[] = {length_0, length_1, length_2}, strides[] = {stride_0, stride_1, stride_2};
        y[i] = 2 * x[offset(i, 3, lengths, strides)];
    }
}

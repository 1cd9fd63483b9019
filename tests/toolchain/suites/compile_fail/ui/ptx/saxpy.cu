#include <cstdint>

// y = alpha * x + y
extern "C" __global__ void saxpy(unsigned n, float alpha, float const* x, float* y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += alpha * x[i];
}

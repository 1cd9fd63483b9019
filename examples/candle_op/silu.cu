extern "C" __global__ void silu(unsigned n, const float* x, float* y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] / (1 + expf(-x[i]));
}

extern "C" __global__ void silu_backward(unsigned n, const float* x, const float* dy, float* dx)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float s = 1 / (1 + expf(-x[i]));
        dx[i] = dy[i] * s * (1 + x[i] * (1 - s));
    }
}

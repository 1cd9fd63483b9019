extern "C" __global__ void mean(float const* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = x[i] + x[i + 1] + x[i + 2];
        y[i] = sum / 3;
    }
}

extern "C" __global__ void sum(float const* x, float* out) {
    __shared__ float part[256];
    part[threadIdx.x] = x[threadIdx.x]; __syncthreads();
    for (unsigned half = 128; half > 0; half /= 2)
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    if (threadIdx.x == 0) *out = part[0];
}

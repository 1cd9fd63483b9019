extern "C" __global__ void shared(float* out) {
    __shared__ float tile[64];
    tile[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// A kernel that needs more registers than a block of 1024 threads can have: 64 each.

extern "C" __global__ void hungry(float* out)
{
    // All of these are alive at once: each is computed before the first is used.
    float values[160];
#pragma unroll
    for (int i = 0; i < 160; ++i) {
        values[i] = out[(threadIdx.x + 7 * i) & 1023];
    }
    __syncthreads();
    float product = 1.0f;
#pragma unroll
    for (int i = 159; i >= 0; --i) {
        product = product * values[i] + values[(i * 37) % 160];
    }
    out[threadIdx.x] = product;
}

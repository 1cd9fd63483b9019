// The sum of `in`, added to `*out`. Each block sums its share in dynamic shared memory
// (4 bytes for each thread of the block) and adds its sum to `*out` atomically.
//
// The block's size must be a power of two. `*out` is not cleared first.

extern __shared__ float partial[];

extern "C" __global__ void reduce_sum(const float* in, float* out, unsigned int n)
{
    // A stride over the whole grid: any number of blocks works for any `n`. 64 bits,
    // because the last stride may exceed 2^32.
    float sum = 0.0f;
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += stride) {
        sum += in[i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();

    for (unsigned int half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            partial[threadIdx.x] += partial[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        atomicAdd(out, partial[0]);
    }
}

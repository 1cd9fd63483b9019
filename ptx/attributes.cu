// Kernels that show the effect of a launch attribute on every GPU. Kernels for sm_90 are in attributes_sm90.cu.

__device__ unsigned long long now()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

// Every block waits for all blocks, and records how many had arrived when it continued: the number of blocks, or fewer
// after a timeout of two seconds. Blocks that do not run at the same time cannot pass.
extern "C" __global__ void grid_barrier(unsigned* arrived, unsigned* seen)
{
    if (threadIdx.x != 0) return;
    unsigned blocks = gridDim.x;
    __threadfence();
    atomicAdd(arrived, 1u);
    unsigned long long begin = now();
    unsigned count;
    do {
        count = atomicAdd(arrived, 0u);
    } while (count < blocks && now() - begin < 2000000000ull);
    seen[blockIdx.x] = count;
}

// Keeps one block busy for some time, and records when it began and ended.
extern "C" __global__ void busy(unsigned long long* times, unsigned long long nanoseconds)
{
    unsigned long long begin = now(), end;
    do {
        end = now();
    } while (end - begin < nanoseconds);
    times[0] = begin;
    times[1] = end;
}

// Static shared memory and constant memory, for queries about a kernel.
__constant__ float weights[256];

extern "C" __global__ void __launch_bounds__(256) uses(float* out)
{
    __shared__ float tile[256];
    tile[threadIdx.x] = weights[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[255 - threadIdx.x];
}

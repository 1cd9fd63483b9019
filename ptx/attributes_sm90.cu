// Kernels that show the effect of a launch attribute on sm_90 and newer.

__device__ unsigned long long now()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

// For each block: its rank in its cluster, and the blocks of the cluster.
extern "C" __global__ void cluster_ranks(uint2* ranks)
{
    if (threadIdx.x != 0) return;
    uint2 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank.x));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(rank.y));
    ranks[(blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x] = rank;
}

// The same, for clusters of exactly (2, 1, 1), and for clusters of at most 4 blocks.
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_of_two(uint2* ranks)
{
    if (threadIdx.x != 0) return;
    uint2 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank.x));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(rank.y));
    ranks[blockIdx.x] = rank;
}

extern "C" __global__ void __launch_bounds__(128, 1, 4) clusters_up_to_four(uint2* ranks)
{
    if (threadIdx.x != 0) return;
    uint2 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank.x));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(rank.y));
    ranks[blockIdx.x] = rank;
}

// Permits a dependent kernel to begin, and then continues for some time.
extern "C" __global__ void primary(unsigned long long* times, unsigned long long nanoseconds)
{
    unsigned long long begin = now(), end;
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    do {
        end = now();
    } while (end - begin < nanoseconds);
    times[0] = begin;
    times[1] = end;
}

// Records its start time, and the time when the previous kernel had ended.
extern "C" __global__ void dependent(unsigned long long* times)
{
    unsigned long long begin = now();
    asm volatile("griddepcontrol.wait;" ::: "memory");
    times[2] = begin;
    times[3] = now();
}

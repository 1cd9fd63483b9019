// The kernels of the readers' tests. nvcc 13.0.88 builds the other files in this folder from this one:
//   nvcc -ptx   -arch=compute_75 kernels.cu -o kernels.ptx
//   nvcc -cubin -arch=sm_75      kernels.cu -o kernels.sm_75.cubin
//   nvcc -cubin -arch=sm_100     kernels.cu -o kernels.sm_100.cubin
//   nvcc -cubin -arch=sm_90      -DLARGE kernels.cu -o large.sm_90.cubin
// and, for M = none, speed (LZ4) and size (Zstandard):
//   nvcc -fatbin -DONE --compress-mode=M -gencode arch=compute_75,code=[sm_75,compute_75] kernels.cu -o one.M.fatbin
// and, for the targets of its members:
//   nvcc -fatbin -DONE --compress-mode=size -gencode arch=compute_90a,code=[sm_90a,compute_90a]
//        -gencode arch=compute_100f,code=[sm_100f,compute_100f] -gencode arch=compute_80,code=[sm_80,lto_80] kernels.cu -o targets.fatbin

#if !defined(ONE) && !defined(LARGE)
__device__ __noinline__ float helper(float a, float x) { return a * x; }

__global__ void saxpy(int n, float a, float const* x, float* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += helper(a, x[i]);
}

template <typename T, int N>
__global__ void fill(T* out, T value) { out[threadIdx.x] = value + T(N); }
template __global__ void fill<float, 4>(float*, float);

extern "C" __global__ void nothing() {}

namespace sim {
struct Params { double dt; int steps; };
struct alignas(64) Line { char bytes[64]; };
__global__ void step(Params p, unsigned char flag, Line line, int* out) { *out = p.steps + flag + line.bytes[3]; }
}
#endif

#ifndef LARGE
extern "C" __global__ void __launch_bounds__(128, 2) plain(char c, float4 v, double* out) { *out = c + v.x; }
#endif

#ifdef LARGE
// More than 4,352 bytes: the cubin uses the second kind of records.
struct Big { int values[1090]; };
__global__ void large(Big big, bool b, int* out) { *out = big.values[threadIdx.x] + b; }
#endif

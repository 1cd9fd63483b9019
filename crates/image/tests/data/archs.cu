// Kernels that only code for some GPUs has: archs.fatbin, by
// nvcc -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90 -no-compress -fatbin
#if __CUDA_ARCH__ >= 890
extern "C" __global__ void newer(float* x) { x[threadIdx.x] += 1; }
#endif
extern "C" __global__ void both(float* x) { x[threadIdx.x] *= 2; }
#if __CUDA_ARCH__ < 890
extern "C" __global__ void older(float* x) { x[threadIdx.x] -= 1; }
#endif

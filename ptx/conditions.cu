// Kernels that set the condition of a conditional node (CUDA Runtime API, "Graph Management"). The function is part of the driver:
// PTX declares it, and needs no library.

typedef unsigned long long cudaGraphConditionalHandle;

// The declaration in cuda_device_runtime_api.h, which NVRTC does not have.
extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);

extern "C" __global__ void set_condition(cudaGraphConditionalHandle condition, unsigned int value)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        cudaGraphSetConditional(condition, value);
    }
}

// Subtracts 1 from `counter`, and sets the condition to the result.
extern "C" __global__ void count_down(cudaGraphConditionalHandle condition, unsigned int* counter)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        cudaGraphSetConditional(condition, --*counter);
    }
}

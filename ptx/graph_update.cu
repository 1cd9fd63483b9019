// A kernel that updates a parameter of a different, device-updatable node of its graph (CUDA Runtime API, "Graph
// Management"). The function is part of the driver: PTX declares it, and needs no library.

struct CUgraphDeviceUpdatableNode_st;
typedef CUgraphDeviceUpdatableNode_st* cudaGraphDeviceNode_t;

// The declaration in cuda_device_runtime_api.h, which NVRTC does not have; the result is a cudaError_t.
extern "C" __device__ int cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node, unsigned long long offset,
                                                      const void* value, unsigned long long size);

// Writes `value` to the parameter at `offset` of `node`, and the returned code to `result`.
extern "C" __global__ void update_param(cudaGraphDeviceNode_t node, unsigned long long offset, float value, int* result)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *result = cudaGraphKernelNodeSetParam(node, offset, &value, sizeof(value));
    }
}

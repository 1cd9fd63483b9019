// A kernel that updates a parameter of another node of its graph, which is device-updatable (CUDA Runtime API, "Graph
// Management"). The function is part of the driver: PTX declares it, and needs no other library.

struct CUgraphDeviceUpdatableNode_st;
typedef CUgraphDeviceUpdatableNode_st* cudaGraphDeviceNode_t;

// As cuda_device_runtime_api.h declares it, which NVRTC does not have; the result is a cudaError_t.
extern "C" __device__ int cudaGraphKernelNodeSetParam(cudaGraphDeviceNode_t node, unsigned long long offset,
                                                      const void* value, unsigned long long size);

// Writes `value` to the parameter at `offset` of `node`, and what that returned to `result`.
extern "C" __global__ void update_param(cudaGraphDeviceNode_t node, unsigned long long offset, float value, int* result)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *result = cudaGraphKernelNodeSetParam(node, offset, &value, sizeof(value));
    }
}

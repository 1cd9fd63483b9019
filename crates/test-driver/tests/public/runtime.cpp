// The functions of CUDA's runtime that the public programs use, as calls of the driver: NVIDIA's own runtime needs tables of its driver that are
// not documented. It opens libcuda.so.1 when the first function is called.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace {

template <typename Function> Function symbol(const char* name) {
    static void* library = dlopen("libcuda.so.1", RTLD_NOW);
    void* found = library ? dlsym(library, name) : nullptr;
    if (!found) {
        fprintf(stderr, "libcuda.so.1 has no %s\n", name);
        exit(3);
    }
    return reinterpret_cast<Function>(found);
}

#define STRING(x) #x
#define NAME(x) STRING(x)
// A call of the driver by the name that cuda.h gives it, with its suffix. The result is also the runtime's code: those used here are equal.
#define DRIVER(name, ...) kept(static_cast<cudaError_t>(symbol<decltype(&name)>(NAME(name))(__VA_ARGS__)))

thread_local cudaError_t last = cudaSuccess;

cudaError_t kept(cudaError_t error) {
    if (error != cudaSuccess) last = error;
    return error;
}

struct FatBinary {
    const void* image;
    CUmodule module = nullptr;
};
struct Kernel {
    FatBinary* binary;
    std::string name;
    CUfunction function = nullptr;
};
struct Variable {
    FatBinary* binary;
    std::string name;
};
struct Configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};

std::map<const void*, Kernel>& kernels() {
    static std::map<const void*, Kernel> all;
    return all;
}
std::map<const void*, Variable>& variables() {
    static std::map<const void*, Variable> all;
    return all;
}
thread_local std::vector<Configuration> configurations;

cudaError_t start() {
    static cudaError_t started = [] {
        CUcontext context;
        CUdevice device;
        cudaError_t error = DRIVER(cuInit, 0);
        if (!error) error = DRIVER(cuDeviceGet, &device, 0);
        if (!error) error = DRIVER(cuDevicePrimaryCtxRetain, &context, device);
        if (!error) error = DRIVER(cuCtxSetCurrent, context);
        return error;
    }();
    return started;
}

cudaError_t loaded(FatBinary* binary) {
    cudaError_t error = start();
    if (!error && !binary->module) error = DRIVER(cuModuleLoadData, &binary->module, binary->image);
    return error;
}

cudaError_t loaded(const void* host, Kernel** kernel) {
    auto found = kernels().find(host);
    if (found == kernels().end()) return kept(cudaErrorInvalidDeviceFunction);
    *kernel = &found->second;
    cudaError_t error = loaded((*kernel)->binary);
    if (!error && !(*kernel)->function)
        error = DRIVER(cuModuleGetFunction, &(*kernel)->function, (*kernel)->binary->module, (*kernel)->name.c_str());
    return error;
}

cudaError_t address(const void* host, CUdeviceptr* address) {
    auto found = variables().find(host);
    if (found == variables().end()) return kept(cudaErrorInvalidSymbol);
    cudaError_t error = loaded(found->second.binary);
    size_t size;
    return error ? error : DRIVER(cuModuleGetGlobal, address, &size, found->second.binary->module, found->second.name.c_str());
}

CUdeviceptr device(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
CUstream stream_of(cudaStream_t stream) { return reinterpret_cast<CUstream>(stream); }
CUevent event_of(cudaEvent_t event) { return reinterpret_cast<CUevent>(event); }

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
    struct Wrapper { int magic, version; const void* data; void* more; };
    return reinterpret_cast<void**>(new FatBinary{static_cast<Wrapper*>(wrapper)->data});
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterFunction(void** binary, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
    kernels()[host] = Kernel{reinterpret_cast<FatBinary*>(binary), name};
}
void __cudaRegisterVar(void** binary, char* host, char*, const char* name, int, size_t, int, int) {
    variables()[host] = Variable{reinterpret_cast<FatBinary*>(binary), name};
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st* stream) {
    configurations.push_back({grid, block, shared, stream});
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    if (configurations.empty()) return kept(cudaErrorMissingConfiguration);
    Configuration top = configurations.back();
    configurations.pop_back();
    *grid = top.grid;
    *block = top.block;
    *shared = top.shared;
    *static_cast<cudaStream_t*>(stream) = top.stream;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
    *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
    return cudaSuccess;
}
cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {
    Kernel* kernel;
    cudaError_t error = loaded(host, &kernel);
    if (error) return error;
    return DRIVER(cuLaunchKernel, kernel->function, grid.x, grid.y, grid.z, block.x, block.y, block.z, static_cast<unsigned>(shared), stream_of(stream), arguments, nullptr);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream) {
    return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}
cudaError_t cudaFuncSetAttribute(const void* host, cudaFuncAttribute attribute, int value) {
    Kernel* kernel;
    cudaError_t error = loaded(host, &kernel);
    return error ? error : DRIVER(cuFuncSetAttribute, kernel->function, static_cast<CUfunction_attribute>(attribute), value);
}
cudaError_t cudaFuncSetCacheConfig(const void*, cudaFuncCache) { return cudaSuccess; }

cudaError_t cudaMalloc(void** pointer, size_t size) {
    CUdeviceptr at = 0;
    cudaError_t error = start();
    if (!error && size) error = DRIVER(cuMemAlloc, &at, size);
    *pointer = reinterpret_cast<void*>(at);
    return error;
}
cudaError_t cudaFree(void* pointer) {
    cudaError_t error = start();
    return error || !pointer ? error : DRIVER(cuMemFree, device(pointer));
}
cudaError_t cudaHostAlloc(void** pointer, size_t size, unsigned flags) {
    cudaError_t error = start();
    return error ? error : DRIVER(cuMemHostAlloc, pointer, size, flags);
}
cudaError_t cudaMallocHost(void** pointer, size_t size) { return cudaHostAlloc(pointer, size, 0); }
cudaError_t cudaFreeHost(void* pointer) { return DRIVER(cuMemFreeHost, pointer); }
cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    cudaError_t error = start();
    return error ? error : DRIVER(cuMemGetInfo, free, total);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t size, cudaMemcpyKind kind, cudaStream_t stream) {
    cudaError_t error = start();
    if (error || !size) return error;
    switch (kind) {
    case cudaMemcpyHostToHost: memcpy(to, from, size); return cudaSuccess;
    case cudaMemcpyHostToDevice: return DRIVER(cuMemcpyHtoDAsync, device(to), from, size, stream_of(stream));
    case cudaMemcpyDeviceToHost: return DRIVER(cuMemcpyDtoHAsync, to, device(from), size, stream_of(stream));
    case cudaMemcpyDeviceToDevice: return DRIVER(cuMemcpyDtoDAsync, device(to), device(from), size, stream_of(stream));
    default: return DRIVER(cuMemcpyAsync, device(to), device(from), size, stream_of(stream));
    }
}
cudaError_t cudaDeviceSynchronize(void) {
    cudaError_t error = start();
    return error ? error : DRIVER(cuCtxSynchronize);
}
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    cudaError_t error = start();
    return error ? error : DRIVER(cuStreamSynchronize, stream_of(stream));
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind kind) {
    cudaError_t error = cudaMemcpyAsync(to, from, size, kind, nullptr);
    return error ? error : cudaStreamSynchronize(nullptr);
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t size, cudaStream_t stream) {
    cudaError_t error = start();
    return error || !size ? error : DRIVER(cuMemsetD8Async, device(to), static_cast<unsigned char>(value), size, stream_of(stream));
}
cudaError_t cudaMemset(void* to, int value, size_t size) { return cudaMemsetAsync(to, value, size, nullptr); }
cudaError_t cudaMemcpyToSymbol(const void* host, const void* from, size_t size, size_t offset, cudaMemcpyKind kind) {
    CUdeviceptr at;
    cudaError_t error = address(host, &at);
    return error ? error : cudaMemcpy(reinterpret_cast<void*>(at + offset), from, size, kind);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* host, size_t size, size_t offset, cudaMemcpyKind kind) {
    CUdeviceptr at;
    cudaError_t error = address(host, &at);
    return error ? error : cudaMemcpy(to, reinterpret_cast<void*>(at + offset), size, kind);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* host) { return address(host, reinterpret_cast<CUdeviceptr*>(pointer)); }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
    cudaError_t error = start();
    return error ? error : DRIVER(cuStreamCreate, reinterpret_cast<CUstream*>(stream), flags);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return DRIVER(cuStreamDestroy, stream_of(stream)); }
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    cudaError_t error = start();
    return error ? error : DRIVER(cuEventCreate, reinterpret_cast<CUevent*>(event), 0);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return DRIVER(cuEventRecord, event_of(event), stream_of(stream)); }
cudaError_t cudaEventSynchronize(cudaEvent_t event) { return DRIVER(cuEventSynchronize, event_of(event)); }
cudaError_t cudaEventElapsedTime(float* time, cudaEvent_t from, cudaEvent_t to) { return DRIVER(cuEventElapsedTime, time, event_of(from), event_of(to)); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return DRIVER(cuEventDestroy, event_of(event)); }

cudaError_t cudaGetDeviceCount(int* count) {
    cudaError_t error = start();
    return error ? error : DRIVER(cuDeviceGetCount, count);
}
cudaError_t cudaSetDevice(int) { return start(); }
cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return start();
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    cudaError_t error = start();
    return error ? error : DRIVER(cuDeviceGetAttribute, value, static_cast<CUdevice_attribute>(attribute), device);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    memset(properties, 0, sizeof *properties);
    cudaError_t error = start();
    if (!error) error = DRIVER(cuDeviceGetName, properties->name, sizeof properties->name, device);
    auto get = [&](cudaDeviceAttr attribute) {
        int value = 0;
        if (!error) error = cudaDeviceGetAttribute(&value, attribute, device);
        return value;
    };
    properties->major = get(cudaDevAttrComputeCapabilityMajor);
    properties->minor = get(cudaDevAttrComputeCapabilityMinor);
    properties->multiProcessorCount = get(cudaDevAttrMultiProcessorCount);
    properties->maxThreadsPerBlock = get(cudaDevAttrMaxThreadsPerBlock);
    properties->sharedMemPerBlock = get(cudaDevAttrMaxSharedMemoryPerBlock);
    properties->warpSize = get(cudaDevAttrWarpSize);
    return error;
}
cudaError_t cudaDeviceReset(void) { return cudaSuccess; }
cudaError_t cudaGetLastError(void) {
    cudaError_t error = last;
    last = cudaSuccess;
    return error;
}
cudaError_t cudaPeekAtLastError(void) { return last; }
const char* cudaGetErrorString(cudaError_t error) {
    const char* text = "an unknown error";
    symbol<decltype(&cuGetErrorString)>("cuGetErrorString")(static_cast<CUresult>(error), &text);
    return text;
}
const char* cudaGetErrorName(cudaError_t error) { return cudaGetErrorString(error); }

}  // extern "C"

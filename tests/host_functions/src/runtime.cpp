// The part of the CUDA runtime that nvcc's host code calls, for the test driver: NVIDIA's runtime needs a driver with undocumented functions.

#include <cstddef>
#include <dlfcn.h>
#include <map>

namespace {

struct dim3 {
    unsigned x, y, z;
};

struct Kernel {
    void** binary;
    const char* name;
};

struct Configuration {
    dim3 grid, block;
    size_t shared;
    void* stream;
};

std::map<const void*, Kernel>& kernels() {
    static std::map<const void*, Kernel> all;
    return all;
}

thread_local Configuration configuration;
thread_local int last;

template <typename Function>
Function driver(const char* name) {
    static void* library = dlopen("libcuda.so.1", RTLD_NOW);
    return reinterpret_cast<Function>(dlsym(library, name));
}

int load(const Kernel& kernel, void** function) {
    static std::map<void**, void*> modules;
    void*& module = modules[kernel.binary];
    if (!module) {
        // Of the wrapper, the third field is the fat binary.
        int status = driver<int (*)(void**, const void*)>("cuModuleLoadData")(&module, kernel.binary[1]);
        if (status) return status;
    }
    return driver<int (*)(void**, void*, const char*)>("cuModuleGetFunction")(function, module, kernel.name);
}

} // namespace

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) { return static_cast<void**>(wrapper); }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }

void __cudaRegisterFunction(void** binary, const char* host, char*, const char* name, int, void*, void*, dim3*, dim3*, int*) {
    kernels()[host] = {binary, name};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
    configuration = {grid, block, shared, stream};
    return 0;
}

int __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
    *grid = configuration.grid;
    *block = configuration.block;
    *shared = configuration.shared;
    *static_cast<void**>(stream) = configuration.stream;
    return 0;
}

int __cudaGetKernel(Kernel** kernel, const void* host) {
    *kernel = &kernels()[host];
    return 0;
}

int __cudaLaunchKernel(Kernel* kernel, dim3 grid, dim3 block, void** args, size_t shared, void* stream) {
    using Launch = int (*)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
    void* function = nullptr;
    last = load(*kernel, &function);
    if (!last) {
        auto launch = driver<Launch>("cuLaunchKernel");
        last = launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream, args, nullptr);
    }
    return last;
}

int cudaGetLastError() {
    int status = last;
    last = 0;
    return status;
}

}

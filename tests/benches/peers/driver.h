// The driver's functions, loaded from libcuda at run time like in cudarc.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include "rounds.h"

// Macros of cuda.h select the version of some names; QUOTE expands them.
#define QUOTE(name) QUOTE_EXPANDED(name)
#define QUOTE_EXPANDED(name) #name
#define FUNCTION(name) decltype(&::name) name##_ = reinterpret_cast<decltype(&::name)>(symbol(QUOTE(name)))

struct Driver {
    void* library = open();
    FUNCTION(cuInit);
    FUNCTION(cuDeviceGet);
    FUNCTION(cuDevicePrimaryCtxRetain);
    FUNCTION(cuCtxSetCurrent);
    FUNCTION(cuCtxSynchronize);
    FUNCTION(cuModuleLoad);
    FUNCTION(cuModuleGetFunction);
    FUNCTION(cuLaunchKernel);
    FUNCTION(cuLaunchKernelEx);
    FUNCTION(cuGraphCreate);
    FUNCTION(cuGraphAddKernelNode);
    FUNCTION(cuGraphInstantiateWithFlags);
    FUNCTION(cuGraphExecKernelNodeSetParams);
    FUNCTION(cuGraphLaunch);

    CUmodule module = nullptr;

    // The primary context of the first device, and the kernels.
    explicit Driver(const char* image)
    {
        CUdevice device = 0;
        CUcontext context = nullptr;
        check("cuInit", cuInit_(0));
        check("cuDeviceGet", cuDeviceGet_(&device, 0));
        check("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain_(&context, device));
        check("cuCtxSetCurrent", cuCtxSetCurrent_(context));
        check("cuModuleLoad", cuModuleLoad_(&module, image));
    }

    CUfunction function(const char* name)
    {
        CUfunction function = nullptr;
        check(name, cuModuleGetFunction_(&function, module, name));
        return function;
    }

    void synchronize() { check("cuCtxSynchronize", cuCtxSynchronize_()); }

    static void check(const char* what, CUresult status)
    {
        if (status != CUDA_SUCCESS)
            fail(what, status);
    }

private:
    static void* open()
    {
        void* library = dlopen("libcuda.so.1", RTLD_NOW);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
            exit(1);
        }
        return library;
    }

    void* symbol(const char* name)
    {
        void* symbol = dlsym(library, name);
        if (!symbol) {
            fprintf(stderr, "%s\n", dlerror());
            exit(1);
        }
        return symbol;
    }
};

// Kernels that fail on the device, each in a different way, to test the driver's error texts.

extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, size_t);

extern "C" __global__ void invalid_address(int* out)
{
    *reinterpret_cast<volatile int*>(0x10) = *out;
}

extern "C" __global__ void misaligned_address(int* out)
{
    *reinterpret_cast<volatile int*>(reinterpret_cast<char*>(out) + 1) = 1;
}

extern "C" __global__ void trap(int* out)
{
    *out = 1;
    __trap();
}

extern "C" __global__ void assertion(int* out)
{
    if (*out == 0) {
        __assertfail("*out != 0", "faulty.cu", __LINE__, "assertion", 1);
    }
}

extern "C" __global__ void invalid_jump(int* out)
{
    void (*volatile function)(int*) = reinterpret_cast<void (*)(int*)>(0x123450);
    function(out);
}

__device__ __noinline__ int deeper(int* out, int depth)
{
    volatile int frame[64];
    frame[depth & 63] = *out;
    return depth < 0 ? 0 : deeper(out, depth + 1) + frame[(depth + 1) & 63];
}

extern "C" __global__ void stack_overflow(int* out)
{
    *out = deeper(out, 0);
}

// More local memory than the GPU has for the threads that it can run at once.
extern "C" __global__ void local_memory(int* out)
{
    volatile char local[400 * 1024];
    for (int i = 0; i < 400 * 1024; i += 64) {
        local[i + (*out & 63)] = i;
    }
    *out = local[*out & 0xffff];
}

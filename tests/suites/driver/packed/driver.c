// A driver whose kernels are known, for the test of packed.c: a launch prints which function was called, the kernel and its parameters.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef unsigned U;
enum { SUCCESS = 0, INVALID_VALUE = 1, INVALID_HANDLE = 400, NOT_FOUND = 500, UNKNOWN = 999, KERNELS = 6 };

// A function is a number of a kernel here. The parameters of the last one are known to cuKernelGetParamInfo only.
static const struct {
    U status;
    size_t count, offset[3], size[3];
} KERNEL[1 + KERNELS] = {
    [1] = {SUCCESS, 3, {0, 8, 16}, {1, 8, 4}}, // as the rule places them
    [2] = {SUCCESS, 2, {0, 12}, {4, 4}},       // at a place that no alignment of the second one explains
    [3] = {SUCCESS, 2, {0, 32}, {1, 32}},      // an alignment of 32
    [4] = {SUCCESS, 0, {0}, {0}},
    [5] = {UNKNOWN, 0, {0}, {0}},
    [6] = {INVALID_HANDLE, 1, {0}, {2}},
};

static U info(U status, void *function, size_t index, size_t *offset, size_t *size) {
    size_t kernel = (uintptr_t)function;
    if (status) return status;
    if (index >= KERNEL[kernel].count) return INVALID_VALUE;
    *offset = KERNEL[kernel].offset[index], *size = KERNEL[kernel].size[index];
    return SUCCESS;
}

U cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size) {
    return info(KERNEL[(uintptr_t)function].status, function, index, offset, size);
}

U cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *size) {
    U status = KERNEL[(uintptr_t)kernel].status;
    return info(status == INVALID_HANDLE ? SUCCESS : status, kernel, index, offset, size);
}

static U show(const char *function, void *kernel, void **params, void **extra) {
    printf("%s %zu ", function, (size_t)(uintptr_t)kernel);
    if (extra) {
        const unsigned char *buffer = extra[1];
        for (size_t i = 0, size = *(size_t *)extra[3]; i < size; i++) printf("%02x", buffer[i]);
    }
    printf(params ? "kernelParams\n" : "\n");
    return SUCCESS;
}

#define LAUNCH(NAME)                                                                                                                    \
    U NAME(void *f, U gx, U gy, U gz, U bx, U by, U bz, U shared, void *stream, void **params, void **extra) {                           \
        (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream;                                         \
        return show(#NAME, f, params, extra);                                                                                           \
    }
LAUNCH(cuLaunchKernel)
LAUNCH(cuLaunchKernel_ptsz)

#define LAUNCH_EX(NAME)                                                                                                                 \
    U NAME(const void *config, void *f, void **params, void **extra) {                                                                   \
        (void)config;                                                                                                                   \
        return show(#NAME, f, params, extra);                                                                                           \
    }
LAUNCH_EX(cuLaunchKernelEx)
LAUNCH_EX(cuLaunchKernelEx_ptsz)

#define COOPERATIVE(NAME)                                                                                                               \
    U NAME(void *f, U gx, U gy, U gz, U bx, U by, U bz, U shared, void *stream, void **params) {                                         \
        (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream;                                         \
        return show(#NAME, f, params, NULL);                                                                                            \
    }
COOPERATIVE(cuLaunchCooperativeKernel)
COOPERATIVE(cuLaunchCooperativeKernel_ptsz)

U cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);

// As in the driver, the name has no suffix: the version and the flags select one of the functions with this name.
U cuGetProcAddress(const char *name, void **found, int version, uint64_t flags) {
    const struct {
        const char *name;
        void *function, *per_thread;
    } functions[] = {
        {"cuLaunchKernel", cuLaunchKernel, cuLaunchKernel_ptsz},
        {"cuLaunchKernelEx", cuLaunchKernelEx, cuLaunchKernelEx_ptsz},
        {"cuLaunchCooperativeKernel", cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz},
        {"cuGetProcAddress", version >= 12000 ? (void *)cuGetProcAddress_v2 : (void *)cuGetProcAddress, NULL},
    };
    *found = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(name, functions[i].name)) *found = flags & 2 ? functions[i].per_thread : functions[i].function;
    return *found ? SUCCESS : NOT_FOUND;
}

U cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags, int *result) {
    U status = cuGetProcAddress(name, found, version, flags);
    *result = status != SUCCESS;
    return status;
}

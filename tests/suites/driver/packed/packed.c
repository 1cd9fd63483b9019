// For LD_PRELOAD: each launch of a program that passes `kernelParams` is made in the packed form instead, with other bytes in the padding
// (CU_LAUNCH_PARAM_BUFFER_POINTER). So the results of a program show whether that form is right for kernels of other authors.
//
// The parameters are placed by the rule of the library: each one directly after the previous one, at the next multiple of its alignment,
// which divides its size; the buffer ends with the last one. If the driver records another place, that is a difference. The library passes
// structs with an alignment above 16 as `kernelParams` only, because their places depend on the GPU. A launch that is not replaced is made
// as the program makes it, and counted. At its end, the program appends a line to the file in KERNEL_ARGS_PACKED.
//
// Programs find the driver's functions in three ways, which all lead here: linked with libcuda, by dlsym, by cuGetProcAddress.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned U;
typedef U Launch(void *, U, U, U, U, U, U, U, void *, void **, void **);
typedef U LaunchEx(const void *, void *, void **, void **);
typedef U Cooperative(void *, U, U, U, U, U, U, U, void *, void **);
typedef U Lookup(const char *, void **, int, uint64_t);
typedef U Lookup2(const char *, void **, int, uint64_t, int *);
typedef U ParamInfo(void *, size_t, size_t *, size_t *);

enum { LAUNCH, LAUNCH_PTSZ, EX, EX_PTSZ, COOPERATIVE, COOPERATIVE_PTSZ, LOOKUP, LOOKUP_2, COUNT };
static const char *const NAMES[COUNT] = {
    "cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchKernelEx", "cuLaunchKernelEx_ptsz",
    "cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel_ptsz", "cuGetProcAddress", "cuGetProcAddress_v2",
};
static void *real[COUNT];

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum { REPLACED, PACKED, EMPTY, COOPERATIVELY, ALIGNED, UNKNOWN, DIFFERENT, WHATS };
static unsigned long long counts[WHATS], bytes, kernels;
static void *seen[1 << 16];

static void *find(void *library, const char *name) {
    static void *(*found)(void *, const char *);
    const char *versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (int i = 0; !found && i < 3; i++) *(void **)&found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return found ? found(library, name) : NULL;
}

static void *real_of(int which) {
    if (!real[which]) real[which] = find(RTLD_NEXT, NAMES[which]);
    return real[which];
}

static void report(void) {
    const char *path = getenv("KERNEL_ARGS_PACKED");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) return;
    fprintf(file, "{\"replaced\": %llu, \"kernels\": %llu, \"bytes\": %llu, \"packed\": %llu, \"without_parameters\": %llu, "
                  "\"cooperative\": %llu, \"aligned_above_16\": %llu, \"unknown\": %llu, \"differences\": %llu}\n",
            counts[REPLACED], kernels, bytes, counts[PACKED], counts[EMPTY], counts[COOPERATIVELY], counts[ALIGNED], counts[UNKNOWN],
            counts[DIFFERENT]);
    fclose(file);
}

static void count(int what, void *function, size_t size) {
    pthread_mutex_lock(&lock);
    static int registered;
    if (!registered++) atexit(report);
    counts[what]++;
    bytes += size;
    if (what == REPLACED) {
        size_t at = ((uintptr_t)function >> 3) % (sizeof seen / sizeof *seen);
        size_t tries = sizeof seen / sizeof *seen;
        while (tries-- && seen[at] && seen[at] != function) at = (at + 1) % (sizeof seen / sizeof *seen);
        if (!seen[at]) seen[at] = function, kernels++;
    }
    pthread_mutex_unlock(&lock);
}

// A function of the library that contains `known`.
static void *beside(void *known, const char *name) {
    Dl_info info;
    if (!dladdr(known, &info)) return NULL;
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return library ? find(library, name) : NULL;
}

// The buffer with the parameters, or null, and its size. The caller frees it.
static unsigned char *pack(void *launch, void *function, void **params, void **extra, size_t *size) {
    enum { INVALID_VALUE = 1, LARGEST = 32764, LARGEST_ALIGN = 16 };
    *size = 0;
    if (!params) {
        count(extra ? PACKED : EMPTY, function, 0);
        return NULL;
    }
    const char *const queries[] = {"cuFuncGetParamInfo", "cuKernelGetParamInfo"};
    unsigned char *buffer = malloc(LARGEST);
    if (!buffer) return NULL;
    int what = UNKNOWN;
    for (int query = 0; query < 2 && what == UNKNOWN; query++) {
        ParamInfo *info = (ParamInfo *)beside(launch, queries[query]);
        size_t end = 0, at, width;
        memset(buffer, 0xa5, LARGEST);
        for (size_t i = 0; info; i++) {
            U status = info(function, i, &at, &width);
            if (status == INVALID_VALUE) what = i ? REPLACED : EMPTY;
            if (status) break;
            // The next place for an alignment that divides the size.
            size_t align = 1;
            while (align < LARGEST_ALIGN && width % (2 * align) == 0 && (end + align - 1) / align * align < at) align *= 2;
            if ((end + align - 1) / align * align != at || at + width > LARGEST || !params[i]) {
                what = align == LARGEST_ALIGN && width % (2 * align) == 0 && at > end ? ALIGNED : DIFFERENT;
                break;
            }
            memcpy(buffer + at, params[i], width);
            end = at + width;
        }
        *size = end;
    }
    count(what, function, what == REPLACED ? *size : 0);
    if (what == REPLACED) return buffer;
    free(buffer);
    return NULL;
}

#define PACKED_FORM(buffer, size) {(void *)1, buffer, (void *)2, &size, NULL}

#define LAUNCH_OF(WHICH, NAME)                                                                                                          \
    U NAME(void *f, U gx, U gy, U gz, U bx, U by, U bz, U shared, void *stream, void **params, void **extra) {                           \
        Launch *launch = (Launch *)real_of(WHICH);                                                                                      \
        size_t size;                                                                                                                    \
        unsigned char *buffer = pack((void *)launch, f, params, extra, &size);                                                          \
        void *packed[] = PACKED_FORM(buffer, size);                                                                                     \
        U status = launch(f, gx, gy, gz, bx, by, bz, shared, stream, buffer ? NULL : params, buffer ? packed : extra);                  \
        free(buffer);                                                                                                                   \
        return status;                                                                                                                  \
    }
LAUNCH_OF(LAUNCH, cuLaunchKernel)
LAUNCH_OF(LAUNCH_PTSZ, cuLaunchKernel_ptsz)

#define EX_OF(WHICH, NAME)                                                                                                              \
    U NAME(const void *config, void *f, void **params, void **extra) {                                                                   \
        LaunchEx *launch = (LaunchEx *)real_of(WHICH);                                                                                  \
        size_t size;                                                                                                                    \
        unsigned char *buffer = pack((void *)launch, f, params, extra, &size);                                                          \
        void *packed[] = PACKED_FORM(buffer, size);                                                                                     \
        U status = launch(config, f, buffer ? NULL : params, buffer ? packed : extra);                                                  \
        free(buffer);                                                                                                                   \
        return status;                                                                                                                  \
    }
EX_OF(EX, cuLaunchKernelEx)
EX_OF(EX_PTSZ, cuLaunchKernelEx_ptsz)

// It takes no packed form.
#define COOPERATIVE_OF(WHICH, NAME)                                                                                                     \
    U NAME(void *f, U gx, U gy, U gz, U bx, U by, U bz, U shared, void *stream, void **params) {                                         \
        count(COOPERATIVELY, f, 0);                                                                                                     \
        return ((Cooperative *)real_of(WHICH))(f, gx, gy, gz, bx, by, bz, shared, stream, params);                                      \
    }
COOPERATIVE_OF(COOPERATIVE, cuLaunchCooperativeKernel)
COOPERATIVE_OF(COOPERATIVE_PTSZ, cuLaunchCooperativeKernel_ptsz)

U cuGetProcAddress(const char *, void **, int, uint64_t);
U cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
static void *const OWN[COUNT] = {
    cuLaunchKernel, cuLaunchKernel_ptsz, cuLaunchKernelEx, cuLaunchKernelEx_ptsz,
    cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz, cuGetProcAddress, cuGetProcAddress_v2,
};

static void *replaced(int which, void *found) {
    if (found && found != OWN[which]) real[which] = found;
    return found ? OWN[which] : NULL;
}

// The function that a program has looked up, with a flag for streams of threads and a version.
static void looked_up(const char *name, void **found, int version, uint64_t flags) {
    enum { PER_THREAD_STREAMS = 2 };
    for (int which = 0; *found && which <= LOOKUP; which++) {
        if (strcmp(name, NAMES[which])) continue;
        int is_launch = which < LOOKUP;
        which += is_launch ? (flags & PER_THREAD_STREAMS) != 0 : version >= 12000;
        *found = replaced(which, *found);
        return;
    }
}

U cuGetProcAddress(const char *name, void **found, int version, uint64_t flags) {
    U status = ((Lookup *)real_of(LOOKUP))(name, found, version, flags);
    if (!status && found) looked_up(name, found, version, flags);
    return status;
}

U cuGetProcAddress_v2(const char *name, void **found, int version, uint64_t flags, int *result) {
    U status = ((Lookup2 *)real_of(LOOKUP_2))(name, found, version, flags, result);
    if (!status && found) looked_up(name, found, version, flags);
    return status;
}

void *dlsym(void *library, const char *name) {
    void *found = find(library, name);
    for (int which = 0; which < COUNT; which++)
        if (!strcmp(name, NAMES[which])) return replaced(which, found);
    return found;
}

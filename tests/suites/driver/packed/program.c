// Launches each kernel of driver.c with each function, which it finds in the way that its argument names.
#include <dlfcn.h>
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

Launch cuLaunchKernel, cuLaunchKernel_ptsz;
LaunchEx cuLaunchKernelEx, cuLaunchKernelEx_ptsz;
Cooperative cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz;
Lookup cuGetProcAddress;
Lookup2 cuGetProcAddress_v2;

static const struct {
    const char *name;
    void *linked;
} FUNCTIONS[] = {
    {"cuLaunchKernel", cuLaunchKernel},
    {"cuLaunchKernel_ptsz", cuLaunchKernel_ptsz},
    {"cuLaunchKernelEx", cuLaunchKernelEx},
    {"cuLaunchKernelEx_ptsz", cuLaunchKernelEx_ptsz},
    {"cuLaunchCooperativeKernel", cuLaunchCooperativeKernel},
    {"cuLaunchCooperativeKernel_ptsz", cuLaunchCooperativeKernel_ptsz},
};
enum { PER_THREAD_STREAMS = 2 };

static void *find(const char *way, int which) {
    const char *name = FUNCTIONS[which].name;
    if (!strcmp(way, "linked")) return FUNCTIONS[which].linked;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return NULL;
    if (!strcmp(way, "dlsym")) return dlsym(library, name);
    // CUDA's runtime finds cuGetProcAddress with itself first.
    char plain[64];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "_"), name);
    uint64_t flags = strchr(name, '_') ? PER_THREAD_STREAMS : 0;
    void *lookup = NULL, *found = NULL;
    int result;
    if (!strcmp(way, "cuGetProcAddress")) {
        ((Lookup *)dlsym(library, "cuGetProcAddress"))("cuGetProcAddress", &lookup, 11030, 0);
        return ((Lookup *)lookup)(plain, &found, 11030, flags) ? NULL : found;
    }
    ((Lookup2 *)dlsym(library, "cuGetProcAddress_v2"))("cuGetProcAddress", &lookup, 12000, 0, &result);
    return ((Lookup2 *)lookup)(plain, &found, 12000, flags, &result) ? NULL : found;
}

int main(int count, char **arguments) {
    unsigned char values[3][32];
    for (int i = 0; i < 3; i++) memset(values[i], 0x11 * (i + 1), sizeof values[i]);
    void *all[] = {values[0], values[1], values[2]};
    size_t size = 4;
    void *extra[] = {(void *)1, values[0], (void *)2, &size, NULL};
    for (int which = 0; which < 6; which++) {
        void *function = count > 1 ? find(arguments[1], which) : NULL;
        if (!function) return EXIT_FAILURE;
        // The last launch passes the packed form itself.
        for (uintptr_t kernel = 1; kernel <= 7; kernel++) {
            void *f = (void *)(kernel == 7 ? 1 : kernel);
            void **params = kernel == 4 || kernel == 7 ? NULL : all, **packed = kernel == 7 ? extra : NULL;
            if (which < 2) ((Launch *)function)(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, packed);
            else if (which < 4) ((LaunchEx *)function)(NULL, f, params, packed);
            else ((Cooperative *)function)(f, 1, 1, 1, 1, 1, 1, 0, NULL, params);
        }
    }
    return EXIT_SUCCESS;
}

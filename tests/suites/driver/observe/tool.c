// A tool for NVTX, as profilers are: it prints the ranges of a thread. NVTX loads it: NVTX_INJECTION64_PATH.
#include <stddef.h>
#include <stdio.h>

// NvtxCallbackModule, NvtxCallbackIdCore and NvtxExportTableID in the header nvtxTypes.h.
enum { CORE_MODULE = 1, PUSH = 9, POP = 11, CALLBACKS = 1 };

typedef struct {
    size_t size;
    int (*table)(unsigned module, void ****functions, unsigned *count);
} Callbacks;

static int depth;

static int push(const char *message) {
    printf("%*s%s\n", 2 * depth, "", message);
    return depth++;
}

static int pop(void) { return --depth; }

int InitializeInjectionNvtx2(const void *(*export_table)(unsigned)) {
    const Callbacks *callbacks = export_table(CALLBACKS);
    void ***functions = NULL;
    unsigned count = 0;
    if (!callbacks || !callbacks->table(CORE_MODULE, &functions, &count) || count <= POP) return 0;
    *functions[PUSH] = (void *)push;
    *functions[POP] = (void *)pop;
    setvbuf(stdout, NULL, _IOLBF, 0);
    return 1;
}

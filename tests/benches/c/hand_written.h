/* Marshalling by hand, as C programs do it: an array of pointers, or a buffer that is filled with a running
 * offset (CUDA C++ Programming Guide, "Kernel Execution" of the driver API). */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct { float x, y, z, w; } __attribute__((aligned(16))) float4;
typedef struct { float x, y, z; } float3;
typedef struct { int32_t x, y; } __attribute__((aligned(8))) int2;
typedef struct { float low, high; uint32_t steps; } range;
typedef struct { uint64_t value; uint8_t tag; } tagged;
typedef struct { float v[4]; } quad;
typedef struct { float rows[4][4]; } matrix;

/* The same number as in Rust; it keeps the linker and the optimiser from making one function of several. */
enum { C_PARAMS = 5, C_PACKED = 6 };

extern int cu_launch_sink(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared, void* stream, void** params,
                          void** extra);

#define LAUNCH(variant, params, extra) cu_launch_sink(0, 1, 1, 1, 32, 1, 1, variant, 0, params, extra)

#define ADD(value, alignment)                                                                                \
    do {                                                                                                     \
        end = (end + (alignment) - 1) & ~(size_t)((alignment) - 1);                                          \
        memcpy(buffer + end, &(value), sizeof(value));                                                       \
        end += sizeof(value);                                                                                \
    } while (0)

/* The same with what is not a value zeroed, so that nothing of the host's memory reaches the device: gaps between
 * parameters, and padding, which stands after the first `filled` bytes. */
#define ADD_ZEROED(value, alignment, filled)                                                                 \
    do {                                                                                                     \
        size_t at = (end + (alignment) - 1) & ~(size_t)((alignment) - 1);                                    \
        memset(buffer + end, 0, at - end);                                                                   \
        memcpy(buffer + at, &(value), filled);                                                               \
        memset(buffer + at + (filled), 0, sizeof(value) - (filled));                                         \
        end = at + sizeof(value);                                                                            \
    } while (0)

#define COPY_ZEROED(type, copy, value, filled)                                                               \
    type copy;                                                                                               \
    memset(&copy, 0, sizeof copy);                                                                           \
    memcpy(&copy, &(value), filled)

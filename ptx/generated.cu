// Kernels with generated structs: `generated.debug.ptx` has their debug information. They echo: see `echo.cuh`.
#include "echo.cuh"

namespace sim {
enum class Mode : short { Fast = -1, Exact = 7, Same = 7 };

union Either {
    int i;
    float f;
};

struct Cell {
    char kind;
    double values[2];
};

// 64/16: 2 bytes after `mode`, 3 after `on`, 7 after `kind`, 8 at the end.
struct Light {
    float intensity;
    Mode mode;
    Either either;
    bool on;
    float4 direction;
    Cell cell;
};

struct Node {
    Node* next;
    float weight;
};

// 128/64: 60 bytes after `n`, 56 at the end.
struct alignas(64) Line {
    int n;
    alignas(64) long position;
};
}

template <typename T, int N> struct Box {
    T items[N];
    unsigned char count;
};

extern "C" {
__global__ void echo_light(unsigned char* out, unsigned char type, BY_VALUE(sim::Light) light, int in, sim::Mode self)
{
    echo(out, type, light, in, self);
}

__global__ void echo_pointers(unsigned char* out, const float* x, double* y, sim::Node* list, const float* const* table,
                              const void* any)
{
    echo(out, x, y, list, table, any);
}

__global__ void echo_numbers(unsigned char* out, bool flag, char letter, long wide, unsigned short id, __int128 huge, float3 v)
{
    echo(out, flag, letter, wide, id, huge, v);
}

__global__ void echo_lines(unsigned char* out, char before, BY_VALUE(sim::Line) line, char after)
{
    echo(out, before, line, after);
}
}

template <typename T> __global__ void echo_box(unsigned char* out, const __grid_constant__ Box<T, 3> box, T last)
{
    echo(out, box, last);
}
template __global__ void echo_box<float>(unsigned char*, const __grid_constant__ Box<float, 3>, float);
template __global__ void echo_box<double>(unsigned char*, const __grid_constant__ Box<double, 3>, double);

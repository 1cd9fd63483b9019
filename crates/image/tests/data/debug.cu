// The expected debug information is in `tests/image/debug_info.rs`. nvcc's front end writes DWARF 2, g++ writes
// DWARF 2 to 5.
//   NVRTC 13.0.88, --device-debug --std=c++17 --device-int128, for compute_75 and sm_90: debug.ptx, debug.sm_90.cubin
//   g++ 12.2, -g -gstrict-dwarf -gdwarf-N -shared -nostdlib -x c++, then strip --only-keep-debug -R .symtab -R .strtab
//   -R .debug_line -R .debug_aranges -R .comment: debug.dwarf-N.elf
#ifndef __CUDACC__
#define __global__ __attribute__((visibility("default")))
#define __device__
struct float4 {
    float x, y, z, w;
} __attribute__((aligned(16)));
#endif

typedef float real;
typedef struct {
    int key;
    real weight;
} Pair;
enum Mode { FAST = -1, EXACT };

namespace sim {
enum class Color : unsigned char { Red, Green = 7 };
union Either {
    int i;
    float f;
};
struct Base {
    int b;
};
struct Derived : Base {
    float d;
};
struct Bits {
    unsigned low : 3, high : 5;
    int rest;
};
struct Empty {};
struct Cell {
    char kind;
    double values[2][3];
};
template <typename T, int N> struct Box {
    T items[N];
    const T *begin;
};
class Params {
    struct {
        short inside;
    } named;
    union {
        int as_int;
        float as_float;
    };

  public:
    static constexpr int limit = 3;
    Cell cells[4];
    float4 direction;
    Color color;
    Either either;
    Bits bits;
    Derived derived;
    Box<float, 3> box;
    const volatile int *__restrict__ count;
    int (*function)(int);
    float (*rows)[4];
    int *pointers[3];
    int deep[2][3][4][5];
    bool is_on;
    long wide;
    unsigned long long wider;
    __device__ int get() const { return named.inside; }
};

__global__ void step(Params params, const Color color, Either either, float4 *__restrict__ out, const Params *all) {}
} // namespace sim

extern "C" {
__global__ void plain(int in, unsigned int out, real alpha, const real *x, real *y, char c, signed char sc, unsigned char uc,
                      bool flag, long l, unsigned long ul, long long ll, unsigned long long ull, short s, unsigned short us,
                      double d, void *any, const void *read, int *const *const *deep, int &reference) {}
__global__ void by_value(Pair pair, Mode mode, sim::Color color, sim::Cell cell, sim::Bits bits, sim::Derived derived,
                         sim::Empty empty, sim::Box<int, 2> box, struct Incomplete *incomplete) {}
__global__ void unnamed(int, Pair *) {}
__global__ void nothing() {}
}

template <typename T> __global__ void axpy(int n, T a, const T *x, T *y) {
    for (int i = 0; i < n; ++i) {
        T scaled = a * x[i];
        y[i] += scaled;
    }
}
template __global__ void axpy<float>(int, float, const float *, float *);
template __global__ void axpy<double>(int, double, const double *, double *);
extern "C" __global__ void scaled(const float *in, const float *bias, float *out, int n) {
    for (int i = 0; i < n; ++i) {
        out[i] = 2 * in[i] + bias[i];
    }
}

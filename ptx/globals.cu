// Global variables of each space and kind. `read_NAME` copies the bytes of a variable to `out`, `fill_NAME` copies them back.
// The compiler cannot follow the address through the empty `asm`, so it copies bytes.
__device__ unsigned char* bytes_of(void const* variable)
{
    asm volatile("" : "+l"(variable));
    return (unsigned char*)variable;
}
#define READ(name, variable)                                                        \
    extern "C" __global__ void read_##name(unsigned char* out)                      \
    {                                                                               \
        unsigned char const* from = bytes_of(&variable);                            \
        for (unsigned long long i = 0; i < sizeof(variable); i++) out[i] = from[i]; \
    }
#define READ_AND_FILL(name, variable)                                            \
    READ(name, variable)                                                         \
    extern "C" __global__ void fill_##name(unsigned char const* in)              \
    {                                                                            \
        unsigned char* to = bytes_of(&variable);                                 \
        for (unsigned long long i = 0; i < sizeof(variable); i++) to[i] = in[i]; \
    }

__device__ bool flag;
__device__ signed char tiny = -3;
__device__ unsigned short half_word;
__device__ int counter = 41;
__device__ unsigned long long total;
__device__ float scale = 1.5f;
__device__ double precise;
__device__ float4 corner;
__device__ float table[256] = {1.0f, 2.0f, 3.0f};
__device__ float grid[3][4];
__device__ double const fixed[2] = {2.5, -1.0};
__managed__ int progress = 7;
static __device__ int hidden = 5;

enum class Mode : unsigned { Fast = 1, Exact = 5 };
__device__ Mode mode = Mode::Exact;

// The tables of a transform: two logarithms of one type.
struct PowersData {
    unsigned coarse_log_count;
    unsigned fine_log_count;
    unsigned const* values;
};
__constant__ PowersData powers_data;

struct Light {
    char kind;
    double intensity;
    float direction[3];
};
__device__ Light lights[5];
__device__ Light* current;

namespace sim {
__constant__ float coefficients[8] = {0.5f};
__device__ double dt = 0.25;
namespace {
__device__ int secret = 9;
}
}

template <int N> __device__ int buffer[N];
__device__ float weights[1024 * 3];
__constant__ unsigned char palette[4096];

READ_AND_FILL(flag, flag)
READ_AND_FILL(tiny, tiny)
READ_AND_FILL(half_word, half_word)
READ_AND_FILL(counter, counter)
READ_AND_FILL(total, total)
READ_AND_FILL(scale, scale)
READ_AND_FILL(precise, precise)
READ_AND_FILL(corner, corner)
READ_AND_FILL(table, table)
READ_AND_FILL(grid, grid)
READ(fixed, fixed)
extern "C" __global__ void read_progress(unsigned char* out) { *(int*)out = progress; }
extern "C" __global__ void fill_progress(unsigned char const* in) { progress = *(int const*)in; }
READ_AND_FILL(hidden, hidden)
READ_AND_FILL(mode, mode)
READ(powers_data, powers_data)
READ_AND_FILL(lights, lights)
READ_AND_FILL(current, current)
READ(coefficients, sim::coefficients)
READ_AND_FILL(dt, sim::dt)
READ_AND_FILL(secret, sim::secret)
READ_AND_FILL(buffer, buffer<7>)
READ_AND_FILL(weights, weights)
READ(palette, palette)

// Takes the address of a variable as an argument.
extern "C" __global__ void sum(float const* values, unsigned n, float* out)
{
    float sum = 0;
    for (unsigned i = 0; i < n; i++) sum += values[i];
    *out = sum;
}

// Global variables of each space and kind, for the readers of images. NVRTC 13.0: PTX for compute_75, cubins for sm_90, with and without
// `--device-debug`. Debug information contains the folder in which NVRTC ran: `/`.
__device__ bool flag;
__device__ signed char tiny = -3;
__device__ unsigned short half_word;
__device__ int counter = 41;
__device__ unsigned long long total;
__device__ float scale = 1.5f;
__device__ double precise;
__device__ float4 corner;
__device__ float table[16] = {1.0f, 2.0f, 3.0f};
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
__constant__ unsigned char palette[64];


extern "C" __global__ void addresses(void const** out)
{
    void const* all[] = {&flag, &tiny, &half_word, &counter, &total, &scale, &precise, &corner, &table, &grid, &fixed,
        &progress, &hidden, &mode, &powers_data, &lights, &current, &sim::coefficients, &sim::dt, &sim::secret, &buffer<7>,
        &palette};
    for (int i = 0; i < sizeof(all) / sizeof(*all); i++) out[i] = all[i];
}

// Facts that only debug information contains: pointers of one type, the members of a struct by value.
enum class Mode : int { Flat = -1, Smooth };

struct Light {
    float intensity;
    float range;
    unsigned kind;
    float4 color;
    float direction[3];
};

extern "C" __global__ void shade(const float *in, const float *bias, float *out, Light light, Mode mode, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float scale = mode == Mode::Smooth ? light.intensity * light.color.x : light.range + light.direction[light.kind];
        out[i] = scale * in[i] + bias[i];
    }
}

namespace sim {
__global__ void fade(float *out, float from, float to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = from + (to - from) * i / n;
    }
}
} // namespace sim

// Gravity between bodies: x, y, z, and the mass or nothing in w. All bodies attract each other.
namespace nbody {

// 16/4.
struct Step {
    unsigned int bodies;
    float gravity;
    float softening;
    float seconds;
};

constexpr unsigned int TILE = 256;

// The acceleration by all bodies at the position `at` (x, y, z), and the potential there (w).
__device__ float4 field(const Step& step, const float4* positions, float4 at)
{
    __shared__ float4 tile[TILE];
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (unsigned int begin = 0; begin < step.bodies; begin += TILE) {
        unsigned int body = begin + threadIdx.x;
        tile[threadIdx.x] =
            body < step.bodies ? positions[body] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        __syncthreads();
        for (unsigned int i = 0; i < TILE; ++i) {
            float x = tile[i].x - at.x, y = tile[i].y - at.y, z = tile[i].z - at.z;
            float inverse = rsqrtf(x * x + y * y + z * z + step.softening * step.softening);
            float potential = step.gravity * tile[i].w * inverse;
            float pull = potential * inverse * inverse;
            sum.x += pull * x;
            sum.y += pull * y;
            sum.z += pull * z;
            sum.w -= potential;
        }
        __syncthreads();
    }
    return sum;
}

// One step in time, by blocks of TILE threads.
__global__ void advance(
    const __grid_constant__ Step step, const float4* from, float4* to, float4* velocities)
{
    unsigned int body = blockIdx.x * TILE + threadIdx.x;
    float4 at = from[min(body, step.bodies - 1)];
    float4 pull = field(step, from, at);
    if (body < step.bodies) {
        float4 v = velocities[body];
        v.x += pull.x * step.seconds;
        v.y += pull.y * step.seconds;
        v.z += pull.z * step.seconds;
        velocities[body] = v;
        to[body] = make_float4(
            at.x + v.x * step.seconds, at.y + v.y * step.seconds, at.z + v.z * step.seconds, at.w);
    }
}

// The kinetic energy (x) and potential energy (y) of each body, by blocks of TILE threads.
__global__ void energies(const __grid_constant__ Step step, const float4* positions,
    const float4* velocities, float2* energies)
{
    unsigned int body = blockIdx.x * TILE + threadIdx.x;
    float4 at = positions[min(body, step.bodies - 1)];
    float4 pull = field(step, positions, at);
    if (body < step.bodies) {
        float4 v = velocities[body];
        // A body has no potential in its own field, and each pair counts once.
        float own = step.gravity * at.w / step.softening;
        energies[body] = make_float2(
            0.5f * at.w * (v.x * v.x + v.y * v.y + v.z * v.z), 0.5f * at.w * (pull.w + own));
    }
}

} // namespace nbody

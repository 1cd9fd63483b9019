// One step of the heat equation on a plate whose edge keeps its temperature.

#include "plate.cuh"

extern "C" __global__ void __launch_bounds__(BLOCK * BLOCK) diffuse(Plate plate, float rate, const float* from, float* to)
{
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= plate.width || y >= plate.height) {
        return;
    }
    unsigned int i = y * plate.width + x;
    if (x == 0 || y == 0 || x + 1 == plate.width || y + 1 == plate.height) {
        to[i] = from[i];
        return;
    }
    float around = from[i - 1] + from[i + 1] + from[i - plate.width] + from[i + plate.width];
    to[i] = from[i] + rate * (around - 4.0f * from[i]);
}

// Kernels with parameters that are easily confused, with C names: only their code shows what the parameters are.
#define KERNEL extern "C" __global__ void
#include "confused.cuh"

// Kernels with parameters that are easily confused, with C++ names: the mangled name contains the types.
#define KERNEL __global__ void
#include "confused.cuh"

// A kernel for each C++ type of a parameter, with C names.
#define KERNEL(name, ...) \
    extern "C" __global__ void name(__VA_ARGS__ value) {}
#include "matrix.cuh"

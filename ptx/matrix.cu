// A kernel for each C++ type of a parameter, with C++ names: the mangled name contains the type.
#define KERNEL(name, ...) \
    __global__ void name(__VA_ARGS__ value) {}
#include "matrix.cuh"

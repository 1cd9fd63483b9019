// Kernels that take the elements of an array, or the fields of a struct, as separate parameters.
// Its debug information has the names of the parameters.
#include "echo.cuh"

// The lengths between values of other alignments: 4 bytes of padding before `scale`.
extern "C" __global__ void echo_spread(unsigned char* out, char before, int shape_0, int shape_1, int shape_2,
    double scale, short pad_0, short pad_1, char after)
{
    echo(out, before, shape_0, shape_1, shape_2, scale, pad_0, pad_1, after);
}

// Names with another form, and pointers.
extern "C" __global__ void echo_spread_pointers(unsigned char* out, const float* x0, const float* x1, float* y0,
    float* y1, unsigned int rows, unsigned int columns)
{
    echo(out, x0, x1, y0, y1, rows, columns);
}

// Elements that are vectors and structs: 8 bytes of padding before `size_0`, 4 after `value`.
struct Item {
    double value;
    int index;
};
extern "C" __global__ void echo_spread_structs(unsigned char* out, BY_VALUE(float4) size_0, BY_VALUE(float4) size_1,
    char middle, BY_VALUE(Item) item_0, BY_VALUE(Item) item_1)
{
    echo(out, size_0, size_1, middle, item_0, item_1);
}

// `alpha`, `shape` and `beta` are a struct on the host, which is not passed as a struct.
extern "C" __global__ void echo_flatten(unsigned char* out, char first, float alpha, int shape_0, int shape_1, double beta,
    const float* x, char last)
{
    echo(out, first, alpha, shape_0, shape_1, beta, x, last);
}

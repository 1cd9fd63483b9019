// Pointers of every kind. The kernels do not dereference them, so any value may be passed, including null.
#include "echo.cuh"

using FloatPointer = float*;
using ConstFloatPointer = const float*;
using VoidPointer = void*;
using ConstVoidPointer = const void*;
using PointerToPointer = float**;
using ConstPointerToConstPointer = const float* const*;

ECHO_SCALAR(pointer_f32, FloatPointer)
ECHO_SCALAR(pointer_const_f32, ConstFloatPointer)
ECHO_SCALAR(pointer_void, VoidPointer)
ECHO_SCALAR(pointer_const_void, ConstVoidPointer)
ECHO_SCALAR(pointer_pointer, PointerToPointer)
ECHO_SCALAR(pointer_const_pointer, ConstPointerToConstPointer)

// Typical declarations in linear algebra: the PTX may contain `restrict`.
extern "C" __global__ void echo_pointer_restrict(unsigned char* out, char before,
    const float* __restrict__ a, float* __restrict__ b, char after)
{
    echo(out, before, a, b, after);
}

// Pointers between scalars, each at an offset that depends on padding.
extern "C" __global__ void echo_pointers_mixed(unsigned char* out, unsigned int n,
    ConstFloatPointer x, unsigned char flag, VoidPointer context,
    unsigned short rows, PointerToPointer table, double scale,
    FloatPointer y)
{
    echo(out, n, x, flag, context, rows, table, scale, y);
}

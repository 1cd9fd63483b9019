// Kernels with C++ names: the mangled name of each contains its parameter types.
// Two overloads, two instances of a template, structs in a namespace, and one kernel with
// every kind of type that has a special form in a mangled name.

// CUDA's half, declared as in NVIDIA's header for the ABI: two bytes, aligned to two.
struct __align__(2) __half {
    unsigned short bits;
};

template <typename T>
__device__ void axpy(int n, T a, T const* x, T* y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

// _Z5saxpyifPKfPf
__global__ void saxpy(int n, float a, float const* x, float* y)
{
    axpy(n, a, x, y);
}

// _Z5saxpyidPKdPd
__global__ void saxpy(int n, double a, double const* x, double* y)
{
    axpy(n, a, x, y);
}

// _Z5saxpyIfEviT_PKS0_PS0_ and _Z5saxpyIdEviT_PKS0_PS0_: the types refer to the
// template's argument list, and the return type is part of the name.
template <typename T>
__global__ void saxpy(int n, T a, T const* x, T* y)
{
    axpy(n, a, x, y);
}
template __global__ void saxpy<float>(int, float, float const*, float*);
template __global__ void saxpy<double>(int, double, double const*, double*);

namespace geometry {

struct Plane {
    float3 normal;
    float distance;
};

enum class Side : unsigned char { Above, Below };

template <typename T, int N>
struct Box {
    T low[N];
    T high[N];
};

// _ZN8geometry4clipENS_5PlaneENS_4SideEPK6float3Pbj
__global__ void clip(Plane plane, Side side, float3 const* points, bool* kept, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float3 p = points[i];
        float height = plane.normal.x * p.x + plane.normal.y * p.y + plane.normal.z * p.z
            - plane.distance;
        kept[i] = (side == Side::Above) == (height >= 0.0f);
    }
}

// A struct template: the name contains its arguments too.
__global__ void grow(Box<float, 3> const box, float by, Box<float, 3>* out)
{
    for (int i = 0; i < 3; ++i) {
        out->low[i] = box.low[i] - by;
        out->high[i] = box.high[i] + by;
    }
}

} // namespace geometry

// _Z10every_kindbcahsjilmxyfd6__half6float4PKvPKPKfPVi...: see the PTX for the whole name.
__global__ void every_kind(bool b, char c, signed char sc, unsigned char uc, short s,
    unsigned short us, int i, unsigned int ui, long l, unsigned long ul, long long ll,
    unsigned long long ull, float f, double d, __half h, float4 f4, geometry::Plane plane,
    void const* opaque, float const* const* rows, int volatile* flag, __half* halves,
    double* sum)
{
    *sum = b + c + sc + uc + s + us + i + ui + l + ul + ll + ull + f + d + h.bits + f4.x + f4.w
        + plane.normal.x + plane.distance + (opaque != nullptr) + (rows != nullptr)
        + (flag != nullptr) + (halves != nullptr);
}

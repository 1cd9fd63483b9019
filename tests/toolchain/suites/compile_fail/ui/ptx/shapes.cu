#include <cuda.h>
#include <cuda_fp8.h>
#include <cuda/std/complex>
#include <complex>
struct alignas(16) Own { float a; int b; };
struct Base { int id; float weight; };
struct Derived : Base { double scale; int flags; };
struct Cell { float x; int kind; double mass; };
struct Grid { Cell cells[2]; int n; };
template <class T> struct Box { T low; T high; int n; };
struct Inner { double a; float b; int c; };
struct Nest { Inner first; float3 second; Box<float> third; };
__constant__ Cell table[4];
__constant__ Grid grid;
__device__ Own own_global;

extern "C" __global__ void k_own(Own own, float* out) { *out = own.a + own.b; }
extern "C" __global__ void k_map(const __grid_constant__ CUtensorMap map, float* out) { *out = (float)(size_t)&map; }
extern "C" __global__ void k_fp8(__nv_fp8_e4m3 value, __nv_fp8_e5m2 const* in, __nv_fp8_e4m3* out, int n) { out[n] = value; *(float*)out = (float)in[n]; }
extern "C" __global__ void k_i128(__int128 big, unsigned __int128 ubig, long long* out) { *out = (long long)(big + (__int128)ubig); }
extern "C" __global__ void k_complex(std::complex<float> a, std::complex<double> b, std::complex<float> const* in, float* out) { out[0] = reinterpret_cast<float const*>(&a)[0] + (float)reinterpret_cast<double const*>(&b)[0] + reinterpret_cast<float const*>(in)[0]; }
extern "C" __global__ void k_cucomplex(cuda::std::complex<float> a, cuda::std::complex<double> b, cuda::std::complex<float> const* in, float* out) { out[0] = a.real() + (float)b.real() + in[0].real(); }
extern "C" __global__ void k_derived(Derived d, Derived const* many, float* out) { *out = d.id + d.weight + d.scale + d.flags + many->weight; }
extern "C" __global__ void k_grid(Grid g, Grid const* many, Cell const* cells, float* out) { *out = g.cells[1].mass + g.n + many->cells[0].x + cells->kind + table[0].x + grid.n + own_global.a; }
extern "C" __global__ void k_box(Box<float> b, Box<double> const* boxes, float* out) { *out = b.low + boxes->high; }
extern "C" __global__ void k_nested(Nest nest, Box<float> box, Nest const* many, float* out) { *out = nest.first.b + nest.second.x + nest.third.low + box.low + many->first.b; }

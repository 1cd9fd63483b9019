// The parameters of the kernels in real bugs, reduced: tests/suites/library/real_bugs.rs.

// A typedef of the project, which hides `uint32_t` of <cstdint>.
typedef unsigned long long my_uint32;

extern "C" __global__ void gather(const float* x, float* y, my_uint32 n) { y[0] = x[n]; }

extern "C" __global__ void layer_norm(const float* x, float* y, int rows, int cols, float eps, int stride) {
  y[0] = x[rows + cols + stride] + eps;
}

extern "C" __global__ void fill(float* out, float value, int n) { out[n] = value; }

struct Range128 {
  unsigned long long low, high;
};

extern "C" __global__ void in_range(int* out, int id, Range128 range) { out[id] = range.low < range.high; }

extern "C" __global__ void rotate(double2* x, int n, double2 by) { x[n] = by; }

struct alignas(64) TensorMap {
  unsigned long long opaque[16];
};

extern "C" __global__ void tma(int n, const __grid_constant__ TensorMap map, float* out) { out[n] = float(map.opaque[0]); }

extern "C" __global__ void add_pairs(const float* x, float* y, int n) {
  reinterpret_cast<float2*>(y)[n] = reinterpret_cast<const float2*>(x)[n];
}

extern "C" __global__ void copy(const float* x, float* y, unsigned int n) { y[n] = x[n]; }

extern "C" __global__ void transpose(const float* x, float* y, int rows, int cols) { y[rows] = x[cols]; }

extern "C" __global__ void strided(float* x, const unsigned long long* shape, const unsigned long long* strides) {
  x[shape[0] * strides[0]] = 0;
}

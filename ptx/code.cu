// Kernels with C names, whose code shows what the names do not: directions, elements, integers. With line numbers.

struct View {
    float* data;
    long long stride;
};

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void scale(unsigned n, float factor, float const* x, float* y)
{
    unsigned i = thread();
    if (i < n) {
        y[i] = factor * x[i];
    }
}

// `stride` is multiplied.
extern "C" __global__ void rows(unsigned n, long long stride, double const* in, float* sums)
{
    unsigned i = thread();
    if (i < n) {
        sums[i] = (float)(in[i * stride] + in[i * stride + 1]);
    }
}

// `counter` is shared by all launches.
extern "C" __global__ void count(unsigned n, int limit, int const* values, unsigned* counter)
{
    unsigned i = thread();
    if (i < n && values[i] * 3 > limit) {
        atomicAdd(counter, 1u);
    }
}

// A pointer in a struct by value.
extern "C" __global__ void fill(View view, float value)
{
    view.data[thread() * view.stride] = value;
}

template <class T>
__device__ void affine(unsigned n, T a, T const* x, T* y)
{
    unsigned i = thread();
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

extern "C" __global__ void affine_f32(unsigned n, unsigned long long id, float const* x, float* y)
{
    affine<float>(n, 2.0f, x, y);
}

extern "C" __global__ void affine_f64(unsigned n, unsigned long long id, double const* x, double* y)
{
    affine<double>(n, 2.0, x, y);
}

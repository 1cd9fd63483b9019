// Functions that scale numbers. With relocatable device code, `factor` is linked from a different source.

#ifdef __CUDACC_RDC__
extern __device__ float factor(float alpha);
#else
static __device__ float factor(float alpha) { return alpha + 1; }
#endif

namespace {

__global__ void scale_all(const float* x, float* y, unsigned n, float alpha) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * factor(alpha);
}

// A kernel that is slow: what is not ordered after it reads old numbers.
__global__ void scale_slowly(const float* x, float* y, unsigned n, float alpha, unsigned rounds) {
    float sum = 0;
    for (unsigned round = 0; round < rounds; ++round) sum = sum * 0.5f + x[round % n];
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * alpha + (sum > 1e30f ? 1 : 0);
}

} // namespace

extern "C" cudaError_t scale(const float* x, float* y, unsigned n, float alpha, cudaStream_t stream) {
    scale_all<<<(n + 127) / 128, 128, 0, stream>>>(x, y, n, alpha);
    return cudaGetLastError();
}

// The stream is the first argument. Nothing is returned.
extern "C" void scale_later(cudaStream_t stream, const float* x, float* y, unsigned n, float alpha, unsigned rounds) {
    scale_slowly<<<1, 128, 0, stream>>>(x, y, n, alpha, rounds);
}

// Uses the default stream.
extern "C" cudaError_t scale_on_default(const void* x, void* y, unsigned n) {
    scale_all<<<(n + 127) / 128, 128>>>(static_cast<const float*>(x), static_cast<float*>(y), n, 2.0f);
    return cudaGetLastError();
}

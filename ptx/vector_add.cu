// c = a + b, one thread for each element.

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, unsigned int n)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// y = alpha * x + y, one thread for each element: the kernel of the README.

extern "C" __global__ void saxpy(unsigned int n, float alpha, const float* x, float* y)
{
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = alpha * x[i] + y[i];
    }
}

// Kernels with a `long double`: it has 8 bytes on the device, and debug information contains the 16 bytes of the host.

struct Span {
    int first, last;
};

extern "C" __global__ void scaled(float *x, long double by, Span span, unsigned n) {
    if (span.first < n) x[n] = by;
}

extern "C" __global__ void only(long double *x, long double by) {
    *x = by;
}

extern "C" __global__ void other(float *x, int n) {
    x[n] = 1;
}

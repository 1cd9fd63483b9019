// What alignment each kernel needs of the memory behind `p`.

// Every access has 16 bytes.
extern "C" __global__ void vectors(float4* p, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = p[i];
        v.x += 1.0f;
        p[i] = v;
    }
}

// The last elements are read one by one.
extern "C" __global__ void vectors_and_rest(float* p, float* out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        float4 v = reinterpret_cast<float4*>(p)[i];
        reinterpret_cast<float4*>(out)[i] = make_float4(v.w, v.z, v.y, v.x);
    } else if (i < n) {
        reinterpret_cast<float4*>(out)[i] = make_float4(p[i], 0, 0, 0);
    }
}

// The kernel tests the address, as many libraries do.
extern "C" __global__ void tests_the_address(float* p, float* out, unsigned n) {
    unsigned i = threadIdx.x;
    if (reinterpret_cast<unsigned long long>(p) % 16 == 0) {
        float4 v = reinterpret_cast<float4*>(p)[i];
        out[i] = v.x + v.y + v.z + v.w;
    } else {
        out[i] = p[4 * i] + p[4 * i + 1] + p[4 * i + 2] + p[4 * i + 3];
    }
}

// The caller tests it.
extern "C" __global__ void takes_a_flag(float* p, float* out, bool aligned) {
    unsigned i = threadIdx.x;
    if (aligned) {
        float4 v = reinterpret_cast<float4*>(p)[i];
        out[i] = v.x + v.y + v.z + v.w;
    } else {
        out[i] = p[4 * i] + p[4 * i + 1] + p[4 * i + 2] + p[4 * i + 3];
    }
}

// The kernel rounds the address.
extern "C" __global__ void rounds_the_address(char* p, float* out) {
    unsigned long long rounded = reinterpret_cast<unsigned long long>(p) & ~15ull;
    float4 v = reinterpret_cast<float4*>(rounded)[threadIdx.x];
    out[threadIdx.x] = v.x + v.w;
}

// 4 bytes after `p` are 16 bytes: `p` itself is no multiple of 16.
extern "C" __global__ void after_a_header(float* p, float* out) {
    float4 v = reinterpret_cast<float4*>(p + 1)[threadIdx.x];
    out[threadIdx.x] = v.x + v.w;
}

// The distance of the rows is not known.
extern "C" __global__ void rows(char* p, float* out, size_t pitch) {
    float4 v = reinterpret_cast<float4*>(p + blockIdx.x * pitch)[threadIdx.x];
    out[threadIdx.x] = v.x + v.w;
}

struct Lights {
    unsigned count;
    double2* at;
};

// A pointer in a struct.
extern "C" __global__ void in_a_struct(Lights lights, float* out) {
    double2 v = lights.at[threadIdx.x];
    out[threadIdx.x] = v.x + v.y;
}

// Of two pointers, one is accessed.
extern "C" __global__ void one_of_two(float4* p, float4* q, float* out, bool first) {
    float4* from = first ? p : q;
    float4 v = from[threadIdx.x];
    out[threadIdx.x] = v.x + v.w;
}

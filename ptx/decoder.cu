// The operations of the example `decoder`: a tensor library for bfloat16 and float, a kernel for each operation.

// 2/2, as in cuda_bf16.h.
struct __align__(2) __nv_bfloat16 {
    unsigned short bits;
};

// Rows that begin every `stride` elements; the first `columns` of them have a meaning. 12/4.
struct Rows {
    unsigned int rows;
    unsigned int columns;
    unsigned int stride;
};

// The keys or values of all tokens: `[heads][capacity][size]`. 12/4.
struct Cache {
    unsigned int heads;
    unsigned int capacity;
    unsigned int size;
};

// `out[row][column] = sum over i of x[row][i] * w[column][i]`, for each batch.
// Strides are numbers of elements. 44/4.
struct Gemm {
    unsigned int batches;
    unsigned int rows;
    unsigned int columns;
    unsigned int inner;
    unsigned int x_batch;
    unsigned int x_row;
    unsigned int w_batch;
    unsigned int w_column;
    unsigned int w_inner;
    unsigned int out_batch;
    unsigned int out_row;
};

__device__ float load(__nv_bfloat16 x) { return __uint_as_float((unsigned int)x.bits << 16); }

// Rounds to nearest, ties to even.
__device__ __nv_bfloat16 rounded(float value)
{
    unsigned int bits = __float_as_uint(value);
    __nv_bfloat16 result;
    result.bits = (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    return result;
}

__device__ unsigned int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

struct Sum {
    __device__ float operator()(float a, float b) const { return a + b; }
};

struct Max {
    template <typename T> __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <typename T, typename Op> __device__ T of_warp(T value, Op op)
{
    for (int distance = 16; distance > 0; distance /= 2) {
        value = op(value, __shfl_xor_sync(0xffffffff, value, distance));
    }
    return value;
}

// The values of all threads of a block of whole warps; only the first warp gets the result.
template <typename T, typename Op> __device__ T of_block(T value, T neutral, Op op)
{
    __shared__ T parts[32];
    value = of_warp(value, op);
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = value;
    }
    __syncthreads();
    return of_warp(threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : neutral, op);
}

// A block for each row.
template <typename Op> __device__ void of_rows(Rows shape, float neutral, float scale, const float* x, float* out, Op op)
{
    const float* row = x + (size_t)blockIdx.x * shape.stride;
    float value = neutral;
    for (unsigned int i = threadIdx.x; i < shape.columns; i += blockDim.x) {
        value = op(value, row[i]);
    }
    value = of_block(value, neutral, op);
    if (threadIdx.x == 0) {
        out[blockIdx.x] = value * scale;
    }
}

// Uniform in [offset - scale, offset + scale).
__global__ void fill(unsigned int n, unsigned int seed, float offset, float scale, __nv_bfloat16* out)
{
    unsigned int i = thread();
    if (i < n) {
        unsigned int hash = (i + 1) * 2654435761u ^ seed * 2246822519u;
        hash = (hash ^ hash >> 15) * 2246822519u;
        hash = (hash ^ hash >> 13) * 3266489917u;
        hash ^= hash >> 16;
        out[i] = rounded(offset + scale * ((float)(hash >> 8) / 8388608.0f - 1.0f));
    }
}

// The row of a token; 0 for a token that the table does not have.
__global__ void embed(Rows shape, const unsigned int* token, const __nv_bfloat16* table, __nv_bfloat16* out)
{
    unsigned int i = thread();
    if (i < shape.columns) {
        __nv_bfloat16 zero = { 0 };
        out[i] = *token < shape.rows ? table[(size_t)*token * shape.stride + i] : zero;
    }
}

__global__ void widen(unsigned int n, const __nv_bfloat16* x, float* out)
{
    unsigned int i = thread();
    if (i < n) {
        out[i] = load(x[i]);
    }
}

__global__ void narrow(unsigned int n, const float* x, __nv_bfloat16* out)
{
    unsigned int i = thread();
    if (i < n) {
        out[i] = rounded(x[i]);
    }
}

__global__ void square(unsigned int n, const float* x, float* out)
{
    unsigned int i = thread();
    if (i < n) {
        out[i] = x[i] * x[i];
    }
}

__global__ void silu(unsigned int n, const __nv_bfloat16* x, __nv_bfloat16* out)
{
    unsigned int i = thread();
    if (i < n) {
        float value = load(x[i]);
        out[i] = rounded(value / (1.0f + expf(-value)));
    }
}

__global__ void scale(unsigned int n, float factor, __nv_bfloat16* x)
{
    unsigned int i = thread();
    if (i < n) {
        x[i] = rounded(factor * load(x[i]));
    }
}

__global__ void add(unsigned int n, const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* out)
{
    unsigned int i = thread();
    if (i < n) {
        out[i] = rounded(load(x[i]) + load(y[i]));
    }
}

__global__ void multiply(unsigned int n, const __nv_bfloat16* x, const __nv_bfloat16* y, __nv_bfloat16* out)
{
    unsigned int i = thread();
    if (i < n) {
        out[i] = rounded(load(x[i]) * load(y[i]));
    }
}

__global__ void add_in_place(unsigned int n, __nv_bfloat16* x, const __nv_bfloat16* y)
{
    unsigned int i = thread();
    if (i < n) {
        x[i] = rounded(load(x[i]) + load(y[i]));
    }
}

__global__ void multiply_in_place(unsigned int n, __nv_bfloat16* x, const __nv_bfloat16* y)
{
    unsigned int i = thread();
    if (i < n) {
        x[i] = rounded(load(x[i]) * load(y[i]));
    }
}

__global__ void row_mean(Rows shape, const float* x, float* out)
{
    of_rows(shape, 0.0f, 1.0f / shape.columns, x, out, Sum());
}

__global__ void row_sum(Rows shape, const float* x, float* out) { of_rows(shape, 0.0f, 1.0f, x, out, Sum()); }

__global__ void row_max(Rows shape, const float* x, float* out)
{
    of_rows(shape, -__int_as_float(0x7f800000), 1.0f, x, out, Max());
}

// By the root of the row's mean square.
__global__ void normalize(Rows shape, float epsilon, const float* mean, float* x)
{
    unsigned int column = thread(), row = blockIdx.y;
    if (column < shape.columns) {
        x[(size_t)row * shape.stride + column] *= rsqrtf(mean[row] + epsilon);
    }
}

// Columns without a meaning become 0.
__global__ void exponential(Rows shape, const float* largest, float* x)
{
    unsigned int column = thread(), row = blockIdx.y;
    if (column < shape.stride) {
        float* value = &x[(size_t)row * shape.stride + column];
        *value = column < shape.columns ? expf(*value - largest[row]) : 0.0f;
    }
}

__global__ void divide(Rows shape, const float* total, float* x)
{
    unsigned int column = thread(), row = blockIdx.y;
    if (column < shape.columns) {
        x[(size_t)row * shape.stride + column] /= total[row];
    }
}

// The cosines and then the sines of a position's rotary embedding.
__global__ void angles(unsigned int pairs, unsigned int position, float log2_base, float* out)
{
    unsigned int i = thread();
    if (i < pairs) {
        float angle = position * exp2f(-log2_base * i / pairs);
        out[i] = cosf(angle);
        out[pairs + i] = sinf(angle);
    }
}

// A row for each head; its first half is rotated with its second half.
__global__ void rotate(Rows shape, const float* angles, const __nv_bfloat16* x, __nv_bfloat16* out)
{
    unsigned int pairs = shape.columns / 2, i = thread() % pairs, row = thread() / pairs;
    if (row < shape.rows) {
        size_t first = (size_t)row * shape.stride + i, second = first + pairs;
        float a = load(x[first]), b = load(x[second]), cosine = angles[i], sine = angles[pairs + i];
        out[first] = rounded(a * cosine - b * sine);
        out[second] = rounded(b * cosine + a * sine);
    }
}

// The keys or values of one token, a row for each head.
__global__ void append(Cache shape, unsigned int position, const __nv_bfloat16* x, __nv_bfloat16* cache)
{
    unsigned int i = thread();
    if (i < shape.heads * shape.size) {
        unsigned int head = i / shape.size, column = i % shape.size;
        cache[((size_t)head * shape.capacity + position) * shape.size + column] = x[i];
    }
}

// A larger cache with the same tokens; the rest is 0.
__global__ void enlarge(Cache from, unsigned int capacity, const __nv_bfloat16* x, __nv_bfloat16* out)
{
    unsigned int i = thread(), of_head = capacity * from.size;
    if (i < from.heads * of_head) {
        unsigned int head = i / of_head, rest = i % of_head;
        __nv_bfloat16 zero = { 0 };
        out[i] = rest < from.capacity * from.size ? x[(size_t)head * from.capacity * from.size + rest] : zero;
    }
}

// A warp for each element.
__global__ void gemm(Gemm shape, const __nv_bfloat16* x, const __nv_bfloat16* w, __nv_bfloat16* out)
{
    unsigned int column = thread() / 32, row = blockIdx.y, batch = blockIdx.z, lane = threadIdx.x % 32;
    if (column >= shape.columns) {
        return;
    }
    const __nv_bfloat16* of_x = x + (size_t)batch * shape.x_batch + (size_t)row * shape.x_row;
    const __nv_bfloat16* of_w = w + (size_t)batch * shape.w_batch + (size_t)column * shape.w_column;
    float total = 0.0f;
    for (unsigned int i = lane; i < shape.inner; i += 32) {
        total += load(of_x[i]) * load(of_w[(size_t)i * shape.w_inner]);
    }
    total = of_warp(total, Sum());
    if (lane == 0) {
        out[(size_t)batch * shape.out_batch + (size_t)row * shape.out_row + column] = rounded(total);
    }
}

// A number for each value that orders like the value, and for equal values the first one is the largest.
__device__ unsigned long long ordered(float value, unsigned int index)
{
    unsigned int bits = __float_as_uint(value);
    bits = bits >> 31 ? ~bits : bits | 0x80000000;
    return (unsigned long long)bits << 32 | ~index;
}

// The largest of each block's values.
__global__ void largest(unsigned int n, const __nv_bfloat16* x, unsigned long long* out)
{
    unsigned long long best = 0;
    for (unsigned int i = thread(); i < n; i += gridDim.x * blockDim.x) {
        best = Max()(best, ordered(load(x[i]), i));
    }
    best = of_block(best, 0ull, Max());
    if (threadIdx.x == 0) {
        out[blockIdx.x] = best;
    }
}

// The index of the largest value, by one block.
__global__ void select(unsigned int n, const unsigned long long* best_of_blocks, unsigned int* index)
{
    unsigned long long best = 0;
    for (unsigned int i = threadIdx.x; i < n; i += blockDim.x) {
        best = Max()(best, best_of_blocks[i]);
    }
    best = of_block(best, 0ull, Max());
    if (threadIdx.x == 0) {
        *index = ~(unsigned int)best;
    }
}

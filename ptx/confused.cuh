// Kernels with parameters that are easily confused: pointers and integers, textures, surfaces and memory, tables of addresses,
// elements of which only a part is used. The suite `code` has a table of right and wrong structs for each.
// A source that includes this file defines KERNEL first.

// ---- Pointers and integers.

struct Span {
    float* data;
    long long count;
};

KERNEL gather(float const* x, long long at, float* out, long long unused) {
    if (at > 3) out[0] = x[at];
}
// A count that is only compared.
KERNEL copy_less(float const* x, unsigned long long count, float* out) {
    unsigned i = threadIdx.x;
    if (i < count) out[i] = x[i];
}
KERNEL fill_span(Span span, float value) { span.data[threadIdx.x * span.count] = value; }
KERNEL clear_span(Span span) {
    if (threadIdx.x < span.count) span.data[threadIdx.x] = 0;
}
KERNEL sum_between(float const* begin, float const* end, float* out) {
    float sum = 0;
    for (float const* at = begin; at != end; ++at) sum += *at;
    *out = sum;
}
// An address in an integer.
KERNEL from_address(unsigned long long address, float* out) {
    out[threadIdx.x] = ((float const*)address)[threadIdx.x];
}

// ---- Textures, surfaces and memory.

struct Source {
    cudaTextureObject_t texture;
    float scale;
};
struct Pair {
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    float* out;
};
struct Layers {
    cudaTextureObject_t textures[2];
};

KERNEL render(cudaTextureObject_t texture, cudaSurfaceObject_t surface, float* out, int n) {
    float value = tex1Dfetch<float>(texture, n);
    surf1Dwrite(value, surface, n * 4);
    out[n] = value;
}
KERNEL blur(cudaTextureObject_t texture, float* out, int n) {
    float4 texel = tex2D<float4>(texture, n + 0.5f, 0.25f);
    out[n] = texel.x + texel.w;
}
KERNEL layered(cudaTextureObject_t texture, float* out, int n) { out[n] = tex2DLayered<float>(texture, 0.5f, 0.5f, n); }
KERNEL gathered(cudaTextureObject_t texture, float4* out, int n) { out[n] = tex2Dgather<float4>(texture, 0.5f, 0.5f, 1); }
KERNEL read_surface(cudaSurfaceObject_t surface, int* out, int n) { out[n] = surf2Dread<int>(surface, n * 4, 0); }
KERNEL write_surface(cudaSurfaceObject_t surface, uchar4 value, int n) { surf3Dwrite(value, surface, n * 4, 1, 2); }
KERNEL scaled(Source source, float* out) { out[threadIdx.x] = source.scale * tex1Dfetch<float>(source.texture, threadIdx.x); }
KERNEL both(Pair pair, int n) {
    float value = tex1Dfetch<float>(pair.texture, n);
    surf1Dwrite(value, pair.surface, n * 4);
    pair.out[n] = value;
}
KERNEL two_layers(Layers layers, float* out, int n) {
    out[n] = tex1Dfetch<float>(layers.textures[0], n) - tex1Dfetch<float>(layers.textures[1], n);
}
// Which of both is only known when it runs.
KERNEL selected(cudaTextureObject_t a, cudaTextureObject_t b, float* out, int n) {
    out[n] = tex1Dfetch<float>(n > 4 ? a : b, n);
}
// Handles in memory.
KERNEL of_list(cudaTextureObject_t const* list, float* out, int n) { out[n] = tex1Dfetch<float>(list[n], n); }

// ---- Tables of addresses.

struct Batch {
    float const* const* inputs;
    float** outputs;
};

KERNEL batched(float const* const* a, float** c, int n) { c[n][0] = a[n][1]; }
KERNEL batched_doubles(double const* const* a, double* c, int n) { c[n] = a[n][1] * 2.0; }
KERNEL batched_members(Batch batch, int n) { batch.outputs[n][0] = batch.inputs[n][1]; }
KERNEL by_offset(float* base, unsigned long long const* offsets, int n) { base[offsets[n]] = 1.0f; }

// ---- Parts of elements, and bits of other types.

KERNEL low_16(unsigned const* keys, unsigned short* out, int n) { out[n] = (unsigned short)keys[n]; }
KERNEL low_32(unsigned long long const* keys, unsigned* out, int n) { out[n] = (unsigned)keys[n]; }
KERNEL exponent(double const* x, int* out, int n) { out[n] = __double2hiint(x[n]) >> 20; }
KERNEL float_bits(unsigned* out, float const* x, int n) { out[n] = __float_as_uint(x[n] * 2.0f); }
KERNEL store_half_word(unsigned* out, float const* x, int n) { *(unsigned short*)(out + n) = (unsigned short)x[n]; }
KERNEL top_byte(float const* x, unsigned char* out, int n) { out[n] = ((unsigned char const*)(x + n))[3] >> 7; }
KERNEL low_nibbles(unsigned const* packed, unsigned char* out, int n) { out[n] = ((unsigned char const*)packed)[n] & 15; }
// Bits of `__nv_bfloat16` and `__half`, as the conversions of CUDA compute them.
KERNEL bfloat_bits(short* out, float const* x, int n) {
    short bits;
    asm("{cvt.rn.bf16.f32 %0, %1;}" : "=h"(bits) : "f"(x[n]));
    out[n] = bits;
}
KERNEL half_bits(unsigned short* out, float const* x, int n) {
    unsigned short bits;
    asm("{cvt.rn.f16.f32 %0, %1;}" : "=h"(bits) : "f"(x[n]));
    out[n] = bits;
}
// Elements that are not punned, for the other direction.
KERNEL double_it(float const* x, float* out, int n) { out[n] = x[n] * 2.0f; }

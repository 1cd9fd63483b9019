// One kernel for each C++ type of a parameter: the suite `verdicts` compares each with every host type.
// A source that includes this file defines KERNEL(name, type) first.

// CUDA's halves, declared as in NVIDIA's headers for the ABI.
struct __align__(2) __half {
    unsigned short bits;
};
struct __align__(2) __nv_bfloat16 {
    unsigned short bits;
};
struct __align__(4) __half2 {
    __half x, y;
};
// CUtensorMap of cuda.h for CUDA 13.
struct alignas(128) CUtensorMap_st {
    unsigned long long opaque[16];
};
using CUtensorMap = CUtensorMap_st;

enum Plain { Zero, One };
enum class Color : unsigned char { Red, Green = 7 };
enum class Mode : int { Fast = -1, Exact };

struct Pair {
    int key;
    float weight;
};
namespace sim {
struct Pair {
    int key;
    float weight;
};
}
struct __attribute__((packed)) Packed {
    char tag;
    int number;
};
struct alignas(16) Aligned {
    float x, y, z;
};
struct Nested {
    Pair pair;
    double scale;
};
struct Floats3 {
    float v[3];
};
struct Rows {
    float m[2][3];
};
struct Pairs {
    Pair pairs[2];
};
struct Floats4 {
    float x, y, z, w;
};
struct Vectors {
    float4 color;
    uchar4 pixel;
};
struct View {
    float* data;
    int length;
};
struct Reference {
    float& value;
};
struct Flags {
    bool on;
    Color color;
    short count;
};
union Either {
    int number;
    float real;
};
struct Bits {
    unsigned int low : 4;
    unsigned int high : 28;
};
struct Derived : Pair {
    double scale;
};
struct Nothing {
};
template <typename T>
struct Box {
    T value;
};
using Function = void (*)(int);
using Row = float[4];

KERNEL(bool_, bool)
KERNEL(char_, char)
KERNEL(signed_char, signed char)
KERNEL(unsigned_char, unsigned char)
KERNEL(char16, char16_t)
KERNEL(char32, char32_t)
KERNEL(wide_char, wchar_t)
KERNEL(short_, short)
KERNEL(unsigned_short, unsigned short)
KERNEL(int_, int)
KERNEL(const_int, int const)
KERNEL(unsigned_int, unsigned int)
KERNEL(long_, long)
KERNEL(unsigned_long, unsigned long)
KERNEL(long_long, long long)
KERNEL(unsigned_long_long, unsigned long long)
KERNEL(int128, __int128)
KERNEL(unsigned_int128, unsigned __int128)
KERNEL(float_, float)
KERNEL(double_, double)
KERNEL(half, __half)
KERNEL(bfloat16, __nv_bfloat16)
KERNEL(half2, __half2)
KERNEL(plain_enum, Plain)
KERNEL(color, Color)
KERNEL(mode, Mode)
KERNEL(char2_, char2)
KERNEL(uchar4_, uchar4)
KERNEL(int4_, int4)
KERNEL(uint4_, uint4)
KERNEL(float1_, float1)
KERNEL(float2_, float2)
KERNEL(float3_, float3)
KERNEL(int3_, int3)
KERNEL(uchar3_, uchar3)
KERNEL(float4_, float4)
KERNEL(double2_, double2)
KERNEL(double4_, double4_32a)
KERNEL(ulonglong2_, ulonglong2)
KERNEL(dim3_, dim3)
KERNEL(texture, cudaTextureObject_t)
KERNEL(surface, cudaSurfaceObject_t)
KERNEL(tensor_map, CUtensorMap)
KERNEL(to_void, void*)
KERNEL(to_const_void, void const*)
KERNEL(to_bool, bool*)
KERNEL(to_char, char*)
KERNEL(to_unsigned_char, unsigned char const*)
KERNEL(to_int, int*)
KERNEL(to_unsigned_int, unsigned int*)
KERNEL(to_long_long, long long*)
KERNEL(to_float, float*)
KERNEL(to_const_float, float const*)
KERNEL(to_volatile_float, float volatile*)
KERNEL(to_restrict_float, float* __restrict__)
KERNEL(to_const_restrict_float, float const* __restrict__)
KERNEL(to_double, double*)
KERNEL(to_half, __half*)
KERNEL(to_color, Color*)
KERNEL(to_float4, float4*)
KERNEL(to_pair, Pair*)
KERNEL(to_sim_pair, sim::Pair const*)
KERNEL(to_row, Row*)
KERNEL(to_const_row, Row const*)
KERNEL(to_function, Function)
KERNEL(to_pointer, float**)
KERNEL(to_pointer_to_const, float const**)
KERNEL(to_const_pointer, float* const*)
KERNEL(to_const_pointer_to_const, float const* const*)
KERNEL(to_void_pointer, void**)
KERNEL(pair, Pair)
KERNEL(sim_pair, sim::Pair)
KERNEL(packed, Packed)
KERNEL(aligned, Aligned)
KERNEL(nested, Nested)
KERNEL(floats3, Floats3)
KERNEL(rows, Rows)
KERNEL(pairs, Pairs)
KERNEL(floats4, Floats4)
KERNEL(vectors, Vectors)
KERNEL(view, View)
KERNEL(reference, Reference)
KERNEL(flags, Flags)
KERNEL(either, Either)
KERNEL(bits, Bits)
KERNEL(derived, Derived)
KERNEL(nothing, Nothing)
KERNEL(box_float, Box<float>)
KERNEL(box_pointer, Box<float*>)

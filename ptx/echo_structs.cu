// Structs by value, enums and opaque objects, each between two chars.
// The comments give size / alignment, and where the padding is.
#include "echo.cuh"

// 32/16: 12 bytes of padding after `f`.
struct FloatFloat4 {
    float f;
    float4 f4;
};
ECHO_STRUCT(struct_float_float4, FloatFloat4)

// 24/8: 7 bytes after `head`, 4 at the end.
struct CharDoubleInt {
    char head;
    double d;
    int tail;
};
ECHO_STRUCT(struct_char_double_int, CharDoubleInt)

// 8/4: 3 bytes of padding at the end.
struct TailPadding {
    int i;
    char c;
};
ECHO_STRUCT(struct_tail_padding, TailPadding)

// 64/16: structs in a struct, 8 bytes after `tail`, 4 at the end.
struct Nested {
    FloatFloat4 inner;
    TailPadding tail;
    float3 f3;
};
ECHO_STRUCT(struct_nested, Nested)

// 136/8: 4 bytes after `n`, arrays in a struct.
struct Shape {
    int n;
    unsigned long shape[8];
    unsigned long strides[8];
};
ECHO_STRUCT(struct_shape, Shape)

// 12/4: how C++ passes an array by value.
struct Floats3 {
    float v[3];
};
ECHO_STRUCT(array_f32_3, Floats3)

// 48/4: an array of structs, each with its own padding.
struct Pairs {
    TailPadding pairs[2][3];
};
ECHO_STRUCT(struct_array_of_structs, Pairs)

// 16/4: 1 byte after `d`, 1 after `f`, 3 at the end.
struct Flags {
    bool a;
    char b;
    bool c;
    unsigned char d;
    unsigned short e;
    bool f;
    unsigned int g;
    bool h;
};
ECHO_STRUCT(struct_flags, Flags)

// 32/16: 15 bytes after `c`.
struct CharInt128 {
    char c;
    __int128 i;
};
ECHO_STRUCT(struct_char_i128, CharInt128)

// 24/8: pointers travel in a struct as well; 4 bytes at the end.
struct View {
    float const* data;
    void* context;
    unsigned int length;
};
ECHO_STRUCT(struct_view, View)

// 16/8: a template instance; 4 bytes after `first`.
template <typename A, typename B>
struct Pair {
    A first;
    B second;
};
using PairFloatDouble = Pair<float, double>;
ECHO_STRUCT(struct_pair_f32_f64, PairFloatDouble)

// 12/2: `char3` has alignment 1, a half 2; 1 byte after `color`.
struct __align__(2) Half {
    unsigned short bits;
};
struct Pixel {
    char3 color;
    Half depth;
    ushort3 normal;
};
ECHO_STRUCT(struct_pixel, Pixel)

// Enums are passed as their underlying type.
enum class EnumU8 : unsigned char { None };
enum class EnumI16 : short { None };
enum class EnumI32 : int { None };
enum class EnumU64 : unsigned long long { None };
ECHO_SCALAR(enum_u8, EnumU8)
ECHO_SCALAR(enum_i16, EnumI16)
ECHO_SCALAR(enum_i32, EnumI32)
ECHO_SCALAR(enum_u64, EnumU64)

// cuFloatComplex and cuDoubleComplex are typedefs of these vectors in cuComplex.h.
using FloatComplex = float2;
using DoubleComplex = double2;
ECHO_STRUCT(float_complex, FloatComplex)
ECHO_STRUCT(double_complex, DoubleComplex)

// cudaTextureObject_t and cudaSurfaceObject_t are handles of 8 bytes.
using TextureObject = unsigned long long;
using SurfaceObject = unsigned long long;
ECHO_SCALAR(texture_object, TextureObject)
ECHO_SCALAR(surface_object, SurfaceObject)

// CUtensorMap of cuda.h: 128 opaque bytes, aligned to 64 by CUDA 12 and to 128 by CUDA 13.
struct alignas(64) TensorMap64 {
    unsigned long long opaque[16];
};
struct alignas(128) TensorMap128 {
    unsigned long long opaque[16];
};
ECHO_STRUCT(tensor_map_64, TensorMap64)
ECHO_STRUCT(tensor_map_128, TensorMap128)

// Alignments above 16, where the offset depends on the GPU. The size of each struct is its alignment.
struct alignas(32) Align32 {
    unsigned int word;
};
struct alignas(64) Align64 {
    unsigned int word;
};
struct alignas(128) Align128 {
    unsigned int word;
};
ECHO_STRUCT(align_32, Align32)
ECHO_STRUCT(align_64, Align64)
ECHO_STRUCT(align_128, Align128)

// All three in one block, the widest neither first nor last, with scalars in the gaps.
extern "C" __global__ void echo_align_mixed(unsigned char* out, char a, BY_VALUE(Align32) b,
    short c, BY_VALUE(Align128) d, int e, BY_VALUE(Align64) f, double g)
{
    echo(out, a, b, c, d, e, f, g);
}

// A tensor map before a pointer: typical for a kernel that loads tiles.
extern "C" __global__ void echo_tensor_map_first(
    unsigned char* out, BY_VALUE(TensorMap128) map, float* destination)
{
    echo(out, map, destination);
}

// Kernels with every common kind of C++ parameter: the struct that is generated for each must match it.
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
typedef unsigned long size_t;

struct Node {
    Node* next;
    int value;
};
struct Second;
struct First {
    Second* second;
    char kind;
};
struct Second {
    First first;
    const Second* self;
};

namespace a {
struct Inner {
    int x;
};
struct Config {
    Inner inner;
    float scale;
};
struct Same {
    int n;
};
struct T {
    short s;
};
}
namespace b {
struct Inner {
    double y;
    bool on;
};
struct Config {
    Inner inner;
    char tail;
};
using Same = a::Same;
struct T {
    long l;
};
}
namespace {
struct Hidden {
    int h;
};
}

enum Plain { ZERO, ONE, ALSO_ONE = 1, MINUS = -7 };
enum class Flag : bool { No, Yes };
enum class Byte : unsigned char {};
enum class Wide : unsigned long long { Low = 1, High = 0x8000000000000000ull, type = 3, Self = 4, self = 5, crate = 6, _ = 7 };
enum Bits16 : unsigned short { BITS_NONE = 0, BITS_ALL = 0xffff };
enum class Small : signed char { A = -128, B = 127 };

union Either {
    int i;
    double d;
};
struct Base {
    int b;
};
struct Derived : Base {
    double d;
};
struct Virtual {
    virtual __device__ int get() const;
    int v;
};
struct Fields {
    unsigned low : 3;
    unsigned high : 5;
};
#pragma pack(push, 1)
struct Packed {
    char c;
    int i;
};
#pragma pack(pop)
struct HasPacked {
    short s;
    Packed packed;
    double d;
};
struct alignas(64) Line {
    int n;
};
struct Aligned {
    float f;
    alignas(16) int v[3];
    char tail;
};
struct alignas(16) Four {
    float x, y, z, w;
};
struct HasFour {
    float before;
    Four four;
    Four more[2];
};
struct Empty {};
struct alignas(8) WideEmpty {};
struct HasEmpty {
    char c;
    Empty empty;
    int i;
};
struct Unnamed {
    struct {
        short inside;
        union {
            int i;
            float f;
        };
    } named;
    union {
        long l;
        char bytes[5];
    };
    struct {
        bool flag;
        Byte byte;
    };
};
struct HasOpaque {
    char c;
    Either either;
    char d;
    Derived derived[2];
    Fields fields;
    bool e;
    Virtual* pointer;
};
struct Keywords {
    int type, self, Self, super, crate, fn, nRows, match, ref, a__b;
};
template <typename T, int N> struct Box {
    T items[N];
    const T* begin;
    Box<T, N>* next;
};
template <typename T> struct Outer {
    struct Inner {
        T value;
    };
    Inner inner;
};
enum class Season { Spring, Autumn = 2 };
struct Leaf {
    float weight;
    Season season;
};
struct Tree {
    const Tree* left;
    const Tree* right;
    Leaf* leaf;
    Either either;
};
struct Undescribed {
    int n;
};
class Class {
    float4 hidden;
    static const int count = 3;

  public:
    int3 open;
    double2 two;
    dim3 grid;
    cudaTextureObject_t texture[2];
    size_t size;
    __int128 huge;
};
struct CudaSlice {
    int n;
};
struct DeviceType {
    int n;
};
struct KernelArgs {
    int n;
};
struct Option {
    int n;
};
struct Copy {
    int n;
};
struct Float4 {
    float x, y, z, w;
};
struct u32 {
    short s;
};
struct __half {
    unsigned short __x;
};
struct alignas(4) __half2 {
    __half x, y;
};
struct __nv_fp8_e4m3 {
    unsigned char __x;
};
struct Halves {
    __half h;
    __half2 h2;
    __half array[3];
    __nv_fp8_e4m3 f8[2];
};

extern "C" {
__global__ void lists(Node* head, const Node* const* table, First first, const Second* second, Node node) {}
// Only a pointee: the compiler describes types that the body uses.
__global__ void walk(const Tree* tree, Leaf** leaves, const Undescribed* other)
{
    while (tree->left) {
        tree = tree->left;
        leaves[0]->weight += tree->leaf->weight;
    }
}
__global__ void pointers(void* v, const void* cv, void** vv, float4* const* deep, int (*rows)[4], int (*function)(float),
                         const volatile int* __restrict__ volatile_, int& reference, const a::Config& config,
                         cudaTextureObject_t* textures, unsigned long* longs, char* text, Virtual* object, Either* either,
                         bool* flags, Byte* bytes, Plain* plain, Class* all, struct Incomplete* incomplete) {}
__global__ void objects(cudaTextureObject_t texture, const cudaSurfaceObject_t surface, unsigned long long number, size_t n) {}
__global__ void namespaces(a::Config one, b::Config two, a::Same same, b::Same again, a::T t, b::T u) {}
__global__ void enums(Plain plain, Flag flag, Byte byte, Wide wide, Bits16 bits, Small small) {}
__global__ void opaque(Either either, Derived derived, Fields fields, HasOpaque has, Unnamed unnamed) {}
__global__ void packed(char c, Packed packed, HasPacked has, char d) {}
__global__ void aligned(char c, Line line, char d, Aligned aligned, Four four, HasFour has, char e) {}
__global__ void empty(Empty empty, WideEmpty wide, HasEmpty has) {}
__global__ void halves(__half h, __half2 h2, Halves halves, const __half* p, __half2* q, __nv_fp8_e4m3* r) {}
__global__ void numbers(bool b, char c, signed char sc, unsigned char uc, short s, unsigned short us, int i, unsigned u, long l,
                        unsigned long ul, long long ll, unsigned long long ull, float f, double d, __int128 big,
                        unsigned __int128 ubig, wchar_t w, char16_t c16, char32_t c32) {}
__global__ void vectors(char1 c1, uchar3 c3, short2 s2, ushort4 s4, int3 i3, uint4 u4, longlong2 l2, float1 f1, float4 f4,
                        double3 d3, dim3 grid) {}
__global__ void keywords(int type, int self, int Self, int super, int crate, int fn, int nRows, int r, int self_, int _1,
                         Keywords keywords) {}
__global__ void unnamed(int, float, int arg0, int) {}
__global__ void shadows(CudaSlice one, DeviceType two, KernelArgs three, Option four, Copy five, Float4 six, u32 seven,
                        CudaSlice* pointer) {}
__global__ void nothing() {}
__global__ void Float4_(int n) {}
__global__ void class_(Class by_value, const Class constant) {}
}
__global__ void hidden(Hidden hidden, Hidden* pointer) {}
__global__ void overloaded(int n) {}
__global__ void overloaded(float n) {}
__global__ void overloaded(Node n, const Node* p) {}
__global__ void Config(a::Config config) {}
namespace c {
__global__ void Config(b::Config config) {}
}
template <typename T, int N> __global__ void boxes(Box<T, N> box, const Box<T, N>* more, typename Outer<T>::Inner inner) {}
template __global__ void boxes<float, 3>(Box<float, 3>, const Box<float, 3>*, Outer<float>::Inner);
template __global__ void boxes<Node*, 1>(Box<Node*, 1>, const Box<Node*, 1>*, Outer<Node*>::Inner);
template __global__ void boxes<Box<int, 2>, 2>(Box<Box<int, 2>, 2>, const Box<Box<int, 2>, 2>*, Outer<Box<int, 2>>::Inner);
template <typename... Ts> __global__ void pack(int n, Ts... values) {}
template __global__ void pack<>(int);
template __global__ void pack<int, int, float>(int, int, int, float);

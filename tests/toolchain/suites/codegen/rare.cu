// Kernels with rare C++ parameters, which compilers describe in special ways.
namespace decl {
struct A { float a; int b; };
struct Params { A a; char t; };
}
namespace other {
struct Params { double d; };
namespace decl { struct Params { short s[3]; }; }
}
inline namespace v2 { struct Versioned { int major; float minor; }; }
namespace { struct Params { unsigned u; }; namespace deep { struct Secret { long l; }; } }

typedef float* FloatPtr;
typedef const float ConstFloat;
typedef float Row[4];
typedef const int Grid[2][3];
typedef struct { int x, y; } Anonymous;
typedef struct Tagged { int v; } TaggedAlias;
typedef TaggedAlias Twice;
typedef enum { RED, GREEN = 5 } Colour;
typedef void (*Callback)(int, float*);
using Member = int decl::A::*;
using Method = int (decl::A::*)(float) const;
using Null = decltype(nullptr);
template <typename T> using Ptr = T*;

// Base classes and virtual functions.
struct None {};
struct None2 {};
struct OnlyEmptyBase : None { int v; };
struct TwoBases : decl::A, None, None2 { float f; };
struct VirtualBase : virtual decl::A { int v; };
struct Abstract { virtual __device__ void f() = 0; int n; };
struct Chain3 : TwoBases { char c; };
struct EmptyDerived : decl::A {};

// Bit fields.
struct ZeroWidth { int a : 3; int : 0; int b : 5; };
struct WholeWidth { int a : 32; int b; };
struct UnnamedBits { int : 4; int a; };
struct BoolBits { bool a : 1; bool b : 1; char c; };
struct EnumBits { Colour c : 4; short s; };

// Members of every kind.
struct Refs { int& r; const float& cr; };
struct Quals { const int c; volatile float v; const volatile short cv; mutable int m; float* const p; const float* const* volatile q; };
struct Pointers { Member m; Callback c; FloatPtr f; const FloatPtr cf; Row* row; const Row* crow; float (&ref)[4]; };
struct MethodPtr { Method m; int n; };
struct NullMember { Null n; int i; };
struct Statics { static constexpr float k = 1; int n; struct Nested { static const int z = 2; char c; } nested; enum Local { ONE = 1, TWO } local; using Alias = short; Alias alias; };
struct Zero { int n; float last; };
struct Grids { Grid g; Row rows[2]; ConstFloat f[3]; };
struct Level4 { char c; };
struct Level3 { Level4 four[3]; short s; };
struct Level2 { Level3 three[2]; double d; };
struct Level1 { Level2 two; Level2 more[2]; bool b; };
struct NoUnique { [[no_unique_address]] None none; int i; };
struct alignas(128) Wide { char c[128]; };
struct AlignedMember { char c; alignas(32) float f; char d; };
struct AlignedArray { char c; alignas(64) char pad[3]; };
struct alignas(2) Lowered { char c; };
struct HasWide { char c; Wide w; char d; };
struct EmptyArray { None none[3]; int i; };
struct OnlyPadding { None none; };
struct CharArrays { char text[7]; signed char sc[2]; unsigned char uc[3]; wchar_t w[2]; char16_t u[3]; char32_t U; bool flags[5]; };
struct Long { long l[2]; unsigned long ul; long long ll; };
struct Anonymous4 { union { struct { struct { int deep; }; float f; }; double d; }; struct { union { char c; short s; }; int z; }; };
union Plain { int i; float f; };
struct UnionMember { Plain p; int kind; };
struct ArrayOfAnonymous { struct { int key; float value; } entries[3]; union { int i; char c[4]; } words[2]; };
struct SelfArray { SelfArray* children[4]; SelfArray** list; const SelfArray* parent; };
struct Big { char bytes[4000]; };
class Private { int a; protected: float b; public: char c; private: struct Inner { int z; } inner; };
struct WithFunctions { int n; __device__ WithFunctions() : n(1) {} __device__ ~WithFunctions() {} __device__ int operator()(int) const { return n; } template <typename T> __device__ T get() { return T(n); } };

// Enums.
enum class Neg8 : signed char { Min = -128, Zero = 0, Max = 127 };
enum class U8 : unsigned char { Low, High = 255 };
enum class U16 : unsigned short { High = 65535 };
enum class U32 : unsigned { Low, High = 4294967295u };
enum class I64 : long long { Min = (-9223372036854775807ll - 1), Max = 9223372036854775807ll };
enum class U64 : unsigned long { High = 18446744073709551615ul };
enum class CharEnum : char { A = 'a', Z = 'z' };
enum class BoolEnum : bool { F, T };
enum class Char16Enum : char16_t { A = u'\x20ac' };
enum Unfixed { UNFIXED_NEG = -5, UNFIXED_BIG = 100000 };
enum UnfixedUnsigned { UU = 4000000000u };
enum UnfixedLong { UL_A = 1, UL_B = 0x100000000ll };
enum UnfixedULong { UUL = 0xffffffffffffffffull };
enum Opaque : short;
enum class Dup { A = 1, B = 1, C = A };
namespace decl { enum class Params2 { X, Y }; }
struct EnumHolder { enum class Kind : unsigned char { None, Some, All = 200 } kind; enum { UNNAMED_A, UNNAMED_B = 9 } unnamed; Kind kinds[3]; decl::Params2 p2; };

// Templates.
template <int N, bool B, char C, Colour K, typename T, T* P> struct NonType { T t[N > 0 ? N : 1]; };
template <typename... Ts> struct Tuple {};
template <typename T, typename... Ts> struct Tuple<T, Ts...> { T head; Tuple<Ts...> tail; };
template <typename T> struct Wrapper { T value; };
template <template <typename> class W, typename T> struct Rebind { W<T> w; };
template <typename T, typename U = T*> struct Default { T t; U u; };
template <typename T> struct Crtp { T* self; };
struct Curious : Crtp<Curious> { int n; };
__device__ int global;

extern "C" {
__global__ void same_names(decl::Params a, other::Params b, other::decl::Params c, Versioned v) {}
__global__ void typedefs(FloatPtr f, const FloatPtr cf, ConstFloat* p, Row* row, const Row* crow, Anonymous a, Anonymous* pa, Tagged t, TaggedAlias ta, Twice* tw, Colour c, const Colour cc, Colour* pc) {}
__global__ void functions(Callback cb, void (&fn)(int), int (*(*nested)(float))(char), Callback* table) {}
__global__ void members(Member m, Null n, int i) {}
__global__ void methods(Method m, int i) {}
__global__ void references(int& r, const float& cr, float (&ra)[3], const Row& rr, int*& rp, const decl::Params& cp, Plain& u) {}
__global__ void deep(const int* const* const* const* p4, int* const volatile* const* * * * * p7, const char* const* const* const* const* const* const* const* const* p9, void**** v4, int* const* const* const* const* const* const* const* p8) {}
__global__ void arrays(int (*p)[3][4], const int (*cp)[5], int* (*ap)[2], Grid* g, int (*(*pp))[7], float (*const* cpp)[2]) {}
__global__ void empties(None n, OnlyEmptyBase o, None2* p, EmptyArray ea, OnlyPadding op, NoUnique nu, EmptyDerived ed) {}
__global__ void bases(TwoBases t, int a, Chain3 c, Curious k, EmptyDerived e, int z) {}
__global__ void bits(ZeroWidth z, WholeWidth w, UnnamedBits u, BoolBits b, EnumBits e, int n) {}
__global__ void quals(Quals q, Pointers p, const int c, volatile int v, const volatile float cv, int* __restrict__ r, const int* __restrict__ const rc) {}
__global__ void method_member(MethodPtr m, NullMember n, Statics s, Statics::Local l, Statics::Nested ne) {}
__global__ void arrays_of(Zero z, Grids g, Level1 l, AlignedMember am, AlignedArray aa, Lowered lo) {}
__global__ void wide(char c, Wide w, char d, HasWide h, char e) {}
__global__ void chars(CharArrays c, Long l, wchar_t w, char16_t c16, char32_t c32, const char* s, const wchar_t* ws, char16_t* us) {}
__global__ void anonymous(Anonymous4 a, Plain p, UnionMember um, ArrayOfAnonymous aoa) {}
__global__ void selfish(SelfArray s, SelfArray* const* p, Big b, Private pr) {}
__global__ void enums8(Neg8 a, U8 b, U16 c, U32 d, I64 e, U64 f, CharEnum g, BoolEnum h, Char16Enum i) {}
__global__ void enums_unfixed(Unfixed a, UnfixedUnsigned b, UnfixedLong c, UnfixedULong d, Opaque e, Dup f, decl::Params2 g, EnumHolder h) {}
__global__ void enum_pointers(Neg8* a, const Unfixed* b, EnumHolder::Kind* c, Opaque* d) {}
__global__ void nontype(NonType<-3, true, 'x', GREEN, int, &global> n, Tuple<int, char, double> t, Rebind<Wrapper, short> r, Default<float> d, Wrapper<Wrapper<const int*>> w) {}
__global__ void grid_constant(const __grid_constant__ decl::Params p, const __grid_constant__ int n) {}
__global__ void volatile_struct(volatile Anonymous* p, const volatile decl::A* q) {}
__global__ void int128s(__int128 a, unsigned __int128 b, __int128* p, int c) {}
__global__ void names(int box, int let, int mut, int dyn, int async, int await, int yield, int abstract, int final, int become, int priv, int macro, int gen, int raw, int str, int union_, int usize, int f32, int u8, int core, int std, int kernel_args, int with_packed, int SIGNATURE, int PARAMETERS, int __x, int _, int a_, int _a) {}
__global__ void launch(int launch) {}
__global__ void Vec(int n) {}
__global__ void vec(int n) {}
__global__ void VEC(float n) {}
__global__ void self(int n) {}
__global__ void core(int n) {}
__global__ void kernel_args(int n) {}
__global__ void IMAGE(int n) {}
__global__ void structs(int n) {}
__global__ void u32_(int n) {}
}
static __global__ void hidden_static(Params p, int n) {}
namespace { __global__ void hidden_anonymous(deep::Secret s, Params* p) {} }
namespace decl { __global__ void kernel(Params p) {} namespace inner { __global__ void kernel(A a, other::Params* p) {} } }
namespace other { __global__ void kernel(Params p, decl::Params q, ::decl::Params r) {} }
template <typename T> __global__ void each(T t, Ptr<T> p, const T* c, int n) {}
template __global__ void each<decl::Params>(decl::Params, decl::Params*, const decl::Params*, int);
template __global__ void each<other::Params>(other::Params, other::Params*, const other::Params*, int);
template __global__ void each<const int*>(const int*, const int**, const int* const*, int);
template __global__ void each<int[2]>(int*, int (*)[2], const int (*)[2], int);
template __global__ void each<Wrapper<decl::A>>(Wrapper<decl::A>, Wrapper<decl::A>*, const Wrapper<decl::A>*, int);
template __global__ void each<Colour>(Colour, Colour*, const Colour*, int);
template <int N, bool B, char C> __global__ void values(int n) {}
template __global__ void values<-1, true, 'a'>(int);
template __global__ void values<-1, false, 'a'>(int);
template <auto V> __global__ void autos(int n) {}
template __global__ void autos<U8::High>(int);
template __global__ void autos<5u>(int);

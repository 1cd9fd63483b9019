// g++ -gdwarf-4 -O0 -c launchers.cpp -o launchers.dwarf-4.o, and the same for 5. Read by the suites `image` and `memory`.
typedef unsigned long size_t;
struct CUstream_st;
typedef CUstream_st* cudaStream_t;
enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1 };
typedef cudaError cudaError_t;
enum class Mode : unsigned char { Fast = 1, Exact = 2 };
struct Inner { float x; double y; };
struct Params { int n; Inner inner[2]; };
struct Copied { int a; Copied(const Copied&); };
struct Empty {};
typedef float vector4 __attribute__((vector_size(16)));
extern "C" {
cudaError_t scale(float const* x, float* y, size_t n, Params p, Mode mode, cudaStream_t stream) { return cudaSuccess; }
void middle(int a, cudaStream_t stream, bool b) {}
void two_streams(cudaStream_t a, cudaStream_t b) {}
void variadic(int a, ...) {}
Params returns_struct(int a) { return {}; }
void long_double(long double x) {}
void reference(int& x) {}
void copied(Copied c) {}
void empty(Empty e) {}
void vector(vector4 v) {}
static void hidden(int x) {}
}
void cpp_only(int x) { hidden(x); }

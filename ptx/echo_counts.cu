// Few and many parameters, small and large parameter blocks, and kernels without parameters.
// `out` of these kernels must be aligned to 4, because the kernels store words.
#include "echo.cuh"

// Parameters of 8 and 4 bytes in turns (4 bytes of padding follow each 4-byte parameter), made
// from lists: `M` is the macro for each pair, `p` the leading digits of its number.
#define LIST4(M, p) M(p##0) M(p##1) M(p##2) M(p##3)
#define LIST8(M, p) M(p##0) M(p##1) M(p##2) M(p##3) M(p##4) M(p##5) M(p##6) M(p##7)
#define LIST32(M, p) LIST8(M, p##0) LIST8(M, p##1) LIST8(M, p##2) LIST8(M, p##3)
#define LIST256(M, p)                                                                            \
    LIST32(M, p##0) LIST32(M, p##1) LIST32(M, p##2) LIST32(M, p##3)                              \
    LIST32(M, p##4) LIST32(M, p##5) LIST32(M, p##6) LIST32(M, p##7)

#define DECLARE(n) , unsigned long long a##n, unsigned int b##n
#define WRITE(n)                                                                                 \
    *words++ = (unsigned int)a##n;                                                               \
    *words++ = (unsigned int)(a##n >> 32);                                                       \
    *words++ = b##n;

#define FIRST_THREAD (blockIdx.x == 0 && threadIdx.x == 0)

extern "C" __global__ void echo_1(unsigned char* out, unsigned long long a)
{
    unsigned int* words = reinterpret_cast<unsigned int*>(out);
    if (FIRST_THREAD) {
        words[0] = (unsigned int)a;
        words[1] = (unsigned int)(a >> 32);
    }
}

#define ECHO_COUNT(count, list)                                                                  \
    extern "C" __global__ void echo_##count(unsigned char* out list(DECLARE, ))                  \
    {                                                                                            \
        unsigned int* words = reinterpret_cast<unsigned int*>(out);                              \
        if (FIRST_THREAD) {                                                                      \
            list(WRITE, )                                                                        \
        }                                                                                        \
    }

ECHO_COUNT(8, LIST4)
ECHO_COUNT(64, LIST32)
ECHO_COUNT(512, LIST256)

// Blocks of exactly 4096 and 32764 bytes, including `out`: the limits before and since
// CUDA 12.1.
template <unsigned int N>
struct Bytes {
    unsigned char byte[N];
};

extern "C" __global__ void echo_bytes_4096(unsigned char* out, BY_VALUE(Bytes<4096 - 8>) bytes)
{
    echo(out, bytes);
}

extern "C" __global__ void echo_bytes_32764(unsigned char* out, BY_VALUE(Bytes<32764 - 8>) bytes)
{
    echo(out, bytes);
}

// A kernel without parameters cannot echo. This one does nothing…
extern "C" __global__ void nothing()
{
}

// …and this one has an effect: each thread adds one.
__device__ unsigned int bump_counter = 0;

extern "C" __global__ void bump()
{
    atomicAdd(&bump_counter, 1);
}

// Kernels that do nothing, to measure the cost of a launch.

struct Bytes4096 {
    unsigned long long word[512];
};

struct Bytes32760 {
    unsigned long long word[4095];
};

// Parameters of 8 bytes, made from lists: `M` is the macro for each, `p` the leading digits of
// its number.
#define WORD(n) , unsigned long long word##n
#define LIST8(M, p) M(p##0) M(p##1) M(p##2) M(p##3) M(p##4) M(p##5) M(p##6) M(p##7)
#define LIST64(M, p)                                                                             \
    LIST8(M, p##0) LIST8(M, p##1) LIST8(M, p##2) LIST8(M, p##3)                                  \
    LIST8(M, p##4) LIST8(M, p##5) LIST8(M, p##6) LIST8(M, p##7)
#define LIST7(M, p) M(p##0) M(p##1) M(p##2) M(p##3) M(p##4) M(p##5) M(p##6)

extern "C" __global__ void words_1(unsigned long long word)
{
}

extern "C" __global__ void words_8(unsigned long long word LIST7(WORD, ))
{
}

extern "C" __global__ void words_32(
    unsigned long long word LIST7(WORD, 0) LIST8(WORD, 1) LIST8(WORD, 2) LIST8(WORD, 3))
{
}

extern "C" __global__ void words_64(
    unsigned long long word LIST7(WORD, 0) LIST8(WORD, 1) LIST8(WORD, 2) LIST8(WORD, 3)
        LIST8(WORD, 4) LIST8(WORD, 5) LIST8(WORD, 6) LIST8(WORD, 7))
{
}

extern "C" __global__ void words_128(
    unsigned long long word LIST7(WORD, 0) LIST8(WORD, 1) LIST8(WORD, 2) LIST8(WORD, 3)
        LIST8(WORD, 4) LIST8(WORD, 5) LIST8(WORD, 6) LIST8(WORD, 7) LIST64(WORD, 1))
{
}

extern "C" __global__ void words_512(
    unsigned long long word LIST7(WORD, 0) LIST8(WORD, 1) LIST8(WORD, 2) LIST8(WORD, 3)
        LIST8(WORD, 4) LIST8(WORD, 5) LIST8(WORD, 6) LIST8(WORD, 7) LIST64(WORD, 1)
            LIST64(WORD, 2) LIST64(WORD, 3) LIST64(WORD, 4) LIST64(WORD, 5) LIST64(WORD, 6)
                LIST64(WORD, 7))
{
}

extern "C" __global__ void bytes_4096(Bytes4096 bytes)
{
}

extern "C" __global__ void bytes_32760(Bytes32760 bytes)
{
}

extern "C" __global__ void slices(const float* x, const float* y, float* out, int n, float alpha,
                                  float beta, unsigned int stride, unsigned long long seed)
{
}

// Integers of 128 bits, which the compiler makes from chains of instructions with a carry.
typedef __int128 Signed;
typedef unsigned __int128 Unsigned;

// `values` has two numbers per thread, `results` 12.
extern "C" __global__ void wide_integers(const Signed* values, Signed* results)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const Signed a = values[2 * thread], b = values[2 * thread + 1];
    const Unsigned c = a, d = b;
    Signed* to = results + 12 * thread;
    to[0] = a / b;
    to[1] = a % b;
    to[2] = c / d;
    to[3] = c % d;
    to[4] = a + b;
    to[5] = a - b;
    to[6] = a * b;
    to[7] = -a;
    to[8] = a >> (int)(d & 127);
    to[9] = c >> (int)(d & 127);
    to[10] = c << (int)(d & 127);
    to[11] = (a < b) | (c < d) << 1 | (a <= b) << 2 | (c == d) << 3;
}

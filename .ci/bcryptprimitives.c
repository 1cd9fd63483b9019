/* The one function of bcryptprimitives.dll that Rust's standard library imports, for a wine that lacks the library. */
#include <stddef.h>

/* `RtlGenRandom` of advapi32. */
unsigned char __stdcall SystemFunction036(void *buffer, unsigned long length);

__declspec(dllexport) int ProcessPrng(unsigned char *buffer, size_t length)
{
    return SystemFunction036(buffer, (unsigned long)length);
}

// Each CUDA built-in vector type between two chars.
#include "echo.cuh"

#define ECHO_1_TO_3(base)                                                                        \
    ECHO_STRUCT(base##1, base##1)                                                                \
    ECHO_STRUCT(base##2, base##2)                                                                \
    ECHO_STRUCT(base##3, base##3)

#define ECHO_1_TO_4(base)                                                                        \
    ECHO_1_TO_3(base)                                                                            \
    ECHO_STRUCT(base##4, base##4)

// Four components of eight bytes: CUDA 13 names the alignment, 16 or 32, and deprecates the
// name without it, which has 16.
#define ECHO_WIDE(base)                                                                          \
    ECHO_1_TO_4(base)                                                                            \
    ECHO_STRUCT(base##4_16a, base##4_16a)                                                        \
    ECHO_STRUCT(base##4_32a, base##4_32a)

ECHO_1_TO_4(char)
ECHO_1_TO_4(uchar)
ECHO_1_TO_4(short)
ECHO_1_TO_4(ushort)
ECHO_1_TO_4(int)
ECHO_1_TO_4(uint)
ECHO_1_TO_4(float)

ECHO_WIDE(long)
ECHO_WIDE(ulong)
ECHO_WIDE(longlong)
ECHO_WIDE(ulonglong)
ECHO_WIDE(double)

ECHO_STRUCT(dim3, dim3)

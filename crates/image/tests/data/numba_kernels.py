"""Writes `numba_kernels.ptx`: kernels of numba, whose symbols contain types that their parameters do not have.

    python3 numba_kernels.py > numba_kernels.ptx        with the package `numba-cuda[cu13]`

The tags in the symbols are shortened, and the PTX has the version of CUDA 13.0.
"""

import re

import numpy
from numba import cuda, from_dtype
from numba.core.types import (CPointer, NPDatetime, UniTuple, complex64, float16, float32, float64, int8, int32, int64, intp, uint8)

RECORD = from_dtype(numpy.dtype([("a", numpy.float32), ("b", numpy.int32), ("c", numpy.float64)], align=True))


def record(r):
    r.c = 1.0


def tuple_of_one(t, p):
    p[0] = t[0]


def copy(p, q, n):
    p[n] = q[n]


def half(x, p):
    p[0] = x


def behind(p, n):
    p[0][n] = 1


def tuples(t, none, p):
    p[0] = t[0] + t[1]


def time(t, p):
    p[0] = int64(t)


def unused(n, p):
    pass


def numbers(a, b, c, d, e, p):
    p[0] = float64(a) + b + c + d + e


def complex_number(z):
    pass


KERNELS = [
    (record, (RECORD,)),
    (tuple_of_one, (UniTuple(float64, 1), CPointer(float64))),
    (tuple_of_one, (UniTuple(int64, 1), CPointer(int64))),
    (copy, (CPointer(float32), CPointer(float32), int32)),
    (copy, (CPointer(float64), CPointer(float64), int32)),
    (half, (float16, CPointer(float16))),
    (behind, (CPointer(CPointer(float32)), int32)),
    (tuples, (UniTuple(int32, 2), UniTuple(int32, 0), CPointer(int32))),
    (time, (NPDatetime("ns"), CPointer(int64))),
    (unused, (int32, CPointer(float32))),
    (numbers, (int8, uint8, intp, float32, float64, CPointer(float64))),
    (complex_number, (complex64,)),
]


def compiled(function, types, capability):
    text, _ = cuda.compile(function, types, cc=capability, device=False, abi="numba")
    version, length = re.search(r"B\d+v\d+B(\d+)(?=cw)", text).group(0, 1)
    tag = text[text.index(version) + len(version):][:int(length)]
    text = text.replace(version + tag, "B2v1B3cw5")
    return text[text.index(".visible .entry"):].rstrip("\0\n")


def main():
    print("// Kernels of numba: see numba_kernels.py.")
    print(".version 9.0\n.target sm_80\n.address_size 64\n")
    for function, types in KERNELS:
        print(compiled(function, types, (8, 0)), "\n", sep="")
    # For newer GPUs, PTX marks pointers.
    print(compiled(unused, (int32, CPointer(float32)), (10, 0)).replace("6unused", "6marked"))


main()

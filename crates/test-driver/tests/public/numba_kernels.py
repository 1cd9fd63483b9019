"""Kernels in Python, which numba compiles to PTX without a GPU, compared with numpy."""

import math
import re

import _numba_cuda_redirector  # noqa: F401: numba.cuda is the package numba-cuda; PYTHONPATH reads no .pth
import numpy
from numba import cuda, types
from numba.np.numpy_support import from_dtype

import device
from device import Memory, check, random


def run(kernel, grid, block, arguments, shared=0):
    """Runs a kernel with arrays and numbers of numpy. An array has seven or more parameters in numba's kernels."""
    signature, parameters = [], []
    for value in arguments:
        kind = from_dtype(value.dtype)
        if isinstance(value, numpy.ndarray):
            signature.append(types.Array(kind, value.ndim, "C"))
            counts = (0, 0, value.size, value.itemsize)
            parameters += [*map(numpy.int64, counts), Memory(value), *map(numpy.int64, (*value.shape, *value.strides))]
        else:
            signature.append(kind)
            parameters.append(value)
    ptx, _ = cuda.compile_ptx(kernel, tuple(signature), cc=(8, 0))
    device.launch(ptx, re.search(r"\.entry\s+([\w$]+)", ptx)[1], grid, block, parameters, shared)


def saxpy(factor, x, y):
    at = cuda.grid(1)
    if at < x.size:
        y[at] += factor * x[at]


def polynomial(x, out):
    """Strides of the grid, and a loop with an exit."""
    for at in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        value, steps = x[at], 0
        while value > 1 and steps < 200:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            steps += 1
        out[at] = steps


def matmul(a, b, c):
    """Tiles in shared memory."""
    left, right = cuda.shared.array((8, 8), types.float32), cuda.shared.array((8, 8), types.float32)
    row, column = cuda.grid(2)
    y, x = cuda.threadIdx.x, cuda.threadIdx.y
    total = types.float32(0)
    for start in range(0, a.shape[1], 8):
        left[y, x] = a[row, start + x] if row < a.shape[0] and start + x < a.shape[1] else 0
        right[y, x] = b[start + y, column] if start + y < b.shape[0] and column < b.shape[1] else 0
        cuda.syncthreads()
        for at in range(8):
            total += left[y, at] * right[at, x]
        cuda.syncthreads()
    if row < c.shape[0] and column < c.shape[1]:
        c[row, column] = total


def block_sum(x, out):
    """Shared memory of the launch."""
    room = cuda.shared.array(0, types.int64)
    thread, at = cuda.threadIdx.x, cuda.grid(1)
    room[thread] = x[at] if at < x.size else 0
    cuda.syncthreads()
    width = cuda.blockDim.x // 2
    while width > 0:
        if thread < width:
            room[thread] += room[thread + width]
        cuda.syncthreads()
        width //= 2
    if thread == 0:
        cuda.atomic.add(out, 0, room[0])


def local_sort(x, out):
    """A sort in an array of the thread."""
    values = cuda.local.array(12, types.int32)
    row = cuda.grid(1)
    if row >= x.shape[0]:
        return
    for at in range(12):
        values[at] = x[row, at]
    for at in range(1, 12):
        value, place = values[at], at
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value
    for at in range(12):
        out[row, at] = values[at]


def atomics(x, counts, totals, swaps):
    at = cuda.grid(1)
    if at < x.size:
        cuda.atomic.add(counts, x[at] % counts.size, 1)
        cuda.atomic.max(totals, 0, x[at])
        cuda.atomic.min(totals, 1, x[at])
        cuda.atomic.xor(totals, 2, x[at])
        cuda.atomic.or_(totals, 3, x[at])
        cuda.atomic.cas(swaps, x[at] % swaps.size, -1, x[at] % swaps.size)


def warps(x, out):
    at = cuda.grid(1)
    value = x[at]
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, step)
    ballot = cuda.ballot_sync(0xFFFFFFFF, x[at] > 0)
    out[0, at] = cuda.shfl_sync(0xFFFFFFFF, value, 0)
    out[1, at] = cuda.popc(ballot)
    out[2, at] = cuda.any_sync(0xFFFFFFFF, x[at] == 7)
    out[3, at] = cuda.clz(x[at] & 0xFFFF) + 100 * cuda.ffs(x[at] | 64)


@cuda.jit(device=True, inline="never")
def step(pair):
    return pair[1], pair[0] + pair[1]


@cuda.jit(device=True)
def fibonacci(n):
    pair = (0, 1)
    for _ in range(n):
        pair = step(pair)
    return pair[0]


def calls(x, out):
    at = cuda.grid(1)
    if at < x.size:
        out[at] = fibonacci(x[at])


TABLE = numpy.array([3, 1, 4, 1, 5, 9, 2, 6], numpy.int32)


def constants(x, out):
    table = cuda.const.array_like(TABLE)
    at = cuda.grid(1)
    if at < x.size:
        out[at] = table[x[at] & 7] * x[at] - (x[at] >> 2) + (x[at] // 7) * (x[at] % 5)


def mathematics(x, out):
    at = cuda.grid(1)
    if at < x.size:
        value = x[at]
        out[0, at] = math.sqrt(value) + math.exp(-value) + math.log1p(value)
        out[1, at] = math.sin(value) * math.cos(value) + math.atan2(value, 2.0) + math.tanh(value)
        out[2, at] = math.erf(value) + math.gamma(value + 1) + math.hypot(value, 3.0)
        out[3, at] = math.floor(value) + round(value) + math.pow(value, 1.5) + math.fmod(value, 0.7)


def complex_numbers(x, out):
    at = cuda.grid(1)
    if at < x.size:
        number, steps = 0j, 0
        while steps < 50 and number.real * number.real + number.imag * number.imag < 4:
            number = number * number + x[at]
            steps += 1
        out[at] = steps


def stencil(x, out):
    row, column = cuda.grid(2)
    if 0 < row < x.shape[0] - 1 and 0 < column < x.shape[1] - 1:
        out[row, column] = 4 * x[row, column] - x[row - 1, column] - x[row + 1, column] - x[row, column - 1] - x[row, column + 1]


def blocks(n, block):
    return -(-n // block)


def main():
    device.start()
    for n in (1, 1000, 5001):
        for kind in (numpy.float32, numpy.float64, numpy.int32):
            x, y = (random.integers(-50, 50, n).astype(kind) for _ in range(2))
            expected = y + kind(3) * x
            run(saxpy, blocks(n, 128), 128, (kind(3), x, y))
            check(f"saxpy of {n} {x.dtype}", y, expected)
        x, out = random.integers(1, 2000, n), numpy.zeros(n, numpy.int64)

        def steps(value):
            count = 0
            while value > 1 and count < 200:
                value, count = (value // 2 if value % 2 == 0 else 3 * value + 1), count + 1
            return count

        run(polynomial, 3, 64, (x, out))
        check(f"loops of {n}", out, [steps(int(value)) for value in x])
        x, out = random.integers(-1000, 1000, n), numpy.zeros(1, numpy.int64)
        run(block_sum, blocks(n, 64), 64, (x, out), 64 * 8)
        check(f"sum of {n}", out, [x.sum()])
        x = random.integers(0, 1000, n).astype(numpy.int32)
        counts, swaps = numpy.zeros(10, numpy.int32), numpy.full(5, -1, numpy.int32)
        totals = numpy.array([0, 5000, 0, 0], numpy.int32)
        run(atomics, blocks(n, 96), 96, (x, counts, totals, swaps))
        check(f"atomic add of {n}", counts, numpy.bincount(x % 10, minlength=10))
        check(f"atomics of {n}", totals, [x.max(), x.min(), numpy.bitwise_xor.reduce(x), numpy.bitwise_or.reduce(x)])
        check(f"compare and swap of {n}", swaps, [place if place in x % 5 else -1 for place in range(5)])
        x, out = random.integers(0, 5000, n).astype(numpy.int32), numpy.zeros(n, numpy.int32)
        run(constants, blocks(n, 128), 128, (x, out))
        check(f"constants of {n}", out, TABLE[x & 7] * x - (x >> 2) + (x // 7) * (x % 5))
        x, out = random.uniform(0, 4, n), numpy.zeros((4, n))
        run(mathematics, blocks(n, 128), 128, (x, out))
        gamma, erf = ([function(value) for value in x] for function in (lambda value: math.gamma(value + 1), math.erf))
        check(f"roots of {n}", out[0], numpy.sqrt(x) + numpy.exp(-x) + numpy.log1p(x), 1e-12)
        check(f"angles of {n}", out[1], numpy.sin(x) * numpy.cos(x) + numpy.arctan2(x, 2) + numpy.tanh(x), 1e-12)
        check(f"special functions of {n}", out[2], numpy.array(erf) + numpy.array(gamma) + numpy.hypot(x, 3), 1e-11)
        check(f"roundings of {n}", out[3], numpy.floor(x) + numpy.round(x) + x**1.5 + numpy.fmod(x, 0.7), 1e-11)
    for m, n, k in ((8, 8, 8), (20, 33, 17), (64, 40, 50)):
        a, b = (random.integers(-4, 4, shape).astype(numpy.float32) for shape in ((m, k), (k, n)))
        c = numpy.zeros((m, n), numpy.float32)
        run(matmul, (blocks(m, 8), blocks(n, 8)), (8, 8), (a, b, c))
        check(f"matmul {m} x {n} x {k}", c, a @ b)
        x, out = random.standard_normal((m, n)), numpy.zeros((m, n))
        run(stencil, (blocks(m, 8), blocks(n, 8)), (8, 8), (x, out))
        expected = numpy.zeros((m, n))
        expected[1:-1, 1:-1] = 4 * x[1:-1, 1:-1] - x[:-2, 1:-1] - x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:]
        check(f"stencil {m} x {n}", out, expected, 1e-12)
        x, out = random.integers(-100, 100, (n, 12)).astype(numpy.int32), numpy.zeros((n, 12), numpy.int32)
        run(local_sort, blocks(n, 32), 32, (x, out))
        check(f"sort of {n} rows", out, numpy.sort(x, axis=1))
        x, out = random.integers(0, 15, n).astype(numpy.int32), numpy.zeros(n, numpy.int32)
        run(calls, blocks(n, 32), 32, (x, out))
        check(f"functions of {n}", out, [[0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377][value] for value in x])
        x, out = random.uniform(-2, 1, n) + 1j * random.uniform(-1, 1, n), numpy.zeros(n, numpy.int32)

        def escape(start):
            number, count = 0j, 0
            while count < 50 and number.real**2 + number.imag**2 < 4:
                number, count = number * number + start, count + 1
            return count

        run(complex_numbers, blocks(n, 32), 32, (x, out))
        # A contracted product rounds once: near the border, a count can differ.
        right = numpy.array([escape(complex(value)) for value in x])
        check(f"complex numbers of {n}", (numpy.abs(out - right) > 1).sum(), 0)
        x, out = random.integers(-20, 60, 96).astype(numpy.int32), numpy.zeros((4, 96), numpy.int32)
        run(warps, 1, 96, (x, out))
        rows = x.reshape(3, 32)
        check("shuffles", out[0], rows.sum(axis=1).repeat(32))
        check("ballots", out[1], (rows > 0).sum(axis=1).repeat(32))
        check("votes", out[2], (rows == 7).any(axis=1).repeat(32))
        low, first = x & 0xFFFF, x | 64
        check("bits", out[3], [64 - int(a).bit_length() + 100 * (int(b) & -int(b)).bit_length() for a, b in zip(low, first, strict=True)])
    device.finish()


main()

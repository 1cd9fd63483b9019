"""Kernels in Triton, compiled to PTX without a GPU, compared with numpy."""

import numpy
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import device
from device import Memory, check, random

TYPES = {"float32": "fp32", "float16": "fp16", "int32": "i32", "int64": "i64", "int8": "i8"}


def run(kernel, grid, arguments, warps=4, stages=2):
    """Runs a kernel: an array is a pointer, a number of numpy is a value, and a number of Python is a constant."""
    signature, constants, parameters = {}, {}, []
    for name, value in zip(kernel.arg_names, arguments, strict=True):
        if isinstance(value, numpy.ndarray):
            signature[name] = "*" + TYPES[value.dtype.name]
            parameters.append(Memory(value))
        elif isinstance(value, numpy.generic):
            signature[name] = TYPES[value.dtype.name]
            parameters.append(value)
        else:
            signature[name], constants[name] = "constexpr", value
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    compiled = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": warps, "num_stages": stages, "ptx_version": 80})
    # The last two parameters are pointers to memory that these kernels do not use.
    parameters += [numpy.uint64(0)] * 2
    device.launch(compiled.asm["ptx"], compiled.metadata.name, grid, 32 * warps, parameters, compiled.metadata.shared)


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * columns + at, values / tl.sum(values, axis=0), mask=at < columns)


@triton.jit
def layer_norm(x, weight, bias, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
    centered = tl.where(at < columns, values - tl.sum(values, axis=0) / columns, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centered * centered, axis=0) / columns + 1e-5)
    result = centered * scale * tl.load(weight + at, mask=at < columns) + tl.load(bias + at, mask=at < columns)
    tl.store(out + row * columns + at, result, mask=at < columns)


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr, SUM: tl.constexpr):
    rows, columns, inner = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), dtype=SUM)
    for start in range(0, k, K):
        at = start + inner
        left = tl.load(a + rows[:, None] * k + at[None, :], mask=(rows[:, None] < m) & (at[None, :] < k), other=0)
        right = tl.load(b + at[:, None] * n + columns[None, :], mask=(at[:, None] < k) & (columns[None, :] < n), other=0)
        total = tl.dot(left, right, total, input_precision=PRECISION, out_dtype=SUM)
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def reductions(x, sums, largest, places, ors, n, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * n + at, mask=at < n, other=-1000)
    tl.store(sums + row, tl.sum(tl.where(at < n, values, 0), axis=0))
    tl.store(largest + row, tl.max(values, axis=0))
    tl.store(places + row, tl.argmax(values, axis=0))
    tl.store(ors + row, tl.xor_sum(values, axis=0))


@triton.jit
def scans(x, sums, ordered, flipped, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(values, axis=0))
    tl.store(ordered + at, tl.sort(values))
    tl.store(flipped + at, tl.flip(values, 0))


@triton.jit
def atomics(x, counts, totals, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(counts + values % 8, 1, mask=at < n)
    tl.atomic_max(totals, tl.max(values, axis=0))
    tl.atomic_add(totals + 1, tl.sum(values, axis=0))
    tl.atomic_xor(totals + 2, tl.xor_sum(values, axis=0))
    seen = tl.load(totals + 3)
    while tl.atomic_cas(totals + 3, seen, seen + 1) != seen:
        seen = tl.atomic_add(totals + 3, 0)


@triton.jit
def histogram(x, counts, BLOCK: tl.constexpr, BINS: tl.constexpr):
    tl.store(counts + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, BLOCK)), BINS))


@triton.jit
def transpose(x, out, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    values = tl.load(x + rows[:, None] * N + columns[None, :])
    tl.store(out + columns[:, None] * M + rows[None, :], tl.trans(values))


@triton.jit
def attention(q, k, v, out, scale, n, BLOCK: tl.constexpr, WIDTH: tl.constexpr):
    rows, width = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK), tl.arange(0, WIDTH)
    query = tl.load(q + rows[:, None] * WIDTH + width[None, :])
    largest = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    result = tl.zeros((BLOCK, WIDTH), dtype=tl.float32)
    for start in range(0, n, BLOCK):
        at = start + tl.arange(0, BLOCK)
        scores = tl.dot(query, tl.trans(tl.load(k + at[:, None] * WIDTH + width[None, :]))) * scale
        scores = tl.where(at[None, :] <= rows[:, None], scores, -float("inf"))
        peak = tl.maximum(largest, tl.max(scores, axis=1))
        weights, shrink = tl.exp(scores - peak[:, None]), tl.exp(largest - peak)
        total = total * shrink + tl.sum(weights, axis=1)
        result = result * shrink[:, None] + tl.dot(weights.to(tl.float16), tl.load(v + at[:, None] * WIDTH + width[None, :]))
        largest = peak
    tl.store(out + rows[:, None] * WIDTH + width[None, :], result / total[:, None])


@triton.jit
def mathematics(x, out, whole, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n, other=1.0)
    result = tl.sin(values) + tl.log(values) * tl.rsqrt(values) + tl.sigmoid(values) + tl.erf(values) + tl.floor(values)
    tl.store(out + at, result, mask=at < n)
    numbers = (values * 1000).to(tl.int32)
    tl.store(whole + at, numbers // 7 * 3 - numbers % 5 + tl.umulhi(numbers, numbers * 65536) + (numbers << 3), mask=at < n)


def normal(*shape):
    return random.standard_normal(shape, dtype=numpy.float32)


def main():
    device.start()
    for n in (1, 1000, 4099):
        for kind in (numpy.float32, numpy.int32, numpy.float16):
            x, y, out = (random.integers(-50, 50, n).astype(kind) for _ in range(3))
            run(add, -(-n // 256), (x, y, out, numpy.int32(n), 256))
            check(f"add of {n} {x.dtype}", out, x + y)
    for rows, columns, warps in ((3, 60, 1), (5, 1000, 4), (2, 2000, 8)):
        x, out = normal(rows, columns), numpy.zeros((rows, columns), numpy.float32)
        run(softmax, rows, (x, out, numpy.int32(columns), triton.next_power_of_2(columns)), warps)
        weights = numpy.exp(x - x.max(axis=1, keepdims=True))
        check(f"softmax of {columns}", out, weights / weights.sum(axis=1, keepdims=True), 1e-5)
        weight, bias = normal(columns), normal(columns)
        run(layer_norm, rows, (x, weight, bias, out, numpy.int32(columns), triton.next_power_of_2(columns)), warps)
        expected = (x - x.mean(axis=1, keepdims=True)) / numpy.sqrt(x.var(axis=1, keepdims=True) + 1e-5) * weight + bias
        check(f"layer norm of {columns}", out, expected, 1e-4)
        values = random.integers(-100, 100, (rows, columns)).astype(numpy.int32)
        results = [numpy.zeros(rows, numpy.int32) for _ in range(4)]
        block = triton.next_power_of_2(columns)
        run(reductions, rows, (values, *results, numpy.int32(columns), block), warps)
        check(f"sum of {columns}", results[0], values.sum(axis=1))
        check(f"max of {columns}", results[1], values.max(axis=1))
        check(f"argmax of {columns}", results[2], values.argmax(axis=1))
        padded = numpy.pad(values, ((0, 0), (0, block - columns)), constant_values=-1000)
        check(f"xor_sum of {columns}", results[3], numpy.bitwise_xor.reduce(padded, axis=1))
    for m, n, k in ((16, 16, 16), (50, 70, 90), (64, 33, 129)):
        for kind, result, precision, total in (
            (numpy.float16, numpy.float32, "ieee", tl.float32),
            (numpy.float32, numpy.float32, "tf32", tl.float32),
            (numpy.float32, numpy.float32, "ieee", tl.float32),
            (numpy.int8, numpy.int32, "ieee", tl.int32),
        ):
            for warps, stages in ((1, 1), (4, 3)):
                a, b = random.integers(-4, 4, (m, k)).astype(kind), random.integers(-4, 4, (k, n)).astype(kind)
                c = numpy.zeros((m, n), result)
                sizes = map(numpy.int32, (m, n, k))
                run(matmul, (-(-m // 32), -(-n // 32)), (a, b, c, *sizes, 32, 32, 32, precision, total), warps, stages)
                check(f"matmul of {a.dtype}, {precision}, {m} x {n} x {k}, {warps} warps", c, a.astype(result) @ b.astype(result))
    for block, warps in ((32, 1), (128, 4), (512, 2)):
        x = random.integers(-100, 100, (3, block)).astype(numpy.int32)
        results = [numpy.zeros_like(x) for _ in range(3)]
        run(scans, 3, (x, *results, block), warps)
        check(f"cumsum of {block}", results[0], x.cumsum(axis=1))
        check(f"sort of {block}", results[1], numpy.sort(x, axis=1))
        check(f"flip of {block}", results[2], x[:, ::-1])
        x = random.integers(0, 16, block).astype(numpy.int32)
        counts = numpy.zeros(16, numpy.int32)
        run(histogram, 1, (x, counts, block, 16), warps)
        check(f"histogram of {block}", counts, numpy.bincount(x, minlength=16))
        x, out = normal(block, 32), numpy.zeros((32, block), numpy.float32)
        run(transpose, 1, (x, out, block, 32), warps)
        check(f"transpose of {block}", out, x.T)
    for n in (100, 1000):
        x = random.integers(0, 1000, n).astype(numpy.int32)
        counts, totals = numpy.zeros(8, numpy.int32), numpy.zeros(4, numpy.int32)
        run(atomics, -(-n // 128), (x, counts, totals, numpy.int32(n), 128))
        check(f"atomic_add of {n}", counts, numpy.bincount(x % 8, minlength=8))
        check(f"atomics of {n}", totals, [x.max(), x.sum(), numpy.bitwise_xor.reduce(x), -(-n // 128)])
        x = random.uniform(0.1, 5, n).astype(numpy.float32)
        out, whole = numpy.zeros_like(x), numpy.zeros(n, numpy.int32)
        run(mathematics, -(-n // 128), (x, out, whole, numpy.int32(n), 128))
        import math

        erf = numpy.array([math.erf(value) for value in x])
        check(f"mathematics of {n}", out, numpy.sin(x) + numpy.log(x) / numpy.sqrt(x) + 1 / (1 + numpy.exp(-x)) + erf + numpy.floor(x), 1e-4)
        numbers = (x * numpy.float32(1000)).astype(numpy.int64)
        high = (numbers * (numbers * 65536 % 2**32)) >> 32
        check(f"integers of {n}", whole, (numbers // 7 * 3 - numbers % 5 + high + numbers * 8).astype(numpy.int32))
    for n, width in ((32, 16), (96, 32)):
        q, k, v = (normal(n, width).astype(numpy.float16) for _ in range(3))
        out = numpy.zeros((n, width), numpy.float32)
        scale = numpy.float32(width**-0.5)
        run(attention, n // 32, (q, k, v, out, scale, numpy.int32(n), 32, width))
        q, k, v = (value.astype(numpy.float32) for value in (q, k, v))
        scores = numpy.where(numpy.tri(n, dtype=bool), q @ k.T * scale, -numpy.inf)
        weights = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        check(f"attention of {n} x {width}", out, weights @ v / weights.sum(axis=1, keepdims=True), 3e-3)
    device.finish()


main()

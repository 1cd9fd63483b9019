# CuPy's functions against NumPy's: element by element, reductions, scans, sorts, products, random indices, a raw kernel.
import cupy
import numpy

UNARY = "abs sin cos tan arcsin arctan sinh tanh exp exp2 expm1 log1p sqrt cbrt square floor ceil rint sign isnan isfinite negative".split()
BINARY = "add subtract multiply maximum minimum arctan2 hypot logaddexp copysign power fmod less greater_equal equal".split()
REDUCTION = "sum prod max min mean var std argmax argmin any all cumsum cumprod sort argsort".split()
compared = 0


def same(name, got, want):
    global compared
    compared += 1
    numpy.testing.assert_allclose(cupy.asnumpy(got), want, rtol=2e-3, atol=2e-3, err_msg=name)


random = numpy.random.default_rng(7)
for dtype in ["float32", "float64", "float16", "int32", "int64", "uint8"]:
    floats = dtype.startswith("float")
    for shape in [(1,), (1000,), (37, 29), (3, 17, 5)]:
        a, b = ((random.random(shape) * (0.9 if floats else 9)).astype(dtype) for _ in range(2))
        x, y = cupy.asarray(a), cupy.asarray(b)
        for name in UNARY if floats else ["abs", "square", "sign"]:
            same(name, getattr(cupy, name)(x), getattr(numpy, name)(a))
        for name in BINARY if dtype in ("float32", "float64") else BINARY[:5]:
            same(name, getattr(cupy, name)(x, y), getattr(numpy, name)(a, b))
        for name in REDUCTION if dtype != "float16" else ["max", "min", "any"]:
            wants = {"kind": "stable"} if name == "argsort" else {}
            for axis in [None, -1]:
                same(name, getattr(cupy, name)(x, axis=axis), getattr(numpy, name)(a, axis=axis, **wants))
        same("where", cupy.where(x > y, x, y), numpy.where(a > b, a, b))
        same("transposed", x.T + y.T, a.T + b.T)
        same("every second", x[..., ::2] * y[..., ::2], a[..., ::2] * b[..., ::2])
        same("take", cupy.take(x, cupy.asarray([0, -1])), numpy.take(a, [0, -1]))
        same("concatenate", cupy.concatenate([x, y], axis=-1), numpy.concatenate([a, b], axis=-1))
    if dtype in ("float32", "float64"):
        a, b = (random.random((67, 67)).astype(dtype) for _ in range(2))
        x, y = cupy.asarray(a), cupy.asarray(b)
        same("matmul", x @ y, a @ b)
        same("einsum", cupy.einsum("ij,kj->ik", x, y), numpy.einsum("ij,kj->ik", a, b))
        same("fft", cupy.abs(cupy.fft.fft(x)), numpy.abs(numpy.fft.fft(a)))
        same("bincount", cupy.bincount((x * 9).astype("int32").ravel()), numpy.bincount((a * 9).astype("int32").ravel()))

raw = cupy.RawKernel(
    """
struct Part { float scale; unsigned char shift; double offset; };
extern "C" __global__ void mixed(char first, const float* x, short second, double* y, int n, Part part, unsigned char last) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = first + x[i] * part.scale + second * part.offset + part.shift + last;
}""",
    "mixed",
)
part = numpy.array([(0.5, 3, 0.25)], dtype=numpy.dtype([("scale", "f4"), ("shift", "u1"), ("offset", "f8")], align=True))[0]
for n in range(1, 300, 7):
    x, y = cupy.arange(n, dtype="float32"), cupy.zeros(n)
    raw((3,), (128,), (numpy.int8(-7), x, numpy.int16(-300), y, numpy.int32(n), part, numpy.uint8(200)))
    same("raw kernel", y, -7 + numpy.arange(n) * 0.5 - 300 * 0.25 + 3 + 200)
print(f"PASS: {compared} results")

# Kernels that Triton compiles: elements, a softmax of rows, a product of matrices.
import torch
import triton
import triton.language as tl


@triton.jit
def axpy(x, y, out, alpha, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, alpha * tl.load(x + at, mask=at < n) + tl.load(y + at, mask=at < n), mask=at < n)


@triton.jit
def softmax(x, out, stride, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, mask=at < columns, other=-float("inf"))
    values = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * stride + at, values / tl.sum(values, 0), mask=at < columns)


@triton.jit
def product(a, b, c, m, n, k, am, bk, cm, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows, columns, inner = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for start in range(0, k, K):
        at = start + inner
        left = tl.load(a + rows[:, None] * am + at[None, :], mask=(rows[:, None] < m) & (at[None, :] < k), other=0.0)
        right = tl.load(b + at[:, None] * bk + columns[None, :], mask=(at[:, None] < k) & (columns[None, :] < n), other=0.0)
        total += tl.dot(left, right, input_precision="ieee")
    tl.store(c + rows[:, None] * cm + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


compared = 0


def same(got, want):
    global compared
    compared += 1
    torch.testing.assert_close(got.cpu(), want.cpu(), rtol=2e-3, atol=2e-3)


torch.manual_seed(7)
for n in [1, 2, 16, 1000, 4096, 100_003]:
    for dtype in [torch.float32, torch.float64]:
        x, y = (torch.rand(n, dtype=dtype, device="cuda") for _ in range(2))
        out = torch.empty_like(x)
        for alpha in [0.5, 3]:
            axpy[(triton.cdiv(n, 256),)](x, y, out, alpha, n, BLOCK=256)
            same(out, alpha * x + y)
for columns in [1, 63, 500]:
    x = torch.rand(9, columns, device="cuda")
    out = torch.empty_like(x)
    softmax[(9,)](x, out, x.stride(0), columns, BLOCK=512)
    same(out, x.softmax(1))
for m, n, k in [(1, 1, 1), (64, 32, 16), (65, 33, 17), (128, 128, 200)]:
    a, b = torch.rand(m, k, device="cuda"), torch.rand(k, n, device="cuda")
    c = torch.empty(m, n, device="cuda")
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32))
    product[grid](a, b, c, m, n, k, k, n, n, M=32, N=32, K=16)
    same(c, a.double().cpu().mm(b.double().cpu()).float())
print(f"PASS: {compared} results")

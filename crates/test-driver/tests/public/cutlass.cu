// Matrix products of CUTLASS: with the cores for single numbers, and with tensor cores.
#include "checks.cuh"
#include <cutlass/gemm/device/gemm.h>

using Row = cutlass::layout::RowMajor;
using Column = cutlass::layout::ColumnMajor;

// Small whole numbers: the products are exact in every type.
template <class Gemm, class A, class B, class C> void product(const char *kind, int m, int n, int k, float alpha, float beta) {
    using LayoutA = typename Gemm::LayoutA;
    using LayoutB = typename Gemm::LayoutB;
    std::vector<A> a(static_cast<size_t>(m * k));
    std::vector<B> b(static_cast<size_t>(k * n));
    std::vector<C> c(static_cast<size_t>(m * n));
    for (auto &value : a) value = A(static_cast<int>(random_number(-3, 3)));
    for (auto &value : b) value = B(static_cast<int>(random_number(-3, 3)));
    for (auto &value : c) value = C(static_cast<int>(random_number(-3, 3)));
    Device<A> a_in(a);
    Device<B> b_in(b);
    Device<C> c_in(c), out(c.size());
    int lda = std::is_same_v<LayoutA, Row> ? k : m, ldb = std::is_same_v<LayoutB, Row> ? n : k;
    typename Gemm::Arguments arguments({m, n, k}, {a_in.data, lda}, {b_in.data, ldb}, {c_in.data, n}, {out.data, n}, {alpha, beta});
    Device<uint8_t> workspace(Gemm::get_workspace_size(arguments));
    Gemm gemm;
    auto status = gemm.initialize(arguments, workspace.data);
    if (status == cutlass::Status::kSuccess) status = gemm.run();
    finish_kernel(kind);
    std::vector<C> expected(c.size());
    for (int row = 0; row < m; row++) {
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int at = 0; at < k; at++) {
                size_t left = static_cast<size_t>(std::is_same_v<LayoutA, Row> ? row * k + at : at * m + row);
                size_t right = static_cast<size_t>(std::is_same_v<LayoutB, Row> ? at * n + column : column * k + at);
                sum += static_cast<float>(a[left]) * static_cast<float>(b[right]);
            }
            size_t at = static_cast<size_t>(row * n + column);
            expected[at] = C(alpha * sum + beta * static_cast<float>(c[at]));
        }
    }
    std::string title = std::string(kind) + " " + std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k);
    check(title + ": " + cutlass::cutlassGetStatusString(status), status == cutlass::Status::kSuccess);
    check_equal(title, out.host(), expected);
}

using cutlass::gemm::GemmShape;
using Tensor = cutlass::arch::OpClassTensorOp;
using Identity = cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>;
template <class Out, int COUNT, class Sum> using Linear = cutlass::epilogue::thread::LinearCombination<Out, COUNT, Sum, float>;

using Single = cutlass::gemm::device::Gemm<float, Column, float, Row, float, Row>;
using Double = cutlass::gemm::device::Gemm<float, Row, float, Column, float, Row, float, cutlass::arch::OpClassSimt, cutlass::arch::Sm80>;
template <class Layout> using Half =
    cutlass::gemm::device::Gemm<cutlass::half_t, Row, cutlass::half_t, Layout, cutlass::half_t, Row, float, Tensor, cutlass::arch::Sm80, GemmShape<64, 64, 32>,
                                GemmShape<32, 32, 32>, GemmShape<16, 8, 16>, Linear<cutlass::half_t, 8, float>, Identity, 3>;
using Tf32 = cutlass::gemm::device::Gemm<cutlass::tfloat32_t, Row, cutlass::tfloat32_t, Column, float, Row, float, Tensor, cutlass::arch::Sm80,
                                         GemmShape<64, 64, 16>, GemmShape<32, 32, 16>, GemmShape<16, 8, 8>, Linear<float, 4, float>, Identity, 3>;
using Integer = cutlass::gemm::device::Gemm<int8_t, Row, int8_t, Column, int, Row, int, Tensor, cutlass::arch::Sm80, GemmShape<64, 64, 64>,
                                            GemmShape<32, 32, 64>, GemmShape<16, 8, 32>, Linear<int, 4, int>, Identity, 3>;

void run() {
    for (int size : {1, 2, 3}) {
        int m = 32 * size + 8, n = 16 * size + 16, k = 48 * size;
        product<Single, float, float, float>("single numbers", m + 1, n - 3, k + 5, 1, 2);
        product<Double, float, float, float>("single numbers, row by column", m, n, k, -2, 0);
        product<Half<Column>, cutlass::half_t, cutlass::half_t, cutlass::half_t>("tensor cores, f16", m, n, k, 1, 1);
        product<Half<Row>, cutlass::half_t, cutlass::half_t, cutlass::half_t>("tensor cores, f16 in rows", m, n, k, 0.5f, 0);
        product<Tf32, cutlass::tfloat32_t, cutlass::tfloat32_t, float>("tensor cores, tf32", m, n, k, 1, -1);
        product<Integer, int8_t, int8_t, int>("tensor cores, s8", m, n, k, 2, 1);
    }
}

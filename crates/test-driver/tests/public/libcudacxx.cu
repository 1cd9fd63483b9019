// libcu++: barriers, pipelines, atomics, and `cuda::std`.
#include "checks.cuh"
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/complex>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>

constexpr int BLOCK = 96;

// Each round the threads exchange values by shared memory.
__global__ void barriers(int *values, int rounds) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int room[2][BLOCK];
    #pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ Barrier barrier;
    if (threadIdx.x == 0) init(&barrier, BLOCK);
    __syncthreads();
    int value = values[threadIdx.x];
    for (int round = 0; round < rounds; round++) {
        room[round % 2][threadIdx.x] = value;
        if (round % 3 == 2) {
            auto token = barrier.arrive();
            value += round;
            barrier.wait(std::move(token));
        } else {
            barrier.arrive_and_wait();
        }
        value += room[round % 2][(threadIdx.x * 5 + 1) % BLOCK];
    }
    values[threadIdx.x] = value;
}

void test_barriers(int rounds) {
    auto values = random_values<int>(BLOCK);
    Device<int> in(values);
    barriers<<<1, BLOCK>>>(in.data, rounds);
    finish_kernel("barriers");
    for (int round = 0; round < rounds; round++) {
        auto before = values;
        for (size_t at = 0; at < BLOCK; at++) values[at] = before[at] + before[(at * 5 + 1) % BLOCK] + (round % 3 == 2 ? round : 0);
    }
    check_equal("barrier with " + std::to_string(rounds) + " rounds", in.host(), values);
}

// Half of the warps write what the other half reads: two barriers for each of two buffers.
__global__ void producers(const int *in, int *out, int batches) {
    using Barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int room[2][32];
    __shared__ Barrier full[2], empty[2];
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], 64);
        init(&empty[threadIdx.x], 64);
    }
    __syncthreads();
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int batch = 0; batch < batches; batch++) {
            empty[batch % 2].arrive_and_wait();
            room[batch % 2][lane] = in[batch * 32 + static_cast<int>(lane)] * 2;
            (void)full[batch % 2].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int batch = 0; batch < batches; batch++) {
            full[batch % 2].arrive_and_wait();
            out[batch * 32 + static_cast<int>(lane)] = room[batch % 2][31 - lane];
            (void)empty[batch % 2].arrive();
        }
    }
}

void test_producers() {
    auto values = random_values<int>(320);
    Device<int> in(values), out(values.size());
    producers<<<1, 64>>>(in.data, out.data, 10);
    finish_kernel("producers");
    std::vector<int> expected(values.size());
    for (size_t at = 0; at < values.size(); at++) expected[at] = 2 * values[at / 32 * 32 + 31 - at % 32];
    check_equal("barriers of producers and consumers", out.host(), expected);
}

// Sums of batches that are copied in the background.
template <unsigned STAGES, bool IsOfBlock> __global__ void pipelines(const int *in, int *out, int batches) {
    __shared__ int room[STAGES][BLOCK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cooperative_groups::this_thread_block();
    auto run = [&](auto &pipeline) {
        int sum = 0;
        for (int next = 0, batch = 0; batch < batches; batch++) {
            for (; next < batches && next < batch + static_cast<int>(STAGES); next++) {
                pipeline.producer_acquire();
                if constexpr (IsOfBlock) {
                    cuda::memcpy_async(block, room[next % STAGES], in + next * BLOCK, cuda::aligned_size_t<4>(sizeof(int) * BLOCK), pipeline);
                } else {
                    cuda::memcpy_async(&room[next % STAGES][threadIdx.x], in + next * BLOCK + threadIdx.x, sizeof(int), pipeline);
                }
                pipeline.producer_commit();
            }
            pipeline.consumer_wait();
            block.sync();
            sum = sum * 3 + room[batch % STAGES][BLOCK - 1 - threadIdx.x];
            block.sync();
            pipeline.consumer_release();
        }
        out[threadIdx.x] = sum;
    };
    if constexpr (IsOfBlock) {
        auto pipeline = cuda::make_pipeline(block, &state);
        run(pipeline);
    } else {
        auto pipeline = cuda::make_pipeline();
        run(pipeline);
    }
}

template <unsigned STAGES, bool IsOfBlock> void test_pipelines(int batches) {
    auto values = random_values<int>(static_cast<size_t>(batches) * BLOCK, 0, 3);
    Device<int> in(values), out(BLOCK);
    pipelines<STAGES, IsOfBlock><<<1, BLOCK>>>(in.data, out.data, batches);
    finish_kernel("pipelines");
    std::vector<int> expected(BLOCK);
    for (size_t batch = 0; batch < static_cast<size_t>(batches); batch++) {
        for (size_t at = 0; at < BLOCK; at++) expected[at] = expected[at] * 3 + values[batch * BLOCK + BLOCK - 1 - at];
    }
    check_equal("pipeline of " + std::to_string(STAGES) + " stages, " + (IsOfBlock ? "of the block" : "of a thread"), out.host(), expected);
}

// Every thread changes the same values in an order that does not matter.
template <class T, cuda::thread_scope SCOPE> __global__ void atomics(T *values, const T *in) {
    T value = in[blockIdx.x * blockDim.x + threadIdx.x];
    auto at = [&](int place) { return cuda::atomic_ref<T, SCOPE>(values[place]); };
    at(0).fetch_add(value, cuda::memory_order_relaxed);
    at(1).fetch_sub(value);
    at(2).fetch_max(value, cuda::memory_order_acq_rel);
    at(3).fetch_min(value);
    if constexpr (std::is_integral_v<T>) {
        at(4).fetch_and(value | T(1));
        at(5).fetch_or(value);
        at(6).fetch_xor(value, cuda::memory_order_release);
    }
    T seen = at(7).load(cuda::memory_order_relaxed);
    while (!at(7).compare_exchange_weak(seen, static_cast<T>(seen + value + T(1)))) {
    }
}

template <class T, cuda::thread_scope SCOPE> void test_atomics(const char *scope) {
    unsigned blocks = SCOPE == cuda::thread_scope_block ? 1 : 5;
    auto values = random_values<T>(blocks * 64);
    std::vector<T> start(8, T(0));
    start[4] = T(127);
    auto expected = start;
    for (T value : values) {
        expected[0] += value;
        expected[1] -= value;
        expected[2] = std::max(expected[2], value);
        expected[3] = std::min(expected[3], value);
        if constexpr (std::is_integral_v<T>) {
            expected[4] &= value | T(1);
            expected[5] |= value;
            expected[6] ^= value;
        }
        expected[7] += value + T(1);
    }
    Device<T> in(values), out(start);
    atomics<T, SCOPE><<<blocks, 64>>>(out.data, in.data);
    finish_kernel("atomics");
    auto got = out.host();
    for (size_t at = 0; at < 8; at++) check_equal(name<T>((std::string("atomic_ref, ") + scope + ", operation").c_str(), at), std::vector<T>{got[at]}, {expected[at]});
}

// A number for each thread, a lock, a latch and a flag with waiting.
__global__ void waits(int *out, int *total) {
    __shared__ cuda::atomic<int, cuda::thread_scope_block> next;
    __shared__ cuda::binary_semaphore<cuda::thread_scope_block> lock;
    __shared__ alignas(cuda::latch<cuda::thread_scope_block>) char room[sizeof(cuda::latch<cuda::thread_scope_block>)];
    auto &latch = reinterpret_cast<cuda::latch<cuda::thread_scope_block> &>(room);
    __shared__ int sum;
    if (threadIdx.x == 0) {
        new (&next) cuda::atomic<int, cuda::thread_scope_block>(0);
        new (&lock) cuda::binary_semaphore<cuda::thread_scope_block>(1);
        new (&latch) cuda::latch<cuda::thread_scope_block>(BLOCK);
        sum = 0;
    }
    __syncthreads();
    out[next.fetch_add(1)] = 1;
    // One thread of a warp: the warp would wait for it.
    if (threadIdx.x % 32 == 0) {
        lock.acquire();
        sum += static_cast<int>(threadIdx.x) + 1;
        lock.release();
    }
    latch.arrive_and_wait();
    if (threadIdx.x == 40) {
        next.store(-1);
        next.notify_all();
    } else if (threadIdx.x < 32) {
        next.wait(BLOCK);
        if (threadIdx.x == 0) *total = sum + next.load();
    }
}

struct Pair {
    int a, b;
};

// The standard library in one thread, with its own values.
__global__ void standard(const int *in, int *out) {
    cuda::std::array<int, 16> values;
    for (int at = 0; at < 16; at++) values[at] = in[threadIdx.x * 16 + at];
    cuda::std::span<int> all(values.data(), 16);
    int *result = out + threadIdx.x * 8;
    result[0] = cuda::std::accumulate(all.begin(), all.end(), 3);
    result[1] = cuda::std::inner_product(all.begin(), all.begin() + 8, all.begin() + 8, 0);
    cuda::std::bitset<64> seen;
    for (int value : all) seen.set(static_cast<size_t>(value));
    result[2] = static_cast<int>(seen.count()) + 100 * seen.test(7);
    cuda::std::optional<int> found;
    if (values[0] % 2) found = values[0];
    cuda::std::variant<int, Pair> either = 5;
    if (values[1] % 2) either = Pair{values[1], 2};
    result[3] = found.value_or(-1) + (cuda::std::holds_alternative<Pair>(either) ? cuda::std::get<Pair>(either).a : cuda::std::get<int>(either));
    auto [first, second] = cuda::std::make_tuple(cuda::std::popcount(static_cast<unsigned>(values[2])), cuda::std::countl_zero(static_cast<unsigned>(values[3]) | 1u));
    result[4] = first * 100 + second;
    cuda::std::complex<float> number(static_cast<float>(values[4]), 2.0f), square = number * number;
    result[5] = static_cast<int>(square.real()) + 10000 * static_cast<int>(square.imag());
    result[6] = cuda::std::gcd(values[5] + 1, 12) + 100 * cuda::std::midpoint(values[6], values[7]);
    cuda::std::partial_sum(all.begin(), all.end(), all.begin());
    result[7] = values[15] * 1000 + values[3];
}

void test_standard() {
    auto values = random_values<int>(BLOCK * 16, 0, 40);
    Device<int> in(values), out(BLOCK * 8);
    standard<<<1, BLOCK>>>(in.data, out.data);
    finish_kernel("standard");
    auto got = out.host();
    const char *names[] = {"accumulate", "inner_product", "bitset", "optional and variant", "bit and tuple", "complex", "gcd and midpoint", "partial_sum"};
    std::vector<int> expected[8], columns[8];
    for (long thread = 0; thread < BLOCK; thread++) {
        std::vector<int> all(values.begin() + thread * 16, values.begin() + thread * 16 + 16);
        int sum = std::accumulate(all.begin(), all.end(), 0);
        expected[0].push_back(sum + 3);
        expected[1].push_back(std::inner_product(all.begin(), all.begin() + 8, all.begin() + 8, 0));
        int different = 0;
        for (int value = 0; value <= 40; value++) different += std::count(all.begin(), all.end(), value) > 0;
        expected[2].push_back(different + 100 * (std::count(all.begin(), all.end(), 7) > 0));
        expected[3].push_back((all[0] % 2 ? all[0] : -1) + (all[1] % 2 ? all[1] : 5));
        expected[4].push_back(__builtin_popcount(static_cast<unsigned>(all[2])) * 100 + __builtin_clz(static_cast<unsigned>(all[3]) | 1u));
        expected[5].push_back(all[4] * all[4] - 4 + 10000 * 4 * all[4]);
        // The middle is rounded towards the first number.
        expected[6].push_back(std::gcd(all[5] + 1, 12) + 100 * (all[6] + (all[7] - all[6]) / 2));
        expected[7].push_back(sum * 1000 + all[0] + all[1] + all[2] + all[3]);
        for (size_t at = 0; at < 8; at++) columns[at].push_back(got[static_cast<size_t>(thread) * 8 + at]);
    }
    for (size_t at = 0; at < 8; at++) check_equal(names[at], columns[at], expected[at]);
}

void run() {
    for (int rounds : {1, 2, 9}) test_barriers(rounds);
    test_producers();
    test_pipelines<1, true>(3);
    test_pipelines<2, true>(7);
    test_pipelines<4, true>(9);
    test_pipelines<2, false>(7);
    test_atomics<int, cuda::thread_scope_device>("device");
    test_atomics<uint64_t, cuda::thread_scope_system>("system");
    test_atomics<float, cuda::thread_scope_device>("device");
    test_atomics<double, cuda::thread_scope_block>("block");
    test_atomics<int64_t, cuda::thread_scope_block>("block");
    test_atomics<uint8_t, cuda::thread_scope_device>("device");
    std::vector<int> zeros(BLOCK);
    Device<int> out(zeros), total(1);
    waits<<<1, BLOCK>>>(out.data, total.data);
    finish_kernel("waits");
    check_equal("numbers by atomic", out.host(), std::vector<int>(BLOCK, 1));
    check_equal("semaphore, latch and wait", total.host(), {1 + 33 + 65 - 1});
    test_standard();
}

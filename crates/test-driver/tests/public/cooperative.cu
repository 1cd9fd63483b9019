// Cooperative groups.
#include "checks.cuh"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;
constexpr int BLOCK = 128;

template <class T, int SIZE> __global__ void tiles(const T *in, T *sums, T *largest, T *before, T *up_to, int *ranks) {
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    unsigned at = threadIdx.x;
    sums[at] = cg::reduce(tile, in[at], cg::plus<T>());
    largest[at] = cg::reduce(tile, in[at], cg::greater<T>());
    before[at] = cg::exclusive_scan(tile, in[at], cg::plus<T>());
    up_to[at] = cg::inclusive_scan(tile, in[at], cg::plus<T>());
    ranks[at] = static_cast<int>(tile.thread_rank() + 1000 * tile.meta_group_rank() + 100000 * tile.size());
}

template <class T, int SIZE> void test_tiles() {
    auto values = random_values<T>(BLOCK);
    Device<T> in(values), sums(BLOCK), largest(BLOCK), before(BLOCK), up_to(BLOCK);
    Device<int> ranks(BLOCK);
    tiles<T, SIZE><<<1, BLOCK>>>(in.data, sums.data, largest.data, before.data, up_to.data, ranks.data);
    finish_kernel("tiles");
    std::vector<T> expected[4] = {values, values, values, values};
    std::vector<int> numbers(BLOCK);
    for (long head = 0; head < BLOCK; head += SIZE) {
        auto first = values.begin() + head, last = first + SIZE;
        std::fill_n(expected[0].begin() + head, SIZE, std::accumulate(first, last, T(0)));
        std::fill_n(expected[1].begin() + head, SIZE, *std::max_element(first, last));
        std::exclusive_scan(first, last, expected[2].begin() + head, T(0));
        std::partial_sum(first, last, expected[3].begin() + head);
        for (int lane = 0; lane < SIZE; lane++) numbers[static_cast<size_t>(head + lane)] = lane + 1000 * static_cast<int>(head / SIZE) + 100000 * SIZE;
    }
    check_equal(name<T>("reduce with plus, tiles", SIZE), sums.host(), expected[0]);
    check_equal(name<T>("reduce with greater, tiles", SIZE), largest.host(), expected[1]);
    check_equal(name<T>("exclusive_scan, tiles", SIZE), before.host(), expected[2]);
    check_equal(name<T>("inclusive_scan, tiles", SIZE), up_to.host(), expected[3]);
    check_equal(name<T>("ranks, tiles", SIZE), ranks.host(), numbers);
}

// What the threads of a part of a warp do together.
__global__ void parts(const int *in, int *coalesced, int *labeled, int *binary, int *votes, unsigned long long *count) {
    int value = in[threadIdx.x];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto label = cg::labeled_partition(warp, value % 5);
    labeled[threadIdx.x] = cg::reduce(label, value, cg::plus<int>());
    auto half = cg::binary_partition(warp, value > 50);
    binary[threadIdx.x] = cg::reduce(half, value, cg::less<int>());
    votes[threadIdx.x] = warp.any(value == 7) + 2 * warp.all(value > 3) + static_cast<int>(4 * __popc(warp.ballot(value < 30)) + 256 * __popc(warp.match_any(value % 3)));
    coalesced[threadIdx.x] = -1;
    if (value % 2) {
        auto active = cg::coalesced_threads();
        coalesced[threadIdx.x] = static_cast<int>(active.thread_rank()) + 100 * active.shfl(value, 0) + 100000 * cg::reduce(active, value, cg::plus<int>());
        if (active.thread_rank() == 0) atomicAdd(count, active.size());
    }
}

void test_parts() {
    auto values = random_values<int>(BLOCK, 0, 100);
    Device<int> in(values), coalesced(BLOCK), labeled(BLOCK), binary(BLOCK), votes(BLOCK);
    Device<unsigned long long> count(std::vector<unsigned long long>{0});
    parts<<<1, BLOCK>>>(in.data, coalesced.data, labeled.data, binary.data, votes.data, count.data);
    finish_kernel("parts");
    std::vector<int> expected[4];
    unsigned long long odd = 0;
    for (int at = 0; at < BLOCK; at++) {
        int value = values[static_cast<size_t>(at)], of_label = 0, of_half = 1000, rank = 0, first = -1, sum = 0, any = 0, all = 1, small = 0, same = 0;
        for (int other = at / 32 * 32; other < at / 32 * 32 + 32; other++) {
            int theirs = values[static_cast<size_t>(other)];
            if (theirs % 5 == value % 5) of_label += theirs;
            if ((theirs > 50) == (value > 50)) of_half = std::min(of_half, theirs);
            any |= theirs == 7;
            all &= theirs > 3;
            small += theirs < 30;
            same += theirs % 3 == value % 3;
            if (theirs % 2 == 0) continue;
            if (first < 0) first = theirs;
            rank += other < at;
            sum += theirs;
        }
        expected[0].push_back(value % 2 ? rank + 100 * first + 100000 * sum : -1);
        expected[1].push_back(of_label);
        expected[2].push_back(of_half);
        expected[3].push_back(any + 2 * all + 4 * small + 256 * same);
        odd += static_cast<unsigned long long>(value % 2);
    }
    check_equal("coalesced_threads", coalesced.host(), expected[0]);
    check_equal("labeled_partition", labeled.host(), expected[1]);
    check_equal("binary_partition", binary.host(), expected[2]);
    check_equal("votes and matches", votes.host(), expected[3]);
    check_equal("an addition by each group", count.host(), {odd});
}

// Each step needs the values of all blocks of the step before.
__global__ void steps(unsigned *values, unsigned *next, int count, int repeat) {
    auto grid = cg::this_grid();
    int threads = static_cast<int>(grid.size()), first = static_cast<int>(grid.thread_rank());
    for (int step = 0; step < repeat; step++) {
        for (int at = first; at < count; at += threads) next[at] = values[at] * 3 + values[(at * 7 + 1) % count] + values[count - 1 - at];
        grid.sync();
        for (int at = first; at < count; at += threads) values[at] = next[at];
        grid.sync();
    }
}

void test_grid(int blocks, int count) {
    auto values = random_values<unsigned>(static_cast<size_t>(count), 0, 1000);
    Device<unsigned> in(values), next(values.size());
    int repeat = 4;
    void *arguments[] = {&in.data, &next.data, &count, &repeat};
    ok(cudaLaunchCooperativeKernel(steps, dim3(static_cast<unsigned>(blocks)), dim3(64), arguments), "a cooperative launch");
    finish_kernel("steps");
    for (int step = 0; step < repeat; step++) {
        auto before = values;
        auto value = [&](int at) { return before[static_cast<size_t>(at)]; };
        for (int at = 0; at < count; at++) values[static_cast<size_t>(at)] = value(at) * 3 + value((at * 7 + 1) % count) + value(count - 1 - at);
    }
    check_equal("grid.sync with " + std::to_string(blocks) + " blocks", in.host(), values);
}

__global__ void copies(const int *in, int *out, int count) {
    extern __shared__ int room[];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, room, in, sizeof(int) * static_cast<unsigned>(count));
    cg::wait(block);
    for (int at = static_cast<int>(block.thread_rank()); at < count; at += static_cast<int>(block.size())) out[at] = room[count - 1 - at];
    block.sync();
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
    cg::invoke_one(block, [&] { out[0] += 1; });
}

void test_copies(int count) {
    auto values = random_values<int>(static_cast<size_t>(count));
    Device<int> in(values), out(values.size());
    copies<<<1, 96, sizeof(int) * static_cast<unsigned>(count)>>>(in.data, out.data, count);
    finish_kernel("copies");
    std::reverse(values.begin(), values.end());
    values[0]++;
    check_equal("memcpy_async of " + std::to_string(count), out.host(), values);
}

// A tile of more than one warp needs memory.
__global__ void wide_tiles(const int *in, int *sums) {
    __shared__ cg::block_tile_memory<BLOCK> memory;
    auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
    sums[threadIdx.x] = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());
}

void run() {
    test_tiles<int, 32>();
    test_tiles<int, 4>();
    test_tiles<float, 16>();
    test_tiles<long long, 8>();
    test_tiles<unsigned, 2>();
    test_tiles<double, 32>();
    for (int seed = 0; seed < 3; seed++) test_parts();
    test_grid(1, 64);
    test_grid(3, 1000);
    test_grid(8, 3001);
    for (int count : {1, 96, 1000}) test_copies(count);
    auto values = random_values<int>(BLOCK);
    Device<int> in(values), sums(BLOCK);
    wide_tiles<<<1, BLOCK>>>(in.data, sums.data);
    finish_kernel("wide tiles");
    std::vector<int> expected(BLOCK, std::accumulate(values.begin(), values.begin() + 64, 0));
    std::fill(expected.begin() + 64, expected.end(), std::accumulate(values.begin() + 64, values.end(), 0));
    check_equal("reduce, tiles of 64", sums.host(), expected);
}

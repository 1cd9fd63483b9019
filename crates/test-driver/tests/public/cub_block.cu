// Collectives of CUB for blocks and warps.
#include "checks.cuh"
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cub/warp/warp_store.cuh>

constexpr int ITEMS = 3;
struct Less {
    template <class T> __host__ __device__ bool operator()(T a, T b) const { return a < b; }
};
struct Largest {
    template <class T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

// Each operation reads and writes ITEMS items of a thread.
template <class T, int BLOCK, class Operation> __global__ void apply(const T *in, T *out, Operation) {
    T items[ITEMS];
    for (int item = 0; item < ITEMS; item++) items[item] = in[threadIdx.x * ITEMS + item];
    Operation::template run<T, BLOCK>(items);
    for (int item = 0; item < ITEMS; item++) out[threadIdx.x * ITEMS + item] = items[item];
}

template <cub::BlockReduceAlgorithm Algorithm> struct Reduce {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::BlockReduce<T, BLOCK, Algorithm>;
        __shared__ typename Collective::TempStorage storage;
        __shared__ T sum;
        T total = Collective(storage).Sum(items);
        if (threadIdx.x == 0) sum = total;
        __syncthreads();
        for (T &item : items) item = sum;
    }
    template <class T> static std::vector<T> host(const std::vector<T> &in, int) { return std::vector<T>(in.size(), std::accumulate(in.begin(), in.end(), T(0))); }
};

template <cub::BlockScanAlgorithm Algorithm, bool IsMax> struct Scan {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::BlockScan<T, BLOCK, Algorithm>;
        __shared__ typename Collective::TempStorage storage;
        if constexpr (IsMax) {
            Collective(storage).InclusiveScan(items, items, Largest{});
        } else {
            Collective(storage).ExclusiveSum(items, items);
        }
    }
    template <class T> static std::vector<T> host(std::vector<T> in, int) {
        if (IsMax) {
            std::partial_sum(in.begin(), in.end(), in.begin(), Largest{});
        } else {
            std::exclusive_scan(in.begin(), in.end(), in.begin(), T(0));
        }
        return in;
    }
};

template <bool IsMerge, bool IsDescending> struct Sort {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        if constexpr (IsMerge) {
            using Collective = cub::BlockMergeSort<T, BLOCK, ITEMS>;
            __shared__ typename Collective::TempStorage storage;
            Collective(storage).Sort(items, Less{});
        } else {
            using Collective = cub::BlockRadixSort<T, BLOCK, ITEMS>;
            __shared__ typename Collective::TempStorage storage;
            if constexpr (IsDescending) {
                Collective(storage).SortDescending(items);
            } else {
                Collective(storage).Sort(items);
            }
        }
    }
    template <class T> static std::vector<T> host(std::vector<T> in, int) {
        std::sort(in.begin(), in.end());
        if (IsDescending) std::reverse(in.begin(), in.end());
        return in;
    }
};

template <bool IsToBlocked> struct Exchange {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::BlockExchange<T, BLOCK, ITEMS>;
        __shared__ typename Collective::TempStorage storage;
        if constexpr (IsToBlocked) {
            Collective(storage).StripedToBlocked(items, items);
        } else {
            Collective(storage).BlockedToStriped(items, items);
        }
    }
    template <class T> static std::vector<T> host(const std::vector<T> &in, int block) {
        std::vector<T> out(in.size());
        for (size_t at = 0; at < in.size(); at++) {
            size_t striped = at % ITEMS * static_cast<size_t>(block) + at / ITEMS;
            out[at] = IsToBlocked ? in[at % static_cast<size_t>(block) * ITEMS + at / static_cast<size_t>(block)] : in[striped];
        }
        return out;
    }
};

struct Shuffle {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::BlockShuffle<T, BLOCK>;
        __shared__ typename Collective::TempStorage storage;
        T previous[ITEMS];
        Collective(storage).Up(items, previous);
        if (threadIdx.x == 0) previous[0] = items[0];
        for (int item = 0; item < ITEMS; item++) items[item] = previous[item];
    }
    template <class T> static std::vector<T> host(std::vector<T> in, int) {
        std::rotate(in.begin(), in.end() - 1, in.end());
        in[0] = in.size() > 1 ? in[1] : in[0];
        return in;
    }
};

struct Difference {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::BlockAdjacentDifference<T, BLOCK>;
        __shared__ typename Collective::TempStorage storage;
        T result[ITEMS];
        Collective(storage).SubtractLeft(items, result, [](T a, T b) { return static_cast<T>(a - b); });
        for (int item = 0; item < ITEMS; item++) items[item] = result[item];
    }
    template <class T> static std::vector<T> host(std::vector<T> in, int) {
        std::adjacent_difference(in.begin(), in.end(), in.begin());
        return in;
    }
};

struct Heads {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::BlockDiscontinuity<T, BLOCK>;
        __shared__ typename Collective::TempStorage storage;
        int flags[ITEMS];
        Collective(storage).FlagHeads(flags, items, [](T a, T b) { return a != b; });
        for (int item = 0; item < ITEMS; item++) items[item] = static_cast<T>(flags[item]);
    }
    template <class T> static std::vector<T> host(const std::vector<T> &in, int) {
        std::vector<T> out(in.size());
        for (size_t at = 0; at < in.size(); at++) out[at] = static_cast<T>(!at || in[at] != in[at - 1]);
        return out;
    }
};

template <cub::BlockHistogramAlgorithm Algorithm> struct Histogram {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::BlockHistogram<unsigned, BLOCK, ITEMS, 32, Algorithm>;
        __shared__ typename Collective::TempStorage storage;
        __shared__ unsigned counts[32];
        unsigned samples[ITEMS];
        for (int item = 0; item < ITEMS; item++) samples[item] = static_cast<unsigned>(items[item]) % 32;
        Collective(storage).Histogram(samples, counts);
        __syncthreads();
        for (int item = 0; item < ITEMS; item++) items[item] = static_cast<T>(counts[(threadIdx.x * ITEMS + item) % 32]);
    }
    template <class T> static std::vector<T> host(std::vector<T> in, int) {
        unsigned counts[32] = {};
        for (T value : in) counts[static_cast<unsigned>(value) % 32]++;
        for (size_t at = 0; at < in.size(); at++) in[at] = static_cast<T>(counts[at % 32]);
        return in;
    }
};

template <int LANES> struct WarpSum {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::WarpReduce<T, LANES>;
        __shared__ typename Collective::TempStorage storage[BLOCK / LANES];
        T total = Collective(storage[threadIdx.x / LANES]).Sum(items[0]);
        items[0] = threadIdx.x % LANES == 0 ? total : T(0);
    }
    template <class T> static std::vector<T> host(std::vector<T> in, int block) {
        for (size_t thread = 0; thread < static_cast<size_t>(block); thread++) {
            size_t head = thread / LANES * LANES;
            if (thread != head) in[head * ITEMS] += in[thread * ITEMS];
            if (thread != head) in[thread * ITEMS] = T(0);
        }
        return in;
    }
};

template <int LANES> struct WarpPrefix {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::WarpScan<T, LANES>;
        __shared__ typename Collective::TempStorage storage[BLOCK / LANES];
        Collective(storage[threadIdx.x / LANES]).InclusiveSum(items[0], items[0]);
    }
    template <class T> static std::vector<T> host(std::vector<T> in, int block) {
        for (size_t thread = 1; thread < static_cast<size_t>(block); thread++) {
            if (thread % LANES) in[thread * ITEMS] += in[(thread - 1) * ITEMS];
        }
        return in;
    }
};

template <int LANES> struct WarpSort {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::WarpMergeSort<T, ITEMS, LANES>;
        __shared__ typename Collective::TempStorage storage[BLOCK / LANES];
        Collective(storage[threadIdx.x / LANES]).Sort(items, Less{});
    }
    template <class T> static std::vector<T> host(std::vector<T> in, int) {
        for (auto at = in.begin(); at < in.end(); at += LANES * ITEMS) std::sort(at, at + LANES * ITEMS);
        return in;
    }
};

template <int LANES> struct WarpTranspose {
    template <class T, int BLOCK> static __device__ void run(T (&items)[ITEMS]) {
        using Collective = cub::WarpExchange<T, ITEMS, LANES>;
        __shared__ typename Collective::TempStorage storage[BLOCK / LANES];
        Collective(storage[threadIdx.x / LANES]).BlockedToStriped(items, items);
    }
    template <class T> static std::vector<T> host(const std::vector<T> &in, int) {
        std::vector<T> out(in.size());
        for (size_t at = 0; at < in.size(); at++) {
            size_t start = at / (LANES * ITEMS) * (LANES * ITEMS), lane = (at - start) / ITEMS, item = at % ITEMS;
            out[at] = in[start + item * LANES + lane];
        }
        return out;
    }
};

template <class T, int BLOCK, class Operation> void test(const char *algorithm, Operation operation) {
    auto values = random_values<T>(BLOCK * ITEMS, 0, 50);
    Device<T> in(values), out(values.size());
    apply<T, BLOCK><<<1, BLOCK>>>(in.data, out.data, operation);
    finish_kernel(algorithm);
    check_equal(name<T>(algorithm, BLOCK), out.host(), Operation::host(values, BLOCK));
}

// Loads all but the last items, and stores them.
template <class T, int BLOCK, cub::BlockLoadAlgorithm Load, cub::BlockStoreAlgorithm Store> __global__ void move(const T *in, T *out, int valid) {
    using Loads = cub::BlockLoad<T, BLOCK, ITEMS, Load>;
    using Stores = cub::BlockStore<T, BLOCK, ITEMS, Store>;
    __shared__ union {
        typename Loads::TempStorage load;
        typename Stores::TempStorage store;
    } storage;
    T items[ITEMS];
    Loads(storage.load).Load(in, items, valid, T(9));
    __syncthreads();
    for (T &item : items) item += T(1);
    Stores(storage.store).Store(out, items, valid);
}

template <class T, int BLOCK, cub::BlockLoadAlgorithm Load, cub::BlockStoreAlgorithm Store> void test_move(const char *algorithm) {
    int valid = static_cast<int>(random_number(1, BLOCK * ITEMS));
    auto values = random_values<T>(BLOCK * ITEMS, 0, 50), expected = std::vector<T>(values.size());
    for (int at = 0; at < valid; at++) expected[static_cast<size_t>(at)] = values[static_cast<size_t>(at)] + T(1);
    Device<T> in(values), out(std::vector<T>(values.size()));
    move<T, BLOCK, Load, Store><<<1, BLOCK>>>(in.data, out.data, valid);
    finish_kernel(algorithm);
    check_equal(name<T>(algorithm, BLOCK), out.host(), expected);
}

template <int BLOCK> __global__ void decode(const int *values, const unsigned *lengths, int *out, unsigned *total) {
    using Collective = cub::BlockRunLengthDecode<int, BLOCK, 1, 4>;
    __shared__ typename Collective::TempStorage storage;
    int value[1] = {values[threadIdx.x]};
    unsigned length[1] = {lengths[threadIdx.x]}, size = 0;
    Collective runs(storage, value, length, size);
    for (unsigned from = 0; from < size; from += BLOCK * 4) {
        int items[4];
        runs.RunLengthDecode(items, from);
        for (unsigned item = 0; item < 4; item++) {
            unsigned at = from + threadIdx.x * 4 + item;
            if (at < size) out[at] = items[item];
        }
    }
    if (threadIdx.x == 0) *total = size;
}

template <class T, int BLOCK> void collectives() {
    test<T, BLOCK>("BlockReduce, warp reductions", Reduce<cub::BLOCK_REDUCE_WARP_REDUCTIONS>{});
    test<T, BLOCK>("BlockReduce, raking", Reduce<cub::BLOCK_REDUCE_RAKING>{});
    test<T, BLOCK>("BlockReduce, commutative raking", Reduce<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>{});
    test<T, BLOCK>("BlockScan, raking", Scan<cub::BLOCK_SCAN_RAKING, false>{});
    test<T, BLOCK>("BlockScan, memoized raking", Scan<cub::BLOCK_SCAN_RAKING_MEMOIZE, true>{});
    test<T, BLOCK>("BlockScan, warp scans", Scan<cub::BLOCK_SCAN_WARP_SCANS, true>{});
    test<T, BLOCK>("BlockRadixSort", Sort<false, false>{});
    test<T, BLOCK>("BlockRadixSort, descending", Sort<false, true>{});
    // It needs a power of two.
    if constexpr ((BLOCK & (BLOCK - 1)) == 0) test<T, BLOCK>("BlockMergeSort", Sort<true, false>{});
    test<T, BLOCK>("BlockExchange, to blocked", Exchange<true>{});
    test<T, BLOCK>("BlockExchange, to striped", Exchange<false>{});
    test<T, BLOCK>("BlockShuffle", Shuffle{});
    test<T, BLOCK>("BlockAdjacentDifference", Difference{});
    test<T, BLOCK>("BlockDiscontinuity", Heads{});
    test<T, BLOCK>("BlockHistogram, atomic", Histogram<cub::BLOCK_HISTO_ATOMIC>{});
    test<T, BLOCK>("BlockHistogram, sort", Histogram<cub::BLOCK_HISTO_SORT>{});
    test<T, BLOCK>("WarpReduce of 32", WarpSum<32>{});
    test<T, BLOCK>("WarpReduce of 8", WarpSum<8>{});
    test<T, BLOCK>("WarpScan of 32", WarpPrefix<32>{});
    test<T, BLOCK>("WarpScan of 16", WarpPrefix<16>{});
    test<T, BLOCK>("WarpMergeSort of 32", WarpSort<32>{});
    test<T, BLOCK>("WarpMergeSort of 4", WarpSort<4>{});
    test<T, BLOCK>("WarpExchange of 32", WarpTranspose<32>{});
    test_move<T, BLOCK, cub::BLOCK_LOAD_DIRECT, cub::BLOCK_STORE_TRANSPOSE>("BlockLoad, direct");
    test_move<T, BLOCK, cub::BLOCK_LOAD_STRIPED, cub::BLOCK_STORE_STRIPED>("BlockLoad, striped");
    test_move<T, BLOCK, cub::BLOCK_LOAD_VECTORIZE, cub::BLOCK_STORE_VECTORIZE>("BlockLoad, vectors");
    test_move<T, BLOCK, cub::BLOCK_LOAD_TRANSPOSE, cub::BLOCK_STORE_DIRECT>("BlockLoad, transpose");
    test_move<T, BLOCK, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::BLOCK_STORE_WARP_TRANSPOSE>("BlockLoad, warp transpose");
}

void run() {
    collectives<int, 64>();
    collectives<float, 96>();
    collectives<unsigned short, 128>();
    collectives<double, 32>();
    auto values = random_values<int>(64, 0, 1000);
    auto lengths = random_values<unsigned>(64, 1, 12);
    std::vector<int> expected;
    for (size_t at = 0; at < 64; at++) expected.insert(expected.end(), lengths[at], values[at]);
    Device<int> values_in(values), out(64 * 12);
    Device<unsigned> lengths_in(lengths), total(1);
    decode<64><<<1, 64>>>(values_in.data, lengths_in.data, out.data, total.data);
    finish_kernel("BlockRunLengthDecode");
    check_equal("BlockRunLengthDecode", out.host(total.host()[0]), expected);
}

// Device-wide algorithms of CUB, except sorting.
#include "checks.cuh"
#include <cub/device/device_adjacent_difference.cuh>
#include <cub/device/device_for.cuh>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_memcpy.cuh>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_run_length_encode.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>

// Asks for the size of the temporary memory, then runs.
template <class Call> void with_storage(Call call) {
    size_t bytes = 0;
    ok(call(nullptr, bytes));
    Device<char> storage(bytes);
    ok(call(storage.data, bytes));
}

template <class T> struct IsSmall {
    __host__ __device__ bool operator()(T value) const { return value < T(40); }
};
template <class T> struct IsLarge {
    __host__ __device__ bool operator()(T value) const { return value > T(70); }
};
template <class T> struct Twice {
    __host__ __device__ T operator()(T value) const { return value + value; }
};
template <class T> struct Add {
    __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Largest {
    template <class T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Double {
    template <class T> __device__ void operator()(T &value) const { value = value + value; }
};
template <class T> struct Store {
    T *out;
    __device__ void operator()(size_t at) const { out[at] = T(at % 101); }
};

template <class T> void reductions(size_t n) {
    auto values = random_values<T>(n);
    Device<T> in(values), out(1);
    auto test = [&](const char *algorithm, T expected, auto call) {
        with_storage(call);
        check_equal(name<T>(algorithm, n), out.host(), {expected});
    };
    T sum = std::accumulate(values.begin(), values.end(), T(0));
    test("Reduce::Sum", sum, [&](void *t, size_t &b) { return cub::DeviceReduce::Sum(t, b, in.data, out.data, n); });
    test("Reduce::Min", *std::min_element(values.begin(), values.end()), [&](void *t, size_t &b) { return cub::DeviceReduce::Min(t, b, in.data, out.data, n); });
    test("Reduce::Max", *std::max_element(values.begin(), values.end()), [&](void *t, size_t &b) { return cub::DeviceReduce::Max(t, b, in.data, out.data, n); });
    test("Reduce::Reduce", std::max(T(7), *std::max_element(values.begin(), values.end())),
         [&](void *t, size_t &b) { return cub::DeviceReduce::Reduce(t, b, in.data, out.data, n, Largest{}, T(7)); });
    test("Reduce::TransformReduce", sum + sum, [&](void *t, size_t &b) { return cub::DeviceReduce::TransformReduce(t, b, in.data, out.data, n, Add<T>{}, Twice<T>{}, T(0)); });
    Device<int64_t> index(1);
    with_storage([&](void *t, size_t &b) { return cub::DeviceReduce::ArgMin(t, b, in.data, out.data, index.data, static_cast<int64_t>(n)); });
    check_equal<int64_t>(name<T>("Reduce::ArgMin", n), index.host(), {std::min_element(values.begin(), values.end()) - values.begin()});

    std::vector<int> offsets{0};
    while (offsets.back() < static_cast<int>(n)) offsets.push_back(std::min<int>(static_cast<int>(n), offsets.back() + static_cast<int>(random_number(0, 700))));
    std::vector<T> expected;
    for (size_t at = 0; at + 1 < offsets.size(); at++) expected.push_back(std::accumulate(values.begin() + offsets[at], values.begin() + offsets[at + 1], T(0)));
    Device<int> bounds(offsets);
    Device<T> sums(expected.size());
    with_storage([&](void *t, size_t &b) {
        return cub::DeviceSegmentedReduce::Sum(t, b, in.data, sums.data, static_cast<int>(expected.size()), bounds.data, bounds.data + 1);
    });
    check_equal(name<T>("SegmentedReduce::Sum", n), sums.host(), expected);

    auto keys = random_values<int>(n, 0, 3);
    std::vector<int> unique;
    std::vector<T> totals;
    for (size_t at = 0; at < n; at++) {
        if (at && keys[at] == keys[at - 1]) {
            totals.back() += values[at];
        } else {
            unique.push_back(keys[at]);
            totals.push_back(values[at]);
        }
    }
    Device<int> keys_in(keys), keys_out(n), runs(1);
    Device<T> by_key(n);
    with_storage([&](void *t, size_t &b) {
        return cub::DeviceReduce::ReduceByKey(t, b, keys_in.data, keys_out.data, in.data, by_key.data, runs.data, Add<T>{}, static_cast<int>(n));
    });
    size_t count = static_cast<size_t>(runs.host()[0]);
    check_equal(name<T>("Reduce::ReduceByKey, keys", n), keys_out.host(count), unique);
    check_equal(name<T>("Reduce::ReduceByKey, values", n), by_key.host(count), totals);
}

template <class T> void scans(size_t n) {
    auto values = random_values<T>(n, 0, 3);
    auto keys = random_values<int>(n, 0, 2);
    Device<T> in(values), out(n);
    Device<int> keys_in(keys);
    std::vector<T> expected(n);
    auto test = [&](const char *algorithm, auto call) {
        with_storage(call);
        check_equal(name<T>(algorithm, n), out.host(), expected);
    };
    std::partial_sum(values.begin(), values.end(), expected.begin());
    test("Scan::InclusiveSum", [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSum(t, b, in.data, out.data, n); });
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), T(0));
    test("Scan::ExclusiveSum", [&](void *t, size_t &b) { return cub::DeviceScan::ExclusiveSum(t, b, in.data, out.data, n); });
    std::partial_sum(values.begin(), values.end(), expected.begin(), Largest{});
    test("Scan::InclusiveScan", [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveScan(t, b, in.data, out.data, Largest{}, n); });
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), T(1), Largest{});
    test("Scan::ExclusiveScan", [&](void *t, size_t &b) { return cub::DeviceScan::ExclusiveScan(t, b, in.data, out.data, Largest{}, T(1), n); });
    for (size_t at = 0; at < n; at++) expected[at] = values[at] + (at && keys[at] == keys[at - 1] ? expected[at - 1] : T(0));
    test("Scan::InclusiveSumByKey", [&](void *t, size_t &b) { return cub::DeviceScan::InclusiveSumByKey(t, b, keys_in.data, in.data, out.data, n); });
}

template <class T> void selections(size_t n) {
    auto values = random_values<T>(n, 0, 100);
    auto flags = random_values<char>(n, 0, 1);
    Device<T> in(values), out(n), rest(n);
    Device<char> marks(flags);
    Device<int> count(2);
    std::vector<T> expected, others;
    int size = static_cast<int>(n);
    auto test = [&](const char *algorithm, auto call) {
        with_storage(call);
        check_equal(name<T>(algorithm, n), out.host(static_cast<size_t>(count.host()[0])), expected);
    };
    for (size_t at = 0; at < n; at++) (flags[at] ? expected : others).push_back(values[at]);
    test("Select::Flagged", [&](void *t, size_t &b) { return cub::DeviceSelect::Flagged(t, b, in.data, marks.data, out.data, count.data, size); });
    test("Partition::Flagged", [&](void *t, size_t &b) { return cub::DevicePartition::Flagged(t, b, in.data, marks.data, out.data, count.data, size); });
    // The values that are not selected are behind the selected values, in reverse order.
    auto all = out.host();
    std::reverse(others.begin(), others.end());
    check_equal(name<T>("Partition::Flagged, others", n), {all.begin() + static_cast<long>(expected.size()), all.end()}, others);
    expected.clear();
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), IsSmall<T>{});
    test("Select::If", [&](void *t, size_t &b) { return cub::DeviceSelect::If(t, b, in.data, out.data, count.data, size, IsSmall<T>{}); });
    test("Partition::If", [&](void *t, size_t &b) { return cub::DevicePartition::If(t, b, in.data, out.data, count.data, size, IsSmall<T>{}); });
    Device<T> third(n);
    test("Partition::If in three", [&](void *t, size_t &b) {
        return cub::DevicePartition::If(t, b, in.data, out.data, rest.data, third.data, count.data, size, IsSmall<T>{}, IsLarge<T>{});
    });
    expected.clear();
    std::copy_if(values.begin(), values.end(), std::back_inserter(expected), IsLarge<T>{});
    check_equal(name<T>("Partition::If in three, second", n), rest.host(static_cast<size_t>(count.host()[1])), expected);

    auto runs = random_values<T>(n, 0, 1);
    Device<T> runs_in(runs);
    Device<int> lengths(n), offsets(n);
    std::vector<int> expected_lengths;
    expected.clear();
    for (size_t at = 0; at < n; at++) {
        if (at && runs[at] == runs[at - 1]) {
            expected_lengths.back()++;
        } else {
            expected.push_back(runs[at]);
            expected_lengths.push_back(1);
        }
    }
    test("Select::Unique", [&](void *t, size_t &b) { return cub::DeviceSelect::Unique(t, b, runs_in.data, out.data, count.data, size); });
    test("RunLengthEncode::Encode", [&](void *t, size_t &b) {
        return cub::DeviceRunLengthEncode::Encode(t, b, runs_in.data, out.data, lengths.data, count.data, size);
    });
    check_equal(name<T>("RunLengthEncode::Encode, lengths", n), lengths.host(expected.size()), expected_lengths);
    // It writes what it discards to one place of shared memory from many threads, behind the part of its warp.
    if (is_checked()) return;
    std::vector<int> starts;
    for (int at = 0, start = 0; at < static_cast<int>(expected_lengths.size()); start += expected_lengths[static_cast<size_t>(at++)]) {
        if (expected_lengths[static_cast<size_t>(at)] > 1) starts.push_back(start);
    }
    with_storage([&](void *t, size_t &b) { return cub::DeviceRunLengthEncode::NonTrivialRuns(t, b, runs_in.data, offsets.data, lengths.data, count.data, size); });
    check_equal(name<T>("RunLengthEncode::NonTrivialRuns", n), offsets.host(static_cast<size_t>(count.host()[0])), starts);
}

template <class T> void elements(size_t n) {
    auto values = random_values<T>(n, 0, 100);
    Device<T> in(values), out(n);
    std::vector<T> expected(n);
    std::adjacent_difference(values.begin(), values.end(), expected.begin());
    with_storage([&](void *t, size_t &b) { return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, b, in.data, out.data, n); });
    check_equal(name<T>("AdjacentDifference::SubtractLeftCopy", n), out.host(), expected);
    for (size_t at = 0; at < n; at++) expected[at] = at + 1 < n ? static_cast<T>(values[at] - values[at + 1]) : values[at];
    with_storage([&](void *t, size_t &b) { return cub::DeviceAdjacentDifference::SubtractRightCopy(t, b, in.data, out.data, n); });
    check_equal(name<T>("AdjacentDifference::SubtractRightCopy", n), out.host(), expected);
    for (size_t at = 0; at < n; at++) expected[at] = T(at % 101);
    ok(cub::DeviceFor::Bulk(n, Store<T>{out.data}));
    check_equal(name<T>("For::Bulk", n), out.host(), expected);
    for (T &value : expected) value = value + value;
    ok(cub::DeviceFor::ForEach(out.data, out.data + n, Double{}));
    check_equal(name<T>("For::ForEach", n), out.host(), expected);
    for (size_t at = 0; at < n; at++) expected[at] = values[at] + values[at];
    ok(cub::DeviceTransform::Transform(in.data, out.data, static_cast<int>(n), Twice<T>{}));
    check_equal(name<T>("Transform::Transform", n), out.host(), expected);

    Device<int> bins(16);
    std::vector<int> counts(16);
    for (T value : values) {
        if (value < T(96)) counts[static_cast<size_t>(value) / 6]++;
    }
    with_storage([&](void *t, size_t &b) { return cub::DeviceHistogram::HistogramEven(t, b, in.data, bins.data, 17, T(0), T(96), static_cast<int>(n)); });
    check_equal(name<T>("Histogram::HistogramEven", n), bins.host(), counts);
    std::vector<T> levels{T(0), T(3), T(20), T(21), T(90)};
    Device<T> levels_in(levels);
    counts.assign(4, 0);
    for (T value : values) {
        for (size_t bin = 0; bin < 4; bin++) counts[bin] += value >= levels[bin] && value < levels[bin + 1];
    }
    with_storage([&](void *t, size_t &b) { return cub::DeviceHistogram::HistogramRange(t, b, in.data, bins.data, 5, levels_in.data, static_cast<int>(n)); });
    check_equal(name<T>("Histogram::HistogramRange", n), bins.host(4), counts);

    // Ten pieces of different length, in reverse order.
    std::vector<T *> from, to;
    std::vector<size_t> bytes;
    std::vector<T> reversed(n);
    for (size_t piece = 0; piece < 10; piece++) {
        size_t start = piece * piece * n / 100, end = (piece + 1) * (piece + 1) * n / 100;
        from.push_back(in.data + start);
        to.push_back(out.data + n - end);
        bytes.push_back((end - start) * sizeof(T));
        std::copy(values.begin() + static_cast<long>(start), values.begin() + static_cast<long>(end), reversed.begin() + static_cast<long>(n - end));
    }
    Device<T *> sources(from), destinations(to);
    Device<size_t> sizes(bytes);
    with_storage([&](void *t, size_t &b) {
        return cub::DeviceMemcpy::Batched(t, b, reinterpret_cast<void **>(sources.data), reinterpret_cast<void **>(destinations.data), sizes.data, 10);
    });
    check_equal(name<T>("Memcpy::Batched", n), out.host(), reversed);
}

void run() {
    for (size_t n : {1, 777, 20001}) {
        reductions<int>(n);
        reductions<double>(n);
        scans<uint64_t>(n);
        scans<float>(n);
        selections<int>(n);
        selections<uint8_t>(n);
        elements<int>(n);
        elements<float>(n);
    }
}

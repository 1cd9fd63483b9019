// Device-wide sorting of CUB.
#include "checks.cuh"
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

template <class Call> void with_storage(Call call) {
    size_t bytes = 0;
    ok(call(nullptr, bytes));
    Device<char> storage(bytes);
    ok(call(storage.data, bytes));
}

struct Point {
    int x;
    short y;
    bool operator==(const Point &other) const { return x == other.x && y == other.y; }
};
struct Before {
    __host__ __device__ bool operator()(const Point &a, const Point &b) const { return a.x < b.x; }
    template <class T> __host__ __device__ bool operator()(T a, T b) const { return b < a; }
};

template <class T> std::vector<T> sorted(std::vector<T> values) {
    std::stable_sort(values.begin(), values.end());
    return values;
}

// The places of the values in sorted order.
template <class T> std::vector<int> order(const std::vector<T> &values, bool is_descending) {
    std::vector<int> places(values.size());
    std::iota(places.begin(), places.end(), 0);
    auto value = [&](int place) { return values[static_cast<size_t>(place)]; };
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return is_descending ? value(b) < value(a) : value(a) < value(b); });
    return places;
}

template <class T> void radix(size_t n) {
    auto values = random_values<T>(n, std::is_unsigned_v<T> ? 0 : -(1ll << 30), sizeof(T) < 4 ? 60000 : 1ll << 30);
    Device<T> in(values), out(n);
    auto places = order(values, false);
    std::vector<int> numbers(n);
    std::iota(numbers.begin(), numbers.end(), 0);
    Device<int> numbers_in(numbers), numbers_out(n);
    int size = static_cast<int>(n);
    with_storage([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortKeys(t, b, in.data, out.data, size); });
    check_equal(name<T>("RadixSort::SortKeys", n), out.host(), sorted(values));
    with_storage([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairs(t, b, in.data, out.data, numbers_in.data, numbers_out.data, size); });
    check_equal(name<T>("RadixSort::SortPairs", n), numbers_out.host(), places);
    with_storage([&](void *t, size_t &b) { return cub::DeviceRadixSort::SortPairsDescending(t, b, in.data, out.data, numbers_in.data, numbers_out.data, size); });
    check_equal(name<T>("RadixSort::SortPairsDescending", n), numbers_out.host(), order(values, true));
}

void run() {
    for (size_t n : {1, 500, 15000}) {
        radix<uint32_t>(n);
        radix<float>(n);
    }
    radix<uint16_t>(3000);
    for (size_t n : {1, 300, 9001}) {
        auto values = random_values<int>(n, -1000, 1000);
        std::vector<Point> points(n);
        for (size_t at = 0; at < n; at++) points[at] = {values[at], static_cast<short>(at)};
        Device<Point> sorted_points(points);
        with_storage([&](void *t, size_t &b) { return cub::DeviceMergeSort::StableSortKeys(t, b, sorted_points.data, n, Before{}); });
        std::stable_sort(points.begin(), points.end(), Before{});
        check_equal(name<Point>("MergeSort::StableSortKeys", n), sorted_points.host(), points);

        Device<int> keys(values);
        std::vector<int> numbers(n);
        std::iota(numbers.begin(), numbers.end(), 0);
        Device<int> items(numbers), numbers_in(numbers), out(n), numbers_out(n);
        with_storage([&](void *t, size_t &b) { return cub::DeviceMergeSort::SortPairs(t, b, keys.data, items.data, n, Before{}); });
        std::vector<int> expected;
        for (int place : order(values, true)) expected.push_back(values[static_cast<size_t>(place)]);
        check_equal(name<int>("MergeSort::SortPairs", n), keys.host(), expected);

        std::vector<int> offsets{0};
        while (offsets.back() < static_cast<int>(n)) offsets.push_back(std::min<int>(static_cast<int>(n), offsets.back() + static_cast<int>(random_number(0, 900))));
        Device<int> bounds(offsets), from(values);
        int segments = static_cast<int>(offsets.size()) - 1, size = static_cast<int>(n);
        expected = values;
        for (size_t at = 0; at + 1 < offsets.size(); at++) std::sort(expected.begin() + offsets[at], expected.begin() + offsets[at + 1]);
        with_storage([&](void *t, size_t &b) { return cub::DeviceSegmentedSort::SortKeys(t, b, from.data, out.data, size, segments, bounds.data, bounds.data + 1); });
        check_equal(name<int>("SegmentedSort::SortKeys", n), out.host(), expected);
    }
}

// Algorithms of Thrust.
#include "checks.cuh"
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/find.h>
#include <thrust/gather.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

template <class T> using Values = thrust::device_vector<T>;

struct IsEven {
    template <class T> __host__ __device__ bool operator()(T value) const { return static_cast<long long>(value) % 2 == 0; }
};
struct Square {
    template <class T> __host__ __device__ T operator()(T value) const { return value * value; }
};
struct Dot {
    template <class Pair> __host__ __device__ long long operator()(const Pair &pair) const {
        return static_cast<long long>(thrust::get<0>(pair)) * static_cast<long long>(thrust::get<1>(pair));
    }
};

template <class T> std::vector<T> host(const Values<T> &values, size_t count) {
    std::vector<T> all(values.size());
    thrust::copy(values.begin(), values.end(), all.begin());
    all.resize(count);
    return all;
}
template <class T> std::vector<T> host(const Values<T> &values) { return host(values, values.size()); }

template <class T> void order(size_t n) {
    auto values = random_values<T>(n, 0, 5000), expected = values;
    Values<T> keys(values), found;
    thrust::sort(keys.begin(), keys.end());
    std::sort(expected.begin(), expected.end());
    check_equal(name<T>("sort", n), host(keys), expected);
    thrust::sort(keys.begin(), keys.end(), [] __device__(T a, T b) { return b < a; });
    check_equal(name<T>("sort with a comparison", n), host(keys), std::vector<T>(expected.rbegin(), expected.rend()));
    keys = values;
    Values<int> numbers(n);
    thrust::sequence(numbers.begin(), numbers.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), numbers.begin());
    std::vector<int> places(n);
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return values[static_cast<size_t>(a)] < values[static_cast<size_t>(b)]; });
    check_equal(name<T>("stable_sort_by_key", n), host(numbers), places);

    auto wanted = random_values<T>(100, 0, 5000);
    Values<T> wanted_in(wanted);
    Values<int> bounds(100);
    thrust::lower_bound(keys.begin(), keys.end(), wanted_in.begin(), wanted_in.end(), bounds.begin());
    std::vector<int> expected_bounds;
    for (T value : wanted) expected_bounds.push_back(static_cast<int>(std::lower_bound(expected.begin(), expected.end(), value) - expected.begin()));
    check_equal(name<T>("lower_bound", n), host(bounds), expected_bounds);

    auto others = random_values<T>(n / 2 + 1, 0, 5000);
    std::sort(others.begin(), others.end());
    Values<T> others_in(others), out(n + others.size());
    std::vector<T> result;
    auto compare = [&](const char *algorithm, auto end) {
        check_equal(name<T>(algorithm, n), host(out, static_cast<size_t>(end - out.begin())), result);
        result.clear();
    };
    std::merge(expected.begin(), expected.end(), others.begin(), others.end(), std::back_inserter(result));
    compare("merge", thrust::merge(keys.begin(), keys.end(), others_in.begin(), others_in.end(), out.begin()));
    std::set_union(expected.begin(), expected.end(), others.begin(), others.end(), std::back_inserter(result));
    compare("set_union", thrust::set_union(keys.begin(), keys.end(), others_in.begin(), others_in.end(), out.begin()));
    // It compares values behind its input, which nothing has written: with any values, its result is the same.
    if (!is_checked()) {
        std::set_intersection(expected.begin(), expected.end(), others.begin(), others.end(), std::back_inserter(result));
        compare("set_intersection", thrust::set_intersection(keys.begin(), keys.end(), others_in.begin(), others_in.end(), out.begin()));
    }
    std::set_difference(expected.begin(), expected.end(), others.begin(), others.end(), std::back_inserter(result));
    compare("set_difference", thrust::set_difference(keys.begin(), keys.end(), others_in.begin(), others_in.end(), out.begin()));
}

template <class T> void elements(size_t n) {
    auto values = random_values<T>(n, 0, 30), others = random_values<T>(n, 0, 30);
    Values<T> in(values), second(others), out(n);
    std::vector<T> expected(n);
    check(name<T>("reduce", n), thrust::reduce(in.begin(), in.end(), T(3)) == std::accumulate(values.begin(), values.end(), T(3)));
    check(name<T>("count_if", n), thrust::count_if(in.begin(), in.end(), IsEven{}) == std::count_if(values.begin(), values.end(), IsEven{}));
    check(name<T>("max_element", n), thrust::max_element(in.begin(), in.end()) - in.begin() == std::max_element(values.begin(), values.end()) - values.begin());
    check(name<T>("find", n), thrust::find(in.begin(), in.end(), T(17)) - in.begin() == std::find(values.begin(), values.end(), T(17)) - values.begin());
    check(name<T>("inner_product", n),
          thrust::inner_product(in.begin(), in.end(), second.begin(), T(0)) == std::inner_product(values.begin(), values.end(), others.begin(), T(0)));
    auto pairs = thrust::make_zip_iterator(in.begin(), second.begin());
    check(name<T>("transform_reduce of pairs", n), thrust::transform_reduce(pairs, pairs + static_cast<long>(n), Dot{}, 0ll, thrust::plus<long long>{}) ==
                                                       std::inner_product(values.begin(), values.end(), others.begin(), 0ll));
    thrust::transform(in.begin(), in.end(), out.begin(), Square{});
    std::transform(values.begin(), values.end(), expected.begin(), Square{});
    check_equal(name<T>("transform", n), host(out), expected);
    thrust::inclusive_scan(in.begin(), in.end(), out.begin());
    std::partial_sum(values.begin(), values.end(), expected.begin());
    check_equal(name<T>("inclusive_scan", n), host(out), expected);
    thrust::exclusive_scan(in.begin(), in.end(), out.begin(), T(5));
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), T(5));
    check_equal(name<T>("exclusive_scan", n), host(out), expected);
    thrust::adjacent_difference(in.begin(), in.end(), out.begin());
    std::adjacent_difference(values.begin(), values.end(), expected.begin());
    check_equal(name<T>("adjacent_difference", n), host(out), expected);
    std::vector<int> places(n);
    std::iota(places.begin(), places.end(), 0);
    std::shuffle(places.begin(), places.end(), engine);
    Values<int> map(places);
    thrust::gather(map.begin(), map.end(), in.begin(), out.begin());
    for (size_t at = 0; at < n; at++) expected[at] = values[static_cast<size_t>(places[at])];
    check_equal(name<T>("gather", n), host(out), expected);
    thrust::scatter(in.begin(), in.end(), map.begin(), out.begin());
    for (size_t at = 0; at < n; at++) expected[static_cast<size_t>(places[at])] = values[at];
    check_equal(name<T>("scatter", n), host(out), expected);
    thrust::reverse(out.begin(), out.end());
    std::reverse(expected.begin(), expected.end());
    check_equal(name<T>("reverse", n), host(out), expected);
    thrust::stable_partition(out.begin(), out.end(), IsEven{});
    std::stable_partition(expected.begin(), expected.end(), IsEven{});
    check_equal(name<T>("stable_partition", n), host(out), expected);
    out.erase(thrust::remove_if(out.begin(), out.end(), IsEven{}), out.end());
    expected.erase(std::remove_if(expected.begin(), expected.end(), IsEven{}), expected.end());
    check_equal(name<T>("remove_if", n), host(out), expected);
    out.erase(thrust::unique(out.begin(), out.end()), out.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    check_equal(name<T>("unique", n), host(out), expected);

    auto keys = random_values<int>(n, 0, 1);
    Values<int> keys_in(keys), keys_out(n);
    out.resize(n);
    auto ends = thrust::reduce_by_key(keys_in.begin(), keys_in.end(), in.begin(), keys_out.begin(), out.begin());
    expected.clear();
    for (size_t at = 0; at < n; at++) {
        if (!at || keys[at] != keys[at - 1]) expected.push_back(T(0));
        expected.back() += values[at];
    }
    check_equal(name<T>("reduce_by_key", n), host(out, static_cast<size_t>(ends.second - out.begin())), expected);
}

void run() {
    for (size_t n : {1, 1000, 12345}) {
        order<int>(n);
        elements<int>(n);
        elements<double>(n);
    }
}

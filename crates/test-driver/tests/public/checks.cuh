// What the programs of this folder have in common: random numbers from the seed in their first argument, memory of the
// device, and checks that are counted.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

inline std::mt19937_64 engine;
inline int checks = 0, failures = 0;

// Whether the test driver checks accesses. Then a few checks are left out, with the reason.
inline bool is_checked() {
    const char *value = std::getenv("KERNEL_ARGS_TEST_DRIVER_MEMCHECK");
    return value && *value == '1';
}

// A number of [low, high].
inline long long random_number(long long low, long long high) {
    return low + static_cast<long long>(engine() % static_cast<unsigned long long>(high - low + 1));
}

// Whole numbers, also as floats: their sums are exact in any order.
template <class T> std::vector<T> random_values(size_t count, long long low = std::is_unsigned_v<T> ? 0 : -100, long long high = 100) {
    std::vector<T> values(count);
    for (T &value : values) value = static_cast<T>(random_number(low, high));
    return values;
}

inline void check(const std::string &name, bool is_right) {
    checks++;
    if (is_right) return;
    failures++;
    std::printf("FAIL %s\n", name.c_str());
}

template <class T> void check_equal(const std::string &name, const std::vector<T> &got, const std::vector<T> &expected) {
    size_t at = 0, end = std::min(got.size(), expected.size());
    while (at < end && got[at] == expected[at]) at++;
    check(name + ": element " + std::to_string(at) + " of " + std::to_string(got.size()), at == end && got.size() == expected.size());
}

inline void ok(cudaError_t error, const char *what = "a call of the runtime") {
    if (error == cudaSuccess) return;
    std::printf("FAIL %s: %s\n", what, cudaGetErrorString(error));
    std::exit(2);
}

inline void finish_kernel(const char *what) {
    ok(cudaGetLastError(), what);
    ok(cudaDeviceSynchronize(), what);
}

// Memory of the device.
template <class T> struct Device {
    T *data = nullptr;
    size_t size;
    explicit Device(size_t count) : size(count) { ok(cudaMalloc(reinterpret_cast<void **>(&data), std::max<size_t>(count, 1) * sizeof(T)), "cudaMalloc"); }
    explicit Device(const std::vector<T> &values) : Device(values.size()) {
        ok(cudaMemcpy(data, values.data(), size * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    Device(const Device &) = delete;
    ~Device() { cudaFree(data); }
    std::vector<T> host(size_t count) const {
        std::vector<T> values(count);
        ok(cudaMemcpy(values.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
        return values;
    }
    std::vector<T> host() const { return host(size); }
};

template <class T> constexpr const char *type_name() {
    if (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "float" : "double";
    if (!std::is_integral_v<T>) return "struct";
    constexpr const char *names[] = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"};
    return names[4 * std::is_unsigned_v<T> + (sizeof(T) == 8 ? 3 : sizeof(T) == 4 ? 2 : sizeof(T) == 2 ? 1 : 0)];
}

// The name of a check.
template <class T> std::string name(const char *algorithm, size_t size) {
    return std::string(algorithm) + " of " + std::to_string(size) + " " + type_name<T>();
}

void run();

int main(int, char **arguments) {
    engine.seed(arguments[1] ? std::strtoull(arguments[1], nullptr, 10) : 0);
    run();
    ok(cudaDeviceSynchronize(), "the last kernel");
    if (!failures) std::printf("PASS %d checks\n", checks);
    return failures ? 1 : 0;
}

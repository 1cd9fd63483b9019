// Costs of launches in C and C++: `<<<>>>`, cudaLaunchKernelExC, the driver's functions in both forms, and a graph
// whose nodes are updated. The kernels are the kernels of the Rust benchmark, on the default stream.
//
//     nvcc -O3 -std=c++17 -I ../../../ptx launch.cu -o launch_c -ldl && ./launch_c driver ../../../ptx/launch_cost.ptx
//
// `driver` uses the driver's functions without starting the CUDA runtime, as in the Rust program;
// `runtime` uses the runtime.
#include <cuda_runtime.h>

#include "driver.h"
#include "launch_cost.cu"
#include "rounds.h"

using Word = unsigned long long;

// The arguments of the kernels, from the lists in launch_cost.cu: octal digits name the words.
#define VALUE(n) , a[0##n]
#define VALUES_1 a[0]
#define VALUES_8 a[7] LIST7(VALUE, )
#define VALUES_32 a[7] LIST7(VALUE, 0) LIST8(VALUE, 1) LIST8(VALUE, 2) LIST8(VALUE, 3)
#define VALUES_64                                                                                            \
    VALUES_32 LIST8(VALUE, 4) LIST8(VALUE, 5) LIST8(VALUE, 6) LIST8(VALUE, 7)
#define VALUES_128 VALUES_64 LIST64(VALUE, 1)
#define VALUES_512                                                                                           \
    VALUES_128 LIST64(VALUE, 2) LIST64(VALUE, 3) LIST64(VALUE, 4) LIST64(VALUE, 5) LIST64(VALUE, 6)          \
        LIST64(VALUE, 7)

// Arguments with the lifetime of the process, and both forms of them, prepared before the timing.
struct Arguments {
    std::vector<Word> words;
    std::vector<void*> params;
    size_t size;

    // `count` parameters of 8 bytes, or one parameter with all words.
    Arguments(size_t words, bool one) : words(words), size(words * sizeof(Word))
    {
        for (size_t i = 0; i < words; i++)
            this->words[i] = i;
        for (size_t i = 0; i < (one ? 1 : words); i++)
            params.push_back(&this->words[i]);
    }
};

// The five words of `extra`. They contain pointers into the same array, so they must not move.
struct Extra {
    size_t size;
    void* words[5];

    Extra(void* buffer, size_t size)
        : size(size), words{CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &this->size,
                            CU_LAUNCH_PARAM_END}
    {
    }
    Extra(const Extra&) = delete;
};

static void driver_variants(Rounds& rounds, Driver& driver, const char* what, const char* name, Arguments& arguments)
{
    CUfunction function = driver.function(name);
    rounds.add(what, "C, cuLaunchKernel, kernelParams", [=, &driver, &arguments] {
        for (int i = 0; i < BATCH; i++)
            Driver::check("cuLaunchKernel", driver.cuLaunchKernel_(function, 1, 1, 1, 32, 1, 1, 0, nullptr,
                                                                    black_box(arguments.params.data()), nullptr));
    });
    rounds.add(what, "C, cuLaunchKernel, packed", [=, &driver, &arguments] {
        for (int i = 0; i < BATCH; i++) {
            Extra extra(black_box(arguments.words.data()), arguments.size);
            Driver::check("cuLaunchKernel", driver.cuLaunchKernel_(function, 1, 1, 1, 32, 1, 1, 0, nullptr,
                                                                    nullptr, extra.words));
        }
    });
    rounds.add(what, "C, cuLaunchKernelEx, kernelParams", [=, &driver, &arguments] {
        for (int i = 0; i < BATCH; i++) {
            CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, 0};
            Driver::check("cuLaunchKernelEx",
                          driver.cuLaunchKernelEx_(&config, function, black_box(arguments.params.data()), nullptr));
        }
    });
    rounds.add(what, "C, cuLaunchKernelEx, packed", [=, &driver, &arguments] {
        for (int i = 0; i < BATCH; i++) {
            CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, 0};
            Extra extra(black_box(arguments.words.data()), arguments.size);
            Driver::check("cuLaunchKernelEx",
                          driver.cuLaunchKernelEx_(&config, function, nullptr, extra.words));
        }
    });
}

static void runtime_variants(Rounds& rounds, const char* what, const void* kernel, Arguments& arguments,
                             std::function<void()> chevrons)
{
    rounds.add(what, "C++, <<<>>>", [=] {
        chevrons();
        if (cudaError_t status = cudaGetLastError())
            fail(what, status);
    });
    rounds.add(what, "C++, cudaLaunchKernelExC", [=, &arguments] {
        for (int i = 0; i < BATCH; i++) {
            cudaLaunchConfig_t config = {};
            config.gridDim = dim3(1);
            config.blockDim = dim3(32);
            if (cudaError_t status = cudaLaunchKernelExC(&config, kernel, black_box(arguments.params.data())))
                fail("cudaLaunchKernelExC", status);
        }
    });
}

// 200 kernels with 8 parameters each, one after another: every node gets new arguments, then the graph is launched.
class Graph {
public:
    Graph(Driver& driver) : driver(driver), function(driver.function("words_8"))
    {
        CUgraph graph = nullptr;
        Driver::check("cuGraphCreate", driver.cuGraphCreate_(&graph, 0));
        for (int i = 0; i < BATCH; i++) {
            CUDA_KERNEL_NODE_PARAMS node = params(pointers, nullptr);
            Driver::check("cuGraphAddKernelNode",
                          driver.cuGraphAddKernelNode_(&nodes[i], graph, i ? &nodes[i - 1] : nullptr, i ? 1 : 0, &node));
        }
        Driver::check("cuGraphInstantiateWithFlags", driver.cuGraphInstantiateWithFlags_(&exec, graph, 0));
    }

    void updated_and_launched(bool packed)
    {
        for (CUgraphNode node : nodes) {
            Word* values = black_box(words);
            for (int i = 0; i < 8; i++)
                values[i] = ++next;
            Extra extra(values, sizeof words);
            CUDA_KERNEL_NODE_PARAMS new_params = packed ? params(nullptr, extra.words) : params(pointers, nullptr);
            Driver::check("cuGraphExecKernelNodeSetParams",
                          driver.cuGraphExecKernelNodeSetParams_(exec, node, &new_params));
        }
        launched();
    }

    void launched() { Driver::check("cuGraphLaunch", driver.cuGraphLaunch_(exec, nullptr)); }

private:
    CUDA_KERNEL_NODE_PARAMS params(void** kernel_params, void** extra) const
    {
        CUDA_KERNEL_NODE_PARAMS node = {};
        node.func = function;
        node.gridDimX = node.gridDimY = node.gridDimZ = 1;
        node.blockDimX = 32;
        node.blockDimY = node.blockDimZ = 1;
        node.kernelParams = kernel_params;
        node.extra = extra;
        return node;
    }

    Driver& driver;
    CUfunction function;
    CUgraphExec exec = nullptr;
    CUgraphNode nodes[BATCH] = {};
    Word next = 0;
    Word words[8] = {};
    void* pointers[8] = {words, words + 1, words + 2, words + 3, words + 4, words + 5, words + 6, words + 7};
};

#define CHEVRONS(kernel, ...)                                                                                \
    [=] {                                                                                                    \
        for (int i = 0; i < BATCH; i++) {                                                                    \
            Word* a = black_box(start);                                                                      \
            (void)a;                                                                                         \
            kernel<<<1, 32>>>(__VA_ARGS__);                                                                  \
        }                                                                                                    \
    }

#define CASE(what, kernel, count_of, one, ...)                                                               \
    do {                                                                                                     \
        static Arguments arguments(count_of, one);                                                           \
        Word* start = arguments.words.data();                                                                \
        (void)start;                                                                                         \
        if (runtime)                                                                                         \
            runtime_variants(rounds, what, (const void*)kernel, arguments, CHEVRONS(kernel, __VA_ARGS__));   \
        else                                                                                                 \
            driver_variants(rounds, driver, what, #kernel, arguments);                                       \
    } while (0)

int main(int count, char** arguments)
{
    std::string api = count == 3 ? arguments[1] : "";
    bool runtime = api == "runtime";
    if (!runtime && api != "driver") {
        fprintf(stderr, "usage: %s driver|runtime launch_cost.ptx\n", arguments[0]);
        return 2;
    }
    Rounds rounds;
    char version[64];
    snprintf(version, sizeof version, "nvcc %d.%d.%d, g++ %s", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__,
             __CUDACC_VER_BUILD__, __VERSION__);
    Rounds::setting(version);
    if (cudaError_t status = runtime ? cudaFree(nullptr) : cudaSuccess) {
        Rounds::missing("*", "C++, <<<>>>", cudaGetErrorString(status));
        Rounds::missing("*", "C++, cudaLaunchKernelExC", cudaGetErrorString(status));
        rounds.run([] {});
        return 0;
    }
    Driver driver(arguments[2]);
    CASE("1 parameter", words_1, 1, false, VALUES_1);
    CASE("8 parameters", words_8, 8, false, VALUES_8);
    CASE("32 parameters", words_32, 32, false, VALUES_32);
    CASE("64 parameters", words_64, 64, false, VALUES_64);
    CASE("128 parameters", words_128, 128, false, VALUES_128);
    CASE("512 parameters", words_512, 512, false, VALUES_512);
    CASE("a struct of 4 KiB", bytes_4096, 512, true, *(const Bytes4096*)a);
    CASE("a struct of 32 KiB", bytes_32760, 4095, true, *(const Bytes32760*)a);
    if (!runtime) {
        // One graph each, as in the Rust program.
        static Graph params(driver), packed(driver), unchanged(driver);
        const char* graphs = "200 kernels of 8 parameters";
        rounds.add(graphs, "C, graph updated and launched, kernelParams", [] { params.updated_and_launched(false); });
        rounds.add(graphs, "C, graph updated and launched, packed", [] { packed.updated_and_launched(true); });
        rounds.add(graphs, "C, graph launched unchanged", [] { unchanged.launched(); });
    }
    rounds.run([&] { driver.synchronize(); });
    return 0;
}

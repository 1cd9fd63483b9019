// One batch of every variant on each line of standard input, as `compare.py` asks: see benches/README.md.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

// Launches in one batch: few enough that the driver's queue (1,024 launches) never fills.
constexpr int BATCH = 200;

[[noreturn]] inline void fail(const char* what, int status)
{
    fprintf(stderr, "%s: error %d\n", what, status);
    exit(1);
}

// An address of which the optimiser knows nothing more than that it is one.
template <typename T> inline T* black_box(T* pointer)
{
    asm volatile("" : "+r"(pointer) : : "memory");
    return pointer;
}

class Rounds {
public:
    // `batch` launches BATCH kernels, or as many nodes of a graph.
    void add(const char* what, const char* how, std::function<void()> batch)
    {
        variants.push_back({what, how, std::move(batch)});
    }

    static void missing(const char* what, const char* how, const char* why)
    {
        printf("missing\t%s\t%s\t%s\n", what, how, why);
    }

    static void setting(const std::string& text) { printf("setting\t%s\n", text.c_str()); }

    // `synchronize` waits until the GPU is idle, as it is when a batch begins.
    void run(const std::function<void()>& synchronize)
    {
        say("ready");
        char line[64];
        for (size_t round = 0; fgets(line, sizeof line, stdin); round++) {
            if (variants.empty()) {
                say("done");
                continue;
            }
            // Another process had the GPU and the caches: the first batch is not counted.
            time(variants[round % variants.size()], synchronize);
            for (size_t turn = 0; turn < variants.size(); turn++) {
                const Variant& variant = variants[(round + turn) % variants.size()];
                double nanoseconds = time(variant, synchronize);
                printf("sample\t%s\t%s\t%.1f\n", variant.what, variant.how, nanoseconds / BATCH);
            }
            say("done");
        }
    }

private:
    struct Variant {
        const char* what;
        const char* how;
        std::function<void()> batch;
    };

    static double time(const Variant& variant, const std::function<void()>& synchronize)
    {
        using clock = std::chrono::steady_clock;
        auto start = clock::now();
        variant.batch();
        std::chrono::duration<double, std::nano> elapsed = clock::now() - start;
        synchronize();
        return elapsed.count();
    }

    static void say(const char* word)
    {
        puts(word);
        fflush(stdout);
    }

    std::vector<Variant> variants;
};

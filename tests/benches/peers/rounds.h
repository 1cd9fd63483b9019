// Times one batch of every variant for each line of standard input. `compare.py` writes these lines: see tests/benches/README.md.
#pragma once

#include <alloca.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

// Launches in one batch: few enough to never fill the driver's queue (1,024 launches).
constexpr int BATCH = 200;
// Batches of a variant that are not timed, before the timed batch.
constexpr int LEAD = 2;

[[noreturn]] inline void fail(const char* what, int status)
{
    fprintf(stderr, "%s: error %d\n", what, status);
    exit(1);
}

// An address that the optimizer cannot analyze.
template <typename T> inline T* black_box(T* pointer)
{
    asm volatile("" : "+r"(pointer) : : "memory");
    return pointer;
}

class Rounds {
public:
    // `batch` launches BATCH kernels, or a graph with BATCH nodes.
    void add(const char* what, const char* how, std::function<void()> batch)
    {
        variants.push_back({what, how, std::move(batch)});
    }

    static void missing(const char* what, const char* how, const char* why)
    {
        printf("missing\t%s\t%s\t%s\n", what, how, why);
    }

    static void setting(const std::string& text) { printf("setting\t%s\n", text.c_str()); }

    // `synchronize` waits until the GPU is idle: a batch begins with an idle GPU.
    void run(const std::function<void()>& synchronize)
    {
        for (const Variant& variant : variants)
            printf("variant\t%s\t%s\n", variant.what, variant.how);
        say("ready");
        char line[64];
        std::mt19937 random(std::random_device{}());
        while (fgets(line, sizeof line, stdin)) {
            std::shuffle(variants.begin(), variants.end(), random);
            for (const Variant& variant : variants) {
                for (int batch = 0; batch < LEAD; batch++) {
                    variant.batch();
                    synchronize();
                }
                double nanoseconds = time(variant, random() % 64);
                synchronize();
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

    // With additional stack frames, to average over the alignment of buffers on the stack.
    static double time(const Variant& variant, size_t depth)
    {
        using clock = std::chrono::steady_clock;
        black_box(static_cast<char*>(alloca(16 + depth * 112)));
        auto start = clock::now();
        variant.batch();
        std::chrono::duration<double, std::nano> elapsed = clock::now() - start;
        return elapsed.count();
    }

    static void say(const char* word)
    {
        puts(word);
        fflush(stdout);
    }

    std::vector<Variant> variants;
};

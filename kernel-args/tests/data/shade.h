// Written by kernel-args. Do not change it: it is written again.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <vector_types.h>
#endif
#if defined(__CUDACC_RTC__)
#define KERNEL_ARGS_OFFSET_OF(type, member) __INTADDR__(&(((type*)0)->member))
#else
#include <cstddef>
#define KERNEL_ARGS_OFFSET_OF(type, member) offsetof(type, member)
#endif

static_assert(sizeof(float4) == 16 && alignof(float4) == 16, "kernel-args: `float4` has 16 bytes, aligned to 16");

enum class Falloff : unsigned int {
    Linear = 0,
    Quadratic = 2,
};
static_assert(sizeof(Falloff) == 4 && alignof(Falloff) == 4, "kernel-args: `Falloff` has 4 bytes, aligned to 4");

namespace sim {

struct Light {
    float intensity;
    // 12 bytes of padding
    float4 direction;
    ::Falloff falloff;
    // 12 bytes of padding
};
static_assert(sizeof(Light) == 48 && alignof(Light) == 16, "kernel-args: `Light` has 48 bytes, aligned to 16");
static_assert(KERNEL_ARGS_OFFSET_OF(Light, intensity) == 0 && sizeof(Light::intensity) == 4, "kernel-args: `Light::intensity` has 4 bytes, at byte 0");
static_assert(KERNEL_ARGS_OFFSET_OF(Light, direction) == 16 && sizeof(Light::direction) == 16, "kernel-args: `Light::direction` has 16 bytes, at byte 16");
static_assert(KERNEL_ARGS_OFFSET_OF(Light, falloff) == 32 && sizeof(Light::falloff) == 4, "kernel-args: `Light::falloff` has 4 bytes, at byte 32");

} // namespace sim

#if defined(__CUDACC__)
extern "C" __global__ void shade(unsigned int n, sim::Light light, float4* out);
#endif

#undef KERNEL_ARGS_OFFSET_OF

// Types from CUDA's headers.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <texture_types.h>

struct Mixed {
    __half half;
    __half2 half2;
    __nv_bfloat16 bfloat16;
    __nv_bfloat162 bfloat162;
    __nv_fp8_e4m3 fp8;
    __nv_fp8x2_e5m2 fp8x2;
    __nv_fp8x4_e4m3 fp8x4;
    cuFloatComplex complex;
    cuDoubleComplex wide;
    cudaTextureObject_t texture;
};
extern "C" {
__global__ void values(__half half, __half2 half2, __nv_bfloat16 bfloat16, __nv_bfloat162 bfloat162, __nv_fp8_e4m3 e4m3,
                       __nv_fp8_e5m2 e5m2, __nv_fp8x2_e4m3 fp8x2, cuFloatComplex complex, cuDoubleComplex wide,
                       cudaTextureObject_t texture, Mixed mixed) {}
__global__ void pointers(const __half* half, __half2* half2, const __nv_bfloat16* bfloat16, __nv_fp8_e4m3* e4m3,
                         __nv_fp8x4_e5m2* fp8x4, const cuFloatComplex* complex, Mixed* mixed) {}
}

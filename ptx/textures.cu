// Kernels that sample textures of each kind at given coordinates, and kernels that write and read surfaces of each kind.

#define KERNEL extern "C" __global__ void

// How the texels are arranged: kernel_args::texture::ArrayShape, and memory that is not in an array.
enum Shape { ONE_D, TWO_D, THREE_D, LAYERED_1D, LAYERED_2D, MEMORY };

// One sample: `at.w` is the layer.
template <typename Texel>
__device__ Texel sample(cudaTextureObject_t texture, int shape, float4 at)
{
    switch (shape) {
    case ONE_D: return tex1D<Texel>(texture, at.x);
    case TWO_D: return tex2D<Texel>(texture, at.x, at.y);
    case THREE_D: return tex3D<Texel>(texture, at.x, at.y, at.z);
    case LAYERED_1D: return tex1DLayered<Texel>(texture, at.x, (int)at.w);
    case LAYERED_2D: return tex2DLayered<Texel>(texture, at.x, at.y, (int)at.w);
    default: return tex1Dfetch<Texel>(texture, (int)at.x);
    }
}

template <typename Texel>
__device__ void sample_all(cudaTextureObject_t texture, int shape, int n, const float4* at, Texel* out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = sample<Texel>(texture, shape, at[i]);
    }
}

KERNEL sample_floats(cudaTextureObject_t texture, int shape, int n, const float4* at, float4* out)
{
    sample_all(texture, shape, n, at, out);
}

KERNEL sample_ints(cudaTextureObject_t texture, int shape, int n, const float4* at, int4* out)
{
    sample_all(texture, shape, n, at, out);
}

KERNEL sample_uints(cudaTextureObject_t texture, int shape, int n, const float4* at, uint4* out)
{
    sample_all(texture, shape, n, at, out);
}

// A texel of a surface. The x coordinate is in bytes.
template <typename Texel>
__device__ Texel load(cudaSurfaceObject_t surface, int shape, int3 at)
{
    int x = at.x * (int)sizeof(Texel);
    switch (shape) {
    case ONE_D: return surf1Dread<Texel>(surface, x);
    case TWO_D: return surf2Dread<Texel>(surface, x, at.y);
    case THREE_D: return surf3Dread<Texel>(surface, x, at.y, at.z);
    case LAYERED_1D: return surf1DLayeredread<Texel>(surface, x, at.z);
    default: return surf2DLayeredread<Texel>(surface, x, at.y, at.z);
    }
}

template <typename Texel>
__device__ void store(Texel value, cudaSurfaceObject_t surface, int shape, int3 at)
{
    int x = at.x * (int)sizeof(Texel);
    switch (shape) {
    case ONE_D: surf1Dwrite(value, surface, x); break;
    case TWO_D: surf2Dwrite(value, surface, x, at.y); break;
    case THREE_D: surf3Dwrite(value, surface, x, at.y, at.z); break;
    case LAYERED_1D: surf1DLayeredwrite(value, surface, x, at.z); break;
    default: surf2DLayeredwrite(value, surface, x, at.y, at.z); break;
    }
}

// Copies each texel of `from` to the mirrored place in `to`, along x.
template <typename Texel>
__device__ void mirror(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int shape, int3 size)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size.x * size.y * size.z) {
        int3 at = make_int3(i % size.x, i / size.x % size.y, i / size.x / size.y);
        Texel value = load<Texel>(from, shape, at);
        at.x = size.x - 1 - at.x;
        store(value, to, shape, at);
    }
}

KERNEL mirror_1(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int shape, int3 size)
{
    mirror<unsigned char>(from, to, shape, size);
}

KERNEL mirror_2(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int shape, int3 size)
{
    mirror<unsigned short>(from, to, shape, size);
}

KERNEL mirror_4(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int shape, int3 size)
{
    mirror<unsigned int>(from, to, shape, size);
}

KERNEL mirror_8(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int shape, int3 size)
{
    mirror<uint2>(from, to, shape, size);
}

KERNEL mirror_16(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int shape, int3 size)
{
    mirror<uint4>(from, to, shape, size);
}

// Adds 1 to each texel of a 2D surface of floats.
KERNEL brighten(cudaSurfaceObject_t image, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        surf2Dwrite(surf2Dread<float>(image, x * 4, y) + 1.0f, image, x * 4, y);
    }
}

// Copies each texel of a 2D texture of floats.
KERNEL copy_texels(cudaTextureObject_t image, float* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        out[y * width + x] = tex2D<float>(image, x + 0.5f, y + 0.5f);
    }
}

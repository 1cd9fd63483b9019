// A blur and a filter that finds edges, for the example image_filter.

// The mean of the neighbourhood of each pixel. The texture returns the mean of four pixels at their common corner, so nine samples
// cover 6 x 6 pixels. Outside of the image it returns the nearest pixel.
extern "C" __global__ void blur(cudaTextureObject_t image, cudaSurfaceObject_t out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float4 sum = make_float4(0, 0, 0, 0);
    for (int row = -1; row <= 1; row++) {
        for (int column = -1; column <= 1; column++) {
            float4 color = tex2D<float4>(image, x + 1 + 2 * column, y + 1 + 2 * row);
            sum.x += color.x;
            sum.y += color.y;
            sum.z += color.z;
        }
    }
    float scale = 255.0f / 9.0f;
    uchar4 mean = make_uchar4(sum.x * scale + 0.5f, sum.y * scale + 0.5f, sum.z * scale + 0.5f, 255);
    surf2Dwrite(mean, out, x * (int)sizeof(uchar4), y);
}

__device__ float brightness(cudaTextureObject_t image, int x, int y)
{
    float4 color = tex2D<float4>(image, x + 0.5f, y + 0.5f);
    return 0.299f * color.x + 0.587f * color.y + 0.114f * color.z;
}

// Where the brightness changes: the Sobel operator.
extern "C" __global__ void edges(cudaTextureObject_t image, uchar4* out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float across = 0, down = 0;
    for (int i = -1; i <= 1; i++) {
        float weight = i == 0 ? 2 : 1;
        across += weight * (brightness(image, x + 1, y + i) - brightness(image, x - 1, y + i));
        down += weight * (brightness(image, x + i, y + 1) - brightness(image, x + i, y - 1));
    }
    unsigned char gray = fminf(sqrtf(across * across + down * down), 1.0f) * 255.0f + 0.5f;
    out[y * width + x] = make_uchar4(gray, gray, gray, 255);
}

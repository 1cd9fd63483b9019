// A kernel of CUDA Tile, compiled by nvcc 13.5:
//   nvcc -std=c++20 --enable-tile --tilecubin -arch=sm_90 tile.cu -o tile.sm_90.cubin
//   nvcc -std=c++20 --enable-tile --tilebc -arch=sm_90 tile.cu -o tile.bc
//   fatbinary -64 --create=no_kernels/tile.fatbin --image3=kind=tileir,sm=90,file=tile.bc

#include <cuda_tile.h>

namespace tiles = cuda::tiles;

// Adds a number to the first `n` elements, at most 128.
extern "C" __tile_global__ void add(float* x, float by, int n) {
  auto at = tiles::iota<tiles::tile<int, tiles::shape<128>>>();
  auto elements = x + at;
  auto mask = at < n;
  tiles::store_masked(elements, tiles::load_masked(elements, mask, 0.0f) + by, mask);
}

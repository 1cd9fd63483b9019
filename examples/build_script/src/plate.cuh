#pragma once

// The width and height of a block of threads.
#define BLOCK 16u

// How many points a plate has in each direction.
struct Plate {
    unsigned int width;
    unsigned int height;
};

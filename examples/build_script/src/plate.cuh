#pragma once

// How many points a plate has in each direction.
struct Plate {
    unsigned int width;
    unsigned int height;
};

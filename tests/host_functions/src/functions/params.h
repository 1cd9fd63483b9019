// The types that the functions take by value.
#pragma once
#include <cstddef>

struct Small {
    float x;
    int y;
};

enum class Mode : unsigned char { Fast = 1, Exact = 2 };

struct Params {
    double scale;
    Small small[2];
    Mode mode;
};

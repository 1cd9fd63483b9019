// Packed structs, as parameters, behind pointers, in arrays and other structs, and in global memory.

#pragma pack(push, 1)
struct Rec {
    unsigned char tag;
    float value;
    unsigned short n;
};
struct Frame {
    char kind;
    Rec records[2];
    double time;
    Rec *next;
};
// Rust has no packed structs with vectors, nor with structs that have a larger alignment.
struct Edge {
    float4 direction;
    uchar4 colors[2];
    char kind;
};
struct Vertex {
    char kind;
    float3 position;
    double2 weight;
};
struct alignas(16) Wide {
    int n[4];
};
struct Opaque {
    Wide wide;
    char end;
};
#pragma pack(pop)

#pragma pack(push, 2)
struct Pair16 {
    unsigned char key;
    unsigned int value;
};
#pragma pack(pop)

#pragma pack(push, 4)
struct Sample {
    int id;
    double value;
};
#pragma pack(pop)

struct Holder {
    int count;
    Rec rec;
    Pair16 pair;
};

__device__ Rec last;

extern "C" __global__ void put(Rec r, Rec *many, int n) {
    many[n] = r;
}

// A parameter that is aligned to 1 follows a byte without a gap.
extern "C" __global__ void echo_packed(unsigned char *out, unsigned char first, Rec rec, Pair16 pair, Sample sample,
                                       Frame frame, Holder holder) {
    unsigned char *at = out;
    auto copy = [&](const void *from, unsigned size) {
        for (unsigned i = 0; i < size; i++) *at++ = ((const unsigned char *)from)[i];
    };
    copy(&first, sizeof first);
    copy(&rec, sizeof rec);
    copy(&pair, sizeof pair);
    copy(&sample, sizeof sample);
    copy(&frame, sizeof frame);
    copy(&holder, sizeof holder);
    last = rec;
}

extern "C" __global__ void draw(unsigned char *out, Edge edge, Vertex vertex, Opaque opaque, char end) {
    if (vertex.kind) *out = edge.kind + opaque.end + end;
}

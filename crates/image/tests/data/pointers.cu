// Pointers to members and null pointers in g++'s DWARF 5, built like `debug.dwarf-5.elf` of `debug.cu`:
// pointers.dwarf-5.elf. nvcc's front end writes integers, structs and `void*` instead.
#ifndef __CUDACC__
#define __global__ __attribute__((visibility("default")))
#endif
struct A {
    int n;
};
typedef int (A::*Method)(float) const;
struct Holder {
    int A::*member;
    Method method;
    decltype(nullptr) null;
    int last;
};
extern "C" __global__ void pointers(int A::*member, Method method, decltype(nullptr) null, Holder holder, int n) {}

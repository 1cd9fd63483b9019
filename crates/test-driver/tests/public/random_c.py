#!/usr/bin/env python3
"""Random programs in C, and random formats of printf: on the test driver, and compiled by g++ for the host.

    python3 crates/test-driver/tests/public/random_c.py [--programs 2000] [--seed 1]

Both sides compile the same functions: with nvcc, each second batch without optimization (-G), and with g++. A program
reads 16 numbers for each of 32 threads, and writes its variables.

What no program contains, because C++ or CUDA does not define it: overflow of signed integers (they are computed as
unsigned ones), division by 0, conversions of floats that do not fit, the bits of a NaN, calls in expressions whose
order is open, padding. nvcc 13.0 computes `ceil(1e30)` and other roundings of large constants as -2^63, so a large constant is a
variable. `fmin` and `fmax` are left out: of -0 and 0 each side may take either. No format has `.*`, `hh`,
`z`, `j`, `t`, `L` or `n`: CUDA's printf does not list them.
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run

BATCH = 50
INTEGERS = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "i128", "u128"]
FLOATS = ["f32", "f64"]
# 32 bits are the most frequent.
TYPES = INTEGERS + FLOATS + ["i32", "u32", "i64", "u64", "i32", "f32", "f64"]

PRELUDE = r"""
#include <cmath>
#include <cstdio>
#include <cstring>
typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned u32; typedef long long i64; typedef unsigned long long u64;
typedef __int128 i128; typedef unsigned __int128 u128; typedef float f32; typedef double f64;
#ifdef __CUDACC__
#define FN static __device__
#define APART static __device__ __noinline__
#define DATA static __device__
#define CONSTANT static __constant__
#else
#define FN static inline
#define APART static __attribute__((noinline))
#define DATA static
#define CONSTANT static
#endif
DATA f64 LARGE = 1e30;
// What a program has left to do: it ends.
struct Work { i32 fuel; u64 trace; };
template <class T> struct Info { typedef u32 Wide; };
template <> struct Info<i64> { typedef u64 Wide; };
template <> struct Info<u64> { typedef u64 Wide; };
template <> struct Info<i128> { typedef u128 Wide; };
template <> struct Info<u128> { typedef u128 Wide; };
template <class T> FN T add(T a, T b) { typedef typename Info<T>::Wide W; return (T)((W)a + (W)b); }
template <class T> FN T sub(T a, T b) { typedef typename Info<T>::Wide W; return (T)((W)a - (W)b); }
template <class T> FN T mul(T a, T b) { typedef typename Info<T>::Wide W; return (T)((W)a * (W)b); }
template <class T> FN T quotient(T a, T b) { return b == 0 ? a : (T)-1 < (T)0 && b == (T)-1 ? sub((T)0, a) : (T)(a / b); }
template <class T> FN T remainder_of(T a, T b) { return b == 0 || ((T)-1 < (T)0 && b == (T)-1) ? (T)(a ^ b) : (T)(a % b); }
template <class T> FN T left(T a, u32 n) { return (T)((typename Info<T>::Wide)a << (n % (8 * sizeof(T)))); }
template <class T> FN T right(T a, u32 n) { return (T)(a >> (n % (8 * sizeof(T)))); }
template <class T> FN T turned(T a, u32 n) { typedef typename Info<T>::Wide W; n %= 8 * sizeof(W); W w = (W)a; return (T)(w << n | w >> (-n % (8 * sizeof(W)))); }
template <class T, class F> FN T whole(F value) {
    const F limit = (F)((typename Info<T>::Wide)1 << (8 * sizeof(T) - 2));
    return value < limit && value > ((T)-1 < (T)0 ? -limit : (F)-1) ? (T)value : (T)77;
}
FN u32 bits(f32 value) { u32 raw; memcpy(&raw, &value, 4); return value != value ? 0x7fc00000u : raw; }
FN u64 bits(f64 value) { u64 raw; memcpy(&raw, &value, 8); return value != value ? 0x7ff8000000000000ull : raw; }
FN f32 single(u32 raw) { f32 value; memcpy(&value, &raw, 4); return value; }
FN f64 wide(u64 raw) { f64 value; memcpy(&value, &raw, 8); return value; }
template <class T> FN u64 written(T value) { return (u64)value; }
FN u64 written(i128 value) { return (u64)value ^ (u64)((u128)value >> 64) * 3; }
FN u64 written(u128 value) { return (u64)value ^ (u64)(value >> 64) * 3; }
FN u64 written(f32 value) { return bits(value); }
FN u64 written(f64 value) { return bits(value); }
"""

HOST = r"""
#include "batch.h"
void host_program(int number, const u64 *in, u64 *out) { PROGRAMS[number](in, out); }
void host_formats() { formats(); }
"""

DEVICE = r"""
#include "batch.h"
void host_program(int number, const u64 *in, u64 *out);
void host_formats();
__global__ void device_formats() { formats(); }
static u64 state;
static u64 next() { u64 z = state += 0x9e3779b97f4a7c15ull; z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull; z = (z ^ z >> 27) * 0x94d049bb133111ebull; return z ^ z >> 31; }
static u64 number() {
    u64 bits = next();
    switch (next() % 8) {
        case 0: return bits % 16;
        case 1: return -(bits % 16);
        case 2: return 1ull << bits % 64;
        case 3: return (1ull << bits % 64) - 1;
        case 4: return 0x8000000080008080ull;
        default: return bits;
    }
}
int main(int, char **arguments) {
    if (strcmp(arguments[1], "programs")) {
        if (!strcmp(arguments[1], "host")) host_formats();
        else device_formats<<<1, 1>>>();
        return cudaDeviceSynchronize() != cudaSuccess;
    }
    sscanf(arguments[2], "%llu", &state);
    const int threads = 32;
    u64 in[threads * IN], out[threads * OUT], expected[OUT], *in_device, *out_device;
    // A GPU needs it for all threads that it can run at once.
    size_t stack = 400 << 10;
    while (stack > 1024 && cudaDeviceSetLimit(cudaLimitStackSize, stack)) stack /= 2;
    cudaMalloc(&in_device, sizeof in);
    cudaMalloc(&out_device, sizeof out);
    int failures = 0;
    for (int program = 0; program < COUNT; program++) {
        for (u64 &value : in) value = number();
        cudaMemcpy(in_device, in, sizeof in, cudaMemcpyHostToDevice);
        cudaMemset(out_device, 0, sizeof out);
        KERNELS[program]<<<1, threads>>>(in_device, out_device);
        cudaError_t error = cudaDeviceSynchronize();
        if (error != cudaSuccess) { printf("DIFFERENCE program %d: %s\n", program, cudaGetErrorString(error)); return 1; }
        cudaMemcpy(out, out_device, sizeof out, cudaMemcpyDeviceToHost);
        for (int thread = 0; thread < threads; thread++) {
            memset(expected, 0, sizeof expected);
            host_program(program, in + thread * IN, expected);
            int at = 0;
            while (at < OUT && out[thread * OUT + at] == expected[at]) at++;
            if (at == OUT) continue;
            printf("DIFFERENCE program %d, thread %d, output %d: device %llx, host %llx\n", program, thread, at, out[thread * OUT + at], expected[at]);
            failures++;
            break;
        }
    }
    printf("%d differences in %d programs\n", failures, COUNT);
    return failures != 0;
}
"""
IN, OUT = 16, 64


class Program:
    """Writes one program: structs, functions, tables of functions, and `p{number}`."""

    def __init__(self, seed, number):
        self.random = random.Random(f"{seed} {number}")
        self.number = number
        self.text = []
        self.structs = []
        self.functions = []
        self.tables = []
        self.names = 0

    def pick(self, items):
        return self.random.choice(items)

    def below(self, count):
        return self.random.randrange(count)

    def name(self, start):
        self.names += 1
        return f"{start}{self.number}_{self.names}"

    # Expressions: without calls and without effects.

    def constant(self, kind):
        if kind in FLOATS:
            return f"({kind}){self.pick(['0.0', '1.0', '-2.5', '1e-3', '3.0e4', '0.1', '-0.0', 'LARGE'])}"
        if kind in ("i128", "u128"):
            return f"(({kind}){self.below(1 << 64)}ull << {self.pick([0, 1, 40, 63])})"
        return f"({kind}){self.pick([0, 1, 2, 3, 7, 10, 127, 128, 255, 256, 65535, 0x7fffffff, 0x80000000, 0xffffffff, self.below(1 << 32), self.below(1 << 64)])}ull"

    def place(self, kind=None, is_written=False):
        """A variable, an element or a member: its text and its type."""
        places = [(text, of) for text, of, is_constant in self.places if (kind is None or of == kind) and not (is_written and is_constant)]
        if self.arrays and (not places or self.below(4) == 0):
            name, of, size = self.pick(self.arrays)
            if kind is None or of == kind:
                return f"{name}[(u32)({self.expression(self.pick(['i32', 'u32']), 1)}) % {size}]", of
        return self.pick(places) if places else None

    def expression(self, kind, depth):
        if depth <= 0 or self.below(8) == 0:
            place = self.place(kind) if self.below(5) else None
            if place:
                return place[0]
            other = self.place() if self.below(3) else None
            return self.cast(kind, *other) if other else self.constant(kind)
        sub = lambda of=kind: self.expression(of, depth - 1)
        if self.below(6) == 0:
            of = self.pick(TYPES)
            return self.cast(kind, sub(of), of)
        if self.below(7) == 0:
            of = self.pick(TYPES)
            return f"({sub(of)} {self.pick(['<', '>', '<=', '>=', '==', '!='])} {sub(of)} ? {sub()} : {sub()})"
        if kind in FLOATS:
            f = "f" if kind == "f32" else ""
            return self.pick(
                [
                    lambda: f"({sub()} {self.pick('+-*/')} {sub()})",
                    lambda: f"({sub()} {self.pick('+-*')} {sub()})",
                    lambda: f"(-{sub()})",
                    lambda: f"{self.pick(['sqrt', 'fabs', 'floor', 'ceil', 'trunc', 'rint'])}{f}({sub()})",
                    lambda: f"fma{f}({sub()}, {sub()}, {sub()})",
                ]
            )()
        return self.pick(
            [
                lambda: f"{self.pick(['add', 'sub', 'mul'])}<{kind}>({sub()}, {sub()})",
                lambda: f"{self.pick(['add', 'sub', 'mul'])}<{kind}>({sub()}, {sub()})",
                lambda: f"{self.pick(['quotient', 'remainder_of'])}<{kind}>({sub()}, {sub()})",
                lambda: f"{self.pick(['left', 'right', 'turned'])}<{kind}>({sub()}, (u32){sub('i32')})",
                lambda: f"({kind})({sub()} {self.pick('&|^')} {sub()})",
                lambda: f"({kind})~{sub()}",
                lambda: f"sub<{kind}>(0, {sub()})",
                lambda: f"({kind})(!{sub()})",
                lambda: f"({kind})({sub('i32')} {self.pick(['&&', '||'])} {sub(self.pick(INTEGERS))})",
            ]
        )()

    def cast(self, kind, text, of):
        if kind in INTEGERS and of in FLOATS:
            return f"whole<{kind}, {of}>({text})"
        # A number of 128 bits may be larger than the largest f32.
        return f"(f32)(f64){text}" if kind == "f32" and of in ("i128", "u128") else f"({kind}){text}"

    def condition(self):
        kind = self.pick(TYPES)
        return f"{self.expression(kind, 2)} {self.pick(['<', '>=', '==', '!='])} {self.expression(kind, 1)}"

    # Statements.

    def assignment(self):
        place = self.place(is_written=True)
        if not place:
            return []
        text, kind = place
        if kind not in FLOATS and "." not in text and self.below(5) == 0:
            # An index with an effect is evaluated once.
            return [f"{text} = ({kind})({text} {self.pick('&|^')} {self.expression(kind, 2)});"]
        return [f"{text} = {self.expression(kind, 3)};"]

    def call(self):
        if not self.functions or not self.work:
            return []
        name, result, parameters = self.pick(self.functions)
        same = [table for table in self.tables if table[1:3] == (result, parameters)]
        if same and self.below(2):
            table, _, _, size = self.pick(same)
            name = f"{table}[(u32)({self.expression('i32', 2)}) % {size}]"
        arguments = [self.work, *(self.expression(kind, 2) for kind in parameters)]
        place = self.place(result, is_written=True)
        call = f"{name}({', '.join(arguments)})"
        if place and "[" not in place[0]:
            return [f"{place[0]} = {call};"]
        value = self.name("x")
        return [f"{{ u64 {value} = written({call}); {self.work}->trace = {self.work}->trace * 31 + {value}; }}"]

    def block(self, count, depth):
        lines, outer = [], len(self.places)
        for _ in range(count):
            lines += self.statement(depth)
        del self.places[outer:]
        return ["{", *("    " + line for line in lines), "}"]

    def loop(self, depth):
        at = self.name("n")
        self.places.append((at, "i32", True))
        self.loops += 1
        body = self.block(1 + self.below(3), depth - 1)
        self.loops -= 1
        self.places.pop()
        count, fuel = f"(i32)({self.expression('u32', 1)} % {self.pick([3, 5, 9])}u)", f"{self.work}->fuel-- > 0"
        return self.pick(
            [
                [f"for (i32 {at} = 0; {at} < {count} && {fuel}; {at}++)", *body],
                [f"for (i32 {at} = {count}; {at} > 0 && {fuel}; {at} -= {self.pick([1, 2])})", *body],
                ["{", f"    i32 {at} = {count};", f"    while ({at}-- > 0 && {fuel})", *body, "}"],
                ["{", f"    i32 {at} = 0;", "    do", *body, f"    while (++{at} < 4 && {self.condition()} && {fuel});", "}"],
            ]
        )

    def choice(self, depth):
        lines = [f"switch ({self.expression(self.pick(['i32', 'u32', 'u8', 'i64']), 2)} & {self.pick([3, 7])}) {{"]
        for case in self.random.sample(range(8), self.below(5) + 1):
            lines += [f"case {case}:", *self.block(1 + self.below(2), depth - 1), *(["break;"] if self.below(4) else [])]
        return [*lines, *(["default:", *self.block(1, depth - 1)] if self.below(2) else []), "}"]

    def walk(self):
        """A pointer through an array."""
        if not self.arrays:
            return []
        array, kind, size = self.pick(self.arrays)
        pointer = self.name("at")
        step = self.pick([1, 2, 3])
        self.places.append((f"(*{pointer})", kind, True))
        value = self.expression(kind, 2)
        self.places.pop()
        return [f"for ({kind} *{pointer} = {array}; {pointer} < {array} + {size}; {pointer} += {step})", f"    *{pointer} = {value};"]

    def shifted(self):
        """The bytes of an array, moved."""
        array = self.pick(self.arrays)[0] if self.arrays else None
        if not array or self.pick(self.arrays)[1] in FLOATS or dict((name, kind) for name, kind, _ in self.arrays)[array] in FLOATS:
            return []
        byte = self.name("b")
        return [f"for (u32 {byte} = 1; {byte} < sizeof {array}; {byte}++)", f"    ((u8 *){array})[{byte} - 1] ^= ((u8 *){array})[{byte}];"]

    def statement(self, depth):
        kind = self.below(16)
        if depth > 0 and kind == 0:
            return [f"if ({self.condition()})", *self.block(1 + self.below(3), depth - 1), *(["else", *self.block(1 + self.below(2), depth - 1)] if self.below(2) else [])]
        if depth > 0 and kind <= 2 and self.work:
            return self.loop(depth)
        if depth > 0 and kind == 3:
            return self.choice(depth)
        if kind == 4:
            return self.walk()
        if kind == 5:
            return self.shifted()
        if kind <= 8:
            return self.call()
        if kind == 9 and self.loops:
            return [f"if ({self.condition()}) {self.pick(['break', 'continue'])};"]
        if kind == 10 and self.returns:
            return [f"if ({self.condition()}) return {self.expression(self.returns, 2)};"]
        if kind == 11:
            name, of = self.name("x"), self.pick(TYPES)
            line = f"{of} {name} = {self.expression(of, 3)};"
            self.places.append((name, of, False))
            return [line]
        if kind == 12 and self.objects:
            struct, name = self.pick(self.objects)
            same = [other for kind, other in self.objects if kind == struct]
            copied = self.pick(same)
            maker = f"change_{struct}({copied}, {self.expression('i32', 2)})"
            return [f"{name} = {maker};" if self.below(2) else f"{name} = {copied};"]
        return self.assignment()

    # Declarations.

    def struct(self):
        """A struct with bit fields, an array and a union: `S`, and the text and type of its members."""
        name, members, lines = self.name("S"), [], []
        for field in range(3 + self.below(6)):
            kind = self.pick(TYPES)
            if kind in INTEGERS[:8] and self.below(3) == 0:
                bits = 1 + self.below(8 << INTEGERS.index(kind) // 2)
                lines.append(f"{kind} m{field} : {bits};")
                members.append((f"m{field}", kind))
            elif self.below(4) == 0:
                lines.append(f"{kind} m{field}[3];")
                members += [(f"m{field}[{at}]", kind) for at in range(3)]
            elif self.below(4) == 0:
                # Other members of a union than the one that was written.
                lines.append(f"union {{ u64 a; u32 b[2]; u8 c[8]; i16 d; }} m{field};")
                members += [(f"m{field}.a", "u64"), (f"m{field}.b[1]", "u32"), (f"m{field}.c[{self.below(8)}]", "u8"), (f"m{field}.d", "i16")]
            else:
                lines.append(f"{kind} m{field};")
                members.append((f"m{field}", kind))
        self.text += [f"struct {name} {{", *("    " + line for line in lines), "};"]
        self.begin(None)
        self.places = [(f"s.{path}", kind, False) for path, kind in members] + [("k", "i32", True)]
        body = [line for _ in range(3) for line in self.assignment()]
        self.text += [f"APART {name} change_{name}({name} s, i32 k) {{", *("    " + line for line in body), "    return s;", "}"]
        self.structs.append((name, members))

    def begin(self, returns, work=None):
        self.places, self.arrays, self.objects, self.loops, self.returns, self.work = [], [], [], 0, returns, work

    def locals(self, start):
        """Declares arrays and structs, with values of `start`."""
        lines = []
        for _ in range(self.below(3)):
            name, kind, size = self.name("a"), self.pick(TYPES), self.pick([3, 5, 8, 17])
            at = self.name("n")
            lines += [f"{kind} {name}[{size}];", f"for (i32 {at} = 0; {at} < {size}; {at}++) {name}[{at}] = {self.cast(kind, start(at), 'u64')};"]
            self.arrays.append((name, kind, size))
        for struct, members in self.structs:
            for name in [self.name("s") for _ in range(self.below(3))]:
                lines += [f"{struct} {name};", f"memset(&{name}, {self.pick([0, 0, 85])}, sizeof {name});"]
                lines += [f"{name}.{path} = {self.cast(kind, start(at), 'u64')};" for at, (path, kind) in enumerate(members) if self.below(2)]
                self.places += [(f"{name}.{path}", kind, False) for path, kind in members]
                self.objects.append((struct, name))
        return lines

    def function(self, result, parameters):
        name = self.name("f")
        self.begin(result, "w")
        names = [f"x{at}" for at in range(len(parameters))]
        self.places = [(text, kind, False) for text, kind in zip(names, parameters, strict=True)]
        integer = [text for text, kind in zip(names, parameters, strict=True) if kind in INTEGERS]
        lines = [f"if ((w->fuel -= 8) <= 0) return {self.expression(result, 1)};"]
        lines += self.locals(lambda at: f"((u64){self.pick(integer)} + {at} * 0x9e3779b9ull)" if integer else f"(u64)({at} * 77)")
        before = self.functions
        if self.below(3) == 0:
            # It calls itself.
            self.functions = [*before, (name, result, parameters)]
        for _ in range(2 + self.below(6)):
            lines += self.statement(2)
        self.functions = before
        lines.append(f"return {self.expression(result, 3)};")
        apart = self.pick(["FN", "APART", "APART"])
        signature = f"{result} {name}({', '.join(['Work *w', *(f'{kind} {text}' for kind, text in zip(parameters, names, strict=True))])})"
        self.text += [f"{apart} {signature} {{", *("    " + line for line in lines), "}"]
        self.functions.append((name, result, parameters))

    def table(self):
        result, parameters = self.pick(self.functions)[1:]
        same = [name for name, *signature in self.functions if signature == [result, parameters]]
        name, size = self.name("t"), self.pick([1, 2, 4, 5])
        entries = ", ".join(self.pick(same) for _ in range(size))
        qualifier = self.pick(["DATA", "DATA", "CONSTANT"])
        self.text.append(f"{qualifier} {result} (*const {name}[{size}])({', '.join(['Work *', *parameters])}) = {{{entries}}};")
        self.tables.append((name, result, parameters, size))

    def write(self):
        for _ in range(self.below(3)):
            self.struct()
        signatures = [(self.pick(TYPES), [self.pick(TYPES) for _ in range(1 + self.below(4))]) for _ in range(2)]
        for _ in range(2 + self.below(5)):
            self.function(*self.pick(signatures))
            if self.below(3) == 0:
                self.table()
        self.begin(None, "w")
        lines = ["Work room = {150, 0};", "Work *w = &room;"]
        for at in range(IN):
            kind = self.pick(TYPES)
            value = {"f32": f"single((u32)in[{at}])", "f64": f"wide(in[{at}])"}.get(kind, f"({kind})in[{at}]")
            if kind in FLOATS and self.below(2):
                value = f"({kind})(i32)in[{at}] / 1024"
            if kind in ("i128", "u128"):
                value = f"({kind})((u128)in[{at}] << 64 | in[{(at + 1) % IN}])"
            lines.append(f"{kind} v{at} = {value};")
            self.places.append((f"v{at}", kind, False))
        lines += self.locals(lambda at: f"in[{at} % {IN}]")
        places, arrays = list(self.places), list(self.arrays)
        for _ in range(6 + self.below(14)):
            lines += self.statement(3)
        written = [f"written({text})" for text, _, _ in places]
        # The sums of what does not have a place of its own.
        lines += [f"out[{at}] = {value};" for at, value in enumerate(written[: OUT - 2])]
        lines.append(f"out[{OUT - 2}] = w->trace + {' + '.join([f'sizeof({name})' for name, _ in self.structs] or ['0'])};")
        lines += [f"for (u32 n = 0; n < {size}; n++) out[{OUT - 1}] = out[{OUT - 1}] * 31 + written({name}[n]);" for name, _, size in arrays]
        self.text += [f"FN void p{self.number}(const u64 *in, u64 *out) {{", *("    " + line for line in lines), "}"]
        return "\n".join(self.text)


def statement_of_printf(source):
    """A call of printf with up to five arguments."""
    text, arguments = "", []
    for _ in range(source.randrange(1, 6)):
        text += source.choice(["", " ", "x=", "%%", "\\t", "[", "] ", "100%% "])
        kind = source.choice("cdiouxXpeEfFgGaAs")
        if kind == "F":
            kind = "f"
        flags = "".join(flag for flag in "-+ #0" if source.random() < 0.25)
        allowed = {"c": "-", "s": "-", "p": "-", "d": "-+ 0", "i": "-+ 0", "u": "-0"}.get(kind, "-#0" if kind in "oxX" else "-+ #0")
        flags = "".join(flag for flag in flags if flag in allowed)
        width = source.choice(["", "", str(source.randrange(1, 30)), "*"])
        if width == "*":
            arguments.append(str(source.randrange(-20, 20)))
        precision = source.choice(["", f".{source.randrange(0, 20)}"]) if kind not in "cp" else ""
        size = ""
        if kind in "diouxX":
            size = source.choice(["", "", "h", "l", "ll"])
            bits = source.choice([0, 1, (1 << 31) - 1, 1 << 31, (1 << 64) - 1, source.getrandbits(64), source.getrandbits(16)])
            of = {"": "int", "h": "short", "l": "long", "ll": "long long"}[size]
            arguments.append(f"({'' if kind in 'di' else 'unsigned '}{of}){bits}ull")
        elif kind == "c":
            arguments.append(str(source.randrange(33, 127)))
        elif kind == "s":
            arguments.append(source.choice(['""', '"text"', '"a longer text with 100% of it"', '"\\xc3\\xa9"']))
        elif kind == "p":
            arguments.append(f"(void *){source.getrandbits(48)}ull")
        else:
            special = [0, 1 << 63, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 1, 0x3FF0000000000000, 0x4059000000000000]
            value = f"wide({source.choice([*special, source.getrandbits(64), source.getrandbits(64)])}ull)"
            if source.random() < 0.4:
                value = f"{source.uniform(-1000, 1000):.4f}"
            arguments.append(source.choice([value, f"(float){value}"]) if value[0] != "w" else value)
        text += f"%{flags}{width}{precision}{size}{kind}"
    return f'printf("{text}\\n", {", ".join(arguments)});'


def batch(seed, number, count):
    """The common text of both sides."""
    source = random.Random(f"{seed} formats {number}")
    programs = [Program(seed, number * BATCH + at).write() for at in range(count)]
    numbers = [number * BATCH + at for at in range(count)]
    formats = [f"APART void formats{at}() {{ {statement_of_printf(source)} }}" for at in range(4 * count)]
    lines = [
        PRELUDE,
        f"enum {{ COUNT = {count}, IN = {IN}, OUT = {OUT} }};",
        *programs,
        *formats,
        f"FN void formats() {{ {' '.join(f'formats{at}();' for at in range(4 * count))} }}",
        "#ifdef __CUDACC__",
        *(f"__global__ void k{n}(const u64 *in, u64 *out) {{ p{n}(in + threadIdx.x * IN, out + threadIdx.x * OUT); }}" for n in numbers),
        f"static void (*const KERNELS[])(const u64 *, u64 *) = {{{', '.join(f'k{n}' for n in numbers)}}};",
        "#else",
        f"static void (*const PROGRAMS[])(const u64 *, u64 *) = {{{', '.join(f'p{n}' for n in numbers)}}};",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def output(command, way):
    variables = {"KERNEL_ARGS_TEST_DRIVER_SEED": str(way[0]), "KERNEL_ARGS_TEST_DRIVER_MEMCHECK": str(int(way[1]))}
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **variables}, timeout=600).stdout


def compare(folder, nvcc, driver, seed, number, count):
    """Compiles and runs a batch: for each way, the lines of its differences and the time; and the number of lines of printf."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "batch.h").write_text(batch(seed, number, count))
    (folder / "host.cpp").write_text(HOST)
    (folder / "device.cu").write_text(DEVICE)
    subprocess.run([os.environ.get("GXX", "g++"), "-w", "-O1", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-c", folder / "host.cpp", "-o", folder / "host.o"], check=True)
    options = ["-G"] if number % 2 else []
    subprocess.run(run.command(nvcc, [*options, "-fmad=false", folder / "device.cu", folder / "host.o"], folder / "program"), check=True)
    host = output([driver, folder / "program", "host"], run.WAYS[0]).splitlines()
    results = []
    for way in run.WAYS:
        start = time.monotonic()
        programs = output([driver, folder / "program", "programs", f"{seed}{number}"], way).decode(errors="replace").splitlines()
        lines = [line for line in programs if not line.startswith("0 differences")]
        device = output([driver, folder / "program", "device"], way).splitlines()
        if len(device) != len(host):
            lines.append(f"{len(device)} lines of printf, the host writes {len(host)}")
        lines += [f"printf: {a!r}, the host writes {b!r}" for a, b in zip(device, host) if a != b]
        results.append((lines, time.monotonic() - start))
    return results, len(host)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="the first batch")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=pathlib.Path, default=run.BUILD / "random_c")
    parser.add_argument("--driver", type=pathlib.Path, help="the program `kernel-args-test-driver`, if it is built")
    parser.add_argument("--nvcc", type=pathlib.Path, help="the folder of nvcc's toolkit")
    options = parser.parse_args()
    nvcc, driver = (options.nvcc or run.toolchain("nvcc")) / "bin/nvcc", options.driver or run.driver()
    differences, seconds, formats = [0] * len(run.WAYS), [0] * len(run.WAYS), 0
    for number in range(options.first, options.first + -(-options.programs // BATCH)):
        count = min(BATCH, options.programs - (number - options.first) * BATCH)
        results, written = compare(options.folder / str(number), nvcc, driver, options.seed, number, count)
        formats += written
        for at, (lines, time_of_way) in enumerate(results):
            differences[at] += len(lines)
            seconds[at] += time_of_way
            for line in lines:
                print(f"batch {number}, seed and checks {run.WAYS[at]}: {line}", flush=True)
    print(f"{options.programs} programs of 32 threads, {formats} lines of printf: the checks, and the result and time of each way")
    cells = [f"{f'{count} differences' if count else 'PASS'} | {time_of_way:.1f}" for count, time_of_way in zip(differences, seconds)]
    print(" | ".join([str(options.programs + formats), *cells]))
    return any(differences)


if __name__ == "__main__":
    sys.exit(main())

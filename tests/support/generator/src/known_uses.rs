//! Random kernels that use their parameters in a known way.

use crate::Rng;
use std::fmt::Write as _;

/// A kernel with what its source does.
pub struct Kernel {
    /// The name of the function.
    pub name: String,
    /// Its definition in CUDA C++, without the common part of a source.
    pub source: String,
    /// The declarations of the parameters: `float* p3`.
    pub declared: Vec<String>,
    /// What it does with them.
    pub parameters: Vec<Known>,
}

/// What the source does with 8 bytes of a parameter.
#[derive(Clone, Debug)]
pub struct Known {
    /// The index of the parameter.
    pub parameter: usize,
    /// The offset in the parameter, in bytes.
    pub offset: usize,
    /// The use.
    pub value: Value,
}

/// A use of 8 bytes.
#[derive(Clone, Debug)]
pub enum Value {
    /// A 64-bit integer.
    Integer,
    /// A pointer.
    Pointer {
        /// The C++ type of the elements.
        element: &'static str,
        /// Whether the kernel reads through it.
        is_read: bool,
        /// Whether the kernel writes through it.
        is_written: bool,
        /// Whether an instruction uses it alone: not one of several, no dead code.
        is_direct: bool,
    },
}

/// The types of elements, and of sums of them.
const ELEMENTS: [(&str, &str); 9] = [
    ("float", "float"),
    ("double", "double"),
    ("__half", "float"),
    ("__nv_bfloat16", "float"),
    ("int", "int"),
    ("unsigned", "unsigned"),
    ("long long", "long long"),
    ("short", "int"),
    ("unsigned char", "int"),
];

const PREAMBLE: &str = "\
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class T> __device__ __noinline__ T called_load(const T* p, long long i) { return p[i]; }
template <class T> __device__ __noinline__ void called_store(T* p, int i, T v) { p[i] = v; }
template <class T> __device__ __noinline__ T* called_advance(T* p, int i) { return p + i; }
template <class T> __device__ __noinline__ T called_nested(const T* p, int i) { return called_load(p, i + 1); }
template <class T> __device__ T inlined_load(const T* p, int i) { return p[2 * i]; }
template <class T> __device__ void inlined_store(T* p, int i, T v) { p[i + 3] = v; }
template <class T> struct View { T* data; long long stride; };
template <class T> __device__ __noinline__ T called_view(const View<const T>& v, int i) { return v.data[i * v.stride]; }
";

/// The source of several kernels, and what they do.
#[must_use]
pub fn kernels(seed: u64, first: usize, count: usize) -> (String, Vec<Kernel>) {
    let kernels: Vec<_> = (first..first + count).map(|index| kernel(seed, index)).collect();
    let sources = kernels.iter().map(|kernel| kernel.source.as_str());
    (sources.fold(PREAMBLE.to_owned(), |text, source| text + source), kernels)
}

fn kernel(seed: u64, index: usize) -> Kernel {
    let mut rng = Rng::new(seed, index as u64);
    let mut builder = Builder {
        rng: &mut rng,
        declared: vec!["int n".to_owned(), "long long m".to_owned(), "float* sink".to_owned()],
        structs: String::new(),
        body: String::new(),
        known: Vec::new(),
        name: format!("k{index}"),
    };
    builder.known.push(Known { parameter: 1, offset: 0, value: Value::Integer });
    builder.pointer(2, 0, "float", false, true, true);
    for _ in 0..=builder.rng.below(5) {
        builder.parameter();
    }
    let Builder { declared, structs, body, known, name, .. } = builder;
    let source = format!(
        "{structs}extern \"C\" __global__ void {name}({}) {{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  \
         if (i >= n) return;\n  double total = (double)(m * i);\n{body}  sink[i] = (float)total;\n}}\n",
        declared.join(", ")
    );
    Kernel { name, source, declared, parameters: known }
}

struct Builder<'r> {
    rng: &'r mut Rng,
    declared: Vec<String>,
    structs: String,
    body: String,
    known: Vec<Known>,
    name: String,
}

impl Builder<'_> {
    fn pointer(
        &mut self,
        parameter: usize,
        offset: usize,
        element: &'static str,
        is_read: bool,
        is_written: bool,
        is_direct: bool,
    ) {
        let value = Value::Pointer { element, is_read, is_written, is_direct };
        self.known.push(Known { parameter, offset, value });
    }

    /// A parameter, or several that one statement uses.
    #[allow(clippy::too_many_lines, reason = "one arm for each use")]
    fn parameter(&mut self) {
        let (element, sum) = *self.rng.pick(&ELEMENTS);
        let first = self.declared.len();
        let name = format!("p{first}");
        let is_float = matches!(element, "float" | "double" | "__half" | "__nv_bfloat16");
        match self.rng.below(12) {
            // One of two pointers.
            0 => {
                let other = format!("p{}", first + 1);
                let is_read = self.rng.chance(50);
                self.declared.push(format!("{element}* {name}"));
                self.declared.push(format!("{element}* {other}"));
                self.pointer(first, 0, element, is_read, !is_read, false);
                self.pointer(first + 1, 0, element, is_read, !is_read, false);
                let chosen = format!(
                    "(({} & {}) ? {name} : {other})[i]",
                    ["n", "i", "(int)m"][self.rng.below(3)],
                    1 << self.rng.below(3)
                );
                self.used(&chosen, element, sum, is_read);
            }
            // Pointers in a struct by value.
            1 | 2 => {
                let by_reference = self.rng.chance(40);
                self.declared.push(format!("View<const {element}> {name}"));
                self.pointer(first, 0, element, true, false, true);
                self.known.push(Known { parameter: first, offset: 8, value: Value::Integer });
                let read = if by_reference {
                    format!("called_view({name}, i)")
                } else {
                    format!("{name}.data[i * {name}.stride]")
                };
                self.used(&read, element, sum, true);
            }
            3 => {
                let written = format!("W{first}_{}", self.name);
                let _ =
                    writeln!(self.structs, "struct {written} {{ int tag; {element}* to; const {element}* from[2]; }};");
                self.declared.push(format!("{written} {name}"));
                self.pointer(first, 8, element, false, true, true);
                self.pointer(first, 16, element, true, false, true);
                self.pointer(first, 24, element, true, false, true);
                let _ = writeln!(self.body, "  {name}.to[i + {name}.tag] = {name}.from[0][i];");
                self.used(&format!("{name}.from[1][i]"), element, sum, true);
            }
            // An array of pointers in local memory.
            4 => {
                let other = format!("p{}", first + 1);
                self.declared.push(format!("{element}* {name}"));
                self.declared.push(format!("{element}* {other}"));
                let is_read = self.rng.chance(50);
                self.pointer(first, 0, element, is_read, !is_read, false);
                self.pointer(first + 1, 0, element, is_read, !is_read, false);
                let _ = writeln!(self.body, "  {element}* t{first}[2] = {{ {name}, {other} }};");
                self.used(&format!("t{first}[(i + n) & 1][i]"), element, sum, is_read);
            }
            // Stored: the pointer escapes, and is read.
            5 => {
                self.declared.push(format!("{element}* {name}"));
                self.declared.push(format!("void** p{}", first + 1));
                self.pointer(first, 0, element, true, false, true);
                let _ = writeln!(self.body, "  p{}[i] = {name} + i;", first + 1);
                self.used(&format!("{name}[i]"), element, sum, true);
            }
            // Atomic.
            6 | 7 => {
                let element = *self.rng.pick(&["float", "double", "int", "unsigned", "unsigned long long"]);
                self.declared.push(format!("{element}* {name}"));
                self.pointer(first, 0, element, true, true, true);
                let address = ["{p} + i % 7", "&{p}[n - i]", "{p}"][self.rng.below(3)].replace("{p}", &name);
                let statement = match self.rng.below(3) {
                    0 if element != "double" => {
                        format!("total += atomicExch({address}, ({element})i)")
                    }
                    1 if !matches!(element, "float" | "double") => {
                        format!("atomicCAS({address}, ({element})n, ({element})1)")
                    }
                    _ => format!("atomicAdd({address}, ({element})total)"),
                };
                let _ = writeln!(self.body, "  {statement};");
            }
            // Read in another way.
            kind @ 8..=10 => {
                self.declared.push(format!("{} {element}* {name}", ["", "const"][self.rng.below(2)]));
                self.pointer(first, 0, element, true, false, true);
                let read = match self.rng.below(9) {
                    0 => format!("called_load({name}, i)"),
                    1 => format!("called_nested({name}, i)"),
                    2 => format!("inlined_load({name}, i)"),
                    3 => format!("{name}[(long long)i * m]"),
                    4 => format!("*((const volatile {sum}*)0 ? {name} : {name} + i)"),
                    5 => format!("called_advance({name}, i)[n]"),
                    6 => format!("{name}[n - 1 - i]"),
                    7 => format!("__ldg({name} + i)"),
                    _ => format!("{name}[i]"),
                };
                if kind == 10 {
                    let _ = writeln!(
                        self.body,
                        "  for (const {element}* q = {name}; q < {name} + m; q += n) total += (double)({sum})*q;"
                    );
                } else if kind == 9 && is_float && element == "float" {
                    let _ = writeln!(
                        self.body,
                        "  float4 v{first} = ((const float4*){name})[i]; total += v{first}.x * v{first}.w;"
                    );
                } else if kind == 9 {
                    let _ =
                        writeln!(self.body, "  for (int k = 0; k < n; ++k) total += (double)({sum}){name}[k * 3 + i];");
                } else {
                    self.used(&read, element, sum, true);
                }
            }
            // Written in another way.
            _ => {
                self.declared.push(format!("{element}* {name}"));
                let value = format!("({element})({sum})total");
                let (statement, is_read) = match self.rng.below(6) {
                    0 => (format!("called_store({name}, i, {value})"), false),
                    1 => (format!("inlined_store({name}, i, {value})"), false),
                    2 => (format!("called_advance({name}, i)[0] = {value}"), false),
                    3 => (format!("for (int k = i; k < n; k += 32) {name}[k] = {value}"), false),
                    4 => (format!("{name}[i] = ({element})(({sum}){name}[i] * ({sum})2)"), true),
                    _ => (format!("{name}[m + i] = {value}"), false),
                };
                self.pointer(first, 0, element, is_read, true, true);
                let _ = writeln!(self.body, "  {statement};");
            }
        }
    }

    /// A statement that reads or writes an element.
    fn used(&mut self, place: &str, element: &str, sum: &str, is_read: bool) {
        let _ = if is_read {
            writeln!(self.body, "  total += (double)({sum}){place};")
        } else {
            writeln!(self.body, "  {place} = ({element})({sum})total;")
        };
    }
}

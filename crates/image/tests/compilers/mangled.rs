//! Compiles random signatures and compares their types with the types in the mangled names.

use super::NVCC;
use kernel_args_abi::{CppBase, CppType};
use kernel_args_image::{mangled::Demangled, ptx::Module};
use kernel_args_test_generator::tools::{self as tools, GXX};
use std::{collections::BTreeMap, fmt::Write as _, process::Command};

/// A C++ type and the type that its mangled name must contain.
type Written = (String, CppType<'static>);

/// Selects random types. The seed is the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// `of_kernel` excludes the types that nvcc rejects in a kernel.
    fn ty(&mut self, of_kernel: bool) -> Written {
        let float = |bits| CppType::of(CppBase::Float { bits });
        let named = CppType::named;
        let long = |signed| CppType::of(CppBase::Long { signed });
        let to_int = CppType::integer(true, 32).array(4);
        let bases = [
            ("bool", CppType::of(CppBase::Bool)),
            ("char", CppType::of(CppBase::Char)),
            ("signed char", CppType::integer(true, 8)),
            ("unsigned char", CppType::integer(false, 8)),
            ("short", CppType::integer(true, 16)),
            ("unsigned short", CppType::integer(false, 16)),
            ("int", CppType::integer(true, 32)),
            ("unsigned", CppType::integer(false, 32)),
            ("long", long(true)),
            ("unsigned long", long(false)),
            ("long long", CppType::integer(true, 64)),
            ("unsigned long long", CppType::integer(false, 64)),
            ("float", float(32)),
            ("double", float(64)),
            ("float4", named("float4")),
            ("__half", named("__half")),
            ("Mode", named("Mode")),
            ("sim::Params", named("sim::Params")),
            ("sim::Box<float*>", named("sim::Box<float*>")),
            ("sim::Box<sim::Box<int>>", named("sim::Box<sim::Box<int>>")),
            ("sim::Box<const int>::In", named("sim::Box<int const>::In")),
            ("sim::Fixed<4>", named("sim::Fixed<4>")),
            ("sim::Array<float, 3>", named("sim::Array<float, 3u>")),
            ("std::nullptr_t", named("std::nullptr_t")),
            ("void (*)(int, float4*)", CppType::of(CppBase::FunctionType).pointer(false)),
            ("int (*)[4]", to_int.pointer(false)),
            ("const int (*)[2][4]", to_int.array(2).pointer(true)),
            ("float* (**const)[2]", float(32).pointer(false).pointer(false).pointer(false)),
            ("int sim::Params::*", CppType::UNKNOWN),
            ("sim::Box<void(int, float)>", CppType::UNKNOWN),
            ("const sim::Params&", named("sim::Params").pointer(true)),
            ("long double", CppType::UNKNOWN),
        ];
        let bases = if of_kernel { &bases[..bases.len() - 2] } else { &bases[..] };
        let (spelled, mut ty) = bases[self.below(bases.len())];
        let mut spelled = String::from(spelled);
        if ty.is_unknown() || spelled.ends_with(['&', ']', ')']) {
            return (spelled, ty);
        }
        for _ in 0..[0, 0, 1, 1, 2, 3][self.below(6)] {
            let is_const = self.below(2) == 0;
            spelled.push_str(["*", " const*"][usize::from(is_const)]);
            if self.below(5) == 0 {
                spelled.push_str(" __restrict__");
            }
            ty = ty.pointer(is_const);
        }
        if self.below(6) == 0 {
            spelled.push_str(" const");
        }
        (spelled, ty)
    }
}

/// The CUDA type, for a host compiler.
const VECTOR: &str = "struct float4 { float x, y, z, w; };";

const PRELUDE: &str = "
#include <cstddef>
struct __half { unsigned short x; };
enum Mode { FAST, SLOW };
namespace sim {
    struct Params { int a; };
    template<class T> struct Box { struct In { int q; }; };
    template<int N> struct Fixed { int v[N]; };
    template<class T, unsigned N> struct Array { T v[N]; };
}
";

/// 400 functions with random parameters: a third plain, a third in namespaces, a third templates.
struct Source {
    text: String,
    written: BTreeMap<String, Vec<Written>>,
}

impl Source {
    fn new(of_kernels: bool) -> Self {
        let mut draw = Draw(7);
        let mut text = String::from(PRELUDE);
        if !of_kernels {
            text.push_str(VECTOR);
        }
        let void = if of_kernels { "__global__ void" } else { "void" };
        let mut written = BTreeMap::new();
        for i in 0..400 {
            let count = draw.below(9);
            let list: Vec<Written> = (0..count).map(|_| draw.ty(of_kernels)).collect();
            let spelled: Vec<&str> = list.iter().map(|(spelled, _)| spelled.as_str()).collect();
            let spelled = spelled.join(", ");
            let name = format!("kernel{i}");
            match i % 3 {
                0 => writeln!(text, "{void} {name}({spelled}) {{}}"),
                1 => writeln!(text, "namespace sim {{ namespace n{i} {{ {void} {name}({spelled}) {{}} }} }}"),
                _ => writeln!(
                    text,
                    "template<class T, int N> {void} {name}({spelled}) {{}} \
                     template {void} {name}<short, {i}>({spelled});"
                ),
            }
            .unwrap();
            written.insert(name, list);
        }
        Self { text, written }
    }

    /// Runs a compiler and returns its output file.
    fn compile(&self, compiler: &mut Command, extension: &str) -> String {
        let folder = format!("kernel-args-mangled-{extension}-{}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        let (file, output) = (folder.join(format!("signatures.{extension}")), folder.join("output"));
        std::fs::write(&file, &self.text).unwrap();
        let run = compiler.arg(&file).arg("-o").arg(&output).output().unwrap();
        let written = std::fs::read_to_string(&output);
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        written.unwrap()
    }

    /// Compares the types in a symbol with the source, and returns the number of parameters. `None` if the symbol is
    /// not one of the functions.
    fn compare(&mut self, symbol: &str) -> Option<usize> {
        let demangled = Demangled::new(symbol)?;
        let list = self.written.remove(demangled.name().rsplit("::").next()?)?;
        let read = demangled.parameters().unwrap_or_else(|| panic!("{demangled}"));
        let expected: Vec<CppType<'_>> = list.iter().map(|&(_, ty)| ty).collect();
        assert_eq!(read, expected, "{demangled}");
        Some(read.len())
    }
}

pub(super) fn random_signatures_compiled_by_gxx_are_read_back() {
    let mut source = Source::new(false);
    let assembly = source.compile(tools::command(GXX).args(["-std=c++17", "-w", "-S"]), "cpp");
    let symbols = assembly.lines().filter_map(|line| line.strip_suffix(':'));
    let compared: usize = symbols.filter_map(|symbol| source.compare(symbol)).sum();
    assert!(source.written.is_empty(), "not in the assembly: {:?}", source.written.keys());
    println!("{compared} parameters compared");
}

/// The number of parameters in the PTX of random kernels must agree, and the sizes must match the types.
pub(super) fn random_kernels_compiled_by_nvcc_are_read_back() {
    let mut source = Source::new(true);
    let ptx = source.compile(tools::command(NVCC).args(["-std=c++17", "-w", "-ptx"]), "cu");
    let module = Module::read(ptx.as_bytes()).unwrap();
    let mut compared = 0;
    for entry in module.entries() {
        compared += source.compare(entry.name).unwrap();
        let demangled = Demangled::new(entry.name).unwrap();
        let types = demangled.types_of(entry.parameters.len());
        assert!(types.is_some(), "{demangled} has {} parameters", entry.parameters.len());
        for parameter in entry.signature_parameters(Some(&demangled)) {
            let size = match (parameter.cpp.is_pointer(), parameter.cpp.base) {
                (true, _) | (_, CppBase::Long { .. }) => 8,
                (_, CppBase::Integer { bits, .. } | CppBase::Float { bits }) => usize::from(bits) / 8,
                (_, CppBase::Bool | CppBase::Char) => 1,
                (_, CppBase::Named("float4" | "sim::Fixed<4>")) => 16,
                _ => continue,
            };
            assert_eq!(parameter.size, size, "{parameter:?} of {demangled}");
        }
    }
    assert!(source.written.is_empty(), "not in the PTX: {:?}", source.written.keys());
    println!("{compared} parameters compared");
}

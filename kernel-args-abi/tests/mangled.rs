//! Mangled names read back as the types that were written.

use kernel_args_abi::{
    CppBase, CppType,
    mangled::{Demangled, candidates, demangle, matches, nearest},
};
use std::{collections::BTreeMap, fmt::Write as _, process::Command};

/// The types of a symbol's parameters, spelled; `None` where the list is not known.
fn types(symbol: &str) -> Option<Vec<String>> {
    let demangled = Demangled::new(symbol).unwrap_or_else(|| panic!("{symbol} is mangled"));
    let types = demangled.parameters()?;
    Some(types.iter().map(ToString::to_string).collect())
}

/// What g++ 12 and nvcc 13.0 make of the declarations beside them.
#[test]
fn symbols_of_compilers_are_read() {
    let table: &[(&str, &[&str])] = &[
        (
            "_Z5saxpyifPKfPf",
            &["int", "float", "float const*", "float*"],
        ),
        ("_Z5emptyv", &[]),
        ("_Z4packIJEEvDpT_", &[]),
        ("_Z4packIJifEEvDpT_", &["int", "float"]),
        (
            // template<class T, int N> void k(T*, const T*, T const* const*), T = float*
            "_Z1kIPfLi4EEvPT_PKS1_PKS4_",
            &["float**", "float* const*", "float* const* const*"],
        ),
        (
            "_Z4scalbcahstijlmxyfdenowDsDi",
            &[
                "bool",
                "char",
                "signed char",
                "unsigned char",
                "short",
                "unsigned short",
                "int",
                "unsigned int",
                "long",
                "unsigned long",
                "long long",
                "unsigned long long",
                "float",
                "double",
                "?",
                "__int128",
                "unsigned __int128",
                "?",
                "unsigned short",
                "unsigned int",
            ],
        ),
        (
            // volatile and restrict are dropped, const is kept.
            "_Z4ptrsPvPKvPPiPKPKiPViPVKfS2_PrS5_",
            &[
                "void*",
                "void const*",
                "int**",
                "int const* const*",
                "int*",
                "float const*",
                "int*",
                "int const**",
            ],
        ),
        (
            "_Z5named6float46__halfPS0_PKS_4Mode4KindPS5_P6Params",
            &[
                "float4",
                "__half",
                "__half*",
                "float4 const*",
                "Mode",
                "Kind",
                "Kind*",
                "Params*",
            ],
        ),
        (
            "_ZN3sim4stepENS_6ParamsENS_3BoxIfEENS1_INS1_IiEEE2InE",
            &[
                "sim::Params",
                "sim::Box<float>",
                "sim::Box<sim::Box<int> >::In",
            ],
        ),
        (
            // Function pointers, references, arrays and member pointers move none of their neighbours.
            "_Z3oddiPFvifERA3_iPA4_iRiOiM6ParamsiMS6_FviEf",
            &["int", "?", "?", "?", "?", "?", "?", "?", "float"],
        ),
        // Names that may be aliases: Traits::type is float; Box<float>::value_type; Ptr<float> is float*.
        ("_Z3depI6TraitsEvNT_4typeES1_", &["?", "Traits"]),
        (
            "_ZN3sim3genIfEEvPT_NS_3BoxIS1_EENS4_10value_typeENS4_2InE",
            &["float*", "sim::Box<float>", "?", "?"],
        ),
        ("_Z3tt2I3PtrEvT_IfE", &["?"]),
        ("_Z2arILi3EEv2AAIXplT_Li1EEES0_IXgtT_Li2EEE", &["?", "?"]),
        // Lambdas and local types.
        ("_Z3lamIZ3usePiEUliE_EvT_S0_", &["?", "int*"]),
        ("_Z3lamIZ3usevE3LocEvT_i", &["?", "int"]),
        (
            "_ZN36_GLOBAL__N__0ef9cd59_4_l_cu__Z3usePi4anonENS_1SEPi",
            &["(anonymous namespace)::S", "int*"],
        ),
        // A return type that depends.
        ("_Z2sfIiENSt9enable_ifIXgtstT_Li2EEvE4typeES1_", &["int"]),
        ("_Z2fpIXadL_ZN3sim2v13inlEiEEEvi", &["int"]),
        ("_Z3vecDv4_f", &["?"]),
        ("_Z3f16DF16_", &["floating-point"]),
        ("_Z1kU3AS1Pf", &["?"]),
    ];
    for (symbol, expected) in table {
        let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        let spelled = demangle(symbol).unwrap();
        assert_eq!(types(symbol), Some(expected), "{symbol}: {spelled}");
    }
}

#[test]
fn lists_that_cannot_be_split_with_certainty_are_not_known() {
    // var(int, ...); packq(A, Ts const*...), which demanglers expand at its last element only.
    for symbol in ["_Z3variz", "_Z5packqIiJfcEEvT_DpPKT0_"] {
        assert_eq!(types(symbol), None, "{symbol}");
    }
}

#[test]
fn what_is_not_mangled_has_no_types() {
    for symbol in [
        "saxpy", "", "_Z", "_Zk", "_ZN3simE", "_ZTI1A", "Z1kv", "_R1k",
    ] {
        assert_eq!(Demangled::new(symbol), None, "{symbol}");
    }
}

#[test]
fn names_are_taken_apart() {
    for (symbol, name, arguments) in [
        ("_Z5saxpyifPKfPf", "saxpy", None),
        ("_Z1kIfLi4EEvPT_PKS0_PKS3_", "k", Some("float, 4")),
        (
            "_ZN3sim3genIfEEvPT_NS_3BoxIS1_EENS4_10value_typeENS4_2InE",
            "sim::gen",
            Some("float"),
        ),
        (
            "_Z2sfIiENSt9enable_ifIXgtstT_Li2EEvE4typeES1_",
            "sf",
            Some("int"),
        ),
        (
            "_ZN3sim12_GLOBAL__N_14anonENS0_3HidEi",
            "sim::(anonymous namespace)::anon",
            None,
        ),
    ] {
        let demangled = Demangled::new(symbol).unwrap();
        assert_eq!(
            (demangled.name(), demangled.template_arguments()),
            (name, arguments)
        );
    }
}

#[test]
fn types_are_believed_only_where_the_counts_agree() {
    let demangled = Demangled::new("_Z5saxpyifPKfPf").unwrap();
    assert!(demangled.types_of(4).is_some());
    assert!(demangled.types_of(3).is_none());
}

#[test]
fn a_name_that_grows_exponentially_is_refused() {
    let mut symbol = String::from("_Z1kI1aE");
    symbol.push_str("v1bIS_S_E");
    for i in 0..32_u32 {
        let id = char::from_digit(i, 36).unwrap().to_ascii_uppercase();
        write!(symbol, "1bIS{id}_S{id}_E").unwrap();
    }
    let started = std::time::Instant::now();
    let _ = demangle(&symbol);
    assert!(
        started.elapsed().as_secs() < 2,
        "took {:?}",
        started.elapsed()
    );
    assert_eq!(demangle(&format!("_Z1k{}", "P".repeat(100_000))), None);
}

#[test]
fn an_entry_is_found_by_what_a_user_writes() {
    let symbols = [
        "saxpy",
        "_Z5saxpyifPKfPf",
        "_Z5saxpyIfEviT_PKS0_PS0_",
        "_Z5saxpyIdEviT_PKS0_PS0_",
        "_ZN3sim4stepEi",
        "_ZN3sim4stepEf",
        "_ZN3lib3sim4stepEf",
        "_ZN3sim12_GLOBAL__N_14anonEi",
        "_Z1kIfLi4EEvPT_",
        "_Z1kIfLi8EEvPT_",
        "_Z1kIdLj4EEvPT_",
        "_Z5stepsi",
    ];
    let table: &[(&str, &[&str])] = &[
        ("saxpy", &["saxpy"]),
        ("saxpy<float>", &["_Z5saxpyIfEviT_PKS0_PS0_"]),
        (
            "saxpy(int, float, const float *, float*)",
            &["_Z5saxpyifPKfPf", "_Z5saxpyIfEviT_PKS0_PS0_"],
        ),
        (
            "void saxpy<double>(int, double, double const*, double*)",
            &["_Z5saxpyIdEviT_PKS0_PS0_"],
        ),
        ("_Z5saxpyifPKfPf", &["_Z5saxpyifPKfPf"]),
        (
            "step",
            &["_ZN3sim4stepEi", "_ZN3sim4stepEf", "_ZN3lib3sim4stepEf"],
        ),
        ("sim::step(int)", &["_ZN3sim4stepEi"]),
        ("lib::sim::step", &["_ZN3lib3sim4stepEf"]),
        ("::sim::step", &["_ZN3sim4stepEi", "_ZN3sim4stepEf"]),
        ("anon", &["_ZN3sim12_GLOBAL__N_14anonEi"]),
        ("sim::anon", &["_ZN3sim12_GLOBAL__N_14anonEi"]),
        ("k<float>", &["_Z1kIfLi4EEvPT_", "_Z1kIfLi8EEvPT_"]),
        ("k<float,8>", &["_Z1kIfLi8EEvPT_"]),
        ("k<double, 4u>", &["_Z1kIdLj4EEvPT_"]),
        ("k<double, 4>", &["_Z1kIdLj4EEvPT_"]),
        (
            "k",
            &["_Z1kIfLi4EEvPT_", "_Z1kIfLi8EEvPT_", "_Z1kIdLj4EEvPT_"],
        ),
        ("k<int>", &[]),
        ("axpy", &[]),
        ("step(long)", &[]),
        ("", &[]),
        ("saxpy<", &[]),
    ];
    for (wanted, expected) in table {
        assert_eq!(&candidates(wanted, symbols), expected, "{wanted}");
        for symbol in *expected {
            assert!(matches(symbol, wanted), "{wanted}");
        }
    }
}

#[test]
fn near_misses_are_offered() {
    let symbols = [
        "saxpy",
        "_Z5saxpyifPKfPf",
        "_ZN3sim4stepEi",
        "reduce_sum",
        "reduce_max",
    ];
    assert_eq!(nearest("sapxy", symbols), ["saxpy", "_Z5saxpyifPKfPf"]);
    assert_eq!(nearest("stpe", symbols), ["_ZN3sim4stepEi"]);
    assert_eq!(nearest("reduce_min", symbols), ["reduce_max", "reduce_sum"]);
    assert_eq!(nearest("reduce_min<float>", symbols).len(), 2);
    assert!(nearest("convolution", symbols).is_empty());
    assert!(nearest("x", []).is_empty());
}

/// A C++ type and what must be read from its mangled name.
type Written = (String, CppType<'static>);

/// Draws types from a generator that is the same in every run.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn ty(&mut self) -> Written {
        let float = |bits| CppType::of(CppBase::Float { bits });
        let named = CppType::named;
        let long = |signed| CppType::of(CppBase::Long { signed });
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
            ("sim::Box<sim::Box<int>>", named("sim::Box<sim::Box<int> >")),
            ("sim::Box<const int>::In", named("sim::Box<int const>::In")),
            ("sim::Fixed<4>", named("sim::Fixed<4>")),
            ("long double", CppType::UNKNOWN),
            ("std::nullptr_t", named("std::nullptr_t")),
            ("void (*)(int, float4*)", CppType::UNKNOWN),
            ("int (*)[4]", CppType::UNKNOWN),
            ("int sim::Params::*", CppType::UNKNOWN),
            ("sim::Box<void(int, float)>", CppType::UNKNOWN),
            ("const sim::Params&", CppType::UNKNOWN),
        ];
        let (spelled, mut ty) = bases[self.below(bases.len())];
        let mut spelled = String::from(spelled);
        if ty.is_unknown() {
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

const PRELUDE: &str = "
#include <cstddef>
struct float4 { float x, y, z, w; };
struct __half { unsigned short x; };
enum Mode { FAST, SLOW };
namespace sim {
    struct Params { int a; };
    template<class T> struct Box { struct In { int q; }; };
    template<int N> struct Fixed { int v[N]; };
}
";

/// 400 functions with random parameters: a third plain, a third in namespaces, a third templates.
#[test]
fn random_signatures_compiled_by_gxx_are_read_back() {
    if Command::new("g++").arg("--version").output().is_err() {
        println!("skipped: no g++ on this machine");
        return;
    }
    let mut draw = Draw(7);
    let mut source = String::from(PRELUDE);
    let mut written: BTreeMap<String, Vec<Written>> = BTreeMap::new();
    for i in 0..400 {
        let mut list: Vec<Written> = (0..draw.below(9)).map(|_| draw.ty()).collect();
        let spelled: Vec<&str> = list.iter().map(|(spelled, _)| spelled.as_str()).collect();
        let spelled = spelled.join(", ");
        if i % 3 == 2 {
            // In a template, the name alone does not tell that it is no alias.
            let may_be_alias = |written: &&mut Written| written.0.contains(">::");
            list.iter_mut()
                .filter(may_be_alias)
                .for_each(|written| written.1 = CppType::UNKNOWN);
        }
        let name = format!("kernel{i}");
        match i % 3 {
            0 => writeln!(source, "void {name}({spelled}) {{}}"),
            1 => writeln!(source, "namespace sim {{ namespace n{i} {{ void {name}({spelled}) {{}} }} }}"),
            _ => writeln!(
                source,
                "template<class T, int N> void {name}({spelled}) {{}} template void {name}<short, {i}>({spelled});"
            ),
        }
        .unwrap();
        written.insert(name, list);
    }
    let folder = std::env::temp_dir().join(format!("kernel-args-mangled-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("signatures.cpp");
    std::fs::write(&file, source).unwrap();
    let output = Command::new("g++")
        .args(["-std=c++17", "-w", "-S", "-o", "-"])
        .arg(&file)
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );

    let assembly = String::from_utf8(output.stdout).unwrap();
    let symbols = assembly.lines().filter_map(|line| line.strip_suffix(':'));
    let mut compared = 0;
    for symbol in symbols.filter(|symbol| symbol.starts_with("_Z")) {
        let demangled = Demangled::new(symbol).unwrap_or_else(|| panic!("{symbol}"));
        let name = demangled.name().rsplit("::").next().unwrap();
        let Some(list) = written.remove(name) else {
            continue;
        };
        let read = demangled
            .parameters()
            .unwrap_or_else(|| panic!("{demangled}"));
        let expected: Vec<CppType<'_>> = list.iter().map(|&(_, ty)| ty).collect();
        assert_eq!(read, expected, "{demangled}");
        compared += read.len();
    }
    assert!(
        written.is_empty(),
        "not found in the assembly: {:?}",
        written.keys()
    );
    println!("{compared} parameters compared");
}

//! Mangled names read back as the types that were written.

use kernel_args_image::mangled::{Demangled, candidates, demangle, matches, nearest};
use std::fmt::Write as _;

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
            // Function pointers, arrays and member pointers move none of their neighbours; a reference is a pointer.
            "_Z3oddiPFvifERA3_iPA4_iRiOiM6ParamsiMS6_FviEf",
            &["int", "?", "?", "?", "int*", "?", "?", "?", "float"],
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

/// Arguments that are no `int` are written with their type; so are those of enums. What g++ 12 makes of
/// `Array<float, 3>` with an `unsigned` length, and of others like it.
#[test]
fn numbers_among_template_arguments_are_understood() {
    let expected = [
        "Array<float, (unsigned int)3>",
        "Array<Array<float, (unsigned int)3>, (unsigned int)2>*",
        "Flag<true>",
        "Low<char, (long)-5>",
        "Picked<(Mode)1>",
        "?",
    ];
    let symbol =
        "_Z3lit5ArrayIfLj3EEPS_IS0_Lj2EE4FlagILb1EE3LowIcLln5EE6PickedIL4Mode1EEPK2FnIFviEE";
    assert_eq!(types(symbol), Some(expected.map(String::from).into()));
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
    for depth in [12, 80, 1000] {
        let nested = format!("_Z1k{}i{}", "1aI".repeat(depth), "E".repeat(depth));
        assert_eq!(Demangled::new(&nested).is_some(), depth == 12, "{depth}");
        let pointers = format!("_Z1k{}i", "P".repeat(depth));
        let _ = Demangled::new(&pointers).map(|demangled| demangled.parameters().is_some());
    }
}

/// PTX has ASCII names only, but a user may write any; found by fuzzing.
#[test]
fn letters_that_are_not_ascii_are_no_part_of_a_symbol() {
    assert_eq!(Demangled::new("_ZN8größen1kEP7GrößeS0_i"), None);
    assert!(!matches("_Z1kP6Groess", "k(Größe*)"));
    assert!(nearest("größe", ["_Z6groessv"]).len() <= 1);
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
            // As in C++, an overload comes before a template instance of the same parameters.
            "saxpy(int, float, const float *, float*)",
            &["_Z5saxpyifPKfPf"],
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

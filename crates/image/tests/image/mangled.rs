//! The parameter types in mangled names.

use kernel_args_image::mangled::{Demangled, candidates, demangle, matches, nearest};
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
};
use std::fmt::Write as _;

const SYMBOLS: [&str; 6] = [
    "_Z1kIZ1fIiEvT_EUlvE_EvS1_PS1_",
    "_Z2k5IZ4mainEUlT_E_fEvS0_T0_",
    "_Z5packqIiJfcEEvT_DpPKT0_",
    "_Z2sfIiENSt9enable_ifIXgtstT_Li2EEvE4typeES1_",
    "_Z1fIZN1aclEvEUliE_EvT_",
    "_ZNK1AIiEcvT_IfEEv",
];

/// The spellings of a symbol's parameter types; `None` if the list is not certain.
fn types(symbol: &str) -> Option<Vec<String>> {
    let demangled = Demangled::new(symbol).unwrap_or_else(|| panic!("{symbol} is mangled"));
    let types = demangled.parameters()?;
    Some(types.iter().map(ToString::to_string).collect())
}

#[test]
fn pointers_to_arrays_contain_the_lengths() {
    // Member pointers do not affect the next parameters; a reference is a pointer.
    let odd = "_Z3oddiPFvifERA3_iPA4_iRiOiM6ParamsiMS6_FviEf";
    let types_of_odd = "int function* int_(*)[3] int_(*)[4] int* int* ? ? float";
    let arrays = "_Z6arraysPA3_A4_iPA5_KiPA2_PiPPA7_iPKPA2_fPA2_KN3sim6ParamsEPA_i";
    let types_of_arrays = "int_(*)[3][4] int_const_(*)[5] int*_(*)[2] int** float*_const* sim::Params_const_(*)[2] ?*";
    for (symbol, expected) in [(odd, types_of_odd), (arrays, types_of_arrays)] {
        let expected = expected.split(' ').map(|ty| ty.replace('_', " "));
        assert_eq!(types(symbol), Some(expected.collect()), "{symbol}");
    }
}

/// A pack is a list of parameters, not a type.
#[test]
fn qualifiers_of_an_empty_pack_are_no_type() {
    for ty in ["rDpT_", "KDpT_", "PDpT_", "rT_", "PrDpT_", "RKDpT_"] {
        for parameters in [ty.to_owned(), format!("i{ty}f")] {
            let symbol = format!("_Z4packIJEEv{parameters}");
            assert!(Demangled::new(&symbol).is_none(), "{symbol}");
        }
    }
    assert_eq!(types("_Z4packIJEEviDpKT_f"), Some(vec!["int".into(), "float".into()]));
}

/// The symbols are from g++ 12 and nvcc 13.0.
#[test]
fn symbols_of_compilers_are_read() {
    let table: &[(&str, &[&str])] = &[
        ("_Z5saxpyifPKfPf", &["int", "float", "float const*", "float*"]),
        ("_Z5emptyv", &[]),
        ("_Z4packIJEEvDpT_", &[]),
        ("_Z4packIJifEEvDpT_", &["int", "float"]),
        ("_Z5packqIiJfcEEvT_DpPKT0_", &["int", "float const*", "char const*"]),
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
            &["void*", "void const*", "int**", "int const* const*", "int*", "float const*", "int*", "int const**"],
        ),
        (
            "_Z5named6float46__halfPS0_PKS_4Mode4KindPS5_P6Params",
            &["float4", "__half", "__half*", "float4 const*", "Mode", "Kind", "Kind*", "Params*"],
        ),
        (
            "_ZN3sim4stepENS_6ParamsENS_3BoxIfEENS1_INS1_IiEEE2InE",
            &["sim::Params", "sim::Box<float>", "sim::Box<sim::Box<int>>::In"],
        ),
        // Names that can be aliases: Traits::type is float; Box<float>::value_type; Ptr<float> is float*.
        ("_Z3depI6TraitsEvNT_4typeES1_", &["?", "Traits"]),
        ("_ZN3sim3genIfEEvPT_NS_3BoxIS1_EENS4_10value_typeENS4_2InE", &["float*", "sim::Box<float>", "?", "?"]),
        ("_Z3tt2I3PtrEvT_IfE", &["?"]),
        ("_Z2arILi3EEv2AAIXplT_Li1EEES0_IXgtT_Li2EEE", &["?", "?"]),
        ("_ZN36_GLOBAL__N__0ef9cd59_4_l_cu__Z3usePi4anonENS_1SEPi", &["(anonymous namespace)::S", "int*"]),
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

/// `S1_` refers to the `T_` of `f`, but in the parameters of `k` it is the `T_` of `k`. `S0_` is the `auto` of a
/// lambda. GNU c++filt reads them in the same way.
#[test]
fn substitutions_have_the_parameters_of_the_template_that_is_read() {
    let table: &[(&str, &[&str])] = &[
        // A return type that depends on a template parameter.
        ("_Z2sfIiENSt9enable_ifIXgtstT_Li2EEvE4typeES1_", &["int"]),
        // Lambdas and local types.
        ("_Z3lamIZ3usePiEUliE_EvT_S0_", &["?", "int*"]),
        ("_Z3lamIZ3usevE3LocEvT_i", &["?", "int"]),
        ("_Z1kIZ1fIiEvT_EUlvE_EvS1_PS1_", &["?", "?*"]),
        ("_Z2k5IZ4mainEUlT_E_fEvS0_T0_", &["?", "float"]),
        (
            "_ZN4raft6linalg6detail10map_kernelILi1ELb1EdiZNS_6sparse6matrix6detail12set_diagonalIdiiiEE\
             vRKNS_9resourcesENS_15coo_matrix_viewIT_T0_T1_T2_Lb1EEESB_EUlT_E_JEEEvPSD_SE_T3_DpPKT4_",
            &["double*", "int", "?"],
        ),
    ];
    for (symbol, expected) in table {
        let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(types(symbol), Some(expected), "{symbol}");
    }
    assert_eq!(
        demangle("_Z1fIZN1aclEvEUliE_EvT_").as_deref(),
        Some("void f<a::operator()()::'lambda'(int)>(a::operator()()::'lambda'(int))")
    );
}

/// Demanglers write values that are not `int` with a suffix, and values of enums with their type. The symbol is from
/// g++ 12. The length in `Array<float, 3>` is `unsigned`.
#[test]
fn numbers_among_template_arguments_are_understood() {
    let expected = [
        "Array<float, 3u>",
        "Array<Array<float, 3u>, 2u>*",
        "Flag<true>",
        "Low<char, -5l>",
        "Picked<(Mode)1>",
        // A pointer to a type that contains a function type.
        "? const*",
    ];
    let symbol = "_Z3lit5ArrayIfLj3EEPS_IS0_Lj2EE4FlagILb1EE3LowIcLln5EE6PickedIL4Mode1EEPK2FnIFviEE";
    assert_eq!(types(symbol), Some(expected.map(String::from).into()));
}

#[test]
fn lists_of_uncertain_length_are_not_known() {
    // `var(int, ...)`, and a pack of function parameters: the symbol does not contain its length.
    for symbol in ["_Z3variz", "_Z3varIiEvDpT_"] {
        assert_eq!(types(symbol), None, "{symbol}");
    }
}

#[test]
fn symbols_that_are_not_mangled_have_no_types() {
    for symbol in ["saxpy", "", "_Z", "_Zk", "_ZN3simE", "_ZTI1A", "Z1kv", "_R1k"] {
        assert_eq!(Demangled::new(symbol), None, "{symbol}");
    }
}

#[test]
fn names_and_template_arguments_are_read() {
    for (symbol, name, arguments) in [
        ("_Z5saxpyifPKfPf", "saxpy", None),
        ("_Z1kIfLi4EEvPT_PKS0_PKS3_", "k", Some("float, 4")),
        ("_ZN3sim3genIfEEvPT_NS_3BoxIS1_EENS4_10value_typeENS4_2InE", "sim::gen", Some("float")),
        ("_Z2sfIiENSt9enable_ifIXgtstT_Li2EEvE4typeES1_", "sf", Some("int")),
        ("_ZN3sim12_GLOBAL__N_14anonENS0_3HidEi", "sim::(anonymous namespace)::anon", None),
    ] {
        let demangled = Demangled::new(symbol).unwrap();
        assert_eq!((demangled.name(), demangled.template_arguments()), (name, arguments));
    }
}

#[test]
fn types_are_used_only_if_the_number_of_parameters_agrees() {
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
    assert!(started.elapsed().as_secs() < 2, "took {:?}", started.elapsed());
    // Each inner template replaces the template parameters in the substitutions.
    let many = "Z1fIiEvPT_EUlS2_E_".repeat(1700);
    let _ = demangle(&format!("_Z1kI{many}EvT_"));
    assert!(started.elapsed().as_secs() < 4, "took {:?}", started.elapsed());
    assert_eq!(demangle(&format!("_Z1k{}", "P".repeat(100_000))), None);
    for depth in [12, 80, 1000] {
        let nested = format!("_Z1k{}i{}", "1aI".repeat(depth), "E".repeat(depth));
        assert_eq!(Demangled::new(&nested).is_some(), depth <= 80, "{depth}");
        let pointers = format!("_Z1k{}i", "P".repeat(depth));
        assert_eq!(Demangled::new(&pointers).is_some(), depth <= 80, "{depth}");
    }
}

proptest! {
    #[test]
    fn any_changed_symbol_is_read_or_refused(
        base in select(&SYMBOLS[..]),
        edits in vec((any::<Index>(), 0..4_usize, "[A-Z0-9_a-z]{0,3}|[STIJXLZNE_0-9]{0,12}"), 0..8),
    ) {
        let mut symbol = String::from(base);
        for (at, removed, inserted) in edits {
            let start = at.index(symbol.len() + 1);
            let end = symbol.len().min(start + removed);
            symbol.replace_range(start..end, &inserted);
        }
        let text = demangle(&symbol);
        prop_assert!(text.is_none_or(|text| text.len() < 100 << 10));
        if let Some(demangled) = Demangled::new(&symbol) {
            prop_assert!(demangled.text().contains(demangled.name()));
            let _ = demangled.template_arguments();
            let _ = demangled.parameters();
        }
    }
}

/// Names in PTX are ASCII, but a user can write any name. Found by fuzzing.
#[test]
fn names_that_are_no_identifiers_are_not_read() {
    assert_eq!(Demangled::new("_Z1DI1&EvT_i"), None);
    assert!(Demangled::new("_Z1DI1sEvT_i").is_some());
    assert_eq!(Demangled::new("_ZN8größen1kEP7GrößeS0_i"), None);
    assert!(!matches("_Z1kP6Groess", "k(Größe*)"));
    assert!(nearest("größe", ["_Z6groessv"]).len() <= 1);
}

#[test]
fn a_kernel_is_found_by_the_name_that_a_user_writes() {
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
            // As in C++, an overload is preferred to a template instance with the same parameters.
            "saxpy(int, float, const float *, float*)",
            &["_Z5saxpyifPKfPf"],
        ),
        ("void saxpy<double>(int, double, double const*, double*)", &["_Z5saxpyIdEviT_PKS0_PS0_"]),
        ("_Z5saxpyifPKfPf", &["_Z5saxpyifPKfPf"]),
        ("step", &["_ZN3sim4stepEi", "_ZN3sim4stepEf", "_ZN3lib3sim4stepEf"]),
        ("sim::step(int)", &["_ZN3sim4stepEi"]),
        ("lib::sim::step", &["_ZN3lib3sim4stepEf"]),
        ("::sim::step", &["_ZN3sim4stepEi", "_ZN3sim4stepEf"]),
        ("anon", &["_ZN3sim12_GLOBAL__N_14anonEi"]),
        ("sim::anon", &["_ZN3sim12_GLOBAL__N_14anonEi"]),
        ("k<float>", &["_Z1kIfLi4EEvPT_", "_Z1kIfLi8EEvPT_"]),
        ("k<float,8>", &["_Z1kIfLi8EEvPT_"]),
        ("k<double, 4u>", &["_Z1kIdLj4EEvPT_"]),
        ("k<double, 4>", &["_Z1kIdLj4EEvPT_"]),
        ("k", &["_Z1kIfLi4EEvPT_", "_Z1kIfLi8EEvPT_", "_Z1kIdLj4EEvPT_"]),
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
fn similar_names_are_suggested() {
    let symbols = ["saxpy", "_Z5saxpyifPKfPf", "_ZN3sim4stepEi", "reduce_sum", "reduce_max"];
    assert_eq!(nearest("sapxy", symbols), ["saxpy", "_Z5saxpyifPKfPf"]);
    assert_eq!(nearest("stpe", symbols), ["_ZN3sim4stepEi"]);
    // A name that lacks its beginning is nearer than a name with other letters.
    assert_eq!(
        nearest("axpy<float>", ["apply", "_Z15my_library_axpyIfEvPT_"]),
        ["_Z15my_library_axpyIfEvPT_", "apply"]
    );
    assert_eq!(nearest("reduce_min", symbols), ["reduce_max", "reduce_sum"]);
    assert_eq!(nearest("reduce_min<float>", symbols).len(), 2);
    assert!(nearest("convolution", symbols).is_empty());
    assert!(nearest("x", []).is_empty());
}

#[test]
fn a_symbol_of_another_compiler_is_near_the_kernel_of_its_name() {
    let symbols = ["affine_f32", "scale", "_Z5saxpyIfEvjPKfPf"];
    assert_eq!(nearest("_Z10affine_f32PKfPf", symbols), ["affine_f32"]);
    assert_eq!(nearest("affine_f32_0d1d2d", symbols), ["affine_f32"]);
    assert_eq!(nearest("saxpy<f32>", symbols), ["_Z5saxpyIfEvjPKfPf"]);
    assert_eq!(nearest("_ZN3sim4stepIfEEvPT_", ["reduce_sum", "step"]), ["step"]);
    assert_eq!(nearest("_Z7unknownPf", symbols), [""; 0]);
    for cut in ["_Z", "_Z99saxpy", "_Z99999999999999999999999saxpy", "_ZN3größe"] {
        assert!(nearest(cut, symbols).len() <= 1, "{cut}");
    }
}

//! Names from real libraries: operators, ABI tags, inline namespaces, packs, nested types.

use kernel_args_abi::{
    Alignment, Body, Class, CppType, Members, Parameter, Pointee,
    check::{Difference, compare},
};
use kernel_args_image::mangled::{Demangled, candidates};

fn types(symbol: &str) -> Vec<String> {
    let demangled = Demangled::new(symbol).unwrap_or_else(|| panic!("{symbol} is mangled"));
    let types = demangled.parameters().unwrap_or_else(|| panic!("{demangled} has a known list of parameters"));
    types.iter().map(ToString::to_string).collect()
}

/// A parameter of 8 bytes with this type.
fn of_type(cpp: CppType<'_>) -> Parameter<'_> {
    Parameter {
        name: "p",
        kernel_name: "",
        has_implied_name: false,
        spelling: "P",
        offset: None,
        size: 8,
        align: Alignment::new(8),
        class: if cpp.is_pointer() { Class::Pointer } else { Class::Bytes },
        cpp,
        members: Members::UNKNOWN,
        pointee: Pointee::UNKNOWN,
        body: Body::UNKNOWN,
        is_strict: false,
    }
}

/// Whether the struct `host` matches the kernel's struct `kernel`.
fn passes(host: &str, kernel: &str) -> bool {
    let (host, kernel) = (CppType::named(host), CppType::named(kernel));
    let by_value = compare(&of_type(host), &of_type(kernel));
    let pointee = compare(&of_type(host.pointer(false)), &of_type(kernel.pointer(false)));
    assert_eq!(by_value.is_empty(), pointee.is_empty());
    assert!(by_value.is_empty() || by_value.contains(Difference::Name));
    by_value.is_empty()
}

#[test]
fn a_name_that_contains_the_letters_operator_is_read() {
    let run = "_Z3runPK15linear_operatorPf";
    assert_eq!(types(run), ["linear_operator const*", "float*"]);
    let of_namespace = "_ZN9operators13operator_base5applyEi";
    assert_eq!(types(of_namespace), ["int"]);
    for (wanted, found) in
        [("run", run), ("run(linear_operator const*, float*)", run), ("operator_base::apply", of_namespace)]
    {
        assert_eq!(candidates(wanted, [run, of_namespace]), [found], "{wanted}");
    }
    // These are operators: functions, and arguments of templates.
    for symbol in ["_ZN1AclEi", "_ZplRK1AS1_", "_ZN1AcvfEv"] {
        assert_eq!(Demangled::new(symbol), None, "{symbol}");
    }
}

#[test]
fn abi_tags_are_not_part_of_a_name() {
    let tagged = "_Z2k1B3v13if";
    let numba = "_ZN6cudapy8__main__2k2B2v1B38c8tJTIcFKzyF2ILShI4CrgQElQb6HczSBAA_3dE5ArrayIfLi1E1C7mutable7alignedE";
    assert_eq!(types(tagged), ["int", "float"]);
    for (wanted, found) in [
        ("k1", tagged),
        ("k1[abi:v13]", tagged),
        ("k1(int, float)", tagged),
        ("k2", numba),
        ("__main__::k2", numba),
        (tagged, tagged),
    ] {
        assert_eq!(candidates(wanted, [tagged, numba]), [found], "{wanted}");
    }
    assert_eq!(Demangled::new(tagged).unwrap().text(), "k1(int, float)");
    assert_eq!(types("_Z1k5ThingB3newP5OtherB3old"), ["Thing", "Other*"]);
}

#[test]
fn inline_namespaces_are_ignored() {
    let pair = "_Z1kN4cuda3std3__44pairIifEE";
    assert_eq!(types(pair), ["cuda::std::pair<int, float>"]);
    let thrust = "_ZN6thrust20THRUST_200302_750_NS4stepEPNS0_3RngE";
    assert_eq!(types(thrust), ["thrust::Rng*"]);
    let text = "_Z1sPNSt7__cxx1112basic_stringIcEE";
    assert_eq!(types(text), ["std::basic_string<char>*"]);
    for (wanted, found) in [
        ("k(cuda::std::pair<int, float>)", pair),
        ("k(cuda::std::__4::pair<int, float>)", pair),
        ("thrust::step", thrust),
        ("thrust::THRUST_200302_750_NS::step", thrust),
    ] {
        assert_eq!(candidates(wanted, [pair, thrust, text]), [found], "{wanted}");
    }
    for (host, kernel) in [
        ("cuda::std::pair", "cuda::std::__4::pair<int, float>"),
        ("cuda::std::__4::pair", "cuda::std::pair<int, float>"),
        ("thrust::Rng", "thrust::THRUST_300001_SM_750_NS::Rng"),
        ("std::string", "std::__cxx11::string"),
        ("sim::Params", "sim::(anonymous namespace)::Params"),
        ("sim::Params", "sim::_GLOBAL__N_1::Params"),
        ("thrust::complex<float>", "thrust::THRUST_300001_SM_750_NS::complex<float>"),
    ] {
        assert!(passes(host, kernel) && passes(kernel, host), "{host} {kernel}");
    }
    for (host, kernel) in [
        ("cuda::pair", "cuda::std::__4::pair"),
        ("sim::v4::Params", "sim::v5::Params"),
        ("std::__detail::Node", "std::Node"),
    ] {
        assert!(!passes(host, kernel) && !passes(kernel, host), "{host} {kernel}");
    }
}

#[test]
fn template_arguments_are_compared_where_both_sides_spell_them() {
    for (host, kernel) in [
        ("Box<float>", "Box<double>"),
        ("Box<float>", "Box<float*>"),
        ("Box<float const*>", "Box<float*>"),
        ("Box<int>", "Box<unsigned int>"),
        ("Box<Mode>", "Box<int>"),
        ("vec_t<3u, unsigned long>", "vec_t<3u, int const*>"),
        ("Array<float, 3>", "Array<float, (unsigned int)4>"),
        ("Array<float, 3>", "Array<double, (unsigned int)3>"),
        ("Array<float, 3, A>", "Array<float, 3, B>"),
        ("Flag<true>", "Flag<false>"),
        ("Box<Box<int> >", "Box<Box<float> >"),
        ("Box<float>::Node", "Box<double>::Node"),
        ("sim::Box<sim::A>", "Box<B>"),
        ("Pair<Box<int, 1>, 2>", "Pair<Box<int, 2>, 2>"),
    ] {
        assert!(!passes(host, kernel) && !passes(kernel, host), "{host} {kernel}");
    }
    for (host, kernel) in [
        ("Box", "Box<double>"),
        ("Box<const float *>", "Box<float const*>"),
        ("Box<uint32_t>", "Box<unsigned int>"),
        ("Box<half>", "Box<__half>"),
        ("Box<size_t>", "Box<unsigned long>"),
        ("Box<A>", "Box<sim::A>"),
        ("Box<cuda::std::pair<int, float>>", "Box<cuda::std::__4::pair<int,float> >"),
        ("Array<float, 3>", "Array<float, (unsigned int)3>"),
        ("Array<float, 3u>", "Array<float, 3>"),
        ("Flag<true>", "Flag<1>"),
        // The kernel's name also contains default arguments.
        ("Vector<int>", "Vector<int, Allocator<int> >"),
        // These cannot be compared: the name of a constant, an expression, a function.
        ("Picked<Mode::FAST>", "Picked<(Mode)1>"),
        ("Called<void (int)>", "Called<void (float)>"),
        ("Sized<COUNT>", "Sized<4>"),
    ] {
        assert!(passes(host, kernel) && passes(kernel, host), "{host} {kernel}");
    }
}

#[test]
fn empty_packs_have_no_parameters() {
    assert_eq!(types("_Z1kIJEEvllDpT_"), ["long", "long"]);
    assert_eq!(types("_Z1kIJEEvDpT_l"), ["long"]);
    assert_eq!(types("_Z1kIJEEvDpT_"), [""; 0]);
}

/// The nested type can be an alias, but it is certain that the parameter is a pointer.
#[test]
fn a_pointer_to_a_nested_type_is_a_pointer() {
    let symbol = "_Z1kIfLi3EEvPN9BinaryBVHIT_XT0_EE4NodeEPKS3_i";
    let demangled = Demangled::new(symbol).unwrap();
    let parameters = demangled.parameters().unwrap();
    let shape = |ty: &CppType<'_>| (ty.is_pointer(), ty.const_mask, ty.is_unknown());
    assert_eq!(
        parameters.iter().map(shape).collect::<Vec<_>>(),
        [(true, 0, false), (true, 1, false), (false, 0, false)],
        "{demangled}"
    );
    for wanted in [
        "k<float, 3>(BinaryBVH<float, 3>::Node*, BinaryBVH<float, 3>::Node const*, int)",
        "k(BinaryBVH<float,3>::Node*, const BinaryBVH<float,3>::Node *, int)",
    ] {
        assert_eq!(candidates(wanted, [symbol]), [symbol], "{wanted}");
    }
    assert!(candidates("k(BinaryBVH<float,3>::Leaf*, const BinaryBVH<float,3>::Node*, int)", [symbol]).is_empty());
    // A pointer to a member is not a pointer in this sense.
    assert_eq!(types("_Z1kM6Paramsi"), ["?"]);
}

#[test]
fn built_in_types_are_found_by_their_usual_names() {
    let half = "_Z1kP6__halfS_7__half2";
    let bfloat = "_Z1kP13__nv_bfloat16";
    for (wanted, found) in [
        ("k(half*, half, half2)", half),
        ("k(__half*, __half, __half2)", half),
        ("k(nv_bfloat16*)", bfloat),
        ("k(__nv_bfloat16 *)", bfloat),
    ] {
        assert_eq!(candidates(wanted, [half, bfloat]), [found], "{wanted}");
    }
    let of_half = "_Z1kI6__halfEvPT_";
    assert_eq!(candidates("k<half>", [of_half]), [of_half]);
}

/// A reference is passed as an address.
#[test]
fn a_reference_is_a_pointer() {
    let symbol = "_Z1kRK6ParamsRiPf";
    assert_eq!(types(symbol), ["Params const*", "int*", "float*"]);
    for wanted in ["k(const Params&, int&, float*)", "k(Params const &, int &, float *)"] {
        assert_eq!(candidates(wanted, [symbol]), [symbol], "{wanted}");
    }
    assert!(candidates("k(const Params*, int*, float*)", [symbol]).is_empty());
    let reference = CppType::named("Params").pointer(true);
    let differences = compare(&of_type(CppType::named("Params")), &of_type(reference));
    assert!(differences.contains(Difference::Pointer));
}

/// In C++, `char` differs from `signed char` and `unsigned char`, and the host decides whether it is signed.
#[test]
fn char_is_any_byte() {
    use kernel_args_abi::CppBase;
    let char = CppType::of(CppBase::Char);
    let bytes = [CppType::integer(true, 8), CppType::integer(false, 8), char];
    let byte = |cpp| Parameter { size: 1, align: Some(Alignment::ONE), class: Class::Integer, ..of_type(cpp) };
    for host in bytes {
        assert!(compare(&byte(host), &byte(char)).is_empty(), "{host}");
        for to_const in [false, true] {
            let (host, kernel) = (host.pointer(to_const), char.pointer(to_const));
            assert!(compare(&of_type(host), &of_type(kernel)).is_empty(), "{host}");
        }
    }
    let (signed, unsigned) = (bytes[0].pointer(false), bytes[1].pointer(false));
    assert!(!compare(&of_type(signed), &of_type(unsigned)).is_empty());
    assert!(!compare(&of_type(CppType::integer(true, 16).pointer(false)), &of_type(char.pointer(false))).is_empty());
}

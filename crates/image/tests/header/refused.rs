//! The inputs that are rejected, and their errors.

use crate::parameters::*;
use kernel_args_abi::{Class, CppBase, CppType, Members, Parameter};
use kernel_args_image::header::{Header, Item};

/// Asserts the position of the error and parts of its text.
#[track_caller]
fn refused(header: &Header<'_>, place: &str, says: &[&str]) {
    let error = match header.write() {
        Err(error) => error,
        Ok(text) => panic!("it is written:\n{text}"),
    };
    assert_eq!(error.place(), place, "{error}");
    let text = error.to_string();
    for part in says.iter().chain(&["the header cannot be written: ", "help: "]) {
        assert!(text.contains(part), "{text}\nlacks {part}");
    }
}

#[test]
fn two_types_of_one_name() {
    let first = spelled(structure("a", "Params", &[f32("x")]), "Params<f32>");
    let second = spelled(structure("b", "Params", &[u32("x")]), "Params<u32>");
    let says =
        ["two types are called `Params`", "`Params<f32>` of `k.a`", "`Params<u32>` of `k.b`", "#[repr(transparent)]"];
    refused(&with_kernel(&[], &[first, second]), "k.b", &says);
    // By name, size, offsets, alignment.
    for other in [
        structure("b", "Params", &[f32("y")]),
        structure("b", "Params", &[f32("x"), f32("y")]),
        aligned("b", "Params", 16, &[f32("x")]),
        enumeration("b", "Params", 4, &[("X", 0)]),
    ] {
        refused(&with_kernel(&[], &[first, other]), "k.b", &["two types are called `Params`"]);
    }
    let listed = spelled(Parameter { name: "", ..first }, "one::Params");
    let other = spelled(structure("", "Params", &[u8("x")]), "two::Params");
    refused(&of_types(&[listed, other]), "Params", &["`one::Params`, and `two::Params`"]);
    let maps = [(128, 64), (128, 128)].map(|layout| value("m", layout, Class::Bytes, CppType::named("CUtensorMap_st")));
    refused(
        &with_kernel(&[], &[maps[0], Parameter { name: "n", ..maps[1] }]),
        "k.n",
        &["`CUtensorMap` has two layouts: 128 bytes, aligned to 64, and 128 bytes, aligned to 128"],
    );
}

#[test]
fn the_same_type_twice_is_no_error() {
    let first = spelled(structure("a", "Params", &[f32("x")]), "one::Params");
    let second = spelled(structure("b", "Params", &[f32("x")]), "Params");
    with_kernel(&[first], &[second]).write().expect("they are one type");
}

#[test]
fn a_type_with_the_name_of_another_of_cuda() {
    let own = structure("p", "float4", &[f32("x")]);
    refused(
        &with_kernel(&[], &[own]),
        "k.p",
        &["`float4` is a CUDA type of 16 bytes, aligned to 16; this one has 4 bytes"],
    );
}

#[test]
fn pointees_that_are_not_declared() {
    let node = pointer("nodes", CppType::named("Node").pointer(true));
    let says = ["it points to `Node`", "`cpp::device_type::<Node>()`", "`.forward_declare_pointees()`"];
    refused(&with_kernel(&[], &[node]), "k.nodes", &says);
    with_kernel(&[structure("", "Node", &[f32("x")])], &[node]).write().expect("it is in the list");
    let rows = spelled(pointer("rows", CppType::UNKNOWN.pointer(true)), "DevicePointer<Row>");
    refused(&with_kernel(&[], &[rows]), "k.rows", &["(`DevicePointer<Row>`)", "`#[derive(DeviceType)]`"]);
}

#[test]
fn types_that_are_not_known() {
    let params = value("p", (8, 4), Class::Bytes, CppType::named("Params"));
    refused(&with_kernel(&[], &[params]), "k.p", &["the members of `Params` are unknown"]);
    let mode = value("mode", (4, 4), Class::Integer, CppType::named("Mode"));
    refused(&with_kernel(&[], &[mode]), "k.mode", &["the variants of the enum `Mode` are unknown"]);
    let number = value("n", (4, 4), Class::Bits, CppType::UNKNOWN);
    refused(&with_kernel(&[], &[number]), "k.n", &["its C++ type is unknown"]);
    let half = value("h", (2, 2), Class::Float, CppType::of(CppBase::Float { bits: 16 }));
    refused(&with_kernel(&[], &[half]), "k.h", &["its C++ type is unknown"]);
    let no_offset = Parameter { offset: None, ..f32("x") };
    let members = Members::of(Vec::leak(vec![no_offset]));
    refused(&with_kernel(&[], &[params.with_members(members)]), "k.p.x", &["its offset is unknown"]);
}

#[test]
fn names_that_cpp_does_not_have() {
    for (cpp, says) in [
        ("class", "`class` is a C++ keyword"),
        ("sim::new::Params", "`new` is a C++ keyword"),
        ("Größe", "ASCII letters"),
        ("1a", "ASCII letters"),
        ("Params<float>", "an instance of a template"),
        ("(anonymous namespace)::Params", "an unnamed namespace"),
    ] {
        refused(&with_kernel(&[], &[structure("p", cpp, &[f32("x")])]), "k.p", &[says]);
    }
    refused(&of_types(&[structure("", "Params", &[f32("größe")])]), "Params", &["`größe`", "`#[device_type(name"]);
    refused(&with_kernel(&[], &[f32("größe")]), "k", &["`größe`"]);
    let twice = [f32("x"), u32("y").with_kernel_name("x")];
    refused(&with_kernel(&[], &twice), "k", &["there are two of this name"]);
}

#[test]
fn layouts_that_cpp_does_not_have() {
    let at = |offset, parameter| Parameter { offset: Some(offset), ..parameter };
    let whole = |size, align, members: &[P]| {
        value("p", (size, align), Class::Bytes, CppType::named("P"))
            .with_members(Members::of(Vec::leak(members.to_vec())))
    };
    // As with `packed`, but aligned.
    refused(
        &with_kernel(&[], &[whole(8, 4, &[at(0, u8("a")), at(1, f32("b"))])]),
        "k.p.b",
        &["cannot put it at byte 1", "the previous member ends at byte 1, and its alignment is 4"],
    );
    refused(&with_kernel(&[], &[whole(8, 2, &[at(0, f32("a"))])]), "k.p", &["aligned to 2, but to 4"]);
    refused(&with_kernel(&[], &[whole(12, 4, &[at(0, f32("a"))])]), "k.p", &["it has 12 bytes, but 4 bytes in C++"]);
    // Rust allows structs without bytes, C++ does not.
    refused(&of_types(&[whole(0, 1, &[])]), "P", &["it has 0 bytes, but 1 byte in C++"]);
    // A gap that no alignment produces.
    refused(
        &with_kernel(&[], &[whole(16, 4, &[at(0, u8("a")), at(12, f32("b"))])]),
        "k.p.b",
        &["cannot put it at byte 12"],
    );
    let wide = enumeration("e", "E", 16, &[("A", 0)]);
    refused(&with_kernel(&[], &[wide]), "k.e", &["an enum of 128 bits"]);
}

#[test]
fn symbols_that_are_no_kernels_of_the_header() {
    let header = |symbol| Header::new().item(Item::kernel(symbol, &[f32("x"), u32("n")]));
    for (symbol, place, says) in [
        ("", "", "it is not a valid C++ function name"),
        ("a b", "a b", "it is not a valid C++ function name"),
        ("while", "while", "it is not a valid C++ function name"),
        ("_Z", "_Z", "it is not the mangled name of a C++ function"),
        (
            "_ZN3sim4step17h0123456789abcdefE",
            "_ZN3sim4step17h0123456789abcdefE",
            "it is not the mangled name of a C++ function",
        ),
        ("_Z4axpyIfEvT_j", "_Z4axpyIfEvT_j", "an instance of a template"),
        ("a::while", "a::while", "`while` is a C++ keyword"),
        ("_Z1kfi", "k.n", "its type is `int` in the symbol, but `unsigned int` here"),
        ("_Z1kf", "k", "the symbol has 1 parameters, but the struct has 2"),
    ] {
        refused(&header(symbol), place, &[says]);
    }
    let params = structure("p", "Params", &[f32("x")]);
    let header = |symbol| Header::new().item(Item::kernel(symbol, &[params]));
    refused(
        &header("_Z4stepN3sim6ParamsE"),
        "step.p",
        &["its type is `sim::Params` in the symbol, but `Params` here", "#[device_type(cpp = \"sim::Params\")]"],
    );
    let no_such = Item::kernel("k", &[f32("x")]).grid_constant("y");
    refused(&Header::new().item(no_such), "k", &["it has no parameter `y`"]);
}

#[test]
fn names_that_mean_two_things() {
    let kernel = |symbol: &'static str, p: P| Item::kernel(symbol, &[p]);
    let sim = structure("p", "sim", &[f32("x")]);
    for items in [
        [kernel("sim", sim), kernel("other", f32("x"))],
        [kernel("k", f32("x")), kernel("k", u32("x"))],
        [kernel("k", sim), kernel("a", structure("q", "sim::Q", &[f32("x")]))],
        [kernel("sim", f32("x")), kernel("sim::k", f32("x"))],
    ] {
        let header = Header::new().items(&items);
        let error = header.write().expect_err("a name means two things").to_string();
        assert!(error.contains("the header already declares `"), "{error}");
    }
}

#[test]
fn invalid_options() {
    for guard in ["", "A B", "1", "while"] {
        refused(&Header::new().guard(guard), "", &["is not a valid include guard", "SIM_TYPES_H"]);
    }
    for namespace in ["::", "a::", "a b", "new"] {
        refused(&Header::new().namespace(namespace), "", &["is not a valid namespace"]);
    }
    for file in ["", "a\"b", "<a", "a\nb", "<>"] {
        refused(&Header::new().include(file, &[]), "", &["is not a valid include file"]);
    }
}

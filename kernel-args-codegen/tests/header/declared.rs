//! What is declared.

use crate::parameters::*;
use kernel_args_abi::{Class, CppBase, CppType, Members, Opaque, Parameter};
use kernel_args_codegen::header::{Header, Item};

fn text(header: &Header<'_>) -> String {
    header.write().unwrap_or_else(|error| panic!("{error}"))
}

/// The lines without assertions, blank lines and what every header has.
fn declarations(header: &Header<'_>) -> String {
    let text = text(header);
    let begin = text.find("// Written by").expect("a head");
    let lines = text[begin..].lines().filter(|line| {
        !line.is_empty()
            && !line.contains("KERNEL_ARGS_OFFSET_OF")
            && !line.starts_with("static_assert")
    });
    let lines: Vec<&str> = lines.skip(2).collect();
    lines
        .join("\n")
        .replace(
            "#if defined(__CUDACC_RTC__)\n#else\n#include <cstddef>\n#endif\n",
            "",
        )
        .replace(
            "#if !defined(__CUDACC_RTC__)\n#include <vector_types.h>\n#endif\n",
            "",
        )
}

fn prototype(parameters: &[P]) -> String {
    let all = declarations(&with_kernel(&[], parameters));
    let line = all.lines().find(|line| line.contains("__global__"));
    line.expect("a prototype").to_owned()
}

#[test]
fn a_struct_with_its_padding_and_assertions() {
    let light = structure(
        "",
        "Light",
        &[f32("intensity"), float4("direction"), u8("on")],
    );
    assert_eq!(
        text(&of_types(&[light])),
        "\
// Written by kernel-args. Do not change it: it is written again.
#pragma once

#if !defined(__CUDACC_RTC__)
#include <vector_types.h>
#endif
#if defined(__CUDACC_RTC__)
#define KERNEL_ARGS_OFFSET_OF(type, member) __INTADDR__(&(((type*)0)->member))
#else
#include <cstddef>
#define KERNEL_ARGS_OFFSET_OF(type, member) offsetof(type, member)
#endif

static_assert(sizeof(float4) == 16 && alignof(float4) == 16, \"kernel-args: `float4` has 16 bytes, aligned to 16\");

struct Light {
    float intensity;
    // 12 bytes of padding
    float4 direction;
    unsigned char on;
    // 15 bytes of padding
};
static_assert(sizeof(Light) == 48 && alignof(Light) == 16, \"kernel-args: `Light` has 48 bytes, aligned to 16\");
static_assert(KERNEL_ARGS_OFFSET_OF(Light, intensity) == 0 && sizeof(Light::intensity) == 4, \"kernel-args: `Light::intensity` has 4 bytes, at byte 0\");
static_assert(KERNEL_ARGS_OFFSET_OF(Light, direction) == 16 && sizeof(Light::direction) == 16, \"kernel-args: `Light::direction` has 16 bytes, at byte 16\");
static_assert(KERNEL_ARGS_OFFSET_OF(Light, on) == 32 && sizeof(Light::on) == 1, \"kernel-args: `Light::on` has 1 byte, at byte 32\");

#undef KERNEL_ARGS_OFFSET_OF
"
    );
}

#[test]
fn a_type_follows_those_that_it_needs_and_is_declared_once() {
    let inner = |name| structure(name, "Inner", &[f32("x")]);
    let outer = structure(
        "",
        "Outer",
        &[inner("a"), inner("b"), array(array(inner("c"), 3), 2)],
    );
    // Whatever the order of the list.
    for types in [&[inner(""), outer][..], &[outer, inner("")], &[outer]] {
        assert_eq!(
            declarations(&of_types(types)),
            "struct Inner {\n    float x;\n};\n\
             struct Outer {\n    Inner a;\n    Inner b;\n    Inner c[2][3];\n};"
        );
    }
}

#[test]
fn members_of_a_struct_may_be_told_by_another_item_of_the_list() {
    let inner = structure("", "Inner", &[f32("x")]);
    let by_name = value("inner", (4, 4), Class::Bytes, CppType::named("Inner"));
    let outer = structure("", "Outer", &[by_name]);
    let declared = declarations(&of_types(&[outer, inner]));
    assert_eq!(
        declared,
        "struct Inner {\n    float x;\n};\nstruct Outer {\n    Inner inner;\n};"
    );
}

#[test]
fn namespaces_are_those_of_the_names_or_of_the_header() {
    let color = structure("color", "app::Color", &[f32("r")]);
    let deep = structure("deep", "sim::detail::Deep", &[color]);
    let light = structure("light", "Light", &[color, deep]);
    let header = with_kernel(&[], &[light, deep]).namespace("sim");
    assert_eq!(
        declarations(&header),
        "namespace app {\nstruct Color {\n    float r;\n};\n} // namespace app\n\
         namespace sim { namespace detail {\nstruct Deep {\n    ::app::Color color;\n};\n}} // namespace sim::detail\n\
         namespace sim {\nstruct Light {\n    ::app::Color color;\n    ::sim::detail::Deep deep;\n};\n} // namespace sim\n\
         #if defined(__CUDACC__)\n\
         extern \"C\" __global__ void k(sim::Light light, sim::detail::Deep deep);\n#endif"
    );
}

#[test]
fn enums_have_their_values() {
    let small = enumeration("", "sim::Mode", 1, &[("Fast", 0), ("Exact", 255)]);
    let signed = enumeration("", "Signed", 4, &[("Low", i32::MIN.into()), ("new", 7)]);
    let wide = enumeration("", "Wide", 8, &[("Most", u64::MAX.into()), ("One", 1)]);
    let least = enumeration("", "Least", 8, &[("Least", i64::MIN.into())]);
    assert_eq!(
        declarations(&of_types(&[small, signed, wide, least])),
        "namespace sim {\nenum class Mode : unsigned char {\n    Fast = 0,\n    Exact = 255,\n};\n} // namespace sim\n\
         enum class Signed : int {\n    Low = -2147483648,\n    new_ = 7, // `new`, which is no name in C++\n};\n\
         enum class Wide : unsigned long long {\n    Most = 18446744073709551615ull,\n    One = 1ll,\n};\n\
         enum class Least : long long {\n    Least = -9223372036854775807ll - 1,\n};"
    );
}

#[test]
fn a_struct_that_is_aligned_to_more_than_its_members_says_so() {
    let inner = aligned("inner", "Inner", 32, &[f32("x")]);
    let outer = structure("", "Outer", &[u8("first"), inner]);
    assert_eq!(
        declarations(&of_types(&[outer])),
        "struct alignas(32) Inner {\n    float x;\n    // 28 bytes of padding\n};\n\
         struct Outer {\n    unsigned char first;\n    // 31 bytes of padding\n    Inner inner;\n};"
    );
}

#[test]
fn alignments_that_are_not_told_follow_from_offsets_and_sizes() {
    let inner = aligned("inner", "Inner", 32, &[f32("x")]);
    let outer = aligned("", "Outer", 64, &[u8("first"), inner]);
    let untold: Vec<P> = outer.members.iter().map(without_alignment).collect();
    let outer = without_alignment(outer).with_members(Members::of(Vec::leak(untold)));
    let whole = text(&of_types(&[outer]));
    // 28 bytes behind `x` are an alignment of 16 at least.
    assert!(
        whole.contains("struct alignas(16) Inner {")
            || whole.contains("struct alignas(32) Inner {"),
        "{whole}"
    );
    assert!(
        whole.contains("static_assert(sizeof(Inner) == 32, "),
        "{whole}"
    );
    assert!(
        whole.contains("(Outer, inner) == 32 && sizeof(Outer::inner) == 32, "),
        "{whole}"
    );
    // Where a kernel takes one by value, its alignment is told for every place.
    let told = with_kernel(&[outer], &[inner]);
    assert!(text(&told).contains("struct alignas(32) Inner {"));
}

#[test]
fn what_has_no_type_is_bytes() {
    let matrix = value("matrix", (64, 16), Class::Bytes, CppType::UNKNOWN);
    let camera = structure("camera", "Camera", &[u8("on"), matrix]);
    let union_ = value("any", (8, 8), Class::Bytes, CppType::named("Any"))
        .with_members(Members::opaque(Opaque::Union));
    let opaque = value("opaque", (8, 8), Class::Unknown, CppType::UNKNOWN);
    assert_eq!(
        declarations(&with_kernel(&[], &[camera, union_, opaque])),
        "struct Camera {\n    unsigned char on;\n    // 15 bytes of padding\n    alignas(16) unsigned char matrix[64];\n};\n\
         // A union: its bytes.\n\
         struct alignas(8) Any {\n    unsigned char bytes[8];\n};\n\
         struct k_opaque {\n    alignas(8) unsigned char bytes[8];\n};\n\
         #if defined(__CUDACC__)\nextern \"C\" __global__ void k(Camera camera, Any any, k_opaque opaque);\n#endif"
    );
}

#[test]
fn an_array_is_a_parameter_in_a_struct() {
    let weights = array(f32("weights"), 9);
    let names = array(pointer("names", FLOAT.pointer(true)), 2);
    assert_eq!(
        declarations(&with_kernel(&[], &[weights, names])),
        "struct k_weights {\n    float elements[9];\n};\n\
         struct k_names {\n    float const* elements[2];\n};\n\
         #if defined(__CUDACC__)\nextern \"C\" __global__ void k(k_weights weights, k_names names);\n#endif"
    );
}

#[test]
fn pointers_have_their_pointee_and_constness() {
    let int = CppType::integer(true, 32);
    let parameters = [
        u32("n"),
        pointer("x", FLOAT.pointer(true)),
        pointer("y", FLOAT.pointer(false)),
        pointer("z", int.pointer(true).pointer(false)),
    ];
    assert_eq!(
        prototype(&parameters),
        "extern \"C\" __global__ void k(unsigned int n, float const* x, float* y, int const** z);"
    );
    let void = pointer("w", CppType::of(CppBase::Void).pointer(true));
    assert_eq!(
        prototype(&[void]),
        "extern \"C\" __global__ void k(void const* w);"
    );
}

#[test]
fn what_is_pointed_to_before_it_is_defined_is_declared() {
    let node = CppType::named("sim::Node").pointer(false);
    let tree = structure(
        "",
        "Tree",
        &[
            pointer("root", node),
            pointer("mode", CppType::named("Mode").pointer(true)),
        ],
    );
    let list = structure("", "sim::Node", &[f32("x"), pointer("next", node)]);
    let mode = enumeration("", "Mode", 2, &[("On", 1)]);
    assert_eq!(
        declarations(&of_types(&[tree, list, mode])),
        "namespace sim {\nstruct Node;\n} // namespace sim\n\
         enum class Mode : unsigned short;\n\
         struct Tree {\n    sim::Node* root;\n    Mode const* mode;\n};\n\
         namespace sim {\nstruct Node {\n    float x;\n    // 4 bytes of padding\n    Node* next;\n};\n} // namespace sim\n\
         enum class Mode : unsigned short {\n    On = 1,\n};"
    );
    let kernel = with_kernel(&[], &[pointer("p", node)]).forward_declare_pointees();
    assert!(declarations(&kernel).starts_with("namespace sim {\nstruct Node;\n}"));
}

#[test]
fn types_of_cuda_come_with_their_headers() {
    for (cpp, layout, include) in [
        ("__half", (2, 2), "#include <cuda_fp16.h>"),
        ("__nv_bfloat162", (4, 4), "#include <cuda_bf16.h>"),
        ("cuFloatComplex", (8, 8), "#include <cuComplex.h>"),
        ("__nv_fp8_e4m3", (1, 1), "#include <cuda_fp8.h>"),
        ("__nv_fp8x4_e5m2", (4, 4), "#include <cuda_fp8.h>"),
        ("int3", (12, 4), "#include <vector_types.h>"),
        (
            "CUtensorMap_st",
            (128, 64),
            "struct alignas(64) CUtensorMap_st {",
        ),
    ] {
        for header in [
            with_kernel(
                &[],
                &[value("x", layout, Class::Bytes, CppType::named(cpp))],
            ),
            with_kernel(&[], &[pointer("x", CppType::named(cpp).pointer(false))]),
        ] {
            let text = text(&header);
            let is_pointer = text.contains("* x);");
            assert!(
                text.contains(include) || is_pointer && cpp == "CUtensorMap_st",
                "{text}"
            );
            assert_eq!(
                text.contains("static_assert(sizeof("),
                !is_pointer,
                "{text}"
            );
        }
    }
    let map = value(
        "map",
        (128, 128),
        Class::Bytes,
        CppType::named("CUtensorMap_st"),
    );
    assert_eq!(
        prototype(&[map]),
        "extern \"C\" __global__ void k(const __grid_constant__ CUtensorMap map);"
    );
}

/// Without any alignment, its members' neither.
fn without_alignments(parameter: P) -> P {
    let members: Vec<P> = parameter.members.iter().map(without_alignments).collect();
    let parameter = without_alignment(parameter);
    if members.is_empty() {
        return parameter;
    }
    parameter.with_members(Members::of(Vec::leak(members)))
}

#[test]
fn tensor_maps_of_cuda_12_are_found_by_the_places_and_sizes_of_all_that_they_are_in() {
    let map = |name| {
        let cpp = CppType::named("CUtensorMap_st");
        value(name, (128, 64), Class::Bytes, cpp)
    };
    let two = structure("maps", "Two", &[map("a"), map("b"), u32("n")]);
    assert_eq!(two.size, 320);
    let three = structure("maps", "Three", &[map("a"), map("b"), map("c")]);
    let one = structure("maps", "One", &[map("a")]);
    for (ty, because) in [
        (without_alignments(two), "the struct has 320 bytes"),
        (
            without_alignments(structure("", "Array", &[array(two, 2)])),
            "a struct of the array has 320 bytes",
        ),
        (
            without_alignments(structure("", "Size", &[three, u32("n")])),
            "what the struct is in has 448 bytes",
        ),
        (
            without_alignments(structure("", "Place", &[u32("n"), one, map("d")])),
            "the struct lies at byte 64",
        ),
        (
            Parameter {
                align: one.align,
                ..without_alignments(structure("", "Told", &[one, map("d")]))
            },
            "what the struct is in is aligned to 64",
        ),
    ] {
        let text = text(&of_types(&[ty]));
        assert!(
            text.contains("struct alignas(64) CUtensorMap_st {"),
            "{because}: {text}"
        );
    }
    let four = structure(
        "",
        "Four",
        &[
            Parameter {
                name: "first",
                ..one
            },
            three,
        ],
    );
    let text = text(&of_types(&[without_alignments(four)]));
    assert!(
        text.contains("struct alignas(128) CUtensorMap_st {"),
        "{text}"
    );
}

#[test]
fn a_struct_around_one_with_a_name_of_its_own_has_its_members() {
    let inner = structure("0", "Params", &[f32("x"), u8("y")]);
    let around = structure("", "ParamsF32", &[inner]);
    let around = Parameter {
        class: Class::Unknown,
        ..around
    };
    assert_eq!(
        declarations(&of_types(&[around])),
        "struct ParamsF32 {\n    float x;\n    unsigned char y;\n    // 3 bytes of padding\n};"
    );
    let meters = Parameter {
        class: Class::Unknown,
        ..structure("", "Meters", &[f32("0")])
    };
    let declared = declarations(&of_types(&[meters]));
    assert_eq!(
        declared,
        "struct Meters {\n    float _0; // `0`, which is no name in C++\n};"
    );
}

#[test]
fn names_that_hide_types_do_not() {
    let light = structure(
        "Light",
        "Light",
        &[float4("float4"), f32("new"), f32("new_")],
    );
    let other = Parameter {
        name: "float4",
        ..light
    };
    assert_eq!(
        declarations(&with_kernel(&[], &[light, other])),
        "struct Light {\n    ::float4 float4;\n    float new__; // `new`, which is no name in C++\n    float new_;\n    \
         // 8 bytes of padding\n};\n\
         #if defined(__CUDACC__)\nextern \"C\" __global__ void k(::Light Light, ::Light float4);\n#endif"
    );
    // A type of the program's own with the name of one of CUDA's, in a namespace.
    let own = structure("a", "sim::float4", &[f32("x")]);
    let declared = declarations(&with_kernel(&[], &[own, float4("b")]));
    assert!(
        declared.contains("k(sim::float4 a, ::float4 b)"),
        "{declared}"
    );
}

#[test]
fn a_field_is_called_as_it_says() {
    let parameters = [f32("input").with_kernel_name("in"), u32("class")];
    assert_eq!(
        declarations(&with_kernel(&[], &parameters)),
        "#if defined(__CUDACC__)\nextern \"C\" __global__ void k(\n    float in,\n    \
         unsigned int class_); // `class`, which is no name in C++\n#endif"
    );
}

#[test]
fn kernels_with_cpp_linkage() {
    let long = CppType::integer(false, 64);
    let parameters = [
        value("n", (8, 8), Class::Integer, long),
        pointer("x", FLOAT.pointer(true)),
    ];
    for (symbol, declared) in [
        (
            "saxpy",
            "extern \"C\" __global__ void saxpy(unsigned long long n, float const* x);",
        ),
        (
            "::saxpy",
            "__global__ void saxpy(unsigned long long n, float const* x);",
        ),
        (
            "a::saxpy",
            "__global__ void saxpy(unsigned long long n, float const* x);",
        ),
        // What the symbol says is the kernel's type.
        (
            "_Z5saxpymPKf",
            "__global__ void saxpy(unsigned long n, float const* x);",
        ),
        (
            "_ZN1a1b5saxpyEyPKf",
            "__global__ void saxpy(unsigned long long n, float const* x);",
        ),
    ] {
        let text = declarations(&Header::new().item(Item::kernel(symbol, &parameters)));
        assert!(text.lines().any(|line| line == declared), "{text}");
        assert_eq!(
            text.contains("namespace a {"),
            symbol.contains("a::") || symbol.contains("1a")
        );
    }
    let params = structure("p", "Params", &[f32("x")]);
    let step = Item::kernel("_ZN3sim4stepENS_6ParamsE", &[params]);
    let declared = declarations(&Header::new().item(step).namespace("sim"));
    assert!(
        declared.ends_with(
            "namespace sim {\n__global__ void step(Params p);\n} // namespace sim\n#endif"
        ),
        "{declared}"
    );
}

#[test]
fn grid_constants_are_as_the_kernel_has_them() {
    let params = structure("p", "Params", &[f32("x")]);
    let step = Item::kernel("step", &[params, u32("n")]).grid_constant("p");
    let declared = declarations(&Header::new().item(step));
    assert!(
        declared.contains("void step(const __grid_constant__ Params p, unsigned int n);"),
        "{declared}"
    );
}

#[test]
fn an_included_file_has_its_types() {
    let params = structure("p", "sim::Params<float>", &[f32("x")]);
    let header = with_kernel(
        &[],
        &[
            params,
            pointer("q", CppType::named("sim::Other").pointer(false)),
        ],
    )
    .include("sim/params.cuh", &["sim::Params<float>", "sim::Other"])
    .include("<cuda/std/array>", &[])
    .guard("SIM_H");
    assert_eq!(
        text(&header),
        "\
// Written by kernel-args. Do not change it: it is written again.
#ifndef SIM_H
#define SIM_H

#include \"sim/params.cuh\"
#include <cuda/std/array>

static_assert(sizeof(::sim::Params<float>) == 4 && alignof(::sim::Params<float>) == 4, \
\"kernel-args: `::sim::Params<float>` has 4 bytes, aligned to 4\");

#if defined(__CUDACC__)
extern \"C\" __global__ void k(::sim::Params<float> p, sim::Other* q);
#endif

#endif // SIM_H
"
    );
}

#[test]
fn long_prototypes_have_a_line_for_each_parameter() {
    let parameters: Vec<P> = ["first", "second", "third", "fourth", "fifth"]
        .map(f64)
        .to_vec();
    let declared = declarations(&with_kernel(&[], &parameters));
    assert!(
        declared.contains("void k(\n    double first,\n    double second,\n"),
        "{declared}"
    );
    assert!(declared.contains("    double fifth);\n"), "{declared}");
}

#[test]
fn a_kernel_that_is_there_twice_is_declared_once() {
    let kernel = || Item::kernel("k", &[f32("x")]);
    let text = text(&Header::new().items(&[kernel(), kernel()]));
    assert_eq!(text.matches("__global__").count(), 1);
}

#[test]
fn kernels_that_cannot_be_declared_are_left_out_where_that_is_wanted() {
    let wrong = structure(
        "p",
        "Params",
        &[f32("x"), structure("y", "P<int>", &[f32("x")])],
    );
    let header = with_kernel(&[], &[wrong]).item(Item::kernel("other", &[f32("x")]));
    assert!(header.write().is_err());
    assert_eq!(
        declarations(&header.leave_out_kernels()),
        "// Left out: k.p.y: C++ cannot declare the name `P<int>`: it is an instance of a template, and only the template \
         itself can be declared\n\
         //   help: include the file that has the template: `.include(\"file.cuh\", &[\"…\"])` with this name\n\
         #if defined(__CUDACC__)\nextern \"C\" __global__ void other(float x);\n#endif"
    );
}

#[test]
fn members_without_bytes_are_not_declared() {
    let marker = value("marker", (0, 1), Class::Bytes, CppType::of(CppBase::Void));
    let declared = declarations(&of_types(&[structure("", "Tagged", &[f32("x"), marker])]));
    assert_eq!(declared, "struct Tagged {\n    float x;\n};");
}

/// C++ gives it a byte, as an image tells it; more if it is aligned to more.
#[test]
fn a_struct_without_members_has_a_byte() {
    let empty = |cpp, size, align| {
        value("", (size, align), Class::Bytes, CppType::named(cpp)).with_members(Members::of(&[]))
    };
    let types = [empty("Tag", 1, 1), empty("Wide", 4, 4)];
    for types in [types, types.map(without_alignment)] {
        let header = of_types(&types);
        assert_eq!(
            declarations(&header),
            "struct Tag {\n    // 1 byte of padding\n};\nstruct alignas(4) Wide {\n    // 4 bytes of padding\n};"
        );
        assert!(text(&header).contains("static_assert(sizeof(Tag) == 1"));
    }
    // Beside members, as one of an image.
    let tag = Parameter {
        name: "tag",
        ..types[0]
    };
    assert_eq!(
        declarations(&of_types(&[structure("", "Tagged", &[f32("x"), tag])])),
        "struct Tag {\n    // 1 byte of padding\n};\nstruct Tagged {\n    float x;\n    Tag tag;\n    // 3 bytes of padding\n};"
    );
}

//! Structs against kernels with C++ names that nvcc compiled.

use super::sides::*;
use kernel_args_abi::check::{Report, Selection, nearest, report, select};
use kernel_args_abi::compiled::{CompiledImage, CompiledKernels};
use kernel_args_abi::{Class, CppBase, CppType, Parameter, Signature};
use kernel_args_image::mangled::Demangled;
use kernel_args_image::ptx::Module;
use kernel_args_image::{Encoder, Image};

const PTX: &str = include_str!("../../../../ptx/saxpy_typed.ptx");

/// Compares a struct with the kernel of this symbol. Returns the texts of all mistakes.
fn check(symbol: &str, host: &[Parameter<'_>]) -> Vec<String> {
    let module = Module::read(PTX.as_bytes()).unwrap();
    let entry = module.entry(symbol).expect("the kernel is in the text");
    let demangled = Demangled::new(entry.name);
    let kernel = Signature { name: entry.name, parameters: &entry.signature_parameters(demangled.as_ref()) };
    let host = Signature { name: "Host", parameters: host };
    let report: Report = report(&host, &kernel);
    let texts = report.mismatches().iter();
    texts.map(|mismatch| report.message(*mismatch).to_string()).collect()
}

fn integer(name: &'static str, signed: bool, bits: u16) -> Parameter<'static> {
    let size = usize::from(bits) / 8;
    field(name, "int", size, size, Class::Integer, CppType::integer(signed, bits))
}

fn every_kind() -> Vec<Parameter<'static>> {
    let signed = core::ffi::c_char::MIN != 0;
    let bytes = |name, size, align, cpp| field(name, "S", size, align, Class::Bytes, CppType::named(cpp));
    vec![
        boolean("b"),
        integer("c", signed, 8),
        integer("sc", true, 8),
        integer("uc", false, 8),
        integer("s", true, 16),
        integer("us", false, 16),
        integer("i", true, 32),
        integer("ui", false, 32),
        integer("l", true, 64),
        integer("ul", false, 64),
        integer("ll", true, 64),
        integer("ull", false, 64),
        f32("f"),
        f64("d"),
        field("h", "f16", 2, 2, Class::Float, CppType::named("__half")),
        bytes("f4", 16, 16, "float4"),
        bytes("plane", 16, 4, "Plane"),
        slice("opaque", CppType::of(CppBase::Void)),
        slice("rows", FLOAT.pointer(true)),
        slice_mut("flag", INT),
        slice_mut("halves", CppType::named("half")),
        slice_mut("sum", DOUBLE),
    ]
}

const EVERY_KIND: &str = "_Z10every_kindbcahstijlmxyfd6__half6float4N8geometry5PlaneEPKvPKPKfPViPS_Pd";
const CLIP: &str = "_ZN8geometry4clipENS_5PlaneENS_4SideEPK6float3Pbj";

#[test]
fn a_right_struct_of_every_kind_raises_no_alarm() {
    // The PTX was compiled where `long` has 64 bits. By value, the parameter's size shows it.
    assert_eq!(check(EVERY_KIND, &every_kind()), [""; 0]);
}

#[test]
fn each_field_of_another_type_is_the_only_one_that_is_named() {
    let right = every_kind();
    for (at, field) in right.iter().enumerate() {
        for wrong in [
            Parameter { cpp: CppType::named("ns::Other"), class: Class::Bytes, ..*field },
            Parameter { size: field.size + 8, ..*field },
        ] {
            let mut host = right.clone();
            host[at] = wrong;
            let texts = check(EVERY_KIND, &host);
            assert!(
                matches!(&texts[..], [text] if text.starts_with(&format!("`{}` does not match parameter {at} ", field.name))),
                "{texts:?}"
            );
        }
    }
}

#[test]
fn an_enum_is_passed_by_name_or_as_its_integer() {
    let plane = field("plane", "Plane", 16, 4, Class::Bytes, CppType::named("geometry::Plane"));
    let side = field("side", "Side", 1, 1, Class::Integer, CppType::named("Side"));
    let points = slice("points", CppType::named("float3"));
    let kept = slice_mut("kept", CppType::of(CppBase::Bool));
    for side in [side, u8("side")] {
        assert_eq!(check(CLIP, &[plane, side, points, kept, u32("n")]), [""; 0]);
    }
    let bytes = slice_mut("kept", CppType::integer(false, 8));
    let texts = check(CLIP, &[plane, side, points, bytes, u32("n")]);
    assert!(matches!(&texts[..], [text] if text.contains("declare `kept: &mut CudaSlice<bool>`")));
}

#[test]
fn the_overload_and_the_instance_that_fit_are_found() {
    let module = Module::read(PTX.as_bytes()).unwrap();
    let entries = module.entries();
    let names: Vec<Option<Demangled>> = entries.iter().map(|entry| Demangled::new(entry.name)).collect();
    let lists: Vec<_> =
        entries.iter().zip(&names).map(|(entry, name)| entry.signature_parameters(name.as_ref())).collect();
    let candidates: Vec<_> =
        entries.iter().zip(&lists).map(|(entry, list)| Signature { name: entry.name, parameters: list }).collect();
    let chosen = |element: CppType<'static>, scalar| {
        let host = [i32("n"), scalar, slice("x", element), slice_mut("y", element)];
        select(&host, &candidates)
    };
    // The overload and the template instance take the same list.
    let symbols = |selection| match selection {
        Selection::Several { first, second, count: 2 } => (entries[first].name, entries[second].name),
        other => panic!("{other:?}"),
    };
    assert_eq!(symbols(chosen(FLOAT, f32("a"))), ("_Z5saxpyifPKfPf", "_Z5saxpyIfEviT_PKS0_PS0_"));
    assert_eq!(symbols(chosen(DOUBLE, f64("a"))), ("_Z5saxpyidPKdPd", "_Z5saxpyIdEviT_PKS0_PS0_"));
    assert_eq!(chosen(DOUBLE, f32("a")), Selection::None);
}

#[test]
fn a_long_mangled_name_is_cut_where_it_is_quoted() {
    let mut host = every_kind();
    host[13] = f32("d");
    let [text] = &check(EVERY_KIND, &host)[..] else { panic!("one mistake") };
    let lines: Vec<_> = text.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "  host    f32                     float   4 bytes, aligned to 4",
            "  kernel  .param .f64 …_param_13  double  8 bytes, aligned to 8",
            "  help: C's `double` is f64: declare `d: f64`",
        ]
    );
}

#[test]
fn the_nearest_kernel_is_the_first_with_the_fewest_mistakes() {
    let kernel = |name, parameters| Signature { name, parameters };
    let (host, ints) = ([f32("a"), f32("b")], [integer("a", true, 32), integer("b", true, 32)]);
    let one = [ints[0], host[1]];
    let [far, near, same] = [kernel("far", &ints[..]), kernel("near", &one), kernel("same", &one)];
    let host = kernel("Host", &host);
    for (candidates, expected) in [([far, near, same], 1), ([near, same, far], 0), ([far, far, near], 2)] {
        assert_eq!(nearest(&host, &candidates), expected);
    }
    let [instance, plain] = [kernel("void k<float>(int, float)", &one), kernel("k(int, float)", &one)];
    assert_eq!(nearest(&host, &[instance, plain]), 1);
}

#[test]
fn a_parameter_of_a_described_kernel_has_its_index() {
    let image = Image::read(PTX.as_bytes()).unwrap();
    let kernels = image.kernels().unwrap();
    let kernel = kernels.kernel(EVERY_KIND, None).unwrap();
    let mut encoder = Encoder::new();
    encoder.push(&kernel, None, false);
    let (table, names) = encoder.finish();
    let described = CompiledKernels::all(Box::leak(Box::new(CompiledImage::table(table.leak(), names.leak()))));
    let described = described.get(0).expect("one kernel");
    let expected = kernel.parameters();
    assert_eq!(described.parameter_count(), expected.len());
    let one_by_one: Vec<_> = (0..expected.len()).map(|index| described.parameter(index)).collect();
    assert_eq!(one_by_one, expected);
    assert_eq!(described.parameter_array::<22>().as_slice(), expected);
}

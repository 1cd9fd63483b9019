//! The exact texts for users, created at compile time.

use super::sides::*;
use kernel_args_abi::check::{Report, report};
use kernel_args_abi::{Class, CppBase, CppType, Parameter, Signature};

const HOST: Signature = signature("Saxpy", &[u32("n"), f64("alpha"), slice("x", FLOAT)]);
const KERNEL: Signature = signature(
    "saxpy",
    &[
        ptx("", ".param .u32 saxpy_param_0", 4, 4, Class::Integer),
        ptx("", ".param .f32 saxpy_param_1", 4, 4, Class::Float),
        ptx("", ".param .u64 saxpy_param_2", 8, 8, Class::Integer),
        ptx("", ".param .u64 saxpy_param_3", 8, 8, Class::Integer),
    ],
);
const REPORT: Report = report(&HOST, &KERNEL);

/// As in the derive's output: this constant fails to compile if the field is wrong.
const _: () = if let Some(message) = REPORT.field_message(0) {
    panic!("{}", message.as_str());
};

#[test]
fn a_field_that_does_not_fit() {
    const TEXT: &str = match &REPORT.field_message(1) {
        Some(message) => message.as_str(),
        None => "",
    };
    assert_eq!(
        TEXT,
        "\
`alpha` does not match parameter 1 of kernel `saxpy`
  host    f64                        8 bytes, aligned to 8
  kernel  .param .f32 saxpy_param_1  4 bytes, aligned to 4
  help: C's `float` is f32: declare `alpha: f32`; where the type is inferred, write `2.0f32`"
    );
}

#[test]
fn a_missing_parameter() {
    assert_eq!(
        REPORT.missing_message().unwrap().as_str(),
        "\
no field for parameter 2 or 3 of kernel `saxpy`
  kernel  .param .u64 saxpy_param_3  8 bytes, aligned to 8
  help: add a field for it before or after `x`: `u64`, `i64` or `&CudaSlice<…>` (parameters 2 and 3 are alike, so either may be missing)"
    );
    assert!(REPORT.field_message(2).is_none());
}

#[test]
fn a_field_too_many() {
    const EXTRA: Report = report(&signature("K", &[u32("n"), f32("beta")]), &signature("k", &[ptx_u32()]));
    assert_eq!(
        EXTRA.field_message(1).unwrap().as_str(),
        "\
`beta` has no parameter in kernel `k`
  host    f32  float  4 bytes, aligned to 4
  help: remove it: the kernel takes 1 parameter, the struct has 2 fields"
    );
    assert!(EXTRA.missing_message().is_none());
}

#[test]
fn both_c_plus_plus_types_are_shown_where_the_kernels_is_known() {
    let (host, kernel) = (slice("y", FLOAT), with_cpp(ptx_u64(), FLOAT.pointer(false)));
    assert_eq!(
        text(&[host], &[kernel]),
        "\
`y` does not match parameter 0 of kernel `k`
  host    &CudaSlice<_>        float const*  8 bytes, aligned to 8
  kernel  .param .u64 k_param  float*        8 bytes, aligned to 8
  help: the kernel may write through it: declare `y: &mut CudaSlice<f32>`; if the kernel only reads, `#[kernel_args(opaque)]` on the field turns this check off"
    );
}

/// At every position, the message shows what is wrong, both sides, and what to write.
#[test]
fn a_long_name_swallows_nothing() {
    let name = "é".repeat(5_000);
    let path = format!("ns::{}<{}>", "Params".repeat(1_000), "float, ".repeat(1_000));
    let ty = CppType::named(&path);
    let kernels = [
        Parameter { name: &name, spelling: &name, ..ptx_f32() },
        Parameter { name: &name, cpp: ty, ..ptx_u64() },
        Parameter { cpp: ty.pointer(false).pointer(true).pointer(true), ..ptx_u64() },
        Parameter { cpp: ty, spelling: &name, ..ptx_bytes(8, 8) },
        Parameter { cpp: ty, ..Parameter::record(16, 8) },
    ];
    let hosts = [
        Parameter { name: &name, spelling: &name, ..f64("a") },
        Parameter { name: &name, spelling: &name, ..slice("a", FLOAT) },
        field(&name, &name, 8, 4, Class::Bytes, CppType::named(&name)),
        field(&name, &name, 8, 8, Class::Bytes, CppType::named("Other")),
    ];
    for host in &hosts {
        for kernel in &kernels {
            for (host, kernel) in [
                (&[*host][..], &[*kernel][..]),
                (&[], &[*kernel]),
                (&[*host], &[]),
                (&[*host, u8("b")], &[ptx("b", "", 1, 1, Class::Integer), *kernel]),
            ] {
                let host = Signature { name: &name, parameters: host };
                let kernel = Signature { name: &name, parameters: kernel };
                let report: Report = report(&host, &kernel);
                for mismatch in report.mismatches() {
                    let message = report.message(*mismatch);
                    let lines: Vec<_> = message.as_str().lines().collect();
                    assert!(!message.is_truncated(), "{message}");
                    assert!(lines[0].contains("kernel `é"), "{message}");
                    assert!(lines[1].starts_with("  host    ") || lines[1].starts_with("  kernel  "));
                    assert!(lines[1..lines.len() - 1].iter().all(|line| line.contains(" byte")));
                    assert!(lines[lines.len() - 1].starts_with("  help: "), "{message}");
                }
                let table = report.table().to_string();
                assert!(table.matches("  <- ").count() == report.total(), "{table}");
                assert!(table.len() < 4096, "{} bytes", table.len());
            }
        }
    }
}

#[test]
fn many_missing_parameters_are_counted_where_they_have_no_room() {
    let kernel = [ptx_u64(); 40];
    let report: Report = report(&signature("K", &[]), &Signature { name: "k", parameters: &kernel });
    let message = report.missing_message().unwrap();
    let listed = message.as_str().matches("no field for parameter").count();
    let (_, more) = message.as_str().rsplit_once("\n… and ").unwrap();
    let more: usize = more.strip_suffix(" more").unwrap().parse().unwrap();
    assert!(!message.is_truncated() && listed > 3 && listed + more == report.len());
}

#[test]
fn one_message_lists_every_mistake() {
    let message = REPORT.whole_message();
    let wrong = |text| message.as_str().matches(text).count();
    assert_eq!((wrong("does not match"), wrong("no field for"), wrong("help: ")), (1, 1, 2));
    let right: Report = report(&HOST, &HOST);
    assert!(right.whole_message().is_empty() && right.missing_message().is_none());
}

/// The text of the first wrong field.
fn text(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> String {
    let host = Signature { name: "K", parameters: host };
    let kernel = Signature { name: "k", parameters: kernel };
    let report: Report = report(&host, &kernel);
    let message = report.message(*report.mismatches().first().expect("they differ"));
    message.as_str().to_owned()
}

#[test]
#[expect(clippy::large_stack_arrays, reason = "a table of parameters")]
#[expect(clippy::too_many_lines, reason = "one table")]
fn each_usual_mistake_has_its_hint() {
    let v = |spelling, size, align, cpp| field("v", spelling, size, align, Class::Bytes, cpp);
    let unknown = CppType::UNKNOWN;
    let record = |size| Parameter::record(0, size);
    let half = || ptx_bytes(2, 2);
    for (host, kernel, part) in [
        (f64("a"), record(4), "C's `float` is f32: declare `a: f32`"),
        (f32("a"), ptx("", "", 8, 8, Class::Float), "C's `double` is f64: declare `a: f64`"),
        (usize("n"), ptx_u32(), "`usize` has 8 bytes, C's `int` has 4: declare `n: u32` or `n: i32`"),
        (usize("n"), with_cpp(ptx_u32(), INT), "declare `n: i32`"),
        (boolean("b"), ptx_u32(), "`bool` has 1 byte on the device too, C's `int` has 4: declare `b: u32` or `b: i32`"),
        (u8("b"), ptx_u32(), "C's `int` has 4 bytes: declare `b: u32` or `b: i32`"),
        (u32("c"), record(1), "`c` has 4 bytes, the kernel takes 1: declare `c: u8`, `c: i8` or `c: bool`"),
        (
            i32("p"),
            with_cpp(ptx_u64(), FLOAT.pointer(true)),
            "the kernel takes a device pointer: declare `p: &CudaSlice<f32>`",
        ),
        (i32("p"), ptx_u64(), "`p` has 4 bytes, the kernel takes 8: declare `p: i64`, `p: u64` or `p: &CudaSlice<…>`"),
        (slice("n", INT), ptx_u32(), "the value itself, not its address: declare `n: i32` or `n: u32`"),
        (u32("a"), ptx_f32(), "the kernel takes a floating-point number: declare `a: f32`"),
        (f32("n"), ptx_u32(), "the kernel takes an integer: declare `n: u32` or `n: i32`"),
        (f32("h"), half(), "half precision has 2 bytes: declare `h: half::f16` or `h: half::bf16`"),
        (f32("h"), with_cpp(half(), CppType::named("__nv_bfloat16")), "declare `h: half::bf16`"),
        (
            v("[f32; 4]", 16, 4, unknown),
            ptx_bytes(16, 16),
            "as CUDA aligns vectors and complex numbers: use `Float4`, `Int4` or `Double2`",
        ),
        (v("glam::Vec2", 8, 4, unknown), ptx_bytes(8, 8), "use `Float2`, `Int2` or `UInt2`"),
        (
            v("Complex<f64>", 16, 8, unknown),
            with_cpp(ptx_bytes(16, 16), CppType::named("double2")),
            "the kernel aligns it to 16: declare `v: Double2`",
        ),
        (
            v("[f64; 4]", 32, 8, unknown),
            with_cpp(ptx_bytes(32, 32), CppType::named("double4_32a")),
            "declare `v: Double4A32`",
        ),
        (
            v("TensorMap", 128, 64, unknown),
            ptx_bytes(128, 128),
            "to 64 bytes by CUDA 12 and to 128 by CUDA 13: declare `v: TensorMap`",
        ),
        (
            v("TensorMap", 128, 128, CppType::named("CUtensorMap")),
            with_cpp(ptx_bytes(128, 64), CppType::named("CUtensorMap_st")),
            "declare `v: TensorMapA64`",
        ),
        (v("Params", 12, 4, unknown), ptx_bytes(16, 4), "the kernel's struct has 16 bytes, `Params` has 12"),
        (
            v("Params", 24, 8, CppType::named("Params")),
            with_cpp(ptx_bytes(24, 8), CppType::named("sim::Args")),
            "`#[device_type(cpp = \"sim::Args\")]`",
        ),
        (v("Params", 24, 4, unknown), ptx_bytes(24, 8), "`#[repr(C, align(8))]`"),
        (v("Params", 24, 8, unknown), ptx_bytes(24, 4), "declare `v` as a struct of 24 bytes, aligned to 4, with"),
        (v("Params", 4, 4, unknown), ptx_f32(), "the kernel takes a floating-point number: declare `v: f32`"),
        (
            v("Params", 4, 4, unknown),
            ptx_u32(),
            "the kernel takes a scalar, not a struct: declare `v: u32` or `v: i32`",
        ),
        (u32("s"), ptx_bytes(24, 8), "the kernel takes bytes: declare a `#[repr(C)]` struct of 24 bytes, aligned to 8"),
        (
            u8("o"),
            ptx_bytes(4, 4),
            "the kernel takes bytes: declare a `#[repr(C)]` struct of 4 bytes, aligned to 4, `o: Half2`, `o: BFloat162` or `o: UChar4`",
        ),
        (f32("h"), ptx_bytes(2, 2), "half precision has 2 bytes: declare `h: half::f16` or `h: half::bf16`"),
        (i32("n"), with_cpp(ptx_u32(), UINT), "the kernel takes it as `unsigned int`: declare `n: u32`"),
        (
            slice("x", FLOAT),
            with_cpp(ptx_u64(), DOUBLE.pointer(true)),
            "`double const*`: declare `x: &CudaSlice<f64>`; `#[kernel_args(opaque)]`",
        ),
        (
            u8("b"),
            with_cpp(ptx("", "", 1, 1, Class::Integer), CppType::of(CppBase::Bool)),
            "declare `b: bool`; `#[kernel_args(opaque)]` on the field turns this check off",
        ),
        (
            v("Float4", 16, 16, CppType::named("float4")),
            ptx_bytes(12, 4),
            "the kernel takes a vector or struct of 12 bytes, aligned to 4: declare `v: Float3`",
        ),
        (
            v("Float4", 16, 16, CppType::named("float4")),
            record(12),
            "a vector or struct of 12 bytes: declare `v: Float3`",
        ),
        (
            v("Int4", 16, 16, CppType::named("int4")),
            with_cpp(ptx_bytes(12, 4), CppType::named("float3")),
            "the kernel takes CUDA's `float3`: declare `v: Float3`",
        ),
        (
            v("V3", 12, 4, CppType::named("V3")),
            with_cpp(ptx_bytes(12, 4), CppType::named("float3")),
            "declare `v: Float3`; or, if `V3` has the same layout, write `#[device_type(cpp = \"float3\")]` on it; \
             `#[kernel_args(opaque)]`",
        ),
        (
            v("Params", 24, 16, CppType::named("Params")),
            with_cpp(ptx_bytes(24, 8), CppType::named("sim::Params")),
            "less than `Params`: remove `align` from its `repr`",
        ),
        (v("Params", 24, 8, CppType::named("Params")), record(16), "`v` has 24 bytes, the kernel takes 16"),
        (
            field("s", "Side", 4, 4, Class::Integer, CppType::named("Side")),
            with_cpp(ptx("", "", 1, 1, Class::Integer), CppType::named("geometry::Side")),
            "`Side` has 4 bytes, the kernel takes 1: write `#[repr(u8)]` on it",
        ),
        (
            field("s", "Side", 1, 1, Class::Integer, CppType::named("Side")),
            with_cpp(ptx_u32(), UINT),
            "`Side` has 1 byte, the kernel takes 4: write `#[repr(u32)]` on it",
        ),
    ] {
        let text = text(&[host], &[kernel]);
        let hint = text.lines().last().unwrap();
        assert!(hint.starts_with("  help: "), "{hint}");
        assert!(hint.contains(part), "{hint}\n{part}");
    }
}

#[test]
fn an_offset_shows_the_alignment() {
    let host = [u32("i"), field("v", "[f32; 4]", 16, 4, Class::Bytes, CppType::UNKNOWN)];
    let kernel = [Parameter::record(0, 4), Parameter::record(16, 16)];
    assert_eq!(
        text(&host, &kernel),
        "\
`v` does not match parameter 1 of kernel `k`
  host    [f32; 4]  16 bytes, aligned to 4, at byte 4
  kernel            16 bytes, at byte 16
  help: the kernel has it at byte 16, where a type aligned to 4 would be at 4; the kernel aligns it to 16, as CUDA aligns vectors and complex numbers: use `Float4`, `Int4` or `Double2`"
    );
}

#[test]
fn exchanged_and_moved_fields_are_reported() {
    const MOVED: Report = report(
        &signature("K", &[f64("d"), u32("n"), slice("x", FLOAT), u8("b")]),
        &signature("k", &[ptx_u32(), ptx_u64(), ptx("", "", 1, 1, Class::Integer), ptx("", "", 8, 8, Class::Float)]),
    );
    const EXCHANGED: Report =
        report(&signature("K", &[f32("alpha"), u32("n")]), &signature("k", &[ptx_u32(), ptx_f32()]));
    for field in 0..2 {
        let message = EXCHANGED.field_message(field).unwrap();
        assert!(message.as_str().ends_with("\n  help: `alpha` and `n` look exchanged: swap them"));
    }
    let text = MOVED.field_message(0).unwrap();
    assert!(text.as_str().ends_with("help: it fits parameter 3: move it after `b`"));
    // One mistake, reported at the field.
    assert!(MOVED.missing_message().is_none());
    assert!(MOVED.table().to_string().contains("<- `d` would fit here: move it after `b`"));
}

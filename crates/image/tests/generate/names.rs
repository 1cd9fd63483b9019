//! The names of structs, types, fields and variants.

use crate::{item, of_image, with_items};

const HEAD: &str = ".version 9.0\n.target sm_90\n.address_size 64\n";

/// The generated text for kernels with these symbols and parameters.
fn of_kernels(kernels: &[(&str, &str)]) -> String {
    let entries =
        kernels.iter().map(|(symbol, parameters)| format!(".visible .entry {symbol}({parameters})\n{{\nret;\n}}\n"));
    let text = entries.fold(HEAD.to_owned(), |text, entry| text + &entry);
    of_image(text.as_bytes(), &with_items())
}

fn structs(text: &str) -> Vec<&str> {
    let declared = text.lines().filter_map(|line| line.strip_prefix("pub struct "));
    declared.map(|line| line.split([' ', '<']).next().unwrap()).collect()
}

#[test]
fn overloads_and_instances_have_names_of_their_own() {
    let text = of_kernels(&[
        ("_Z4axpyIfEviT_", ".param .u32 a, .param .f32 b"),
        ("_Z4axpyIdEviT_", ".param .u32 a, .param .f64 b"),
        ("_Z4axpyi", ".param .u32 a"),
        ("axpy", ""),
    ]);
    assert_eq!(structs(&text), ["Axpy", "AxpyDouble", "AxpyFloat", "AxpyInt"]);
    // The kernel `axpy` has the name of the generic struct.
    assert!(!text.contains("<T: DeviceType>"), "{text}");
    assert!(text.contains("#[kernel_args(kernel = axpy_double)]\npub struct AxpyDouble {"), "{text}");
}

#[test]
fn a_kernel_gives_way_to_a_type_of_its_name() {
    let text = of_kernels(&[("_Z6params6Params", ".param .align 4 .b8 p[12]"), ("_Z6Float4i", ".param .u32 p")]);
    assert_eq!(structs(&text), ["Float4Args", "ParamsArgs", "Params"]);
}

#[test]
fn types_of_one_name_are_distinguished() {
    let text = of_kernels(&[
        ("_Z1kN1a1TEN1b1TE", ".param .align 4 .b8 p[12], .param .align 4 .b8 q[12]"),
        ("_Z1l3BoxIiES_IfE", ".param .align 4 .b8 p[12], .param .align 8 .b8 q[16]"),
    ]);
    assert_eq!(structs(&text), ["K", "L", "AT", "BT", "BoxFloat", "BoxInt"]);
    assert!(text.contains("#[device_type(cpp = \"a::T\")]\n#[repr(C, align(4))]\npub struct AT {"), "{text}");
}

#[test]
fn a_type_of_several_kernels_is_written_once() {
    let text = of_kernels(&[
        ("_Z1kN3sim6ParamsE", ".param .align 4 .b8 p[12]"),
        ("_Z1lPKN3sim6ParamsENS_6ParamsE", ".param .u64 p, .param .align 4 .b8 q[12]"),
        ("_Z1mPN3sim6ParamsE", ".param .u64 p"),
    ]);
    assert_eq!(structs(&text), ["K", "L", "M", "Params"]);
    assert!(item(&text, "M").contains("pub p: &'a mut CudaSlice<Params>,"), "{text}");
}

#[test]
fn a_pointer_to_an_unknown_type_is_a_pointer_to_void() {
    let text = of_kernels(&[("_Z1kPK4NodePFvvE", ".param .u64 p, .param .u64 q")]);
    let written = item(&text, "K");
    assert!(written.contains("pub p: DevicePointer<c_void>,"), "{text}");
    // It is not certain that `q` points to a function.
    assert!(written.contains("pub q: u64,"), "{text}");
    assert!(!written.contains("'a"), "{text}");
    assert!(text.contains("use core::ffi::c_void;\n"), "{text}");
}

/// One struct for instances that differ in one type, in the same places.
#[test]
fn instances_that_differ_in_one_type_have_a_generic_struct() {
    let float = ("_Z4axpyIfEviT_S0_f", ".param .u32 a, .param .f32 b, .param .f32 c, .param .f32 d");
    let double = ("_Z4axpyIdEviT_S0_f", ".param .u32 a, .param .f64 b, .param .f64 c, .param .f32 d");
    let overload = ("_Z4axpyi", ".param .u32 a");
    let text = of_kernels(&[float, double, overload]);
    assert_eq!(structs(&text), ["AxpyDouble", "AxpyFloat", "AxpyInt", "Axpy"]);
    let generic = &text[text.find("/// All instances of the template `axpy`.").unwrap()..];
    for part in [
        "    kernel = self,\n    entries = \"axpy<*>\",\n    T = f64 => \"<double>\",\n    T = f32 => \"<float>\"\n",
        "pub struct Axpy<T: DeviceType> {",
        "pub a: i32,",
        "    /// `double`, `float`\n    pub b: T,",
        "pub c: T,",
        "pub d: f32,",
    ] {
        assert!(generic.contains(part), "{part}: {generic}");
    }
    for others in [
        // Only one instance; two templates; two types; the same type twice; another number of parameters.
        vec![float, overload],
        vec![float, ("_ZN3sim4axpyIdEEviT_S1_f", double.1)],
        vec![
            ("_Z4axpyIfiEvT_T0_", ".param .f32 a, .param .u32 b"),
            ("_Z4axpyIdjEvT_T0_", ".param .f64 a, .param .u32 b"),
        ],
        vec![("_Z4axpyILi1EEvf", ".param .f32 a"), ("_Z4axpyILi2EEvf", ".param .f32 a")],
        vec![float, ("_Z4axpyIdEviT_S0_", ".param .u32 a, .param .f64 b, .param .f64 c")],
    ] {
        let text = of_kernels(&others);
        assert!(!text.contains("<T: DeviceType>"), "{text}");
    }
}

#[test]
fn names_that_rust_does_not_take_are_others() {
    let text = of_kernels(&[
        ("fn", ".param .u32 type, .param .u32 self, .param .u32 k_param_2, .param .u32 $x"),
        ("_", ""),
        ("$1", ""),
    ]);
    assert_eq!(structs(&text), ["Kernel", "Kernel1", "Fn"]);
    let fields: Vec<_> = item(&text, "Fn")
        .lines()
        .filter(|line| line.starts_with("    pub ") || line.starts_with("    #["))
        .map(str::trim)
        .collect();
    assert_eq!(
        fields,
        [
            "pub r#type: u32,",
            "#[kernel_args(name = \"self\")]",
            "pub self_: u32,",
            "pub arg2: u32,",
            "#[kernel_args(name = \"$x\")]",
            "pub _x: u32,"
        ]
    );
}

#[test]
fn a_kernel_that_varies_by_gpu_has_no_struct() {
    let image = include_bytes!("../data/kernels.sm_75.cubin");
    assert!(structs(&of_image(image, &with_items())).len() > 2);
    let mut kernel =
        crate::model::OneKernel { symbol: "k".to_owned(), parameters: Vec::new(), tells_alignment: true }.kernel();
    kernel.varies = true;
    let text = kernel_args_image::generate::rust(&[kernel], &[], &with_items());
    assert_eq!(
        text,
        "// `void k()`\n// The image has different parameters for this kernel on different GPUs: no struct fits it on every GPU.\n"
    );
}

#[test]
fn an_image_without_kernels_gives_no_text() {
    assert_eq!(of_kernels(&[]), "");
}

/// Symbols of numba contain types that the parameters do not have, and symbols of rustc contain paths.
#[test]
fn symbols_that_are_not_cpp_have_no_types() {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");
    let of_file = |name: &str| {
        let image = std::fs::read(format!("{data}/{name}")).unwrap();
        of_image(&image, &with_items())
    };
    let numba = of_file("numba_kernels.ptx");
    for part in ["_2a", "UniTuple", "Record<457", "complex64"] {
        assert!(!numba.contains(part), "{part}: {numba}");
    }
    assert_eq!(structs(&numba).len(), 13, "{numba}");
    assert_eq!(
        structs(&of_file("rustc.ptx")),
        ["FillF32", "FillU32", "GrE", "Plain", "Run", "StepDeviceSim", "StepDeviceSimInner"]
    );
}

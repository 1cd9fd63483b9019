//! What the code of a kernel decides where no C++ type is known.

use crate::{item, of_image, with_items};
use kernel_args_image::generate::Pointers;
use std::{cell::RefCell, fmt::Write as _};

/// A kernel `k` with 64-bit parameters of these names. Their global addresses are in `%a`, `%b`, …
fn kernel(symbol: &str, names: &[&str], instructions: &str) -> Vec<u8> {
    let declared: Vec<String> = names.iter().map(|name| format!(".param .u64 {name}")).collect();
    let mut text = format!(
        ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry {symbol}({})\n{{\n",
        declared.join(", ")
    );
    // `g` is not used.
    for name in names.iter().filter(|name| **name != "g") {
        _ = writeln!(text, "ld.param.u64 %{name}, [{name}];");
    }
    text += "mov.u32 %r1, %tid.x;\nmul.wide.u32 %i4, %r1, 4;\nmul.wide.u32 %i2, %r1, 2;\n";
    for name in names {
        _ = writeln!(text, "add.s64 %{name}4, %{name}, %i4;\nadd.s64 %{name}2, %{name}, %i2;");
    }
    text += instructions;
    (text + "\nret;\n}\n").into_bytes()
}

#[test]
fn the_code_decides_about_pointers_and_elements() {
    let image = kernel(
        "k",
        &["a", "b", "c", "d", "e", "f", "g", "h"],
        "ld.global.f32 %f1, [%a4];\nst.global.b16 [%b2], %rs1;\nred.global.add.u32 [%c4], 1;\n\
         shl.b64 %rd9, %d, 2;\nld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%e];\nst.global.f32 [%a4], %f1;\n\
         st.global.u64 [%e], %f;\nld.global.b16 %rs2, [%h2];\ncvt.f32.f16 %f2, %rs2;",
    );
    let text = of_image(&image, &with_items());
    assert!(
        text.contains(
            "\n/// `k`. The image has no C++ types for it. The types of pointers are inferred from its code.\n"
        ),
        "{text}"
    );
    assert_eq!(
        item(&text, "K"),
        "pub struct K<'a> {
    /// A pointer to `float` that the kernel reads and writes; inferred from its code.
    pub a: &'a mut CudaSlice<f32>,
    /// A pointer to 2-byte elements that the kernel writes; inferred from its code.
    pub b: &'a mut CudaSlice<u16>,
    /// A pointer to 4-byte elements that the kernel updates atomically; inferred from its code.
    pub c: &'a mut CudaSlice<u32>,
    /// A 64-bit integer, signed or not; inferred from the code of the kernel.
    pub d: u64,
    /// A pointer that the kernel reads and writes; inferred from its code.
    pub e: DevicePointerMut<c_void>,
    /// A 64-bit integer, signed or not, or a pointer.
    pub f: u64,
    /// A 64-bit integer, signed or not, or a pointer. The kernel does not use it.
    pub g: u64,
    /// A pointer to `__half` that the kernel only reads; inferred from its code.
    pub h: &'a CudaSlice<Half>,
}"
    );
}

#[test]
fn no_type_is_inferred_where_cpp_is_known() {
    let image = kernel(
        "_Z1kPfPKfPfy",
        &["a", "b", "c", "d"],
        "ld.global.f32 %f1, [%a4];\nst.global.f32 [%b4], %f1;\nst.global.f64 [%d], %f1;",
    );
    let mut options = with_items();
    options.pointers = Pointers::Raw;
    assert_eq!(
        item(&of_image(&image, &options), "K"),
        "pub struct K {
    /// `float*`. The kernel does not write through it.
    pub a: DevicePointerMut<f32>,
    /// `float const*`
    pub b: DevicePointer<f32>,
    /// `float*`
    pub c: DevicePointerMut<f32>,
    /// `unsigned long long`
    pub d: u64,
}"
    );
}

#[test]
fn objects_are_borrowed_and_contracts_are_written() {
    let image = kernel(
        "k",
        &["a", "b", "c", "d"],
        "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%b, {%f5, %f6}];\nsust.b.2d.b32.trap [%c, {%r1, %r2}], {%r3};\n\
         st.global.f32 [%a4], %f1;",
    );
    let contracts = [("k", "shared = \"4 * d\""), ("k.a", "len = \"d\""), ("k.d", "as = u64"), ("other", "block = 1")];
    let contracts = contracts.map(|(on, attribute)| (on.to_owned(), attribute.to_owned()));
    let mut options = with_items();
    options.textures = true;
    let used = RefCell::default();
    (options.contracts, options.used) = (&contracts, Some(&used));
    let text = of_image(&image, &options);
    assert_eq!(used.borrow().iter().collect::<Vec<_>>(), ["k", "k.a", "k.d"]);
    assert!(text.contains("use kernel_args::texture::{Surface, Texture};"), "{text}");
    assert!(text.contains("#[kernel_args(kernel = k, shared = \"4 * d\")]"), "{text}");
    let fields: Vec<_> = item(&text, "K").lines().filter(|line| !line.contains("///")).map(str::trim).collect();
    let expected = [
        "pub struct K<'a> {",
        "#[kernel_args(len = \"d\")]",
        "pub a: &'a mut CudaSlice<f32>,",
        "pub b: &'a Texture,",
        "pub c: &'a Surface,",
        "#[kernel_args(as = u64)]",
        "pub d: usize,",
        "}",
    ];
    assert_eq!(fields, expected);
    options.pointers = Pointers::Raw;
    let text = of_image(&image, &options);
    assert!(text.contains("pub b: TextureObject,") && text.contains("pub c: SurfaceObject,"), "{text}");
}

//! Writes the structs in Rust, example values, and the ways of marshalling: ours, cudarc's, and hand-written Rust.

use crate::shape::Shape;
use std::fmt::{Result, Write};

const VARIANTS: [&str; 6] = ["ours_params", "rust_params", "c_params", "ours_packed", "rust_packed", "c_packed"];

pub(crate) fn source(shapes: &[Shape]) -> String {
    let mut out = String::new();
    for shape in shapes {
        // Writing to a `String` cannot fail.
        let _ = one(&mut out, shape);
    }
    let _ = list(&mut out, shapes);
    out
}

fn one(out: &mut String, shape: &Shape) -> Result {
    structure(out, shape)?;
    if shape.name.starts_with('p') && !shape.fields.is_empty() {
        builder(out, shape)?;
    }
    ours(out, shape)?;
    by_hand(out, shape)?;
    run(out, shape)
}

/// The struct and an example value.
fn structure(out: &mut String, shape: &Shape) -> Result {
    let ty = shape.type_name();
    writeln!(out, "#[derive(KernelArgs)]\n#[repr(C)]\npub struct {ty} {{")?;
    for (i, field) in shape.fields.iter().enumerate() {
        writeln!(out, "    pub f{i}: {},", field.rust)?;
    }
    writeln!(out, "}}\n")?;

    writeln!(out, "impl {ty} {{\n    pub fn example() -> Self {{\n        Self {{")?;
    for (i, field) in shape.fields.iter().enumerate() {
        writeln!(out, "            f{i}: {},", field.value.replace('#', &i.to_string()))?;
    }
    writeln!(out, "        }}\n    }}\n}}\n")?;

    Ok(())
}

/// The arguments for cudarc's builder.
fn builder(out: &mut String, shape: &Shape) -> Result {
    writeln!(
        out,
        "impl Example for {ty} {{
    const ENTRY: &'static str = \"words_{count}\";

    fn example() -> Self {{
        Self::example()
    }}

    #[inline(always)]
    fn push<'a>(&'a self, builder: &mut LaunchArgs<'a>) {{",
        ty = shape.type_name(),
        count = shape.fields.len()
    )?;
    for i in 0..shape.fields.len() {
        writeln!(out, "        builder.arg(&self.f{i});")?;
    }
    writeln!(out, "    }}\n}}\n")
}

/// Both forms with the derive, and the declarations of the C functions.
fn ours(out: &mut String, shape: &Shape) -> Result {
    let (name, ty) = (&shape.name, shape.type_name());
    writeln!(
        out,
        "unsafe extern \"C\" {{
    fn size_of_{name}() -> usize;
    fn marshal_c_params_{name}(args: *mut {ty});
    fn marshal_c_packed_{name}(args: *mut {ty});
}}

#[inline(never)]
#[unsafe(no_mangle)]
pub unsafe extern \"C\" fn marshal_ours_params_{name}(args: *mut {ty}) {{
    (unsafe {{ &mut *args }}).with_kernel_params(|params| launch_params(1, params.as_mut_ptr()));
}}

#[inline(never)]
#[unsafe(no_mangle)]
pub unsafe extern \"C\" fn marshal_ours_packed_{name}(args: *mut {ty}) {{
    (unsafe {{ &mut *args }}).with_packed(|buffer| launch_packed(2, buffer.as_ptr(), buffer.len()));
}}
"
    )
}

/// Both hand-written forms: an array of pointers, and a buffer with a running offset.
fn by_hand(out: &mut String, shape: &Shape) -> Result {
    let (name, ty, size) = (&shape.name, shape.type_name(), shape.placed().1);
    writeln!(
        out,
        "#[inline(never)]
#[unsafe(no_mangle)]
pub unsafe extern \"C\" fn marshal_rust_params_{name}(args: *mut {ty}) {{
    let args = unsafe {{ &mut *args }};"
    )?;
    for (i, field) in shape.fields.iter().enumerate() {
        if shape.copies(field) {
            let (ty, filled) = (field.rust, field.filled);
            writeln!(
                out,
                "    let mut copy{i} = MaybeUninit::<{ty}>::uninit();
    unsafe {{ copy{i}.as_mut_ptr().write_bytes(0, 1) }};
    unsafe {{ (&raw const args.f{i}).cast::<u8>().copy_to_nonoverlapping(copy{i}.as_mut_ptr().cast(), {filled}) }};"
            )?;
        }
    }
    writeln!(out, "    let mut params: [*mut c_void; {count}] = [", count = shape.fields.len())?;
    for (i, field) in shape.fields.iter().enumerate() {
        let place = if shape.copies(field) { "copy" } else { "args.f" };
        writeln!(out, "        (&raw mut {place}{i}).cast(),")?;
    }
    writeln!(
        out,
        "    ];
    launch_params(3, params.as_mut_ptr());
}}

#[inline(never)]
#[unsafe(no_mangle)]
pub unsafe extern \"C\" fn marshal_rust_packed_{name}(args: *mut {ty}) {{
    let args = unsafe {{ &mut *args }};
    let mut buffer = MaybeUninit::<[u8; {size}]>::uninit();
    let start = buffer.as_mut_ptr().cast::<u8>();
    let mut end = 0_usize;"
    )?;
    for (i, field) in shape.fields.iter().enumerate() {
        let (ty, align, filled) = (field.rust, field.align, field.filled);
        if shape.zeroed {
            writeln!(
                out,
                "    let at = end.next_multiple_of({align});
    unsafe {{ start.add(end).write_bytes(0, at - end) }};
    unsafe {{ (&raw const args.f{i}).cast::<u8>().copy_to_nonoverlapping(start.add(at), {filled}) }};
    unsafe {{ start.add(at + {filled}).write_bytes(0, size_of::<{ty}>() - {filled}) }};
    end = at + size_of::<{ty}>();"
            )?;
            continue;
        }
        writeln!(
            out,
            "    end = end.next_multiple_of({align});
    unsafe {{ start.add(end).cast::<{ty}>().write_unaligned(args.f{i}) }};
    end += size_of::<{ty}>();"
        )?;
    }
    writeln!(out, "    launch_packed(4, start, end);\n}}\n")
}

/// The row of the struct in the table of all structs, and the calls of its variants.
fn run(out: &mut String, shape: &Shape) -> Result {
    let (name, ty, offsets) = (&shape.name, shape.type_name(), shape.placed().0);
    writeln!(
        out,
        "const {}: Shape = Shape {{
    name: \"{name}\",
    offsets: &{offsets:?},
    sizes: &{sizes:?},
    run: run_{name},
}};

fn run_{name}(variant: Variant, run: &mut dyn FnMut(Call, *mut c_void)) {{
    let mut args = {ty}::example();
    assert_eq!(size_of::<{ty}>(), unsafe {{ size_of_{name}() }}, \"C has another struct\");
    let call: unsafe extern \"C\" fn(*mut {ty}) = match variant {{",
        name.to_uppercase(),
        sizes = shape.handed_over(),
    )?;
    for variant in VARIANTS {
        let camel: String = variant.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        writeln!(out, "        Variant::{camel} => marshal_{variant}_{name},")?;
    }
    writeln!(
        out,
        "    }};
    // A pointer to a struct is passed like any pointer.
    run(unsafe {{ core::mem::transmute::<unsafe extern \"C\" fn(*mut {ty}), Call>(call) }}, (&raw mut args).cast());
}}
"
    )
}

fn list(out: &mut String, shapes: &[Shape]) -> Result {
    writeln!(out, "pub const SHAPES: &[Shape] = &[")?;
    for shape in shapes {
        writeln!(out, "    {},", shape.name.to_uppercase())?;
    }
    writeln!(out, "];")
}

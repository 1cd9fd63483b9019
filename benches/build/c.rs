//! Marshalling by hand in C.

use crate::shape::Shape;
use std::fmt::Write;

pub(crate) fn source(shapes: &[Shape]) -> String {
    let mut out = String::from("#include \"hand_written.h\"\n");
    for shape in shapes {
        // Writing to a String cannot fail.
        let _ = one(&mut out, shape);
    }
    out
}

fn one(out: &mut String, shape: &Shape) -> std::fmt::Result {
    let (name, ty) = (&shape.name, shape.type_name());
    let size = shape.placed().1.max(1);
    writeln!(out, "\ntypedef struct {{")?;
    for (i, field) in shape.fields.iter().enumerate() {
        writeln!(out, "    {} f{i};", field.c)?;
    }
    writeln!(out, "}} {ty};\n")?;
    writeln!(
        out,
        "size_t size_of_{name}(void) {{ return sizeof({ty}); }}\n"
    )?;

    writeln!(out, "void marshal_c_params_{name}({ty}* args)\n{{")?;
    if shape.fields.is_empty() {
        writeln!(out, "    LAUNCH(C_PARAMS, 0, 0);\n}}\n")?;
    } else {
        copies(out, shape)?;
        writeln!(out, "    void* params[] = {{")?;
        for i in 0..shape.fields.len() {
            writeln!(out, "        &{},", place(shape, i))?;
        }
        writeln!(out, "    }};\n    LAUNCH(C_PARAMS, params, 0);\n}}\n")?;
    }

    writeln!(out, "void marshal_c_packed_{name}({ty}* args)\n{{")?;
    copies(out, shape)?;
    let zeros = if shape.zeroed { " = {0}" } else { "" };
    writeln!(out, "    char buffer[{size}]{zeros};\n    size_t end = 0;")?;
    for (i, field) in shape.fields.iter().enumerate() {
        writeln!(out, "    ADD({}, {});", place(shape, i), field.align)?;
    }
    writeln!(
        out,
        "    void* extra[] = {{(void*)1, buffer, (void*)2, &end, (void*)0}};\n    LAUNCH(C_PACKED, 0, extra);\n}}"
    )
}

/// A copy of each value whose padding is zeroed.
fn copies(out: &mut String, shape: &Shape) -> std::fmt::Result {
    for (i, field) in shape.fields.iter().enumerate() {
        if shape.is_copied(i) {
            let ty = field.c;
            writeln!(out, "    {ty} c{i};\n    copy_{ty}(&c{i}, &args->f{i});")?;
        }
    }
    Ok(())
}

/// Where the value of field `i` stands.
fn place(shape: &Shape, i: usize) -> String {
    if shape.is_copied(i) {
        format!("c{i}")
    } else {
        format!("args->f{i}")
    }
}

//! Writes the hand-written marshalling in C.

use crate::shape::Shape;
use std::fmt::Write;

pub(crate) fn source(shapes: &[Shape]) -> String {
    let mut out = String::from("#include \"hand_written.h\"\n");
    for shape in shapes {
        // Writing to a `String` cannot fail.
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
    writeln!(out, "size_t size_of_{name}(void) {{ return sizeof({ty}); }}\n")?;

    writeln!(out, "void marshal_c_params_{name}({ty}* args)\n{{")?;
    if shape.fields.is_empty() {
        writeln!(out, "    LAUNCH(C_PARAMS, 0, 0);\n}}\n")?;
    } else {
        for (i, field) in shape.fields.iter().enumerate() {
            if shape.copies(field) {
                writeln!(out, "    COPY_ZEROED({}, copy{i}, args->f{i}, {});", field.c, field.filled)?;
            }
        }
        writeln!(out, "    void* params[] = {{")?;
        for (i, field) in shape.fields.iter().enumerate() {
            let place = if shape.copies(field) { "copy" } else { "args->f" };
            writeln!(out, "        &{place}{i},")?;
        }
        writeln!(out, "    }};\n    LAUNCH(C_PARAMS, params, 0);\n}}\n")?;
    }

    writeln!(out, "void marshal_c_packed_{name}({ty}* args)\n{{")?;
    writeln!(out, "    char buffer[{size}];\n    size_t end = 0;")?;
    for (i, field) in shape.fields.iter().enumerate() {
        let (align, filled) = (field.align, field.filled);
        if shape.zeroed {
            writeln!(out, "    ADD_ZEROED(args->f{i}, {align}, {filled});")?;
        } else {
            writeln!(out, "    ADD(args->f{i}, {align});")?;
        }
    }
    writeln!(
        out,
        "    void* extra[] = {{(void*)1, buffer, (void*)2, &end, (void*)0}};\n    LAUNCH(C_PACKED, 0, extra);\n}}"
    )
}

//! The Rust type to declare for a parameter of a C function.

use kernel_args_abi::{
    CppBase, Parameter,
    cpp::{name, rust_scalar},
};

/// `*const f32`, `u32`, `Params`.
pub(super) fn raw(parameter: &Parameter<'_>) -> String {
    let cpp = parameter.cpp;
    if cpp.is_stream() {
        return "kernel_args::launcher::Stream".into();
    }
    let size = if cpp.is_pointer() { 0 } else { parameter.size };
    let mut ty = match cpp.base {
        CppBase::Void | CppBase::Unknown | CppBase::FunctionType if cpp.is_pointer() => "c_void".into(),
        CppBase::Unknown => format!("[u8; {}]", parameter.size),
        CppBase::Char => "c_char".into(),
        CppBase::Long { signed } if cpp.is_pointer() => if signed { "c_long" } else { "c_ulong" }.into(),
        CppBase::Named(spelled) if name::status(spelled).is_some() => "u32".into(),
        CppBase::Named(spelled) => match name::builtin(spelled) {
            Some(row) => row.rust.into(),
            None => name::plain(spelled).to_owned(),
        },
        base => rust_scalar(base, size).to_owned(),
    };
    for level in 0..cpp.depth {
        if level + 1 == cpp.depth {
            for length in cpp.rows.iter().rev().filter(|length| **length > 0) {
                ty = format!("[{ty}; {length}]");
            }
        }
        ty = format!("{}{ty}", if cpp.const_mask >> level & 1 == 1 { "*const " } else { "*mut " });
    }
    ty
}

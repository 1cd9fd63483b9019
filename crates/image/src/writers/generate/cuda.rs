//! CUDA's built-in types.

use super::{
    Content, Generated, StructMember,
    define::Types,
    identifier::upper_camel,
    ty::{Leaf, Ty, component},
};
use crate::prelude::*;
use kernel_args_abi::{
    Class, Members, Parameter,
    cpp::{BUILTINS, Builtin, name},
};

impl Types<'_, '_> {
    pub(super) fn half(&mut self, of: &Parameter<'_>) -> Ty {
        match name::builtin("__half").filter(|row| row.size == of.size) {
            Some(row) => self.builtin(row),
            None => Ty::bytes(of.size),
        }
    }

    pub(super) fn builtin(&mut self, row: &'static Builtin) -> Ty {
        let feature = feature(row);
        let has = match feature {
            "half" => self.options.half,
            "float8" => self.options.float8,
            _ => true,
        };
        if has {
            return Ty::Leaf(Leaf::builtin(row));
        }
        let components = component(row).filter(|_| row.components > 0).map(|scalar| (self.builtin(scalar), scalar));
        let body = match components {
            Some((ty, scalar)) => {
                let names = ["x", "y", "z", "w"].into_iter().take(row.components);
                let members = names.enumerate().map(|(i, name)| StructMember {
                    cpp_name: name.to_owned(),
                    name: name.to_owned(),
                    ty: ty.clone(),
                    offset: i * scalar.size,
                    cpp: scalar.cpp.to_owned(),
                    is_opaque: false,
                });
                Content::Fields(members.collect())
            }
            None if row.size == 1 => Content::Bits("u8", feature),
            None => Content::Bits("u16", feature),
        };
        let definition = Generated {
            known_align: Some(row.align),
            body,
            ..Generated::new(row.cpp, upper_camel(row.cpp, "Type"), row.size)
        };
        Ty::Defined(self.add(definition))
    }
}

/// Returns the feature of `kernel-args` that provides the type, if it needs one.
fn feature(row: &Builtin) -> &'static str {
    match row.element {
        "f16" | "bf16" => "half",
        "F8E4M3" | "F8E5M2" => "float8",
        _ => "",
    }
}

/// Returns the built-in type of this name, if size, alignment and components of a value are equal, and the offset is
/// possible.
pub(super) fn builtin(name: &str, of: &Parameter<'_>) -> Option<&'static Builtin> {
    let named = name::builtin(name)?;
    BUILTINS.iter().find(|row| {
        row.cpp == named.cpp
            && row.size == of.size
            && of.align.is_none_or(|align| align.bytes() == row.align)
            && of.offset.is_none_or(|offset| offset % row.align == 0 || of.align.is_some())
            && consists_of(row, of.members)
    })
}

fn consists_of(row: &Builtin, members: Members<'_>) -> bool {
    if row.components == 0 || !feature(row).is_empty() {
        return true;
    }
    let is_float = row.element.starts_with('f');
    members.iter().all(|member| {
        if member.members.is_known() {
            return consists_of(row, member.members);
        }
        member.size / member.cpp.elements().max(1) == row.size / row.components
            && (matches!(member.class, Class::Float) == is_float
                || matches!(member.class, Class::Bytes | Class::Unknown))
    })
}

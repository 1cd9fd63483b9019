//! The C++ spelling of a type in a scope.

use super::definition::{Base, Type};
use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
};
use core::fmt::Write as _;

#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    /// The namespace, or empty for the global namespace.
    pub(super) namespace: &'s str,
    /// The names of the neighbouring members or parameters. They hide types of the same name.
    pub(super) hidden: &'s BTreeSet<&'s str>,
    pub(super) own: &'s BTreeSet<&'s str>,
}

impl Scope<'_> {
    fn base(&self, base: &Base) -> String {
        match base {
            Base::Fundamental(name, _) => (*name).to_string(),
            Base::Bytes(_) => "unsigned char".to_string(),
            Base::Cuda(name, _) => {
                if self.hidden.contains(&**name) || self.own.contains(&**name) {
                    return format!("::{name}");
                }
                name.clone()
            }
            Base::Own(path) => {
                let full = path.full();
                let first = full.split("::").next().unwrap_or(full);
                let is_plain = !full.contains('<') && !self.hidden.contains(first);
                if is_plain && self.namespace.is_empty() {
                    full.to_string()
                } else if !full.contains('<')
                    && path.namespace() == self.namespace
                    && !self.hidden.contains(path.name())
                {
                    path.name().to_string()
                } else {
                    format!("::{full}")
                }
            }
        }
    }

    /// A declaration with this type: `float const* x`, `float rows[2][3]`, `float (*x)[4]`. Without a name, only the type.
    pub(super) fn declare(&self, ty: &Type, name: &str) -> String {
        let mut text = self.base(&ty.base);
        let to_array = !ty.rows.is_empty();
        for level in 0..ty.depth {
            let is_const = ty.const_mask >> level & 1 == 1;
            text.push_str(if is_const { " const" } else { "" });
            let is_to_array = to_array && level + 1 == ty.depth;
            text.push_str(if is_to_array { " (*" } else { "*" });
        }
        if !name.is_empty() && !to_array {
            text.push(' ');
        }
        text.push_str(name);
        for length in &ty.extents {
            let _ = write!(text, "[{length}]");
        }
        text.push_str(if to_array { ")" } else { "" });
        for length in &ty.rows {
            let _ = write!(text, "[{length}]");
        }
        text
    }
}

//! The C++ spelling of a type in a scope.

use super::definition::{Base, TypeUse};
use alloc::{
    collections::BTreeSet,
    format,
    string::{String, ToString},
};
use kernel_args_abi::CppBase;

#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) namespace: &'s str,
    /// The names of the neighbouring members or parameters. They hide types of the same name.
    pub(super) hidden: &'s BTreeSet<&'s str>,
    pub(super) own: &'s BTreeSet<&'s str>,
}

impl Scope<'_> {
    fn base(&self, base: &Base) -> String {
        match base {
            Base::Bytes(_) => "unsigned char".to_string(),
            Base::Known(name, _) => {
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
    pub(super) fn declare(&self, ty: &TypeUse, name: &str) -> String {
        let mut text = self.base(&ty.base);
        let shape = ty.shape.to_string();
        let shape = &shape[CppBase::Unknown.spelling().len()..];
        let array = shape.find("(*").map(|at| at + 2);
        let (before, after) = shape.split_at(array.or_else(|| shape.find('[')).unwrap_or(shape.len()));
        text.push_str(before);
        if !name.is_empty() && array.is_none() {
            text.push(' ');
        }
        text + name + after
    }
}

//! The parts of a parameter's type that are certain.

use super::Printer;
use crate::mangled::tree::{Id, Node};
use crate::prelude::*;
use kernel_args_abi::{CppBase, CppType, cpp::scalar};

/// The caller sets the name from the text of the parameter.
const NAMED: CppType<'static> = CppType::named("");

impl Printer<'_, '_> {
    /// A type with a name gets an empty name. A reference is passed as an address, so it becomes a pointer.
    pub(in crate::mangled) fn known(&mut self, parameter: Id) -> CppType<'static> {
        let mut const_levels = [false; CppType::MAX_DEPTH as usize];
        let mut depth = 0;
        // The length of each array, and the number of pointers around it.
        let mut arrays = Vec::new();
        let mut at = parameter;
        let base = loop {
            if !self.visit(|_| true) {
                return CppType::UNKNOWN;
            }
            at = match self.tree.node(at) {
                Node::Parameter(inner, _) => inner,
                Node::Pack(list) => match self.element(list) {
                    Some(element) => element,
                    None => return CppType::UNKNOWN,
                },
                Node::Qualified(inner, qualifiers) => {
                    if let Some(level) = const_levels[..depth].last_mut() {
                        *level |= qualifiers & 1 == 1;
                    }
                    inner
                }
                Node::Pointer(mark, to) => {
                    if depth == const_levels.len() {
                        return CppType::UNKNOWN;
                    }
                    depth += 1;
                    self.collapsed(mark, to).1
                }
                Node::Array(element, length) if depth > 0 => {
                    let length = match self.tree.node(length) {
                        Node::Name(digits) => digits.parse().unwrap_or(0),
                        _ => 0,
                    };
                    arrays.push((depth, length));
                    element
                }
                Node::Function(..) if depth > 0 => break CppBase::FunctionType,
                Node::Array(..) | Node::Function(..) | Node::Member(..) => {
                    return CppType::UNKNOWN;
                }
                Node::Builtin("std::nullptr_t") => break NAMED.base,
                Node::Builtin("void") if depth == 0 => return CppType::UNKNOWN,
                Node::Builtin(name) => break scalar(name.as_bytes()).unwrap_or(CppBase::Unknown),
                _ if self.is_certain(at, false) => break NAMED.base,
                _ => break CppBase::Unknown,
            }
        };
        let mut ty = CppType::of(base);
        while depth > 0 {
            while let Some((_, length)) = arrays.pop_if(|(around, _)| *around == depth) {
                ty = ty.array(length);
            }
            depth -= 1;
            ty = ty.pointer(const_levels[depth]);
        }
        ty
    }

    /// Returns whether a name is certainly the name of a type, not of an alias. A name in a scope that depends on a
    /// template parameter (`Traits<T>::type`) can be an alias of any type.
    fn is_certain(&mut self, id: Id, is_scope: bool) -> bool {
        let tree = self.tree;
        self.visit(|printer| match tree.node(id) {
            Node::Name(_) | Node::Builtin(_) => true,
            Node::Arguments(list) | Node::Pack(list) => {
                tree.items(list).iter().all(|&item| printer.is_certain(item, is_scope))
            }
            Node::Nested(scope, name) => printer.is_certain(scope, true) && printer.is_certain(name, is_scope),
            Node::Instance(name, arguments) => {
                !matches!(tree.node(name), Node::Parameter(..))
                    && printer.is_certain(name, is_scope)
                    && printer.is_certain(arguments, is_scope)
            }
            Node::Member(class, ty) => printer.is_certain(class, is_scope) && printer.is_certain(ty, is_scope),
            Node::Parameter(inner, _) => !is_scope && printer.is_certain(inner, false),
            Node::Tagged(inner, _)
            | Node::Expansion(inner)
            | Node::Qualified(inner, _)
            | Node::Pointer(_, inner)
            | Node::Literal(inner, _) => printer.is_certain(inner, is_scope),
            _ => false,
        })
    }
}

//! Prints names and types.

use super::{DEPTH_LIMIT, Printer};
use crate::mangled::{
    ANONYMOUS,
    tree::{Id, Node, QUALIFIERS},
};
use kernel_args_abi::cpp::name::is_inline;

impl<'t, 's> Printer<'t, 's> {
    pub(super) fn left_of(&mut self, node: Node<'s>) {
        match node {
            Node::Name(text) | Node::Builtin(text) => self.push(text),
            Node::Operator(symbol) => {
                self.push(if symbol.starts_with(char::is_alphabetic) { "operator " } else { "operator" });
                self.push(symbol);
            }
            Node::Nested(scope, name) => {
                self.scope(scope);
                self.print(name);
            }
            Node::Local(function, name) => {
                self.print(function);
                self.push("::");
                self.print(name);
            }
            Node::Tagged(name, tag) => {
                self.left(name);
                if !self.is_tidy {
                    self.push("[abi:");
                    self.push(tag);
                    self.push("]");
                }
            }
            Node::Instance(name, arguments) => {
                self.print(name);
                self.within(["<", ">"], |printer| printer.print(arguments));
            }
            Node::Arguments(list) => self.list(list, &mut |_, _, _| {}),
            Node::Pack(list) => {
                if let Some(element) = self.element(list) {
                    self.left(element);
                }
            }
            Node::Expansion(pattern) => {
                self.expansion(pattern, self.text.len(), &mut |_, _, _| {});
            }
            Node::Parameter(argument, _) => self.left(argument),
            Node::Qualified(ty, qualifiers) => {
                self.left(ty);
                self.push(QUALIFIERS[usize::from(qualifiers)]);
            }
            Node::Pointer(mark, to) => {
                let (mark, to) = self.collapsed(mark, to);
                self.left(to);
                self.push_for(to, [" (", "(", ""]);
                self.push(mark);
            }
            Node::Member(class, ty) => {
                self.left(ty);
                self.push_for(ty, ["(", "(", " "]);
                self.print(class);
                self.push("::*");
            }
            Node::Array(element, _) => self.left(element),
            Node::Function(name, result, ..) => {
                if let Some(result) = result {
                    self.result(result, name.is_some());
                }
                if let Some(name) = name {
                    self.print(name);
                }
            }
            Node::Structor(class, is_destructor) => {
                self.push(if is_destructor { "~" } else { "" });
                self.push(self.base_name(class));
            }
            Node::Literal(ty, value) => self.literal(ty, value),
            Node::Binary(symbol, precedence, left, right) => {
                self.binary(symbol, precedence, left, right);
            }
            Node::Form(text, _, operands) => self.form(text, operands),
        }
    }

    pub(super) fn right_of(&mut self, node: Node<'s>) {
        match node {
            Node::Pack(list) => {
                if let Some(element) = self.element(list) {
                    self.right(element);
                }
            }
            Node::Parameter(inner, _) | Node::Qualified(inner, _) => self.right(inner),
            Node::Pointer(mark, to) => {
                let (_, to) = self.collapsed(mark, to);
                self.push_for(to, [")", ")", ""]);
                self.right(to);
            }
            Node::Member(_, ty) => {
                self.push_for(ty, [")", ")", ""]);
                self.right(ty);
            }
            Node::Array(element, length) => {
                self.push(if self.text.ends_with(']') { "[" } else { " [" });
                self.print(length);
                self.push("]");
                self.right(element);
            }
            Node::Function(_, result, parameters, tail) => {
                self.within(["(", ")"], |printer| {
                    printer.list(parameters, &mut |_, _, _| {});
                });
                if let Some(result) = result {
                    self.right(result);
                }
                self.print(tail);
            }
            _ => {}
        }
    }

    pub(in crate::mangled) fn result(&mut self, result: Id, is_named: bool) {
        self.left(result);
        let mut shape = self.shape(result);
        for _ in 0..DEPTH_LIMIT {
            match shape {
                Node::Pointer(_, inner) | Node::Member(_, inner) => shape = self.shape(inner),
                _ => break,
            }
        }
        let has_right = matches!(shape, Node::Array(..) | Node::Function(..));
        self.push(if has_right && is_named { "" } else { " " });
    }

    /// For an array, for a function, or for other types.
    fn push_for(&mut self, ty: Id, [array, function, neither]: [&str; 3]) {
        let text = match self.shape(ty) {
            Node::Array(..) => array,
            Node::Function(..) => function,
            _ => neither,
        };
        self.push(text);
    }

    /// A reference to a reference collapses to one reference.
    pub(super) fn collapsed(&mut self, mut mark: &'static str, mut to: Id) -> (&'static str, Id) {
        let mut inner = to;
        for _ in 0..DEPTH_LIMIT {
            inner = match (self.tree.node(inner), self.given(inner)) {
                (Node::Pointer(other, referee), _) if mark != "*" && other != "*" => {
                    mark = if other == "&" { other } else { mark };
                    to = referee;
                    referee
                }
                (_, Some(given)) => given,
                _ => break,
            };
        }
        (mark, to)
    }

    fn scope(&mut self, id: Id) {
        let tree = self.tree;
        let is_hidden = |id| match tree.node(id) {
            Node::Name(name) => name.len() < 64 && is_inline(name.as_bytes()) && name != ANONYMOUS,
            _ => false,
        };
        match tree.node(id) {
            Node::Nested(outer, name) if self.is_tidy && is_hidden(name) => {
                self.visit(|printer| printer.scope(outer));
            }
            _ if self.is_tidy && is_hidden(id) => {}
            _ => {
                self.print(id);
                self.push("::");
            }
        }
    }

    fn base_name(&self, mut id: Id) -> &'s str {
        loop {
            id = match self.tree.node(id) {
                Node::Name(name) => {
                    let plain = name.split('<').next().unwrap_or_default();
                    return plain.rsplit("::").next().unwrap_or_default();
                }
                Node::Nested(_, name) | Node::Instance(name, _) | Node::Tagged(name, _) => name,
                _ => return "",
            };
        }
    }
}

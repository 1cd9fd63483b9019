//! Writes a symbol's tree as text, in the style of llvm-cxxfilt.

mod known;
mod nodes;
mod values;

use super::tree::{Id, Node, NodeList, Tree};
use crate::prelude::*;
use core::{mem, ops::Range};

/// In bytes. With substitutions, the length can grow exponentially.
pub(super) const TEXT_LIMIT: usize = 64 << 10;

/// A step is a visited node or 64 written bytes, even if the bytes are removed again.
const STEP_LIMIT: u32 = 1 << 20;

/// Including substitutions.
const DEPTH_LIMIT: u32 = 512;

pub(super) struct Printer<'t, 's> {
    tree: &'t Tree<'s>,
    pub(super) text: String,
    /// Whether inline namespaces and ABI tags are omitted.
    is_tidy: bool,
    /// The length of the packs in an expansion, and the current element.
    pack: Option<(usize, usize)>,
    /// Since the last `<`. If it is 0, a `>` would end the template arguments.
    brackets: u32,
    depth: u32,
    steps: u32,
}

type OnItem<'f, 't, 's> = &'f mut dyn FnMut(&mut Printer<'t, 's>, Id, Range<usize>);

impl<'t, 's> Printer<'t, 's> {
    pub(super) fn new(tree: &'t Tree<'s>, is_tidy: bool) -> Self {
        Self { tree, text: String::new(), is_tidy, pack: None, brackets: 1, depth: 0, steps: 0 }
    }

    pub(super) fn finish(self) -> Option<String> {
        (self.steps < STEP_LIMIT).then_some(self.text)
    }

    pub(super) fn push(&mut self, text: &str) {
        self.steps = self.steps.saturating_add(text.len() as u32 / 64);
        if self.text.len() + text.len() > TEXT_LIMIT {
            self.steps = STEP_LIMIT;
        } else {
            self.text.push_str(text);
        }
    }

    fn visit<T: Default>(&mut self, visit: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth == DEPTH_LIMIT || self.steps >= STEP_LIMIT {
            self.steps = STEP_LIMIT;
            return T::default();
        }
        self.steps += 1;
        self.depth += 1;
        let found = visit(self);
        self.depth -= 1;
        found
    }

    pub(super) fn print(&mut self, id: Id) {
        self.left(id);
        self.right(id);
    }

    /// The part of a type before the declared name: `int (*` of `int (*)[4]`.
    pub(super) fn left(&mut self, id: Id) {
        self.visit(|printer| printer.left_of(printer.tree.node(id)));
    }

    /// The part of a type after the declared name: `)[4]` of `int (*)[4]`.
    pub(super) fn right(&mut self, id: Id) {
        self.visit(|printer| printer.right_of(printer.tree.node(id)));
    }

    pub(super) fn within(&mut self, [open, close]: [&str; 2], print: impl FnOnce(&mut Self)) {
        let inside = if open == "<" { 0 } else { self.brackets + 1 };
        let outside = mem::replace(&mut self.brackets, inside);
        self.push(open);
        print(self);
        self.push(close);
        self.brackets = outside;
    }

    pub(super) fn list(&mut self, list: NodeList, found: OnItem<'_, 't, 's>) {
        self.items(list, self.text.len(), found);
    }

    fn items(&mut self, list: NodeList, start: usize, found: OnItem<'_, 't, 's>) {
        for &id in self.tree.items(list) {
            match self.tree.node(id) {
                Node::Arguments(pack) => self.items(pack, start, found),
                Node::Expansion(pattern) => self.expansion(pattern, start, found),
                _ => self.item(id, 18, start, found),
            }
        }
    }

    /// An item of a list that begins at `start`. Without text, it is omitted with its comma.
    fn item(&mut self, id: Id, limit: u8, start: usize, found: OnItem<'_, 't, 's>) {
        let before = self.text.len();
        self.push(if before > start { ", " } else { "" });
        let from = self.text.len();
        self.operand(id, limit);
        if self.text.len() == from {
            self.text.truncate(before);
        } else {
            found(self, id, from..self.text.len());
        }
    }

    fn expansion(&mut self, pattern: Id, start: usize, found: OnItem<'_, 't, 's>) {
        let around = self.pack.take();
        let before = self.text.len();
        // The first pass finds the length of the packs.
        self.print(pattern);
        self.text.truncate(before);
        for at in 0..self.pack.map_or(1, |(length, _)| length) {
            self.pack = self.pack.map(|(length, _)| (length, at));
            self.item(pattern, u8::MAX, start, found);
        }
        // The pattern contains a pack of function parameters, whose length is unknown.
        if self.pack.is_none() {
            self.push("...");
        }
        self.pack = around;
    }

    fn element(&mut self, pack: NodeList) -> Option<Id> {
        let items = self.tree.items(pack);
        let (_, at) = *self.pack.get_or_insert((items.len(), 0));
        items.get(at).copied()
    }

    fn given(&mut self, id: Id) -> Option<Id> {
        match self.tree.node(id) {
            Node::Parameter(argument, _) => Some(argument),
            Node::Pack(list) => self.element(list),
            _ => None,
        }
    }

    /// Without qualifiers, with template parameters replaced.
    fn shape(&mut self, mut id: Id) -> Node<'s> {
        for _ in 0..DEPTH_LIMIT {
            id = match (self.tree.node(id), self.given(id)) {
                (Node::Qualified(inner, _), _) | (_, Some(inner)) => inner,
                (node, None) => return node,
            };
        }
        Node::Name("")
    }
}

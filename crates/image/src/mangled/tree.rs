//! The tree of a symbol: nodes in one list. A substitution (`S0_`) is the node that it refers to.

use crate::prelude::*;

pub(super) type Id = u32;

/// In the lists of a [`Tree`].
#[derive(Clone, Copy)]
pub(super) struct NodeList(u32, u32);

#[derive(Clone, Copy)]
pub(super) enum Node<'s> {
    Name(&'s str),
    Builtin(&'static str),
    /// The name of an operator function: `+`.
    Operator(&'static str),
    Nested(Id, Id),
    Local(Id, Id),
    /// A name with an ABI tag.
    Tagged(Id, &'s str),
    /// `name<arguments>`: the second node is [`Arguments`](Self::Arguments).
    Instance(Id, Id),
    /// Template arguments, or the arguments of one parameter pack.
    Arguments(NodeList),
    Pack(NodeList),
    /// A pattern that is expanded for each element of the packs in it.
    Expansion(Id),
    /// A template parameter: its argument, its level and its number.
    Parameter(Id, (usize, usize)),
    /// A type with `const` (1), `volatile` (2) or `restrict` (4).
    Qualified(Id, u8),
    /// `*`, `&` or `&&`, and the type that it points or refers to.
    Pointer(&'static str, Id),
    /// A pointer to a member: the class, and the member's type.
    Member(Id, Id),
    Array(Id, Id),
    /// Name (none for a function type), return type, parameters, and the text after the parameters.
    Function(Option<Id>, Option<Id>, NodeList, Id),
    /// The constructor or the destructor (`true`) of a class.
    Structor(Id, bool),
    /// A value: its type and its mangled digits.
    Literal(Id, &'s str),
    /// An operator with its precedence, between two expressions.
    Binary(&'static str, u8, Id, Id),
    /// The text of a [`Production`](super::parser), its precedence, and the operands.
    Form(&'static str, u8, NodeList),
}

#[derive(Default)]
pub(super) struct Tree<'s> {
    nodes: Vec<Node<'s>>,
    lists: Vec<Id>,
}

impl<'s> Tree<'s> {
    pub(super) fn add(&mut self, node: Node<'s>) -> Id {
        self.nodes.push(node);
        self.nodes.len() as Id - 1
    }

    pub(super) fn node(&self, id: Id) -> Node<'s> {
        self.nodes[id as usize]
    }

    /// Of a template parameter that was used before its arguments.
    pub(super) fn resolve(&mut self, parameter: Id, argument: Id, number: usize) {
        self.nodes[parameter as usize] = Node::Parameter(argument, (0, number));
    }

    /// `given` returns the new arguments of the template parameters.
    pub(super) fn rebind(&mut self, id: Id, given: impl Fn((usize, usize)) -> Option<Id>) -> Id {
        // A node has a larger index than the nodes in it.
        let mut rebound: Vec<Option<Id>> = vec![None; id as usize + 1];
        rebound[id as usize] = Some(id);
        for at in (0..=id).rev() {
            if rebound[at as usize].is_some() {
                self.with(at, &mut |inner| {
                    rebound[inner as usize] = Some(inner);
                    inner
                });
            }
        }
        for at in 0..=id {
            if rebound[at as usize].is_none() {
                continue;
            }
            let new = if let Node::Parameter(_, place) = self.node(at) {
                given(place).map(|to| self.add(Node::Parameter(to, place)))
            } else {
                let mut is_changed = false;
                let node = self.with(at, &mut |inner| {
                    let new = rebound[inner as usize].unwrap_or(inner);
                    is_changed |= new != inner;
                    new
                });
                is_changed.then(|| self.add(node))
            };
            rebound[at as usize] = Some(new.unwrap_or(at));
        }
        rebound[id as usize].unwrap_or(id)
    }

    /// With each inner node replaced. A local name is not changed: its template parameters belong to its function.
    fn with(&mut self, id: Id, other: &mut dyn FnMut(Id) -> Id) -> Node<'s> {
        let mut node = self.node(id);
        let mut replace = |list: &mut NodeList| {
            let old = self.items(*list).to_vec();
            let new: Vec<Id> = old.iter().map(|&id| other(id)).collect();
            if new != old {
                *list = self.list(&new);
            }
        };
        match &mut node {
            Node::Arguments(list) | Node::Pack(list) | Node::Form(.., list) => replace(list),
            Node::Function(name, result, parameters, tail) => {
                replace(parameters);
                name.iter_mut().chain(result).chain([tail]).for_each(|inner| *inner = other(*inner));
            }
            Node::Nested(first, second)
            | Node::Instance(first, second)
            | Node::Member(first, second)
            | Node::Array(first, second)
            | Node::Binary(_, _, first, second) => (*first, *second) = (other(*first), other(*second)),
            Node::Tagged(inner, _)
            | Node::Expansion(inner)
            | Node::Qualified(inner, _)
            | Node::Pointer(_, inner)
            | Node::Structor(inner, _)
            | Node::Literal(inner, _) => *inner = other(*inner),
            Node::Name(_) | Node::Builtin(_) | Node::Operator(_) | Node::Local(..) | Node::Parameter(..) => {}
        }
        node
    }

    pub(super) fn list(&mut self, ids: &[Id]) -> NodeList {
        let start = self.lists.len() as u32;
        self.lists.extend(ids);
        NodeList(start, ids.len() as u32)
    }

    pub(super) fn items(&self, list: NodeList) -> &[Id] {
        &self.lists[list.0 as usize..][..list.1 as usize]
    }
}

/// The precedence of assignments, which are right-associative.
pub(super) const ASSIGNMENT: u8 = 17;

/// `const` (1), `volatile` (2) and `restrict` (4) after a type.
pub(super) const QUALIFIERS: [&str; 8] = [
    "",
    " const",
    " volatile",
    " const volatile",
    " restrict",
    " const restrict",
    " volatile restrict",
    " const volatile restrict",
];

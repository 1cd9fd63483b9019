//! The parser of mangled names. This module contains the functions that all productions use.

mod expressions;
mod grammar;
mod names;
mod templates;
mod types;
mod unqualified;

use super::tree::{Id, Node, Tree};
use crate::prelude::*;
use core::mem;
use grammar::{Production, operator};

const DEPTH_LIMIT: u32 = 256;

/// Nodes that are visited to replace template parameters in substitutions.
const REBINDING_LIMIT: usize = 1 << 22;

/// Every function removes the text that it reads from the front of `rest`. `None` means that the symbol is not a valid
/// mangled name.
#[derive(Default)]
pub(super) struct Parser<'s> {
    pub(super) rest: &'s str,
    pub(super) tree: Tree<'s>,
    /// The nodes that substitutions refer to, each with the scope of its template parameters.
    substitutions: Vec<(Id, usize)>,
    /// The values of `T_`: the arguments of the function template, then the parameters of each enclosing lambda.
    levels: Vec<Option<Vec<Id>>>,
    /// The position in the symbol where `levels` begin.
    scope: usize,
    /// Template parameters before their arguments, in the name of a conversion, and their numbers.
    forward: Vec<(Id, usize)>,
    permits_forward: bool,
    /// Whether template arguments after a type belong to the conversion, not to the type.
    in_conversion: bool,
    /// Template parameters in a constraint do not refer to `levels`.
    in_constraint: bool,
    /// The level of the `auto` parameters of a lambda.
    lambda_level: Option<usize>,
    /// The kind of the template parameter in the current declaration, and whether it is a pack.
    declared: (u8, bool),
    counts: [usize; 3],
    depth: u32,
    rebindings: usize,
}

impl<'s> Parser<'s> {
    pub(super) fn new(rest: &'s str) -> Self {
        Self { rest, rebindings: REBINDING_LIMIT, ..Self::default() }
    }

    fn next(&self) -> u8 {
        self.peek(0)
    }

    fn peek(&self, at: usize) -> u8 {
        self.rest.as_bytes().get(at).copied().unwrap_or(0)
    }

    fn skip(&mut self, length: usize) {
        self.rest = self.rest.get(length..).unwrap_or_default();
    }

    fn eat(&mut self, text: &str) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.eat(text).then_some(())
    }

    fn take(&mut self, is_part: impl Fn(char) -> bool) -> &'s str {
        let length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    fn digits(&mut self) -> &'s str {
        self.take(|c| c.is_ascii_digit())
    }

    fn identifier(&mut self) -> Option<&'s str> {
        let length = self.digits().parse().ok().filter(|length| *length > 0)?;
        let (name, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        // Names in PTX have no other characters. A type with the name `&` would be a reference to nothing.
        name.chars().all(|c| c.is_ascii_alphanumeric() || "_$.".contains(c)).then_some(name)
    }

    /// Returns the number in an operand such as `T1_`: `T_` is 0, and `T0_` is 1.
    fn ordinal(&mut self, radix: u32) -> Option<usize> {
        let digits = self.take(|c| c.is_digit(radix) && !c.is_ascii_lowercase());
        self.expect("_")?;
        match digits {
            "" => Some(0),
            digits => usize::from_str_radix(digits, radix).ok()?.checked_add(1),
        }
    }

    fn add(&mut self, node: Node<'s>) -> Id {
        self.tree.add(node)
    }

    fn word(&mut self, text: &'s str) -> Id {
        self.add(Node::Name(text))
    }

    fn form(&mut self, text: &'static str, precedence: u8, operands: &[Id]) -> Id {
        let operands = self.tree.list(operands);
        self.add(Node::Form(text, precedence, operands))
    }

    fn listed(&mut self, ids: &[Id]) -> Id {
        let list = self.tree.list(ids);
        self.add(Node::Arguments(list))
    }

    fn add_substitution(&mut self, id: Id) {
        self.substitutions.push((id, self.scope));
    }

    /// Compilers treat the `T_` of all templates as equal. Template parameters in a substitution therefore belong to
    /// the current template: `_Z1kIZ1fIiEvT_EUlvE_EvS1_` is `k<T>(T)`, not `k<T>(int)`.
    fn substitution_at(&mut self, at: usize) -> Option<Id> {
        let (mut id, scope) = *self.substitutions.get(at)?;
        if scope != self.scope {
            self.rebindings = self.rebindings.checked_sub(id as usize)?;
            let levels = &self.levels;
            id = self.tree.rebind(id, |(level, number)| levels.get(level)?.as_ref()?.get(number).copied());
            self.substitutions[at] = (id, self.scope);
        }
        Some(id)
    }

    fn scoped<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let around = (mem::take(&mut self.levels), self.scope);
        self.scope = self.rest.len();
        let found = read(self);
        (self.levels, self.scope) = around;
        found
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let found = (self.depth <= DEPTH_LIMIT).then(|| read(self)).flatten();
        self.depth -= 1;
        found
    }

    fn until(&mut self, end: &str, read: impl Fn(&mut Self) -> Option<Id>) -> Option<Vec<Id>> {
        let mut found = Vec::new();
        while !self.eat(end) {
            found.push(read(self)?);
        }
        Some(found)
    }

    fn production(&mut self, of: &'static [Production]) -> Option<&'static Production> {
        of.iter().find(|production| self.eat(production.0))
    }

    fn complete(&mut self, production: &'static Production) -> Option<Id> {
        let &(_, letters, text, precedence) = production;
        let mut operands = Vec::new();
        for letter in letters.bytes() {
            operands.push(match letter {
                b't' => self.ty()?,
                b'n' => self.name(None)?,
                b'e' => self.expression()?,
                b'i' => self.source_name()?,
                b'd' => self.dimension()?,
                b'o' => {
                    let (_, _, symbol) = operator(self.rest)?;
                    self.skip(2);
                    self.word(symbol)
                }
                b'c' => {
                    let around = mem::replace(&mut self.in_conversion, true);
                    let ty = self.ty()?;
                    self.in_conversion = around;
                    ty
                }
                b'v' if !self.eat("_") => self.expression()?,
                b'v' | b'x' => {
                    let found = self.until("E", Self::expression)?;
                    self.listed(&found)
                }
                b'l' => self.declarations()?,
                b'm' | b'k' => {
                    let values = match (letter, self.eat("pi")) {
                        (b'm', false) => self.until("_", Self::expression)?,
                        (b'k', true) => self.until("E", Self::expression)?,
                        _ => self.until("E", |_| None)?,
                    };
                    let text = if values.is_empty() { "" } else { "(%)" };
                    let values = self.listed(&values);
                    self.form(text, 0, &[values])
                }
                b'p' => {
                    let pattern = self.expression()?;
                    self.add(Node::Expansion(pattern))
                }
                b's' => match (self.next(), self.expression()?) {
                    (b'T', pack) => self.add(Node::Expansion(pack)),
                    (_, pack) => pack,
                },
                b'N' => {
                    let int = self.add(Node::Builtin("int"));
                    let number = self.take(|c| c == 'n' || c.is_ascii_digit());
                    self.take(|c| c == '_' || c == 'p' || c.is_ascii_digit());
                    let number = if number.is_empty() { "0" } else { number };
                    self.add(Node::Literal(int, number))
                }
                b'Y' => self.declared_name()?,
                _ => {
                    self.expect(if letter == b'_' { "_" } else { "E" })?;
                    continue;
                }
            });
        }
        Some(self.form(text, precedence, &operands))
    }
}

//! Expressions: `<expression>` of the ABI.

use super::{
    Parser,
    grammar::{EXPRESSIONS, Fixity, operator},
};
use crate::mangled::tree::{Id, Node};
use core::mem;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Option<Id> {
        self.deeper(|parser| {
            let is_global = parser.eat("gs");
            if let Some((kind, precedence, symbol)) = operator(parser.rest)
                && kind != Fixity::Name
            {
                parser.skip(2);
                return parser.operation(kind, precedence, symbol);
            }
            let is_parameter = parser.peek(1) == b'p' || parser.peek(2).is_ascii_digit();
            match parser.next() {
                b'L' => return parser.literal(),
                b'T' => return parser.parameter(),
                b'f' if is_parameter => return parser.function_parameter(),
                _ => {}
            }
            let Some(production) = parser.production(&EXPRESSIONS) else {
                return parser.unresolved(is_global);
            };
            let found = parser.complete(production)?;
            Some(if is_global { parser.form("::%", production.3, &[found]) } else { found })
        })
    }

    fn operation(&mut self, kind: Fixity, precedence: u8, symbol: &'static str) -> Option<Id> {
        let is_prefix = kind == Fixity::Postfix && self.eat("_");
        let left = self.expression()?;
        if kind == Fixity::Binary {
            let right = self.expression()?;
            return Some(self.add(Node::Binary(symbol, precedence, left, right)));
        }
        let symbol = self.word(symbol);
        Some(match (kind, is_prefix) {
            (Fixity::Prefix, _) => self.form("%%C", precedence, &[symbol, left]),
            (_, true) => self.form("%%B", precedence, &[symbol, left]),
            _ => self.form("%C%", precedence, &[left, symbol]),
        })
    }

    fn function_parameter(&mut self) -> Option<Id> {
        self.skip(1);
        self.eat("L");
        self.digits();
        self.expect("p")?;
        self.qualifiers();
        let number = self.digits();
        self.expect("_")?;
        let number = self.word(number);
        Some(self.form("fp%", 0, &[number]))
    }

    pub(super) fn literal(&mut self) -> Option<Id> {
        self.expect("L")?;
        if self.eat("_Z") {
            let function = self.encoding()?;
            self.expect("E")?;
            return Some(function);
        }
        let ty = self.ty()?;
        let value = self.take(|c| c.is_ascii_digit() || c.is_ascii_lowercase());
        self.expect("E")?;
        Some(self.add(Node::Literal(ty, value)))
    }

    fn unresolved(&mut self, is_global: bool) -> Option<Id> {
        let mut scope = None;
        if self.eat("sr") {
            // The ABI permits parameters and identifiers here, but g++ writes any type: `St7is_sameIT_iE`,
            // `NS_6TraitsIT_EE`.
            let is_type = match self.rest.strip_prefix('N') {
                Some(rest) if rest.starts_with('S') => {
                    let around = mem::replace(&mut self.rest, rest);
                    let scope = self.substitution()?;
                    self.rest = around;
                    !matches!(self.tree.node(scope), Node::Parameter(..) | Node::Form(..))
                }
                Some(rest) => !rest.starts_with(['T', 'D']),
                None => self.next() == b'S',
            };
            let is_path = !is_type && self.eat("N") || self.next().is_ascii_digit();
            if is_type {
                scope = Some(self.ty()?);
            } else if !self.next().is_ascii_digit() {
                let ty = self.unresolved_type()?;
                scope = Some(self.with_arguments(ty)?);
            }
            while !is_type && is_path && !self.eat("E") {
                let name = self.simple_name()?;
                scope = Some(match scope {
                    Some(scope) => self.add(Node::Nested(scope, name)),
                    None if is_global => self.form("::%", 0, &[name]),
                    None => name,
                });
            }
        }
        let name = if self.next().is_ascii_digit() {
            self.simple_name()?
        } else {
            self.eat("on");
            let name = self.operator_name(None)?;
            self.with_arguments(name)?
        };
        match scope {
            Some(scope) => Some(self.add(Node::Nested(scope, name))),
            None if is_global => Some(self.form("::%", 0, &[name])),
            None => Some(name),
        }
    }

    fn with_arguments(&mut self, name: Id) -> Option<Id> {
        match self.next() {
            b'I' => self.instance(name, true, None),
            _ => Some(name),
        }
    }

    fn simple_name(&mut self) -> Option<Id> {
        let name = self.source_name()?;
        self.with_arguments(name)
    }

    fn unresolved_type(&mut self) -> Option<Id> {
        let ty = match self.next() {
            b'T' => self.parameter()?,
            b'D' => self.decltype()?,
            _ => return self.substitution(),
        };
        self.add_substitution(ty);
        Some(ty)
    }
}

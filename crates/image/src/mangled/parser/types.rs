//! Types: `<type>` of the ABI.

use super::{
    Parser,
    grammar::{BUILTIN, EXCEPTIONS, OTHER_TYPES, TYPES},
};
use crate::mangled::tree::{Id, Node};
use crate::prelude::*;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Option<Id> {
        if matches!(self.next(), b'a'..=b'z' | b'D') {
            for builtin in BUILTIN.split(',') {
                let (code, name) = builtin.split_once('=')?;
                if self.eat(code) {
                    return Some(self.add(Node::Builtin(name)));
                }
            }
        }
        self.deeper(|parser| {
            if let Some(production) = parser.production(&OTHER_TYPES) {
                return parser.complete(production);
            }
            if parser.next() == b'S' && parser.peek(1) != b't' {
                let (name, _) = parser.unscoped(None)?;
                if parser.next() != b'I' || parser.in_conversion {
                    return Some(name);
                }
                let instance = parser.instance(name, true, None)?;
                parser.add_substitution(instance);
                return Some(instance);
            }
            let ty = parser.compound()?;
            parser.add_substitution(ty);
            Some(ty)
        })
    }

    fn compound(&mut self) -> Option<Id> {
        let unqualified = self.rest.trim_start_matches(['r', 'V', 'K']);
        if ["F", "Do", "DO", "Dw", "Dx"].iter().any(|code| unqualified.starts_with(code)) {
            return self.function_type();
        }
        if let Some(production) = self.production(&TYPES) {
            return self.complete(production);
        }
        match (self.next(), self.peek(1)) {
            (b'r' | b'V' | b'K' | b'U', _) => self.qualified(),
            (b'P', _) => self.pointer("*"),
            (b'R', _) => self.pointer("&"),
            (b'O', _) => self.pointer("&&"),
            (b'A', _) => {
                self.skip(1);
                let length = self.dimension()?;
                self.expect("_")?;
                let element = self.ty()?;
                Some(self.add(Node::Array(element, length)))
            }
            (b'M', _) => {
                self.skip(1);
                let class = self.ty()?;
                let member = self.ty()?;
                Some(self.add(Node::Member(class, member)))
            }
            (b'D', b'p') => {
                self.skip(2);
                let pattern = self.ty()?;
                Some(self.add(Node::Expansion(pattern)))
            }
            (b'T', _) => {
                let parameter = self.parameter()?;
                match self.next() {
                    b'I' if !self.in_conversion => self.instance(parameter, false, None),
                    _ => Some(parameter),
                }
            }
            _ => self.name(None),
        }
    }

    fn pointer(&mut self, mark: &'static str) -> Option<Id> {
        self.skip(1);
        let to = self.ty()?;
        Some(self.add(Node::Pointer(mark, to)))
    }

    /// `const` is 1, `volatile` 2, `restrict` 4.
    pub(super) fn qualifiers(&mut self) -> u8 {
        let (restrict, volatile, constant) = (self.eat("r"), self.eat("V"), self.eat("K"));
        u8::from(constant) | u8::from(volatile) << 1 | u8::from(restrict) << 2
    }

    fn qualified(&mut self) -> Option<Id> {
        if self.eat("U") {
            let name = self.source_name()?;
            let ty = self.deeper(Self::qualified)?;
            return Some(self.form("% %", 0, &[ty, name]));
        }
        let qualifiers = self.qualifiers();
        let ty = self.ty()?;
        match qualifiers {
            0 => Some(ty),
            _ => Some(self.add(Node::Qualified(ty, qualifiers))),
        }
    }

    fn function_type(&mut self) -> Option<Id> {
        let qualifiers = self.qualifiers();
        let exceptions = match self.production(&EXCEPTIONS) {
            Some(production) => self.complete(production)?,
            None => self.word(""),
        };
        self.eat("Dx");
        self.expect("F")?;
        self.eat("Y");
        let result = self.ty()?;
        let mut parameters = Vec::new();
        let reference = loop {
            if self.eat("E") {
                break "";
            } else if self.eat("RE") {
                break " &";
            } else if self.eat("OE") {
                break " &&";
            } else if !self.eat("v") {
                parameters.push(self.ty()?);
            }
        };
        let tail = self.tail(qualifiers, reference, exceptions);
        let parameters = self.tree.list(&parameters);
        Some(self.add(Node::Function(None, Some(result), parameters, tail)))
    }

    pub(super) fn decltype(&mut self) -> Option<Id> {
        let production = self.production(&TYPES[2..4])?;
        self.complete(production)
    }

    /// Returns the length of an array: a number, an expression, or nothing.
    pub(super) fn dimension(&mut self) -> Option<Id> {
        match self.next() {
            b'_' | b'0'..=b'9' => {
                let length = self.digits();
                Some(self.word(length))
            }
            _ => self.expression(),
        }
    }
}

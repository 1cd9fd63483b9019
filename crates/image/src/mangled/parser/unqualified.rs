//! Names without their scope: `<unqualified-name>` of the ABI, and substitutions.

use super::{
    Parser,
    grammar::{Fixity, operator},
    names::Of,
};
use crate::mangled::{
    ANONYMOUS,
    tree::{Id, Node},
};
use crate::prelude::*;
use core::mem;

impl Parser<'_> {
    pub(super) fn unqualified(&mut self, mut scope: Option<Id>, of: Of<'_>) -> Option<Id> {
        self.eat("L");
        let name = match self.next() {
            b'1'..=b'9' => self.source_name()?,
            b'U' => self.unnamed(of.is_some())?,
            b'C' | b'D' => {
                scope = Some(self.class(scope?));
                self.structor(scope?, of)?
            }
            _ => self.operator_name(of)?,
        };
        let name = self.tags(name)?;
        match scope {
            None => Some(name),
            Some(scope) => Some(self.add(Node::Nested(scope, name))),
        }
    }

    pub(super) fn source_name(&mut self) -> Option<Id> {
        let name = self.identifier()?;
        Some(self.word(if name.starts_with("_GLOBAL__N") { ANONYMOUS } else { name }))
    }

    fn tags(&mut self, mut name: Id) -> Option<Id> {
        while self.eat("B") {
            let tag = self.identifier()?;
            name = self.add(Node::Tagged(name, tag));
        }
        Some(name)
    }

    fn structor(&mut self, class: Id, of: Of<'_>) -> Option<Id> {
        let is_destructor = self.next() == b'D';
        self.skip(1);
        let is_inherited = !is_destructor && self.eat("I");
        matches!(self.next(), b'0'..=b'5').then_some(())?;
        self.skip(1);
        if let Some(signature) = of {
            signature.has_no_result = true;
        }
        if is_inherited {
            self.ty()?;
        }
        Some(self.add(Node::Structor(class, is_destructor)))
    }

    /// Constructors of types such as `std::string` are printed with the name of the class template instance.
    fn class(&mut self, scope: Id) -> Id {
        let name = match self.tree.node(scope) {
            Node::Name("std::string") => "std::basic_string<char, std::char_traits<char>, std::allocator<char>>",
            Node::Name("std::istream") => "std::basic_istream<char, std::char_traits<char>>",
            Node::Name("std::ostream") => "std::basic_ostream<char, std::char_traits<char>>",
            Node::Name("std::iostream") => "std::basic_iostream<char, std::char_traits<char>>",
            _ => return scope,
        };
        self.word(name)
    }

    pub(super) fn substitution(&mut self) -> Option<Id> {
        self.expect("S")?;
        let standard = match self.next() {
            b't' => "std",
            b'a' => "std::allocator",
            b'b' => "std::basic_string",
            b's' => "std::string",
            b'i' => "std::istream",
            b'o' => "std::ostream",
            b'd' => "std::iostream",
            _ => {
                let at = self.ordinal(36)?;
                return self.substitution_at(at);
            }
        };
        self.skip(1);
        let name = self.word(standard);
        let tagged = self.tags(name)?;
        if tagged != name {
            self.add_substitution(tagged);
        }
        Some(tagged)
    }

    fn unnamed(&mut self, is_function: bool) -> Option<Id> {
        if is_function {
            self.levels.clear();
        }
        let (text, declarator) =
            if self.eat("Ut") { ("'unnamed%'", self.word("")) } else { ("'lambda%'%", self.closure()?) };
        let number = self.digits();
        self.expect("_")?;
        let number = self.word(number);
        Some(self.form(text, 0, &[number, declarator]))
    }

    fn closure(&mut self) -> Option<Id> {
        self.expect("Ul")?;
        let level = self.levels.len();
        let around = self.lambda_level.replace(level);
        self.levels.push(Some(Vec::new()));
        let mut declared = Vec::new();
        while self.declares() {
            declared.push(self.declaration()?);
        }
        let text = if declared.is_empty() {
            self.levels.pop();
            ""
        } else {
            "<%>"
        };
        let declared = self.listed(&declared);
        let declared = self.form(text, 0, &[declared]);
        let first = self.constraint(" requires % ")?;
        let parameters = self.parameters()?;
        let parameters = self.listed(&parameters);
        let second = self.constraint(" requires %")?;
        self.expect("E")?;
        self.levels.truncate(level);
        self.lambda_level = around;
        Some(self.form("%%(%)%", 0, &[declared, first, parameters, second]))
    }

    pub(super) fn operator_name(&mut self, of: Of<'_>) -> Option<Id> {
        if self.eat("cv") {
            let in_conversion = mem::replace(&mut self.in_conversion, true);
            let permits_forward = self.permits_forward;
            self.permits_forward |= of.is_some();
            let ty = self.ty()?;
            self.in_conversion = in_conversion;
            self.permits_forward = permits_forward;
            if let Some(signature) = of {
                signature.has_no_result = true;
            }
            return Some(self.form("operator %", 0, &[ty]));
        }
        if self.eat("li") {
            let name = self.source_name()?;
            return Some(self.form("operator\"\" %", 0, &[name]));
        }
        let (kind, _, symbol) = operator(self.rest)?;
        self.skip(2);
        let is_name = kind != Fixity::Binary || !matches!(symbol, "." | ".*");
        is_name.then(|| self.tree.add(Node::Operator(symbol)))
    }
}

//! Functions and names: `<encoding>` and `<name>` of the ABI.

use super::Parser;
use crate::mangled::tree::{Id, Node, QUALIFIERS};
use crate::prelude::*;

/// The parts of a function's signature that its name contains.
#[derive(Default)]
pub(super) struct Signature {
    /// Constructors, destructors and conversions: their symbols contain no return type.
    pub(super) has_no_result: bool,
    is_instance: bool,
    qualifiers: u8,
    reference: &'static str,
}

/// `T_` in the signature of a function refers to the template arguments of its name.
pub(super) type Of<'a> = Option<&'a mut Signature>;

impl Parser<'_> {
    /// `<encoding>`. Special names (`_ZTV`, `_ZGV`) are not kernels and are not read.
    pub(in crate::mangled) fn encoding(&mut self) -> Option<Id> {
        self.scoped(|parser| parser.deeper(Self::function_or_data))
    }

    fn function_or_data(&mut self) -> Option<Id> {
        let first = self.forward.len();
        let mut signature = Signature::default();
        let name = self.name(Some(&mut signature))?;
        for (parameter, number) in self.forward.split_off(first) {
            let arguments = self.levels.first()?.as_ref()?;
            self.tree.resolve(parameter, *arguments.get(number)?, number);
        }
        if self.ends() {
            return Some(name);
        }
        let result = if signature.is_instance && !signature.has_no_result { Some(self.ty()?) } else { None };
        let parameters = self.parameters()?;
        let constraint = self.constraint(" requires %")?;
        let tail = self.tail(signature.qualifiers, signature.reference, constraint);
        let parameters = self.tree.list(&parameters);
        Some(self.add(Node::Function(Some(name), result, parameters, tail)))
    }

    fn ends(&self) -> bool {
        matches!(self.next(), 0 | b'E' | b'.' | b'_')
    }

    /// Reads parameters up to the end of a signature, or its constraint.
    pub(super) fn parameters(&mut self) -> Option<Vec<Id>> {
        let mut parameters = Vec::new();
        let mut goes_on = !self.eat("v");
        while goes_on {
            parameters.push(self.ty()?);
            goes_on = !self.ends() && self.next() != b'Q';
        }
        Some(parameters)
    }

    pub(super) fn tail(&mut self, qualifiers: u8, reference: &'static str, more: Id) -> Id {
        let qualifiers = self.word(QUALIFIERS[usize::from(qualifiers)]);
        let reference = self.word(reference);
        self.form("%%%", 0, &[qualifiers, reference, more])
    }

    pub(super) fn name(&mut self, mut of: Of<'_>) -> Option<Id> {
        self.deeper(|parser| match parser.next() {
            b'N' => parser.nested(of),
            b'Z' => parser.local(of),
            _ => {
                let (name, is_substitution) = parser.unscoped(of.as_deref_mut())?;
                match parser.next() {
                    b'I' => parser.instance(name, is_substitution, of),
                    _ => (!is_substitution).then_some(name),
                }
            }
        })
    }

    /// Returns a template instance. Substitutions can refer to the name of the template.
    pub(super) fn instance(&mut self, name: Id, is_substitution: bool, of: Of<'_>) -> Option<Id> {
        if !is_substitution {
            self.add_substitution(name);
        }
        let arguments = self.arguments(of.is_some())?;
        if let Some(signature) = of {
            signature.is_instance = true;
        }
        Some(self.add(Node::Instance(name, arguments)))
    }

    /// `<unscoped-name>`, or a substitution (`true`).
    pub(super) fn unscoped(&mut self, of: Of<'_>) -> Option<(Id, bool)> {
        if self.next() == b'S' && self.peek(1) != b't' {
            return Some((self.substitution()?, true));
        }
        let scope = self.eat("St").then(|| self.word("std"));
        Some((self.unqualified(scope, of)?, false))
    }

    fn nested(&mut self, mut of: Of<'_>) -> Option<Id> {
        self.expect("N")?;
        let qualifiers = self.qualifiers();
        let reference = match self.next() {
            b'R' => " &",
            b'O' => " &&",
            _ => "",
        };
        self.skip(usize::from(!reference.is_empty()));
        if let Some(signature) = of.as_deref_mut() {
            *signature = Signature { qualifiers, reference, ..Signature::default() };
        }
        let mut so_far = None;
        while !self.eat("E") {
            if let Some(signature) = of.as_deref_mut() {
                signature.is_instance = false;
            }
            let part = match (self.next(), self.peek(1), so_far) {
                (b'T', _, None) => self.parameter()?,
                (b'D', b't' | b'T', None) => self.decltype()?,
                (b'S', _, None) => {
                    so_far = Some(self.substitution()?);
                    continue;
                }
                (b'I', _, Some(name)) => self.instance(name, true, of.as_deref_mut())?,
                _ => self.unqualified(so_far, of.as_deref_mut())?,
            };
            self.add_substitution(part);
            so_far = Some(part);
            self.eat("M");
        }
        self.substitutions.pop();
        so_far
    }

    fn local(&mut self, of: Of<'_>) -> Option<Id> {
        self.expect("Z")?;
        let function = self.encoding()?;
        self.expect("E")?;
        if self.eat("d") {
            self.digits();
            self.expect("_")?;
        }
        let name = match of {
            Some(signature) => {
                self.levels.clear();
                self.name(Some(signature))?
            }
            None => self.scoped(|parser| parser.name(None))?,
        };
        // The discriminator of equal names in one function.
        if self.eat("__") {
            self.digits();
            self.expect("_")?;
        } else if self.next() == b'_' && self.peek(1).is_ascii_digit() {
            self.skip(2);
        }
        Some(self.add(Node::Local(function, name)))
    }
}

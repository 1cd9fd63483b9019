//! Template parameters and arguments: `<template-param>` and `<template-args>` of the ABI.

use super::{Parser, grammar::DECLARATIONS};
use crate::mangled::tree::{Id, Node};
use crate::prelude::*;
use core::mem;

impl Parser<'_> {
    /// `<template-param>`.
    pub(super) fn parameter(&mut self) -> Option<Id> {
        let from = self.rest;
        self.expect("T")?;
        let mut level = 0;
        if self.eat("L") {
            level = self.digits().parse::<usize>().ok()?.checked_add(1)?;
            self.expect("_")?;
        }
        let number = self.ordinal(10)?;
        if self.in_constraint {
            return Some(self.word(&from[..from.len() - self.rest.len() - 1]));
        }
        if self.permits_forward && level == 0 {
            let parameter = self.word("");
            self.forward.push((parameter, number));
            return Some(parameter);
        }
        let known = self.levels.get(level).and_then(Option::as_ref);
        if let Some(&argument) = known.and_then(|arguments| arguments.get(number)) {
            return Some(self.add(Node::Parameter(argument, (level, number))));
        }
        if self.lambda_level != Some(level) || level > self.levels.len() {
            return None;
        }
        if level == self.levels.len() {
            self.levels.push(None);
        }
        let auto = self.add(Node::Builtin("auto"));
        Some(self.add(Node::Parameter(auto, (level, number))))
    }

    /// `<template-args>`. If `are_outer`, template parameters refer to these arguments from now on.
    pub(super) fn arguments(&mut self, are_outer: bool) -> Option<Id> {
        self.expect("I")?;
        let in_conversion = mem::take(&mut self.in_conversion);
        if are_outer {
            self.levels = Vec::from([Some(Vec::new())]);
            self.scope = self.rest.len();
        }
        let mut arguments = Vec::new();
        while !self.eat("E") {
            let argument = self.argument()?;
            arguments.push(argument);
            if are_outer {
                let entry = match self.tree.node(argument) {
                    Node::Arguments(pack) => self.add(Node::Pack(pack)),
                    _ => argument,
                };
                self.levels.first_mut()?.as_mut()?.push(entry);
            }
            self.constraint("")?;
        }
        self.in_conversion = in_conversion;
        Some(self.listed(&arguments))
    }

    pub(super) fn argument(&mut self) -> Option<Id> {
        self.deeper(|parser| match parser.next() {
            b'X' => {
                parser.skip(1);
                let value = parser.expression()?;
                parser.expect("E")?;
                Some(value)
            }
            b'J' => {
                parser.skip(1);
                let pack = parser.until("E", Self::argument)?;
                Some(parser.listed(&pack))
            }
            b'L' => parser.literal(),
            b'T' if parser.declares() => {
                // Its name is not part of an enclosing level.
                let level = parser.levels.len();
                parser.levels.push(None);
                parser.declaration()?;
                parser.levels.truncate(level);
                parser.argument()
            }
            _ => parser.ty(),
        })
    }

    pub(super) fn declares(&self) -> bool {
        self.next() == b'T' && b"yptnk".contains(&self.peek(1))
    }

    /// `<template-param-decl>`, a template parameter that a lambda declares.
    pub(super) fn declaration(&mut self) -> Option<Id> {
        let is_pack = self.eat("Tp");
        let production = self.production(&DECLARATIONS)?;
        self.declared = (production.0.as_bytes()[1], is_pack);
        let around = self.in_constraint;
        self.in_constraint |= production.0 == "Tk";
        let declaration = self.deeper(|parser| parser.complete(production));
        self.in_constraint = around;
        declaration
    }

    pub(super) fn declarations(&mut self) -> Option<Id> {
        let level = self.levels.len();
        self.levels.push(Some(Vec::new()));
        let declared = self.until("E", Self::declaration)?;
        self.levels.truncate(level);
        Some(self.listed(&declared))
    }

    /// Returns a name for the declared template parameter: `$T`, `$T0`, `$T1`.
    pub(super) fn declared_name(&mut self) -> Option<Id> {
        let (text, kind) = match self.declared {
            (b'n', false) => ("$N%", 1),
            (b'n', true) => ("...$N%", 1),
            (b't', false) => ("$TT%", 2),
            (b't', true) => ("...$TT%", 2),
            (_, false) => ("$T%", 0),
            (_, true) => ("...$T%", 0),
        };
        let number = match self.counts[kind] {
            0 => "",
            number => "0123456789".get(number - 1..number)?,
        };
        self.counts[kind] += 1;
        let number = self.word(number);
        let name = self.form(text, 0, &[number]);
        if let Some(Some(level)) = self.levels.last_mut() {
            level.push(name);
        }
        Some(name)
    }

    pub(super) fn constraint(&mut self, text: &'static str) -> Option<Id> {
        if !self.eat("Q") {
            return Some(self.word(""));
        }
        let around = mem::replace(&mut self.in_constraint, true);
        let condition = self.expression()?;
        self.in_constraint = around;
        Some(self.form(text, 0, &[condition]))
    }
}

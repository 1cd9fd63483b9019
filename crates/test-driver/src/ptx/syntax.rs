//! The statements of a function, with their operands (PTX ISA, chapters 4 and 7).

use std::collections::HashSet;

use super::{
    Parsed, Variable,
    lexer::{self, Kind},
    reader::Reader,
    size_of,
};

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Open,
    Close,
    /// A label, and its line.
    Label(String, u32),
    /// `.reg .b32 %r<5>`: the type, the name, and the number of registers. A vector is `.vector.b32`.
    Registers(String, String, Option<u64>),
    Variable(Variable),
    /// `.branchtargets`, and the functions of `.calltargets`; nothing for `.callprototype`.
    Targets(String, Vec<String>),
    Instruction(Instruction),
}

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    /// The predicate, and whether it is negated.
    pub(crate) guard: Option<(String, bool)>,
    /// `ld`, `global`, `u32`: the parts of the name.
    pub(crate) name: Vec<String>,
    /// `None`: operands that no executed instruction has.
    pub(crate) operands: Option<Vec<Operand>>,
    pub(crate) line: u32,
    /// The number of the source file, and the line: `.loc`.
    pub(crate) source: Option<(u64, u64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    /// A register, a label, a function, or the address of a variable, and an offset from it.
    Name(String, i64),
    Not(String),
    Integer(u64),
    /// The bits of an `f32`.
    Single(u32),
    Double(f64),
    /// `[name+offset]`, or `[number]`; and the coordinates of a texture.
    Address(Option<String>, i64, Vec<Operand>),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `a|b`
    Pair(Box<Operand>, Box<Operand>),
    /// `(a, b)` of a call.
    List(Vec<Operand>),
}

impl Operand {
    /// Returns the elements of `{a, b}`, or one.
    pub(crate) fn elements(&self) -> &[Self] {
        match self {
            Self::Vector(list) => list,
            one => std::slice::from_ref(one),
        }
    }

    /// `_`: a result that nobody wants.
    pub(crate) fn is_sink(&self) -> bool {
        matches!(self, Self::Name(name, 0) if name == "_")
    }
}

/// Returns the value of a number: an integer, the bits of a float, or a decimal float.
fn number(literal: &str) -> Option<Operand> {
    match literal.get(..2) {
        Some("0f" | "0F") => u32::from_str_radix(&literal[2..], 16).ok().map(Operand::Single),
        Some("0d" | "0D") => {
            u64::from_str_radix(&literal[2..], 16).ok().map(|bits| Operand::Double(f64::from_bits(bits)))
        }
        _ if literal.contains('.') => literal.parse().ok().map(Operand::Double),
        _ => lexer::integer(literal).map(Operand::Integer),
    }
}

impl Reader<'_> {
    /// Returns an integer, perhaps negative.
    fn offset(&mut self) -> Parsed<i64> {
        let negative = self.takes('-');
        let value = self.integer()?.cast_signed();
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    /// Returns a body from its `{` to its `}`. Inserts the identifiers in operands.
    pub(super) fn body(&mut self, names: &mut HashSet<String>) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        self.expect('{')?;
        let mut depth = 1;
        loop {
            if self.takes('{') {
                depth += 1;
                statements.push(Statement::Open);
            } else if self.takes('}') {
                depth -= 1;
                if depth == 0 {
                    return Ok(statements);
                }
                statements.push(Statement::Close);
            } else if !self.takes(';') {
                self.statement(&mut statements, names)?;
            }
        }
    }

    fn statement(&mut self, statements: &mut Vec<Statement>, names: &mut HashSet<String>) -> Parsed<()> {
        let guard = if self.takes('@') {
            let negated = self.takes('!');
            Some((self.word()?.to_owned(), negated))
        } else {
            None
        };
        let token = self.peek().ok_or_else(|| self.unexpected())?;
        let word = token.word().ok_or_else(|| self.unexpected())?;
        match word {
            ".loc" => {
                self.skip();
                let place = (self.integer()?, self.integer()?);
                self.source = Some(self.own_place(place, token.line));
                self.skip_line(token.line);
            }
            // `.reg .b32`, or `.reg.b32`.
            _ if word == ".reg" || word.starts_with(".reg.") => {
                let mut is_vector = false;
                let kind = loop {
                    let kind = self.word()?;
                    let kind = kind.strip_prefix(".reg").filter(|kind| !kind.is_empty()).unwrap_or(kind);
                    is_vector |= matches!(kind, ".v2" | ".v4" | ".v8");
                    if size_of(kind).is_some() {
                        break if is_vector { format!(".vector{kind}") } else { kind.to_owned() };
                    }
                };
                loop {
                    let name = self.word()?.to_owned();
                    let count = if self.takes('<') { Some(self.integer()?) } else { None };
                    self.takes('>');
                    statements.push(Statement::Registers(kind.clone(), name, count));
                    if !self.takes(',') {
                        break;
                    }
                }
                self.expect(';')?;
            }
            ".shared" | ".local" | ".param" | ".global" | ".const" => {
                let mut variable = self.variable()?;
                match word {
                    ".shared" | ".local" => self.initial(&mut variable)?,
                    _ => self.skip_statement(|_| ())?,
                }
                statements.push(Statement::Variable(variable));
            }
            _ if word.starts_with('.') => self.skip_statement(|_| ())?,
            _ => {
                self.skip();
                if self.takes(':') {
                    return self.label(word, token.line, statements);
                }
                let mut name: Vec<_> = word.split('.').map(str::to_owned).collect();
                // `prmt .b32`
                while let Some(more) = self.peek_word().and_then(|word| word.strip_prefix('.')) {
                    self.skip();
                    name.extend(more.split('.').map(str::to_owned));
                }
                let start = self.at;
                self.skip_statement(|word| {
                    if !word.starts_with('%') {
                        names.insert(word.to_owned());
                    }
                })?;
                let end = std::mem::replace(&mut self.at, start);
                let operands = self.operands().ok();
                self.at = end;
                let source = self.source;
                statements.push(Statement::Instruction(Instruction {
                    guard,
                    name,
                    operands,
                    line: token.line,
                    source,
                }));
            }
        }
        Ok(())
    }

    fn label(&mut self, label: &str, line: u32, statements: &mut Vec<Statement>) -> Parsed<()> {
        match self.peek_word() {
            Some(".branchtargets" | ".calltargets") => {
                self.skip();
                let mut targets = Vec::new();
                while !self.takes(';') {
                    targets.push(self.word()?.to_owned());
                    self.takes(',');
                }
                statements.push(Statement::Targets(label.to_owned(), targets));
            }
            // The functions that are called know their parameters.
            Some(".callprototype") => {
                self.skip_statement(|_| ())?;
                statements.push(Statement::Targets(label.to_owned(), Vec::new()));
            }
            _ => statements.push(Statement::Label(label.to_owned(), line)),
        }
        Ok(())
    }

    /// Operands up to the `;`.
    fn operands(&mut self) -> Parsed<Vec<Operand>> {
        let mut operands = Vec::new();
        while !self.takes(';') {
            operands.push(self.operand(0)?);
            if !self.takes(',') {
                self.expect(';')?;
                break;
            }
        }
        Ok(operands)
    }

    fn list(&mut self, end: char, depth: u32) -> Parsed<Vec<Operand>> {
        let mut list = Vec::new();
        while !self.takes(end) {
            list.push(self.operand(depth + 1)?);
            self.takes(',');
        }
        Ok(list)
    }

    fn operand(&mut self, depth: u32) -> Parsed<Operand> {
        if depth > 3 {
            return Err(self.unexpected());
        }
        let operand = if self.takes('[') {
            self.address(depth)?
        } else if self.takes('{') {
            Operand::Vector(self.list('}', depth)?)
        } else if self.takes('(') {
            Operand::List(self.list(')', depth)?)
        } else if self.takes('!') {
            Operand::Not(self.word()?.to_owned())
        } else {
            let negative = self.takes('-');
            let token = self.next()?;
            let operand = match &token.kind {
                Kind::Word(word) if word == "WARP_SZ" => Some(Operand::Integer(32)),
                Kind::Word(word) => Some(Operand::Name(word.clone(), 0)),
                Kind::Number(literal) => number(literal),
                _ => None,
            };
            match (operand, negative) {
                (Some(Operand::Integer(value)), true) => Operand::Integer(value.wrapping_neg()),
                (Some(Operand::Double(value)), true) => Operand::Double(-value),
                (Some(Operand::Single(bits)), true) => Operand::Single(bits ^ 1 << 31),
                (Some(operand), _) => operand,
                _ => return Err(self.rejected()),
            }
        };
        if self.takes('|') {
            return Ok(Operand::Pair(Box::new(operand), Box::new(self.operand(depth + 1)?)));
        }
        match operand {
            Operand::Name(name, _) if self.takes('+') => Ok(Operand::Name(name, self.offset()?)),
            operand => Ok(operand),
        }
    }

    fn address(&mut self, depth: u32) -> Parsed<Operand> {
        let base = self.peek_word().map(str::to_owned);
        self.at += usize::from(base.is_some());
        let is_offset = base.is_none() || self.takes('+') || self.peek().is_some_and(|token| token.is('-'));
        let offset = if is_offset { self.offset()? } else { 0 };
        let mut coordinates = Vec::new();
        while self.takes(',') {
            coordinates.push(self.operand(depth + 1)?);
        }
        self.expect(']')?;
        Ok(Operand::Address(base, offset, coordinates))
    }
}

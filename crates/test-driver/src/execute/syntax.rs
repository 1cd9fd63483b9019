//! The functions of a PTX module, as statements with their operands (PTX ISA, chapters 4, 5 and 7).

use std::collections::BTreeMap;

use super::types::Type;
use crate::ptx::lexer::{self, Kind, Token};

/// A mistake in the text: its line, and what was not understood.
#[derive(Clone, Debug)]
pub(crate) struct Mistake {
    pub(crate) line: u32,
    pub(crate) text: String,
}

pub(super) type Parsed<T> = Result<T, Mistake>;

/// A module.
#[derive(Debug, Default)]
pub(super) struct Module {
    pub(super) functions: Vec<Function>,
    /// The `.shared` variables outside of functions.
    pub(super) variables: Vec<Variable>,
    /// Names of functions that have another name: `.alias`.
    pub(super) aliases: Vec<(String, String)>,
    /// The source files by their numbers.
    pub(super) files: BTreeMap<u64, String>,
}

/// An `.entry` or a `.func`.
#[derive(Debug, Default)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) is_entry: bool,
    pub(super) returns: Vec<Variable>,
    pub(super) parameters: Vec<Variable>,
    /// `None` for a declaration.
    pub(super) body: Option<Vec<Statement>>,
}

/// A variable or a parameter.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) space: String,
    pub(super) name: String,
    /// 0 for `[]`: its size is known at the launch only.
    pub(super) size: u64,
    pub(super) align: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Open,
    Close,
    Label(String),
    /// `.reg .b32 %r<5>`: the type, the name, and the number of registers.
    Registers(String, String, Option<u64>),
    Variable(Variable),
    /// `.branchtargets`, and the functions of `.calltargets`.
    Targets(String, Vec<String>),
    Instruction(Instruction),
}

#[derive(Clone, Debug)]
pub(super) struct Instruction {
    /// The predicate, and whether it is negated.
    pub(super) guard: Option<(String, bool)>,
    /// `ld`, `global`, `u32`: the parts of the name.
    pub(super) name: Vec<String>,
    pub(super) operands: Vec<Operand>,
    pub(super) line: u32,
    /// The number of the source file, and the line: `.loc`.
    pub(super) source: Option<(u64, u64)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
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
    /// The elements of `{a, b}`, or one.
    pub(super) fn elements(&self) -> &[Self] {
        match self {
            Self::Vector(list) => list,
            one => std::slice::from_ref(one),
        }
    }

    /// `_`: a result that nobody wants.
    pub(super) fn is_sink(&self) -> bool {
        matches!(self, Self::Name(name, 0) if name == "_")
    }
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    source: Option<(u64, u64)>,
}

/// The size of an element of a type.
pub(super) fn size_of(kind: &str) -> Option<u64> {
    match kind.trim_start_matches('.') {
        "pred" => Some(0),
        "texref" | "samplerref" | "surfref" => Some(8),
        kind => Type::read(kind).map(|kind| u64::from(kind.bytes())),
    }
}

/// Reads a module that the driver has accepted.
pub(super) fn read(text: &[u8]) -> Parsed<Module> {
    let tokens = lexer::tokens(text)
        .map_err(|_| Mistake { line: 1, text: "the text has characters that are no tokens".into() })?;
    let mut reader = Reader { tokens: &tokens, at: 0, source: None };
    let mut module = Module::default();
    while let Some(token) = reader.peek() {
        match token.word() {
            Some(".entry" | ".func") => {
                let function = reader.function()?;
                module.functions.push(function);
            }
            Some(".shared" | ".global" | ".const") => {
                let variable = reader.variable()?;
                reader.skip_to_end();
                module.variables.push(variable);
            }
            Some(".file") => {
                reader.at += 1;
                let number = reader.integer()?;
                if let Some(Kind::Text(path)) = reader.peek().map(|token| &token.kind) {
                    module.files.insert(number, path.clone());
                }
            }
            Some(".alias") => {
                reader.at += 1;
                let alias = reader.word()?.to_owned();
                reader.expect(',')?;
                module.aliases.push((alias, reader.word()?.to_owned()));
            }
            Some(".section") => while reader.next()?.kind != Kind::Mark('}') {},
            _ => reader.at += 1,
        }
    }
    Ok(module)
}

/// The value of a number: an integer, the bits of a float, or a decimal float.
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

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    fn mistake(&self) -> Mistake {
        let token = self.peek().or(self.tokens.last());
        Mistake {
            line: token.map_or(1, |token| token.line),
            text: format!("`{}` is not understood here", token.map_or_else(String::new, Token::spelling)),
        }
    }

    fn next(&mut self) -> Parsed<&'a Token> {
        let token = self.peek().ok_or_else(|| self.mistake())?;
        self.at += 1;
        Ok(token)
    }

    fn takes(&mut self, mark: char) -> bool {
        let found = self.peek().is_some_and(|token| token.is(mark));
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = self.peek().and_then(Token::word) == Some(word);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.takes(mark) { Ok(()) } else { Err(self.mistake()) }
    }

    fn word(&mut self) -> Parsed<&'a str> {
        let word = self.peek().and_then(Token::word).ok_or_else(|| self.mistake())?;
        self.at += 1;
        Ok(word)
    }

    fn integer(&mut self) -> Parsed<u64> {
        let negative = self.takes('-');
        let value = match self.peek().map(|token| &token.kind) {
            Some(Kind::Number(literal)) => lexer::integer(literal),
            _ => None,
        };
        let value = value.ok_or_else(|| self.mistake())?;
        self.at += 1;
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    fn skip_to_end(&mut self) {
        while self.peek().is_some_and(|token| !token.is(';')) {
            self.at += 1;
        }
        self.at += 1;
    }

    fn function(&mut self) -> Parsed<Function> {
        let mut function = Function { is_entry: self.word()? == ".entry", ..Function::default() };
        self.takes_word(".attribute");
        if !function.is_entry && self.takes('(') {
            function.returns = self.parameters()?;
        }
        self.word()?.clone_into(&mut function.name);
        if self.takes('(') {
            function.parameters = self.parameters()?;
        }
        while let Some(token) = self.peek() {
            if token.is('{') {
                self.at += 1;
                function.body = Some(self.body()?);
                return Ok(function);
            }
            let is_pragma = token.word() == Some(".pragma");
            self.at += 1;
            match is_pragma {
                true => self.skip_to_end(),
                false if token.is(';') => return Ok(function),
                false => {}
            }
        }
        Err(self.mistake())
    }

    /// Parameters up to the `)`.
    fn parameters(&mut self) -> Parsed<Vec<Variable>> {
        let mut parameters = Vec::new();
        while !self.takes(')') {
            parameters.push(self.variable()?);
            self.takes(',');
        }
        Ok(parameters)
    }

    /// A declaration, up to its name or its extents.
    fn variable(&mut self) -> Parsed<Variable> {
        let space = self.word()?.to_owned();
        let (mut element, mut align, mut lanes, mut points) = (None, 0, 1, false);
        let name = loop {
            match self.word()? {
                ".align" if points => drop(self.integer()?),
                ".align" => align = self.integer()?,
                ".ptr" => points = true,
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                ".v8" => lanes = 8,
                ".attribute" => while !self.next()?.is(')') {},
                word if word.starts_with('.') => element = size_of(word).or(element),
                word => break word.to_owned(),
            }
        };
        let element = element.ok_or_else(|| self.mistake())?;
        let mut size = element * lanes;
        while self.takes('[') {
            if self.takes(']') {
                size = 0;
                continue;
            }
            let extent = self.integer()?;
            size = size.checked_mul(extent).filter(|size| *size <= 1 << 30).ok_or_else(|| self.mistake())?;
            self.expect(']')?;
        }
        if align > 1 << 16 || align != 0 && !align.is_power_of_two() {
            return Err(self.mistake());
        }
        Ok(Variable { space, name, size, align: align.max(element.max(1)) })
    }

    fn body(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
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
                self.statement(&mut statements)?;
            }
        }
    }

    fn statement(&mut self, statements: &mut Vec<Statement>) -> Parsed<()> {
        let guard = if self.takes('@') {
            let negated = self.takes('!');
            Some((self.word()?.to_owned(), negated))
        } else {
            None
        };
        let token = self.peek().ok_or_else(|| self.mistake())?;
        let word = token.word().ok_or_else(|| self.mistake())?;
        match word {
            ".loc" => {
                self.at += 1;
                self.source = Some((self.integer()?, self.integer()?));
                while self.peek().is_some_and(|next| next.line == token.line) {
                    self.at += 1;
                }
            }
            // `.reg .b32`, or `.reg.b32`.
            _ if word == ".reg" || word.starts_with(".reg.") => {
                let kind = loop {
                    let kind = self.word()?;
                    let kind = kind.strip_prefix(".reg").filter(|kind| !kind.is_empty()).unwrap_or(kind);
                    if size_of(kind).is_some() {
                        break kind.to_owned();
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
                let variable = self.variable()?;
                self.skip_to_end();
                statements.push(Statement::Variable(variable));
            }
            _ if word.starts_with('.') => self.skip_to_end(),
            _ => {
                self.at += 1;
                if self.takes(':') {
                    self.label(word, statements)?;
                    return Ok(());
                }
                let name = word.split('.').map(str::to_owned).collect();
                let operands = self.operands()?;
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

    fn label(&mut self, label: &str, statements: &mut Vec<Statement>) -> Parsed<()> {
        match self.peek().and_then(Token::word) {
            Some(".branchtargets" | ".calltargets") => {
                self.at += 1;
                let mut targets = Vec::new();
                while !self.takes(';') {
                    targets.push(self.word()?.to_owned());
                    self.takes(',');
                }
                statements.push(Statement::Targets(label.to_owned(), targets));
            }
            // The functions that are called know their parameters.
            Some(".callprototype") => self.skip_to_end(),
            _ => statements.push(Statement::Label(label.to_owned())),
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
            return Err(self.mistake());
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
                _ => {
                    self.at -= 1;
                    return Err(self.mistake());
                }
            }
        };
        if self.takes('|') {
            return Ok(Operand::Pair(Box::new(operand), Box::new(self.operand(depth + 1)?)));
        }
        match operand {
            Operand::Name(name, _) if self.takes('+') => Ok(Operand::Name(name, self.integer()?.cast_signed())),
            operand => Ok(operand),
        }
    }

    fn address(&mut self, depth: u32) -> Parsed<Operand> {
        let is_name = self.peek().is_some_and(|token| token.word().is_some());
        let base = if is_name { Some(self.word()?.to_owned()) } else { None };
        let offset = match base {
            Some(_) if self.takes('+') => self.integer()?,
            Some(_) if self.peek().is_some_and(|token| token.is('-')) => self.integer()?,
            Some(_) => 0,
            None => self.integer()?,
        };
        let mut coordinates = Vec::new();
        while self.takes(',') {
            coordinates.push(self.operand(depth + 1)?);
        }
        self.expect(']')?;
        Ok(Operand::Address(base, offset.cast_signed(), coordinates))
    }
}

//! A module's directives: `.version`, `.target`, entries, functions, variables (PTX ISA, chapters 5 and 11).

use crate::placement::Shape;

use super::{
    Body, Directives, Entry, Mistake, Module, Target, body,
    lexer::{self, Kind, Token},
    variable,
};

/// The remaining tokens.
pub(super) struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
}

/// Reads a whole module.
pub(super) fn read(text: &[u8]) -> Result<Module, Mistake> {
    let tokens = lexer::tokens(text).map_err(|mistake| {
        let headless = !text.windows(8).any(|part| part == b".version");
        Mistake { headless, ..mistake }
    })?;
    let mut reader = Reader { tokens: &tokens, at: 0 };
    let mut module = Module::default();
    reader.header(&mut module)?;
    while let Some(token) = reader.peek() {
        let Some(word) = token.word().map(str::to_owned) else {
            return Err(reader.unexpected());
        };
        match word.as_str() {
            ".visible" | ".extern" | ".weak" | ".common" | ".unified" => reader.skip(),
            ".entry" => {
                reader.skip();
                if let Some(entry) = reader.entry()? {
                    if module.entries.iter().any(|known| known.name == entry.name) {
                        return Err(Mistake::new(
                            entry.line,
                            format!("Duplicate definition of function '{}'", entry.name),
                        ));
                    }
                    module.entries.push(entry);
                }
            }
            ".func" => {
                reader.skip();
                if let Some((name, body)) = reader.function()? {
                    module.functions.insert(name, (module.functions.len(), body));
                }
            }
            ".global" | ".const" | ".shared" => {
                let is_external = reader.follows(".extern");
                let declared = variable::read(&mut reader)?;
                match word.as_str() {
                    ".shared" => module.shared.push((declared.name.clone(), declared.shape())),
                    _ if is_external => {}
                    space => {
                        if space == ".const" {
                            module.constants += declared.bytes.len();
                        }
                        let variable::Declared { name, bytes, relocations, .. } = declared;
                        module.variables.push(crate::image::Variable { name, bytes, relocations });
                    }
                }
            }
            ".file" => reader.skip_line(),
            ".section" => reader.section()?,
            ".pragma" | ".alias" | ".tex" | ".texref" | ".samplerref" | ".surfref" => {
                reader.skip_statement()?;
            }
            _ => return Err(reader.unexpected()),
        }
    }
    Ok(module)
}

impl<'a> Reader<'a> {
    pub(super) fn peek(&self) -> Option<&'a Token> {
        self.tokens.get(self.at)
    }

    pub(super) fn skip(&mut self) {
        self.at += 1;
    }

    pub(super) fn next(&mut self) -> Result<&'a Token, Mistake> {
        let token = self.peek().ok_or_else(|| self.unexpected())?;
        self.at += 1;
        Ok(token)
    }

    /// Consumes `mark` if it is next.
    pub(super) fn takes(&mut self, mark: char) -> bool {
        let found = self.peek().is_some_and(|token| token.is(mark));
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, mark: char) -> Result<(), Mistake> {
        if self.takes(mark) { Ok(()) } else { Err(self.unexpected()) }
    }

    pub(super) fn word(&mut self) -> Result<&'a str, Mistake> {
        let word = self.peek().and_then(Token::word).ok_or_else(|| self.unexpected())?;
        self.skip();
        Ok(word)
    }

    pub(super) fn integer(&mut self) -> Result<u64, Mistake> {
        let value = match self.peek().map(|token| &token.kind) {
            Some(Kind::Number(literal)) => lexer::integer(literal),
            _ => None,
        };
        let value = value.ok_or_else(|| self.unexpected())?;
        self.skip();
        Ok(value)
    }

    /// The error for the next token.
    pub(super) fn unexpected(&self) -> Mistake {
        let (line, near) = match (self.peek(), self.tokens.last()) {
            (Some(token), _) => (token.line, token.spelling()),
            (None, last) => (last.map_or(1, |token| token.line), "<end of text>".to_owned()),
        };
        Mistake::new(line, format!("Parsing error near '{near}': syntax error"))
    }

    /// Whether the last token read was `word`.
    fn follows(&self, word: &str) -> bool {
        self.at > 0 && self.tokens[self.at - 1].word() == Some(word)
    }

    /// Skips the rest of the line: `.file` and `.loc` have no terminator.
    pub(super) fn skip_line(&mut self) {
        let line = self.peek().map(|token| token.line);
        while self.peek().map(|token| token.line) == line && line.is_some() {
            self.skip();
        }
    }

    /// Skips to the position after the next `;` outside of braces.
    pub(super) fn skip_statement(&mut self) -> Result<(), Mistake> {
        let mut depth = 0;
        loop {
            let token = self.next()?;
            match token.kind {
                Kind::Mark('{') => depth += 1,
                Kind::Mark('}') if depth == 0 => {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
                Kind::Mark('}') => depth -= 1,
                Kind::Mark(';') if depth == 0 => return Ok(()),
                _ => {}
            }
        }
    }

    fn section(&mut self) -> Result<(), Mistake> {
        while !self.next()?.is('{') {}
        while !self.next()?.is('}') {}
        Ok(())
    }

    fn header(&mut self, module: &mut Module) -> Result<(), Mistake> {
        if self.peek().and_then(Token::word) != Some(".version") {
            let line = self.peek().map_or(1, |token| token.line);
            let mistake = Mistake::new(line, "Missing .version directive at start of file");
            return Err(Mistake { headless: true, ..mistake });
        }
        self.skip();
        let version = match &self.next()?.kind {
            Kind::Number(text) => {
                text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
            }
            _ => None,
        };
        self.at -= 1;
        module.version = version.ok_or_else(|| self.unexpected())?;
        self.skip();
        if self.peek().and_then(Token::word) != Some(".target") {
            let line = self.peek().map_or(1, |token| token.line);
            return Err(Mistake::new(line, "Missing .target directive"));
        }
        self.skip();
        module.target = self.target()?;
        while self.takes(',') {
            self.word()?;
        }
        if self.peek().and_then(Token::word) == Some(".address_size") {
            self.skip();
            if self.integer()? != 64 {
                self.at -= 1;
                return Err(self.unexpected());
            }
        }
        Ok(())
    }

    fn target(&mut self) -> Result<Target, Mistake> {
        let name = self.peek().and_then(Token::word).and_then(|word| word.strip_prefix("sm_"));
        let name = name.ok_or_else(|| self.unexpected())?;
        let digits = name.trim_end_matches(['a', 'f']);
        let suffix = name.as_bytes().get(digits.len()).copied();
        let sm = digits.parse().map_err(|_| self.unexpected())?;
        self.skip();
        Ok(Target { sm, suffix })
    }

    /// An entry after the word `.entry`; `None` if it is only declared.
    fn entry(&mut self) -> Result<Option<Entry>, Mistake> {
        let line = self.peek().map_or(1, |token| token.line);
        let mut entry = Entry { name: self.word()?.to_owned(), line, ..Entry::default() };
        if self.takes('(') && !self.takes(')') {
            loop {
                entry.parameters.push(self.parameter()?);
                if self.takes(')') {
                    break;
                }
                self.expect(',')?;
            }
        }
        entry.directives = self.directives()?;
        if self.takes(';') {
            return Ok(None);
        }
        entry.body = body::read(self)?;
        Ok(Some(entry))
    }

    /// `.param`, then type and attributes in any order, the name, and `[n]`.
    fn parameter(&mut self) -> Result<Shape, Mistake> {
        if self.word()? != ".param" {
            self.at -= 1;
            return Err(self.unexpected());
        }
        let (mut element, mut align, mut pointer) = (None, 1, false);
        loop {
            let word = self.word()?;
            match word {
                ".align" => {
                    let value = self.integer()?;
                    if !value.is_power_of_two() || value > 1 << 16 {
                        self.at -= 1;
                        return Err(self.unexpected());
                    }
                    // Attributes after `.ptr` describe the pointee.
                    if !pointer {
                        align = value as usize;
                    }
                }
                ".ptr" => pointer = true,
                ".global" | ".shared" | ".const" | ".local" if pointer => {}
                _ if word.starts_with('.') => {
                    let size = variable::scalar_size(word);
                    self.at -= 1;
                    element = Some(size.ok_or_else(|| self.unexpected())?);
                    self.at += 1;
                }
                _ => break,
            }
        }
        let element = element.ok_or_else(|| self.unexpected())?;
        let count = if self.takes('[') {
            let count = self.integer()?;
            self.expect(']')?;
            count as usize
        } else {
            1
        };
        Ok(Shape { size: element * count, align: align.max(element) })
    }

    /// The directives between the parameters and the body.
    fn directives(&mut self) -> Result<Directives, Mistake> {
        let mut directives = Directives::default();
        while let Some(token) = self.peek() {
            if token.is('{') || token.is(';') {
                break;
            }
            match self.word()? {
                ".maxntid" => directives.max_threads = Some(self.extents()?),
                ".reqntid" => directives.required_threads = Some(self.extents()?),
                ".reqnctapercluster" => directives.cluster = Some(self.extents()?),
                ".blocksareclusters" => directives.blocks_are_clusters = true,
                ".maxnreg" => directives.max_registers = Some(self.integer()? as u32),
                ".pragma" => self.skip_statement()?,
                word if word.starts_with('.') => self.skip_values(),
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
            }
        }
        Ok(directives)
    }

    /// One to three numbers.
    fn extents(&mut self) -> Result<[u32; 3], Mistake> {
        let mut extents = [1; 3];
        for extent in &mut extents {
            *extent = self.integer()? as u32;
            if !self.takes(',') {
                break;
            }
        }
        Ok(extents)
    }

    /// The numbers after a directive that has no effect here.
    fn skip_values(&mut self) {
        while matches!(self.peek().map(|token| &token.kind), Some(Kind::Number(_) | Kind::Mark(','))) {
            self.skip();
        }
    }

    /// The name and the body of a `.func`, if it has a body.
    fn function(&mut self) -> Result<Option<(String, Body)>, Mistake> {
        let (mut name, mut depth) = (None, 0);
        while let Some(token) = self.peek() {
            match &token.kind {
                Kind::Mark(';') => {
                    self.skip();
                    return Ok(None);
                }
                Kind::Mark('{') => {
                    let body = body::read(self)?;
                    return Ok(name.map(|name| (name, body)));
                }
                Kind::Mark('(') => depth += 1,
                Kind::Mark(')') => depth -= 1,
                Kind::Word(word) if depth == 0 && !word.starts_with('.') => name = Some(word.clone()),
                _ => {}
            }
            self.skip();
        }
        Err(self.unexpected())
    }
}

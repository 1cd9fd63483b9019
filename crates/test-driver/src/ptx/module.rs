//! A module's directives: `.version`, `.target`, functions, variables (PTX ISA, chapters 5 and 11).

use std::collections::{BTreeMap, HashSet};

use super::{
    Mistake, Parsed, Statement, Variable,
    lexer::{self, Kind, Token},
    reader::Reader,
};

/// A module.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) version: (u32, u32),
    pub(crate) target: Target,
    pub(crate) functions: Vec<Function>,
    /// The variables outside of functions.
    pub(crate) variables: Vec<Variable>,
    /// Names of functions that have another name: `.alias`.
    pub(crate) aliases: Vec<(String, String)>,
    /// The source files by their numbers.
    pub(crate) files: BTreeMap<u64, String>,
}

/// `.target sm_90a`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Target {
    pub(crate) sm: u32,
    /// `a`: only this GPU; `f`: only this family; or neither.
    suffix: Option<u8>,
}

impl Target {
    /// Returns whether code for this target runs on a device of capability `sm`.
    pub(crate) fn runs_on(self, sm: u32) -> bool {
        match self.suffix {
            Some(b'a') => self.sm == sm,
            Some(_) => self.sm / 10 == sm / 10 && self.sm <= sm,
            None => self.sm <= sm,
        }
    }
}

/// An `.entry` or a `.func`.
#[derive(Debug, Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: u32,
    pub(crate) is_entry: bool,
    pub(crate) returns: Vec<Variable>,
    pub(crate) parameters: Vec<Variable>,
    pub(crate) directives: Directives,
    /// `None` for a declaration.
    pub(crate) body: Option<Vec<Statement>>,
    /// The identifiers in the operands of its instructions.
    pub(crate) names: HashSet<String>,
}

/// The performance directives that the driver reports or enforces.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Directives {
    pub(crate) max_threads: Option<[u32; 3]>,
    pub(crate) required_threads: Option<[u32; 3]>,
    pub(crate) max_registers: Option<u32>,
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) blocks_are_clusters: bool,
}

/// Returns whether a text begins like PTX.
pub(crate) fn begins(text: &[u8]) -> bool {
    match lexer::tokens(text) {
        Ok(tokens) => tokens.first().and_then(Token::word) == Some(".version"),
        Err(_) => text.windows(8).any(|part| part == b".version"),
    }
}

/// Reads a whole module.
pub(crate) fn read(text: &[u8]) -> Parsed<Module> {
    let tokens = lexer::tokens(text)?;
    let mut reader = Reader::new(&tokens);
    let mut module = Module::default();
    reader.header(&mut module)?;
    let mut is_external = false;
    while let Some(token) = reader.peek() {
        match token.word().unwrap_or_default() {
            ".visible" | ".extern" | ".weak" | ".common" | ".unified" => reader.skip(),
            ".entry" | ".func" => {
                let function = reader.function()?;
                let is_twice = |known: &Function| known.is_entry && known.body.is_some() && known.name == function.name;
                if function.is_entry && function.body.is_some() && module.functions.iter().any(is_twice) {
                    let text = format!("Duplicate definition of function '{}'", function.name);
                    return Err(Mistake::new(function.line, text));
                }
                module.functions.push(function);
            }
            ".global" | ".const" | ".shared" => {
                let mut variable = reader.variable()?;
                reader.initial(&mut variable)?;
                variable.is_external = is_external;
                module.variables.push(variable);
            }
            ".file" => {
                reader.skip();
                let number = reader.integer()?;
                if let Some(Kind::Text(path)) = reader.peek().map(|token| &token.kind) {
                    module.files.insert(number, path.clone());
                }
                reader.skip_line(token.line);
            }
            ".alias" => {
                reader.skip();
                let alias = reader.word()?.to_owned();
                reader.expect(',')?;
                module.aliases.push((alias, reader.word()?.to_owned()));
                reader.expect(';')?;
            }
            ".section" => {
                while !reader.next()?.is('{') {}
                while !reader.next()?.is('}') {}
            }
            ".pragma" => reader.skip_statement(|_| ())?,
            ".tex" | ".texref" | ".samplerref" | ".surfref" => {
                let mut name = String::new();
                reader.skip_statement(|word| word.clone_into(&mut name))?;
                let space = token.word().unwrap_or_default().to_owned();
                module.variables.push(Variable::elsewhere(name, space));
            }
            _ => return Err(reader.unexpected()),
        }
        is_external = token.word() == Some(".extern");
    }
    Ok(module)
}

impl Reader<'_> {
    fn header(&mut self, module: &mut Module) -> Parsed<()> {
        if self.peek_word() != Some(".version") {
            let line = self.peek().map_or(1, |token| token.line);
            return Err(Mistake::new(line, "Missing .version directive at start of file"));
        }
        self.skip();
        let version = match &self.next()?.kind {
            Kind::Number(text) => {
                text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
            }
            _ => None,
        };
        module.version = version.ok_or_else(|| self.rejected())?;
        if self.peek_word() != Some(".target") {
            let line = self.peek().map_or(1, |token| token.line);
            return Err(Mistake::new(line, "Missing .target directive"));
        }
        self.skip();
        module.target = self.target()?;
        while self.takes(',') {
            self.word()?;
        }
        if self.takes_word(".address_size") && self.integer()? != 64 {
            return Err(self.rejected());
        }
        Ok(())
    }

    fn target(&mut self) -> Parsed<Target> {
        let name = self.peek_word().and_then(|word| word.strip_prefix("sm_"));
        let name = name.ok_or_else(|| self.unexpected())?;
        let digits = name.trim_end_matches(['a', 'f']);
        let suffix = name.as_bytes().get(digits.len()).copied();
        let sm = digits.parse().map_err(|_| self.unexpected())?;
        self.skip();
        Ok(Target { sm, suffix })
    }

    fn function(&mut self) -> Parsed<Function> {
        let mut function = Function { is_entry: self.word()? == ".entry", ..Function::default() };
        if !function.is_entry && self.takes('(') {
            function.returns = self.parameters(false)?;
        }
        function.line = self.peek().map_or(1, |token| token.line);
        self.word()?.clone_into(&mut function.name);
        if self.takes('(') {
            function.parameters = self.parameters(function.is_entry)?;
        }
        function.directives = self.directives()?;
        if !self.takes(';') {
            function.body = Some(self.body(&mut function.names)?);
        }
        Ok(function)
    }

    /// Parameters up to the `)`.
    fn parameters(&mut self, of_entry: bool) -> Parsed<Vec<Variable>> {
        let mut parameters = Vec::new();
        while !self.takes(')') {
            if !parameters.is_empty() {
                self.expect(',')?;
            }
            if of_entry && self.peek_word() != Some(".param") {
                return Err(self.unexpected());
            }
            let parameter = self.variable()?;
            if of_entry && parameter.size == 0 {
                return Err(self.rejected());
            }
            parameters.push(parameter);
        }
        Ok(parameters)
    }

    /// Returns the directives between the parameters and the body.
    fn directives(&mut self) -> Parsed<Directives> {
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
                ".pragma" => self.skip_statement(|_| ())?,
                word if word.starts_with('.') => self.skip_values(),
                _ => return Err(self.rejected()),
            }
        }
        Ok(directives)
    }

    /// Returns one to three numbers.
    fn extents(&mut self) -> Parsed<[u32; 3]> {
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
}

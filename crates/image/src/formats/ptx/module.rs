//! The kernels of a PTX text.

use super::{
    Entry, Error,
    dynamic_shared::SharedUsers,
    header::first,
    lexer::{Lexer, Token},
    variable::Variable,
};
use crate::prelude::*;
use crate::{
    code::{VariableSpace, directives::Directives, target::Target},
    formats::bytes::before_nul,
};
use core::ops::Range;

/// The kernels of a PTX text without their bodies: owned, and much smaller than the text. A kernel is parsed again on
/// each access.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    version: (u16, u16),
    pub(crate) gpu: Option<Target>,
    pub(crate) has_debug_info: bool,
    /// The texts between `.entry` and each body. `{}` replaces each body.
    declarations: Vec<u8>,
    /// Sorted by name, without duplicates.
    kernels: Vec<Kept>,
    /// In the same way. Their declarations end with `;`.
    variables: Vec<Kept>,
    /// The positions after each `.func` and `.file`.
    #[cfg(feature = "bodies")]
    outline: Vec<u32>,
}

/// Where a declaration is. The numbers have 32 bits, because there may be millions of kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Kept {
    /// The position in the text, after `.entry`.
    text: u32,
    start: u32,
    /// Without the body.
    length: u32,
    /// The start and the end of the name, relative to `start`.
    name: (u32, u32),
    dynamic_shared: bool,
}

impl Module {
    /// Reads a PTX text, which may end with a NUL, as for the driver, and need not be UTF-8 in comments and strings.
    ///
    /// # Errors
    /// If the text does not begin with `.version` and `.target`, an `.entry` is invalid, a kernel is defined twice, a
    /// comment, string or body is unterminated, or the text has 4 GiB or more.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let bytes = before_nul(bytes);
        let lexer = &mut Lexer::new(bytes);
        let (version, target) = first(lexer)?;
        let mut module = Self {
            version,
            gpu: target.gpu,
            has_debug_info: false,
            declarations: Vec::new(),
            kernels: Vec::new(),
            variables: Vec::new(),
            #[cfg(feature = "bodies")]
            outline: Vec::new(),
        };
        let mut bodies = SharedUsers::default();
        let mut is_extern = false;
        while let Some(word) = lexer.next_directive()? {
            let at = lexer.at;
            #[cfg(feature = "bodies")]
            if let ("func" | "file", Ok(at)) = (word, u32::try_from(at)) {
                module.outline.push(at);
            }
            match word {
                "entry" => {
                    let (entry, end) = Entry::parse(lexer, module.version)?;
                    if entry.is_defined {
                        bodies.kernel(at, lexer.bytes(end, lexer.at));
                    }
                    let body: &[u8] = if entry.is_defined { b"{}" } else { b";" };
                    let mut again = lexer.back_to(at);
                    let (name, _) = again.token()?;
                    let added = module.keep(at, lexer.bytes(at, end), name - at..again.at - at, body);
                    module.kernels.push(added.ok_or_else(|| lexer.error(at, "a text of less than 4 GiB"))?);
                }
                "address_size" => {
                    const BITS: &str = "32 or 64 after `.address_size`";
                    if !matches!(lexer.integer(BITS)?, 32 | 64) {
                        return Err(lexer.error(at, BITS));
                    }
                }
                "extern" => bodies.declaration(lexer),
                // The module that defines an external variable describes it.
                "global" | "const" if !is_extern => module.add_variable(lexer, word),
                "func" => bodies.function(lexer),
                "section" => {
                    let name = lexer.clone().token();
                    module.has_debug_info |= matches!(name, Ok((_, Token::Directive("debug_info"))));
                }
                _ => {}
            }
            is_extern = word == "extern";
        }
        let users = bodies.users();
        for place in &mut module.kernels {
            place.dynamic_shared = users.binary_search(&(place.text as usize)).is_ok();
        }
        module.order(bytes)?;
        Ok(module)
    }

    /// Returns a declaration at this byte of the text, and the `end` after it. `None` if the text is too large.
    fn keep(&mut self, text: usize, declaration: &[u8], name: Range<usize>, end: &[u8]) -> Option<Kept> {
        let start = self.declarations.len();
        let checked = |number: usize| u32::try_from(number).ok();
        checked(start.checked_add(declaration.len())?.checked_add(end.len())?)?;
        let place = Kept {
            text: checked(text)?,
            start: checked(start)?,
            length: checked(declaration.len())?,
            name: (checked(name.start)?, checked(name.end)?),
            dynamic_shared: false,
        };
        self.declarations.extend(declaration);
        self.declarations.extend(end);
        Some(place)
    }

    /// Called after `.global` or `.const`, whose declarations need not be readable. Does not move the lexer.
    fn add_variable(&mut self, lexer: &Lexer<'_>, word: &str) {
        let mut lexer = lexer.clone();
        let at = lexer.at.saturating_sub(word.len() + 1);
        let Some(variable) = Variable::parse(&mut lexer, at) else {
            return;
        };
        let text = variable.value.declaration.as_bytes();
        let name = variable.value.name;
        // Only the lengths of an array follow the name.
        let place = text
            .windows(name.len())
            .rposition(|window| window == name.as_bytes())
            .and_then(|start| self.keep(at, text, start..start + name.len(), b";"));
        self.variables.extend(place);
    }

    /// Sorts by name. If a kernel is declared and defined, keeps the definition.
    fn order(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let declarations = &self.declarations;
        let is_defined = |place: &Kept| declarations.get(place.end()) == Some(&b'{');
        for places in [&mut self.variables, &mut self.kernels] {
            sort(places, &|a, b| (a.name(declarations), a.text).cmp(&(b.name(declarations), b.text)));
        }
        self.variables.dedup_by(|later, kept| later.name(declarations) == kept.name(declarations));
        let mut twice = None;
        self.kernels.dedup_by(|later, kept| {
            let same = later.name(declarations) == kept.name(declarations);
            if same && is_defined(later) {
                if is_defined(kept) {
                    twice = twice.into_iter().chain([*later]).min_by_key(|place: &Kept| place.text);
                }
                *kept = *later;
            }
            same
        });
        match twice {
            None => Ok(()),
            Some(place) => Err(Lexer::new(bytes).error_at(
                place.text as usize,
                "one definition of each kernel",
                place.name(declarations),
            )),
        }
    }

    /// Returns the symbols of all kernels, in alphabetical order.
    #[must_use]
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = &str> {
        self.kernels.iter().map(|place| place.name(&self.declarations))
    }

    /// Returns all kernels, in the order of the text.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry<'_>> {
        let order = order(self.kernels.len(), &|a, b| self.kernels[a].text.cmp(&self.kernels[b].text));
        order.into_iter().filter_map(|index| self.nth(index)).collect()
    }

    /// Returns the kernel with this symbol.
    #[must_use]
    pub fn entry(&self, symbol: &str) -> Option<Entry<'_>> {
        self.nth(self.find(symbol)?)
    }

    /// Returns the text between `.entry` and the body of this kernel, and its position.
    #[must_use]
    pub fn declaration(&self, symbol: &str) -> Option<(usize, &[u8])> {
        let place = self.kernels.get(self.find(symbol)?)?;
        let declaration = self.declarations.get(place.start as usize..place.end())?;
        Some((place.text as usize, declaration))
    }

    #[cfg(feature = "bodies")]
    pub(super) fn outline(&self) -> &[u32] {
        &self.outline
    }

    fn find(&self, symbol: &str) -> Option<usize> {
        self.kernels.binary_search_by(|place| place.name(&self.declarations).cmp(symbol)).ok()
    }

    pub(crate) fn nth(&self, index: usize) -> Option<Entry<'_>> {
        let place = self.kernels.get(index)?;
        let mut lexer = Lexer::new(self.declarations.get(place.start as usize..)?);
        Entry::parse(&mut lexer, self.version)
            .ok()
            .map(|(entry, _)| Entry { dynamic_shared: place.dynamic_shared, ..entry })
    }

    pub(crate) fn variables(&self) -> impl ExactSizeIterator<Item = &str> {
        self.variables.iter().map(|place| place.name(&self.declarations))
    }

    pub(crate) fn symbol(&self, index: usize, is_variable: bool) -> &str {
        let places = if is_variable { &self.variables } else { &self.kernels };
        places.get(index).map_or("", |place| place.name(&self.declarations))
    }

    /// Returns a variable as the only parameter of a list.
    pub(crate) fn variable(&self, index: usize) -> Option<(VariableSpace, Entry<'_>)> {
        let place = self.variables.get(index)?;
        let mut lexer = Lexer::new(self.declarations.get(place.start as usize..)?);
        let Variable { space, value } = Variable::parse(&mut lexer, 0)?;
        let entry = Entry {
            name: value.name,
            parameters: [value].into(),
            directives: Directives::default(),
            is_defined: true,
            dynamic_shared: false,
        };
        Some((space, entry))
    }

    #[cfg(feature = "debug-info")]
    pub(crate) fn variable_declarations(&self) -> impl Iterator<Item = &[u8]> {
        self.variables.iter().filter_map(|place| self.declarations.get(place.start as usize..place.end()))
    }

    pub(crate) fn weight(&self) -> usize {
        #[cfg(feature = "bodies")]
        let outline = size_of::<u32>() * self.outline.len();
        #[cfg(not(feature = "bodies"))]
        let outline = 0;
        self.declarations.len() + size_of::<Kept>() * (self.kernels.len() + self.variables.len()) + outline
    }
}

impl Kept {
    const fn end(&self) -> usize {
        self.start as usize + self.length as usize
    }

    fn name<'d>(&self, declarations: &'d [u8]) -> &'d str {
        let at = |offset: u32| self.start as usize + offset as usize;
        let name = declarations.get(at(self.name.0)..at(self.name.1));
        name.and_then(|name| core::str::from_utf8(name).ok()).unwrap_or_default()
    }
}

//! What a PTX text says of its kernels: names, parameters and launch bounds.
//!
//! The grammar is what ptxas 13.0 accepts, found by giving it both sides of each rule; PTX ISA,
//! "Kernel and Function Directives" and "Performance-Tuning Directives". Bodies are skipped, not
//! parsed: an instruction that ptxas refuses is not noticed here.
//!
//! The tests have two more readers, in the stand-in driver and in the oracle suite: they check this one, so they share
//! no code with it.

#[cfg(feature = "debug-info")]
mod debug;
mod dynamic_shared;
mod entry;
mod error;
mod header;
mod lexer;
mod outline;
mod parameter;

#[cfg(feature = "debug-info")]
pub(crate) use debug::debug_sections;
pub use entry::{Directives, Entry};
pub use error::Error;
pub use header::Header;
pub use outline::Outline;
pub use parameter::{Parameter, Pointee, Space};

use crate::target;
use alloc::{collections::BTreeMap, vec::Vec};
use dynamic_shared::Bodies;
use kernel_args_abi::param_layout::Sm;
use lexer::{Lexer, Token};

/// A PTX text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Module<'a> {
    /// Major and minor number of `.version`: `(9, 0)`. PTX ISA, "PTX Module Directives: .version".
    pub version: (u16, u16),
    /// `.target`.
    pub target: Target<'a>,
    /// `.address_size` in bits, where the text has one.
    pub address_size: Option<u8>,
    /// Every kernel, in the order of the text. One that is declared and then defined is here once.
    pub entries: Vec<Entry<'a>>,
    /// Indices of `entries` in the order of their names.
    by_name: Vec<usize>,
}

/// What `.target` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Target<'a> {
    /// The GPU generation, or `None` if it is not spelled as `sm_90a` or `compute_90` are.
    pub sm: Option<Sm>,
    /// The whole list as spelled: `sm_90a`, or `sm_75, texmode_independent`.
    pub text: &'a str,
}

impl<'a> Module<'a> {
    /// Reads a PTX text. It ends at its first NUL, if it has one.
    ///
    /// # Errors
    /// Where the text does not begin with `.version` and `.target`, an `.entry` is not as PTX has it,
    /// or a comment, string or body does not end.
    pub fn parse(text: &'a str) -> Result<Self, Error> {
        Self::parse_bytes(text.as_bytes())
    }

    /// Reads a PTX text from bytes that may end with a NUL, as the driver takes them.
    ///
    /// Outside of comments and strings PTX is ASCII, so the bytes need not be UTF-8.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_bytes(bytes: &'a [u8]) -> Result<Self, Error> {
        let mut entries: Vec<Entry<'a>> = Vec::new();
        let mut places = Vec::new();
        let mut known = BTreeMap::new();
        let head = Head::walk(bytes, |lexer, found| {
            let entry = found.entry;
            match known.get(entry.name.as_bytes()) {
                None => {
                    known.insert(entry.name.as_bytes(), entries.len());
                    entries.push(entry);
                    places.push(found.at);
                }
                Some(&first) => {
                    let (first, place) = (&mut entries[first], &mut places[first]);
                    if first.is_defined && entry.is_defined {
                        return Err(lexer.error_at(found.at, DEFINED_TWICE, entry.name));
                    }
                    if entry.is_defined {
                        (*first, *place) = (entry, found.at);
                    }
                }
            }
            Ok(())
        })?;
        for (entry, place) in entries.iter_mut().zip(places) {
            entry.dynamic_shared = head.uses_dynamic_shared(place);
        }
        Ok(Self {
            version: head.version,
            target: head.target,
            address_size: head.address_size,
            entries,
            by_name: known.into_values().collect(),
        })
    }

    /// The kernel of this symbol.
    #[must_use]
    pub fn entry(&self, symbol: &str) -> Option<&Entry<'a>> {
        let name = |&index: &usize| self.entries.get(index).map(|entry| entry.name);
        let found = self
            .by_name
            .binary_search_by(|index| name(index).cmp(&Some(symbol)));
        self.entries.get(*self.by_name.get(found.ok()?)?)
    }
}

const DEFINED_TWICE: &str = "one definition of each kernel";

/// What stands before the first statement, `.address_size`, and what is known of the bodies.
struct Head<'a> {
    version: (u16, u16),
    target: Target<'a>,
    address_size: Option<u8>,
    /// Where the declarations of the kernels that use dynamic shared memory begin, in order.
    dynamic_shared: Vec<usize>,
    /// Whether there is a section of debug information.
    debug_info: bool,
}

/// An `.entry`, and where it stands.
struct Found<'a> {
    entry: Entry<'a>,
    /// After the word `.entry`.
    at: usize,
    /// Where its body, or the `;` in its place, begins.
    end: usize,
}

impl<'a> Head<'a> {
    /// Reads a text up to its first NUL, and tells each `.entry` in turn.
    fn walk(
        bytes: &'a [u8],
        mut tell: impl FnMut(&Lexer<'a>, Found<'a>) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        let lexer = &mut Lexer::new(&bytes[..end]);
        let mut head = Self {
            version: version(lexer)?,
            target: Target::parse(lexer)?,
            address_size: None,
            dynamic_shared: Vec::new(),
            debug_info: false,
        };
        let mut bodies = Bodies::default();
        while let Some(word) = lexer.next_directive()? {
            let at = lexer.position();
            match word {
                "entry" => {
                    let (entry, end) = Entry::parse(lexer, head.version)?;
                    if entry.is_defined {
                        bodies.kernel(at, lexer.bytes(end, lexer.position()));
                    }
                    tell(lexer, Found { entry, at, end })?;
                }
                "address_size" => {
                    head.address_size = match lexer.integer("32 or 64 after `.address_size`")? {
                        32 => Some(32),
                        64 => Some(64),
                        _ => return Err(lexer.error(at, "32 or 64 after `.address_size`")),
                    };
                }
                "extern" => bodies.declaration(lexer),
                "func" => bodies.function(lexer),
                "section" => {
                    let name = lexer.clone().token();
                    head.debug_info |= matches!(name, Ok((_, Token::Directive("debug_info"))));
                }
                _ => {}
            }
        }
        head.dynamic_shared = bodies.users();
        Ok(head)
    }

    /// Whether the kernel whose declaration begins at `at` uses dynamic shared memory.
    fn uses_dynamic_shared(&self, at: usize) -> bool {
        self.dynamic_shared.binary_search(&at).is_ok()
    }
}

/// `.version 9.0`. It must stand first.
fn version(lexer: &mut Lexer<'_>) -> Result<(u16, u16), Error> {
    const FIRST: &str = "PTX, which begins with `.version`";
    const NUMBERS: &str = "a version such as `9.0` after `.version`";
    let (at, token) = lexer.token()?;
    if token != Token::Directive("version") {
        return Err(lexer.error(at, FIRST));
    }
    let (at, token) = lexer.token()?;
    let numbers = match token {
        Token::Number(text) => text.split_once('.'),
        _ => None,
    };
    numbers
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
        .ok_or_else(|| lexer.error(at, NUMBERS))
}

impl<'a> Target<'a> {
    /// `.target sm_90, debug`. It must stand second.
    fn parse(lexer: &mut Lexer<'a>) -> Result<Self, Error> {
        const NAME: &str = "a name such as `sm_90` in `.target`";
        let (at, token) = lexer.token()?;
        if token != Token::Directive("target") {
            return Err(lexer.error(at, "`.target` after `.version`"));
        }
        let (start, first) = lexer.identifier(NAME)?;
        let mut end = lexer.position();
        let sm = |name| target::Target::parse(name).map(|target| target.sm);
        let mut found = sm(first);
        while lexer.take(b',')? {
            let (_, name) = lexer.identifier(NAME)?;
            found = found.or(sm(name));
            end = lexer.position();
        }
        Ok(Self {
            sm: found,
            text: lexer.text(start, end),
        })
    }
}

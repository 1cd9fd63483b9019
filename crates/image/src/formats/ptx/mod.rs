//! Reads the kernels of a PTX text: names, parameters and launch bounds.
//!
//! The grammar is the one that ptxas 13.0 accepts, found by testing both sides of each rule. See PTX ISA, "Kernel and
//! Function Directives" and "Performance-Tuning Directives". Bodies are skipped.
//!
//! The two readers in the test driver and in the oracle suite check this reader, so they share no code with it.

#[cfg(feature = "bodies")]
mod body;
#[cfg(feature = "debug-info")]
mod debug;
mod dynamic_shared;
mod entry;
mod extent;
mod header;
mod lexer;
mod module;
mod parameter;
mod variable;

#[cfg(feature = "bodies")]
pub use body::{Bodies, KernelBody};
#[cfg(feature = "debug-info")]
pub(crate) use debug::debug_sections;
pub use entry::Entry;
pub use extent::{begins, extent};
pub use header::{Header, Target};
pub use module::Module;
pub use parameter::{Parameter, Pointee, PointerAccess, Space};

use crate::prelude::*;

/// The position and the reason of an error in a PTX text.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Error {
    /// The line, starting at 1.
    pub line: usize,
    /// The column in bytes, starting at 1.
    pub column: usize,
    /// What was expected at this position.
    pub expected: &'static str,
    /// The word or sign at this position. Empty at the end of the text.
    pub found: String,
}

impl Error {
    const QUOTED: usize = 40;

    #[cold]
    fn at(source: &[u8], at: usize, expected: &'static str, found: &str) -> Self {
        let before = &source[..at.min(source.len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1);
        let mut quoted = found.len().min(Self::QUOTED);
        while !found.is_char_boundary(quoted) {
            quoted -= 1;
        }
        Self {
            line: before.split(|&b| b == b'\n').count(),
            column: 1 + before.len() - line_start,
            expected,
            found: found[..quoted].to_owned(),
        }
    }
}

display!(error Error, |this, f| {
    let Self { line, column, expected, found } = this;
    write!(f, "line {line}, column {column}: expected {expected}, found ")?;
    if found.is_empty() { f.write_str("the end of the text") } else { write!(f, "`{}`", found.escape_debug()) }
});

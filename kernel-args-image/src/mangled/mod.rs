//! What a mangled kernel name tells: unless a kernel is `extern "C"`, its symbol carries the C++ types
//! of all its parameters. `_Z5saxpyifPKfPf` is `saxpy(int, float, float const*, float*)`.
//!
//! Itanium C++ ABI, "5.1 External Names", which CUDA uses for device code on every host.
//!
//! What cannot be understood is unknown, never a guess: the types serve for refusing a launch.

mod find;
mod spelling;
mod types;

pub use find::{candidates, matches, nearest};

use alloc::{string::String, vec::Vec};
use core::fmt;
use kernel_args_abi::cpp::CppType;
use spelling::Spelling;

/// The longest symbol that is read, in bytes. Those of CUB's kernels reach some 10 KB.
const SYMBOL_LIMIT: usize = 32 << 10;

/// The longest demangled name that is read, in bytes: substitutions can make one exponentially long.
const TEXT_LIMIT: usize = 64 << 10;

/// A kernel's C++ name, demangled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demangled {
    text: String,
    spelling: Spelling,
    /// Whether the list of parameters can be believed.
    types_known: bool,
}

/// The demangled text of a symbol: `saxpy(int, float, float const*, float*)`. `None` where the symbol
/// is not mangled, or its text is longer than 64 KiB.
#[must_use]
pub fn demangle(symbol: &str) -> Option<String> {
    if !symbol.starts_with("_Z") || symbol.len() > SYMBOL_LIMIT {
        return None;
    }
    let symbol = cpp_demangle::Symbol::new(symbol.as_bytes()).ok()?;
    let mut text = Bounded(String::new());
    symbol
        .structured_demangle(&mut text, &cpp_demangle::DemangleOptions::default())
        .ok()?;
    Some(text.0)
}

/// Text that refuses to grow past [`TEXT_LIMIT`].
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > TEXT_LIMIT {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

impl Demangled {
    /// Reads a symbol. `None` where it is not the mangled name of a function.
    #[must_use]
    pub fn new(symbol: &str) -> Option<Self> {
        let text = spelling::tidy(&demangle(symbol)?);
        let spelling = Spelling::parse(&text).filter(|spelling| spelling.has_list)?;
        Some(Self {
            types_known: spelling.parameters.is_some() && !has_pattern_pack(symbol),
            text,
            spelling,
        })
    }

    /// The whole text: `void sim::step<float, 4>(float*, int)`. Without ABI tags and inline namespaces, which the
    /// kernel's source does not spell.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The qualified name without return type, template arguments and parameters: `sim::step`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.text[self.spelling.name.clone()]
    }

    /// The text between `<` and `>` after the name: `float, 4`.
    #[must_use]
    pub fn template_arguments(&self) -> Option<&str> {
        self.spelling
            .template
            .clone()
            .map(|range| &self.text[range])
    }

    /// The types of the parameters, in order. One that cannot be understood is
    /// [`UNKNOWN`](CppType::UNKNOWN); where the list itself cannot be, it is `None`.
    #[must_use]
    pub fn parameters(&self) -> Option<Vec<CppType<'_>>> {
        if !self.types_known {
            return None;
        }
        let arguments = self.template_list();
        let read = |range: &core::ops::Range<usize>| {
            types::read(&self.text[range.clone()], arguments.as_deref())
        };
        let parameters = self.spelling.parameters.as_ref()?;
        Some(parameters.iter().map(read).collect())
    }

    /// The types of the parameters, where the list has `count` of them.
    #[must_use]
    pub fn types_of(&self, count: usize) -> Option<Vec<CppType<'_>>> {
        let parameters = self.spelling.parameters.as_ref()?;
        if parameters.len() == count {
            self.parameters()
        } else {
            None
        }
    }

    fn template_list(&self) -> Option<Vec<&str>> {
        spelling::split(self.template_arguments()?)
    }
}

impl fmt::Display for Demangled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a symbol expands a parameter pack by a pattern (`Ts const*...`, in contrast to `Ts...`):
/// the demangler writes the pattern at the last element only.
fn has_pattern_pack(symbol: &str) -> bool {
    symbol.match_indices("Dp").any(|(at, _)| {
        let pack = &symbol[at + 2..];
        let plain = pack.strip_prefix('T').and_then(|index| {
            index
                .trim_start_matches(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase())
                .strip_prefix('_')
        });
        plain.is_none()
    })
}

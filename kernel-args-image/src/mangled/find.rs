//! Which of a module's symbols a kernel's C++ name means.

use super::{
    Demangled,
    spelling::{self, Spelling},
    types,
};
use alloc::{string::String, vec, vec::Vec};
use kernel_args_abi::cpp::{CppBase, name};

/// How well a symbol fits a wanted name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    /// Its name does, and the template arguments begin as wanted: `k<float>` and `k<float, 4>`.
    Prefix,
    /// All that is wanted does, but it is an instance of a template, which was not asked for.
    Instance,
    /// All that is wanted does.
    Spelling,
    /// It is the symbol itself.
    Symbol,
}

/// Whether `symbol` is what `wanted` names:
///
/// | wanted | finds |
/// |---|---|
/// | `_Z5saxpyifPKfPf` | this symbol |
/// | `saxpy` | `extern "C"` `saxpy`; every overload and instance of that name, in any namespace |
/// | `sim::step` | every overload and instance of that name, in `sim`, or `sim` in any namespace |
/// | `saxpy<float>` | this instance, and those with further template arguments |
/// | `saxpy(int, float)` | this overload |
///
/// Among several symbols, [`candidates`] prefers the better fit.
#[must_use]
pub fn matches(symbol: &str, wanted: &str) -> bool {
    Wanted::new(wanted).fit(symbol).is_some()
}

/// The symbols that fit `wanted` best, as [`matches()`] tells: the symbol of exactly this name alone, or
/// else those of which all that is wanted fits (overloads before template instances where the parameters are
/// spelled out), or else those with further template arguments.
pub fn candidates<'s>(wanted: &str, symbols: impl IntoIterator<Item = &'s str>) -> Vec<&'s str> {
    let wanted = Wanted::new(wanted);
    let mut best = None;
    let mut found = Vec::new();
    for symbol in symbols {
        let fit = wanted.fit(symbol);
        if fit > best {
            best = fit;
            found.clear();
        }
        if fit.is_some() && fit == best {
            found.push(symbol);
        }
    }
    found
}

struct Wanted<'w> {
    symbol: &'w str,
    text: String,
    name: String,
    spelling: Option<Spelling>,
}

impl<'w> Wanted<'w> {
    fn new(text: &'w str) -> Self {
        let symbol = text.trim();
        let text = spelling::tidy(symbol);
        let spelling = Spelling::parse(&text);
        let name = spelling.as_ref().map(|s| &text[s.name.clone()]);
        Self {
            symbol,
            name: without_anonymous(name.unwrap_or_default()),
            text,
            spelling,
        }
    }

    fn fit(&self, symbol: &str) -> Option<Fit> {
        if symbol == self.symbol {
            return Some(Fit::Symbol);
        }
        let spelling = self.spelling.as_ref()?;
        // Demangling is expensive: skip symbols that cannot match.
        let last = self.name.rsplit("::").next()?;
        if last.is_empty() || !symbol.contains(last) {
            return None;
        }
        let demangled = Demangled::new(symbol)?;
        if !is_same_name(&without_anonymous(demangled.name()), &self.name) {
            return None;
        }
        if !self.fits_parameters(spelling, &demangled) {
            return None;
        }
        let Some(arguments) = &spelling.template else {
            // `k(int)` is the overload before it is `k<float>(int)`; plain `k` is any of them.
            let instance =
                spelling.parameters.is_some() && demangled.template_arguments().is_some();
            return Some(if instance {
                Fit::Instance
            } else {
                Fit::Spelling
            });
        };
        let wanted = spelling::split(&self.text[arguments.clone()])?;
        let given = demangled.template_list()?;
        let begins = wanted.len() <= given.len()
            && wanted
                .iter()
                .zip(&given)
                .all(|(a, b)| is_same_spelling(a, b));
        match begins {
            true if wanted.len() == given.len() => Some(Fit::Spelling),
            true => Some(Fit::Prefix),
            false => None,
        }
    }

    fn fits_parameters(&self, spelling: &Spelling, demangled: &Demangled) -> bool {
        let Some(wanted) = &spelling.parameters else {
            return !spelling.has_list;
        };
        let Some(given) = &demangled.spelling.parameters else {
            return false;
        };
        wanted.len() == given.len()
            && wanted.iter().zip(given).all(|(wanted, given)| {
                is_same_spelling(&self.text[wanted.clone()], &demangled.text[given.clone()])
            })
    }
}

/// Whether a qualified name is `wanted`, or ends with it after some `::`.
fn is_same_name(name: &str, wanted: &str) -> bool {
    if let Some(absolute) = wanted.strip_prefix("::") {
        return name == absolute;
    }
    name.strip_suffix(wanted)
        .is_some_and(|scope| scope.is_empty() || scope.ends_with("::"))
}

fn without_anonymous(name: &str) -> String {
    name.replace("(anonymous namespace)::", "")
}

/// Whether two texts spell the same type or template argument.
fn is_same_spelling(a: &str, b: &str) -> bool {
    let (left, right) = (types::read(a, None), types::read(b, None));
    let same_shape = left.depth == right.depth
        && left.const_mask == right.const_mask
        && a.trim_end().ends_with('&') == b.trim_end().ends_with('&');
    let same_base = match (left.base, right.base) {
        (CppBase::Unknown, _) | (_, CppBase::Unknown) => false,
        (CppBase::Named(left), CppBase::Named(right)) => name::same(left, right),
        (CppBase::Named(named), CppBase::Float { bits: 16 })
        | (CppBase::Float { bits: 16 }, CppBase::Named(named)) => name::is_half(named),
        (left, right) => left == right,
    };
    same_shape && same_base || plain(a) == plain(b)
}

/// A spelling without blanks, without the casts and suffixes of literals: `(unsigned int)3` is `3`.
fn plain(text: &str) -> String {
    let mut text = text.trim();
    if text.starts_with('(')
        && let Some((_, literal)) = text.rsplit_once(')')
        && literal.starts_with(|c: char| c.is_ascii_digit() || c == '-')
    {
        text = literal;
    }
    if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        text = text.trim_end_matches(['u', 'U', 'l', 'L']);
    }
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The longest part of a name that [`nearest`] compares, in bytes.
const COMPARED: usize = 64;

/// The names that are most like `wanted`, best first and three at most: for "did you mean".
///
/// A mangled symbol is compared by its C++ name, and returned as it is.
pub fn nearest<'s>(wanted: &str, symbols: impl IntoIterator<Item = &'s str>) -> Vec<&'s str> {
    let wanted_name = match Spelling::parse(wanted) {
        Some(spelling) => &wanted[spelling.name],
        None => wanted,
    };
    let allowed = 1 + wanted_name.len().min(COMPARED) / 3;
    let mut found: Vec<(usize, &str)> = Vec::new();
    for symbol in symbols {
        let distance = match Demangled::new(symbol) {
            Some(demangled) => {
                let last = |name: &str| String::from(name.rsplit("::").next().unwrap_or_default());
                let whole = distance(wanted_name, demangled.name());
                whole.min(distance(&last(wanted_name), &last(demangled.name())))
            }
            None => distance(wanted_name, symbol),
        };
        if distance <= allowed {
            found.push((distance, symbol));
        }
    }
    found.sort_by_key(|&(distance, _)| distance);
    found
        .into_iter()
        .take(3)
        .map(|(_, symbol)| symbol)
        .collect()
}

/// Levenshtein's distance of the first [`COMPARED`] bytes, without regard to case.
fn distance(a: &str, b: &str) -> usize {
    let cut = |text: &str| -> Vec<u8> {
        let bytes = text.bytes().take(COMPARED);
        bytes.map(|b| b.to_ascii_lowercase()).collect()
    };
    let (a, b) = (cut(a), cut(b));
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let replaced = row[j] + usize::from(x != y);
            next.push(replaced.min(row[j + 1] + 1).min(next[j] + 1));
        }
        row = next;
    }
    row[b.len()]
}

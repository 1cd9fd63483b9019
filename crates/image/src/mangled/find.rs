//! Finds the symbols of a module that match a kernel's C++ name.

use super::{
    Demangled,
    written::{self, Written, closing, split},
};
use crate::prelude::*;
use core::ops::Range;

/// A kernel's C++ name and the positions of its parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelled<'s> {
    /// The whole text: `void sim::step<float, 4>(float*, int)`.
    pub text: &'s str,
    /// The position of the qualified name.
    pub name: Range<usize>,
    /// The position of the template arguments, without the brackets.
    pub arguments: Option<Range<usize>>,
}

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Fit {
    /// The name matches, and the wanted template arguments are a prefix: `k<float>` and `k<float, 4>`.
    Prefix,
    /// Everything matches, but the symbol is a template instance, and the wanted name has no template arguments.
    Instance,
    Spelling,
    /// The wanted name is the symbol itself.
    Symbol,
}

/// Returns whether `symbol` matches the name `wanted`:
///
/// | wanted | matches |
/// |---|---|
/// | `_Z5saxpyifPKfPf` | this symbol |
/// | `saxpy` | `extern "C"` `saxpy`; every overload and instance of that name, in any namespace |
/// | `sim::step` | every overload and instance of that name, in `sim`, or `sim` in any namespace |
/// | `saxpy<float>` | this instance, and instances with more template arguments |
/// | `saxpy(int, float)` | this overload |
/// | `sim::step`, `step`, `step::<f32>` | kernels of rustc |
///
/// [`candidates`] selects the best matches among several symbols.
#[must_use]
pub fn matches(symbol: &str, wanted: &str) -> bool {
    Wanted::new(wanted).fit_symbol(symbol).is_some()
}

/// Returns the symbols that match `wanted` best, by the rules of [`matches()`]: the first group that is not empty.
///
/// 1. the symbol that is equal to `wanted`
/// 2. the symbols that match all parts of `wanted`; if `wanted` contains parameters, functions before template
///    instances
/// 3. the symbols with more template arguments than `wanted`
pub fn candidates<'s>(wanted: &str, symbols: impl IntoIterator<Item = &'s str>) -> Vec<&'s str> {
    let wanted = Wanted::new(wanted);
    best(symbols, |symbol| wanted.fit_symbol(symbol))
}

/// [`candidates`] among symbols whose C++ names are known; `None` for a symbol that is not mangled.
pub fn candidates_by_name<'s>(
    wanted: &str,
    kernels: impl IntoIterator<Item = (&'s str, Option<Spelled<'s>>)>,
) -> Vec<&'s str> {
    let wanted = Wanted::new(wanted);
    let found = best(kernels, |(symbol, name)| match name {
        _ if *symbol == wanted.symbol => Some(Fit::Symbol),
        Some(name) => wanted.fit(name),
        None => None,
    });
    found.into_iter().map(|(symbol, _)| symbol).collect()
}

fn best<T>(all: impl IntoIterator<Item = T>, fit: impl Fn(&T) -> Option<Fit>) -> Vec<T> {
    let mut best = None;
    let mut found = Vec::new();
    for one in all {
        let fit = fit(&one);
        if fit > best {
            best = fit;
            found.clear();
        }
        if fit.is_some() && fit == best {
            found.push(one);
        }
    }
    found
}

struct Wanted<'w> {
    symbol: &'w str,
    text: String,
    written: Option<Written>,
}

impl<'w> Wanted<'w> {
    fn new(text: &'w str) -> Self {
        let symbol = text.trim();
        let text = written::tidy(symbol);
        let written =
            Written::parse(&text).map(|written| Written { name: without_anonymous(&written.name), ..written });
        Self { symbol, text, written }
    }

    fn fit_symbol(&self, symbol: &str) -> Option<Fit> {
        if symbol == self.symbol {
            return Some(Fit::Symbol);
        }
        if let Some(wanted) = &self.written {
            // Demangling is expensive: skip symbols that cannot match.
            let last = wanted.name.rsplit("::").next()?;
            // rustc encodes other characters.
            if last.is_empty() || last.is_ascii() && !symbol.contains(last) {
                return None;
            }
        }
        self.fit(&Demangled::new(symbol)?.spelled())
    }

    fn fit(&self, given: &Spelled<'_>) -> Option<Fit> {
        if given.text == self.text {
            // This also finds a name with a lambda or an operator, copied from a message.
            return Some(Fit::Spelling);
        }
        let wanted = self.written.as_ref()?;
        let name = given.text.get(given.name.clone())?;
        if wanted.name.is_empty() || !is_same_name(&without_anonymous(name), &wanted.name) {
            return None;
        }
        if let Some(parameters) = &wanted.parameters {
            let given = given.parameters()?;
            if given.len() != parameters.len() || !begins_with(&given, parameters) {
                return None;
            }
        }
        let Some(arguments) = &wanted.arguments else {
            // `k(int)` prefers the overload `k(int)` to `k<float>(int)`; `k` without parameters matches both.
            let is_instance = wanted.parameters.is_some() && given.arguments.is_some();
            return Some(if is_instance { Fit::Instance } else { Fit::Spelling });
        };
        let given = split(given.text.get(given.arguments.clone()?)?)?;
        let fit = if arguments.len() == given.len() { Fit::Spelling } else { Fit::Prefix };
        begins_with(&given, arguments).then_some(fit)
    }
}

fn begins_with(list: &[String], first: &[String]) -> bool {
    first.len() <= list.len() && first.iter().zip(list).all(|(a, b)| written::is_same(a, b))
}

impl Spelled<'_> {
    /// Returns the end of the template arguments, with the bracket; without arguments, of the name.
    pub(crate) fn instance_end(&self) -> usize {
        self.arguments.as_ref().map_or(self.name.end, |arguments| arguments.end + 1)
    }

    /// `None` if they cannot be read.
    fn parameters(&self) -> Option<Vec<String>> {
        let open = self.instance_end();
        let bytes = self.text.as_bytes();
        let close = closing(bytes, open).filter(|_| bytes.get(open) == Some(&b'('))?;
        split(self.text.get(open + 1..close)?)
    }
}

fn is_same_name(name: &str, wanted: &str) -> bool {
    if let Some(absolute) = wanted.strip_prefix("::") {
        return name == absolute;
    }
    name.strip_suffix(wanted).is_some_and(|scope| scope.is_empty() || scope.ends_with("::"))
}

fn without_anonymous(name: &str) -> String {
    name.replace("(anonymous namespace)::", "")
}

/// In bytes.
const COMPARED: usize = 64;

/// A shorter name is a part of other names by chance.
const MEANINGFUL: usize = 3;

/// At most three symbols that are similar to `wanted`, or whose C++ names are, the most similar first.
pub fn nearest<'s>(wanted: &str, symbols: impl IntoIterator<Item = &'s str>) -> Vec<&'s str> {
    let demangled = symbols.into_iter().map(|symbol| {
        let name = Demangled::new(symbol).map(|demangled| demangled.name().into());
        (symbol, name.unwrap_or_else(|| String::from(symbol)))
    });
    nearest_by_name(wanted, demangled)
}

/// [`nearest`] among symbols whose qualified C++ names are known.
pub fn nearest_by_name<'s, N: AsRef<str>>(
    wanted: &str,
    kernels: impl IntoIterator<Item = (&'s str, N)>,
) -> Vec<&'s str> {
    // A symbol of another compiler, such as the mangled name of an `extern "C"` kernel.
    let written = identifiers(wanted).or_else(|| Some(Written::parse(wanted)?.name));
    let wanted_name = written.as_deref().unwrap_or(wanted);
    let allowed = 1 + wanted_name.len().min(COMPARED) / 3;
    let last = |name: &str| String::from(name.rsplit("::").next().unwrap_or_default());
    let mut found: Vec<(usize, &str)> = Vec::new();
    for (symbol, name) in kernels {
        let name = name.as_ref();
        let whole = distance(wanted_name, name);
        let (wanted_last, last) = (last(wanted_name), last(name));
        // A name that only lacks its beginning or its end is nearer than a name with other letters.
        let is_part_of =
            |part: &str, whole: &str| part.len() >= MEANINGFUL && (whole.ends_with(part) || whole.starts_with(part));
        // Triton adds letters: `add_kernel_0d1d2d`.
        let is_part = is_part_of(&wanted_last, &last) || is_part_of(&last, &wanted_last);
        let distance = if is_part { 0 } else { whole.min(distance(&wanted_last, &last)) };
        if distance <= allowed {
            // After the symbols at the same distance.
            let place = found.partition_point(|&(other, _)| other <= distance);
            found.insert(place, (distance, symbol));
            found.truncate(3);
        }
    }
    found.into_iter().map(|(_, symbol)| symbol).collect()
}

/// Returns the qualified name in a mangled name without template arguments before the last part: `3sim4stepEi`. A
/// program that only loads images of `kernels!` is smaller without the demangler.
fn identifiers(symbol: &str) -> Option<String> {
    let mut rest = symbol.strip_prefix("_Z")?.trim_start_matches(['N', 'K', 'L', 'V']);
    let mut names = Vec::new();
    while let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0) {
        let end = digits + rest[..digits].parse::<usize>().ok().filter(|length| *length <= rest.len())?;
        names.push(rest.get(digits..end)?);
        rest = &rest[end..];
    }
    (!names.is_empty()).then(|| names.join("::"))
}

/// Returns the Levenshtein distance of the first [`COMPARED`] bytes. It ignores case.
fn distance(a: &str, b: &str) -> usize {
    let cut = |text: &str| -> Vec<u8> { text.bytes().take(COMPARED).map(|b| b.to_ascii_lowercase()).collect() };
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

/// Returns the name in a folder that is meant by `wanted`, and at most four names: the similar ones; without any, names
/// with the same ending first, then images.
///
/// An image can be meant by the name of an image, but not by the name of a source, nor the other way around.
#[doc(hidden)]
#[must_use]
pub fn similar_files(wanted: &str, mut names: Vec<String>) -> (Option<String>, Vec<String>) {
    const LISTED: usize = 4;
    let ending = |name: &str| String::from(name.rsplit_once('.').unwrap_or_default().1);
    let wanted_ending = ending(wanted);
    names.retain(|name| !name.starts_with('.'));
    let is_image = |name: &str| ["ptx", "cubin", "fatbin"].contains(&&*ending(name));
    let key = |name: &String| (ending(name) != wanted_ending, !is_image(name));
    sort(&mut names, &|a, b| (key(a), a).cmp(&(key(b), b)));
    let stem = |name: &str| String::from(name.split('.').next().unwrap_or_default());
    let similar = nearest_by_name(&stem(wanted), names.iter().map(|name| (name.as_str(), stem(name))));
    let similar: Vec<String> = similar.into_iter().map(String::from).collect();
    names.truncate(LISTED);
    let meant = similar.iter().find(|name| ending(name) == wanted_ending || is_image(name) && wanted_ending != "cu");
    (meant.cloned(), if similar.is_empty() { names } else { similar })
}

#[cfg(test)]
mod tests {
    use super::similar_files;
    use alloc::{string::String, vec::Vec};

    #[test]
    fn similar_names_are_first_and_images_are_listed_without_them() {
        let files = |names: &[&str]| names.iter().copied().map(String::from).collect::<Vec<_>>();
        let folder = files(&["main.rs", "reduce.ptx", "saxpy.cu", ".git", "saxpy.ptx", "a.txt", "b.txt", "c.txt"]);
        let similar = similar_files("saxpi.cubin", folder.clone());
        assert_eq!(similar, (Some("saxpy.ptx".into()), files(&["saxpy.ptx", "saxpy.cu"])));
        let (similar, listed) = similar_files("convolution.ptx", folder);
        assert_eq!((similar, listed), (None, files(&["reduce.ptx", "saxpy.ptx", "a.txt", "b.txt"])));
        assert_eq!(similar_files("x.ptx", Vec::new()), (None, Vec::new()));
        // Neither is the source an image, nor the image a source.
        assert_eq!(similar_files("saxpy.ptx", files(&["saxpy.cu"])), (None, files(&["saxpy.cu"])));
        assert_eq!(similar_files("saxpi.cu", files(&["saxpy.ptx"])), (None, files(&["saxpy.ptx"])));
        assert_eq!(similar_files("saxpy", files(&["saxpy.ptx"])), (Some("saxpy.ptx".into()), files(&["saxpy.ptx"])));
    }
}

//! Mangled names: the names and the C++ types of parameters that the symbol of a kernel contains.
//!
//! Unless a kernel is `extern "C"`, its symbol contains the types of all its parameters: `_Z5saxpyifPKfPf` is
//! `saxpy(int, float, float const*, float*)`.
//!
//! CUDA uses the Itanium C++ ABI, "5.1 External Names". A type that cannot be read with certainty is unknown, never a
//! guess: launches are rejected because of these types.

mod declared;
mod find;
mod parser;
mod printer;
mod rust;
mod tree;
mod written;

#[doc(hidden)]
pub use find::similar_files;
pub use find::{Spelled, candidates, candidates_by_name, matches, nearest, nearest_by_name};

use crate::prelude::*;
use core::ops::Range;
use kernel_args_abi::{CppBase, CppType};
use parser::Parser;
use printer::{Printer, TEXT_LIMIT};
use tree::{Id, Node, Tree};

/// In bytes. The symbols of CUB's kernels have up to about 10 KB.
const SYMBOL_LIMIT: usize = 32 << 10;

const ANONYMOUS: &str = "(anonymous namespace)";

/// The C++ name of a kernel or variable, demangled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demangled {
    text: String,
    name: Range<usize>,
    /// Each argument in a pack is a separate item.
    template: Option<Vec<Range<usize>>>,
    parameters: Vec<(Range<usize>, CppType<'static>)>,
    list: Arity,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arity {
    /// All parameters.
    Complete,
    /// The symbol has a pack of unknown length.
    Open,
    /// Symbols of variables and of rustc have no list.
    None,
    /// The list is removed, because the parameters have other types.
    Foreign,
}

/// Returns the text of a symbol in the style of llvm-cxxfilt: `saxpy(int, float, float const*, float*)`. `None` if the
/// symbol is not mangled, or if its text is longer than 64 KiB.
#[must_use]
pub fn demangle(symbol: &str) -> Option<String> {
    if let Some(rust) = rust::read(symbol) {
        return Some(rust.text);
    }
    let (tree, root, suffix) = read(symbol)?;
    let mut printer = Printer::new(&tree, false);
    printer.print(root);
    if !suffix.is_empty() {
        printer.push(" (");
        printer.push(suffix);
        printer.push(")");
    }
    printer.finish()
}

/// Returns the tree of a symbol, its root, and the suffix that a compiler added: `.part.0`.
fn read(symbol: &str) -> Option<(Tree<'_>, Id, &str)> {
    if symbol.len() > SYMBOL_LIMIT || !symbol.is_ascii() {
        return None;
    }
    let mut parser = Parser::new(symbol.strip_prefix("_Z")?);
    let root = parser.encoding()?;
    let ends = parser.rest.is_empty() || parser.rest.starts_with('.');
    ends.then_some((parser.tree, root, parser.rest))
}

impl Demangled {
    /// Reads a symbol. `None` if it is not the mangled name of a function, or if the function is an operator.
    #[must_use]
    pub fn new(symbol: &str) -> Option<Self> {
        if let Some(rust) = rust::read(symbol) {
            return Some(rust);
        }
        let (tree, root, suffix) = read(symbol)?;
        let Node::Function(Some(name), result, parameters, tail) = tree.node(root) else {
            return None;
        };
        let mut printer = Printer::new(&tree, true);
        if let Some(result) = result {
            printer.result(result, true);
        }
        let (name, template) = qualified(&tree, &mut printer, name)?;
        if !suffix.is_empty() {
            return None;
        }
        let mut found = Vec::new();
        printer.within(["(", ")"], |printer| {
            printer.list(parameters, &mut |printer, id, range| {
                found.push((range, printer.known(id)));
            });
        });
        if let Some(result) = result {
            printer.right(result);
        }
        printer.print(tail);
        let text = printer.finish()?;
        // Only qualifiers: no compiler writes them around an empty pack.
        if found.iter().any(|(range, _)| base(&text[range.clone()]).is_empty()) {
            return None;
        }
        let is_open = |(range, _): &(Range<usize>, _)| {
            text[range.clone()].ends_with("...") || text[range.end..].starts_with("...")
        };
        let is_open = found.iter().any(is_open);
        Some(Self {
            list: if is_open { Arity::Open } else { Arity::Complete },
            text,
            name,
            template,
            parameters: found,
        })
    }

    /// Returns the name of a variable: `_ZN3sim2dtE` is `sim::dt`. `None` if it is not mangled, or is the symbol of a
    /// function.
    #[must_use]
    pub fn variable(symbol: &str) -> Option<Self> {
        if let Some(rust) = rust::read(symbol) {
            return Some(rust);
        }
        let (tree, root, suffix) = read(symbol)?;
        if matches!(tree.node(root), Node::Function(..)) || !suffix.is_empty() {
            return None;
        }
        let mut printer = Printer::new(&tree, true);
        let (name, template) = qualified(&tree, &mut printer, root)?;
        Some(Self { text: printer.finish()?, name, template, parameters: Vec::new(), list: Arity::None })
    }

    /// `void sim::step<float, 4>(float*, int)`, without ABI tags and inline namespaces, which sources do not contain
    /// either.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the qualified name without return type, template arguments and parameters: `sim::step`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.text[self.name.clone()]
    }

    /// Returns the text and the positions of its parts.
    #[must_use]
    pub fn spelled(&self) -> Spelled<'_> {
        let arguments = self.template.as_ref().map(|list| {
            let start = self.name.end + 1;
            start..list.last().map_or(start, |argument| argument.end)
        });
        Spelled { text: &self.text, name: self.name.clone(), arguments }
    }

    /// Returns the text between `<` and `>` after the name: `float, 4`.
    #[must_use]
    pub fn template_arguments(&self) -> Option<&str> {
        self.text.get(self.spelled().arguments?)
    }

    /// Returns whether the symbol contains a list of parameters, as of C++ functions, unlike rustc's.
    #[must_use]
    pub const fn has_parameters(&self) -> bool {
        matches!(self.list, Arity::Complete | Arity::Open)
    }

    /// Returns the types of the parameters. A type that is not certain is [`UNKNOWN`](CppType::UNKNOWN). `None` if
    /// their number is not certain.
    #[must_use]
    pub fn parameters(&self) -> Option<Vec<CppType<'_>>> {
        let ty = |(range, ty): &(Range<usize>, CppType<'static>)| {
            let mut ty = *ty;
            if let CppBase::Named(_) = ty.base {
                ty.base = CppBase::Named(base(&self.text[range.clone()]));
            }
            ty
        };
        (self.list == Arity::Complete).then(|| self.parameters.iter().map(ty).collect())
    }

    /// Returns the types of the parameters, if their number is `count`.
    #[must_use]
    pub fn types_of(&self, count: usize) -> Option<Vec<CppType<'_>>> {
        self.parameters().filter(|types| types.len() == count)
    }
}

display!(Demangled, |this, f| f.write_str(&this.text));

type Parts = (Range<usize>, Option<Vec<Range<usize>>>);

/// `None` for an operator.
fn qualified(tree: &Tree<'_>, printer: &mut Printer<'_, '_>, mut name: Id) -> Option<Parts> {
    let start = printer.text.len();
    while let Node::Local(function, inner) = tree.node(name) {
        printer.print(function);
        printer.push("::");
        name = inner;
    }
    let mut template = None;
    if let Node::Instance(plain, arguments) = tree.node(name)
        && let Node::Arguments(arguments) = tree.node(arguments)
    {
        (name, template) = (plain, Some(arguments));
    }
    if is_operator(tree, name) {
        return None;
    }
    printer.print(name);
    let name = start..printer.text.len();
    let template = template.map(|arguments| {
        let mut found = Vec::new();
        printer.within(["<", ">"], |printer| {
            printer.list(arguments, &mut |_, _, range| found.push(range));
        });
        found
    });
    Some((name, template))
}

fn is_operator(tree: &Tree<'_>, mut name: Id) -> bool {
    while let Node::Nested(_, inner) | Node::Tagged(inner, _) = tree.node(name) {
        name = inner;
    }
    match tree.node(name) {
        Node::Operator(_) => true,
        Node::Form(text, ..) => text.starts_with("operator"),
        _ => false,
    }
}

/// `S` of `S const (*) [4]`.
fn base(mut ty: &str) -> &str {
    const AROUND: [&str; 5] = ["*", "&", " const", " volatile", " restrict"];
    while let Some((element, _)) = ty.rsplit_once(" (*").filter(|_| ty.ends_with(']')) {
        ty = element;
    }
    while let Some(inner) = AROUND.iter().find_map(|part| ty.strip_suffix(part)) {
        ty = inner;
    }
    ty
}

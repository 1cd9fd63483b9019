//! What a mangled kernel name contains: unless a kernel is `extern "C"`, its symbol carries the C++ types
//! of all its parameters. `_Z5saxpyifPKfPf` is `saxpy(int, float, float const*, float*)`.
//!
//! Itanium C++ ABI, "5.1 External Names", which CUDA uses for device code on every host.
//!
//! What cannot be understood is unknown, never a guess: the types serve for refusing a launch.

mod find;
mod parser;
mod printer;
mod tree;
mod written;

pub use find::{Spelled, candidates, candidates_by_name, matches, nearest, nearest_by_name};

use alloc::{string::String, vec::Vec};
use core::{fmt, ops::Range};
use kernel_args_abi::cpp::{CppBase, CppType};
use parser::Parser;
use printer::Printer;
use tree::{Id, Node, Tree};

/// The longest symbol that is read, in bytes. Those of CUB's kernels reach some 10 KB.
const SYMBOL_LIMIT: usize = 32 << 10;

const ANONYMOUS: &str = "(anonymous namespace)";

/// A kernel's C++ name, demangled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Demangled {
    text: String,
    /// Without template arguments.
    name: Range<usize>,
    /// Each template argument, those of packs one by one.
    template: Option<Vec<Range<usize>>>,
    parameters: Vec<(Range<usize>, CppType<'static>)>,
    /// Whether these are all parameters.
    is_complete: bool,
}

/// The demangled text of a symbol, as llvm-cxxfilt writes it: `saxpy(int, float, float const*, float*)`. `None` where the
/// symbol is not mangled, or its text is longer than 64 KiB.
#[must_use]
pub fn demangle(symbol: &str) -> Option<String> {
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

/// The tree of a symbol, its root, and what a compiler put after it: `.part.0`.
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
    /// Reads a symbol. `None` where it is not the mangled name of a function, or that of an operator.
    #[must_use]
    pub fn new(symbol: &str) -> Option<Self> {
        let (tree, root, suffix) = read(symbol)?;
        let Node::Function(Some(mut name), result, parameters, tail) = tree.node(root) else {
            return None;
        };
        let mut printer = Printer::new(&tree, true);
        if let Some(result) = result {
            printer.result(result, true);
        }
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
        if is_operator(&tree, name) || !suffix.is_empty() {
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
        let is_open = |(range, _): &(Range<usize>, _)| {
            text[range.clone()].ends_with("...") || text[range.end..].starts_with("...")
        };
        Some(Self {
            is_complete: !found.iter().any(is_open),
            text,
            name,
            template,
            parameters: found,
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
        &self.text[self.name.clone()]
    }

    /// The text and where its parts are.
    #[must_use]
    pub fn spelled(&self) -> Spelled<'_> {
        let arguments = self.template.as_ref().map(|list| {
            let start = self.name.end + 1;
            start..list.last().map_or(start, |argument| argument.end)
        });
        Spelled {
            text: &self.text,
            name: self.name.clone(),
            arguments,
        }
    }

    /// The text between `<` and `>` after the name: `float, 4`.
    #[must_use]
    pub fn template_arguments(&self) -> Option<&str> {
        self.text.get(self.spelled().arguments?)
    }

    /// The types of the parameters, in order. One that cannot be understood is
    /// [`UNKNOWN`](CppType::UNKNOWN); where the list itself cannot be, it is `None`.
    #[must_use]
    pub fn parameters(&self) -> Option<Vec<CppType<'_>>> {
        let ty = |(range, ty): &(Range<usize>, CppType<'static>)| {
            let mut ty = *ty;
            if let CppBase::Named(_) = ty.base {
                ty.base = CppBase::Named(base(&self.text[range.clone()]));
            }
            ty
        };
        self.is_complete
            .then(|| self.parameters.iter().map(ty).collect())
    }

    /// The types of the parameters, where the list has `count` of them.
    #[must_use]
    pub fn types_of(&self, count: usize) -> Option<Vec<CppType<'_>>> {
        self.parameters().filter(|types| types.len() == count)
    }
}

impl fmt::Display for Demangled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Whether a name is that of an operator.
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

/// A type without its pointers and qualifiers.
fn base(mut ty: &str) -> &str {
    const AROUND: [&str; 5] = ["*", "&", " const", " volatile", " restrict"];
    while let Some(inner) = AROUND.iter().find_map(|part| ty.strip_suffix(part)) {
        ty = inner;
    }
    ty
}

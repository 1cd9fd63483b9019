//! C++ names: identifiers, paths, and whether they can be declared.

use super::error::not_a_name;
use crate::prelude::*;

/// ISO C++23, "Keywords" and "Alternative tokens"; two macros that GCC defines.
const RESERVED: &str = "\
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t \
    char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr \
    constinit continue contract_assert decltype default delete do double dynamic_cast else enum \
    explicit export extern false float for friend goto if inline int linux long mutable namespace \
    new noexcept not not_eq nullptr operator or or_eq private protected public register \
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast \
    struct switch template this thread_local throw true try typedef typeid typename union unix \
    unsigned using virtual void volatile wchar_t while xor xor_eq NULL";

fn is_reserved(word: &str) -> bool {
    RESERVED.split(' ').any(|reserved| reserved == word)
}

/// C++ allows letters beyond ASCII, but not every compiler does.
fn is_word(name: &str) -> bool {
    let mut bytes = name.bytes();
    let first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    bytes.next().is_some_and(first) && bytes.all(|byte| first(byte) || byte.is_ascii_digit())
}

pub(super) fn is_identifier(name: &str) -> bool {
    is_word(name) && !is_reserved(name)
}

/// Without a leading `::`.
#[derive(Clone, PartialEq)]
pub(super) struct Path(String);

impl Path {
    /// `namespace` is the namespace of names without a path.
    pub(super) fn new(cpp: &str, namespace: &str) -> Self {
        let cpp = ["struct ", "class ", "union ", "enum "]
            .iter()
            .fold(cpp.trim(), |name, word| name.strip_prefix(word).unwrap_or(name));
        if let Some(global) = cpp.strip_prefix("::") {
            return Self(global.to_string());
        }
        // The template arguments do not count.
        if namespace.is_empty() || cpp.split('<').next().is_some_and(|name| name.contains("::")) {
            return Self(cpp.to_string());
        }
        Self(format!("{namespace}::{cpp}"))
    }

    pub(super) fn full(&self) -> &str {
        &self.0
    }

    /// Empty for the global namespace.
    pub(super) fn namespace(&self) -> &str {
        self.0.rsplit_once("::").map_or("", |(namespace, _)| namespace)
    }

    pub(super) fn name(&self) -> &str {
        self.0.rsplit_once("::").map_or(&self.0, |(_, name)| name)
    }

    pub(super) fn check(&self) -> Result<(), String> {
        let problem = |because: &str, help: &str| not_a_name(&self.0, because, help);
        if self.0.contains('<') {
            return Err(problem(
                "it is an instance of a template, and only the template itself can be declared",
                "include the file that declares the template: `.include(\"file.cuh\", &[\"…\"])` with this name",
            ));
        }
        if self.0.contains('(') {
            return Err(problem(
                "it is in an unnamed namespace, whose types are visible in one source file only",
                "give the namespace a name",
            ));
        }
        for segment in self.0.split("::") {
            if is_reserved(segment) {
                return Err(problem(&format!("`{segment}` is a C++ keyword"), RENAME_TYPE));
            }
            if !is_word(segment) {
                return Err(problem("a C++ name consists of ASCII letters, digits and `_`", RENAME_TYPE));
            }
        }
        Ok(())
    }
}

const RENAME_TYPE: &str =
    "give the type another name in C++: `#[device_type(cpp = \"…\")]`, with its namespace if it has one";

pub(super) fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split("::").filter(|name| !name.is_empty())
}

#[derive(Clone, PartialEq)]
pub(super) struct Local {
    pub(super) name: String,
    /// If it differs in the source.
    pub(super) was: Option<String>,
}

impl Local {
    /// A keyword gets a `_` at its end. The number of a tuple field gets a `_` before it.
    pub(super) fn all<'a>(names: impl Iterator<Item = &'a str>) -> Result<Vec<Self>, String> {
        let names: Vec<&str> = names.collect();
        let mut originals = BTreeSet::new();
        originals.extend(names.iter().copied());
        let mut taken = BTreeSet::new();
        let mut locals = Vec::with_capacity(names.len());
        for (i, name) in names.iter().enumerate() {
            let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
            let mut changed = if is_number {
                format!("_{name}")
            } else if name.is_empty() {
                format!("unnamed_{i}")
            } else {
                (*name).to_string()
            };
            while is_reserved(&changed)
                || changed != *name && (originals.contains(&*changed) || taken.contains(&changed))
            {
                changed.push('_');
            }
            if !is_word(&changed) {
                return Err(not_a_name(
                    name,
                    "a C++ name consists of ASCII letters, digits and `_`",
                    "rename it, or give its name in C++: `#[device_type(name = \"…\")]`, of an argument \
                     `#[kernel_args(name = \"…\")]`",
                ));
            }
            if !taken.insert(changed.clone()) {
                return Err(not_a_name(name, "there are two of this name", "rename one of them"));
            }
            let was = (changed != *name).then(|| (*name).to_string());
            locals.push(Self { name: changed, was });
        }
        Ok(locals)
    }
}

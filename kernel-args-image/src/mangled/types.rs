//! The C++ type that a text spells.

use kernel_args_abi::cpp::{CppBase, CppType, scalar};

/// More template arguments than this, and named types of a template's parameters are not believed.
const ARGUMENTS_LIMIT: usize = 64;

/// Reads one type as demanglers spell it (`float const*`), or as people do (`const float *`).
///
/// `arguments` are the template arguments of a function template. A name that depends on one of them
/// (`Traits::type`, `Box<float>::value_type`) may be an alias of anything, and is unknown; that it is behind a
/// pointer is certain. A reference is the address of what it refers to: a pointer.
pub(super) fn read<'a>(text: &'a str, arguments: Option<&[&str]>) -> CppType<'a> {
    let mut const_levels = [false; CppType::MAX_DEPTH as usize];
    let mut depth = 0;
    let (mut rest, _) = strip_qualifiers(text.trim());
    if let Some(referee) = rest.strip_suffix('&').filter(|rest| !rest.ends_with('&')) {
        (rest, const_levels[0]) = strip_qualifiers(referee.trim_end());
        depth = 1;
    }
    while let Some(pointee) = rest.strip_suffix('*') {
        let (pointee, is_const) = strip_qualifiers(pointee.trim_end());
        let Some(level) = const_levels.get_mut(depth) else {
            return CppType::UNKNOWN;
        };
        *level = is_const;
        depth += 1;
        rest = pointee;
    }
    if let Some(base) = rest.strip_prefix("const ") {
        rest = base.trim_start();
        if let Some(innermost) = const_levels[..depth].last_mut() {
            *innermost = true;
        }
    }
    let base = match scalar(rest.as_bytes()) {
        Some(base) => base,
        None if is_certain_name(rest, arguments) => CppBase::Named(rest),
        // Pointers to members, which are none, end with the class and `::`.
        None if depth > 0 && is_certain_name(rest, None) => CppBase::Unknown,
        None => return CppType::UNKNOWN,
    };
    if depth == 0 && matches!(base, CppBase::Void) {
        return CppType::UNKNOWN;
    }
    let outer_to_inner = const_levels[..depth].iter();
    outer_to_inner
        .rev()
        .fold(CppType::of(base), |ty, &is_const| ty.pointer(is_const))
}

/// Takes qualifiers off the end: the rest, and whether one of them is `const`.
fn strip_qualifiers(mut text: &str) -> (&str, bool) {
    let mut is_const = false;
    loop {
        let not_in_word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let word = text.rsplit(not_in_word).next().unwrap_or_default();
        match word {
            "const" => is_const = true,
            "volatile" | "restrict" | "__restrict" | "__restrict__" => {}
            _ => return (text, is_const),
        }
        text = text[..text.len() - word.len()].trim_end();
    }
}

/// Whether `text` is the name of a type, of which it is certain that it is no alias.
fn is_certain_name(text: &str, arguments: Option<&[&str]>) -> bool {
    // Names of two words, and C++'s types that this crate has no place for, or that differ by platform.
    const NO_NAMES: &[&str] = &[
        "auto",
        "wchar_t",
        "__float128",
        "std::bfloat16_t",
        "decltype",
    ];
    if NO_NAMES.contains(&text) {
        return false;
    }
    let mut depth = 0_usize;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("(anonymous namespace)") {
            rest = after;
            continue;
        }
        if depth > 0
            && let Some(literal) = after_cast(rest)
        {
            rest = literal;
            continue;
        }
        match first {
            '<' => depth += 1,
            '>' if depth == 0 => return false,
            '>' => depth -= 1,
            ' ' | ',' | '*' | '&' | '-' if depth > 0 => {}
            ':' | '_' | '$' | 'a'..='z' | 'A'..='Z' | '0'..='9' => {}
            c if !c.is_ascii() => {}
            _ => return false,
        }
        rest = &rest[first.len_utf8()..];
    }
    let begins = text.starts_with(|c: char| !c.is_ascii_digit() && c != ':' && c != '<')
        && !text.ends_with("::");
    depth == 0 && begins && arguments.is_none_or(|arguments| !depends(text, arguments))
}

/// A template argument that is a number, after its type: `3` of `(unsigned int)3`. Anything else in brackets is
/// an expression or the type of a function, and is not understood.
fn after_cast(text: &str) -> Option<&str> {
    let (ty, literal) = text.strip_prefix('(')?.split_once(')')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | ':' | '_');
    let is_number = literal
        .strip_prefix('-')
        .unwrap_or(literal)
        .starts_with(|c: char| c.is_ascii_digit());
    let begins = ty.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (begins && is_number && ty.chars().all(is_name)).then_some(literal)
}

/// Whether a type of a function template's parameter may be an alias that depends on the arguments.
fn depends(text: &str, arguments: &[&str]) -> bool {
    let is_scope_of = |argument: &&str| {
        text.match_indices(*argument).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = &text[at + argument.len()..];
            let whole = before.is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == ':'));
            whole && (after.starts_with("::") || after.starts_with('<'))
        })
    };
    text.contains(">::")
        || arguments.len() > ARGUMENTS_LIMIT
        || arguments.iter().filter(|a| !a.is_empty()).any(is_scope_of)
}

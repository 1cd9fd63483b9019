//! Rust identifiers for C++ names.

use crate::prelude::*;
use kernel_args_abi::{
    compiled::fingerprint,
    keywords::{is_keyword, is_never},
};

pub(super) fn raw(name: String) -> String {
    if is_keyword(&name) { format!("r#{name}") } else { name }
}

/// Returns whether Rust can declare a function of this name in an `extern` block, possibly after `r#`.
#[cfg(feature = "debug-info")]
pub(super) fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(in_identifier)
        && !is_never(name)
}

fn in_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// `float const*` becomes `float_const_ptr`. Empty if no character is usable.
pub(super) fn identifier(text: &str) -> String {
    let text = text.replace("(anonymous namespace)", "");
    let mut name = String::with_capacity(text.len());
    let mut previous = ' ';
    for c in text.chars() {
        let word = match c {
            '*' => "_ptr",
            '&' => "_ref",
            '-' => "_minus_",
            _ => "",
        };
        if in_identifier(c) {
            // The text after a sign begins a new word.
            if matches!(previous, '*' | '&') {
                name.push('_');
            }
            name.push(c);
        } else if word.is_empty() {
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
        } else {
            name.push_str(if name.ends_with('_') { &word[1..] } else { word });
        }
        previous = c;
    }
    if text.ends_with(in_identifier) { name } else { name.trim_end_matches('_').into() }
}

/// Returns a Rust name without `r#`, and without characters that Rust does not accept.
pub(super) fn variable(name: &str) -> String {
    let mut plain = name.replace(|c: char| !in_identifier(c), "_");
    if plain.starts_with(|c: char| c.is_ascii_digit()) {
        plain.insert(0, '_');
    }
    if plain.is_empty() {
        plain.push_str("unnamed");
    }
    if is_never(&plain) {
        plain.push('_');
    }
    plain
}

/// `my_params_t` becomes `MyParamsT`. `otherwise` is the prefix for a name that begins with a digit.
pub(super) fn upper_camel(name: &str, otherwise: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    for word in name.split('_').filter(|word| !word.is_empty()) {
        let is_digit = |c: char| c.is_ascii_digit();
        if camel.ends_with(is_digit) && word.starts_with(is_digit) {
            camel.push('_');
        }
        let mut rest = word.chars();
        camel.extend(rest.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(rest.as_str());
    }
    if !camel.starts_with(|c: char| c.is_ascii_alphabetic()) {
        camel.insert_str(0, otherwise);
    }
    camel
}

/// Returns the first `longest` bytes of an ASCII name, and a number derived from `text`.
pub(super) fn numbered(name: &str, longest: usize, text: &str) -> String {
    let short: String = name.chars().take(longest).collect();
    let number = fingerprint(text.as_bytes()) as u32;
    format!("{}_{number:08x}", short.trim_end_matches('_'))
}

pub(super) fn free(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let separator = if name.ends_with(|c: char| c.is_ascii_digit()) { "_" } else { "" };
    let mut numbered = name.to_owned();
    let mut number = 2_usize;
    while is_taken(&numbered) {
        numbered = format!("{name}{separator}{number}");
        number += 1;
    }
    numbered
}

/// Returns a free name, which is taken from now on.
pub(super) fn unused(name: &str, taken: &mut BTreeSet<String>) -> String {
    let name = free(name, |name| taken.contains(name));
    taken.insert(name.clone());
    name
}

/// From each C++ name and the wanted name. No field has the C++ name of another field.
pub(super) fn distinct<'n>(names: impl Iterator<Item = (&'n str, String)> + Clone) -> Vec<String> {
    let (mut own, mut taken) = (BTreeSet::new(), BTreeSet::new());
    own.extend(names.clone().map(|(cpp, _)| cpp));
    let mut distinct = Vec::new();
    for (cpp, wanted) in names {
        let name = free(&wanted, |name| (cpp != wanted || cpp != name) && own.contains(name) || taken.contains(name));
        taken.insert(name.clone());
        distinct.push(name);
    }
    distinct
}

/// Returns whether rustc accepts it without a warning.
pub(super) fn is_upper_camel(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Returns whether rustc accepts it without a warning.
pub(super) fn is_snake(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_uppercase()) && !name.trim_matches('_').contains("__")
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_args_abi::keywords::{KEYWORDS, NEVER};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn cpp_is_spelled_as_an_identifier() {
        for (cpp, name) in [
            ("float const*", "float_const_ptr"),
            ("std::pair<int, float**>", "std_pair_int_float_ptr_ptr"),
            ("(anonymous namespace)::Box", "Box"),
            ("Grid<-1>", "Grid_minus_1"),
            ("int&, bool", "int_ref_bool"),
        ] {
            assert_eq!(identifier(cpp), name);
        }
    }

    #[test]
    fn types_have_names_as_rust_writes_them() {
        for (name, camel) in [
            ("saxpy", "Saxpy"),
            ("axpy_float", "AxpyFloat"),
            ("mul_mat_q4_0", "MulMatQ4_0"),
            ("__nv_fp8x2_e4m3", "NvFp8x2E4m3"),
            ("nRows", "NRows"),
            ("_9", "Kernel9"),
            ("__", "Kernel"),
        ] {
            assert_eq!(upper_camel(name, "Kernel"), camel);
        }
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let taken = BTreeSet::from(["Box", "Box2", "V4"]);
        assert_eq!(free("Box", |name| taken.contains(name)), "Box3");
        assert_eq!(free("V4", |name| taken.contains(name)), "V4_2");
        assert_eq!(free("Grid", |name| taken.contains(name)), "Grid");
    }

    #[test]
    fn every_keyword_of_rust_is_escaped() {
        for keyword in KEYWORDS.into_iter().chain(["saxpy", "union", "auto", "raw", "safe", "dyn"]) {
            let name = raw(keyword.to_owned());
            assert!(syn::parse_str::<syn::Ident>(&name).is_ok(), "{name}");
        }
        for none in NEVER {
            assert!(syn::parse_str::<syn::Ident>(&format!("r#{none}")).is_err());
        }
    }

    proptest! {
        /// For any C++ name.
        #[test]
        fn a_variable_has_a_name_that_rust_takes(name in "\\PC{0,6}|[a-z_]{1,6}") {
            let name = raw(variable(&name));
            prop_assert!(syn::parse_str::<syn::Ident>(&name).is_ok(), "{}", name);
        }
    }
}

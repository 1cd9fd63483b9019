//! How to give a field the name of the kernel's parameter.

use crate::{
    keywords::{is_keyword, is_never},
    message::Message,
};

/// Returns what to write to give a field this C++ name. `attribute` is the attribute for fields of the struct.
pub(super) const fn rename_to(name: &str, attribute: &str) -> Message<512> {
    let write = write_name(name, attribute);
    if !is_identifier(name) || is_never(name) {
        write
    } else if is_keyword(name) {
        text!(rename_to_raw, name, &write)
    } else {
        text!(rename_to, name, &write)
    }
}

pub(super) const fn write_name(name: &str, attribute: &str) -> Message<512> {
    if name.is_empty() { text!(remove_name, attribute) } else { text!(write_name, attribute, name) }
}

/// Returns whether Rust accepts it as an identifier or keyword. Both languages accept the same letters beyond ASCII,
/// and C++ compilers `$`.
const fn is_identifier(name: &str) -> bool {
    let name = name.as_bytes();
    let has_other = any!(i < name.len(), {
        let is_start = name[i].is_ascii_alphabetic() || name[i] == b'_' || !name[i].is_ascii();
        !is_start && (i == 0 || !name[i].is_ascii_digit())
    });
    !name.is_empty() && !has_other
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keywords::{KEYWORDS, NEVER};
    use proptest::prelude::*;
    use std::{format, string::String};
    use syn::{Ident, ext::IdentExt};

    fn written(name: &str) -> Option<String> {
        let text = rename_to(name, "kernel_args");
        assert!(text.as_str().ends_with(&format!("write `#[kernel_args(name = \"{name}\")]` on it")));
        let (_, written) = text.as_str().split_once("rename it to `")?;
        Some(written.split_once('`')?.0.into())
    }

    fn check(name: &str) {
        match written(name) {
            Some(written) => {
                let parsed = syn::parse_str::<Ident>(&written);
                assert_eq!(parsed.map(|ident| ident.unraw() == name).ok(), Some(true));
            }
            None => {
                for spelled in [name.into(), format!("r#{name}")] {
                    assert!(syn::parse_str::<Ident>(&spelled).is_err(), "{spelled}");
                }
            }
        }
    }

    #[test]
    fn what_is_written_is_the_name_in_rust() {
        for name in KEYWORDS.into_iter().chain(NEVER) {
            check(name);
        }
        for (name, rust) in [
            ("out", Some("out")),
            ("in", Some("r#in")),
            ("größe", Some("größe")),
            ("self", None),
            ("_", None),
            ("a$b", None),
            ("2d", None),
        ] {
            assert_eq!(written(name).as_deref(), rust, "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_name_is_written_as_rust_takes_it(name in "[a-zA-Z_$][a-z0-9_$]{0,7}") {
            check(&name);
        }
    }
}

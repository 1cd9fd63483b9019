//! The pointees of pointers, and which instance of a generic Rust struct a spelling names.
//!
//! A pointer contains the C++ name of its pointee, but not the members: only the spelled type arguments distinguish `Params<f32>` and
//! `Params<u32>`.

use super::{
    Base,
    collect::{Collector, fundamental},
    cuda,
    error::{HeaderError, Origin, spelled, two_types},
    names::Path,
};
use crate::prelude::*;
use kernel_args_abi::{CppBase, Parameter};

impl<'a> Collector<'_, 'a> {
    pub(super) fn pointee(&mut self, pointer: &Parameter<'a>) -> Result<Base, HeaderError> {
        let name = match pointer.cpp.base {
            CppBase::Named(name) => name,
            base => {
                return fundamental(base).map(|name| Base::Known(name.to_string(), None)).ok_or_else(|| {
                    self.error(format!(
                        "the C++ type that it points to is unknown{}\n  help: point to a number, a vector, or a struct \
                         with `#[derive(DeviceType)]`",
                        spelled(pointer.spelling)
                    ))
                });
            }
        };
        if let Some(known) = cuda::known(name, None) {
            self.include(known.include);
            return Ok(Base::Known(known.name.to_string(), None));
        }
        let path = Path::new(name, self.header.namespace);
        if self.header.is_included(&path) {
            return Ok(Base::Own(path));
        }
        path.check().map_err(|problem| self.error(problem))?;
        let spelling = pointer.spelling;
        if !self.pointees.iter().any(|(known, origin, _)| *known == path && origin.spelling == spelling) {
            let name = path.full();
            let error = self.error(format!(
                "it points to `{name}`, which the header does not declare\n  help: add it to the list: \
                 `cpp::device_type::<{name}>()`; or declare its name alone: `.forward_declare_pointees()`; or include the \
                 file that declares it: `.include(\"file.cuh\", &[\"{name}\"])`"
            ));
            let origin = Origin { spelling: spelling.to_string(), place: error.place.clone() };
            self.pointees.push((path.clone(), origin, error));
        }
        Ok(Base::Own(path))
    }

    pub(super) fn check_pointees(&self) -> Result<(), HeaderError> {
        for (path, origin, error) in &self.pointees {
            match self.definition(path) {
                None if self.header.forward_declares => {}
                None => return Err(error.clone()),
                Some(known) if differ(&known.origin.spelling, &origin.spelling) => {
                    return Err(HeaderError::new(&*origin.place, two_types(path.full(), &known.origin, origin)));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

/// `Params` and `f32` of `my::Params<f32>`. `None` without arguments.
fn instance(spelling: &str) -> Option<(&str, String)> {
    let open = spelling.find('<')?;
    let name = last_word(&spelling[..open]);
    Some((name, arguments(&spelling[open..])?))
}

fn last_word(text: &str) -> &str {
    let begin = text.rfind(|c: char| !(c.is_alphanumeric() || c == '_'));
    begin.map_or(text, |at| &text[at..]).trim_start_matches(|c: char| !(c.is_alphanumeric() || c == '_'))
}

/// The text in the brackets at the start, without paths and spaces.
fn arguments(text: &str) -> Option<String> {
    let mut depth = 0usize;
    let end = text.char_indices().find_map(|(at, c)| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at)
    })?;
    let mut plain = String::new();
    for c in text[1..end].chars().filter(|c| *c != ' ') {
        plain.push(c);
        if plain.ends_with("::") {
            let path = plain.trim_end_matches(':');
            let word = path.len() - last_word(path).len();
            plain.truncate(word);
        }
    }
    Some(plain)
}

/// Whether the arguments contain a type parameter of the context: `T`, `T0`.
fn is_open(arguments: &str) -> bool {
    let words = arguments.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_parameter = |word: &str| {
        let mut chars = word.chars();
        chars.next().is_some_and(|c| c.is_ascii_uppercase()) && chars.all(|c| c.is_ascii_digit())
    };
    words.into_iter().any(is_parameter)
}

/// Whether both name different instances of the same generic struct. `false` if one of them does not spell its arguments.
fn differ(by_value: &str, pointer: &str) -> bool {
    let Some((name, expected)) = instance(by_value) else {
        return false;
    };
    if name.is_empty() || is_open(&expected) {
        return false;
    }
    let mut places = pointer.match_indices(name).filter_map(|(at, _)| {
        let rest = &pointer[at + name.len()..];
        let is_word = last_word(&pointer[..at + name.len()]) == name;
        (is_word && rest.starts_with('<')).then(|| arguments(rest)).flatten()
    });
    places.any(|found| !is_open(&found) && found != expected)
}

#[cfg(test)]
mod tests {
    use super::differ;

    #[test]
    fn instances_are_distinguished_if_both_are_spelled() {
        for (by_value, pointer, other) in [
            ("Params<f32>", "DevicePointer<Params<u32>>", true),
            ("Params<f32>", "DevicePointer<Params<f32>>", false),
            ("my::Params<f32>", "&'a CudaSlice<other::Params<a::Bee, 3>>", true),
            ("my::Params<a::b::Bee, 3>", "Option<DevicePointer<Params<Bee,3>>>", false),
            ("[Params<f32>; 2]", "DevicePointer<MyParams<u32>>", false),
            // With an alias or a type parameter, the instance is unknown.
            ("Alias", "DevicePointer<Params<u32>>", false),
            ("Params<f32>", "DevicePointer<Alias>", false),
            ("Params<f32>", "DevicePointer<Params<T>>", false),
            ("Params<T0>", "DevicePointer<Params<f32>>", false),
            ("Params<", "DevicePointer<Params<f32>>", false),
            ("<", "<", false),
            ("", "", false),
        ] {
            assert_eq!(differ(by_value, pointer), other, "{by_value} {pointer}");
        }
    }
}

//! The pointees of pointers, and which instance of a generic Rust struct a spelling names.
//!
//! Only the spelled type arguments distinguish `Params<f32>` and `Params<u32>`.

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

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the words and signs of a spelling, without paths.
fn tokens(spelling: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = spelling.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (token, after) = rest.split_at(word.max(first.len_utf8()));
        rest = after.trim_start();
        match rest.strip_prefix("::").filter(|_| word > 0) {
            Some(path) => rest = path.trim_start(),
            None => tokens.push(token),
        }
    }
    tokens
}

/// Returns what is in the brackets at the start.
fn arguments<'t>(tokens: &'t [&'t str]) -> Option<&'t [&'t str]> {
    let mut depth = 0_usize;
    let end = tokens.iter().position(|token| {
        depth = match *token {
            "<" => depth + 1,
            ">" => depth.saturating_sub(1),
            _ => depth,
        };
        depth == 0
    });
    tokens.get(1..end?)
}

/// Returns whether arguments contain a type parameter of the context: `T`, `T0`.
fn is_open(arguments: &[&str]) -> bool {
    let is_parameter = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_uppercase()) && word[1..].bytes().all(|byte| byte.is_ascii_digit())
    };
    arguments.iter().any(|word| is_parameter(word))
}

/// Returns whether both name different instances of the same generic struct. `false` if one of them does not spell its
/// arguments.
fn differ(by_value: &str, pointer: &str) -> bool {
    let (by_value, pointer) = (tokens(by_value), tokens(pointer));
    let instance = by_value.iter().position(|token| *token == "<").and_then(|open| {
        let name = by_value.get(open.checked_sub(1)?).filter(|name| name.starts_with(is_word))?;
        Some((name, arguments(&by_value[open..]).filter(|arguments| !is_open(arguments))?))
    });
    let Some((name, expected)) = instance else {
        return false;
    };
    let mut found = (1..pointer.len())
        .filter(|&at| pointer[at] == "<" && pointer[at - 1] == *name)
        .filter_map(|at| arguments(&pointer[at..]));
    found.any(|found| !is_open(found) && found != expected)
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

//! The pointers in an argument.

use crate::{Class, Parameter};
use core::fmt;

/// Where a pointer is in the arguments: `lights[2].at`. It is written only in errors.
#[derive(Clone, Copy)]
pub struct Path<'p> {
    outer: Option<&'p Path<'p>>,
    step: PathStep<'p>,
}

#[derive(Clone, Copy)]
enum PathStep<'p> {
    Name(&'p str),
    Index(usize),
}

impl<'p> Path<'p> {
    const fn of(name: &'p str) -> Self {
        Self { outer: None, step: PathStep::Name(name) }
    }

    const fn then(&'p self, step: PathStep<'p>) -> Self {
        Self { outer: Some(self), step }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = self.outer {
            outer.fmt(f)?;
        }
        match self.step {
            PathStep::Name(name) if self.outer.is_none() => f.write_str(name),
            PathStep::Name(name) => write!(f, ".{name}"),
            PathStep::Index(index) => write!(f, "[{index}]"),
        }
    }
}

/// A pointer in an argument, or an integer that can be an address.
pub struct Pointer<'p> {
    /// Whether it is such an integer.
    pub is_integer: bool,
    /// Its place.
    pub path: Path<'p>,
    /// The argument or member that is the pointer, or an array of pointers.
    pub parameter: &'p Parameter<'p>,
    /// Its offset in the argument.
    pub offset: usize,
    /// Its value.
    pub address: u64,
}

/// Calls `visit` with each pointer and each integer of 8 bytes in an argument. What memory contains is not read.
///
/// # Errors
/// The first error of `visit`.
pub fn for_each_pointer<E>(
    argument: &Parameter<'_>,
    bytes: &[u8],
    visit: &mut impl FnMut(&Pointer<'_>) -> Result<(), E>,
) -> Result<(), E> {
    walk(argument, bytes, Path::of(argument.name), 0, visit)
}

fn walk<E>(
    parameter: &Parameter<'_>,
    bytes: &[u8],
    path: Path<'_>,
    offset: usize,
    visit: &mut impl FnMut(&Pointer<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let is_array = parameter.cpp.is_array();
    let is_pointer = parameter.class == Class::Pointer || parameter.cpp.is_pointer();
    let is_integer = parameter.class == Class::Integer && bytes.len() == size_of::<u64>();
    if is_pointer || is_integer {
        for (index, bytes) in bytes.chunks_exact(size_of::<u64>()).enumerate() {
            let path = if is_array { path.then(PathStep::Index(index)) } else { path };
            visit(&Pointer {
                is_integer: !is_pointer,
                path,
                parameter,
                offset: offset + index * size_of::<u64>(),
                address: bytes.try_into().map_or(0, u64::from_ne_bytes),
            })?;
        }
        return Ok(());
    }
    if parameter.members.is_empty() {
        return Ok(());
    }
    let size = bytes.len() / parameter.cpp.elements().max(1);
    if size == 0 {
        return Ok(());
    }
    for (index, element) in bytes.chunks_exact(size).enumerate() {
        let path = if is_array { path.then(PathStep::Index(index)) } else { path };
        for member in parameter.members.iter() {
            let within = member.offset.and_then(|at| {
                let end = at.checked_add(member.size)?;
                Some((at, element.get(at..end)?))
            });
            if let Some((at, bytes)) = within {
                let path = path.then(PathStep::Name(member.name));
                walk(&member, bytes, path, offset + index * size + at, visit)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Pointer, for_each_pointer};
    use crate::{Class, CppBase, CppType, Layout, Members, Parameter};
    use core::convert::Infallible;
    use std::{format, string::String, vec, vec::Vec};

    const FLOATS: CppType<'static> = CppType::of(CppBase::Float { bits: 32 }).pointer(true);

    fn found(argument: &Parameter<'_>, bytes: &[u8]) -> Vec<(String, usize, u64)> {
        let mut found = vec![];
        let Ok(()) = for_each_pointer::<Infallible>(argument, bytes, &mut |pointer: &Pointer<'_>| {
            if pointer.is_integer {
                return Ok(());
            }
            found.push((format!("{}", pointer.path), pointer.offset, pointer.address));
            Ok(())
        });
        found
    }

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("a layout")
    }

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn pointers_in_structs_and_arrays_have_a_path() {
        let pointer = |name, offset| Parameter::field(name, "", offset, layout(8), Class::Pointer, FLOATS);
        let count = Parameter::field("count", "", 0, layout(8), Class::Integer, CppType::integer(false, 64));
        assert_eq!(found(&pointer("x", 16), &bytes(&[7])), [("x".into(), 0, 7)]);
        assert_eq!(found(&count, &bytes(&[7])), []);
        let members = [count, pointer("at", 8)];
        let light = Parameter::field("lights", "", 0, layout(16), Class::Bytes, CppType::named("Light"))
            .with_members(Members::of(&members));
        assert_eq!(found(&light, &bytes(&[1, 2])), [("lights.at".into(), 8, 2)]);
        let array = Parameter { size: 32, cpp: CppType::named("Light").array(2), ..light };
        assert_eq!(
            found(&array, &bytes(&[1, 2, 3, 4])),
            [("lights[0].at".into(), 8, 2), ("lights[1].at".into(), 24, 4)]
        );
        let outer_members = [Parameter { offset: Some(8), ..light }];
        let outer = Parameter::field("scene", "", 0, layout(24), Class::Bytes, CppType::named("Scene"))
            .with_members(Members::of(&outer_members));
        assert_eq!(found(&outer, &bytes(&[0, 1, 2])), [("scene.lights.at".into(), 16, 2)]);
        let pointers = Parameter::field("p", "", 0, layout(16), Class::Bytes, FLOATS.array(2));
        assert_eq!(found(&pointers, &bytes(&[5, 6])), [("p[0]".into(), 0, 5), ("p[1]".into(), 8, 6)]);
    }

    #[test]
    fn members_outside_of_their_struct_are_not_read() {
        let members = [
            Parameter::field("a", "", usize::MAX - 3, layout(8), Class::Pointer, FLOATS),
            Parameter::field("b", "", 4, layout(8), Class::Pointer, FLOATS),
        ];
        let short = Parameter::field("s", "", 0, layout(8), Class::Bytes, CppType::named("S"))
            .with_members(Members::of(&members));
        assert_eq!(found(&short, &bytes(&[1])), []);
        assert_eq!(found(&short, &[]), []);
    }
}

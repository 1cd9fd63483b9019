//! The pointers in an argument, and the types behind them: what a check of pointers needs.

use crate::{Alignment, Class, CppBase, Parameter};
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
    let path = Path { outer: None, step: PathStep::Name(argument.name) };
    walk(argument, bytes, path, 0, visit)
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
    let is_leaf = is_pointer || is_integer;
    let size = if is_leaf { size_of::<u64>() } else { bytes.len() / parameter.cpp.elements().max(1) };
    if size == 0 || !is_leaf && parameter.members.is_empty() {
        return Ok(());
    }
    for (index, element) in bytes.chunks_exact(size).enumerate() {
        let path = if is_array { path.then(PathStep::Index(index)) } else { path };
        let offset = offset + index * size;
        if is_leaf {
            let address = element.try_into().map_or(0, u64::from_ne_bytes);
            visit(&Pointer { is_integer: !is_pointer, path, parameter, offset, address })?;
            continue;
        }
        for member in parameter.members.iter() {
            if let Some(at) = member.offset
                && let Some(end) = at.checked_add(member.size)
                && let Some(bytes) = element.get(at..end)
            {
                let path = path.then(PathStep::Name(member.name));
                walk(&member, bytes, path, offset + at, visit)?;
            }
        }
    }
    Ok(())
}

/// Returns the size of an element behind a pointer in bytes; `None` if it is not known.
pub fn element_size(pointer: &Parameter<'_>) -> Option<usize> {
    match pointer.cpp.depth {
        0 => None,
        1 => {
            let ty = pointer.pointee.ty()?;
            let mut rows = pointer.cpp.rows.iter().filter(|length| **length > 0);
            rows.try_fold(ty.size, |size, length| size.checked_mul(*length as usize))
        }
        _ => Some(size_of::<u64>()),
    }
}

/// Returns the alignment of the C++ type behind a pointer. 1 if it is not known.
pub fn element_align(pointer: &Parameter<'_>) -> usize {
    match pointer.cpp.depth {
        0 => 1,
        1 => match pointer.pointee.ty() {
            Some(ty) => align(&ty),
            // Such as from a mangled name.
            None => match pointer.cpp.base.builtin() {
                Some(row) => row.align,
                None => of_number(pointer.cpp.base).unwrap_or(1),
            },
        },
        _ => size_of::<u64>(),
    }
}

fn align(ty: &Parameter<'_>) -> usize {
    let number = if ty.cpp.is_pointer() { Some(size_of::<u64>()) } else { of_number(ty.cpp.base) };
    if let Some(align) = ty.align.map(Alignment::bytes).or(number) {
        return align;
    }
    let is_number = matches!(ty.class, Class::Integer | Class::Float);
    match ty.cpp.base.builtin() {
        Some(row) if row.size == ty.size => row.align,
        _ if is_number && ty.size.is_power_of_two() => ty.size,
        _ => ty.members.iter().map(|member| align(&member)).max().unwrap_or(1),
    }
}

fn of_number(base: CppBase<'_>) -> Option<usize> {
    match base {
        CppBase::Bool | CppBase::Char => Some(1),
        CppBase::Integer { bits, .. } | CppBase::Float { bits } => Some(usize::from(bits / 8).max(1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::for_each_pointer;
    use crate::{Class, CppBase, CppType, Layout, Members, Parameter};
    use core::convert::Infallible;
    use std::{string::ToString, vec::Vec};

    const FLOATS: CppType<'static> = CppType::of(CppBase::Float { bits: 32 }).pointer(true);

    #[track_caller]
    fn check(argument: &Parameter<'_>, words: &[u64], expected: &[(&str, usize, u64)]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut found = Vec::new();
        let Ok(()) = for_each_pointer::<Infallible>(argument, &bytes, &mut |pointer| {
            if !pointer.is_integer {
                found.push((pointer.path.to_string(), pointer.offset, pointer.address));
            }
            Ok(())
        });
        let found: Vec<_> = found.iter().map(|(path, offset, address)| (path.as_str(), *offset, *address)).collect();
        assert_eq!(found, expected);
    }

    fn of<'a>(name: &'a str, offset: usize, size: usize, class: Class, cpp: CppType<'a>) -> Parameter<'a> {
        Parameter::field(name, "", offset, Layout::from_size_align(size, 8).expect("a layout"), class, cpp)
    }

    #[test]
    fn pointers_in_structs_and_arrays_have_a_path() {
        let count = of("count", 0, 8, Class::Integer, CppType::integer(false, 64));
        check(&of("x", 16, 8, Class::Pointer, FLOATS), &[7], &[("x", 0, 7)]);
        check(&count, &[7], &[]);
        let members = [count, of("at", 8, 8, Class::Pointer, FLOATS)];
        let named = CppType::named("Light");
        let light = of("lights", 8, 16, Class::Bytes, named).with_members(Members::of(&members));
        check(&light, &[1, 2], &[("lights.at", 8, 2)]);
        let array = Parameter { size: 32, cpp: named.array(2), ..light };
        check(&array, &[1, 2, 3, 4], &[("lights[0].at", 8, 2), ("lights[1].at", 24, 4)]);
        let lights = [light];
        let scene = of("scene", 0, 24, Class::Bytes, CppType::named("Scene")).with_members(Members::of(&lights));
        check(&scene, &[0, 1, 2], &[("scene.lights.at", 16, 2)]);
        check(&of("p", 0, 16, Class::Bytes, FLOATS.array(2)), &[5, 6], &[("p[0]", 0, 5), ("p[1]", 8, 6)]);
    }

    #[test]
    fn only_pointers_have_elements() {
        let size = |cpp| super::element_size(&of("x", 0, 8, Class::Pointer, cpp));
        assert_eq!([CppType::integer(false, 64), FLOATS, FLOATS.pointer(false)].map(size), [None, None, Some(8)]);
    }

    #[test]
    fn members_outside_of_their_struct_are_not_read() {
        let members = [of("a", usize::MAX - 3, 8, Class::Pointer, FLOATS), of("b", 4, 8, Class::Pointer, FLOATS)];
        let short = of("s", 0, 8, Class::Bytes, CppType::named("S")).with_members(Members::of(&members));
        check(&short, &[1], &[]);
        check(&short, &[], &[]);
    }
}

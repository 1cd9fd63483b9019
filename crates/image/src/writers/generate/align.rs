//! The alignment of types for which debug information contains only offsets.
//!
//! A struct gets the smallest alignment that places every member at its offset in C++. Bytes of unknown alignment get
//! the largest.

use super::{
    Content, Generated, StructMember, Why,
    ty::{Leaf, Ty, component},
};
use crate::prelude::*;
use crate::writers::layout::{largest_alignment, packing, round_up};
use kernel_args_abi::{Sm, cpp::BUILTINS};

pub(super) struct Occurrence {
    pub(super) content: usize,
    /// `None` for a parameter.
    pub(super) container: Option<usize>,
    pub(super) offset: usize,
    /// Of the preceding member or parameter, in bytes.
    pub(super) end: usize,
}

const MOST: usize = 16;

/// The most likely first.
pub(super) const LIKELY: [usize; 8] = [16, 8, 4, 2, 1, 32, 64, 128];

/// Returns the addresses of parameter blocks of all GPUs, in bytes: see [`Sm::param_base`].
fn bases() -> impl Iterator<Item = usize> {
    [60, 75, 90].into_iter().filter_map(|sm| Sm(sm).param_base(0))
}

/// Returns whether a parameter with this alignment can have this `offset` on some GPU.
pub(super) fn is_possible_offset(end: usize, align: usize, offset: usize) -> bool {
    bases().any(|base| round_up(base + end, align) == base + offset)
}

pub(super) fn resolve(all: &mut [Generated<'_>], occurrences: &[Occurrence]) {
    let limits = limits(all, occurrences);
    let mut own: Vec<Vec<&Occurrence>> = vec![Vec::new(); all.len()];
    for occurrence in occurrences {
        own[occurrence.content].push(occurrence);
    }
    let mut is_resolved = vec![false; all.len()];
    for id in 0..all.len() {
        resolve_one(id, all, &limits, &own, &mut is_resolved);
    }
}

/// Returns a limit for each type: the alignment divides its size, its offsets, and the limit of the enclosing type.
fn limits(all: &[Generated<'_>], occurrences: &[Occurrence]) -> Vec<usize> {
    let of_type = |definition: &Generated<'_>| {
        let own = largest_alignment(definition.size);
        definition.known_align.map_or(own, |align| align.min(own))
    };
    let mut limits: Vec<usize> = all.iter().map(of_type).collect();
    loop {
        let before = limits.clone();
        for occurrence in occurrences {
            let limit = match occurrence.container {
                Some(container) => largest_alignment(occurrence.offset).min(limits[container]),
                None => bases().map(|base| largest_alignment(base + occurrence.offset)).fold(1, usize::max),
            };
            limits[occurrence.content] = limits[occurrence.content].min(limit);
        }
        if limits == before {
            return limits;
        }
    }
}

fn resolve_one(
    id: usize,
    all: &mut [Generated<'_>],
    limits: &[usize],
    own: &[Vec<&Occurrence>],
    is_resolved: &mut [bool],
) {
    if core::mem::replace(&mut is_resolved[id], true) {
        return;
    }
    let inner: Vec<usize> = match &all[id].body {
        Content::Fields(members) => members.iter().filter_map(|m| m.ty.contents()).collect(),
        _ => Vec::new(),
    };
    for content in inner {
        resolve_one(content, all, limits, own, is_resolved);
    }
    let definition = &all[id];
    let (size, limit) = (definition.size, limits[id]);
    let known = definition.known_align.filter(|align| size % align == 0);
    let is_placed = |align: usize| {
        own[id].iter().all(|place| match place.container {
            Some(_) => round_up(place.end, align) == place.offset,
            None => is_possible_offset(place.end, align, place.offset),
        })
    };
    let bytes = known.unwrap_or_else(|| {
        let found = LIKELY.into_iter().find(|align| *align <= limit && is_placed(*align));
        found.unwrap_or_else(|| limit.min(MOST))
    });
    let align = match &definition.body {
        Content::Pending | Content::Bytes(_) => bytes,
        Content::Enum(..) | Content::Bits(..) => size.min(8),
        Content::Fields(members) => {
            let mut natural = 1;
            let mut end = 0;
            let mut is_packed = false;
            for member in members {
                let (size, align) = layout(&member.ty, all);
                is_packed |= member.offset % align != 0 || member.offset < end;
                end = member.offset + size;
                natural = natural.max(align);
            }
            is_packed |= size % natural != 0 || end > size || natural > known.unwrap_or(limit);
            // A C++ struct without members has a size of one byte.
            let end = end.max(1);
            let fits = |align: &usize| round_up(end, *align) == size && is_placed(*align);
            let wider = || {
                core::iter::successors(Some(natural), |align| Some(align * 2))
                    .take_while(|align| *align <= limit.max(natural))
                    .find(fits)
            };
            if is_packed {
                let is_possible =
                    |align: usize| known.map_or(align <= limit && is_placed(align), |known| align == known);
                let packing = packed(definition, members, all, is_possible);
                let definition = &mut all[id];
                definition.packed = packing.as_ref().map(|(most, _)| *most);
                match (packing, &mut definition.body) {
                    (Some((most, types)), Content::Fields(members)) => {
                        members.iter_mut().zip(types).for_each(|(member, ty)| member.ty = ty);
                        natural.min(most)
                    }
                    (_, body) => {
                        *body = Content::Bytes(Why::Packed);
                        bytes
                    }
                }
            } else {
                known.or_else(wider).unwrap_or(natural)
            }
        }
    };
    all[id].align = align;
}

/// Returns the `N` of `repr(packed(N))`, and the types of the members. `None` if Rust has no such struct.
fn packed(
    definition: &Generated<'_>,
    members: &[StructMember],
    all: &[Generated<'_>],
    is_possible: impl Fn(usize) -> bool,
) -> Option<(usize, Vec<Ty>)> {
    let types: Vec<Ty> = members.iter().map(|member| unaligned(&member.ty, all)).collect::<Option<_>>()?;
    let extent = |member: &StructMember| {
        let (size, align) = layout(&member.ty, all);
        (member.offset, size, align)
    };
    let extents: Vec<_> = members.iter().map(extent).collect();
    let of = |is_exact| packing(&extents, definition.size, &[1, 2, 4, 8], is_exact, &is_possible);
    of(true).or_else(|| of(false)).map(|(most, _)| (most, types))
}

/// Rust allows no type with `repr(align)` in a packed struct: an array replaces a vector.
fn unaligned(ty: &Ty, all: &[Generated<'_>]) -> Option<Ty> {
    match ty {
        Ty::Leaf(leaf) => match BUILTINS.iter().find(|row| row.rust == leaf.name) {
            Some(row) if row.components > 0 => {
                let element = match (component(row), row.element) {
                    (Some(scalar), _) => Ty::Leaf(Leaf::builtin(scalar)),
                    (None, "CLong" | "CULong") => return None,
                    (None, number) => Ty::number(number, row.size / row.components),
                };
                Some(Ty::Array(Box::new(element), row.components))
            }
            Some(row) if row.size > 8 => None,
            _ => Some(ty.clone()),
        },
        Ty::Array(of, count) => Some(Ty::Array(Box::new(unaligned(of, all)?), *count)),
        Ty::Defined(id) => is_unaligned(*id, all).then(|| ty.clone()),
        Ty::Void | Ty::Pointer { .. } => Some(ty.clone()),
    }
}

/// Returns whether a type has no `repr(align)`, nor contains a type with it.
fn is_unaligned(id: usize, all: &[Generated<'_>]) -> bool {
    let definition = &all[id];
    match &definition.body {
        Content::Fields(members) => {
            let natural = members.iter().map(|member| layout(&member.ty, all).1).fold(1, usize::max);
            definition.align <= natural
                && members.iter().all(|member| unaligned(&member.ty, all).as_ref() == Some(&member.ty))
        }
        Content::Bytes(_) | Content::Pending => definition.align == 1,
        Content::Enum(..) | Content::Bits(..) => true,
    }
}

pub(super) fn layout(ty: &Ty, all: &[Generated<'_>]) -> (usize, usize) {
    let (size, align) = ty.layout(&|id| (all[id].size, Some(all[id].align)));
    (size, align.unwrap_or(1))
}

//! The alignment of types for which debug information contains only offsets.
//!
//! The size of a type, its offsets, and its contents are known. The chosen alignment places every member at the same
//! offset in Rust as in C++. A struct gets the smallest such alignment. Bytes of unknown alignment get the largest.

use super::{
    definition::{Body, Definition, Why},
    ty::Ty,
};
use crate::bytes::{largest_alignment, round_up};
use alloc::{vec, vec::Vec};
use kernel_args_abi::Sm;

/// One position of a type.
pub(super) struct Occurrence {
    pub(super) content: usize,
    /// The struct that contains it, or `None` for a parameter.
    pub(super) container: Option<usize>,
    /// The offset in bytes.
    pub(super) offset: usize,
    /// The end of the preceding member or parameter, in bytes.
    pub(super) end: usize,
}

/// The largest alignment of CUDA built-in types, in bytes.
const MOST: usize = 16;

/// Alignments in bytes, the most likely first.
pub(super) const LIKELY: [usize; 8] = [16, 8, 4, 2, 1, 32, 64, 128];

/// The addresses of parameter blocks in the constant banks of all GPUs, in bytes: see [`Sm::param_base`].
fn bases() -> impl Iterator<Item = usize> {
    [60, 75, 90].into_iter().filter_map(|sm| Sm(sm).param_base(0))
}

/// Whether a parameter with this alignment can have this `offset` on some GPU, if the previous parameter ends at
/// `end`.
pub(super) fn is_possible_offset(end: usize, align: usize, offset: usize) -> bool {
    let lies = |base: usize| round_up(base + end, align) == base + offset;
    bases().any(lies)
}

/// Finds the alignment of every type.
pub(super) fn resolve(all: &mut [Definition<'_>], occurrences: &[Occurrence]) {
    let limits = limits(all, occurrences);
    let mut own: Vec<Vec<&Occurrence>> = Vec::new();
    own.resize_with(all.len(), Vec::new);
    for occurrence in occurrences {
        own[occurrence.content].push(occurrence);
    }
    let mut is_resolved = vec![false; all.len()];
    for id in 0..all.len() {
        resolve_one(id, all, &limits, &own, &mut is_resolved);
    }
}

/// An upper limit for each type's alignment. The alignment divides the type's size, its offsets, and the limit of the
/// enclosing type.
fn limits(all: &[Definition<'_>], occurrences: &[Occurrence]) -> Vec<usize> {
    let of_type = |definition: &Definition<'_>| {
        let own = largest_alignment(definition.size);
        definition.known_align.map_or(own, |align| align.min(own))
    };
    let mut limits: Vec<usize> = all.iter().map(of_type).collect();
    loop {
        let mut is_changed = false;
        for occurrence in occurrences {
            let limit = match occurrence.container {
                Some(container) => largest_alignment(occurrence.offset).min(limits[container]),
                None => bases().map(|base| largest_alignment(base + occurrence.offset)).fold(1, usize::max),
            };
            let content = &mut limits[occurrence.content];
            if limit < *content {
                *content = limit;
                is_changed = true;
            }
        }
        if !is_changed {
            return limits;
        }
    }
}

fn resolve_one(
    id: usize,
    all: &mut [Definition<'_>],
    limits: &[usize],
    own: &[Vec<&Occurrence>],
    is_resolved: &mut [bool],
) {
    if core::mem::replace(&mut is_resolved[id], true) {
        return;
    }
    let inner: Vec<usize> = match &all[id].body {
        Body::Fields(members) => members.iter().filter_map(|m| m.ty.contents()).collect(),
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
        let mut aligns = LIKELY.into_iter().filter(|align| *align <= limit);
        let found = aligns.find(|align| is_placed(*align));
        found.unwrap_or_else(|| limit.min(MOST))
    });
    let (align, is_packed) = match &definition.body {
        Body::Pending | Body::Bytes(_) => (bytes, false),
        Body::Enum(..) | Body::Bits(..) => (size.min(8), false),
        Body::Fields(members) => {
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
            let align = if is_packed { bytes } else { known.or_else(wider).unwrap_or(natural) };
            (align, is_packed)
        }
    };
    let definition = &mut all[id];
    definition.align = align;
    if is_packed {
        definition.body = Body::Bytes(Why::Packed);
    }
}

/// Size and alignment of a type in bytes, after the types in it are resolved.
pub(super) fn layout(ty: &Ty, all: &[Definition<'_>]) -> (usize, usize) {
    let (size, align) = ty.layout(&|id| (all[id].size, Some(all[id].align)));
    (size, align.unwrap_or(1))
}

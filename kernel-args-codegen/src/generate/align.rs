//! The alignment of types, of which debug information tells the places alone.
//!
//! What is known of a type is how large it is, where it lies, and what lies in it. The alignment that is chosen is one with
//! which Rust puts every member where C++ does. A struct has the least such; bytes, of which nothing says how they are
//! aligned, the greatest.

use super::{
    definition::{Body, Definition, Why},
    ty::Ty,
};
use crate::bytes::{largest_alignment, round_up};
use alloc::{vec, vec::Vec};
use kernel_args_abi::Sm;

/// Where a type lies.
pub(super) struct Occurrence {
    pub(super) content: usize,
    /// The struct that it is a member of; `None` where it is a parameter.
    pub(super) container: Option<usize>,
    /// In bytes.
    pub(super) offset: usize,
    /// Where what lies before it ends, in bytes.
    pub(super) end: usize,
}

/// What CUDA aligns to by itself, at most, in bytes.
const MOST: usize = 16;

/// Alignments in bytes, the likeliest first.
pub(super) const LIKELY: [usize; 8] = [16, 8, 4, 2, 1, 32, 64, 128];

/// Where the parameters begin in the constant bank of some GPU, in bytes: see [`Sm::param_base`].
fn bases() -> impl Iterator<Item = usize> {
    [60, 75, 90]
        .into_iter()
        .filter_map(|sm| Sm(sm).param_base(0))
}

/// Whether a parameter of this alignment that follows what ends at `end` lies at `offset` on some GPU.
pub(super) fn may_lie(end: usize, align: usize, offset: usize) -> bool {
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

/// What each type's alignment divides: its size, where it lies, and the alignment of what it lies in.
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
                None => bases()
                    .map(|base| largest_alignment(base + occurrence.offset))
                    .fold(1, usize::max),
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
            None => may_lie(place.end, align, place.offset),
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
            // C++ gives a struct without members a byte.
            let end = end.max(1);
            let fits = |align: &usize| round_up(end, *align) == size && is_placed(*align);
            let wider = || {
                core::iter::successors(Some(natural), |align| Some(align * 2))
                    .take_while(|align| *align <= limit.max(natural))
                    .find(fits)
            };
            let align = if is_packed {
                bytes
            } else {
                known.or_else(wider).unwrap_or(natural)
            };
            (align, is_packed)
        }
    };
    let definition = &mut all[id];
    definition.align = align;
    if is_packed {
        definition.body = Body::Bytes(Why::Packed);
    }
}

/// Size and alignment of a type in bytes, when those in it are resolved.
pub(super) fn layout(ty: &Ty, all: &[Definition<'_>]) -> (usize, usize) {
    let (size, align) = ty.layout(&|id| (all[id].size, Some(all[id].align)));
    (size, align.unwrap_or(1))
}

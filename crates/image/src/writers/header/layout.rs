//! The offsets of members in C++, and the required `alignas` or `#pragma pack`.

use super::{Base, CppMember, TypeUse, error::BY_HAND};
use crate::prelude::*;
use crate::writers::layout::{bytes, packing, round_up};

/// The largest `alignas` that CUDA's C++ compilers accept.
const LARGEST: usize = 1 << 12;

/// The alignment of a struct, its `alignas` and its `#pragma pack`; or the member that C++ cannot place, if it is one,
/// and the problem.
type Placed = Result<(usize, Option<usize>, Option<usize>), (Option<usize>, String)>;

/// Returns the smallest alignment above `least` that places a member after `end` at `wanted`.
fn alignment_for(end: usize, least: usize, wanted: usize) -> Option<usize> {
    let mut align = least.max(1) * 2;
    while align <= LARGEST {
        if round_up(end, align) == wanted {
            return Some(align);
        }
        align *= 2;
    }
    None
}

/// Sets the `alignas` that each member needs for its offset. `align_of` returns the alignment of a type, if known.
/// `source_align` is the struct's alignment in its source, or `bound` the largest at its offset.
pub(super) fn place(
    members: &mut [CppMember],
    align_of: impl Fn(&TypeUse) -> Option<usize>,
    source_align: Option<usize>,
    size: usize,
    bound: usize,
) -> Placed {
    let placed = place_aligned(members, &align_of, source_align, size);
    let is_possible = |align| source_align.map_or(align <= bound, |known| known == align);
    if let Ok((align, ..)) = &placed
        && is_possible(*align)
    {
        return placed;
    }
    // Bytes without their `alignas`.
    let align = |ty: &TypeUse| match ty.base {
        Base::Bytes(_) if ty.shape.depth == 0 => Some(1),
        _ => align_of(ty),
    };
    let extents: Option<Vec<_>> =
        members.iter().map(|member| Some((member.offset, member.size, align(&member.ty)?))).collect();
    let packing = extents.and_then(|extents| packing(&extents, size, &[1, 2, 4, 8, 16], true, is_possible));
    let Some((pack, align)) = packing else {
        return placed;
    };
    for member in members {
        member.alignas = None;
    }
    Ok((align, None, Some(pack)))
}

fn place_aligned(
    members: &mut [CppMember],
    align_of: impl Fn(&TypeUse) -> Option<usize>,
    source_align: Option<usize>,
    size: usize,
) -> Placed {
    let (mut end, mut natural) = (0, 1);
    let mut is_known = true;
    for (i, member) in members.iter_mut().enumerate() {
        let align = align_of(&member.ty);
        is_known &= align.is_some();
        // For a type that is declared elsewhere, the assertions check the alignment.
        let align = align.unwrap_or(1);
        let elsewhere = || {
            let problem = format!(
                "C++ cannot put it at byte {}: the previous member ends at byte {end}, and its alignment is {align}{BY_HAND}",
                member.offset
            );
            (Some(i), problem)
        };
        let placed = round_up(end, align);
        if placed > member.offset {
            return Err(elsewhere());
        }
        natural = natural.max(align);
        if placed < member.offset && is_known {
            let Some(alignas) = alignment_for(end, align, member.offset) else {
                return Err(elsewhere());
            };
            member.alignas = Some(alignas);
            natural = natural.max(alignas);
        }
        end = member.offset + member.size;
    }
    if !is_known {
        return Ok((source_align.unwrap_or(natural), None, None));
    }
    // A struct without members has a size of one byte.
    let end = end.max(1);
    let align = match source_align {
        Some(align) if align < natural => {
            return Err((None, format!("it is aligned to {align}, but to {natural} in C++{BY_HAND}")));
        }
        Some(align) => align,
        None if round_up(end, natural) == size => natural,
        None => alignment_for(end, natural, size).unwrap_or(natural),
    };
    let cpp = round_up(end, align);
    if cpp != size {
        return Err((None, format!("it has {}, but {} in C++{BY_HAND}", bytes(size), bytes(cpp))));
    }
    Ok((align, (align > natural).then_some(align), None))
}

//! The offsets of the members of a struct in C++, and the required `alignas` or `#pragma pack`.

use super::{
    definition::{Base, Member, Type},
    error::Problem,
};
use crate::writers::counts::round_up;
use alloc::{boxed::Box, vec::Vec};

/// The largest `alignas` that CUDA's C++ compilers accept.
const LARGEST: usize = 1 << 12;

/// Why a struct cannot be declared: the problem, and the index of the member. `None` if the problem concerns the whole
/// struct.
pub(super) struct Misplaced {
    pub(super) member: Option<usize>,
    pub(super) problem: Box<Problem>,
}

impl Misplaced {
    fn new(member: Option<usize>, problem: Problem) -> Self {
        let problem = Box::new(problem);
        Self { member, problem }
    }
}

pub(super) struct Placed {
    pub(super) align: usize,
    pub(super) alignas: Option<usize>,
    pub(super) pack: Option<usize>,
}

/// The smallest alignment above `least` for which a member after `end` is at offset `wanted`.
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

/// Computes the `alignas` that each member needs for its offset, or the `#pragma pack` of the struct. `align_of` returns the
/// alignment of a type, if known. `source_align` is the struct's alignment in its source, `size` its size.
pub(super) fn place(
    members: &mut [Member],
    align_of: impl Fn(&Type) -> Option<usize>,
    source_align: Option<usize>,
    size: usize,
) -> Result<Placed, Misplaced> {
    let placed = place_aligned(members, &align_of, source_align, size);
    match packing(members, align_of, source_align, size) {
        Some((pack, align)) if placed.is_err() => {
            for member in members {
                member.alignas = None;
            }
            Ok(Placed { align, alignas: None, pack: Some(pack) })
        }
        _ => placed,
    }
}

fn packing(
    members: &[Member],
    align_of: impl Fn(&Type) -> Option<usize>,
    source_align: Option<usize>,
    size: usize,
) -> Option<(usize, usize)> {
    let of = |ty: &Type| match ty.base {
        // Without its `alignas`.
        Base::Bytes(_) if ty.depth == 0 => Some(1),
        _ => align_of(ty),
    };
    let aligns: Vec<usize> = members.iter().map(|member| of(&member.ty)).collect::<Option<_>>()?;
    [1, 2, 4, 8, 16].into_iter().find_map(|pack| {
        let (mut end, mut whole) = (0, 1);
        for (member, align) in members.iter().zip(&aligns) {
            let align = (*align).min(pack);
            if round_up(end, align) != member.offset {
                return None;
            }
            end = member.offset + member.size;
            whole = whole.max(align);
        }
        let fits = round_up(end.max(1), whole) == size && source_align.is_none_or(|align| align == whole);
        fits.then_some((pack, whole))
    })
}

fn place_aligned(
    members: &mut [Member],
    align_of: impl Fn(&Type) -> Option<usize>,
    source_align: Option<usize>,
    size: usize,
) -> Result<Placed, Misplaced> {
    let (mut end, mut natural) = (0, 1);
    let mut is_known = true;
    for (i, member) in members.iter_mut().enumerate() {
        let align = align_of(&member.ty);
        is_known &= align.is_some();
        // For a type that is declared elsewhere, the assertions check the alignment.
        let align = align.unwrap_or(1);
        let elsewhere = Problem::Elsewhere { offset: member.offset, after: end, align };
        let placed = round_up(end, align);
        if placed > member.offset {
            return Err(Misplaced::new(Some(i), elsewhere));
        }
        natural = natural.max(align);
        if placed < member.offset && is_known {
            let Some(alignas) = alignment_for(end, align, member.offset) else {
                return Err(Misplaced::new(Some(i), elsewhere));
            };
            member.alignas = Some(alignas);
            natural = natural.max(alignas);
        }
        end = member.offset + member.size;
    }
    if !is_known {
        return Ok(Placed { align: source_align.unwrap_or(natural), alignas: None, pack: None });
    }
    // A struct without members has a size of one byte.
    let end = end.max(1);
    let align = match source_align {
        Some(align) if align < natural => {
            let cpp = natural;
            return Err(Misplaced::new(None, Problem::Alignment { expected: align, cpp }));
        }
        Some(align) => align,
        None if round_up(end, natural) == size => natural,
        None => alignment_for(end, natural, size).unwrap_or(natural),
    };
    let cpp = round_up(end, align);
    if cpp != size {
        return Err(Misplaced::new(None, Problem::Size { expected: size, cpp }));
    }
    Ok(Placed { align, alignas: (align > natural).then_some(align), pack: None })
}

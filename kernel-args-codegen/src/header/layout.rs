//! Where C++ puts the members of a struct, and the `alignas` that it needs for that.

use super::{
    definition::{Member, Type},
    error::Problem,
};
use crate::bytes::round_up;
use alloc::boxed::Box;

/// The largest `alignas` that is written: what C++ compilers for CUDA take.
const LARGEST: usize = 1 << 12;

/// Why a struct cannot be placed: what is wrong, and the index of the member that cannot; `None` for the whole.
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

/// A struct as C++ declares it.
pub(super) struct Placed {
    pub(super) align: usize,
    pub(super) alignas: Option<usize>,
}

/// The least alignment above `least` that puts what follows `end` at `wanted`.
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

/// Gives each member the `alignas` that it needs to lie where it lies. `align_of` is the alignment of a type, if it is known;
/// `told` is the struct's, `size` its size.
pub(super) fn place(
    members: &mut [Member],
    align_of: impl Fn(&Type) -> Option<usize>,
    told: Option<usize>,
    size: usize,
) -> Result<Placed, Misplaced> {
    let (mut end, mut natural) = (0, 1);
    let mut is_known = true;
    for (i, member) in members.iter_mut().enumerate() {
        let align = align_of(&member.ty);
        is_known &= align.is_some();
        // Of a type that is declared elsewhere, the assertions tell.
        let align = align.unwrap_or(1);
        let elsewhere = Problem::Elsewhere {
            told: member.offset,
            after: end,
            align,
        };
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
        return Ok(Placed {
            align: told.unwrap_or(natural),
            alignas: None,
        });
    }
    // Without members it has a byte all the same.
    let end = end.max(1);
    let align = match told {
        Some(told) if told < natural => {
            let cpp = natural;
            return Err(Misplaced::new(None, Problem::Alignment { told, cpp }));
        }
        Some(told) => told,
        None if round_up(end, natural) == size => natural,
        None => alignment_for(end, natural, size).unwrap_or(natural),
    };
    let cpp = round_up(end, align);
    if cpp != size {
        return Err(Misplaced::new(None, Problem::Size { told: size, cpp }));
    }
    Ok(Placed {
        align,
        alignas: (align > natural).then_some(align),
    })
}

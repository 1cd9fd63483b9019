//! What the const engine promises, as properties that Kani proves and that tests check: see `tests/proofs`.
//!
//! `next_offset` and [`ParamLayout::push`] are proved for every number of the machine. The block of a list follows by
//! induction: it is a chain of pushes, which `lists_are_chains_of_pushes` states for lists of three parameters.

use crate::{
    layout::{Alignment, Layout, LayoutError},
    param_layout::{LIMIT, ParamLayout, Sm, next_offset},
};
use kernel_args_test_proofs::{Values, proofs};

/// The largest address of the parameter block on any GPU.
const LARGEST_BASE: usize = 0x210;

/// The largest size and offset.
const LAST: usize = isize::MAX.cast_unsigned();

/// The GPU generations on both sides of each rule.
const GENERATIONS: &[usize] = &[0, 49, 50, 69, 70, 80, 89, 90, 91, 99, 100, 120, 121, 122];

fn alignment(values: &mut impl Values, largest: u8) -> Alignment {
    let log2 = values.choice(usize::from(largest)) as u8;
    Alignment { log2 }
}

fn layout(values: &mut impl Values, size: usize) -> Layout {
    let align = alignment(values, 7);
    Layout::new(size, align).expect("it is far below the address space")
}

/// Returns any block: every `end` is the end of a list of bytes.
fn block(base: usize, end: usize) -> ParamLayout {
    let bytes = Layout::new(end, Alignment::ONE).expect("it is far below the address space");
    let (block, offset) = ParamLayout::at(base).push(bytes).expect("it fits");
    assert_eq!((offset, block.size()), (0, end));
    block
}

/// Returns the first multiple of 2^`log2` at or after `number`. Kani has no fast division.
fn multiple(number: u128, log2: u8) -> u128 {
    let below = number >> log2 << log2;
    if below == number { below } else { below + (1 << log2) }
}

/// Returns the address of the first parameter with this alignment at or after `end`.
fn first_address(base: usize, end: usize, align: Alignment) -> u128 {
    multiple(base as u128 + end as u128, align.log2)
}

proofs! {
    /// An offset is at or after `end`, its address is a multiple of the alignment, and it is the first such offset.
    /// `None` only if its address exceeds `isize::MAX`.
    #[unwind(2)]
    fn next_offset_is_the_first_aligned_one(values) {
        let (base, end) = (values.number(), values.number());
        let align = alignment(values, Alignment::MAX.log2);
        let first = first_address(base, end, align);
        match next_offset(Some(base), end, align) {
            Some(offset) => assert!(offset >= end && base as u128 + offset as u128 == first),
            None => assert!(first > LAST as u128, "an offset was refused"),
        }
    }

    /// For every size up to the limit there is an offset, and it is the first aligned one.
    #[unwind(2)]
    fn every_block_has_a_next_offset(values) {
        let end = values.up_to(LIMIT);
        let base = values.edge_up_to(LARGEST_BASE);
        let align = alignment(values, Alignment::MAX.log2);
        let offset = next_offset(Some(base), end, align).expect("it is far below the address space");
        assert_eq!((base + offset) as u128, first_address(base, end, align));
    }

    /// If the address of the block is unknown, an offset is known exactly if it is the same at every multiple of 16.
    #[unwind(2)]
    fn without_an_address_offsets_up_to_16_bytes_are_known(values) {
        let end = values.up_to(LIMIT);
        let align = alignment(values, Alignment::MAX.log2);
        let offset = next_offset(None, end, align);
        if align.bytes() <= 16 {
            assert_eq!(offset, next_offset(Some(0), end, align));
            let base = 16 * values.edge_up_to(LARGEST_BASE / 16);
            assert_eq!(offset, next_offset(Some(base), end, align));
        } else {
            assert_eq!(offset, None);
            // It is a multiple of 32 at 0, and not at 16.
            let (at_0, at_16) = (next_offset(Some(0), end, align), next_offset(Some(16), end, align));
            assert_ne!(at_0, at_16);
        }
    }

    /// A push places the parameter at its offset and ends with it. A full test has every end with the edges of sizes,
    /// and every size with the edges of ends.
    #[unwind(2)]
    fn a_push_ends_with_its_parameter(values) {
        let (end, size) = match values.choice(1) {
            0 => (values.up_to(LIMIT), values.edge_up_to(LIMIT)),
            _ => (values.edge_up_to(LIMIT), values.up_to(LIMIT)),
        };
        let parameter = layout(values, size);
        let base = [0, LARGEST_BASE][values.choice(1)];
        let before = block(base, end);
        let (after, offset) = before.push(parameter).expect("it is far below the address space");
        assert_eq!((base + offset) as u128, first_address(base, end, parameter.align()));
        assert_eq!(after.size(), offset + size);
        assert_eq!(after.align(), parameter.align());
        assert_eq!(after.depends_on_gpu(), parameter.align().bytes() > 16);
    }

    /// A push is an error exactly if the parameter's end exceeds `isize::MAX`, and never overflows.
    #[unwind(2)]
    fn a_push_is_refused_only_beyond_the_address_space(values) {
        let base = values.sample(usize::MAX, &[0, LARGEST_BASE, LAST - 64, LAST, usize::MAX]);
        let end = values.number();
        let size = values.sample(usize::MAX, &[0, 1, 9, LIMIT, LAST - 64, LAST - 8, LAST]);
        let align = values.sample(Alignment::MAX.log2.into(), &[0, 1, 3, 4, 5, 7, 28]);
        let align = Alignment { log2: align as u8 };
        let Ok(bytes) = Layout::new(end, Alignment::ONE) else {
            return;
        };
        let Ok(parameter) = Layout::new(size, align) else { return };
        let Ok((before, _)) = ParamLayout::at(base).push(bytes) else { return };
        let place = first_address(base, end, align);
        match before.push(parameter) {
            Ok((after, offset)) => {
                assert_eq!(base as u128 + offset as u128, place);
                assert_eq!(after.size(), offset + size);
            }
            Err(LayoutError) => assert!(place + size as u128 > LAST as u128),
        }
    }

    /// The block of a list is a chain of pushes from the address for its size by C's rule; from 0 if no alignment
    /// exceeds 16 bytes. It is unknown exactly if it depends on a GPU that was not measured.
    #[unwind(5)]
    fn lists_are_chains_of_pushes(values) {
        let sm = Sm(values.sample(200, GENERATIONS) as u16);
        let parameters = [(); 3].map(|()| {
            let size = values.sample(LIMIT, &[1, 7, 64, 4224, 4352, 4353]);
            let log2 = values.sample(7, &[0, 2, 4, 5, 7]) as u8;
            Layout::new(size, Alignment { log2 }).expect("it is far below the address space")
        });
        let chain = |base: usize| {
            let (mut end, mut offsets) = (0, [0; 3]);
            for (parameter, offset) in parameters.iter().zip(&mut offsets) {
                *offset = next_offset(Some(base), end, parameter.align()).expect("it fits");
                end = *offset + parameter.size();
            }
            (end, offsets)
        };
        let by_c = chain(0);
        let depends = parameters.iter().any(|parameter| parameter.align().bytes() > 16);
        let base = if depends { sm.param_base(by_c.0) } else { Some(0) };

        let (block, offsets) = ParamLayout::of(&parameters).expect("it fits");
        assert_eq!((block.size(), offsets), by_c);
        let mut written = [usize::MAX; 3];
        let on = ParamLayout::write_on(sm, &parameters, &mut written).expect("it fits");
        assert_eq!(on.is_none(), base.is_none());
        if let (Some(block), Some(base)) = (on, base) {
            assert_eq!((block.size(), written), chain(base));
            assert_eq!(block.depends_on_gpu(), depends);
        }
        assert_eq!(ParamLayout::on(sm, &parameters), Ok(on.map(|block| (block, written))));
    }

    /// Rounding up results in the first multiple, and is refused exactly beyond `isize::MAX`.
    #[unwind(2)]
    fn rounding_up_is_exact(values) {
        let offset = values.number();
        let align = alignment(values, Alignment::MAX.log2);
        let first = multiple(offset as u128, align.log2);
        let exact = usize::try_from(first).ok().filter(|rounded| *rounded <= LAST);
        assert_eq!(align.round_up(offset), exact);
        assert_eq!(align.divides(offset), first == offset as u128);
        if cfg!(not(kani)) {
            assert_eq!(first, (offset as u128).next_multiple_of(align.bytes() as u128));
        }
    }
}

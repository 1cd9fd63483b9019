//! The locations where ptxas places the parameters and the shared variables of a kernel. An independent implementation,
//! without code of the crates under test.
//!
//! ptxas aligns the *absolute* address of each parameter in the constant bank, and the start address of the parameters
//! depends on the GPU. If an alignment divides the start address, the offsets are the same as in a C struct; otherwise
//! they differ.

/// A parameter or a variable before it is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) size: usize,
    /// A power of two.
    pub(crate) align: usize,
}

/// The location of a parameter in the kernel's parameter bank, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) offset: usize,
    pub(crate) size: usize,
}

/// Returns the end of the last parameter in C's layout. The limits on parameters apply to it.
pub(crate) fn c_size(shapes: &[Shape]) -> usize {
    shapes.iter().fold(0, |end, shape| end.next_multiple_of(shape.align) + shape.size)
}

/// Returns the start address of the parameters in the constant bank.
fn bank_base(sm: u32, c_size: usize) -> usize {
    match sm {
        70..90 if c_size <= 4352 => 0x160,
        90..100 => 0x210,
        _ => 0,
    }
}

/// Returns the parameters' offsets from the start address.
pub(crate) fn place(shapes: &[Shape], sm: u32) -> Vec<Parameter> {
    let base = bank_base(sm, c_size(shapes));
    let mut next = base;
    shapes
        .iter()
        .map(|shape| {
            let start = next.next_multiple_of(shape.align);
            next = start + shape.size;
            Parameter { offset: start - base, size: shape.size }
        })
        .collect()
}

/// Returns the offsets of shared variables, and the size of the static ones. Those without a size are the dynamic part,
/// which begins behind the static one: ptxas pads that to the largest of their alignments, at least 16, whether the
/// kernel uses them or not.
pub(crate) fn place_shared(shapes: &[Shape]) -> (Vec<usize>, usize) {
    let mut end = 0usize;
    let mut place = |shape: &Shape| {
        let start = end.next_multiple_of(shape.align);
        end = if shape.size == 0 { end } else { start + shape.size };
        start
    };
    let mut offsets: Vec<usize> = shapes.iter().map(&mut place).collect();
    let dynamic = shapes.iter().filter(|shape| shape.size == 0).map(|shape| shape.align.max(16)).max();
    let end = end.next_multiple_of(dynamic.unwrap_or(1));
    for (offset, shape) in offsets.iter_mut().zip(shapes) {
        if shape.size == 0 {
            *offset = end;
        }
    }
    (offsets, end)
}

/// Returns the maximum size of a kernel's parameters in bytes.
pub(crate) fn limit(ptx_version: (u32, u32), target: u32) -> usize {
    if ptx_version < (8, 1) || target < 70 { 4096 } else { 32764 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(shapes: &[(usize, usize)], sm: u32) -> Vec<usize> {
        let shapes: Vec<Shape> = shapes.iter().map(|&(size, align)| Shape { size, align }).collect();
        place(&shapes, sm).iter().map(|parameter| parameter.offset).collect()
    }

    #[test]
    fn alignments_up_to_16_are_placed_as_c_places_them() {
        for sm in [75, 80, 86, 89, 90, 100, 120] {
            assert_eq!(offsets(&[(4, 4), (16, 16), (1, 1), (2, 2), (8, 8)], sm), [0, 16, 32, 34, 40], "sm_{sm}");
        }
    }

    #[test]
    fn a_tensor_map_has_the_observed_offset_on_each_generation() {
        let tensor_map_and_pointer = [(128, 128), (8, 8)];
        assert_eq!(offsets(&tensor_map_and_pointer, 90), [112, 240]);
        assert_eq!(offsets(&tensor_map_and_pointer, 80), [32, 160]);
        assert_eq!(offsets(&tensor_map_and_pointer, 100), [0, 128]);
    }

    #[test]
    fn alignment_32_differs_from_c_on_sm_90_alone() {
        let signature = [(1, 1), (32, 32), (4, 4), (8, 8)];
        assert_eq!(offsets(&signature, 90), [0, 16, 48, 56]);
        for sm in [75, 80, 89, 100, 120] {
            assert_eq!(offsets(&signature, sm), [0, 32, 64, 72], "sm_{sm}");
        }
    }

    #[test]
    fn large_blocks_move_the_base_before_sm_90() {
        // 4352 bytes in total keep the base 0x160; one more byte changes it to 0.
        assert_eq!(offsets(&[(64, 64), (4288, 1)], 80), [32, 96]);
        assert_eq!(offsets(&[(64, 64), (4289, 1)], 80), [0, 64]);
    }

    /// The sizes that ptxas 13.0 prints.
    #[test]
    fn the_static_part_is_padded_for_the_dynamic_one() {
        for (variables, size) in [
            (&[(17, 1)][..], 17),
            (&[(17, 1), (0, 1)][..], 32),
            (&[(16, 4), (0, 16)][..], 16),
            (&[(16, 4), (0, 64)][..], 64),
            (&[(16, 4), (0, 1024)][..], 1024),
            (&[(0, 16), (16, 4), (0, 256)][..], 256),
            (&[(0, 128)][..], 0),
            (&[(17, 1), (4, 64), (3, 1)][..], 71),
            (&[(5, 1), (6, 2), (3, 1), (20, 8)][..], 36),
            (&[(5, 1), (6, 16), (5, 4)][..], 29),
        ] {
            let shapes: Vec<Shape> = variables.iter().map(|&(size, align)| Shape { size, align }).collect();
            let (offsets, end) = place_shared(&shapes);
            assert_eq!(end, size, "{variables:?}");
            let dynamic = shapes.iter().zip(offsets).filter(|(shape, _)| shape.size == 0);
            assert!(dynamic.clone().all(|(_, offset)| offset == end), "{variables:?}");
        }
    }
}

//! The locations where ptxas places the parameters of a kernel. An independent implementation, without code of the crates under
//! test.
//!
//! ptxas aligns the *absolute* address of each parameter in the constant bank, and the start address of the parameters depends
//! on the GPU. If an alignment divides the start address, the offsets are the same as in a C struct; otherwise they differ.

/// A parameter before it is placed.
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

/// The end of the last parameter in C's layout. The limits on parameters apply to it.
pub(crate) fn c_size(shapes: &[Shape]) -> usize {
    shapes.iter().fold(0, |end, shape| end.next_multiple_of(shape.align) + shape.size)
}

/// The start address of the parameters in the constant bank.
fn bank_base(sm: u32, c_size: usize) -> usize {
    match sm {
        70..90 if c_size <= 4352 => 0x160,
        90..100 => 0x210,
        _ => 0,
    }
}

/// The parameters' offsets from the start address.
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

/// The maximum size of a kernel's parameters in bytes.
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
}

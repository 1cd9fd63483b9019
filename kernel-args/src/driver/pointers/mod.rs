//! Checked pointers: before a launch, the driver is asked about the memory behind each pointer of the arguments.
//!
//! The pointers in an argument, and the alignment of their types, are in `kernel_args_abi::pointers`.
//!
//! | to change | open |
//! |---|---|
//! | what a checked pointer must be | `check.rs`; what the code does with it: `pointer_uses.rs`, and `uses.rs` of the readers; the callers: `check_pointers.rs` (launches), `lower.rs` (nodes) |

mod check;
mod memory;

pub(crate) use check::{KernelCode, PointerCheck, PointerUse, Runs, check};

#[cfg(test)]
mod tests {
    use crate::{
        DevicePointer,
        device::{DeviceType, Pointee, vector::Float4},
    };
    use core::ffi::c_void;
    use kernel_args_abi::{
        Parameter,
        pointers::{element_align, element_size},
    };

    fn pointer<T: Pointee>() -> Parameter<'static> {
        fn of<D: DeviceType>() -> Parameter<'static> {
            Parameter::field("p", "", 0, D::LAYOUT, D::CLASS, D::CPP).with_pointee(D::POINTEE)
        }
        of::<DevicePointer<T>>()
    }

    #[test]
    fn sizes_and_alignments_are_those_of_the_rust_types() {
        for (parameter, size, align) in [
            (pointer::<u8>(), Some(1), 1),
            (pointer::<f32>(), Some(4), 4),
            (pointer::<f64>(), Some(8), 8),
            (pointer::<i128>(), Some(16), 16),
            (pointer::<Float4>(), Some(16), 16),
            (pointer::<[f32; 3]>(), Some(12), 4),
            (pointer::<[[u16; 3]; 2]>(), Some(12), 2),
            (pointer::<DevicePointer<u8>>(), Some(8), 8),
            (pointer::<c_void>(), None, 1),
        ] {
            let found = (element_size(&parameter), element_align(&parameter));
            assert_eq!(found, (size, align), "{}", parameter.cpp);
        }
    }
}

//! The structs of the echo kernels hand over the bytes that the generator says the kernels must see.

use kernel_args::KernelArgs;
use kernel_args_test_derived::{ENTRIES, Visitor, visit};
use kernel_args_test_generator::{Signature, echo};
use std::slice;

const OUT: u64 = 0x7f00_1234_5678_9abc;

struct Check {
    kernels: Vec<Signature>,
    seed: u64,
    visited: usize,
    packed: usize,
}

impl Check {
    /// The bytes of every parameter: the address of `out`, then the values.
    fn expected(&self, index: usize) -> Vec<Vec<u8>> {
        let values = echo::expected(&self.kernels[index], self.seed, index);
        let out = OUT.to_le_bytes().to_vec();
        [out].into_iter().chain(values).collect()
    }
}

impl Visitor for Check {
    fn packable<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        let mut expected = vec![0; self.kernels[index].size()];
        for (value, (begin, end)) in self
            .expected(index)
            .iter()
            .zip(self.kernels[index].offsets())
        {
            expected[begin..end].copy_from_slice(value);
        }
        args.with_packed(|bytes| assert_eq!(bytes, expected, "{}", ENTRIES[index]));
        self.packed += 1;
        self.over_aligned(index, args);
    }

    fn over_aligned<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        assert_eq!(index, self.visited);
        self.visited += 1;
        let expected = self.expected(index);
        args.with_kernel_params(|pointers| {
            assert_eq!(pointers.len(), expected.len(), "{}", ENTRIES[index]);
            for (i, (pointer, expected)) in pointers.iter().zip(&expected).enumerate() {
                let size = A::PARAMETERS[i].size;
                // SAFETY: each pointer is valid for its parameter's size, all of it initialised.
                let bytes = unsafe { slice::from_raw_parts(pointer.cast::<u8>(), size) };
                assert_eq!(
                    bytes,
                    expected,
                    "{} of {}",
                    A::PARAMETERS[i].name,
                    ENTRIES[index]
                );
            }
        });
    }
}

#[test]
fn both_forms_hold_the_bytes_that_the_kernels_must_echo() {
    let kernels = echo::signatures(echo::SEED, echo::DERIVED);
    let names: Vec<&str> = kernels.iter().map(|kernel| &*kernel.name).collect();
    assert_eq!(names, ENTRIES);
    let mut check = Check {
        kernels,
        seed: 3,
        visited: 0,
        packed: 0,
    };
    visit(check.seed, OUT, &mut check);
    assert_eq!(check.visited, echo::DERIVED);
    assert!(
        check.packed > echo::DERIVED / 2,
        "only {} packed",
        check.packed
    );
}

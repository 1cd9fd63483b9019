//! Random structs with random values: both forms contain the bytes that the kernels must receive according to the
//! generator.

use kernel_args::KernelArgs;
use kernel_args_marshalling_tests::params;
use kernel_args_test_generator::{Signature, echo, parts};
use kernel_args_tests::{
    derived::{ENTRIES, visit},
    values::{Visitor, at},
};
use proptest::prelude::*;

/// The number of structs to test: Miri takes seconds for each.
const STRUCTS: usize = if cfg!(miri) { 10 } else { ENTRIES.len() };

const OUT: u64 = 0x7f00_1234_5678_9abc;

/// Compares both forms of every struct, with values from one seed.
struct Compare<'k> {
    kernels: &'k [Signature],
    seed: u64,
    visited: usize,
    packed: usize,
}

impl Compare<'_> {
    /// The bytes of every parameter: the address of `out`, then the values.
    fn parameters(&self, index: usize) -> Vec<Vec<u8>> {
        let values = echo::expected(&self.kernels[index], self.seed, index);
        let out = OUT.to_le_bytes().to_vec();
        [out].into_iter().chain(values).collect()
    }

    /// The start of each parameter by C's rule, and the whole block, with zeros between the parameters.
    fn block(&self, index: usize) -> (Vec<usize>, Vec<u8>) {
        let kernel = &self.kernels[index];
        let offsets: Vec<usize> = kernel.offsets().iter().map(|(begin, _)| *begin).collect();
        let places = offsets.iter().copied().zip(self.parameters(index));
        let block = at(kernel.size(), &places.collect::<Vec<_>>());
        (offsets, block)
    }
}

impl Visitor for Compare<'_> {
    fn packable<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        if index >= STRUCTS {
            return;
        }
        let (_, block) = self.block(index);
        args.with_packed(|bytes| assert_eq!(bytes, block, "{}: packed", ENTRIES[index]));
        self.packed += 1;
        self.over_aligned(index, args);
    }

    fn over_aligned<A: KernelArgs + Copy>(&mut self, index: usize, args: A) {
        if index >= STRUCTS {
            return;
        }
        let name = ENTRIES[index];
        assert_eq!(index, self.visited);
        self.visited += 1;
        let (offsets, block) = self.block(index);
        assert_eq!(A::LAYOUT.size(), block.len(), "{name}");
        let parameters = self.parameters(index);
        assert_eq!(params(args), parameters, "{name}: kernelParams");
        let mut buffer = vec![0xff; block.len() + 8];
        let packed = args.pack_at(&offsets, &mut buffer);
        assert_eq!(packed, Ok(&block[..]), "{name}: packed at its offsets");
        assert_eq!(buffer[block.len()..], [0xff; 8], "{name}: past the block");
        let ours: Vec<usize> = A::PARAMETERS.iter().filter_map(|p| p.offset).collect();
        assert_eq!(ours, offsets, "{name}: offsets");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 1 } else { 16 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_forms_have_the_layout_of_c(seed: u64) {
        let kernels = echo::signatures(echo::SEED, STRUCTS);
        let names: Vec<&str> = kernels.iter().map(|kernel| &*kernel.name).collect();
        assert_eq!(names, ENTRIES[..STRUCTS]);
        let mut compare = Compare { kernels: &kernels, seed, visited: 0, packed: 0 };
        visit(seed, OUT, &mut compare);
        assert_eq!(compare.visited, STRUCTS);
        let over_aligned = compare.visited - compare.packed;
        let (packed, least) = (compare.packed, if cfg!(miri) { 0 } else { 5 });
        assert!(packed > STRUCTS / 2 && over_aligned >= least, "{packed} packed");
    }

    /// Each element of a spread array and each field of a flattened struct is a parameter of its own.
    #[test]
    fn spread_and_flattened_fields_have_the_layout_of_separate_parameters(seed: u64) {
        let all = parts::all(echo::SEED, STRUCTS);
        let kernels: Vec<Signature> = all.iter().map(|parts| parts.kernel.clone()).collect();
        let mut compare = Compare { kernels: &kernels, seed, visited: 0, packed: 0 };
        kernel_args_tests::parts::visit(seed, OUT, &mut compare);
        assert_eq!(compare.visited, STRUCTS);
        let over_aligned = compare.visited - compare.packed;
        let least = if cfg!(miri) { 0 } else { 5 };
        assert!(compare.packed > STRUCTS / 2 && over_aligned >= least, "{} packed", compare.packed);
    }
}

//! Random lists with every type of the generator's table, and their bytes and PTX.

use kernel_args::ArgList;
use kernel_args_test_generator::{
    Rng,
    leaf::{LEAVES, Leaf},
};
use kernel_args_tests::values::{Bytes, Source, at};

/// Pushes a random value, and returns the bytes that a kernel must receive for it.
type Push = fn(&mut Source, &mut ArgList<'static>) -> Vec<u8>;

fn push<T: Bytes + kernel_args::KernelArg + 'static>(from: &mut Source, arguments: &mut ArgList<'static>) -> Vec<u8> {
    let value = T::draw(from);
    arguments.push(value);
    value.bytes()
}

macro_rules! pushes {
    ($($rust:ty = $cpp:literal, $passed:ident $count:literal x $size:literal aligned $align:literal,
       $drawn:ident $(of $inner:ty)?;)*) => {
        /// In the order of [`LEAVES`].
        pub(super) const PUSHES: &[super::Push] = &[$(super::push::<$rust>),*];
    };
}

#[allow(clippy::wildcard_imports, reason = "every type of the table")]
mod table {
    use core::num::*;
    use kernel_args::*;
    use kernel_args_tests::vectors::*;

    kernel_args_test_generator::cuda_types!(pushes);
}

/// A list, and the expected bytes of its parameters.
pub(crate) struct List {
    pub(crate) arguments: ArgList<'static>,
    leaves: Vec<&'static Leaf>,
    /// The bytes of each parameter.
    pub(crate) values: Vec<Vec<u8>>,
}

impl List {
    /// A list of `len` arguments, with or without types that are aligned to more than 16 bytes.
    pub(crate) fn random(seed: u64, len: usize, over_aligned: bool) -> Self {
        let mut rng = Rng::new(seed, 1);
        let mut from = Source::new(seed);
        let mut list = Self { arguments: ArgList::new(), leaves: Vec::new(), values: Vec::new() };
        assert_eq!(table::PUSHES.len(), LEAVES.len());
        while list.leaves.len() < len {
            let index = rng.below(LEAVES.len());
            if !over_aligned && LEAVES[index].align > 16 {
                continue;
            }
            list.leaves.push(&LEAVES[index]);
            list.values.push(table::PUSHES[index](&mut from, &mut list.arguments));
        }
        list
    }

    pub(crate) fn is_over_aligned(&self) -> bool {
        self.leaves.iter().any(|leaf| leaf.align > 16)
    }

    /// The start of each parameter by C's rule, after `before` bytes.
    fn offsets(&self, before: usize) -> Vec<usize> {
        let mut end = before;
        let place = |leaf: &&Leaf| {
            let begin = end.next_multiple_of(leaf.align);
            end = begin + leaf.size();
            begin
        };
        self.leaves.iter().map(place).collect()
    }

    /// The packed form by C's rule.
    pub(crate) fn block(&self) -> Vec<u8> {
        let places: Vec<_> = self.offsets(0).into_iter().zip(self.values.clone()).collect();
        let size = places.last().map_or(0, |(offset, bytes)| offset + bytes.len());
        at(size, &places)
    }

    /// PTX of the kernel `name` that takes the list.
    pub(crate) fn ptx(&self, name: &str) -> String {
        let declaration = |(index, leaf): (usize, &&Leaf)| match (leaf.aggregate, leaf.size()) {
            (false, size @ 1..=8) => format!(".param .b{} {name}_param_{index}", 8 * size),
            (_, size) => {
                let align = leaf.align;
                format!(".param .align {align} .b8 {name}_param_{index}[{size}]")
            }
        };
        let parameters: Vec<_> = self.leaves.iter().enumerate().map(declaration).collect();
        format!(
            ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry {name}({})\n{{\n    ret;\n}}\n",
            parameters.join(", ")
        )
    }
}

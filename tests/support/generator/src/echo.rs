//! Echo kernels in the form that a GPU suite launches.
//!
//! The first parameter of a kernel is `out`. The kernel copies every following parameter to it byte for byte, with
//! padding, one directly after another. The source includes `ptx/echo.cuh`.

use crate::{Rng, Shape, Signature, random, size};

/// The seed of the kernels in the suites of this repository.
pub const SEED: u64 = 1;

/// The default of [`derived`].
pub const SMALL: usize = 60;

/// How many kernels of [`SEED`] have a `#[derive(KernelArgs)]` struct in the suites.
#[must_use]
pub fn derived() -> usize {
    size::choose(SMALL, 500)
}

/// The echo kernels with the numbers 0 to `count - 1` of `seed`. Kernel `i` does not depend on the count.
#[must_use]
pub fn signatures(seed: u64, count: usize) -> Vec<Signature> {
    random::signatures(seed, Shape::Echo, count)
}

/// The bytes of the parameters after `out` of kernel `index`, for the random values of `seed`: one vector for each,
/// with zeros as padding. The kernel must answer with these bytes, one after another.
#[must_use]
pub fn expected(kernel: &Signature, seed: u64, index: usize) -> Vec<Vec<u8>> {
    kernel.draw(&mut Rng::new(seed, index as u64))
}

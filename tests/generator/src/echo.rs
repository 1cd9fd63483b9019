//! Echo kernels, as a GPU suite launches them.
//!
//! A kernel's first parameter is `out`; every other one is copied there byte for byte, padding included,
//! tightly one after another. `ptx/echo.cuh` is what the source includes.

use crate::{Rng, Shape, Signature, random, size};

/// The seed of the kernels that stand in this repository's suites.
pub const SEED: u64 = 1;

/// What [`derived`] is by default.
pub const SMALL: usize = 60;

/// How many of the kernels of [`SEED`] the suites have a `#[derive(KernelArgs)]` struct for, when they are built.
#[must_use]
pub fn derived() -> usize {
    size::choose(SMALL, 500)
}

/// The echo kernels number 0 to `count - 1` of `seed`. Number `i` is the same whatever the count.
#[must_use]
pub fn signatures(seed: u64, count: usize) -> Vec<Signature> {
    random::signatures(seed, Shape::Echo, count)
}

/// The bytes of the parameters after `out` of kernel number `index` for the random values of `seed`: one
/// vector for each, padding as zeros. The kernel must answer with them, one after another.
#[must_use]
pub fn expected(kernel: &Signature, seed: u64, index: usize) -> Vec<Vec<u8>> {
    kernel.draw(&mut Rng::new(seed, index as u64))
}

//! Few and many parameters, small and large parameter blocks, and kernels without parameters.

use crate::echo::ways::{Echo, Outcome, ROUNDS};
use kernel_args::{DevicePointerMut, Kernel, KernelArgs, Module, args::Form, launch};
use kernel_args_tests::{
    driver::{context, trial},
    tally,
    values::{Bytes, Source},
};
use libtest_mimic::Trial;

pub(crate) const COUNTS: &str = include_str!("../../../../ptx/echo_counts.ptx");

/// Random arguments, and the expected echo.
pub(crate) trait Drawn: KernelArgs {
    fn draw(seed: u64, out: DevicePointerMut<u8>) -> (Self, Vec<u8>);
}

/// A struct of `out` and pairs of a `u64` and a `u32`.
macro_rules! counts {
    ($name:ident: $($a:ident $b:ident)*) => {
        #[derive(KernelArgs)]
        pub(crate) struct $name {
            out: DevicePointerMut<u8>,
            $($a: u64, $b: u32,)*
        }

        impl Drawn for $name {
            fn draw(seed: u64, out: DevicePointerMut<u8>) -> (Self, Vec<u8>) {
                let (mut from, mut passed) = (Source::new(seed), Vec::new());
                let args = Self { out, $($a: drawn(&mut from, &mut passed), $b: drawn(&mut from, &mut passed),)* };
                (args, passed)
            }
        }
    };
}

/// Draws a value and appends its bytes.
pub(crate) fn drawn<T: Bytes>(from: &mut Source, passed: &mut Vec<u8>) -> T {
    let value = T::draw(from);
    passed.extend(value.bytes());
    value
}

// `counts!(Eight: a0 b0 …)` and so on: the build script writes the lists.
include!(concat!(env!("OUT_DIR"), "/counts.rs"));

#[derive(KernelArgs)]
pub(crate) struct One {
    out: DevicePointerMut<u8>,
    a: u64,
}

impl Drawn for One {
    fn draw(seed: u64, out: DevicePointerMut<u8>) -> (Self, Vec<u8>) {
        let mut passed = Vec::new();
        (Self { out, a: drawn(&mut Source::new(seed), &mut passed) }, passed)
    }
}

/// A block of exactly `8 + N` bytes.
#[derive(KernelArgs)]
pub(crate) struct Block<const N: usize> {
    out: DevicePointerMut<u8>,
    bytes: [u8; N],
}

impl<const N: usize> Drawn for Block<N> {
    fn draw(seed: u64, out: DevicePointerMut<u8>) -> (Self, Vec<u8>) {
        let mut passed = Vec::new();
        (Self { out, bytes: drawn(&mut Source::new(seed), &mut passed) }, passed)
    }
}

fn check<A: Drawn>(entry: &str) -> Outcome {
    let echo = Echo::<A>::load(COUNTS, entry)?;
    (0..ROUNDS).try_for_each(|seed| echo.check(&A::draw(seed, DevicePointerMut::NULL).1, |out| A::draw(seed, out).0))
}

fn one() -> Outcome {
    let echo = Echo::<One>::load(COUNTS, "echo_1")?;
    for a in [0, 1, u64::MAX, 0x0123_4567_89ab_cdef] {
        echo.check(&a.bytes(), |out| One { out, a })?;
    }
    Ok(())
}

#[derive(KernelArgs)]
struct Nothing;

fn no_parameters() -> Outcome {
    let ctx = context()?;
    let module = Module::load(&ctx, COUNTS)?;
    let stream = ctx.default_stream();
    for entry in ["nothing", "bump"] {
        let kernel: Kernel<Nothing> = module.kernel(entry)?;
        let raw = kernel.cu_function();
        // SAFETY: the kernels have no parameters and access no memory of the test.
        unsafe { launch!(kernel, 2, 3, Nothing) }?;
        for form in [Form::KernelParams, Form::Packed] {
            // SAFETY: the kernels have no parameters and access no memory of the test.
            unsafe { launch!(kernel, 1, 1, Nothing, form = form) }?;
        }
        // SAFETY: the kernels have no parameters and access no memory of the test.
        unsafe { launch!(raw, 1, 1, Nothing, stream = &stream) }?;
    }
    ctx.synchronize()?;
    // Six threads of the first launch, and one thread of each of the three following launches.
    let counter = module.global::<u32>("bump_counter")?.read()?;
    Ok(tally::compare("bump", "its counter", &counter.to_ne_bytes(), &9_u32.to_ne_bytes())?)
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("echo_1", one),
        trial("echo_8", || check::<Eight>("echo_8")),
        trial("echo_64", || check::<SixtyFour>("echo_64")),
        trial("echo_512", || check::<FiveHundredTwelve>("echo_512")),
        trial("a_block_of_4096_bytes", || check::<Block<{ 4096 - 8 }>>("echo_bytes_4096")),
        trial("a_block_of_32764_bytes", || check::<Block<{ 32_764 - 8 }>>("echo_bytes_32764")),
        trial("kernels_without_parameters", no_parameters),
    ]
}

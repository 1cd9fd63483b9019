//! Device types in device memory: a kernel reads the copied values, and copying back returns the same values.

use crate::echo::{
    structs::{EnumU8, FloatFloat4, Nested, Pair, TailPadding},
    ways::{Outcome, ROUNDS},
};
#[allow(clippy::wildcard_imports, reason = "every type of the table")]
use core::num::*;
use cudarc::driver::{CudaSlice, DeviceRepr, ValidAsZeroBits};
#[allow(clippy::wildcard_imports, reason = "every type of the table")]
use kernel_args::*;
use kernel_args_test_generator::{cuda_types, spelling};
#[allow(clippy::wildcard_imports, reason = "every type of the table")]
use kernel_args_tests::vectors::*;
use kernel_args_tests::{
    driver::{context, trial},
    values::{Bytes, Draw, Source},
};
use libtest_mimic::Trial;

/// The number of values in memory.
const COUNT: usize = 5;

/// The bytes in device memory.
fn raw<T: DeviceRepr>(memory: &CudaSlice<T>) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let size = COUNT * size_of::<T>();
    // SAFETY: the values of these types consist of initialized bytes, with zeroed padding, and any byte is a valid
    // number.
    let bytes = unsafe { memory.transmute::<u8>(size) }.ok_or("too few bytes")?;
    Ok(memory.stream().clone_dtoh(&bytes)?)
}

/// The tally of the suite counts kernels. This trial has none.
fn compare(name: &str, what: &str, found: &[u8], expected: &[u8]) -> Outcome {
    if found == expected {
        return Ok(());
    }
    Err(format!("{name}, {what}: {found:02x?}, expected {expected:02x?}").into())
}

/// Values are copied to the device and back. Without padding, the bytes in device memory are the bytes that a kernel
/// reads.
fn there_and_back<T: Bytes + DeviceType + DeviceRepr>(name: &str) -> Outcome {
    let stream = context()?.default_stream();
    for seed in 0..ROUNDS {
        let mut from = Source::new(seed);
        let values: Vec<T> = (0..COUNT).map(|_| T::draw(&mut from)).collect();
        let expected: Vec<u8> = values.iter().flat_map(Bytes::bytes).collect();
        let memory = stream.clone_htod(&values)?;
        if !T::HAS_PADDING {
            compare(name, "bytes in memory", &raw(&memory)?, &expected)?;
        }
        let back: Vec<u8> = stream.clone_dtoh(&memory)?.iter().flat_map(Bytes::bytes).collect();
        compare(name, "values read back", &back, &expected)?;
    }
    Ok(())
}

/// Like `there_and_back`, and zeroed memory contains values whose bytes are zero.
fn with_zeros<T: Bytes + DeviceType + ZeroBits + DeviceRepr + ValidAsZeroBits>(name: &str) -> Outcome {
    there_and_back::<T>(name)?;
    let stream = context()?.default_stream();
    let zeros = stream.clone_dtoh(&stream.alloc_zeros::<T>(COUNT)?)?;
    let bytes: Vec<u8> = zeros.iter().flat_map(Bytes::bytes).collect();
    let expected = vec![0; COUNT * size_of::<T>()];
    compare(name, "zeros", &bytes, &expected)
}

/// Types of this crate. For foreign types, cudarc either has the impls or not.
macro_rules! rows {
    ($($rust:ty = $cpp:literal, $passed:ident $count:literal x $size:literal aligned $align:literal,
       $drawn:ident $(of $inner:ty)?;)*) => {
        const ROWS: &[(&str, Option<fn(&str) -> Outcome>)] =
            &[$((spelling!($rust), row!($drawn $rust))),*];
    };
}

macro_rules! row {
    (vector $ty:ty) => {
        Some(with_zeros::<$ty>)
    };
    ($drawn:ident $ty:ty) => {
        None
    };
}

cuda_types!(rows);

/// An enum without a variant 0 can be read back, but not created from zeros.
#[derive(Clone, Copy, DeviceType)]
#[repr(i16)]
enum Sign {
    Minus = -1,
    Plus = 1,
}

impl Draw for Sign {
    fn draw(from: &mut Source) -> Self {
        *from.rng.pick(&[Self::Minus, Self::Plus])
    }
}

impl Bytes for Sign {
    fn bytes(&self) -> Vec<u8> {
        (*self as i16).bytes()
    }
}

/// A type with hand-written impls of the cudarc traits.
#[derive(Clone, Copy, DeviceType)]
#[device_type(skip_device_repr)]
#[repr(transparent)]
struct ByHand(u32);

// SAFETY: it contains one `u32`.
unsafe impl DeviceRepr for ByHand {}

impl Draw for ByHand {
    fn draw(from: &mut Source) -> Self {
        Self(Draw::draw(from))
    }
}

impl Bytes for ByHand {
    fn bytes(&self) -> Vec<u8> {
        self.0.bytes()
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = ROWS
        .iter()
        .filter_map(|(name, run)| {
            let run = (*run)?;
            Some(trial(format!("memory of {name}"), move || run(name)))
        })
        .collect();
    macro_rules! memory {
        ($($how:ident $ty:ty;)*) => {
            trials.extend([$(trial(concat!("memory of ", stringify!($ty)), || $how::<$ty>(stringify!($ty))),)*]);
        };
    }
    memory! {
        with_zeros half::f16;
        with_zeros half::bf16;
        with_zeros DevicePointer<Float4>;
        with_zeros DevicePointerMut<core::ffi::c_void>;
        with_zeros TextureObject;
        with_zeros SurfaceObject;
        with_zeros TensorMap;
        with_zeros TensorMapA64;
        with_zeros FloatFloat4;
        with_zeros Nested;
        with_zeros Pair<f32, f64>;
        with_zeros Pair<EnumU8, f64>;
        with_zeros Pair<[TailPadding; 1], DevicePointer<Sign>>;
        with_zeros EnumU8;
        there_and_back Sign;
        there_and_back Pair<Sign, NonZeroU64>;
        there_and_back ByHand;
    }
    trials
}

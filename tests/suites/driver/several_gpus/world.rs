//! The two GPUs, and memory of each.

use cudarc::driver::{CudaContext, CudaSlice, CudaStream};
use kernel_args::Error;
use kernel_args_stand_in::is_active;
use std::{
    error,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

pub(crate) use kernel_args_tests::saxpy::{SAXPY, Saxpy};

pub(crate) type Outcome = Result<(), Box<dyn error::Error + Send + Sync>>;

/// The number of elements of each slice: on a GPU enough that a kernel takes some time.
pub(crate) fn n() -> u32 {
    if is_active() { 1000 } else { 4_000_000 }
}

/// The number of blocks with 256 threads for that.
pub(crate) fn grid() -> u32 {
    n().div_ceil(256)
}

/// The reason why this cannot run.
pub(crate) fn missing() -> Option<&'static str> {
    match CudaContext::device_count() {
        Ok(0 | 1) => Some("there are no two GPUs on this machine"),
        Ok(_) => None,
        Err(_) => Some("the GPUs of this machine cannot be counted"),
    }
}

/// The primary contexts of the first two GPUs.
pub(crate) fn both() -> Result<[Arc<CudaContext>; 2], Error> {
    Ok([kernel_args::context(0)?, kernel_args::context(1)?])
}

static LAUNCHES: AtomicUsize = AtomicUsize::new(0);
static COMPARED: AtomicUsize = AtomicUsize::new(0);

/// Counts a launch, for the final line.
pub(crate) fn launched() {
    LAUNCHES.fetch_add(1, Ordering::Relaxed);
}

/// Returns an error unless every element of `memory` is `value`.
#[expect(clippy::float_cmp, reason = "small whole numbers: exact")]
pub(crate) fn all_are(stream: &Arc<CudaStream>, memory: &CudaSlice<f32>, value: f32) -> Outcome {
    let found = stream.clone_dtoh(memory)?;
    COMPARED.fetch_add(found.len(), Ordering::Relaxed);
    match found.iter().position(|element| *element != value) {
        None => Ok(()),
        Some(at) => Err(format!("element {at} is {}, not {value}", found[at]).into()),
    }
}

/// A slice of `value`.
pub(crate) fn filled(stream: &Arc<CudaStream>, value: f32) -> Result<CudaSlice<f32>, Error> {
    Ok(stream.clone_htod(&vec![value; n() as usize])?)
}

pub(crate) fn print() {
    println!(
        "several_gpus: {} launches, {} elements compared, 0 differences unless a trial has failed",
        LAUNCHES.load(Ordering::Relaxed),
        COMPARED.load(Ordering::Relaxed)
    );
}

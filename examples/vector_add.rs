//! The complete path from PTX to a result, with every error handled. The program ships its kernels as files, and stores
//! the loaded kernel in a struct.
#![allow(clippy::float_cmp, reason = "small whole and half numbers: exact")]

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DriverError};
use kernel_args::{Error, Kernel, KernelArgs, Module, image::Verification, launch};
use std::{fmt, process::ExitCode, sync::Arc};

/// c = a + b.
#[derive(KernelArgs)]
struct VectorAdd<'a> {
    a: &'a CudaSlice<f32>,
    b: &'a CudaSlice<f32>,
    c: &'a mut CudaSlice<f32>,
    n: u32,
}

/// The kernel outlives the arguments of its launches: `'static` is a placeholder for any lifetime.
struct Adder {
    kernel: Kernel<VectorAdd<'static>>,
    stream: Arc<CudaStream>,
}

/// The program's own error type.
#[derive(Debug)]
enum AdderError {
    Kernel(Error),
    Memory(DriverError),
    Length(usize),
}

impl From<Error> for AdderError {
    fn from(error: Error) -> Self {
        Self::Kernel(error)
    }
}

impl From<DriverError> for AdderError {
    fn from(error: DriverError) -> Self {
        Self::Memory(error)
    }
}

impl fmt::Display for AdderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kernel(error) => write!(f, "{error}"),
            Self::Memory(error) => write!(f, "copying to or from the device: {error}"),
            Self::Length(len) => write!(f, "{len} elements are more than a kernel can index with 32 bits"),
        }
    }
}

impl Adder {
    fn new(ctx: &Arc<CudaContext>) -> Result<Self, AdderError> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../ptx/vector_add.ptx");
        let module = match std::fs::read(path) {
            Ok(image) => Module::load(ctx, image)?,
            // The program was moved away from its sources: use the PTX from compile time.
            Err(_) => Module::load(ctx, include_str!("../ptx/vector_add.ptx"))?,
        };
        let kernel = module.kernel("vector_add")?;
        if let Verification::Unverified(reason) = kernel.verification() {
            eprintln!("warning: the arguments could not be verified: {reason}");
        }
        Ok(Self { kernel, stream: ctx.default_stream() })
    }

    fn add(&self, a: &[f32], b: &[f32]) -> Result<Vec<f32>, AdderError> {
        let len = a.len().min(b.len());
        let n = u32::try_from(len).map_err(|_| AdderError::Length(len))?;
        if n == 0 {
            return Ok(Vec::new()); // a grid has at least one block
        }
        let a = self.stream.clone_htod(&a[..len])?;
        let b = self.stream.clone_htod(&b[..len])?;
        let mut c = self.stream.alloc_zeros::<f32>(len)?;
        let args = VectorAdd { a: &a, b: &b, c: &mut c, n };
        // SAFETY: all three slices have `n` elements, and the kernel accesses no other memory.
        unsafe {
            launch!(self.kernel, n.div_ceil(256), 256, args, stream = &self.stream)?;
        };
        Ok(self.stream.clone_dtoh(&c)?)
    }
}

fn run() -> Result<(), AdderError> {
    let ctx = kernel_args_examples::context()?;
    let adder = Adder::new(&ctx)?;
    let a: Vec<f32> = (0..10_000_u16).map(f32::from).collect();
    let b: Vec<f32> = a.iter().map(|x| 0.5 * x).collect();
    let sum = adder.add(&a, &b)?;
    let wrong = sum.iter().zip(&a).filter(|(c, a)| **c != **a * 1.5).count();
    println!("vector_add of {} elements: {wrong} wrong", sum.len());
    assert_eq!(wrong, 0);
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

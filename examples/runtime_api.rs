//! A program that combines the CUDA runtime, a library that uses it (cuRAND), cudarc and verified launches.
//!
//! All of them use the primary context of the device, in any order. Memory from `cudaMalloc` is passed as a device
//! pointer, a `cudaStream_t` as a borrowed stream, and a `cudaKernel_t` as its function in the context.
//!
//! Without a GPU or without the runtime, it runs the possible parts and reports this.
#![allow(clippy::float_cmp, reason = "small whole numbers: exact")]

use cudarc::{
    curand::CudaRng,
    driver::{CudaContext, CudaSlice},
};
use kernel_args::{
    DevicePointer, DevicePointerMut, Kernel, KernelArgs,
    context::{BorrowedStream, kernel_function},
    launch,
};
use kernel_args_examples::cudart::Cudart;
use std::{error, ffi::CString, sync::Arc};

const SAXPY: &str = include_str!("../ptx/saxpy.ptx");
const N: u32 = 100_000;

/// For memory that cudarc allocated.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

/// For memory that any library allocated.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct SaxpyRaw {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

type Outcome = Result<(), Box<dyn error::Error>>;

fn main() -> Outcome {
    let Some(cudart) = Cudart::load() else {
        println!("There is no CUDA runtime (libcudart) on this machine: nothing was launched.");
        return Ok(());
    };
    let ctx = kernel_args_examples::context()?;
    // First cudarc, then the runtime: both use the primary context.
    // SAFETY: the call has no precondition.
    if let Err(error) = unsafe { cudart.set_device(0) } {
        println!("Nothing was launched: {error}.");
        return Ok(());
    }
    println!("On {}, CUDA runtime {}", ctx.name()?, cudart.version()?);
    memory_and_stream_of_the_runtime(&cudart, &ctx)?;
    a_library_of_the_runtime(&ctx)?;
    a_kernel_of_the_runtime(&cudart, &ctx)
}

/// `cudaMalloc`, `cudaStreamCreate`, and a verified launch on both.
fn memory_and_stream_of_the_runtime(cudart: &Cudart, ctx: &Arc<CudaContext>) -> Outcome {
    let (x, y) = (cudart.malloc::<f32>(N as usize)?, cudart.malloc::<f32>(N as usize)?);
    let stream = cudart.stream_create()?;
    // SAFETY: both have `N` elements, and nothing else uses them.
    unsafe { cudart.write(x, &vec![2.0; N as usize])? };
    // SAFETY: both have `N` elements, and nothing else uses them.
    unsafe { cudart.write(y, &vec![1.0; N as usize])? };
    {
        // SAFETY: the stream is destroyed after this.
        let stream = unsafe { BorrowedStream::new(ctx, stream.cast())? };
        let kernel = Kernel::<SaxpyRaw>::load(ctx)?;
        let args = SaxpyRaw {
            n: N,
            alpha: 3.0,
            x: DevicePointer::from_raw(x.addr() as u64),
            y: DevicePointerMut::from_raw(y.addr() as u64),
        };
        // SAFETY: both have `N` elements, and the copies to them have completed.
        unsafe { launch!(kernel, N.div_ceil(256), 256, args, stream = &stream)? };
    }
    // SAFETY: the stream is alive.
    unsafe { cudart.stream_synchronize(stream)? };
    // SAFETY: it has `N` elements, and all are written.
    let result = unsafe { cudart.read(y, N as usize)? };
    assert!(result.iter().all(|value| *value == 7.0), "{result:?}");
    println!("memory and a stream of the runtime: {N} elements, all right");
    // SAFETY: nothing uses them after this.
    unsafe { cudart.stream_destroy(stream)? };
    for memory in [x, y] {
        // SAFETY: nothing uses them after this.
        unsafe { cudart.free(memory.cast())? };
    }
    Ok(())
}

/// cuRAND writes a cudarc slice, and a verified launch reads it.
fn a_library_of_the_runtime(ctx: &Arc<CudaContext>) -> Outcome {
    // SAFETY: the library's initializers have no precondition.
    if !unsafe { cudarc::curand::sys::is_culib_present() } {
        println!("cuRAND: not on this machine");
        return Ok(());
    }
    let stream = ctx.new_stream()?;
    let random = CudaRng::new(1, stream.clone())?;
    let (mut x, mut y) = (stream.alloc_zeros::<f32>(N as usize)?, stream.alloc_zeros::<f32>(N as usize)?);
    random.fill_with_uniform(&mut x)?;
    let kernel = Kernel::<Saxpy>::load(ctx)?;
    let args = Saxpy { n: N, alpha: 2.0, x: &x, y: &mut y };
    // SAFETY: both slices have `N` elements.
    unsafe { launch!(kernel, N.div_ceil(256), 256, args)? };
    let (x, y) = (stream.clone_dtoh(&x)?, stream.clone_dtoh(&y)?);
    assert!(x.iter().any(|value| *value != 0.0), "cuRAND has written");
    assert!(x.iter().zip(&y).all(|(x, y)| 2.0 * x == *y));
    println!("cuRAND between launches: {N} elements, all right");
    Ok(())
}

/// A kernel that the runtime has loaded: `cudaKernel_t`.
fn a_kernel_of_the_runtime(cudart: &Cudart, ctx: &Arc<CudaContext>) -> Outcome {
    let (image, stream) = (CString::new(SAXPY)?, ctx.default_stream());
    let kernel = match cudart.kernel(&image, c"saxpy") {
        Ok(kernel) => kernel,
        Err(error) => {
            println!("a kernel of the runtime: {error} (CUDA 12.8 and newer)");
            return Ok(());
        }
    };
    let (x, mut y) = (stream.clone_htod(&vec![2.0; N as usize])?, stream.alloc_zeros::<f32>(N as usize)?);
    // SAFETY: the library is never unloaded.
    let function = unsafe { kernel_function(ctx, kernel)? };
    let args = Saxpy { n: N, alpha: 0.5, x: &x, y: &mut y };
    // SAFETY: both slices have `N` elements; the function is compared with the driver's data about it.
    unsafe { launch!(function, N.div_ceil(256), 256, args, stream = &stream)? };
    let result = stream.clone_dtoh(&y)?;
    assert!(result.iter().all(|value| *value == 1.0));
    println!("a kernel of the runtime: {N} elements, all right");
    Ok(())
}

//! Checked launches of a program that uses `cust`: its function, stream and buffers are the arguments.
//!
//! `kernel-args` needs three things of a host layer: the handles of the function and of the stream, and an argument for
//! memory. `Buffer` and `BufferMut` are such arguments: with `KernelArg` a struct can contain them, and with `Elements`
//! their lengths are checked.

use cudarc::driver::{CudaContext, sys::CUfunction};
use cust::{
    function::Function,
    memory::{CopyDestination as _, DeviceBuffer, DeviceCopy},
    module::Module,
    stream::{Stream, StreamFlags},
};
use kernel_args::{
    DevicePointer, DevicePointerMut, KernelArg, KernelArgs,
    args::{Elements, Guard, LaunchStream},
    context::BorrowedStream,
    launch,
};
use std::{error::Error, sync::Arc};

/// Memory that the kernel reads, and its context, which must be the context of the launch.
struct Buffer<'a, T: DeviceCopy>(&'a DeviceBuffer<T>, &'a Arc<CudaContext>);

/// Memory that the kernel writes, and its context.
struct BufferMut<'a, T: DeviceCopy>(&'a mut DeviceBuffer<T>, &'a Arc<CudaContext>);

macro_rules! argument {
    ($buffer:ident, $pointer:ident) => {
        impl<T: DeviceCopy + kernel_args::DeviceType> KernelArg for $buffer<'_, T> {
            type Device = $pointer<T>;

            fn check_context(&self, stream: &LaunchStream<'_>) {
                stream.check_context(self.1);
            }

            fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (Self::Device, Guard<'s>) {
                ($pointer::from_raw(self.0.as_device_ptr().as_raw()), Guard::NONE)
            }
        }

        impl<T: DeviceCopy> Elements for $buffer<'_, T> {
            fn elements(&self) -> usize {
                self.0.len()
            }
        }
    };
}

argument!(Buffer, DevicePointer);
argument!(BufferMut, DevicePointerMut);

/// y = alpha * x + y. The struct is compared with the kernel in the PTX at compile time.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../../../ptx/saxpy.ptx", entry = "saxpy", grid_covers = "n")]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    #[kernel_args(len = "n")]
    x: Buffer<'a, f32>,
    #[kernel_args(len = "n")]
    y: BufferMut<'a, f32>,
}

/// A mistake: the kernel's `alpha` is an `f32`. Without the PTX, it is found when the struct is launched.
#[derive(KernelArgs)]
struct Wrong<'a> {
    n: u32,
    alpha: f64,
    x: Buffer<'a, f32>,
    y: BufferMut<'a, f32>,
}

const N: u32 = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    // cust retains the primary context of the first device, which is also the context of `kernel_args::context`.
    let _context = cust::quick_init()?;
    let context = kernel_args::context(0)?;
    let module = Module::from_ptx(include_str!("../../../ptx/saxpy.ptx"), &[])?;
    let function: Function<'_> = module.get_function("saxpy")?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    let x = DeviceBuffer::from_slice(&[2.0_f32; N as usize])?;
    let mut y = DeviceBuffer::from_slice(&[1.0_f32; N as usize])?;

    let function: CUfunction = function.to_raw().cast();
    // SAFETY: `stream` is dropped at the end of `main`, after everything that uses this.
    let borrowed = unsafe { BorrowedStream::new(&context, stream.as_inner().cast())? };
    let grid = N.div_ceil(256);

    let args = Saxpy { n: N, alpha: 3.0, x: Buffer(&x, &context), y: BufferMut(&mut y, &context) };
    // SAFETY: the lengths are checked, and the module stays loaded.
    unsafe { launch!(function, grid, 256, args, stream = &borrowed)? };
    stream.synchronize()?;
    let mut result = vec![0.0; N as usize];
    y.copy_to(&mut result)?;
    assert!(result.iter().all(|value| *value == 7.0));
    println!("saxpy of {N} elements: all right");

    let args = Saxpy { n: N + 1, alpha: 3.0, x: Buffer(&x, &context), y: BufferMut(&mut y, &context) };
    // SAFETY: it is not launched.
    let too_long = unsafe { launch!(function, grid + 1, 256, args, stream = &borrowed) };
    refused(too_long, "has 100000 elements")?;

    let args = Wrong { n: N, alpha: 3.0, x: Buffer(&x, &context), y: BufferMut(&mut y, &context) };
    // SAFETY: it is not launched.
    let wrong = unsafe { launch!(function, grid, 256, args, stream = &borrowed) };
    refused(wrong, "alpha  f64")
}

/// Prints the error of a wrong launch, which must contain `part`.
fn refused(launched: Result<(), kernel_args::Error>, part: &str) -> Result<(), Box<dyn Error>> {
    match launched {
        Err(error) if error.to_string().contains(part) => println!("\nrefused: {error}"),
        other => return Err(format!("a wrong launch was not refused: {other:?}").into()),
    }
    Ok(())
}

//! Derives a struct, prints its layout, launches the kernel and checks the result.
//!
//! Without a GPU the kernel is interpreted.
#![allow(clippy::float_cmp, reason = "small whole and half numbers: exact")]

use cudarc::driver::CudaSlice;
use kernel_args::{Kernel, KernelArgs, abi::LayoutTable, launch};

/// y = alpha * x + y. The struct is compared with the kernel in the PTX at compile time.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/saxpy.ptx", entry = "saxpy")]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = kernel_args_examples::context()?;
    println!("The arguments of `saxpy` as the device sees them:\n");
    println!("{}\n", LayoutTable(&Saxpy::SIGNATURE));

    let saxpy = Kernel::<Saxpy>::load(&ctx)?;
    println!(
        "`Saxpy` fits its kernel: rustc compared it with the PTX, and loading with the function on {}.\n",
        ctx.name()?
    );

    let n = 1_000_000_u32;
    let stream = ctx.default_stream();
    let host: Vec<f32> = (0..1000_u16).cycle().take(1_000_000).map(f32::from).collect();
    let x = stream.clone_htod(&host)?;
    let mut y = stream.clone_htod(&vec![1.0_f32; host.len()])?;

    let args = Saxpy { n, alpha: 2.0, x: &x, y: &mut y };
    // SAFETY: both slices have `n` elements, and the kernel accesses no other memory.
    unsafe { launch!(saxpy, n.div_ceil(256), 256, args)? };

    let result = stream.clone_dtoh(&y)?;
    let wrong = result.iter().zip(&host).filter(|(y, x)| **y != 2.0 * **x + 1.0).count();
    println!("saxpy of {n} elements: {wrong} wrong");
    if wrong > 0 {
        return Err("the result is wrong".into());
    }
    Ok(())
}

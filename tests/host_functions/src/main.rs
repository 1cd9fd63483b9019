//! Launches functions of a library that nvcc has compiled: every kind of argument, two streams, sequences, errors.
//! `tests/gpu.py` and the suite `launchers` of `tests/toolchain` build it.

kernel_args::include_kernels!();

use cudarc::driver::{CudaSlice, CudaStream};
use functions::{EchoScalars, EchoStructs, Mode, Params, Scale, ScaleLater, Small};
use functions::{echo_scalars, echo_structs, scale, scale_later, scale_on_default};
use half::f16;
use kernel_args::{Error, KernelArgs, error::LaunchError, launch, sequence::Sequence};
use kernel_args_test_driver::{Settings, interpret_without_gpu, is_active};
use std::sync::Arc;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const N: u32 = 4096;
/// A GPU needs some milliseconds for them; the test driver executes each instruction.
const ROUNDS: u32 = if cfg!(debug_assertions) { 100 } else { 1_000_000 };

/// By hand: the generated struct has pointers without a type.
#[derive(KernelArgs)]
#[kernel_args(launcher = scale_on_default, stream = none)]
struct OnDefault<'a> {
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
    n: u32,
}

/// Each value at a multiple of 16 bytes.
fn slots(values: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values {
        bytes.extend(*value);
        bytes.resize(bytes.len().next_multiple_of(16), 0);
    }
    bytes
}

fn arguments(stream: &Arc<CudaStream>) -> Outcome {
    let (a, b, c, d, e, f) = (true, b'x' as std::ffi::c_char, -7_i8, 200_u8, -30_000_i16, 60_000_u16);
    let (g, h, i, j) = (-2_000_000_000_i32, 4_000_000_000_u32, i64::MIN + 5, u64::MAX - 5);
    let (k, l, m) = (1.5_f32, -2.25_f64, f16::from_f32(0.75));
    let mut to = stream.alloc_zeros::<u8>(13 * 16)?;
    // SAFETY: the kernel writes 13 values, each to its 16 bytes, here and below.
    unsafe {
        launch!(echo_scalars, EchoScalars { to: &mut to, a, b, c, d, e, f, g, h, i, j, k, l, m }, stream = stream)?
    };
    let expected: [&[u8]; 13] = [
        &[1],
        &b.to_ne_bytes(),
        &c.to_ne_bytes(),
        &[d],
        &e.to_ne_bytes(),
        &f.to_ne_bytes(),
        &g.to_ne_bytes(),
        &h.to_ne_bytes(),
        &i.to_ne_bytes(),
        &j.to_ne_bytes(),
        &k.to_ne_bytes(),
        &l.to_ne_bytes(),
        &m.to_ne_bytes(),
    ];
    assert_eq!(stream.clone_dtoh(&to)?, slots(&expected));
    let small = Small { x: 0.5, y: -3 };
    let params = Params { scale: 8.125, small: [small, Small { x: 1.0, y: 77 }], mode: Mode::Exact };
    let mut to = stream.alloc_zeros::<u8>(7 * 16)?;
    let args = EchoStructs { to: &mut to, small, params, mode: Mode::Fast, count: 1 << 40 };
    // SAFETY: the same, with 7 values.
    unsafe { launch!(echo_structs, args, stream = stream)? };
    let expected: [&[u8]; 7] = [
        &0.5_f32.to_ne_bytes(),
        &(-3_i32).to_ne_bytes(),
        &8.125_f64.to_ne_bytes(),
        &77_i32.to_ne_bytes(),
        &[2],
        &[1],
        &(1_u64 << 40).to_ne_bytes(),
    ];
    assert_eq!(stream.clone_dtoh(&to)?, slots(&expected));
    Ok(())
}

fn is_all(stream: &Arc<CudaStream>, slice: &CudaSlice<f32>, expected: f32) -> Outcome {
    let numbers = stream.clone_dtoh(slice)?;
    assert!(numbers.iter().all(|number| *number == expected), "{} is not {expected}", numbers[0]);
    Ok(())
}

/// The second stream waits for the first, and the default stream for both.
fn streams(first: &Arc<CudaStream>, second: &Arc<CudaStream>) -> Outcome {
    let one = first.clone_htod(&vec![1.0_f32; N as usize])?;
    let [mut y, mut z, mut last] =
        [first.alloc_zeros(N as usize)?, first.alloc_zeros(N as usize)?, first.alloc_zeros(N as usize)?];
    for alpha in [2.0, 3.0, 4.0] {
        let args = ScaleLater { x: &one, y: &mut y, n: N, alpha, rounds: ROUNDS };
        // SAFETY: all slices have `N` elements, here and below.
        unsafe { launch!(scale_later, args, stream = first)? };
        // SAFETY: the same.
        unsafe { launch!(scale, Scale { x: &y, y: &mut z, n: N, alpha: 4.0 }, stream = second)? };
        is_all(second, &z, alpha * 5.0)?;
    }
    // SAFETY: the same.
    unsafe { launch!(scale_on_default, OnDefault { x: &z, y: &mut last, n: N }, default_stream = true)? };
    first.context().synchronize()?;
    is_all(first, &last, 60.0)
}

/// The work of a function is captured at its first call, and at a call with different arguments.
fn sequences(stream: &Arc<CudaStream>) -> Outcome {
    let x = stream.clone_htod(&vec![1.0_f32; N as usize])?;
    let mut y = stream.alloc_zeros::<f32>(N as usize)?;
    let mut z = stream.alloc_zeros::<f32>(N as usize)?;
    let mut sequence = Sequence::new(stream);
    for alpha in [1.0, 1.0, 5.0] {
        sequence.run(|s| {
            let (x, mut y, mut z) = (s.hold(&x)?, s.hold(&mut y)?, s.hold(&mut z)?);
            // SAFETY: all slices have `N` elements, here and below.
            unsafe { launch!(scale, Scale { x, y: &mut y, n: N, alpha }, stream = s)? };
            // SAFETY: the same.
            unsafe { launch!(scale, Scale { x: &y, y: &mut z, n: N, alpha: 1.0 }, stream = s) }
        })?;
        is_all(stream, &z, (alpha + 1.0) * 2.0)?;
    }
    Ok(())
}

/// A grid without blocks.
fn errors(stream: &Arc<CudaStream>) -> Outcome {
    let x = stream.clone_htod(&[1.0_f32])?;
    let mut y = stream.alloc_zeros::<f32>(1)?;
    // SAFETY: the function launches nothing.
    let refused = unsafe { launch!(scale, Scale { x: &x, y: &mut y, n: 0, alpha: 1.0 }, stream = stream) };
    match refused {
        Err(Error::Launch(LaunchError::Launcher(failed))) => {
            assert_eq!((failed.code, failed.name.as_deref()), (1, Some("cudaErrorInvalidValue")));
        }
        other => panic!("{other:?}"),
    }
    Ok(())
}

fn main() -> Outcome {
    interpret_without_gpu(&Settings::new())?;
    if is_active() && env!("HOST_FUNCTIONS_RUNTIME") != "test" {
        println!("NVIDIA's runtime, which this program contains, needs a GPU: nothing was launched");
        return Ok(());
    }
    let ctx = kernel_args::context(0)?;
    let (first, second) = (ctx.new_stream()?, ctx.new_stream()?);
    arguments(&first)?;
    streams(&first, &second)?;
    sequences(&first)?;
    errors(&first)?;
    println!("host functions: arguments, streams, sequences and errors are right");
    Ok(())
}

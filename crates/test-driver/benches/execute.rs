//! How fast kernels are executed: `cargo bench -p kernel-args-test-driver`. The README has the table.

use std::{process::ExitCode, sync::Arc, time::Instant};

use cudarc::driver::{CudaContext, CudaFunction, CudaStream, LaunchConfig, PushKernelArg};
use kernel_args_test_driver::{Control, Settings, reexec_with_stand_in};

const ELEMENTS: usize = 1 << 20;

/// Sums, products and branches in registers: the speed of the interpreter alone.
const REGISTERS: &str = "
.version 8.0\n.target sm_75\n.address_size 64
.visible .entry registers(.param .u64 out, .param .u32 rounds)
{
    .reg .b32 %r<9>; .reg .b64 %o; .reg .pred %p; .reg .f32 %f<4>;
    ld.param.u64 %o, [out]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, %tid.x; mov.u32 %r3, 0; cvt.rn.f32.u32 %f1, %r2;
next:
    mad.lo.u32 %r2, %r2, 1664525, 1013904223;
    fma.rn.f32 %f1, %f1, 0f3F000000, 0f3F800000;
    xor.b32 %r4, %r2, %r3;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p, %r3, %r1;
    @%p bra next;
    cvt.rzi.u32.f32 %r5, %f1; xor.b32 %r4, %r4, %r5; st.global.u32 [%o], %r4; ret;
}";

fn main() -> ExitCode {
    match reexec_with_stand_in(&Settings::new()) {
        Ok(Some(code)) => return code,
        Ok(None) => {}
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), Box<dyn std::error::Error>> {
    let control = Control::attach().ok_or("no test driver")?;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    println!("| kernel | threads | instructions in millions | ms | millions in a second |\n|---|---|---|---|---|");
    let function = |text: &str, name: &str| -> Result<CudaFunction, Box<dyn std::error::Error>> {
        Ok(context.load_module(cudarc::nvrtc::Ptx::from_src(text))?.load_function(name)?)
    };
    let saxpy = function(include_str!("../../../ptx/saxpy.ptx"), "saxpy")?;
    let x = stream.clone_htod(&vec![1.5_f32; ELEMENTS])?;
    let mut y = stream.clone_htod(&vec![1.0_f32; ELEMENTS])?;
    row(&control, &stream, "`saxpy` of 2^20 elements", ELEMENTS, || {
        let (n, config) = (ELEMENTS as u32, LaunchConfig::for_num_elems(ELEMENTS as u32));
        // SAFETY: the arguments match the kernel, and both arrays have `n` elements.
        unsafe { stream.launch_builder(&saxpy).arg(&n).arg(&2.0_f32).arg(&x).arg(&mut y).launch(config) }?;
        Ok(())
    })?;
    let reduce = function(include_str!("../../../ptx/reduce.ptx"), "reduce_sum")?;
    let mut sum = stream.alloc_zeros::<f32>(1)?;
    row(
        &control,
        &stream,
        "`reduce_sum` of 2^20 elements: shared memory, barriers, an atomic addition",
        256 * 256,
        || {
            let config = LaunchConfig { grid_dim: (256, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 1024 };
            let n = ELEMENTS as u32;
            // SAFETY: the arguments match the kernel, and `x` has `n` elements.
            unsafe { stream.launch_builder(&reduce).arg(&x).arg(&mut sum).arg(&n).launch(config) }?;
            Ok(())
        },
    )?;
    let registers = function(REGISTERS, "registers")?;
    let mut out = stream.alloc_zeros::<u32>(1)?;
    row(&control, &stream, "a loop in registers", 128 * 256, || {
        let config = LaunchConfig { grid_dim: (128, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the arguments match the kernel.
        unsafe { stream.launch_builder(&registers).arg(&mut out).arg(&1000_u32).launch(config) }?;
        Ok(())
    })?;
    Ok(())
}

/// The fastest of five launches, after one that decodes the kernel.
fn row(
    control: &Control,
    stream: &Arc<CudaStream>,
    name: &str,
    threads: usize,
    mut launch: impl FnMut() -> Result<(), Box<dyn std::error::Error>>,
) -> Result<(), Box<dyn std::error::Error>> {
    launch()?;
    let (mut best, mut count) = (f64::MAX, 0);
    for _ in 0..5 {
        let before = control.instructions();
        let start = Instant::now();
        launch()?;
        stream.synchronize()?;
        best = best.min(start.elapsed().as_secs_f64());
        count = control.instructions() - before;
    }
    let millions = (count / 1000) as u32;
    let millions = f64::from(millions) / 1e3;
    println!("| {name} | {threads} | {millions:.1} | {:.1} | {:.0} |", best * 1e3, millions / best);
    Ok(())
}

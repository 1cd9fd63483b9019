//! The time of a launch on the host: without an observer, with one, and with the flight recorder.
//!
//! It runs on the driver of the machine. `kernel-args-test-driver` runs it on the test driver, whose times show only
//! what this crate does.

use core::hint::black_box;
use kernel_args::{
    DevicePointer, DevicePointerMut, Kernel, KernelArgs, launch,
    observe::{self, Event, Observer},
};
use std::{error::Error, time::Instant};

const PTX: &str = include_str!("../../../../ptx/saxpy.ptx");

#[derive(Clone, Copy, KernelArgs)]
struct Saxpy {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

/// An observer that looks at nothing, or decodes the arguments.
struct Looks(bool);

impl Observer for Looks {
    fn before(&self, event: &Event<'_>) {
        if let (Event::KernelLaunch(launch), true) = (event, self.0) {
            black_box(launch.arguments());
        }
    }
}

/// The median of rounds of launches, in nanoseconds for each launch. Every round ends with a synchronization that is
/// not timed.
fn time(kernel: &Kernel<Saxpy>) -> Result<f64, Box<dyn Error>> {
    const ROUNDS: usize = 101;
    const LAUNCHES: u32 = 200;
    let stream = kernel.context().default_stream();
    let memory = stream.alloc_zeros::<f32>(64)?;
    let (address, guard) = cudarc::driver::DevicePtr::device_ptr(&memory, &stream);
    drop(guard);
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..LAUNCHES {
            let args = Saxpy {
                n: 32,
                alpha: 2.0,
                x: DevicePointer::from_raw(address),
                y: DevicePointerMut::from_raw(address),
            };
            // SAFETY: the memory has 64 elements.
            unsafe { launch!(kernel, 1, 32, args, stream = &stream)? };
        }
        times.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(LAUNCHES));
        stream.synchronize()?;
    }
    times.sort_by(f64::total_cmp);
    Ok(times[ROUNDS / 2])
}

fn main() -> Result<(), Box<dyn Error>> {
    let ctx = kernel_args::context(0)?;
    let kernel = Kernel::<Saxpy>::from_image(&ctx, PTX, "saxpy")?;
    println!("On {}:\n\n| a launch | ns |\n|---|---|", ctx.name()?);
    println!("| nothing observes it | {:.0} |", time(&kernel)?);
    let installed = observe::install(Looks(false));
    println!("| an observer that does nothing | {:.0} |", time(&kernel)?);
    drop(installed);
    let installed = observe::install(Looks(true));
    println!("| an observer that writes the arguments as text | {:.0} |", time(&kernel)?);
    drop(installed);
    observe::record_launches(1024);
    println!("| the flight recorder | {:.0} |", time(&kernel)?);
    observe::record_launches(0);
    observe::check_pointers(true);
    println!("| checked pointers, two | {:.0} |", time(&kernel)?);
    observe::check_pointers(false);
    println!("| nothing observes it, again | {:.0} |", time(&kernel)?);
    Ok(())
}

//! Counts the instructions of a launch with cust's `launch!`, on the test driver.
//!
//! `CUDA_LIBRARY_PATH` must name a directory whose `lib64` contains the test driver as `libcuda.so`: see
//! tests/benches/README.md.

use core::{ffi::c_void, hint::black_box};
use cust::{
    function::Function,
    launch,
    memory::DeviceBuffer,
    module::Module,
    stream::{Stream, StreamFlags},
};
use kernel_args_benches::{callgrind, launch::PTX};
use kernel_args_stand_in::{Session, Settings};
use std::{env, error::Error, process::Command};

struct Launches<'a> {
    stream: Stream,
    words: Function<'a>,
    slices: Function<'a>,
    arguments: [u64; 8],
    memory: [DeviceBuffer<f32>; 3],
    scalars: (i32, f32, f32, u32, u64),
}

unsafe extern "C" fn words(launches: *mut c_void) {
    // SAFETY: `main` passes a reference to the launches.
    let all = unsafe { &mut *launches.cast::<Launches<'_>>() };
    let (function, stream) = (&all.words, &all.stream);
    let [a, b, c, d, e, f, g, h] = *black_box(&all.arguments);
    // SAFETY: the kernel does nothing and takes eight words.
    let launched = unsafe { launch!(function<<<1, 32, 0, stream>>>(a, b, c, d, e, f, g, h)) };
    launched.expect("a launch");
}

unsafe extern "C" fn slices(launches: *mut c_void) {
    // SAFETY: `main` passes a reference to the launches.
    let all = unsafe { &mut *launches.cast::<Launches<'_>>() };
    let (function, stream) = (&all.slices, &all.stream);
    let [x, y, out] = black_box(&mut all.memory);
    let (n, alpha, beta, stride, seed) = *black_box(&all.scalars);
    // SAFETY: the kernel does nothing and takes these arguments.
    let launched = unsafe {
        launch!(function<<<1, 32, 0, stream>>>(
            x.as_device_ptr(), y.as_device_ptr(), out.as_device_ptr(), n, alpha, beta, stride, seed
        ))
    };
    launched.expect("a launch");
}

const CASES: [(&str, callgrind::Call); 2] = [("8 scalars", words), ("3 slices, 5 scalars", slices)];

fn main() -> Result<(), Box<dyn Error>> {
    if env::args().nth(1).as_deref() == Some("launch") {
        return launch();
    }
    let session = Session::start(&Settings::new())?;
    let mut command: Command = session.command(env::current_exe()?);
    let counts = callgrind::count(command.arg("launch"))?;
    for ((case, _), count) in CASES.iter().zip(counts) {
        println!("| {case} | cust | {count} |");
    }
    Ok(())
}

fn launch() -> Result<(), Box<dyn Error>> {
    callgrind::calibrate();
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(PTX, &[])?;
    let buffer = || DeviceBuffer::from_slice(&[0.0_f32; 1024]);
    let mut launches = Launches {
        stream: Stream::new(StreamFlags::DEFAULT, None)?,
        words: module.get_function("words_8")?,
        slices: module.get_function("slices")?,
        arguments: [1, 2, 3, 4, 5, 6, 7, 8],
        memory: [buffer()?, buffer()?, buffer()?],
        scalars: (1024, 1.0, 2.0, 4, 7),
    };
    let argument = (&raw mut launches).cast();
    for (_, call) in CASES {
        // SAFETY: both functions take a reference to the launches.
        unsafe { call(argument) };
        // SAFETY: the function takes a reference to the launches. This call is counted.
        unsafe { callgrind::measured(call, argument) };
    }
    Ok(())
}

//! The flight recorder: which launch has faulted. A fault ends its context, so each run is a process of its own.
//!
//! `KERNEL_ARGS_FULL=1` runs 100 random programs.

mod messages;

use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, sys::CUstreamCaptureMode};
use kernel_args::{
    ArgList, DevicePointer, DevicePointerMut, Error, Kernel, Module,
    error::LaunchError,
    graph::Graph,
    launch,
    observe::{ContextFault, PointsTo, RunningLaunch, context_fault, record_launches},
    sequence::Sequence,
};
use kernel_args_tests::{
    driver::{Driver, context, suite, trial},
    process,
    saxpy::{Pointers, SAXPY},
    values::{Draw, Source},
};
use libtest_mimic::Trial;
use std::{
    env, mem,
    process::{Command, ExitCode},
    sync::Arc,
};

type Outcome = Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// The variable with the number of a random program.
const SEED: &str = "KERNEL_ARGS_FAULT_SEED";
const LAUNCHES: u64 = 1000;
/// An address that no allocation has.
const BAD: u64 = 0x20;

/// The arguments of a right launch, in the second half of an allocation.
struct World {
    ctx: Arc<CudaContext>,
    streams: Vec<Arc<CudaStream>>,
    memory: Vec<CudaSlice<f32>>,
    kernel: Kernel<Pointers>,
}

impl World {
    fn new(streams: usize) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let ctx = context()?;
        let streams = (0..streams).map(|_| ctx.new_stream());
        let streams = streams.collect::<Result<Vec<_>, _>>()?;
        let memory = streams.iter().map(|stream| stream.alloc_zeros(256));
        let memory = memory.collect::<Result<Vec<_>, _>>()?;
        ctx.synchronize()?;
        let kernel = Kernel::from_image(&ctx, SAXPY, "saxpy")?;
        Ok(Self { ctx, streams, memory, kernel })
    }

    /// The arguments of a launch on this stream.
    fn args(&self, stream: usize, is_bad: bool) -> Pointers {
        let (base, _guard) = self.memory[stream].device_ptr(&self.streams[stream]);
        let y = if is_bad { BAD } else { base };
        Pointers { n: 32, alpha: 2.0, x: DevicePointer::from_raw(base + 512), y: DevicePointerMut::from_raw(y) }
    }

    fn launch(&self, stream: usize, is_bad: bool) -> Result<(), Error> {
        self.launch_with(stream, self.args(stream, is_bad))
    }

    fn launch_with(&self, stream: usize, args: Pointers) -> Result<(), Error> {
        // SAFETY: if it is bad, this is not sound, which is the purpose of the test. The process ends after it.
        unsafe { launch!(self.kernel, 1, 32, args, stream = &self.streams[stream]) }
    }

    /// Cannot be dropped after a fault.
    fn forget(self) {
        mem::forget(self);
    }
}

/// Launches on four streams, and one of them faults. In a program with an odd number, its stream is the only one that
/// is busy then.
fn random_program(seed: u64) -> Outcome {
    let from = &mut Source::new(seed);
    let bad = u64::from(u16::draw(from)) % LAUNCHES;
    let is_alone = seed % 2 == 1;
    let world = World::new(4)?;
    record_launches(2048);
    let (mut at, mut on, mut error) = (0, 0, None);
    for number in 0..LAUNCHES {
        if number <= bad || !is_alone {
            on = usize::from(u8::draw(from)) % 4;
        }
        if number == bad {
            at = on;
            if is_alone {
                world.ctx.synchronize()?;
            }
        }
        match world.launch(on, number == bad) {
            Ok(()) => {}
            Err(returned) if number > bad => {
                error = Some(returned);
                break;
            }
            Err(returned) => return Err(returned.into()),
        }
    }
    let fault = context_fault(&world.ctx)?.ok_or("no fault")?;
    check(&fault, &world, bad, at, is_alone)?;
    // The error of a later launch contains the same.
    let error = error.or_else(|| world.launch(0, false).err());
    let error = error.ok_or("the context is not lost")?;
    if !matches!(error, Error::Launch(LaunchError::Failed(_))) {
        return Err(format!("another error: {error}").into());
    }
    let also = error.lost_context().and_then(|lost| lost.fault()).ok_or("the error has no fault")?;
    check(also, &world, bad, at, is_alone)?;
    let text = error.to_string();
    if !text.contains(&format!("  launch {bad} on stream ")) {
        return Err(format!("the text does not name launch {bad}:\n{text}").into());
    }
    println!("seed {seed}: launch {bad}, {} named", fault.running.len());
    world.forget();
    Ok(())
}

fn check(fault: &ContextFault, world: &World, bad: u64, at: usize, is_alone: bool) -> Outcome {
    let named = |launch: &&RunningLaunch| launch.number == bad;
    let found = fault.running.iter().find(named);
    let found = found.ok_or_else(|| format!("launch {bad} is not named:\n{fault}"))?;
    assert_eq!(fault.status.0, 700, "{fault}");
    assert!(fault.running.len() <= 4, "{fault}");
    if is_alone {
        assert_eq!(fault.running.len(), 1, "{fault}");
    }
    assert_eq!(found.kernel, "saxpy");
    let geometry = (found.grid.map(Into::into), found.block.map(Into::into));
    assert_eq!(geometry, (Some([1, 1, 1]), Some([32, 1, 1])));
    assert_eq!(found.stream, world.streams[at].cu_stream() as usize);
    let base = world.args(at, false).y.address();
    let expected = [
        ("n", "32".to_owned(), None),
        ("alpha", "2.0".to_owned(), None),
        ("x", format!("{:#x}", base + 512), Some((base, 512))),
        ("y", format!("{BAD:#x}"), None),
    ];
    assert_eq!(found.arguments.len(), expected.len());
    for (argument, (name, value, allocation)) in found.arguments.iter().zip(expected) {
        assert_eq!((&*argument.name, &argument.value), (name, &value));
        match (argument.points_to, allocation) {
            (None, None) if !matches!(name, "x" | "y") => {}
            (Some(PointsTo::Nothing), None) if name == "y" => {}
            (Some(PointsTo::Allocation { base, size, offset, .. }), Some(expected)) => {
                assert_eq!((base, offset), expected, "{argument:?}");
                assert!(size >= 1024, "{argument:?}");
            }
            other => return Err(format!("{argument:?}: {other:?}").into()),
        }
    }
    Ok(())
}

/// What is right before any fault: nothing is named, and the results are right.
fn without_a_fault() -> Outcome {
    let world = World::new(2)?;
    record_launches(8);
    for number in 0..100 {
        world.launch(number % 2, false)?;
    }
    assert!(context_fault(&world.ctx)?.is_none());
    let stream = &world.streams[0];
    let x = stream.clone_htod(&[1.0_f32; 32])?;
    let y = stream.clone_htod(&[0.5_f32; 32])?;
    let args = Pointers {
        n: 32,
        alpha: 2.0,
        x: DevicePointer::from_raw(x.device_ptr(stream).0),
        y: DevicePointerMut::from_raw(y.device_ptr(stream).0),
    };
    // SAFETY: both slices have 32 elements.
    unsafe { launch!(world.kernel, 1, 32, args, stream = stream)? };
    assert_eq!(stream.clone_dtoh(&y)?, [2.5; 32]);
    record_launches(0);
    world.launch(0, false)?;
    assert!(context_fault(&world.ctx)?.is_none());
    Ok(())
}

/// More launches than are kept: the largest number is used.
fn any_number_of_launches() -> Outcome {
    let world = World::new(1)?;
    for wanted in [20_000_000_000, usize::MAX] {
        assert_eq!(record_launches(wanted), 1 << 16);
        world.launch(0, false)?;
    }
    assert_eq!(record_launches(3), 3);
    world.launch(0, true)?;
    let fault = context_fault(&world.ctx)?.ok_or("no fault")?;
    check(&fault, &world, 0, 0, true)?;
    world.forget();
    Ok(())
}

/// The variable switches the recorder on: see [`trials`].
fn from_the_environment() -> Outcome {
    let world = World::new(1)?;
    world.launch(0, false)?;
    world.launch(0, true)?;
    let fault = context_fault(&world.ctx)?.ok_or("no fault")?;
    check(&fault, &world, 1, 0, true)?;
    world.forget();
    Ok(())
}

/// A captured launch has no marker of its own; the launch of its graph has one.
fn a_graph_and_a_sequence_are_named_as_a_whole() -> Outcome {
    let world = World::new(2)?;
    let stream = &world.streams[0];
    record_launches(16);
    let mut sequence = Sequence::new(stream);
    sequence.run(|s| {
        // SAFETY: the memory is allocated until the process ends.
        unsafe { launch!(world.kernel, 1, 32, world.args(0, false), stream = s) }
    })?;
    let args = world.args(0, false);
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    world.launch_with(0, args)?;
    let flags = cudarc::driver::sys::CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let captured = stream.end_capture(flags)?.ok_or("nothing was captured")?;
    drop(captured);
    let mut graph = Graph::new(&world.ctx)?;
    // SAFETY: this is not sound, which is the purpose of the test. The process ends after it.
    unsafe { graph.add_kernel_unretained(&world.kernel, kernel_args::Launch::new(1, 32), world.args(0, true), &[])? };
    let mut exec = graph.instantiate()?;
    // SAFETY: the same.
    unsafe { exec.launch(stream)? };
    let fault = context_fault(&world.ctx)?.ok_or("no fault")?;
    let named: Vec<_> = fault.running.iter().map(|one| (one.number, &*one.kernel)).collect();
    assert_eq!(named, [(1, "a graph")], "{fault}");
    assert_eq!(fault.running[0].grid, None);
    mem::forget((exec, sequence));
    world.forget();
    Ok(())
}

/// A list has no static types, and the ring forgets launches.
fn a_list_in_a_short_ring() -> Outcome {
    let world = World::new(1)?;
    let function = Module::load(&world.ctx, SAXPY)?.function("saxpy")?;
    record_launches(2);
    for number in 0..5 {
        let args = world.args(0, number == 4);
        let mut list = ArgList::new();
        list.push(args.n).push(args.alpha).push(args.x).push(args.y);
        // SAFETY: this is not sound, which is the purpose of the test. The process ends after it.
        unsafe { launch!(function, 1, 32, &mut list, stream = &world.streams[0])? };
    }
    let fault = context_fault(&world.ctx)?.ok_or("no fault")?;
    assert_eq!((fault.launches, fault.forgotten, fault.waiting), (5, 3, 0), "{fault}");
    let named = fault.running.as_slice();
    let [named] = named else {
        return Err(format!("{fault}").into());
    };
    assert_eq!(named.number, 4);
    let values: Vec<_> = named.arguments.iter().map(|one| (&*one.name, &*one.value)).collect();
    assert_eq!(values[3], ("3", "0x20"));
    assert_eq!(named.arguments[3].points_to, Some(PointsTo::Nothing));
    world.forget();
    Ok(())
}

const CASES: &[(&str, process::Case)] = &[
    ("without_a_fault", without_a_fault),
    ("any_number_of_launches", any_number_of_launches),
    ("from_the_environment", from_the_environment),
    ("a_graph_and_a_sequence_are_named_as_a_whole", a_graph_and_a_sequence_are_named_as_a_whole),
    ("a_list_in_a_short_ring", a_list_in_a_short_ring),
];

/// Runs random programs, and counts those in which the right launch was named.
fn the_launch_that_faulted_is_named() -> Outcome {
    let programs = if env::var_os("KERNEL_ARGS_FULL").is_some() { 100 } else { 8 };
    for seed in 0..programs {
        let output = Command::new(env::current_exe()?).env(SEED, seed.to_string()).output()?;
        print!("{}", String::from_utf8_lossy(&output.stdout));
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(format!("seed {seed}: {}: {said}", output.status).into());
        }
    }
    println!("{programs} programs of {LAUNCHES} launches on 4 streams: the right launch was named in each");
    Ok(())
}

fn in_the_environment() -> Outcome {
    for (kept, said) in
        [("64", ""), ("20000000000", "the last 65536 launches are kept"), ("18446744073709551616", "is off")]
    {
        let trial = if said == "is off" { "without_a_fault" } else { "from_the_environment" };
        let output = Command::new(env::current_exe()?)
            .env("KERNEL_ARGS_TRIAL", trial)
            .env("KERNEL_ARGS_FLIGHT_RECORDER", kept)
            .output()?;
        let text = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() || !text.contains(said) {
            return Err(format!("{kept}: {text}").into());
        }
    }
    Ok(())
}

fn trials(driver: &Driver) -> Vec<Trial> {
    let mut trials = vec![
        trial("the_launch_that_faulted_is_named", the_launch_that_faulted_is_named),
        trial("switched_on_in_the_environment", in_the_environment),
    ];
    let others = [
        "without_a_fault",
        "any_number_of_launches",
        "a_graph_and_a_sequence_are_named_as_a_whole",
        "a_list_in_a_short_ring",
    ];
    trials.extend(others.map(|name| trial(name, move || process::run(name))));
    trials.extend(messages::trials(driver));
    trials
}

pub(crate) fn main() -> ExitCode {
    if let Ok(seed) = env::var(SEED) {
        return process::exit_code(random_program(seed.parse().unwrap_or(0)));
    }
    if let Some(code) = process::child(CASES) {
        return code;
    }
    if let Some(code) = messages::child() {
        return code;
    }
    suite("faults", trials, |_| ())
}

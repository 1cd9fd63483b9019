//! Measures the cost of a launch on the host, with a GPU: medians of many batches. All variants are interleaved.
//!
//! `launch [--seconds N] [--output FILE] [--only CASE] [--stand-in]`, or `launch --rounds`, which runs a round for each
//! line of standard input (used by `compare.py`). `--patched-cudarc` is for a build with `cudarc/waits.patch`: it
//! launches only tracked slices, under different names.

use kernel_args::{Kernel, Module, args::Form};
use kernel_args_benches::{
    batch::Batches,
    dims::DimsCase,
    graph::{self, Chain},
    launch::{Case, Device, Example, Large4096, Large32760, PTX, SlicesCase},
    report,
    shapes::{P1, P8, P32, P64, P128, P512},
    targets, ways,
};
use kernel_args_nvrtc::write_file;
use kernel_args_stand_in::{Control, Settings, reexec_with_stand_in};
use std::{
    env,
    error::Error,
    hint::black_box,
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};

struct Options {
    seconds: u64,
    output: Option<PathBuf>,
    stand_in: bool,
    rounds: bool,
    patched_cudarc: bool,
    only: Option<String>,
}

impl Options {
    fn parse() -> Result<Self, String> {
        let mut options =
            Self { seconds: 50, output: None, stand_in: false, rounds: false, patched_cudarc: false, only: None };
        let mut arguments = env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} takes a value"));
            match argument.as_str() {
                "--seconds" => {
                    let seconds = value()?;
                    options.seconds = seconds.parse().map_err(|_| format!("{seconds}: no number of seconds"))?;
                }
                "--output" => options.output = Some(value()?.into()),
                "--stand-in" => options.stand_in = true,
                "--rounds" => options.rounds = true,
                "--patched-cudarc" => options.patched_cudarc = true,
                "--only" => options.only = Some(value()?),
                other => {
                    return Err(format!(
                        "{other}: it takes --seconds N, --output FILE, --only CASE, --stand-in, --rounds, \
                         --patched-cudarc"
                    ));
                }
            }
        }
        Ok(options)
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::parse()?;
    if options.stand_in
        && let Some(code) = reexec_with_stand_in(&Settings::new())?
    {
        return Ok(code);
    }
    let device = Device::first()?;
    let settings = report::settings(&device, Control::attach().is_some())?;
    let mut batches = Batches::new(&device, options.only);
    if options.patched_cudarc {
        patched_slices(&mut batches, &device)?;
    } else {
        everything(&mut batches, &device)?;
    }
    if options.rounds {
        batches.serve(&settings)?;
        return Ok(ExitCode::SUCCESS);
    }
    let measured = batches.run(Duration::from_secs(options.seconds), settings)?;
    print!("{}\n{}", report::launches(&measured), targets::table(&measured));
    if let Some(output) = options.output {
        write_file(&output, measured.table().as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn everything(batches: &mut Batches, device: &Device) -> Result<(), Box<dyn Error>> {
    parameters::<P1>(batches, "1 parameter", device)?;
    parameters::<P8>(batches, "8 parameters", device)?;
    parameters::<P32>(batches, "32 parameters", device)?;
    parameters::<P64>(batches, "64 parameters", device)?;
    parameters::<P128>(batches, "128 parameters", device)?;
    parameters::<P512>(batches, "512 parameters", device)?;
    parameters::<Large4096>(batches, ways::STRUCT_4_KIB, device)?;
    parameters::<Large32760>(batches, ways::STRUCT_32_KIB, device)?;
    slices(batches, device)?;
    steps(batches, device)?;
    dims(batches, device)?;
    function::<P8>(batches, "8 parameters", device)?;
    function::<P128>(batches, "128 parameters", device)?;
    function::<P512>(batches, "512 parameters", device)?;
    for (way, run) in graph::VARIANTS {
        let mut chain = Chain::new(device)?;
        // A batch is one graph.
        batches.add(ways::GRAPH, way, move |_| timed(1, || run(&mut chain)));
    }
    looked_up::<P8>(batches, "8 parameters", device)?;
    looked_up::<P512>(batches, "512 parameters", device)?;
    Ok(())
}

/// Launches equal arguments in every way.
fn parameters<A: Example + 'static>(
    batches: &mut Batches,
    case: &'static str,
    device: &Device,
) -> Result<(), Box<dyn Error>> {
    macro_rules! add {
        ($($way:path: $launch:expr;)*) => {$(
            let mut launched = Case::<A>::new(device)?;
            let launch: fn(&mut Case<A>) = $launch;
            batches.add(case, $way, move |count| timed(count, || launch(&mut launched)));
        )*};
    }
    add! {
        ways::BARE_PARAMS: |case| case.bare_params();
        ways::BARE_PACKED: |case| case.bare_packed();
        ways::BARE_EX_PARAMS: |case| case.bare_ex_params();
        ways::BARE_EX_PACKED: |case| case.bare_ex_packed();
        ways::OURS: |case| case.ours();
        ways::OURS_PARAMS: |case| case.ours_as(Form::KernelParams);
        ways::OURS_PACKED: |case| case.ours_as(Form::Packed);
        ways::CUDARC: |case| case.cudarc();
    }
    Ok(())
}

/// Tracked memory, with one stream and with two streams.
macro_rules! slices {
    ($batches:expr, $device:expr; $($way:path: $launch:expr;)*) => {$(
        let mut launched = SlicesCase::new($device)?;
        let launch: fn(&mut SlicesCase) = $launch;
        $batches.add(ways::SLICES, $way, move |count| timed(count, || launch(&mut launched)));
        let mut launched = SlicesCase::new($device)?;
        let context = $device.context.clone();
        $batches.add(ways::SLICES_TWO_STREAMS, $way, move |count| {
            // While it exists, cudarc tracks memory with events.
            let second = context.new_stream();
            let elapsed = timed(count, || launch(&mut launched));
            drop(second);
            elapsed
        });
    )*};
}

fn slices(batches: &mut Batches, device: &Device) -> Result<(), Box<dyn Error>> {
    slices! { batches, device;
        ways::BARE_PARAMS: |case| case.bare_params();
        ways::OURS: |case| case.ours();
        ways::CUDARC: |case| case.cudarc();
    }
    Ok(())
}

/// The cases that the patch changes.
fn patched_slices(batches: &mut Batches, device: &Device) -> Result<(), Box<dyn Error>> {
    slices! { batches, device;
        ways::OURS_PATCHED: |case| case.ours();
        ways::CUDARC_PATCHED: |case| case.cudarc();
    }
    Ok(())
}

/// The individual steps between a bare launch and our launch.
fn steps(batches: &mut Batches, device: &Device) -> Result<(), Box<dyn Error>> {
    macro_rules! add {
        ($($way:path: $launch:expr;)*) => {$(
            let mut launched = Case::<P8>::new(device)?;
            let launch: fn(&mut Case<P8>) = $launch;
            batches.add(ways::STEPS, $way, move |count| timed(count, || launch(&mut launched)));
        )*};
    }
    add! {
        ways::BARE_EX_PACKED: |case| case.bare_ex_packed();
        ways::STEP_BOUND: |case| case.bare_bound();
        ways::STEP_MARSHALLED: |case| case.marshalled();
        ways::STEP_BOTH: |case| case.marshalled_bound();
        ways::STEP_CHECKS: |case| case.ours_as(Form::Packed);
    }
    Ok(())
}

/// One kernel with its lengths and strides in device memory, and as parameters.
fn dims(batches: &mut Batches, device: &Device) -> Result<(), Box<dyn Error>> {
    macro_rules! add {
        ($($way:path: $launch:path;)*) => {$(
            let mut launched = DimsCase::new(device)?;
            batches.add(ways::DIMS, $way, move |count| timed(count, || $launch(&mut launched)));
        )*};
    }
    add! {
        ways::DIMS_ALLOCATED: DimsCase::allocated;
        ways::DIMS_COPIED: DimsCase::copied;
        ways::DIMS_BY_VALUE: DimsCase::by_value;
        ways::DIMS_SPREAD: DimsCase::spread;
    }
    Ok(())
}

/// `launch!` with cudarc's function, compared with a kernel that is verified once.
fn function<A: Example + 'static>(
    batches: &mut Batches,
    case: &'static str,
    device: &Device,
) -> Result<(), Box<dyn Error>> {
    let mut launched = Case::<A>::new(device)?;
    batches.add(case, ways::OURS_FUNCTION, move |count| timed(count, || launched.ours_function()));
    Ok(())
}

/// The cost of verifying a kernel once, and of finding it in its module again.
fn looked_up<A: Example + 'static>(
    batches: &mut Batches,
    case: &'static str,
    device: &Device,
) -> Result<(), Box<dyn Error>> {
    let context = device.context.clone();
    let function = device.module.load_function(A::ENTRY)?;
    let module = Module::load(&device.context, PTX)?;
    // The first call is outside of the timing, because here an error can be returned.
    Kernel::<A>::from_function(&context, function.clone())?;
    module.kernel::<A>(A::ENTRY)?;
    batches.add_once(case, ways::VERIFIED_FUNCTION, move || {
        timed(1, || {
            drop(Kernel::<A>::from_function(&context, function.clone()));
        })
    });
    batches.add(case, ways::LOOKED_UP, move |count| {
        timed(count, || {
            drop(black_box(module.kernel::<A>(black_box(A::ENTRY))));
        })
    });
    Ok(())
}

#[inline(always)]
fn timed(count: u32, mut launch: impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        launch();
    }
    start.elapsed()
}

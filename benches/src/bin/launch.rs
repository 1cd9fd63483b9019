//! What a launch costs on the GPU, on the host's side: medians of many batches, all variants interleaved.
//!
//! `launch [--seconds N] [--output FILE] [--test-driver]`

use kernel_args::{Form, Kernel, Module};
use kernel_args_benches::{
    batch::Batches,
    launch::{Case, Device, Example, Large4096, Large32760, PTX, SlicesCase},
    report,
    shapes::{P1, P8, P32, P64, P128, P512},
};
use kernel_args_test_driver::{Control, Settings, reexec_with_test_driver};
use std::{
    env,
    error::Error,
    fs,
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

struct Options {
    seconds: u64,
    output: Option<PathBuf>,
    test_driver: bool,
}

impl Options {
    fn parse() -> Result<Self, String> {
        let mut options = Self {
            seconds: 50,
            output: None,
            test_driver: false,
        };
        let mut arguments = env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} takes a value"));
            match argument.as_str() {
                "--seconds" => {
                    let seconds = value()?;
                    options.seconds = seconds
                        .parse()
                        .map_err(|_| format!("{seconds}: no number of seconds"))?;
                }
                "--output" => options.output = Some(value()?.into()),
                "--test-driver" => options.test_driver = true,
                other => {
                    return Err(format!(
                        "{other}: it takes --seconds N, --output FILE, --test-driver"
                    ));
                }
            }
        }
        Ok(options)
    }
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let options = Options::parse()?;
    if options.test_driver
        && let Some(code) = reexec_with_test_driver(&Settings::new())?
    {
        return Ok(code);
    }
    let rehearsal = Control::attach().is_some();
    let device = Device::first()?;
    let mut batches = Batches::new(&device);
    parameters::<P1>(&mut batches, "1 parameter", &device)?;
    parameters::<P8>(&mut batches, "8 parameters", &device)?;
    parameters::<P32>(&mut batches, "32 parameters", &device)?;
    parameters::<P64>(&mut batches, "64 parameters", &device)?;
    parameters::<P128>(&mut batches, "128 parameters", &device)?;
    parameters::<P512>(&mut batches, "512 parameters", &device)?;
    parameters::<Large4096>(&mut batches, "a struct of 4 KiB", &device)?;
    parameters::<Large32760>(&mut batches, "a struct of 32 KiB", &device)?;
    slices(&mut batches, &device)?;
    checks(&mut batches, &device)?;
    each_time::<P8>(&mut batches, "8 parameters", &device)?;
    each_time::<P512>(&mut batches, "512 parameters", &device)?;

    batches.run(Duration::from_secs(options.seconds))?;
    let timed = batches.finish();
    let verification = [
        once::<P8>("8 parameters", &device)?,
        once::<P512>("512 parameters", &device)?,
    ];
    let text = report::render(&device, rehearsal, &timed, &verification)?;
    print!("{text}");
    if let Some(output) = options.output {
        fs::write(
            output,
            report::machine_readable(&device, rehearsal, &timed, &verification)?,
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The same arguments, every way.
fn parameters<A: Example + 'static>(
    batches: &mut Batches,
    case: &'static str,
    device: &Device,
) -> Result<(), Box<dyn Error>> {
    macro_rules! add {
        ($($variant:literal: $launch:expr;)*) => {$(
            let mut launched = Case::<A>::new(device)?;
            let launch: fn(&mut Case<A>) = $launch;
            batches.add(case, $variant, move |count| timed(count, || launch(&mut launched)));
        )*};
    }
    add! {
        "bare, kernelParams": |case| case.bare_params();
        "bare, packed": |case| case.bare_packed();
        "bare, cuLaunchKernelEx": |case| case.bare_ex();
        "ours": |case| case.ours();
        "ours, kernelParams": |case| case.ours_as(Form::KernelParams);
        "ours, packed": |case| case.ours_as(Form::Packed);
        "cudarc": |case| case.cudarc();
    }
    Ok(())
}

/// Tracked memory, on the only stream, and beside a second one.
fn slices(batches: &mut Batches, device: &Device) -> Result<(), Box<dyn Error>> {
    macro_rules! add {
        ($($variant:literal: $launch:expr;)*) => {$(
            let mut launched = SlicesCase::new(device)?;
            let launch: fn(&mut SlicesCase) = $launch;
            batches.add("3 slices, 5 scalars", $variant, move |count| timed(count, || launch(&mut launched)));
            let mut launched = SlicesCase::new(device)?;
            let context = device.context.clone();
            batches.add("3 slices, 5 scalars, a second stream", $variant, move |count| {
                // While it lives, cudarc tracks memory by events.
                let second = context.new_stream();
                let elapsed = timed(count, || launch(&mut launched));
                drop(second);
                elapsed
            });
        )*};
    }
    add! {
        "bare, kernelParams": |case| case.bare_params();
        "ours": |case| case.ours();
        "cudarc": |case| case.cudarc();
    }
    Ok(())
}

/// The steps between a bare launch and ours, one by one.
fn checks(batches: &mut Batches, device: &Device) -> Result<(), Box<dyn Error>> {
    macro_rules! add {
        ($($variant:literal: $launch:expr;)*) => {$(
            let mut launched = Case::<P8>::new(device)?;
            let launch: fn(&mut Case<P8>) = $launch;
            batches.add("8 parameters, step by step", $variant, move |count| timed(count, || launch(&mut launched)));
        )*};
    }
    add! {
        "bare, kernelParams": |case| case.bare_params();
        "and the context made current": |case| case.bare_bound();
        "bare, arguments marshalled": |case| case.marshalled();
        "both": |case| case.marshalled_bound();
        "ours: and every check": |case| case.ours_as(Form::KernelParams);
    }
    Ok(())
}

/// `launch!` with cudarc's function, which is verified at each launch, beside the kernel that is verified once.
fn each_time<A: Example + 'static>(
    batches: &mut Batches,
    case: &'static str,
    device: &Device,
) -> Result<(), Box<dyn Error>> {
    let mut launched = Case::<A>::new(device)?;
    batches.add(case, "ours, verified each time", move |count| {
        timed(count, || launched.ours_unverified())
    });
    Ok(())
}

/// What it costs to verify a kernel once: from cudarc's function, and from the image.
fn once<A: Example>(
    case: &'static str,
    device: &Device,
) -> Result<report::Verification, Box<dyn Error>> {
    const TIMES: usize = 51;
    let function = device.module.load_function(A::ENTRY)?;
    let module: Arc<Module> = Module::load(&device.context, PTX)?;
    let mut from_function = Vec::with_capacity(TIMES);
    let mut from_image = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let start = Instant::now();
        Kernel::<A>::from_function(&device.context, function.clone())?;
        from_function.push(start.elapsed());
        let start = Instant::now();
        module.kernel::<A>(A::ENTRY)?;
        from_image.push(start.elapsed());
    }
    Ok(report::Verification {
        case,
        from_function: median(from_function),
        from_image: median(from_image),
    })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[inline(always)]
fn timed(count: u32, mut launch: impl FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        launch();
    }
    start.elapsed()
}

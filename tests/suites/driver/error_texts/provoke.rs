//! Errors that a program can cause. Many destroy the context, so each runs in a separate process, which prints its
//! text.

use crate::error_texts::golden;
use cudarc::driver::{CudaContext, DevicePtrMut, PushKernelArg};
use kernel_args::{
    DevicePointerMut, Error, Kernel, KernelArgs, Module,
    context::{ContextFlags, create_context},
    launch,
};
use kernel_args_tests::driver::{Driver, context, trial_unless};
use libtest_mimic::Trial;
use std::{
    env,
    ffi::c_void,
    process::{Command, ExitCode},
    sync::Arc,
};

pub(super) use kernel_args_tests::saxpy::{Outcome, Pointers, SAXPY};

const FAULTY: &str = include_str!("../../../../ptx/faulty.ptx");
const HUNGRY: &str = include_str!("../../../../ptx/hungry.ptx");

/// The error that the child process must cause.
const VARIABLE: &str = "KERNEL_ARGS_PROVOKE";

/// The kernels have different elements.
#[derive(KernelArgs)]
struct Out {
    out: DevicePointerMut<c_void>,
}

/// A way to make the driver return an error.
#[derive(Clone, Copy)]
struct Provocation {
    name: &'static str,
    /// The code of the error.
    code: u32,
    /// Why the test driver does not return this error.
    needs_gpu: Option<&'static str>,
    /// An environment variable, set when the process starts.
    variable: Option<(&'static str, &'static str)>,
    run: fn(&str) -> Outcome<Error>,
}

const fn faulty(name: &'static str, code: u32) -> Provocation {
    Provocation { name, code, needs_gpu: None, variable: None, run: fails_on_the_device }
}

const fn other(name: &'static str, code: u32, run: fn(&str) -> Outcome<Error>) -> Provocation {
    Provocation { name, code, needs_gpu: None, variable: None, run }
}

const fn on_gpu(why: &'static str, provocation: Provocation) -> Provocation {
    Provocation { needs_gpu: Some(why), ..provocation }
}

const UNLIMITED: &str = "the test driver has as much memory as this machine";
const NO_COMPILER: &str = "NVIDIA's compiler makes this text, and the test driver does not have it";
const NO_VARIABLES: &str = "the test driver does not read this variable";

const PROVOCATIONS: &[Provocation] = &[
    faulty("invalid_address", 700),
    faulty("misaligned_address", 716),
    faulty("trap", 719),
    faulty("assertion", 710),
    faulty("invalid_jump", 715),
    faulty("stack_overflow", 700),
    on_gpu(UNLIMITED, other("local_memory", 2, |_| too_much_local_memory())),
    other("a_block_of_4096_threads", 1, |_| launch_raw(SAXPY, "saxpy", 1, 4096, 0)),
    other("a_grid_without_blocks", 1, |_| launch_raw(SAXPY, "saxpy", 0, 32, 0)),
    on_gpu(NO_COMPILER, other("too_many_registers", 701, |_| launch_raw(HUNGRY, "hungry", 1, 1024, 0))),
    other("a_launch_of_cudarc", 1, |_| launch_of_cudarc()),
    Provocation {
        // The text contains the number of devices.
        variable: Some(("CUDA_VISIBLE_DEVICES", "0")),
        ..other("no_device_of_this_number", 101, |_| {
            let error = kernel_args::context(99).expect_err("there are not as many");
            let count = CudaContext::device_count()?;
            let created = create_context(99, ContextFlags::new()).expect_err("there are not as many");
            for text in [error.to_string(), created.to_string()] {
                assert!(text.contains(&format!("device 99 of {count}")), "{text}");
            }
            Ok(error)
        })
    },
    other("no_variable_of_this_name", 500, |_| {
        let ctx = context()?;
        let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?;
        let error = module.get_global("counter", &ctx.default_stream()).err();
        Ok(error.expect("it does not exist").into())
    }),
    on_gpu(NO_COMPILER, other("damaged_ptx", 218, |_| load(&SAXPY.replacen("ret;", "rett;", 1)))),
    on_gpu(
        NO_COMPILER,
        other("an_undefined_function", 218, |_| {
            let declared = SAXPY.replacen(".visible", ".extern .func missing();\n\n.visible", 1);
            load(&declared.replacen("ret;", "call missing;\n\tret;", 1))
        }),
    ),
    on_gpu(
        UNLIMITED,
        other("more_memory_than_the_gpu_has", 2, |_| {
            let variable = ".visible .global .align 4 .b8 large[1099511627776];\n\n.visible .entry";
            load(&SAXPY.replacen(".visible .entry", variable, 1))
        }),
    ),
    Provocation {
        variable: Some(("CUDA_VISIBLE_DEVICES", "-1")),
        ..on_gpu(
            NO_VARIABLES,
            other("no_visible_device", 100, |_| Ok(kernel_args::context(0).expect_err("it does not exist"))),
        )
    },
    Provocation {
        variable: Some(("CUDA_DISABLE_PTX_JIT", "1")),
        ..on_gpu(
            NO_VARIABLES,
            other("no_compiler_for_ptx", 223, |_| {
                // The driver loads previously compiled code from its cache on disk.
                load(&format!(
                    "{SAXPY}
// {:?}
",
                    std::time::SystemTime::now()
                ))
            }),
        )
    },
];

fn load(ptx: &str) -> Outcome<Error> {
    Ok(Module::load(&context()?, ptx).expect_err("the driver rejects it"))
}

/// If no limit is known in advance, the driver rejects the launch.
fn launch_raw(ptx: &str, entry: &str, grid: u32, block: u32, shared: u32) -> Outcome<Error> {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let mut memory = stream.alloc_zeros::<i32>(1024)?;
    let (address, guard) = memory.device_ptr_mut(&stream);
    let out = Out { out: DevicePointerMut::from_raw(address) };
    drop(guard);
    let launched = if entry == "saxpy" {
        let handle = Kernel::<Pointers>::from_image(&ctx, ptx, entry)?;
        let raw = handle.cu_function();
        // SAFETY: the launch returns an error.
        unsafe { launch!(raw, grid, block, Pointers::NONE, shared = shared, stream = &stream) }
    } else {
        let handle = Kernel::<Out>::from_image(&ctx, ptx, entry)?;
        let raw = handle.cu_function();
        // SAFETY: the launch returns an error.
        unsafe { launch!(raw, grid, block, out, shared = shared, stream = &stream) }
    };
    match launched.and_then(|()| Ok(stream.synchronize()?)) {
        Err(error) => Ok(error),
        Ok(()) => Err("it was launched".into()),
    }
}

/// A kernel that fails: the next launch returns the error.
fn fails_on_the_device(entry: &str) -> Outcome<Error> {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let mut memory = stream.alloc_zeros::<i32>(1024)?;
    let (address, guard) = memory.device_ptr_mut(&stream);
    drop(guard);
    let kernel: Kernel<Out> = Kernel::from_image(&ctx, FAULTY, entry)?;
    let again = || Out { out: DevicePointerMut::from_raw(address) };
    // SAFETY: this is not sound, which is the purpose of the test. The process ends after it.
    unsafe { launch!(kernel, 1, 1, again(), stream = &stream) }?;
    let _ = stream.synchronize();
    // SAFETY: no kernel runs any more.
    let error = unsafe { launch!(kernel, 1, 1, again(), stream = &stream) };
    std::mem::forget(memory);
    Ok(error.expect_err("the context is lost"))
}

/// A kernel whose local memory the driver allocates at the launch, while most of the GPU's memory is in use.
fn too_much_local_memory() -> Outcome<Error> {
    let ctx = context()?;
    let stream = ctx.default_stream();
    let (free, _) = ctx.mem_get_info()?;
    let taken = stream.alloc_zeros::<u8>(free - free / 8)?;
    stream.synchronize()?;
    let error = launch_raw(FAULTY, "local_memory", 1, 1024, 0);
    drop(taken);
    error
}

/// cudarc reports only the driver's text.
fn launch_of_cudarc() -> Outcome<Error> {
    let ctx: Arc<CudaContext> = context()?;
    let stream = ctx.default_stream();
    let module = ctx.load_module(cudarc::nvrtc::Ptx::from_src(SAXPY))?;
    let function = module.load_function("saxpy")?;
    let mut builder = stream.launch_builder(&function);
    builder.arg(&0_u32);
    let config = cudarc::driver::LaunchConfig { grid_dim: (1, 1, 1), block_dim: (4096, 1, 1), shared_mem_bytes: 0 };
    // SAFETY: the launch is rejected because of its block.
    let error = unsafe { builder.launch(config) }.expect_err("it is refused");
    Ok(error.into())
}

/// The child's part: `None` in the suite itself.
pub(super) fn child() -> Option<ExitCode> {
    let wanted = env::var(VARIABLE).ok()?;
    let provocation = PROVOCATIONS.iter().find(|other| other.name == wanted)?;
    Some(match (provocation.run)(provocation.name) {
        Ok(error) => {
            println!("{error}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

fn provoke(driver: &Driver, provocation: &Provocation) -> Outcome {
    let Provocation { name, code, variable, .. } = *provocation;
    let mut command = Command::new(env::current_exe()?);
    command.env(VARIABLE, name);
    if let Some((variable, value)) = variable {
        command.env(variable, value);
    }
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let error = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{}: {error}", output.status).into());
    }
    println!("--- {name}\n{text}");
    if !text.contains(&format!("({code})")) {
        return Err(format!("this is not error {code}:\n{text}").into());
    }
    // The event, its meaning, and the solution.
    if !text.contains("\n  ") || !text.contains("\nhelp: ") {
        return Err(format!("this is not explained:\n{text}").into());
    }
    Ok(golden::compare(driver, name, &text)?)
}

pub(super) fn trials(driver: &Driver) -> Vec<Trial> {
    PROVOCATIONS
        .iter()
        .map(|provocation| {
            let here = driver.clone();
            let why = provocation.needs_gpu.filter(|_| !driver.is_real());
            trial_unless(why, format!("provoked/{}", provocation.name), move || provoke(&here, provocation))
        })
        .collect()
}

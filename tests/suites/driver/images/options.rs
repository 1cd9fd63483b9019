//! Every option of the driver's compiler and linker, and the driver's reaction to each.

use crate::images::Outcome;
use cudarc::driver::{DevicePtr, DevicePtrMut};
use kernel_args::{
    DevicePointerMut, Error, Kernel, KernelArgs, Module,
    context::versions,
    error::{LoadError, Status},
    image::{CacheMode, Fallback, JitOptions, JitTarget, OptimizationLevel},
    launch,
};
use kernel_args_tests::{
    driver::{Driver, context, trial, trial_unless},
    saxpy::{Pointers, SAXPY},
};
use libtest_mimic::Trial;
use std::{
    env,
    process::{Command, ExitCode},
    sync::Arc,
    thread,
    time::{Duration, UNIX_EPOCH},
};

/// PTX that the driver has never compiled: the driver caches results, and a cached result does not use the options.
fn unseen() -> Result<String, Box<dyn std::error::Error>> {
    let now = UNIX_EPOCH.elapsed()?.as_nanos();
    Ok(format!("{SAXPY}\n.global .b32 made_at_{now};\n"))
}

/// The expected reaction of a driver for CUDA 13.0 to an option.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Says {
    Yes,
    /// It accepts or rejects the option: the table records which.
    Either,
}

#[allow(clippy::too_many_lines, reason = "a table")]
fn options(sm: u32) -> Vec<(&'static str, JitOptions, Says)> {
    use Says::{Either, Yes};
    let new = JitOptions::new;
    vec![
        ("none", new(), Yes),
        ("max_registers(32)", new().max_registers(32), Yes),
        ("max_registers(255)", new().max_registers(255), Yes),
        ("max_registers(0)", new().max_registers(0), Either),
        ("max_registers(1)", new().max_registers(1), Either),
        ("max_registers(256)", new().max_registers(256), Either),
        ("max_registers(100000)", new().max_registers(100_000), Either),
        ("threads_per_block(256)", new().threads_per_block(256), Yes),
        ("threads_per_block(0)", new().threads_per_block(0), Either),
        ("threads_per_block(2048)", new().threads_per_block(2048), Either),
        ("threads_per_block(256), target", new().threads_per_block(256).target(sm), Either),
        ("wall_time", new().wall_time(), Yes),
        ("log_size(0)", new().log_size(0), Yes),
        ("log_size(1)", new().log_size(1), Yes),
        ("log_size(100000)", new().log_size(100_000), Yes),
        ("optimization(O0)", new().optimization(OptimizationLevel::O0), Yes),
        ("optimization(O1)", new().optimization(OptimizationLevel::O1), Yes),
        ("optimization(O2)", new().optimization(OptimizationLevel::O2), Yes),
        ("optimization(O3)", new().optimization(OptimizationLevel::O3), Yes),
        ("optimization(O4)", new().optimization(OptimizationLevel::O4), Yes),
        ("target_of_context", new().target_of_context(), Yes),
        ("target(own)", new().target(sm), Yes),
        ("target(own, architecture)", new().target(JitTarget::architecture_specific(sm)), Either),
        ("target(own, family)", new().target(JitTarget::family_specific(sm)), Either),
        ("target(75)", new().target(75), Either),
        ("fallback(Ptx)", new().fallback(Fallback::Ptx), Yes),
        ("fallback(Cubin)", new().fallback(Fallback::Cubin), Yes),
        ("debug_info", new().debug_info(), Yes),
        ("verbose", new().verbose(), Yes),
        ("line_info", new().line_info(), Yes),
        ("cache_mode(Default)", new().cache_mode(CacheMode::Default), Yes),
        ("cache_mode(L2)", new().cache_mode(CacheMode::L2), Yes),
        ("cache_mode(L1AndL2)", new().cache_mode(CacheMode::L1AndL2), Yes),
        ("position_independent", new().position_independent(), Yes),
        ("min_blocks(2), max_threads(256)", new().min_blocks_per_multiprocessor(2).max_threads_per_block(256), Yes),
        ("min_blocks(0)", new().min_blocks_per_multiprocessor(0), Either),
        ("max_threads(0)", new().max_threads_per_block(0), Either),
        ("max_threads(4096)", new().max_threads_per_block(4096), Either),
        ("override_directives", new().override_directives().max_registers(40), Yes),
        ("compile_threads(0)", new().compile_threads(0), Yes),
        ("compile_threads(2)", new().compile_threads(2), Yes),
        ("loader_threads(0)", new().loader_threads(0), Either),
        ("loader_threads(2)", new().loader_threads(2), Either),
    ]
}

/// The options without a method, by number and value.
const RAW: [(u32, usize, &str); 10] = [
    (1, 0, "CU_JIT_THREADS_PER_BLOCK"),
    (15, 1, "CU_JIT_NEW_SM3X_OPT"),
    (16, 1, "CU_JIT_FAST_COMPILE"),
    (20, 1, "CU_JIT_LTO"),
    (21, 1, "CU_JIT_FTZ"),
    (22, 0, "CU_JIT_PREC_DIV"),
    (23, 0, "CU_JIT_PREC_SQRT"),
    (24, 0, "CU_JIT_FMA"),
    (29, 1, "CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES"),
    (36, 1, "a number past the list of CUDA 13.1"),
];

/// The row of the table that a separate process fills in: an option may end the program.
const ROW: &str = "KERNEL_ARGS_OPTION";

/// All rows: the name, the options, and the expected reaction of the driver.
fn rows() -> Result<Vec<(String, JitOptions, Says)>, Error> {
    let sm = u32::from(versions()?.gpus[0].sm.0);
    let named = options(sm).into_iter();
    let named = named.map(|(name, options, says)| (name.into(), options, says));
    let raw = RAW.into_iter().map(|(number, value, name)| {
        // SAFETY: the option takes a number or no value; the process ends after it.
        let options = unsafe { JitOptions::new().raw(number, value) };
        (format!("{number} = {value}: {name}"), options, Says::Either)
    });
    Ok(named.chain(raw).collect())
}

/// The child's part: `None` in the suite itself. The results of loading and linking, one line each.
pub(crate) fn child() -> Option<ExitCode> {
    let row = env::var(ROW).ok()?;
    match fill_in(&row) {
        Ok(()) => Some(ExitCode::SUCCESS),
        Err(error) => {
            eprintln!("{error}");
            Some(ExitCode::FAILURE)
        }
    }
}

fn fill_in(row: &str) -> Outcome {
    let (_, options, _) = &rows()?[row.parse::<usize>()?];
    let ctx = context()?;
    let says = |result: Result<Arc<Module>, Error>| match result {
        Ok(module) => module.kernel::<Pointers>("saxpy").map(|_| Status::SUCCESS),
        Err(Error::Load(LoadError::Rejected { call, .. })) => Ok(call.status),
        Err(other) => Err(other),
    };
    let load = says(Module::load_with(&ctx, unseen()?, options))?;
    println!("{load}");
    let link = says(Module::link(&ctx, [unseen()?.into()], options))?;
    println!("{link}");
    Ok(())
}

/// A row as text, and whether loading accepted the option.
fn row(number: usize, name: &str) -> Result<(String, bool), String> {
    let child = || Command::new(env::current_exe()?).env(ROW, number.to_string()).output();
    let output = child().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut said: Vec<_> = text.lines().map(ToOwned::to_owned).collect();
    let error = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        said.push(format!("{}: {}", output.status, error.trim()));
    }
    said.resize(2, String::new());
    let row = format!("| {name} | {} | {} |", said[0], said[1]);
    Ok((row, said[0] == Status::SUCCESS.to_string()))
}

fn every_option(driver: &Driver) -> Outcome {
    const AT_ONCE: usize = 8;
    println!("{}\n| option | load | link |\n|---|---|---|", versions()?);
    let rows: Vec<_> = rows()?.into_iter().enumerate().collect();
    let mut wrong = Vec::new();
    for some in rows.chunks(AT_ONCE) {
        let filled: Vec<_> = thread::scope(|scope| {
            let threads = some.iter().map(|(number, (name, ..))| scope.spawn(|| row(*number, name)));
            let threads: Vec<_> = threads.collect();
            threads.into_iter().map(|thread| thread.join().map_err(|_| "a thread panicked")).collect()
        });
        for ((_, (name, _, says)), filled) in some.iter().zip(filled) {
            let (text, taken) = filled??;
            println!("{text}");
            if !taken && *says == Says::Yes {
                wrong.push(name);
            }
            let unknown = name.starts_with("36 ");
            assert!(driver.is_real() || taken != unknown, "{text}");
        }
    }
    assert!(wrong.is_empty(), "the driver refuses {wrong:?}");
    Ok(())
}

/// The error names an option that is not accepted.
fn a_refused_option_is_named() -> Outcome {
    // SAFETY: no driver has an option with this number.
    let options = unsafe { JitOptions::new().max_registers(32).raw(9999, 1) };
    let error = Module::load_with(&context()?, unseen()?, &options).expect_err("no such option");
    for part in ["the driver does not support one of the options", "options: max_registers: 32, option 9999: 1"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    Ok(())
}

fn the_compiler_time_is_reported(driver: &Driver) -> Outcome {
    let ctx = context()?;
    assert_eq!(Module::load(&ctx, unseen()?)?.wall_time(), None);
    let options = JitOptions::new().wall_time();
    let load = Module::load_with(&ctx, unseen()?, &options)?.wall_time();
    let link = Module::link(&ctx, [unseen()?.into()], &options)?.wall_time();
    println!("load {load:?}, link {link:?}");
    let (load, link) = (load.ok_or("no time")?, link.ok_or("no time")?);
    if driver.is_real() {
        assert!(load > Duration::ZERO && load < Duration::from_secs(60), "{load:?}");
        assert!(link < Duration::from_secs(60), "{link:?}");
    }
    Ok(())
}

/// The effects of options on a kernel, as the driver reports them.
fn options_have_their_effect() -> Outcome {
    let ctx = context()?;
    let kernel = |options: &JitOptions| -> Result<Kernel<Pointers>, Box<dyn std::error::Error>> {
        Ok(Module::load_with(&ctx, unseen()?, options)?.kernel("saxpy")?)
    };
    let limited = kernel(&JitOptions::new().max_threads_per_block(128))?;
    println!("{limited:?}");
    let few = kernel(&JitOptions::new().max_registers(16))?;
    println!("{few:?}");
    let log = |options: JitOptions| -> Result<String, Box<dyn std::error::Error>> {
        Ok(Module::load_with(&ctx, unseen()?, &options.verbose())?.log().to_owned())
    };
    let (free, o0) = (log(JitOptions::new())?, log(JitOptions::new().optimization(OptimizationLevel::O0))?);
    println!("{free}\n-- O0\n{o0}");
    assert!(free.contains("registers") && o0.contains("registers"));
    assert_ne!(free, o0, "the level has no effect");
    let cut = Module::load_with(&ctx, unseen()?, &JitOptions::new().verbose().log_size(20))?;
    assert!(cut.log().len() <= 20, "{}", cut.log());
    Ok(())
}

/// `.extern .global` at an address that the program provides.
fn a_symbol_has_the_address_that_the_program_sets() -> Outcome {
    const READS: &str = "
.version 7.0
.target sm_75
.address_size 64
.extern .global .align 4 .b32 outside;
.visible .entry read_outside(.param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r1, [outside];
    st.global.u32 [%rd2], %r1;
    ret;
}
";
    #[derive(KernelArgs)]
    struct ReadOutside {
        out: DevicePointerMut<u32>,
    }
    let ctx = context()?;
    let stream = ctx.default_stream();
    let outside = stream.clone_htod(&[42_u32])?;
    let mut out = stream.alloc_zeros::<u32>(1)?;
    {
        let (address, _guard) = outside.device_ptr(&stream);
        // SAFETY: the memory lives until the module is dropped, and is a `u32`.
        let options = unsafe { JitOptions::new().global_symbol("outside", address) };
        let module = match Module::load_with(&ctx, READS, &options) {
            Ok(module) => module,
            // The documentation describes host addresses and the dynamic linker: this driver's result is printed.
            Err(error) => {
                println!("{error}");
                return Ok(());
            }
        };
        let kernel = module.kernel::<ReadOutside>("read_outside")?;
        let (address, _guard) = out.device_ptr_mut(&stream);
        let args = ReadOutside { out: DevicePointerMut::from_raw(address) };
        // SAFETY: `out` and the symbol have one element each.
        unsafe { launch!(kernel, 1, 1, args)? };
    }
    assert_eq!(stream.clone_dtoh(&out)?, [42]);
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let (one, two) = (driver.clone(), driver.clone());
    let compiles = (!driver.is_real()).then_some("the test driver compiles nothing: its log has no registers");
    let symbols = (!driver.is_real()).then_some("the test driver ignores addresses of symbols");
    vec![
        trial("every_option", move || every_option(&one)),
        trial("a_refused_option_is_named", a_refused_option_is_named),
        trial("the_compiler_time_is_reported", move || the_compiler_time_is_reported(&two)),
        trial_unless(compiles, "options_have_their_effect", options_have_their_effect),
        trial_unless(
            symbols,
            "a_symbol_has_the_address_that_the_program_sets",
            a_symbol_has_the_address_that_the_program_sets,
        ),
    ]
}

//! Drivers that lack an entry point: each in a process of its own, with a copy of the test driver that lacks it.

use crate::world::{Fault, Values, World, make_current};
use kernel_args::{Error, launch};
use kernel_args_test_driver::{Session, Settings};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::{env, process::ExitCode};

const VARIABLE: &str = "KERNEL_ARGS_MISSING_ENTRY_POINT";

/// Without these everything works, as far as an old driver tells.
const OPTIONAL: [&str; 5] = [
    "cuFuncGetName",
    "cuFuncGetParamInfo",
    "cuLaunchKernelEx",
    "cuOccupancyMaxActiveClusters",
    "cuOccupancyMaxPotentialClusterSize",
];

/// Without one of these nothing is loaded.
const REQUIRED: [&str; 21] = [
    "cuCtxGetCurrent",
    "cuCtxGetDevice",
    "cuCtxGetStreamPriorityRange",
    "cuCtxSetCurrent",
    "cuDeviceGetAttribute",
    "cuDriverGetVersion",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuGetErrorName",
    "cuLaunchKernel",
    "cuLinkAddData_v2",
    "cuLinkComplete",
    "cuLinkCreate_v2",
    "cuLinkDestroy",
    "cuModuleGetFunction",
    "cuModuleGetGlobal_v2",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
    "cuOccupancyMaxPotentialBlockSize",
    "cuStreamIsCapturing",
];

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let names = OPTIONAL.into_iter().chain(REQUIRED);
    names.map(|name| trial(format!("missing/{name}"), move || without(name)))
}

fn without(name: &str) -> Result<(), String> {
    let session =
        Session::start(&Settings::new().without(name)).map_err(|error| error.to_string())?;
    let binary = env::current_exe().map_err(|error| error.to_string())?;
    let output = session
        .command(binary)
        .env(VARIABLE, name)
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// The part of the process without the entry point: `None` in the suite itself.
pub(crate) fn child() -> Option<ExitCode> {
    let name = env::var(VARIABLE).ok()?;
    let result = if OPTIONAL.contains(&name.as_str()) {
        everything_launches().map_err(|fault| format!("{fault:?}"))
    } else {
        refused(&name)
    };
    Some(match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

fn everything_launches() -> Result<(), Fault> {
    let mut world = World::new()?;
    world.works()?;
    make_current(world.ctx.cu_ctx());
    let (function, raw) = (&world.function, world.function.cu_function());
    // SAFETY: the kernel accesses nothing.
    unsafe { launch!(function, 1, 8, Values::NONE) }?;
    // SAFETY: as above; the function is loaded.
    unsafe { launch!(raw, 1, 8, Values::NONE) }?;
    Ok(())
}

fn refused(name: &str) -> Result<(), String> {
    match kernel_args::context(0) {
        Err(Error::OldDriver { missing, .. }) if missing == name => Ok(()),
        other => Err(format!("without {name}: {other:?}")),
    }
}

//! Drivers without a specific entry point: each runs in a separate process, with a copy of the test driver without this
//! entry point.

use crate::fault_injection::{
    stages::{STAGES, TEXTURES},
    world::{Fault, NO_CONTEXT, Pointers, SAXPY, World, library_kernel, make_current},
};
use crate::sequences::world::external;
use cudarc::{
    driver::{CudaContext, DevicePtr, DevicePtrMut, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};
use kernel_args::{
    Error, Kernel,
    context::{BorrowedStream, ContextFlags, GreenContext, PeerAccess, create_context, kernel_function, with_current},
    launch,
    sequence::{RunMode, Sequence},
};
use kernel_args_stand_in::{Session, Settings};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::{env, process::ExitCode, sync::Arc};

const VARIABLE: &str = "KERNEL_ARGS_MISSING_ENTRY_POINT";

/// Without these everything works, with the information of an old driver.
const OPTIONAL: [&str; 7] = [
    "cuCtxGetId",
    "cuDevicePrimaryCtxGetState",
    "cuFuncGetName",
    "cuFuncGetParamInfo",
    "cuLaunchKernelEx",
    "cuOccupancyMaxActiveClusters",
    "cuOccupancyMaxPotentialClusterSize",
];

/// Without any of these nothing can be loaded.
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

/// Without any of these there are no graphs, and everything else works.
const FOR_GRAPHS: [&str; 35] = [
    "cuDeviceGetGraphMemAttribute",
    "cuDeviceGraphMemTrim",
    "cuDeviceSetGraphMemAttribute",
    "cuGraphAddMemAllocNode",
    "cuGraphAddMemFreeNode",
    "cuGraphExecUpdate_v2",
    "cuGraphAddChildGraphNode",
    "cuGraphAddEmptyNode",
    "cuGraphAddEventRecordNode",
    "cuGraphAddEventWaitNode",
    "cuGraphAddHostNode",
    "cuGraphAddKernelNode_v2",
    "cuGraphAddMemcpyNode",
    "cuGraphAddMemsetNode",
    "cuGraphAddNode_v2",
    "cuGraphChildGraphNodeGetGraph",
    "cuGraphConditionalHandleCreate",
    "cuGraphCreate",
    "cuGraphDestroyNode",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphGetNodes",
    "cuGraphInstantiateWithFlags",
    "cuGraphKernelNodeGetAttribute",
    "cuGraphKernelNodeGetParams_v2",
    "cuGraphKernelNodeSetAttribute",
    "cuGraphLaunch",
    "cuGraphNodeFindInClone",
    "cuGraphNodeGetEnabled",
    "cuGraphNodeGetType",
    "cuGraphNodeSetEnabled",
    "cuGraphUpload",
    "cuStreamBeginCapture_v2",
    "cuStreamEndCapture",
    // Replaced by two functions of driver 12.3.
    "cuGraphGetEdges",
    "cuStreamGetCaptureInfo_v2",
];

/// Without any of these there are no textures, and everything else works.
const FOR_TEXTURES: [&str; 7] = [
    "cuArray3DCreate_v2",
    "cuArrayDestroy",
    "cuMemcpy3DAsync_v2",
    "cuSurfObjectCreate",
    "cuSurfObjectDestroy",
    "cuTexObjectCreate",
    "cuTexObjectDestroy",
];

/// Without any of these one function for contexts returns an error, and everything else works.
const FOR_CONTEXTS: [&str; 17] = [
    "cuCtxCreate_v2",
    "cuCtxDestroy_v2",
    "cuCtxPushCurrent_v2",
    "cuCtxPopCurrent_v2",
    "cuDeviceCanAccessPeer",
    "cuCtxEnablePeerAccess",
    "cuDeviceGetMemPool",
    "cuMemPoolSetAccess",
    "cuStreamGetCtx",
    "cuKernelGetFunction",
    "cuDeviceGetDevResource",
    "cuDevSmResourceSplitByCount",
    "cuDevResourceGenerateDesc",
    "cuGreenCtxCreate",
    "cuGreenCtxDestroy",
    "cuGreenCtxStreamCreate",
    "cuCtxCreate_v3",
];

/// The newer forms of the call that creates a context. A driver without the older form lacks these too.
const NEWER_FOR_CONTEXTS: [(&str, &[&str]); 3] = [
    ("cuCtxCreate_v4", &[]),
    ("cuCtxCreate_v3", &["cuCtxCreate_v4"]),
    ("cuCtxCreate_v2", &["cuCtxCreate_v4", "cuCtxCreate_v3"]),
];

/// Without these functions of driver 12.3, graphs use the older ones.
const NEWER_FOR_GRAPHS: [&str; 2] = ["cuGraphGetEdges_v2", "cuStreamGetCaptureInfo_v3"];

pub(crate) fn trials() -> impl Iterator<Item = Trial> {
    let names = OPTIONAL
        .into_iter()
        .chain(REQUIRED)
        .chain(FOR_GRAPHS)
        .chain(NEWER_FOR_GRAPHS)
        .chain(FOR_CONTEXTS)
        .chain(FOR_TEXTURES)
        .chain(["cuCtxCreate_v4"]);
    names.map(|name| trial(format!("missing/{name}"), move || without(name)))
}

fn without(name: &str) -> Result<(), String> {
    let mut settings = Settings::new().devices(2).without(name);
    for (older, newer) in NEWER_FOR_CONTEXTS {
        if older == name {
            for name in newer {
                settings = settings.without(name);
            }
        }
    }
    for (newer, older) in NEWER_FOR_GRAPHS.into_iter().zip(&FOR_GRAPHS[FOR_GRAPHS.len() - 2..]) {
        if *older == name {
            settings = settings.without(newer);
        }
    }
    let session = Session::start(&settings).map_err(|error| error.to_string())?;
    let binary = env::current_exe().map_err(|error| error.to_string())?;
    let output = session.command(binary).env(VARIABLE, name).output().map_err(|error| error.to_string())?;
    if output.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&output.stderr).into_owned()) }
}

/// The part of the process without the entry point: `None` in the suite itself.
pub(crate) fn child() -> Option<ExitCode> {
    let name = env::var(VARIABLE).ok()?;
    let result = match name.as_str() {
        optional if OPTIONAL.contains(&optional) => everything_launches().map_err(|fault| format!("{fault:?}")),
        newer if NEWER_FOR_GRAPHS.contains(&newer) => every_graph().map_err(|fault| format!("{fault:?}")),
        needed if FOR_GRAPHS.contains(&needed) => are_refused(needed, every_graph),
        needed if FOR_TEXTURES.contains(&needed) => are_refused(needed, textures),
        "cuCtxCreate_v4" | "cuCtxCreate_v3" => everything_launches().map_err(|fault| format!("{fault:?}")),
        needed if FOR_CONTEXTS.contains(&needed) => only_contexts_are_refused(needed),
        required => refused(required),
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
    // SAFETY: the kernel accesses no memory.
    unsafe { launch!(function, 1, 8, Pointers::NONE) }?;
    // SAFETY: the kernel accesses no memory; the function is loaded.
    unsafe { launch!(raw, 1, 8, Pointers::NONE) }?;
    external_work(&world.ctx)?;
    Ok(())
}

/// Work of a library in a sequence: a child graph, if the driver does not report the parameters of its kernels.
fn external_work(ctx: &Arc<CudaContext>) -> Result<(), Error> {
    const N: u32 = 8;
    let stream = ctx.new_stream()?;
    let saxpy = Arc::new(ctx.load_module(Ptx::from_src(SAXPY))?.load_function("saxpy")?);
    let (x, mut y) = (stream.clone_htod(&[1.0_f32; N as usize])?, stream.alloc_zeros::<f32>(N as usize)?);
    let mut sequence = Sequence::new(&stream);
    for (run, alpha) in [1.0, 1.0, 2.0, 1.0].into_iter().enumerate() {
        sequence.run(|s| {
            let (x, mut y) = (s.hold(&x)?, s.hold(&mut y)?);
            s.memset_zeros(&mut y)?;
            external(s, (&saxpy, alpha, x, &mut *y), |stream, (saxpy, alpha, x, mut y)| {
                let ((x, _x), (y, _y)) = (x.device_ptr(stream), y.device_ptr_mut(stream));
                let mut builder = stream.launch_builder(saxpy);
                builder.arg(&N).arg(&alpha).arg(&x).arg(&y);
                let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (N, 1, 1), shared_mem_bytes: 0 };
                // SAFETY: both slices have `N` elements.
                Ok::<_, Error>(unsafe { builder.launch(config) }.map(drop)?)
            })
        })?;
        assert_eq!(stream.clone_dtoh(&y)?, [alpha; N as usize]);
        assert!(matches!(sequence.mode(), RunMode::Built | RunMode::Updated(_)), "run {run}: {:?}", sequence.mode());
    }
    Ok(())
}

fn every_graph() -> Result<(), Fault> {
    let mut world = World::new()?;
    let stages = STAGES.iter().filter(|stage| stage.name.starts_with("graph"));
    stages.map(|stage| (stage.run)(&mut world)).try_for_each(|made| made.map(drop))
}

fn textures() -> Result<(), Fault> {
    let mut world = World::new()?;
    let stage = STAGES.iter().find(|stage| stage.name == TEXTURES).expect("a stage");
    (stage.run)(&mut world).map(drop)
}

/// Launches work, and `work` does not.
fn are_refused(name: &str, work: fn() -> Result<(), Fault>) -> Result<(), String> {
    let launched = || -> Result<(), Error> {
        let kernel = Kernel::<Pointers>::from_image(&kernel_args::context(0)?, SAXPY, "saxpy")?;
        // SAFETY: the kernel accesses no memory.
        unsafe { launch!(kernel, 1, 8, Pointers::NONE) }
    };
    launched().map_err(|error| format!("without {name}: {error:?}"))?;
    match work() {
        Err(Fault::Ours(Error::OldDriver { missing, .. })) if missing == name => Ok(()),
        other => Err(format!("without {name}: {other:?}")),
    }
}

/// Runs `work` on this thread without a current context.
fn without_current<T>(work: impl FnOnce() -> T) -> T {
    make_current(NO_CONTEXT);
    work()
}

fn only_contexts_are_refused(name: &str) -> Result<(), String> {
    let text = |error: Error| format!("without {name}: {error:?}");
    let (ctx, other) = (kernel_args::context(0).map_err(text)?, kernel_args::context(1).map_err(text)?);
    let kernel = Kernel::<Pointers>::from_image(&ctx, SAXPY, "saxpy").map_err(text)?;
    // SAFETY: the kernel accesses no memory.
    unsafe { launch!(kernel, 1, 8, Pointers::NONE) }.map_err(text)?;
    let stream = ctx.new_stream().map_err(|error| text(error.into()))?;
    let own = || create_context(0, ContextFlags::new()).map(drop);
    let outcomes: [(&[&str], Result<(), Error>); 6] = [
        (&["cuCtxCreate_v2", "cuCtxDestroy_v2", "cuCtxPopCurrent_v2"], own()),
        (&[], with_current(&other, || ())),
        (
            &["cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess", "cuDeviceGetMemPool", "cuMemPoolSetAccess"],
            without_current(|| PeerAccess::enable(&ctx, &other).map(drop)),
        ),
        (
            &["cuStreamGetCtx"],
            without_current(|| {
                // SAFETY: the stream is alive.
                unsafe { BorrowedStream::new(&ctx, stream.cu_stream()) }.map(drop)
            }),
        ),
        (
            &["cuKernelGetFunction"],
            without_current(|| {
                // SAFETY: the kernel belongs to a library that stays loaded.
                unsafe { kernel_function(&ctx, library_kernel()?) }.map(drop)
            }),
        ),
        (
            &[
                "cuDeviceGetDevResource",
                "cuDevSmResourceSplitByCount",
                "cuDevResourceGenerateDesc",
                "cuGreenCtxCreate",
                "cuGreenCtxDestroy",
                "cuGreenCtxStreamCreate",
            ],
            GreenContext::split(&ctx, 8).map(drop),
        ),
    ];
    // Making a context current temporarily needs these two entry points; the first and the last operation do not.
    let current = ["cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2"].contains(&name);
    for (number, (needed, outcome)) in outcomes.into_iter().enumerate() {
        let is_needed = needed.contains(&name) || current && (1..5).contains(&number);
        match outcome {
            Err(Error::OldDriver { missing, .. }) if missing == name && is_needed => {}
            Ok(()) if !is_needed => {}
            other => return Err(format!("without {name}, {needed:?}: {other:?}")),
        }
    }
    Ok(())
}

fn refused(name: &str) -> Result<(), String> {
    match kernel_args::context(0) {
        Err(Error::OldDriver { missing, .. }) if missing == name => Ok(()),
        other => Err(format!("without {name}: {other:?}")),
    }
}

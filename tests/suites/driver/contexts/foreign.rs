//! Objects of a different context are rejected before anything is enqueued, and the error names both contexts.

use crate::contexts::saxpy::{Counted, N, Outcome, SAXPY, Saxpy};
use cudarc::{
    driver::{CudaContext, sys::CUfunction},
    nvrtc::Ptx,
};
use kernel_args::{
    ArgList, Error, Function, Kernel, Module,
    context::{ContextFlags, ContextName, create_context},
    error::{ContextError, LaunchError},
    graph::Graph,
    launch,
};
use kernel_args_tests::{
    driver::{context, device, trial},
    saxpy::Pointers,
};
use libtest_mimic::Trial;
use std::{fmt::Debug, sync::Arc, thread};

/// An error that names both contexts: the expected one and the actual one.
fn names_both<T: Debug>(result: Result<T, Error>, expected: &CudaContext, found: &CudaContext) {
    let error = result.expect_err("two contexts are mixed");
    let text = error.to_string();
    let contexts = match &error {
        Error::Context(
            ContextError::OtherContextArgument { contexts, .. }
            | ContextError::OtherContextFunction { contexts, .. }
            | ContextError::OtherContextStream(contexts),
        ) => contexts,
        Error::Graph(_) | Error::Launch(LaunchError::Limit(_)) => {
            for context in [expected, found] {
                let address = format!("{:#x}", ContextName::of(context).handle());
                let name = ContextName::of(context).to_string();
                assert!(text.contains(&name) || text.contains(&address), "{text}");
            }
            return;
        }
        other => panic!("{other}"),
    };
    assert_eq!(contexts.expected, ContextName::of(expected), "{text}");
    assert_eq!(contexts.found, ContextName::of(found), "{text}");
    assert!(text.contains(&contexts.expected.to_string()), "{text}");
    assert!(text.contains(&contexts.found.to_string()), "{text}");
    assert!(text.contains("help: "), "{text}");
}

/// A raw function for a different thread.
struct Raw(CUfunction);

// SAFETY: the driver's handles may be used from any thread.
unsafe impl Send for Raw {}

fn both() -> Result<[Arc<CudaContext>; 2], Error> {
    Ok([context()?, create_context(device(), ContextFlags::new())?])
}

fn slices_and_streams() -> Outcome {
    let [primary, own] = both()?;
    for (here, there) in [(&primary, &own), (&own, &primary)] {
        let kernel = Kernel::<Saxpy>::load(here)?;
        let (mut ours, mut theirs) = (Counted::new(&here.default_stream())?, Counted::new(&there.default_stream())?);
        let stream = there.new_stream()?;
        // SAFETY: nothing is launched, here and below.
        names_both(unsafe { launch!(kernel, 8, 128, theirs.args()) }, here, there);
        let args = Saxpy { n: N, alpha: 1.0, x: &ours.x, y: &mut theirs.y };
        // SAFETY: nothing is launched.
        names_both(unsafe { launch!(kernel, 8, 128, args) }, here, there);
        // SAFETY: nothing is launched.
        let launched = unsafe { launch!(kernel, 8, 128, ours.args(), stream = &stream) };
        names_both(launched, here, there);

        let mut list = ArgList::new();
        list.push(N).push(1.0_f32).push(&ours.x).push(&mut theirs.y);
        let function = kernel.as_function();
        // SAFETY: nothing is launched.
        names_both(unsafe { launch!(function, 8, 128, list) }, here, there);

        // cudarc's function and a raw function: the context is the stream's or the current one.
        let module = here.load_module(Ptx::from_src(SAXPY))?;
        let function = module.load_function("saxpy")?;
        // SAFETY: nothing is launched.
        names_both(unsafe { launch!(function, 8, 128, theirs.args()) }, here, there);
        // SAFETY: nothing is launched.
        let launched = unsafe { launch!(function, 8, 128, ours.args(), stream = &stream) };
        names_both(launched, here, there);
        here.bind_to_thread()?;
        let raw = function.cu_function();
        // SAFETY: nothing is launched.
        names_both(unsafe { launch!(raw, 8, 128, theirs.args()) }, here, there);

        // Without a current context, the context of a raw launch is the context of the first argument.
        let (x, y, raw) = (&ours.x, &mut theirs.y, Raw(raw));
        let launched = thread::scope(|scope| {
            let launch = scope.spawn(move || {
                let args = Saxpy { n: N, alpha: 1.0, x, y };
                // SAFETY: nothing is launched.
                unsafe { launch!({ raw }.0, 8, 128, args) }
            });
            launch.join()
        });
        let launched = launched.map_err(|_| "the launch panicked")?;
        names_both(launched, here, there);
        ours.added(0)?;
        theirs.added(0)?;
    }
    Ok(())
}

fn modules_and_functions() -> Outcome {
    let [primary, own] = both()?;
    for (here, there) in [(&primary, &own), (&own, &primary)] {
        let module = here.load_module(Ptx::from_src(SAXPY))?;
        let function = module.load_function("saxpy")?;
        let kernel = Kernel::<Saxpy>::from_function(there, function.clone());
        names_both(kernel, here, there);
        let untyped = Function::from_cudarc(there, function, SAXPY).map(drop);
        names_both(untyped, here, there);
        let adopted = Module::from_cudarc(there, module, SAXPY)?;
        names_both(adopted.kernel::<Saxpy>("saxpy"), here, there);
    }
    Ok(())
}

fn graphs_and_events() -> Outcome {
    let [primary, own] = both()?;
    for (here, there) in [(&primary, &own), (&own, &primary)] {
        let kernel = Kernel::<Pointers>::from_image(there, SAXPY, "saxpy")?;
        let mut graph = Graph::new(here)?;
        let added = graph.add_kernel(&kernel, 1, 32, Pointers::NONE, &[]);
        names_both(added.map(drop), here, there);

        let kernel = Kernel::<Pointers>::from_image(here, SAXPY, "saxpy")?;
        graph.add_kernel(&kernel, 1, 32, Pointers::NONE, &[])?;
        let mut exec = graph.instantiate()?;
        // SAFETY: nothing is launched.
        names_both(unsafe { exec.launch(&there.new_stream()?) }, here, there);

        let (stream, event) = (here.new_stream()?, there.new_event(None)?);
        // SAFETY: nothing is launched.
        let launched =
            unsafe { launch!(kernel, 1, 32, Pointers::NONE, stream = &stream, launch_completion_event = &event) };
        names_both(launched, here, there);
    }
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("foreign/slices_and_streams", slices_and_streams),
        trial("foreign/modules_and_functions", modules_and_functions),
        trial("foreign/graphs_and_events", graphs_and_events),
    ]
}

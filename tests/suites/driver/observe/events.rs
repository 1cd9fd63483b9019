//! Events other than launches on a stream: captures, graphs, sequences, loads, compilations, errors.

use crate::observe::seen::{self, Log, Moment, Outcome, Seen, launched, taken};
use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel, Module,
    compile::CompileOptions,
    graph::Graph,
    image::JitOptions,
    launch,
    sequence::{RunMode, Sequence},
};
use kernel_args_test_generator::tools;
use kernel_args_tests::{
    driver::{context, trial},
    nvrtc::NVRTC,
    saxpy::{Pointers, SAXPY},
};
use libtest_mimic::Trial;
use std::{fs, mem, slice};

const NOTHING: Pointers = Pointers { n: 0, alpha: 3.5, x: DevicePointer::NULL, y: DevicePointerMut::NULL };

fn a_graph_is_one_event_for_each_launch() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel: Kernel<Pointers> = Kernel::from_image(&ctx, SAXPY, "saxpy")?;
    let (_installed, log) = seen::install();
    let mut graph = Graph::new(&ctx)?;
    graph.add_kernel(&kernel, 1, 32, NOTHING, &[])?;
    let mut exec = graph.instantiate()?;
    assert_eq!(taken(&log)?, []);
    for _ in 0..2 {
        // SAFETY: `n` is 0, so the kernel accesses nothing.
        unsafe { exec.launch(&stream)? };
        let expected = Seen::Graph {
            exec: exec.cu_graph_exec() as usize,
            graph: exec.cu_graph() as usize,
            stream: stream.cu_stream() as usize,
        };
        assert_eq!(taken(&log)?, [expected]);
    }
    stream.synchronize()?;
    Ok(())
}

fn a_captured_launch_is_a_launch() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel: Kernel<Pointers> = Kernel::from_image(&ctx, SAXPY, "saxpy")?;
    let (_installed, log) = seen::install();
    let mut seen = None;
    let captured = Graph::capture(&stream, || -> Result<(), Error> {
        // SAFETY: `n` is 0, so the kernel accesses nothing.
        unsafe { launch!(kernel, 1, 32, NOTHING, stream = &stream)? };
        let first = launched(&log);
        // SAFETY: the same.
        drop(unsafe { launch!(kernel, 1, 32, NOTHING, node, stream = &stream)? });
        seen = Some((first, launched(&log)));
        Ok(())
    });
    drop(captured?);
    let (first, second) = seen.ok_or("nothing was captured")?;
    let (first, second) = (first?, second?);
    for launch in [first, second] {
        assert_eq!(launch.text, "n = 0, alpha = 3.5, x = null, y = null");
        assert_eq!(launch.stream.0, stream.cu_stream() as usize);
    }
    assert_eq!(taken(&log)?, []);
    Ok(())
}

fn a_sequence_records_launches_and_then_runs() -> Outcome {
    let ctx = context()?;
    let stream = ctx.new_stream()?;
    let kernel: Kernel<Pointers> = Kernel::from_image(&ctx, SAXPY, "saxpy")?;
    let raw = kernel.cu_function();
    let mut sequence = Sequence::new(&stream);
    let (installed, log) = seen::install();
    for run in 0..3 {
        sequence.run(|s| {
            // SAFETY: `n` is 0, so the kernel accesses nothing.
            unsafe { launch!(kernel, 1, 32, NOTHING, stream = s)? };
            // SAFETY: the same.
            unsafe { launch!(raw, 2, 64, NOTHING, stream = s) }
        })?;
        let events = taken(&log)?;
        let [Seen::Launch(first), Seen::Launch(second), last] = events.as_slice() else {
            return Err(format!("run {run}: {events:#?}").into());
        };
        for (launch, grid) in [(first, 1), (second, 2)] {
            assert!(launch.is_recorded);
            assert_eq!((&*launch.name, launch.grid.x), ("saxpy", grid));
            assert_eq!(launch.text, "n = 0, alpha = 3.5, x = null, y = null");
            assert_eq!(launch.stream.0, stream.cu_stream() as usize);
        }
        let expected = Seen::Sequence { steps: 2, stream: stream.cu_stream() as usize };
        assert_eq!(last, &expected);
    }
    // An empty run enqueues nothing.
    sequence.run(|_| Ok(()))?;
    assert_eq!(taken(&log)?, []);
    // Without an observer the launches are recorded as before.
    drop(installed);
    // SAFETY: `n` is 0, so the kernel accesses nothing.
    sequence.run(|s| unsafe { launch!(kernel, 1, 32, NOTHING, stream = s) })?;
    assert_eq!(taken(&log)?, []);
    assert!(matches!(sequence.mode(), RunMode::Built), "{:?}", sequence.mode());
    stream.synchronize()?;
    Ok(())
}

/// The driver receives PTX with a NUL at its end.
fn images_are_loaded_and_linked_with_their_names() -> Outcome {
    let ctx = context()?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("saxpy.ptx");
    fs::write(&file, SAXPY)?;
    let (_installed, log) = seen::install();
    Module::load(&ctx, SAXPY)?;
    let memory = Seen::Load { name: None, images: vec![SAXPY.len() + 1] };
    assert_eq!(taken(&log)?, slice::from_ref(&memory));
    Module::load(&ctx, file.as_path())?;
    let from_file = Seen::Load { name: file.to_str().map(str::to_owned), images: vec![SAXPY.len() + 1] };
    assert_eq!(taken(&log)?, [from_file]);
    Module::load_with_cudarc(&ctx, SAXPY)?;
    assert_eq!(taken(&log)?, [memory]);
    let other = SAXPY.replace("saxpy", "another");
    Module::link(&ctx, [SAXPY.into(), (&other).into()], &JitOptions::new())?;
    let linked = Seen::Load { name: None, images: vec![SAXPY.len() + 1, other.len() + 1] };
    assert_eq!(taken(&log)?, [linked]);
    Ok(())
}

/// The only event, and its error.
fn failed(log: &Log) -> Result<(Seen, String), String> {
    let mut seen = log.lock().map_err(|error| error.to_string())?;
    match mem::take(&mut *seen).as_slice() {
        [(Moment::Before, before), (Moment::After(Err(error)), after)] if before == after => {
            Ok((before.clone(), error.clone()))
        }
        other => Err(format!("not one event that failed: {other:#?}")),
    }
}

fn an_error_of_the_driver_is_observed() -> Outcome {
    let ctx = context()?;
    let kernel: Kernel<Pointers> = Kernel::from_image(&ctx, SAXPY, "saxpy")?;
    let raw = kernel.cu_function();
    let stream = ctx.new_stream()?;
    let (_installed, log) = seen::install();
    // SAFETY: the driver rejects the launch.
    let launched = unsafe { launch!(raw, 1, 4096, NOTHING, stream = &stream) };
    let error = launched.expect_err("the driver rejects it");
    let (event, observed) = failed(&log)?;
    assert!(matches!(event, Seen::Launch(_)), "{event:?}");
    assert_eq!(observed, error.to_string());
    assert!(observed.contains("4096"), "{observed}");
    // A launch that is rejected before the driver is called is not an event.
    // SAFETY: this crate rejects the launch.
    let launched = unsafe { launch!(kernel, 1, 4096, NOTHING, stream = &stream) };
    assert!(launched.is_err());
    assert_eq!(taken(&log)?, []);
    Ok(())
}

const SOURCE: &str = "extern \"C\" __global__ void saxpy(unsigned n, float alpha, float const* x, float* y) {}";

fn a_source_is_compiled_and_then_loaded() -> Outcome {
    let ctx = context()?;
    let options = CompileOptions::new().name("observed.cu");
    let (_installed, log) = seen::install();
    let module = Module::compile(&ctx, SOURCE, &options)?;
    let events = taken(&log)?;
    let compiled = Seen::Compile { name: "observed.cu".to_owned(), source: SOURCE.to_owned(), has_cache: false };
    let [first, Seen::Load { name, .. }] = events.as_slice() else {
        return Err(format!("{events:#?}").into());
    };
    assert_eq!(first, &compiled);
    assert_eq!(name.as_deref(), Some("observed.cu"));
    let kernel = module.kernel::<Pointers>("saxpy")?;
    // SAFETY: the kernel does nothing.
    unsafe { launch!(kernel, 1, 32, NOTHING)? };
    assert_eq!(launched(&log)?.module.as_deref(), Some("observed.cu"));
    let error = Module::compile(&ctx, "no source", &options).expect_err("it has an error");
    let (event, observed) = failed(&log)?;
    assert!(matches!(event, Seen::Compile { .. }), "{event:?}");
    assert_eq!(observed, error.to_string());
    Ok(())
}

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("a_graph_is_one_event_for_each_launch", a_graph_is_one_event_for_each_launch),
        trial("a_captured_launch_is_a_launch", a_captured_launch_is_a_launch),
        trial("a_sequence_records_launches_and_then_runs", a_sequence_records_launches_and_then_runs),
        trial("images_are_loaded_and_linked_with_their_names", images_are_loaded_and_linked_with_their_names),
        trial("an_error_of_the_driver_is_observed", an_error_of_the_driver_is_observed),
        tools::trial("a_source_is_compiled_and_then_loaded", &[NVRTC], a_source_is_compiled_and_then_loaded),
    ]
}

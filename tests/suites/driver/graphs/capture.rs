//! Captured graphs: the nodes of launches, slices that cudarc tracks, and captures that end early.

use crate::graphs::{
    errors::says,
    saxpy::{N, Outcome, SAXPY, Saxpy, World},
};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode, CUstreamCaptureStatus};
use kernel_args::{
    Error, Kernel, Launch,
    graph::{Graph, Node},
    launch,
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    thread,
    time::Duration,
};

type Nodes = Vec<Node<crate::graphs::saxpy::Owned>>;

fn captured(world: &World, alphas: &[f32]) -> Outcome<(Graph, Nodes)> {
    let mut nodes = Vec::new();
    let (kernel, stream) = (&world.kernel, &world.stream);
    let graph = Graph::capture(stream, || -> Result<(), Error> {
        for &alpha in alphas {
            // SAFETY: both slices have `N` elements, on one stream.
            nodes.push(unsafe { launch!(kernel, 1, 32, world.args(alpha), node, stream = stream, shared = 64) }?);
        }
        Ok(())
    })?;
    Ok((graph, nodes))
}

fn each_launch_is_a_node() -> Outcome {
    let world = World::new()?;
    let (graph, nodes) = captured(&world, &[1.0, 2.0, 4.0])?;
    world.y_is(0.0)?;
    let mut exec = graph.instantiate()?;
    world.launch(&mut exec, 7.0)?;
    for (node, disabled) in nodes.iter().zip([1.0, 2.0, 4.0]) {
        exec.set_enabled(node, false)?;
        world.run(&mut exec)?;
        exec.set_enabled(node, true)?;
        let before = world.stream.clone_dtoh(&*world.y)?[0];
        exec.update(node, 1, 32, world.args(disabled + 10.0))?;
        world.run(&mut exec)?;
        let after = world.stream.clone_dtoh(&*world.y)?[0];
        exec.update(node, 1, 32, world.args(disabled))?;
        assert!((after - before - 17.0).abs() < 1e-6, "{before} to {after}");
    }
    Ok(())
}

/// cudarc tracks slices if there are two streams. A launch that waited for them would end the capture.
fn tracked_slices_are_captured() -> Outcome {
    let world = World::new()?;
    let kernel = Kernel::<Saxpy<'_>>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let home = world.ctx.new_stream()?;
    let x = home.clone_htod(&[1.0_f32; N])?;
    let mut y = world.stream.clone_htod(&[0.0_f32; N])?;
    assert!(world.ctx.is_managing_stream_synchronization());
    let mut node = None;
    let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
        let args = Saxpy { n: N as u32, alpha: 2.0, x: &x, y: &mut y };
        let launch = Launch::new(1, 32).stream(&world.stream);
        // SAFETY: both slices have `N` elements and outlive the graph, which is launched after they are written.
        node = Some(unsafe { kernel.capture_unretained(launch, args) }?);
        Ok(())
    })?;
    let node = node.ok_or("nothing was captured")?;
    world.ctx.synchronize()?;
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    assert_eq!(world.stream.clone_dtoh(&y)?, [2.0; N]);
    let args = Saxpy { n: N as u32, alpha: 5.0, x: &x, y: &mut y };
    // SAFETY: both slices have `N` elements and outlive the graph.
    unsafe { exec.update_unretained(&node, Launch::new(1, 32), args) }?;
    world.ctx.synchronize()?;
    world.run(&mut exec)?;
    assert_eq!(world.stream.clone_dtoh(&y)?, [7.0; N]);
    world.ctx.synchronize()?;
    drop(exec);
    // The context has no pending error for the next call.
    world.ctx.check_err()?;
    Ok(())
}

/// Without `node` the launch would wait on the captured stream, which ends the capture. It is refused before. The error
/// contains the code to write.
fn the_error_of_a_plain_launch_contains_the_correction() -> Outcome {
    let world = World::new()?;
    let kernel = Kernel::<Saxpy<'_>>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let home = world.ctx.new_stream()?;
    let x = home.clone_htod(&[1.0_f32; N])?;
    let mut y = home.clone_htod(&[0.0_f32; N])?;
    let mut said = String::new();
    let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
        let args = Saxpy { n: N as u32, alpha: 2.0, x: &x, y: &mut y };
        // SAFETY: both slices have `N` elements.
        said = match unsafe { launch!(kernel, 1, 32, args, stream = &world.stream) } {
            Ok(()) => return Ok(()),
            Err(error) => error.to_string(),
        };
        Ok(())
    });
    assert!(said.contains("help: ") && said.contains(", node, "), "{said}");
    assert!(graph?.nodes()?.is_empty());
    Ok(())
}

fn is_free(world: &World) -> Outcome {
    let status = world.stream.capture_status()?;
    assert_eq!(status, CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE);
    world.stream.synchronize()?;
    Ok(())
}

fn a_capture_ends_whatever_happens() -> Outcome {
    let world = World::new()?;
    let failed = Graph::capture(&world.stream, || Err::<(), Error>(Error::NoDriver));
    assert!(matches!(failed, Err(Error::NoDriver)));
    is_free(&world)?;
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _ = Graph::capture(&world.stream, || -> Result<(), Error> { resume_unwind(Box::new("of the test")) });
    }));
    assert!(panicked.is_err());
    is_free(&world)?;
    // An inner capture is rejected, and the outer capture continues.
    let (graph, inner) = {
        let mut inner = None;
        let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
            inner = Graph::capture(&world.stream, || Ok::<(), Error>(())).err();
            Ok(())
        })?;
        (graph, inner)
    };
    let inner = inner.ok_or("a stream was captured twice")?.to_string();
    assert!(inner.contains("already being captured"), "{inner}");
    drop(graph);
    is_free(&world)
}

/// A different thread drops what a graph has retained: memory of the stream, which is being captured.
fn nothing_is_dropped_in_a_capture() -> Outcome {
    let world = World::new()?;
    for _ in 0..20 {
        let mut before = Graph::new(&world.ctx)?;
        before.retain(world.stream.alloc_zeros::<f32>(N)?)?;
        let graph = Graph::capture(&world.stream, || {
            drop(before);
            thread::sleep(Duration::from_millis(2));
            Ok::<(), Error>(())
        })?;
        assert_eq!(graph.nodes()?.len(), 0);
    }
    Ok(())
}

/// Only `Graph::capture` returns a graph of which a launch can be a node.
fn a_capture_of_cudarc() -> Outcome {
    let world = World::new()?;
    let stream = &world.stream;
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    // SAFETY: both slices have `N` elements, on one stream.
    let node = unsafe { launch!(world.kernel, 1, 32, world.args(1.0), node, stream = stream) };
    // SAFETY: as above.
    let launched = unsafe { launch!(world.kernel, 1, 32, world.args(2.0), stream = stream) };
    let graph = stream.end_capture(CUgraphInstantiate_flags(0))?;
    says(node, &["kernel `saxpy`", "`Graph::capture` has not begun the capture", "launch inside `Graph::capture"])?;
    launched?;
    // The refused launch is not part of the graph.
    graph.ok_or("nothing was captured")?.launch()?;
    world.y_is(2.0)
}

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("each_captured_launch_is_a_node", each_launch_is_a_node),
        trial("tracked_slices_are_captured", tracked_slices_are_captured),
        trial("a_plain_launch_in_a_capture_says_what_to_write", the_error_of_a_plain_launch_contains_the_correction),
        trial("a_capture_ends_whatever_happens", a_capture_ends_whatever_happens),
        trial("a_capture_of_cudarc", a_capture_of_cudarc),
        trial("nothing_is_dropped_in_a_capture", nothing_is_dropped_in_a_capture),
    ]
}

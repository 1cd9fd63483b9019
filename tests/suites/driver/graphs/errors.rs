//! The error for each mistake with a graph. A mistake does not change the graph.

use crate::graphs::saxpy::{LAUNCH, N, Outcome, SAXPY, Saxpy, World};
use kernel_args::{
    Error, Kernel, Launch, Retained,
    args::Form,
    error::LaunchError,
    graph::{Graph, GraphExec, Node},
    launch,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, trial, trial_unless};
use libtest_mimic::Trial;

pub(crate) fn says<T>(result: Result<T, Error>, words: &[&str]) -> Outcome {
    let error = match result {
        Ok(_) => return Err(format!("no error contains {words:?}").into()),
        Err(error) => error.to_string(),
    };
    for word in words.iter().chain(&["\nhelp: "]) {
        if !error.contains(word) {
            return Err(format!("no `{word}` in: {error}").into());
        }
    }
    Ok(())
}

fn instantiated(world: &World) -> Outcome<(GraphExec, Node<crate::graphs::saxpy::Owned>)> {
    let mut graph = Graph::new(&world.ctx)?;
    let node = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1.0), &[])?;
    Ok((graph.instantiate()?, node))
}

fn nodes_of_other_graphs() -> Outcome {
    const OTHER: &str = "belongs to another graph";
    let world = World::new()?;
    let (mut exec, node) = instantiated(&world)?;
    let (other, stranger) = instantiated(&world)?;
    says(exec.update(&stranger, 1, 32, world.args(2.0)), &["kernel `saxpy`", "not updated", OTHER])?;
    says(exec.set_enabled(&stranger, false), &[OTHER])?;
    says(exec.is_enabled(&stranger), &[OTHER])?;
    let mut graph = Graph::new(&world.ctx)?;
    says(
        graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1.0), &[node.any()]),
        &["not added", "index 0", OTHER],
    )?;
    let y = Retained::write(&world.y).pointer();
    says(graph.add_memset(y, 0, N, &[node.any()]), &["index 0", OTHER])?;
    // A destroyed graph, whose handle the driver may reuse.
    drop(other);
    let (mut next, _) = instantiated(&world)?;
    says(next.update(&stranger, 1, 32, world.args(2.0)), &[OTHER])?;
    says(graph.make_device_updatable(&stranger), &[OTHER])?;
    // None of these calls has changed anything.
    // SAFETY: both slices have `N` elements, on one stream.
    unsafe { exec.launch(&world.stream) }?;
    world.y_is(1.0)
}

fn limits() -> Outcome {
    let world = World::new()?;
    let (mut exec, node) = instantiated(&world)?;
    let mut graph = Graph::new(&world.ctx)?;
    for (launch, words) in [
        (Launch::new(0, 32), ["grid (0, 1, 1)", "at least one block"]),
        (Launch::new(1, 0), ["block (0, 1, 1)", "at least one thread"]),
        (Launch::new(1, 2048), ["block (2048, 1, 1)", "at most"]),
        (Launch::new((1, 70_000), 1), ["70000", "at most"]),
        (LAUNCH().shared(400 * 1024), ["shared memory", "at most"]),
        (LAUNCH().stream(&world.stream), ["node of a graph has no stream", ""]),
    ] {
        says(exec.update_launch(&node, launch, world.args(2.0)), &words)?;
        says(graph.add_kernel_launch(&world.kernel, launch, world.args(2.0), &[]), &words)?;
    }
    let attributes = LAUNCH().priority(-1);
    says(
        exec.update_launch(&node, attributes, world.args(2.0)),
        &["cannot change the launch attributes", "remove them"],
    )?;
    // More than 48 KiB is allowed, as in a launch.
    exec.update_launch(&node, LAUNCH().shared(64 * 1024), world.args(2.0))?;
    let y = Retained::write(&world.y).pointer();
    says(graph.add_memset(y, 0, 0, &[]), &["no elements to copy or to set"])?;
    says(graph.add_memset(y, 0, usize::MAX / 2, &[]), &["not of bytes"])?;
    says(graph.add_memcpy_htod(y, Vec::<f32>::new(), &[]), &["no elements to copy or to set"])?;
    world.launch(&mut exec, 2.0)
}

fn a_launch_on_a_captured_stream() -> Outcome {
    let world = World::new()?;
    let (mut exec, _) = instantiated(&world)?;
    let captured = Graph::capture(&world.stream, || -> Result<(), Error> {
        // SAFETY: both slices have `N` elements.
        unsafe { exec.launch(&world.stream) }
    });
    says(captured, &["not launched", "a stream that is being captured"])?;
    // The state of the stream has not changed.
    world.launch(&mut exec, 1.0)
}

fn captures() -> Outcome {
    let world = World::new()?;
    let kernel = &world.kernel;
    // SAFETY: nothing is launched.
    let without_stream = unsafe { launch!(kernel, 1, 32, world.args(1.0), node) };
    says(without_stream, &["not being captured"])?;
    // SAFETY: as above.
    let not_captured = unsafe { launch!(kernel, 1, 32, world.args(1.0), node, stream = &world.stream) };
    says(not_captured, &["kernel `saxpy`", "the stream is not being captured", "Graph::capture"])?;
    world.y_is(0.0)?;
    says(Graph::capture(&world.ctx.default_stream(), || Ok(())), &["did not begin", "ctx.new_stream()"])?;
    // An error before the driver is called does not end the capture.
    let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
        // SAFETY: as above.
        let refused = unsafe { launch!(kernel, 1, 5000, world.args(1.0), node, stream = &world.stream) };
        assert!(matches!(refused, Err(Error::Launch(LaunchError::Limit(_)))), "{refused:?}");
        // SAFETY: both slices have `N` elements, on one stream.
        let node = unsafe { launch!(kernel, 1, 32, world.args(1.0), node, stream = &world.stream) };
        node.map(drop)
    })?;
    // SAFETY: as above.
    unsafe { graph.instantiate()?.launch(&world.stream) }?;
    world.y_is(1.0)?;
    // Synchronizing ends it, and the next calls report this.
    let broken = Graph::capture(&world.stream, || -> Result<(), Error> {
        let _ = world.stream.synchronize();
        // SAFETY: as above.
        let refused = unsafe { launch!(kernel, 1, 32, world.args(1.0), node, stream = &world.stream) };
        says(refused, &["kernel `saxpy`", "ended the capture"]).expect("the error");
        Ok(())
    });
    says(broken, &["(901)", "ended the capture"])?;
    // cudarc's copies wait for the stream.
    let slice = world.stream.clone_htod(&[1.0_f32; N])?;
    let copied = Graph::capture(&world.stream, || world.stream.clone_dtoh(&slice).map(drop).or(Ok(())));
    says(copied, &["(901)", "cudarc's copies to and from a `Vec`", "copy before or after the capture"])?;
    // cudarc reports the error of the copy once more.
    let _ = world.ctx.check_err();
    world.ctx.synchronize()?;
    Ok(())
}

/// The graph does not keep them. cudarc would make the launch wait for the copies that wrote them, which are not
/// captured.
fn a_capture_of_borrowed_slices() -> Outcome {
    let world = World::new()?;
    let kernel = Kernel::<Saxpy<'_>>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let copied = world.ctx.new_stream()?;
    let (x, mut y) = (copied.clone_htod(&[1.0; N])?, copied.clone_htod(&[0.0; N])?);
    let captured = Graph::capture(&world.stream, || {
        let args = Saxpy { n: 32, alpha: 1.0, x: &x, y: &mut y };
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(kernel, 1, 32, args, stream = &world.stream) }
    });
    says(captured, &["kernel `saxpy` was not captured", "the memory of `x`", "node, stream = &stream)`"])?;
    // Where the caller promises the memory, the wait is the driver's error.
    let work = || {
        let args = Saxpy { n: 32, alpha: 1.0, x: &x, y: &mut y };
        // SAFETY: both slices have `N` elements.
        unsafe { launch!(kernel, 1, 32, args, stream = &world.stream) }
    };
    // SAFETY: the slices outlive the graph.
    let captured = unsafe { Graph::capture_unretained(&world.stream, work) };
    says(
        captured,
        &["kernel `saxpy` was not captured", "CUDA_ERROR_STREAM_CAPTURE_ISOLATION (905)", "node, stream = &stream)`"],
    )?;
    world.ctx.synchronize()?;
    Ok(())
}

/// An error of the driver is shown with the arguments.
fn rejections() -> Outcome {
    let control = Control::attach().ok_or("this is not the test driver")?;
    let world = World::new()?;
    let (mut exec, node) = instantiated(&world)?;
    control.fail_once("cuGraphExecKernelNodeSetParams_v2", 1);
    says(
        exec.update(&node, 1, 32, world.args(2.5)),
        &[
            "kernel `saxpy`: the node was not updated",
            "(1)",
            "grid (1, 1, 1), block (32, 1, 1)",
            "alpha",
            "2.5",
            "create a new graph",
        ],
    )?;
    let mut graph = Graph::new(&world.ctx)?;
    control.fail_once("cuGraphAddKernelNode_v2", 1);
    says(
        graph.add_kernel_launch(&world.kernel, LAUNCH().form(Form::Packed), world.args(1.5), &[]),
        &["not added", "(1)", "alpha", "1.5"],
    )?;
    // This graph leaves no memory.
    control.fail_once("cuGraphLaunch", 1);
    // SAFETY: both slices have `N` elements, on one stream.
    let rejected = unsafe { exec.launch(&world.stream) };
    says(rejected, &["not launched", "(1)", "compare the grids"])?;
    world.launch(&mut exec, 1.0)
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let name = |what: &str| format!("errors/{what}");
    vec![
        trial(name("nodes_of_other_graphs"), nodes_of_other_graphs),
        trial(name("limits"), limits),
        trial(name("captures"), captures),
        trial(name("a_capture_of_borrowed_slices"), a_capture_of_borrowed_slices),
        trial(name("a_launch_on_a_captured_stream"), a_launch_on_a_captured_stream),
        trial_unless(driver.is_real().then_some("this machine has its own GPU"), name("rejections"), rejections),
    ]
}

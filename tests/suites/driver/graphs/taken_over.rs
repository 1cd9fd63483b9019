//! Graphs that cudarc has captured and that `GraphExec::from_cudarc` takes over: their context, their nodes, and launches from
//! before.

use crate::graphs::{
    errors::says,
    saxpy::{N, Outcome, Owned, SAXPY, World, a_while, soon},
};
use cudarc::driver::{
    CudaGraph, CudaSlice,
    result::stream::launch_host_function,
    sys::{CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use kernel_args::{
    Error, Kernel, Launch, Retained,
    context::{ContextFlags, ContextName, create_context},
    graph::{Graph, GraphExec, Node},
    launch,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, trial};
use libtest_mimic::Trial;
use std::{
    ffi::c_void,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

const OTHER: &str = "belongs to another graph";

/// What cudarc captures while `work` runs.
fn captured(world: &World, work: impl FnOnce() -> Result<(), Error>) -> Outcome<CudaGraph> {
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    world.stream.begin_capture(mode)?;
    let worked = work();
    let graph = world.stream.end_capture(CUgraphInstantiate_flags(0))?;
    worked?;
    Ok(graph.ok_or("nothing was captured")?)
}

/// A graph with a single node.
fn with_node(world: &World, args: Owned) -> Outcome<(CudaGraph, Node<Owned>)> {
    let mut node = None;
    let graph = captured(world, || {
        // SAFETY: both slices have `N` elements, on one stream.
        node = Some(unsafe { launch!(world.kernel, 1, 32, args, node, stream = &world.stream) }?);
        Ok(())
    })?;
    Ok((graph, node.ok_or("nothing was captured")?))
}

/// A graph with a single launch, whose node is not known.
fn without_node(world: &World) -> Outcome<CudaGraph> {
    captured(world, || {
        // SAFETY: both slices have `N` elements, on one stream.
        unsafe { launch!(world.kernel, 1, 32, world.args(1.0), stream = &world.stream) }
    })
}

fn memory(world: &World) -> Outcome<Arc<CudaSlice<f32>>> {
    let memory = world.stream.clone_htod(&[1.0; N])?;
    world.ctx.synchronize()?;
    Ok(Arc::new(memory))
}

fn with_x(world: &World, x: &Arc<CudaSlice<f32>>) -> Owned {
    Owned { x: Retained::read(x), ..world.args(1.0) }
}

fn is_held(x: &Arc<CudaSlice<f32>>, what: &str) {
    a_while();
    Graph::wait_until_released();
    assert_eq!(Arc::strong_count(x), 2, "{what} is not held");
}

fn freed(x: &Arc<CudaSlice<f32>>) -> Outcome {
    soon("the release of the memory", || Arc::strong_count(x) == 1)
}

/// cudarc can have launched the graph, and its launch can still be running. cudarc does not report the stream.
fn an_earlier_launch_may_be_running() -> Outcome {
    let world = World::new()?;
    let [first, second, third] = [memory(&world)?, memory(&world)?, memory(&world)?];
    let (graph, node) = with_node(&world, with_x(&world, &first))?;
    graph.launch()?;
    let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
    exec.update(&node, 1, 32, with_x(&world, &second))?;
    is_held(&first, "the memory of an earlier launch");
    // No launch has used the second memory.
    exec.update(&node, 1, 32, with_x(&world, &third))?;
    freed(&second)?;
    is_held(&first, "the memory of an earlier launch");
    // This launch runs after all earlier launches.
    // SAFETY: all slices have `N` elements, on one stream.
    unsafe { exec.launch(&world.stream) }?;
    is_held(&first, "the memory of an earlier launch");
    exec.update(&node, 1, 32, with_x(&world, &second))?;
    freed(&third)?;
    // Numbers and raw pointers own nothing: the update releases the memory of the update before.
    // SAFETY: `world` keeps the memory allocated.
    unsafe { exec.update_unretained(&node, Launch::new(1, 32), world.args(1.0)) }?;
    freed(&second)?;
    exec.update(&node, 1, 32, with_x(&world, &second))?;
    is_held(&second, "the memory of the next launch");
    is_held(&first, "the memory of the capture");
    drop(exec);
    freed(&first)?;
    freed(&second)
}

/// The event that would show the end of the last launch cannot be recorded.
fn an_update_while_the_stream_is_captured() -> Outcome {
    let world = World::new()?;
    let [first, second] = [memory(&world)?, memory(&world)?];
    let (graph, node) = with_node(&world, world.args(1.0))?;
    let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
    exec.update(&node, 1, 32, with_x(&world, &first))?;
    // SAFETY: all slices have `N` elements, on one stream.
    unsafe { exec.launch(&world.stream) }?;
    let updated = captured(&world, || {
        exec.update(&node, 1, 32, with_x(&world, &second))?;
        is_held(&first, "the memory of the last launch");
        Ok(())
    });
    drop(updated?);
    // Now an event after the launch can be recorded.
    Graph::wait_until_released();
    freed(&first)?;
    drop(exec);
    freed(&second)
}

/// Each use of `stale` in `exec` is rejected, and `x` is not retained.
fn rejected(world: &World, exec: &mut GraphExec, stale: &Node<Owned>, x: &Arc<CudaSlice<f32>>) -> Outcome {
    let count = Arc::strong_count(x);
    says(exec.update(stale, 1, 32, with_x(world, x)), &[OTHER])?;
    let launch = Launch::new(1, 32);
    says(exec.update_launch(stale, launch, with_x(world, x)), &[OTHER])?;
    says(exec.update_all([(stale, launch, with_x(world, x))]), &[OTHER])?;
    // SAFETY: `world` keeps the memory alive.
    let unretained = unsafe { exec.update_unretained(stale, launch, world.args(5.0)) };
    says(unretained, &[OTHER])?;
    says(exec.set_enabled(stale, false), &[OTHER])?;
    says(exec.is_enabled(stale), &[OTHER])?;
    assert_eq!(Arc::strong_count(x), count, "the memory is retained");
    Ok(())
}

/// Whether the driver has given the handle of `stale` to the only kernel node of `exec`.
fn is_reused(world: &World, exec: &mut GraphExec, stale: &Node<Owned>) -> Outcome<bool> {
    let nodes = exec.kernel_nodes(&world.kernel)?;
    assert_eq!(nodes.len(), 1);
    Ok(nodes[0].cu_graph_node() == stale.cu_graph_node())
}

/// A node of a graph that no longer exists. The driver reuses its handle for a node with the same kernel.
fn a_stale_node(driver: &Driver) -> Outcome {
    let world = World::new()?;
    let (x, mut reused) = (memory(&world)?, 0);
    for _ in 0..20 {
        let (graph, of_cudarc) = with_node(&world, world.args(1.0))?;
        drop(graph);
        let mut exec = GraphExec::from_cudarc(&world.ctx, without_node(&world)?)?;
        reused += usize::from(is_reused(&world, &mut exec, &of_cudarc)?);
        rejected(&world, &mut exec, &of_cudarc, &x)?;
        drop(exec);

        let mut graph = Graph::new(&world.ctx)?;
        let added = graph.add_kernel(&world.kernel, 1, 32, world.args(1.0), &[])?;
        drop(graph);
        let mut exec = GraphExec::from_cudarc(&world.ctx, without_node(&world)?)?;
        reused += usize::from(is_reused(&world, &mut exec, &added)?);
        rejected(&world, &mut exec, &added, &x)?;
        // The graph has other nodes with the same handles.
        let (graph, own) = with_node(&world, world.args(1.0))?;
        let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
        rejected(&world, &mut exec, &added, &x)?;
        rejected(&world, &mut exec, &of_cudarc, &x)?;
        exec.update(&own, 1, 32, world.args(2.0))?;
        assert!(exec.is_enabled(&own)?);
    }
    println!("graphs: {reused} of 40 handles of nodes were reused");
    assert!(driver.is_real() || reused == 40, "{reused}");
    Ok(())
}

/// A launch of a graph that is still running until this is dropped. The driver does not release the arguments of its graph before.
enum Running {
    /// The test driver runs launches at once, but can delay the release.
    StandIn(Control),
    Gpu(Arc<AtomicBool>),
}

impl Running {
    fn launch(driver: &Driver, world: &World, graph: CudaGraph) -> Outcome<Self> {
        /// Runs in the stream until the flag is set.
        unsafe extern "C" fn wait(flag: *mut c_void) {
            // SAFETY: the pointer is from `into_raw`.
            let flag = unsafe { Arc::from_raw(flag.cast::<AtomicBool>()) };
            while !flag.load(Ordering::Acquire) {
                thread::sleep(Duration::from_millis(1));
            }
        }

        if !driver.is_real() {
            let control = Control::attach().ok_or("this is not the test driver")?;
            control.hold_destructors(true);
            return Ok(Self::StandIn(control));
        }
        let flag = Arc::new(AtomicBool::new(false));
        let stream = world.ctx.new_stream()?;
        let pointer = Arc::into_raw(flag.clone()).cast_mut().cast();
        // SAFETY: the stream is alive, and the function takes this pointer.
        unsafe { launch_host_function(stream.cu_stream(), wait, pointer) }?;
        let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
        // SAFETY: all slices have `N` elements.
        unsafe { exec.launch(&stream) }?;
        Ok(Self::Gpu(flag))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        match self {
            Self::StandIn(control) => control.hold_destructors(false),
            Self::Gpu(flag) => flag.store(true, Ordering::Release),
        }
    }
}

/// The graph is destroyed, but its launch is still running: the driver releases the arguments of its nodes later.
fn a_stale_node_whose_arguments_are_not_released(driver: &Driver) -> Outcome {
    let world = World::new()?;
    let [first, second] = [memory(&world)?, memory(&world)?];
    let other = Kernel::<Owned>::from_image(&world.ctx, SAXPY, "saxpy")?;
    let (graph, stale) = with_node(&world, with_x(&world, &first))?;
    let handle = graph.cu_graph();
    let running = Running::launch(driver, &world, graph)?;

    // An empty graph has no node with the handle.
    let graph = captured(&world, || Ok(()))?;
    let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
    rejected(&world, &mut exec, &stale, &second)?;
    drop(exec);

    // The node of the other graph launches another kernel.
    let graph = captured(&world, || {
        // SAFETY: both slices have `N` elements, on one stream.
        unsafe { launch!(other, 1, 32, world.args(1.0), stream = &world.stream) }
    })?;
    let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
    let updated = exec.update(&stale, 1, 32, with_x(&world, &second));
    says(updated, &[OTHER])?;
    drop(exec);

    // A captured node of this crate shows the difference.
    let (graph, own) = with_node(&world, world.args(1.0))?;
    assert!(driver.is_real() || graph.cu_graph() == handle);
    let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
    rejected(&world, &mut exec, &stale, &second)?;
    exec.update(&own, 1, 32, world.args(2.0))?;
    drop(running);
    freed(&first)
}

/// Nothing shows the difference. The memory stays allocated as long as the new graph uses it, even after the end of the old graph.
fn an_accepted_stale_node(driver: &Driver) -> Outcome {
    let world = World::new()?;
    let [first, second] = [memory(&world)?, memory(&world)?];
    let (graph, stale) = with_node(&world, with_x(&world, &first))?;
    let running = Running::launch(driver, &world, graph)?;
    let mut exec = GraphExec::from_cudarc(&world.ctx, without_node(&world)?)?;
    let updated = exec.update(&stale, 1, 32, with_x(&world, &second));
    assert!(driver.is_real() || updated.is_ok(), "{updated:?}");
    drop(running);
    freed(&first)?;
    if updated.is_ok() {
        is_held(&second, "the memory of an accepted node");
        // SAFETY: all slices have `N` elements, on one stream.
        unsafe { exec.launch(&world.stream) }?;
        drop(stale);
        is_held(&second, "the memory of an accepted node");
    }
    drop(exec);
    freed(&second)
}

fn in_another_context() -> Outcome {
    let world = World::new()?;
    let other = create_context(0, ContextFlags::new())?;
    let handle = |ctx| format!("{:#x}", ContextName::of(ctx).handle());
    let (graph, given) = (handle(&world.ctx), handle(&other));
    let words = ["the graph", &*graph, "given", &*given];
    let (graph, _) = with_node(&world, world.args(1.0))?;
    says(GraphExec::from_cudarc(&other, graph), &words)?;
    says(GraphExec::from_cudarc(&other, without_node(&world)?), &words)?;
    // Nothing in the graph shows its context.
    let empty = captured(&world, || Ok(()))?;
    says(GraphExec::from_cudarc(&other, empty), &words)?;
    let empty = captured(&world, || Ok(()))?;
    let mut exec = GraphExec::from_cudarc(&world.ctx, empty)?;
    // SAFETY: the graph is empty.
    unsafe { exec.launch(&world.stream) }?;
    Ok(())
}

pub(crate) fn trials(driver: &Driver) -> Vec<Trial> {
    let name = |what: &str| format!("taken_over/{what}");
    let drivers = (driver.clone(), driver.clone(), driver.clone());
    vec![
        trial(name("an_earlier_launch_may_be_running"), an_earlier_launch_may_be_running),
        trial(name("an_update_while_the_stream_is_captured"), an_update_while_the_stream_is_captured),
        trial(name("a_stale_node"), move || a_stale_node(&drivers.0)),
        trial(name("a_stale_node_whose_arguments_are_not_released"), move || {
            a_stale_node_whose_arguments_are_not_released(&drivers.1)
        }),
        trial(name("an_accepted_stale_node"), move || an_accepted_stale_node(&drivers.2)),
        trial(name("in_another_context"), in_another_context),
    ]
}

//! Graphs that cudarc has captured and that `GraphExec::from_cudarc` takes over: their context, their nodes, and launches from
//! before.

use crate::graphs::{
    errors::says,
    saxpy::{N, Outcome, Saxpy, World, a_while, soon},
};
use cudarc::driver::{
    CudaGraph, CudaSlice,
    sys::{CUgraphInstantiate_flags, CUstreamCaptureMode},
};
use kernel_args::{
    Error, Launch, Retained,
    context::{ContextFlags, ContextName, create_context},
    graph::{Graph, GraphExec, Node},
    launch,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, trial};
use libtest_mimic::Trial;
use std::sync::Arc;

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
fn with_node(world: &World, args: Saxpy) -> Outcome<(CudaGraph, Node<Saxpy>)> {
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

fn with_x(world: &World, x: &Arc<CudaSlice<f32>>) -> Saxpy {
    Saxpy {
        x: Retained::read(x),
        ..world.args(1.0)
    }
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
    freed(&first)?;
    freed(&third)?;
    is_held(&second, "the memory of the next launch");
    drop(exec);
    freed(&second)
}

fn the_memory_of_an_earlier_launch_is_freed_with_the_graph() -> Outcome {
    let world = World::new()?;
    let (first, second) = (memory(&world)?, memory(&world)?);
    let (graph, node) = with_node(&world, with_x(&world, &first))?;
    graph.launch()?;
    let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
    exec.update(&node, 1, 32, with_x(&world, &second))?;
    is_held(&first, "the memory of an earlier launch");
    drop(exec);
    freed(&first)?;
    freed(&second)
}

/// Each use of `stale` in `exec` is rejected, and `x` is not retained.
fn rejected(world: &World, exec: &mut GraphExec, stale: &Node<Saxpy>) -> Outcome {
    let x = memory(world)?;
    says(exec.update(stale, 1, 32, with_x(world, &x)), &[OTHER])?;
    let launch = Launch::new(1, 32);
    says(
        exec.update_launch(stale, launch, with_x(world, &x)),
        &[OTHER],
    )?;
    says(
        exec.update_all([(stale, launch, with_x(world, &x))]),
        &[OTHER],
    )?;
    // SAFETY: `world` keeps the memory alive.
    let unretained = unsafe { exec.update_unretained(stale, launch, world.args(5.0)) };
    says(unretained, &[OTHER])?;
    says(exec.set_enabled(stale, false), &[OTHER])?;
    says(exec.is_enabled(stale), &[OTHER])?;
    freed(&x)
}

/// Whether the driver has given the handle of `stale` to the only kernel node of `exec`.
fn is_reused(world: &World, exec: &mut GraphExec, stale: &Node<Saxpy>) -> Outcome<bool> {
    let nodes = exec.kernel_nodes(&world.kernel)?;
    assert_eq!(nodes.len(), 1);
    Ok(nodes[0].cu_graph_node() == stale.cu_graph_node())
}

/// A node of a graph that no longer exists. The driver reuses its handle for a node with the same kernel.
fn a_stale_node(driver: &Driver) -> Outcome {
    let world = World::new()?;
    let mut reused = 0;
    for _ in 0..20 {
        let (graph, of_cudarc) = with_node(&world, world.args(1.0))?;
        drop(graph);
        let mut exec = GraphExec::from_cudarc(&world.ctx, without_node(&world)?)?;
        reused += usize::from(is_reused(&world, &mut exec, &of_cudarc)?);
        rejected(&world, &mut exec, &of_cudarc)?;
        drop(exec);

        let mut graph = Graph::new(&world.ctx)?;
        let added = graph.add_kernel(&world.kernel, 1, 32, world.args(1.0), &[])?;
        drop(graph);
        let mut exec = GraphExec::from_cudarc(&world.ctx, without_node(&world)?)?;
        reused += usize::from(is_reused(&world, &mut exec, &added)?);
        rejected(&world, &mut exec, &added)?;
        // The graph has other nodes with the same handles.
        let (graph, own) = with_node(&world, world.args(1.0))?;
        let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
        rejected(&world, &mut exec, &added)?;
        rejected(&world, &mut exec, &of_cudarc)?;
        exec.update(&own, 1, 32, world.args(2.0))?;
        assert!(exec.is_enabled(&own)?);
    }
    println!("graphs: {reused} of 40 handles of nodes were reused");
    assert!(driver.is_real() || reused == 40, "{reused}");
    Ok(())
}

/// The graph is destroyed, but its launch is still running: the driver releases the arguments of its nodes later.
fn a_stale_node_whose_arguments_are_not_released(driver: &Driver) -> Outcome {
    if driver.is_real() {
        return Ok(());
    }
    let control = Control::attach().ok_or("this is not the stand-in driver")?;
    let world = World::new()?;
    let (graph, stale) = with_node(&world, world.args(1.0))?;
    control.hold_destructors(true);
    drop(graph);
    // Both graphs have the same handle.
    let (graph, own) = with_node(&world, world.args(1.0))?;
    let mut exec = GraphExec::from_cudarc(&world.ctx, graph)?;
    let refused = rejected(&world, &mut exec, &stale);
    control.hold_destructors(false);
    refused?;
    exec.update(&own, 1, 32, world.args(2.0))?;
    Ok(())
}

fn in_another_context() -> Outcome {
    let world = World::new()?;
    let other = create_context(0, ContextFlags::new())?;
    let handle = |ctx| format!("{:#x}", ContextName::of(ctx).handle());
    let (graph, given) = (handle(&world.ctx), handle(&other));
    let words = ["the graph", &*graph, "given", &*given];
    let (graph, _) = with_node(&world, world.args(1.0))?;
    says(GraphExec::from_cudarc(&other, graph), &words)?;
    says(
        GraphExec::from_cudarc(&other, without_node(&world)?),
        &words,
    )?;
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
    let drivers = (driver.clone(), driver.clone());
    vec![
        trial(
            name("an_earlier_launch_may_be_running"),
            an_earlier_launch_may_be_running,
        ),
        trial(
            name("the_memory_of_an_earlier_launch_is_freed_with_the_graph"),
            the_memory_of_an_earlier_launch_is_freed_with_the_graph,
        ),
        trial(name("a_stale_node"), move || a_stale_node(&drivers.0)),
        trial(
            name("a_stale_node_whose_arguments_are_not_released"),
            move || a_stale_node_whose_arguments_are_not_released(&drivers.1),
        ),
        trial(name("in_another_context"), in_another_context),
    ]
}

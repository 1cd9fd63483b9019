//! Kernel nodes that foreign code has captured, found by kernel and order.

use crate::graphs::saxpy::{N, Outcome, Pointers, SAXPY, World};
use cudarc::driver::{LaunchConfig, PushKernelArg};
use kernel_args::{Error, Kernel, Launch, Module, graph::Graph};
use kernel_args_tests::driver::{Driver, trial};
use libtest_mimic::Trial;

const CONFIG: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 48 };

/// Captures `count` launches that cudarc makes, and a memset between them. Each adds its number, starting at 1.
fn by_cudarc(world: &World, count: u8) -> Outcome<(Graph, Kernel<Pointers>)> {
    let ptx = cudarc::nvrtc::Ptx::from_src(SAXPY);
    let function = world.ctx.load_module(ptx)?.load_function("saxpy")?;
    let (n, raw) = (N as u32, world.raw(0.0));
    let (x, y) = (raw.x.address(), raw.y.address());
    let mut other = world.stream.alloc_zeros::<u8>(16)?;
    world.stream.synchronize()?;
    // SAFETY: all following work is on one stream.
    unsafe { world.ctx.disable_event_tracking() };
    let graph = Graph::capture(&world.stream, || -> Result<(), Error> {
        for alpha in 1..=count {
            let alpha = f32::from(alpha);
            let mut builder = world.stream.launch_builder(&function);
            builder.arg(&n).arg(&alpha).arg(&x).arg(&y);
            // SAFETY: both slices have `N` elements.
            unsafe { builder.launch(CONFIG) }?;
            world.stream.memset_zeros(&mut other)?;
        }
        Ok(())
    });
    // SAFETY: restores the previous state.
    unsafe { world.ctx.enable_event_tracking() };
    // The graph keeps the address of `y`.
    other.leak();
    Ok((graph?, Kernel::from_function(&world.ctx, function)?))
}

fn in_the_order_of_the_launches() -> Outcome {
    let world = World::new()?;
    let (graph, kernel) = by_cudarc(&world, 5)?;
    let mut exec = graph.instantiate()?;
    let nodes = exec.kernel_nodes(&kernel)?;
    assert_eq!(nodes.len(), 5);
    world.launch(&mut exec, 15.0)?;
    for node in &nodes {
        exec.set_enabled(node, false)?;
    }
    let mut sum = 15.0;
    for (node, alpha) in nodes.iter().zip(1_u8..) {
        exec.set_enabled(node, true)?;
        world.run(&mut exec)?;
        sum += f32::from(alpha);
        world.y_is(sum)?;
        exec.update(node, 1, 32, world.raw(100.0))?;
        world.run(&mut exec)?;
        sum += 100.0;
        world.y_is(sum)?;
        exec.set_enabled(node, false)?;
    }
    // The same function of a different module is a different kernel.
    let other: Kernel<Pointers> = Module::load(&world.ctx, SAXPY)?.kernel("saxpy")?;
    assert!(exec.kernel_nodes(&other)?.is_empty());
    Ok(())
}

/// If it is found before the graph is instantiated, a node retains its arguments.
fn in_a_graph() -> Outcome {
    let world = World::new()?;
    let work = || -> Result<(), Error> {
        for _ in 0..3 {
            // SAFETY: both slices have `N` elements, on one stream.
            unsafe { kernel_args::launch!(world.kernel, 1, 32, world.args(1.0), stream = &world.stream) }?;
        }
        Ok(())
    };
    // SAFETY: `world` keeps the memory alive.
    let mut graph = unsafe { Graph::capture_unretained(&world.stream, work) }?;
    let nodes = graph.kernel_nodes(&world.kernel)?;
    assert_eq!(nodes.len(), 3);
    let mut exec = graph.instantiate()?;
    exec.update(&nodes[1], 1, 32, world.args(10.0))?;
    world.launch(&mut exec, 12.0)
}

/// In an instantiated graph it cannot, and the error reports this.
fn without_a_place_to_retain() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    graph.add_kernel(&world.kernel, 1, 32, world.args(1.0), &[])?;
    let mut exec = graph.instantiate()?;
    let node = exec.kernel_nodes(&world.kernel)?.remove(0);
    let refused = exec.update(&node, 1, 32, world.args(2.0));
    let refused = refused.err().ok_or("it was retained nowhere")?.to_string();
    assert!(refused.contains("cannot retain") && refused.contains("help: "), "{refused}");
    // SAFETY: `world` keeps the memory alive.
    unsafe { exec.update_unretained(&node, Launch::new(1, 32), world.args(2.0)) }?;
    world.launch(&mut exec, 2.0)
}

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![
        trial("nodes_are_found_in_the_order_of_the_launches", in_the_order_of_the_launches),
        trial("nodes_are_found_in_a_captured_graph", in_a_graph),
        trial("a_node_that_cannot_retain_is_reported", without_a_place_to_retain),
    ]
}

//! The nodes and dependencies of a graph, removed nodes, and the graph as text.

use crate::graphs::{
    errors::says,
    saxpy::{LAUNCH, N, Outcome, Owned, Pointers, SAXPY, World, soon},
};
use kernel_args::{
    Error, Kernel, Launch, Retained,
    graph::{AnyNode, Graph, HostBuffer, NodeKind},
    launch,
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::sync::Arc;

const REMOVED: &str = "was removed from this graph";

fn nodes_and_dependencies() -> Outcome {
    let world = World::new()?;
    let y = Retained::write(&world.y).pointer();
    let mut graph = Graph::new(&world.ctx)?;
    let zero = graph.add_memset(y, 0, N, &[])?;
    let one = graph.add_kernel(&world.kernel, 1, 32, world.args(1.0), &[zero])?;
    let two = graph.add_kernel(&world.kernel, 1, 32, world.args(2.0), &[zero])?;
    let copy = graph.add_memcpy(y, y, N, [&one, &two])?;
    assert_eq!(graph.nodes()?.len(), 4);
    let mut edges = graph.edges()?;
    edges.sort_by_key(|(from, to)| {
        let place = |node: &AnyNode| [zero, one.any(), two.any(), copy].iter().position(|n| n == node);
        (place(from), place(to))
    });
    let (first, second) = (one.any(), two.any());
    assert_eq!(edges, [(zero, first), (zero, second), (first, copy), (second, copy)]);
    assert_eq!(graph.predecessors(&one)?, [zero]);
    assert_eq!(graph.predecessors(zero)?, []);
    assert_eq!(graph.successors(zero)?.len(), 2);
    assert_eq!(graph.successors(&two)?, [copy]);
    let kinds = [graph.kind(zero)?, graph.kind(&one)?, graph.kind(copy)?];
    assert_eq!(kinds, [NodeKind::Memset, NodeKind::KernelLaunch, NodeKind::Memcpy]);
    // A node becomes typed again with its kernel.
    let typed = graph.kernel_node(first, &world.kernel)?.ok_or("a node of the kernel")?;
    assert_eq!(typed.any(), first);
    assert!(graph.kernel_node(copy, &world.kernel)?.is_none());
    let other = Kernel::<Pointers>::from_image(&world.ctx, SAXPY, "saxpy")?;
    assert!(graph.kernel_node(first, &other)?.is_none());
    let stranger = Graph::new(&world.ctx)?;
    says(stranger.predecessors(&one), &["not found", "belongs to another graph"])?;
    says(stranger.kind(zero), &["belongs to another graph"])?;
    let mut exec = graph.instantiate()?;
    assert_eq!((exec.nodes()?.len(), exec.edges()?.len()), (4, 4));
    assert_eq!(exec.successors(&two)?, [copy]);
    exec.update(&typed, 1, 32, world.args(5.0)).map_err(Into::into)
}

/// Removed and added again: the driver reuses the handles, and the removed nodes stay rejected.
fn stale_nodes_are_rejected() -> Outcome {
    let world = World::new()?;
    let y = Retained::write(&world.y).pointer();
    let mut graph = Graph::new(&world.ctx)?;
    let zero = graph.add_memset(y, 0, N, &[])?;
    let mut stale = Vec::new();
    let mut reused = 0;
    for turn in 0..20_u8 {
        let node = graph.add_kernel(&world.kernel, 1, 32, world.args(f32::from(turn)), &zero)?;
        let same = |other: &&kernel_args::graph::Node<_>| other.cu_graph_node() == node.cu_graph_node();
        reused += usize::from(stale.iter().any(|other| same(&other)));
        assert!(graph.nodes()?.contains(&node.any()) && graph.nodes()?.contains(&zero));
        graph.remove(&node)?;
        says(graph.remove(&node), &["not removed", REMOVED])?;
        says(graph.remove(node.any()), &[REMOVED])?;
        assert_eq!(graph.nodes()?, [zero]);
        stale.push(node);
    }
    assert!(reused > 0, "no handle was reused");
    let last = graph.add_kernel(&world.kernel, 1, 32, world.args(3.0), &[zero])?;
    assert_eq!(graph.predecessors(&last)?, [zero]);
    assert_eq!(graph.successors(zero)?, [last.any()]);
    for node in &stale {
        says(graph.predecessors(node), &["not found", REMOVED])?;
        says(graph.kind(node), &[REMOVED])?;
        says(graph.add_memset(y, 0, N, [node]), &["index 0", REMOVED])?;
        says(graph.make_device_updatable(node), &[REMOVED])?;
        says(graph.kernel_node(node, &world.kernel), &[REMOVED])?;
    }
    let mut exec = graph.instantiate()?;
    for node in &stale {
        says(
            exec.update(node, 1, 32, world.args(9.0)),
            &["kernel `saxpy`: the node was not updated", REMOVED, "Graph::remove"],
        )?;
        // SAFETY: nothing is launched.
        let unretained = unsafe { exec.update_unretained(node, LAUNCH(), world.args(9.0)) };
        says(unretained, &[REMOVED])?;
        says(exec.set_enabled(node, false), &[REMOVED])?;
    }
    world.launch(&mut exec, 3.0)?;
    // Nodes from before and after the removals are nodes of the instantiated graph.
    exec.update(&last, 1, 32, world.args(4.0))?;
    exec.set_enabled(zero, false)?;
    world.launch(&mut exec, 7.0)
}

/// Host memory that a test can count.
struct Shared(Arc<[f32; N]>);
impl AsRef<[f32]> for Shared {
    fn as_ref(&self) -> &[f32] {
        &*self.0
    }
}

/// The nodes after a removed node do not wait for the nodes before it.
fn what_a_removed_node_retained() -> Outcome {
    let world = World::new()?;
    let y = Retained::write(&world.y).pointer();
    let memory = || -> Outcome<_> { Ok(Arc::new(world.stream.clone_htod(&[1.0_f32; N])?)) };
    let (x, host) = (memory()?, Arc::new([1.0_f32; N]));
    world.ctx.synchronize()?;
    let mut graph = Graph::new(&world.ctx)?;
    let args = |x| Owned { x: Retained::read(x), ..world.args(1.0) };
    let node = graph.add_kernel(&world.kernel, 1, 32, args(&x), &[])?;
    let copy = graph.add_memcpy_htod(y, Shared(host.clone()), &node)?;
    let last = graph.add_memset(y, 0, N, copy)?;
    assert_eq!((Arc::strong_count(&x), Arc::strong_count(&host)), (2, 2));
    // By its untyped handle too.
    graph.remove(node.any())?;
    soon("the release of the slice", || Arc::strong_count(&x) == 1)?;
    assert_eq!(Arc::strong_count(&host), 2);
    graph.remove(copy)?;
    soon("the release of the host memory", || Arc::strong_count(&host) == 1)?;
    assert_eq!(graph.predecessors(last)?, []);
    // A captured launch.
    let mut captured = None;
    let mut graph = Graph::capture(&world.stream, || -> Result<(), Error> {
        // SAFETY: both slices have `N` elements.
        captured = Some(unsafe { launch!(world.kernel, 1, 32, args(&x), node, stream = &world.stream) }?);
        Ok(())
    })?;
    let captured = captured.ok_or("nothing was captured")?;
    assert_eq!(Arc::strong_count(&x), 2);
    graph.remove(&captured)?;
    soon("the release of the slice", || Arc::strong_count(&x) == 1)?;
    says(graph.remove(captured), &[REMOVED])?;
    assert_eq!(graph.nodes()?, []);
    Ok(())
}

fn as_text() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let x = graph.add_alloc::<f32>(N, &[])?;
    let zero = graph.add_memset(x.pointer(), 0, N, &[])?;
    let args = Owned { x: x.read(), ..world.args(1.0) };
    let launch = Launch::new((2, 3), 8).shared(16);
    let node = graph.add_kernel_launch(&world.kernel, launch, args, &zero)?;
    graph.add_free(&x, &node)?;
    let dot = graph.to_dot()?;
    for line in [
        "digraph {",
        r#"n0 [label="allocation\n128 bytes"];"#,
        r#"n1 [label="memset"];"#,
        r#"n2 [label="saxpy\ngrid (2, 3, 1), block (8, 1, 1)\n16 bytes of shared memory"];"#,
        r#"n3 [label="free\n128 bytes"];"#,
        "n0 -> n1;",
        "n1 -> n2;",
        "n2 -> n3;",
    ] {
        assert!(dot.lines().any(|found| found.trim() == line), "no `{line}` in\n{dot}");
    }
    assert_eq!(graph.instantiate()?.to_dot()?, dot);
    Ok(())
}

/// The graph of the guide's section on memory.
fn the_picture_of_the_guide() -> Outcome {
    const PICTURE: &str = include_str!("../../../../kernel-args/guide/pictures/graph.dot");
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let (x, y) = (graph.add_alloc::<f32>(1024, &[])?, graph.add_alloc::<f32>(1024, &[])?);
    let input = graph.add_memcpy_htod(x.pointer(), vec![1.0_f32; 1024], &[])?;
    let zero = graph.add_memset(y.pointer(), 0, 1024, &[])?;
    let args = Owned { n: 1024, alpha: 2.0, x: x.read(), y: y.write() };
    let add = graph.add_kernel(&world.kernel, 4, 256, args, &[input, zero])?;
    let result = HostBuffer::from(vec![0.0_f32; 1024]);
    graph.add_memcpy_dtoh(&result, y.pointer(), &add)?;
    graph.add_free(&x, &[])?;
    graph.add_free(&y, &[])?;
    let dot = graph.to_dot()?;
    if std::env::var_os("KERNEL_ARGS_BLESS").is_some() {
        let sources = kernel_args_tests::sources().ok_or("there are no sources")?;
        std::fs::write(sources.join("kernel-args/guide/pictures/graph.dot"), dot)?;
    } else {
        assert_eq!(dot, PICTURE, "draw it again: kernel-args/guide/pictures/draw.sh");
    }
    let mut exec = graph.instantiate()?;
    world.run(&mut exec)?;
    world.stream.synchronize()?;
    // SAFETY: the launch has completed, and has copied floats.
    assert_eq!(unsafe { result.to_vec() }, [2.0; 1024]);
    Ok(())
}

/// For the check that nothing is left.
pub(crate) const RETAINING: [fn() -> Outcome; 2] = [stale_nodes_are_rejected, what_a_removed_node_retained];

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("structure/the_picture_of_the_guide", the_picture_of_the_guide),
        trial("structure/nodes_and_dependencies", nodes_and_dependencies),
        trial("structure/as_text", as_text),
        trial("removed/stale_nodes_are_rejected", stale_nodes_are_rejected),
        trial("removed/what_a_removed_node_retained", what_a_removed_node_retained),
    ]
}

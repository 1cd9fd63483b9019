//! Graphs that are nodes of graphs: their order, their nodes in the graph around them, and what they retain.

use crate::graphs::{
    errors::says,
    saxpy::{LAUNCH, N, Outcome, Owned, World, a_while, soon},
};
use kernel_args::{
    Retained,
    context::{ContextFlags, create_context},
    graph::{AnyNode, Graph, Node},
};
use kernel_args_tests::driver::{device, trial};
use libtest_mimic::Trial;
use std::sync::Arc;

/// A graph that adds `alpha` to `y`, twice.
fn twice(world: &World, alpha: f32) -> Outcome<(Graph, [Node<Owned>; 2])> {
    let mut graph = Graph::new(&world.ctx)?;
    let first = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(alpha), &[])?;
    let second = graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(alpha), &first)?;
    Ok((graph, [first, second]))
}

/// A child in a child, next to a captured child. All their nodes can be updated and disabled in the outermost graph.
fn updated() -> Outcome {
    let world = World::new()?;
    let (innermost, [first, second]) = twice(&world, 1.0)?;
    let (mut middle, [third, fourth]) = twice(&world, 10.0)?;
    let inner = middle.add_child_graph(innermost, &fourth)?;
    middle.add_join(inner)?;
    let (other, fifth) = world.captured(world.args(100.0))?;
    let mut graph = Graph::new(&world.ctx)?;
    let zero = graph.add_memset(Retained::write(&world.y).pointer(), 0, N, &[])?;
    let node = graph.add_child_graph(middle, zero)?;
    let node = graph.add_child_graph(other, node)?;
    graph.add_kernel_launch(&world.kernel, LAUNCH(), world.args(1000.0), node)?;
    let mut exec = graph.instantiate()?;
    world.launch(&mut exec, 1122.0)?;
    for (node, alpha, value) in [
        (&first, 2.0, 1123.0),
        (&second, 3.0, 1125.0),
        (&third, 40.0, 1155.0),
        (&fourth, 50.0, 1195.0),
        (&fifth, 600.0, 1695.0),
        (&first, 1.0, 1694.0),
    ] {
        exec.update(node, 1, 32, world.args(alpha))?;
        world.launch(&mut exec, value)?;
    }
    for (node, value) in [(&first, 1693.0), (&fourth, 1643.0), (&fifth, 1043.0)] {
        assert!(exec.is_enabled(node)?);
        exec.set_enabled(node, false)?;
        assert!(!exec.is_enabled(node)?);
        world.launch(&mut exec, value)?;
    }
    Ok(())
}

/// What the child retains is retained until the graph around it is dropped, or an update replaces it.
fn retained() -> Outcome {
    let world = World::new()?;
    let (first, second, third) = (world.memory()?, world.memory()?, world.memory()?);
    for deep in [false, true] {
        let mut child = Graph::new(&world.ctx)?;
        let args = world.with_x(&first);
        let node = child.add_kernel_launch(&world.kernel, LAUNCH(), args, &[])?;
        let kept = third.clone();
        child.add_host(move || assert!(kept.num_bytes() > 0), &node)?;
        if deep {
            let mut around = Graph::new(&world.ctx)?;
            around.add_child_graph(child, &[])?;
            child = around;
        }
        let mut graph = Graph::new(&world.ctx)?;
        graph.add_child_graph(child, &[])?;
        a_while();
        assert_eq!(Arc::strong_count(&first), 2, "before the instantiation");
        let mut exec = graph.instantiate()?;
        a_while();
        assert_eq!(Arc::strong_count(&first), 2, "after the instantiation");
        world.run(&mut exec)?;
        exec.update(&node, 1, 32, world.with_x(&second))?;
        soon("the release", || Arc::strong_count(&first) == 1)?;
        a_while();
        assert_eq!(Arc::strong_count(&second), 2, "after the update");
        assert_eq!(Arc::strong_count(&third), 2, "after the update");
        world.run(&mut exec)?;
        world.stream.synchronize()?;
        drop(exec);
        soon("the release", || Arc::strong_count(&second) == 1 && Arc::strong_count(&third) == 1)?;
    }
    world.y_is(4.0)
}

fn refused() -> Outcome {
    const OTHER: &str = "belongs to another graph";
    let world = World::new()?;
    let own = create_context(device(), ContextFlags::new())?;
    let mut graph = Graph::new(&world.ctx)?;
    let foreign = Graph::new(&own)?;
    says(
        graph.add_child_graph(foreign, &[]),
        &["the child graph was not added", "another context", "graph ", "child "],
    )?;
    let (child, [node, _]) = twice(&world, 1.0)?;
    says(graph.add_child_graph(child, &node), &["index 0", OTHER])?;
    // Nodes of the child are not dependencies outside of it.
    let (child, [node, _]) = twice(&world, 1.0)?;
    let added: AnyNode = graph.add_child_graph(child, &[])?;
    says(graph.add_join(&node), &["index 0", OTHER])?;
    graph.add_join(added)?;
    let mut exec = graph.instantiate()?;
    exec.update(&node, 1, 32, world.args(2.0))?;
    // A node of a graph that is not inside of this one.
    let (other, [stranger, _]) = twice(&world, 1.0)?;
    says(exec.update(&stranger, 1, 32, world.args(2.0)), &[OTHER])?;
    let mut around = Graph::new(&world.ctx)?;
    around.add_child_graph(other, &[])?;
    says(exec.update(&stranger, 1, 32, world.args(2.0)), &[OTHER])?;
    says(around.instantiate()?.update(&node, 1, 32, world.args(2.0)), &[OTHER])?;
    world.launch(&mut exec, 3.0)
}

pub(crate) fn trials() -> Vec<Trial> {
    let name = |what: &str| format!("child/{what}");
    vec![trial(name("updated"), updated), trial(name("retained"), retained), trial(name("refused"), refused)]
}

//! Removed nodes, memory and updates of whole graphs with child graphs, host functions and conditional nodes.

use crate::graphs::{
    errors::says,
    saxpy::{N, Outcome, Owned, World, soon},
};
use kernel_args::{
    Error, Retained,
    graph::{AnyNode, Graph, Node, NodeKind},
};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::sync::Arc;

/// Sets `y` to zero, and adds `alpha` in a child graph.
fn with_child(world: &World, alpha: f32) -> Outcome<(Graph, AnyNode, Node<Owned>)> {
    let mut child = Graph::new(&world.ctx)?;
    let inner = child.add_kernel(&world.kernel, 1, 32, world.args(alpha), &[])?;
    let mut graph = Graph::new(&world.ctx)?;
    let zero = graph.add_memset(Retained::write(&world.y).pointer(), 0, N, &[])?;
    let node = graph.add_child_graph(child, zero)?;
    assert_eq!(graph.kind(node)?, NodeKind::ChildGraph);
    Ok((graph, node, inner))
}

fn a_removed_child_graph() -> Outcome {
    let world = World::new()?;
    let (mut graph, node, inner) = with_child(&world, 1.0)?;
    graph.remove(node)?;
    says(graph.kind(node), &["was removed from this graph"])?;
    let mut exec = graph.instantiate()?;
    says(exec.update(&inner, 1, 32, world.args(2.0)), &["belongs to another graph"])?;
    world.launch(&mut exec, 0.0)
}

fn an_update_with_child_graphs() -> Outcome {
    let world = World::new()?;
    let (graph, _, inner) = with_child(&world, 1.0)?;
    let mut exec = graph.instantiate()?;
    exec.update_graph(with_child(&world, 2.0)?.0)?;
    world.launch(&mut exec, 2.0)?;
    exec.update(&inner, 1, 32, world.args(5.0))?;
    world.launch(&mut exec, 5.0)
}

/// The nodes of a child graph use memory of the graph around it.
fn memory_for_a_child_graph() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let x = graph.add_alloc::<f32>(N, &[])?;
    let ones = graph.add_memcpy_htod(x.pointer(), vec![1.0_f32; N], &[])?;
    let mut child = Graph::new(&world.ctx)?;
    let args = Owned { x: x.read(), ..world.args(3.0) };
    child.add_kernel(&world.kernel, 1, 32, args, &[])?;
    let node = graph.add_child_graph(child, ones)?;
    graph.add_free(&x, node)?;
    let mut exec = graph.instantiate()?;
    for launch in 1..=2_u8 {
        world.launch(&mut exec, 3.0 * f32::from(launch))?;
    }
    let (mut graph, mut child) = (Graph::new(&world.ctx)?, Graph::new(&world.ctx)?);
    child.add_alloc::<f32>(N, &[])?;
    says(graph.add_child_graph(child, &[]), &["child graph must not allocate", "add_alloc"])
}

fn a_removed_host_function() -> Outcome {
    let world = World::new()?;
    let counted = Arc::new(());
    let held = counted.clone();
    let mut graph = Graph::new(&world.ctx)?;
    let host = graph.add_host(move || drop(held.clone()), &[])?;
    graph.add_memset(Retained::write(&world.y).pointer(), 0, N, &host)?;
    assert_eq!(Arc::strong_count(&counted), 2);
    graph.remove(host.any())?;
    soon("the release of the function", || Arc::strong_count(&counted) == 1)?;
    assert_eq!(graph.nodes()?.len(), 1);
    Ok(())
}

fn conditional_nodes_are_not_updated_as_a_whole() -> Outcome {
    let world = World::new()?;
    let graph = || -> Outcome<(Graph, AnyNode)> {
        let mut graph = Graph::new(&world.ctx)?;
        let condition = graph.add_condition(0)?;
        let y = Retained::write(&world.y).pointer();
        let node =
            graph.add_if(condition, &[], |body| -> Result<(), Error> { body.add_memset(y, 0, N, &[]).map(drop) })?;
        Ok((graph, node))
    };
    let (mut other, node) = graph()?;
    assert_eq!(other.kind(node)?, NodeKind::Conditional);
    let mut exec = graph()?.0.instantiate()?;
    let refused = exec.update_graph(graph()?.0).map_err(Error::from);
    says(refused, &["not updated", "conditional nodes", "instantiate"])?;
    other.remove(node)?;
    assert_eq!(other.nodes()?, []);
    Ok(())
}

pub(crate) fn trials() -> Vec<Trial> {
    let name = |what: &str| format!("combined/{what}");
    vec![
        trial(name("a_removed_child_graph"), a_removed_child_graph),
        trial(name("an_update_with_child_graphs"), an_update_with_child_graphs),
        trial(name("memory_for_a_child_graph"), memory_for_a_child_graph),
        trial(name("a_removed_host_function"), a_removed_host_function),
        trial(name("conditional_nodes_are_not_updated_as_a_whole"), conditional_nodes_are_not_updated_as_a_whole),
    ]
}

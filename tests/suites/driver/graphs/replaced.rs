//! A graph that takes over the parameters of another graph.

use crate::graphs::{
    errors::says,
    saxpy::{LAUNCH, Memory, N, Outcome, Owned, World, a_while, soon},
};
use kernel_args::{
    Error, Retained,
    context::{ContextFlags, create_context},
    graph::{Graph, Node},
    launch,
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{Driver, trial, trial_unless};
use libtest_mimic::Trial;
use std::sync::Arc;

/// Sets `y` to zero and adds `alpha`.
fn graph(world: &World, alpha: f32, x: &Memory) -> Outcome<(Graph, Node<Owned>)> {
    let mut graph = Graph::new(&world.ctx)?;
    let zero = graph.add_memset(Retained::write(&world.y).pointer(), 0, N, &[])?;
    let args = Owned { x: Retained::read(x), ..world.args(alpha) };
    let node = graph.add_kernel(&world.kernel, 1, 32, args, &zero)?;
    Ok((graph, node))
}

fn parameters_and_what_they_retain() -> Outcome {
    let world = World::new()?;
    let [first, second, third, fourth] = [(); 4].map(|()| world.memory());
    let (first, second, third, fourth) = (first?, second?, third?, fourth?);
    let freed = |memory: &Memory| soon("the release", || Arc::strong_count(memory) == 1);
    let held = |memory: &Memory| {
        a_while();
        assert_eq!(Arc::strong_count(memory), 2, "it is not held");
    };
    let (old, node) = graph(&world, 1.0, &first)?;
    let mut exec = old.instantiate()?;
    world.launch(&mut exec, 1.0)?;
    let (new, stranger) = graph(&world, 2.0, &second)?;
    exec.update_graph(new)?;
    // The arguments that were replaced are released, the new ones are held.
    freed(&first)?;
    held(&second);
    world.launch(&mut exec, 2.0)?;
    // The nodes of the instantiated graph stay valid; a node of the new graph is rejected.
    says(exec.update(&stranger, 1, 32, world.args(9.0)), &["belongs to another graph"])?;
    exec.update(&node, 1, 32, Owned { x: Retained::read(&third), ..world.args(3.0) })?;
    held(&third);
    world.launch(&mut exec, 3.0)?;
    exec.update_graph(graph(&world, 4.0, &fourth)?.0)?;
    freed(&second)?;
    freed(&third)?;
    held(&fourth);
    world.launch(&mut exec, 4.0)?;
    exec.update(&node, 1, 32, Owned { x: Retained::read(&first), ..world.args(5.0) })?;
    world.launch(&mut exec, 5.0)?;
    held(&first);
    drop(exec);
    freed(&first)?;
    freed(&fourth)
}

/// What the whole graph retains.
fn what_the_graphs_retain() -> Outcome {
    let world = World::new()?;
    let x = world.memory()?;
    let (old_value, new_value) = (Arc::new(()), Arc::new(()));
    let (mut old, _) = graph(&world, 1.0, &x)?;
    old.retain(old_value.clone())?;
    let mut exec = old.instantiate()?;
    let (mut new, _) = graph(&world, 2.0, &x)?;
    new.retain(new_value.clone())?;
    exec.update_graph(new)?;
    world.launch(&mut exec, 2.0)?;
    a_while();
    assert_eq!((Arc::strong_count(&old_value), Arc::strong_count(&new_value)), (2, 2));
    exec.update_graph(graph(&world, 3.0, &x)?.0)?;
    soon("the release", || Arc::strong_count(&new_value) == 1)?;
    world.launch(&mut exec, 3.0)?;
    drop(exec);
    soon("the release", || Arc::strong_count(&old_value) == 1)
}

/// The graph of a destroyed exec retains its arguments until a launch that is still running has finished.
fn released_after_the_last_launch() -> Outcome {
    let control = Control::attach().ok_or("this is not the test driver")?;
    let world = World::new()?;
    let (first, second) = (world.memory()?, world.memory()?);
    let (old, node) = graph(&world, 1.0, &first)?;
    let mut exec = old.instantiate()?;
    exec.update_graph(graph(&world, 2.0, &first)?.0)?;
    exec.update(&node, 1, 32, Owned { x: Retained::read(&second), ..world.args(3.0) })?;
    world.launch(&mut exec, 3.0)?;
    Graph::wait_until_released();
    // The event after the launch fails, so the launch counts as running for ever.
    control.fail_once("cuEventSynchronize", 999);
    drop(exec);
    Graph::wait_until_released();
    assert!(Arc::strong_count(&second) > 1, "it was freed while a launch uses it");
    control.clear_failures();
    Ok(())
}

fn captured_graphs() -> Outcome {
    let world = World::new()?;
    let capture = |alpha| {
        Graph::capture(&world.stream, || -> Result<(), Error> {
            let args = world.args(alpha);
            // SAFETY: both slices have `N` elements.
            unsafe { launch!(world.kernel, 1, 32, args, node, stream = &world.stream) }.map(drop)
        })
    };
    let mut exec = capture(1.0)?.instantiate()?;
    for alpha in [2.0, 3.0] {
        exec.update_graph(capture(alpha)?)?;
    }
    world.launch(&mut exec, 3.0)
}

fn differences() -> Outcome {
    const WHAT: &str = "the graph was not updated";
    let world = World::new()?;
    let x = world.memory()?;
    let mut exec = graph(&world, 1.0, &x)?.0.instantiate()?;
    // One node more.
    let (mut more, node) = graph(&world, 2.0, &x)?;
    more.add_kernel(&world.kernel, 1, 32, world.args(2.0), &node)?;
    let refused = exec.update_graph(more).err().ok_or("an error")?;
    let counts = "this graph  2 nodes, 1 dependencies\n  new graph   3 nodes, 2 dependencies";
    let text = refused.to_string();
    for words in [WHAT, "(910)", "number of nodes or their dependencies", counts, "the same code"] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    // The graph is not lost, and can be instantiated instead.
    world.launch(&mut refused.into_graph().instantiate()?, 4.0)?;
    // Another order.
    let y = Retained::write(&world.y).pointer();
    let mut other = Graph::new(&world.ctx)?;
    let node = other.add_kernel(&world.kernel, 1, 32, world.args(1.0), &[])?;
    other.add_memset(y, 0, N, &node)?;
    let refused = exec.update_graph(other).map_err(Error::from);
    says(refused, &[WHAT, "another type in the new graph", "node  "])?;
    // A kernel that is launched cooperatively.
    let mut other = Graph::new(&world.ctx)?;
    let zero = other.add_memset(y, 0, N, &[])?;
    other.add_kernel_launch(&world.kernel, LAUNCH().cooperative(true), world.args(1.0), &zero)?;
    let refused = exec.update_graph(other).map_err(Error::from);
    says(refused, &["kernel `saxpy`", WHAT, "other attributes", "kernel `saxpy`"])?;
    // Memory of a graph.
    let mut other = Graph::new(&world.ctx)?;
    other.add_alloc::<f32>(N, &[])?;
    let refused = exec.update_graph(other).map_err(Error::from);
    says(refused, &[WHAT, "allocates or frees memory"])?;
    // A graph of another context of the same device.
    let context = create_context(0, ContextFlags::new())?;
    let refused = exec.update_graph(Graph::new(&context)?).map_err(Error::from);
    says(refused, &[WHAT, "another context", "this graph", "new graph"])?;
    // None of these calls has changed anything.
    world.launch(&mut exec, 1.0)
}

/// For the check that nothing is left.
pub(crate) const RETAINING: [fn() -> Outcome; 3] =
    [parameters_and_what_they_retain, what_the_graphs_retain, captured_graphs];

pub(crate) fn trials() -> Vec<Trial> {
    let name = |what: &str| format!("replaced/{what}");
    vec![
        trial(name("parameters_and_what_they_retain"), parameters_and_what_they_retain),
        trial(name("what_the_graphs_retain"), what_the_graphs_retain),
        trial(name("captured_graphs"), captured_graphs),
        trial(name("differences"), differences),
    ]
}

/// A trial that leaves objects behind, so it runs last.
pub(crate) fn last_trial(driver: &Driver) -> Trial {
    trial_unless(
        driver.is_real().then_some("this machine has its own GPU"),
        "replaced/released_after_the_last_launch",
        released_after_the_last_launch,
    )
}

//! Parameters of a node that a kernel updates.

use crate::saxpy::{Outcome, Saxpy, World};
use kernel_args::{Graph, Launch, offset_of};
use kernel_args_tests::driver::{Driver, trial};
use libtest_mimic::Trial;

const ALPHA: usize = offset_of::<Saxpy>("alpha");

/// The handle by which a kernel names the node, and what such a graph does not allow.
fn a_handle_of_the_node() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let launch = Launch::new(1, 32);
    let first = graph.add_kernel(&world.kernel, launch, world.args(1.0), &[])?;
    let second = graph.add_kernel(&world.kernel, launch, world.args(2.0), &[first.any()])?;
    let (a, b) = (
        graph.make_device_updatable(&first)?,
        graph.make_device_updatable(&second)?,
    );
    assert!(a != 0 && b != 0 && a != b, "{a:#x}, {b:#x}");
    assert_eq!(graph.make_device_updatable(&first)?, a);
    assert_eq!(ALPHA, 4);
    let mut exec = graph.instantiate()?;
    exec.upload(&world.stream)?;
    // SAFETY: both slices have elements enough, on one stream.
    unsafe { exec.launch(&world.stream) }?;
    world.y_is(3.0)
}

pub(crate) fn trials(_: &Driver) -> Vec<Trial> {
    vec![trial(
        "device_update/a_handle_of_the_node",
        a_handle_of_the_node,
    )]
}

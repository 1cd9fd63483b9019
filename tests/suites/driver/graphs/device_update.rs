//! Parameters of a node that a kernel updates.

use crate::graphs::saxpy::{Outcome, Owned, World};
use cudarc::driver::sys::CUdeviceptr;
use kernel_args::{DevicePointerMut, Kernel, KernelArgs, Launch, Retained, args::offset_of, graph::Graph};
use kernel_args_tests::driver::trial;
use libtest_mimic::Trial;
use std::sync::Arc;

const UPDATE: &str = include_str!("../../../../ptx/graph_update.ptx");

/// `__global__ void update_param(cudaGraphDeviceNode_t node, unsigned long long offset, float value, int* result)`
#[derive(KernelArgs)]
struct UpdateParam {
    node: CUdeviceptr,
    offset: u64,
    value: f32,
    result: Retained<DevicePointerMut<i32>>,
}

const ALPHA: usize = offset_of::<Owned>("alpha");

/// The handle by which a kernel identifies the node, and the restrictions of such a graph.
fn a_handle_of_the_node() -> Outcome {
    let world = World::new()?;
    let mut graph = Graph::new(&world.ctx)?;
    let launch = Launch::new(1, 32);
    let first = graph.add_kernel_launch(&world.kernel, launch, world.args(1.0), &[])?;
    let second = graph.add_kernel_launch(&world.kernel, launch, world.args(2.0), &[first.any()])?;
    let (a, b) = (graph.make_device_updatable(&first)?, graph.make_device_updatable(&second)?);
    assert!(a != 0 && b != 0 && a != b, "{a:#x}, {b:#x}");
    let mut exec = graph.instantiate()?;
    exec.upload(&world.stream)?;
    world.launch(&mut exec, 3.0)?;
    // The host may also update the node; then it is uploaded again.
    exec.update(&second, 1, 32, world.args(4.0))?;
    exec.upload(&world.stream)?;
    world.launch(&mut exec, 8.0)
}

/// A node writes `alpha` of the next node.
fn a_kernel_updates_a_node() -> Outcome {
    let world = World::new()?;
    let update = Kernel::<UpdateParam>::from_image(&world.ctx, UPDATE, "update_param")?;
    let result = Arc::new(world.stream.clone_htod(&[-1_i32])?);
    world.ctx.synchronize()?;
    let args = |node, value| -> Outcome<_> {
        Ok(UpdateParam { node, offset: u64::try_from(ALPHA)?, value, result: Retained::write(&result) })
    };
    let (mut graph, launch) = (Graph::new(&world.ctx)?, Launch::new(1, 32));
    let writer = graph.add_kernel_launch(&update, launch, args(0, 0.0)?, &[])?;
    let after = graph.add_kernel_launch(&world.kernel, launch, world.args(0.0), &[writer.any()])?;
    let node = graph.make_device_updatable(&after)?;
    let mut exec = graph.instantiate()?;
    let mut sum = 0.0;
    for value in [5.0, -2.0] {
        exec.update(&writer, 1, 32, args(node, value)?)?;
        exec.upload(&world.stream)?;
        world.run(&mut exec)?;
        world.ctx.synchronize()?;
        sum += value;
        assert_eq!(world.stream.clone_dtoh(&*result)?, [0]);
        world.y_is(sum)?;
    }
    Ok(())
}

fn offset_of_returns_the_offsets_of_the_parameters() {
    const OFFSETS: [usize; 4] = [
        offset_of::<UpdateParam>("node"),
        offset_of::<UpdateParam>("offset"),
        offset_of::<UpdateParam>("value"),
        offset_of::<UpdateParam>("result"),
    ];
    assert_eq!(OFFSETS, [0, 8, 16, 24]);
    for parameter in UpdateParam::PARAMETERS.iter().chain(Owned::PARAMETERS) {
        let found = [
            UpdateParam::PARAMETERS.contains(parameter).then(|| offset_of::<UpdateParam>(parameter.name)),
            Owned::PARAMETERS.contains(parameter).then(|| offset_of::<Owned>(parameter.name)),
        ];
        assert!(found.contains(&parameter.offset), "{parameter:?}");
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let name = |what: &str| format!("device_update/{what}");
    vec![
        trial(name("a_handle_of_the_node"), a_handle_of_the_node),
        trial(name("a_kernel_updates_a_node"), a_kernel_updates_a_node),
        trial(name("offset_of_returns_the_offsets_of_the_parameters"), || {
            offset_of_returns_the_offsets_of_the_parameters();
            Ok::<(), String>(())
        }),
    ]
}

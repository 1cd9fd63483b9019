//! Attributes of a captured launch, and of a node that is added explicitly: the node of the graph has them.

use crate::attributes::kernels::{ATTRIBUTES, Outcome, SM90, before_sm90, kernel, zeros};
use cudarc::driver::{
    CudaGraph, CudaStream, DevicePtr, DevicePtrMut,
    sys::{
        self, CUgraphInstantiate_flags, CUgraphNode, CUkernelNodeAttrID as Id, CUlaunchAttributeValue,
        CUstreamCaptureMode,
    },
};
use kernel_args::{
    DevicePointerMut, KernelArgs, Launch,
    attribute::{
        AccessPolicyWindow, AccessProperty, ClusterSchedulingPolicy, DeviceNode, MemorySyncDomain, MemorySyncDomainMap,
    },
    graph::{Graph, HostBuffer},
};
use kernel_args_stand_in::Control;
use kernel_args_tests::driver::{context, trial, trial_unless};
use libtest_mimic::Trial;
use std::{ptr, sync::Arc};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("kept/attributes_of_every_gpu", attributes_of_every_gpu),
        trial("kept/an_access_policy_window", access_policy_window),
        trial("kept/attributes_of_added_nodes", attributes_of_added_nodes),
        trial_unless(before_sm90(), "kept/clusters_of_added_nodes", clusters_of_added_nodes),
        trial("kept/attributes_that_a_node_cannot_have", attributes_that_a_node_cannot_have),
        trial_unless(before_sm90(), "kept/clusters_and_domains", clusters_and_domains),
        trial("kept/a_node_that_a_kernel_can_update", device_updatable_node),
    ]
}

/// `busy` with untracked memory: a capture may not wait for work that was enqueued before it.
#[derive(KernelArgs)]
struct Busy {
    times: DevicePointerMut<u64>,
    nanoseconds: u64,
}

impl Busy {
    const NOT_RUN: Self = Self { times: DevicePointerMut::NULL, nanoseconds: 0 };
}

/// `cluster_ranks` with untracked memory.
#[derive(KernelArgs)]
struct Ranks {
    ranks: DevicePointerMut<u32>,
}

/// Captures one launch, and returns the graph with its only node.
fn captured(
    stream: &Arc<CudaStream>,
    launch: impl FnOnce() -> Result<(), kernel_args::Error>,
) -> Outcome<(CudaGraph, CUgraphNode)> {
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    let launched = launch();
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = stream.end_capture(flags);
    launched?;
    let graph = graph?.ok_or("nothing was captured")?;
    let (mut node, mut count) = (ptr::null_mut(), 1);
    // SAFETY: there is space for one node; both pointers outlive the call.
    unsafe { sys::cuGraphGetNodes(graph.cu_graph(), &raw mut node, &raw mut count) }.result()?;
    assert_eq!(count, 1, "one node");
    Ok((graph, node))
}

/// The value of an attribute of the node.
fn value(node: CUgraphNode, id: Id) -> Outcome<CUlaunchAttributeValue> {
    let mut value = CUlaunchAttributeValue { pad: [0; 64] };
    // SAFETY: the node belongs to a live graph; `value` outlives the call.
    unsafe { sys::cuGraphKernelNodeGetAttribute(node, id, &raw mut value) }.result()?;
    Ok(value)
}

/// Reads the union member for the id of a value.
macro_rules! read {
    ($node:expr, $id:ident, $member:ident) => {{
        let value = value($node, Id::$id)?;
        // SAFETY: it is the member for this id.
        unsafe { value.$member }
    }};
}

fn attributes_of_every_gpu() -> Outcome {
    let busy = kernel::<Busy>(ATTRIBUTES, "busy")?;
    let (stream, mut memory) = zeros::<u64>(2)?;
    let (times, _guard) = memory.device_ptr_mut(&stream);
    let capture = |launch: Launch<'_>| {
        let args = Busy { times: DevicePointerMut::from_raw(times), nanoseconds: 0 };
        captured(&stream, || {
            // SAFETY: there is space for two times.
            unsafe { kernel_args::launch(&busy, launch.stream(&stream), args) }
        })
    };
    let mut refused = Vec::new();
    // Every subset of these.
    for subset in 0..1_u32 << 4 {
        let has = |index: usize| subset >> index & 1 == 1;
        let mut launch = Launch::new(1, 32);
        if has(0) {
            launch = launch.priority(-1);
        }
        if has(1) {
            launch = launch.cooperative(true);
        }
        if has(2) {
            launch = launch.memory_sync_domain(MemorySyncDomain::Remote);
        }
        if has(3) {
            launch = launch.preferred_shared_memory_carveout(25);
        }
        let (graph, node) = match capture(launch) {
            Ok(captured) => captured,
            Err(error) => {
                refused.push(format!("{subset:04b}: {error}"));
                continue;
            }
        };
        let priority = read!(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, priority);
        assert_eq!(priority, -i32::from(has(0)), "{subset:04b}");
        let cooperative = read!(node, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative);
        assert_eq!(cooperative, i32::from(has(1)), "{subset:04b}");
        let domain = read!(node, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, memSyncDomain);
        assert_eq!(domain as u32, u32::from(has(2)), "{subset:04b}");
        graph.launch()?;
        stream.synchronize()?;
    }
    if refused.is_empty() { Ok(()) } else { Err(refused.join("\n").into()) }
}

fn access_policy_window() -> Outcome {
    const BYTES: usize = 64 * 1024;
    let busy = kernel::<Busy>(ATTRIBUTES, "busy")?;
    let (stream, data) = zeros::<u8>(BYTES)?;
    let (base, _guard) = data.device_ptr(&stream);
    let window = AccessPolicyWindow::new(base, BYTES)
        .hit_ratio(0.5)
        .hit(AccessProperty::Persisting)
        .miss(AccessProperty::Streaming);
    stream.synchronize()?;
    let launch = Launch::new(1, 32).access_policy_window(window).stream(&stream);
    let (_graph, node) = captured(&stream, || {
        // SAFETY: the graph is not launched.
        unsafe { kernel_args::launch(&busy, launch, Busy::NOT_RUN) }
    })?;
    let kept = read!(node, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, accessPolicyWindow);
    assert_eq!((kept.base_ptr.addr() as u64, kept.num_bytes), (base, BYTES));
    assert_eq!(kept.hitRatio.to_bits(), 0.5_f32.to_bits());
    assert_eq!(
        (kept.hitProp, kept.missProp),
        (sys::CUaccessProperty::CU_ACCESS_PROPERTY_PERSISTING, sys::CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING)
    );
    Ok(())
}

fn clusters_and_domains() -> Outcome {
    let kernel = kernel::<Ranks>(SM90, "cluster_ranks")?;
    let (stream, _) = zeros::<u32>(1)?;
    let launch = Launch::new(8, 32)
        .cluster(4)
        .cluster_scheduling_policy(ClusterSchedulingPolicy::LoadBalancing)
        .memory_sync_domain_map(MemorySyncDomainMap { default: 2, remote: 3 })
        .stream(&stream);
    let args = Ranks { ranks: DevicePointerMut::NULL };
    let (_graph, node) = captured(&stream, || {
        // SAFETY: the graph is not launched.
        unsafe { kernel_args::launch(&kernel, launch, args) }
    })?;
    let cluster = read!(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, clusterDim);
    assert_eq!([cluster.x, cluster.y, cluster.z], [4, 1, 1]);
    let policy =
        read!(node, CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, clusterSchedulingPolicyPreference);
    assert_eq!(policy, sys::CUclusterSchedulingPolicy::CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING);
    let map = read!(node, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, memSyncDomainMap);
    assert_eq!((map.default_, map.remote), (2, 3));
    Ok(())
}

fn device_updatable_node() -> Outcome {
    let busy = kernel::<Busy>(ATTRIBUTES, "busy")?;
    let (stream, _) = zeros::<u64>(1)?;
    let nodes = [DeviceNode::new(), DeviceNode::new()];
    let mut graphs = Vec::new();
    for node in &nodes {
        assert_eq!(node.handle(), None);
        let launch = Launch::new(1, 32).priority(0).device_updatable_node(node).stream(&stream);
        graphs.push(captured(&stream, || {
            // SAFETY: the graph is not launched.
            unsafe { kernel_args::launch(&busy, launch, Busy::NOT_RUN) }
        })?);
        assert!(node.handle().is_some());
    }
    assert_ne!(nodes[0].handle(), nodes[1].handle());
    Ok(())
}

/// Every subset of these; each graph is launched, and its node updated.
fn attributes_of_added_nodes() -> Outcome {
    let ctx = context()?;
    let busy = kernel::<Busy>(ATTRIBUTES, "busy")?;
    let (stream, mut memory) = zeros::<u64>(2)?;
    let (times, _guard) = memory.device_ptr_mut(&stream);
    stream.synchronize()?;
    let args = || Busy { times: DevicePointerMut::from_raw(times), nanoseconds: 0 };
    for subset in 0..1_u32 << 5 {
        let has = |index: usize| subset >> index & 1 == 1;
        let device_node = DeviceNode::new();
        let mut launch = Launch::new(1, 32);
        if has(0) {
            launch = launch.priority(-1);
        }
        if has(1) {
            launch = launch.cooperative(true);
        }
        if has(2) {
            launch = launch.memory_sync_domain(MemorySyncDomain::Remote);
        }
        if has(3) {
            launch = launch.preferred_shared_memory_carveout(25);
        }
        if has(4) && !has(1) {
            launch = launch.device_updatable_node(&device_node);
        }
        let mut graph = Graph::new(&ctx)?;
        let node = graph.add_kernel_launch(&busy, launch, args(), &[])?;
        let raw = node.cu_graph_node();
        let priority = read!(raw, CU_LAUNCH_ATTRIBUTE_PRIORITY, priority);
        assert_eq!(priority, -i32::from(has(0)), "{subset:05b}");
        let cooperative = read!(raw, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, cooperative);
        assert_eq!(cooperative, i32::from(has(1)), "{subset:05b}");
        let domain = read!(raw, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, memSyncDomain);
        assert_eq!(domain as u32, u32::from(has(2)), "{subset:05b}");
        assert_eq!(device_node.handle().is_some(), has(4) && !has(1), "{subset:05b}");
        let mut exec = graph.instantiate()?;
        if !has(1) {
            exec.update(&node, 2, 64, args())?;
        }
        exec.upload(&stream)?;
        // SAFETY: there is space for two times.
        unsafe { exec.launch(&stream)? };
        stream.synchronize()?;
    }
    Ok(())
}

/// The ranks that the blocks see, before and after an update. A grid that is not a multiple of the cluster is rejected.
fn clusters_of_added_nodes() -> Outcome {
    let ctx = context()?;
    let kernel = kernel::<Ranks>(SM90, "cluster_ranks")?;
    let (stream, mut memory) = zeros::<u32>(32)?;
    let (ranks, _guard) = memory.device_ptr_mut(&stream);
    stream.synchronize()?;
    let args = || Ranks { ranks: DevicePointerMut::from_raw(ranks) };
    let launch = Launch::new(8, 32).cluster(4).cluster_scheduling_policy(ClusterSchedulingPolicy::Spread);
    let mut graph = Graph::new(&ctx)?;
    let node = graph.add_kernel_launch(&kernel, launch, args(), &[])?;
    let read = HostBuffer::from(vec![0_u32; 32]);
    graph.add_memcpy_dtoh(&read, DevicePointerMut::from_raw(ranks), &[node.any()])?;
    let raw = node.cu_graph_node();
    let cluster = read!(raw, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, clusterDim);
    assert_eq!([cluster.x, cluster.y, cluster.z], [4, 1, 1]);
    let mut exec = graph.instantiate()?;
    for grid in [8, 16, 4] {
        exec.update(&node, grid, 32, args())?;
        // SAFETY: there is space for two numbers of each of 16 blocks.
        unsafe { exec.launch(&stream)? };
        stream.synchronize()?;
        let expected: Vec<u32> = (0..grid).flat_map(|block| [block % 4, 4]).collect();
        // SAFETY: the launch has completed, and has copied numbers.
        assert_eq!(unsafe { read.to_vec() }[..expected.len()], expected);
    }
    let refused = exec.update(&node, 6, 32, args());
    let text = refused.expect_err("the cluster does not divide it").to_string();
    for words in ["grid (6, 1, 1) with the node's cluster (4, 1, 1)", "(8, 1, 1)"] {
        assert!(text.contains(words), "{text}");
    }
    Ok(())
}

/// Each is rejected and does not change the graph.
fn attributes_that_a_node_cannot_have() -> Outcome {
    let ctx = context()?;
    let busy = kernel::<Busy>(ATTRIBUTES, "busy")?;
    let event = ctx.new_event(None)?;
    let most = busy.max_cooperative_blocks(32, 0)?;
    let mut graph = Graph::new(&ctx)?;
    let one = Launch::new(1, 32);
    for (launch, words) in [
        (
            one.programmatic_stream_serialization(true),
            "`programmatic_stream_serialization` is an attribute of launches",
        ),
        (one.programmatic_event(&event), "`programmatic_event` is an attribute of launches"),
        (one.priority(-1).launch_completion_event(&event), "`launch_completion_event` is an attribute of launches"),
        (one.priority(1), "priority 1"),
        (Launch::new(most + 1, 32).cooperative(true), "a cooperative grid of"),
        (Launch::new(0, 32).priority(0), "at least one block"),
    ] {
        let error = graph.add_kernel_launch(&busy, launch, Busy::NOT_RUN, &[]).expect_err("it is refused").to_string();
        assert!(error.contains(words), "`{words}` is not in\n{error}");
        assert!(error.contains("\nhelp: "), "{error}");
    }
    // The driver rejects it: the node is removed again.
    if let Some(driver) = Control::attach() {
        driver.fail_once("cuGraphKernelNodeSetAttribute", 1);
        let error = graph
            .add_kernel_launch(&busy, one.priority(-1), Busy::NOT_RUN, &[])
            .expect_err("the driver refuses it")
            .to_string();
        assert!(error.contains("for `priority`"), "{error}");
        assert!(error.contains("kernel `busy`"), "{error}");
    }
    assert_eq!(graph.kernel_nodes(&busy)?.len(), 0, "no node is left");
    Ok(())
}

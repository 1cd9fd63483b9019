//! Graphs of two contexts, on different threads, and with arguments that own memory of a different device.

use cudarc::driver::CudaSlice;
use kernel_args::{
    Error, Kernel, Launch, Retained,
    graph::{Graph, GraphExec, Node},
    launch,
};
use kernel_args_stand_in::{Settings, within};
use kernel_args_tests::saxpy::{Owned, Pointers, SAXPY};
use std::{sync::Arc, thread};

struct Device {
    ctx: Arc<cudarc::driver::CudaContext>,
    stream: Arc<cudarc::driver::CudaStream>,
    kernel: Kernel<Owned>,
    memory: Arc<CudaSlice<f32>>,
}

impl Device {
    fn new(ordinal: usize) -> Self {
        let ctx = kernel_args::context(ordinal).expect("the test driver has this device");
        let stream = ctx.new_stream().expect("a stream");
        let memory = Arc::new(stream.clone_htod(&[1.0; 8]).expect("memory"));
        Self { kernel: Kernel::from_image(&ctx, SAXPY, "saxpy").expect("it fits"), ctx, stream, memory }
    }

    fn args(&self) -> Owned {
        Owned { n: 8, alpha: 1.0, x: Retained::read(&self.memory), y: Retained::write(&self.memory) }
    }

    fn graph(&self) -> (Graph, Node<Owned>) {
        let mut graph = Graph::new(&self.ctx).expect("a graph");
        let launch = Launch::new(1, 8);
        let node = graph.add_kernel_launch(&self.kernel, launch, self.args(), &[]).expect("a node");
        (graph, node)
    }

    fn exec(&self) -> (GraphExec, Node<Owned>) {
        let (graph, node) = self.graph();
        (graph.instantiate().expect("an instance"), node)
    }
}

fn says<T>(result: Result<T, Error>, words: &[&str]) {
    let error = result.err().expect("an error").to_string();
    for word in words.iter().chain(&["help: "]) {
        assert!(error.contains(word), "no `{word}` in: {error}");
    }
}

#[test]
fn what_belongs_to_another_context_is_refused() {
    const OTHER: &str = "another context";
    within(&Settings::new().devices(2), |driver| {
        let (a, b) = (Device::new(0), Device::new(1));
        let (mut exec, node) = a.exec();
        let (mut graph, _) = a.graph();
        let launch = Launch::new(1, 8);
        says(graph.add_kernel_launch(&b.kernel, launch, b.args(), &[]), &["kernel `saxpy`", OTHER]);
        says(graph.add_kernel_launch(&a.kernel, launch, b.args(), &[]), &["`x`", OTHER]);
        says(exec.update(&node, 1, 8, b.args()), &["`x`", OTHER]);
        // SAFETY: nothing is launched.
        says(unsafe { exec.launch(&b.stream) }, &["not launched", OTHER]);
        says(exec.upload(&b.stream), &["not uploaded", OTHER]);
        let captured = Graph::capture(&b.stream, || -> Result<(), Error> {
            // SAFETY: nothing is captured.
            let refused = unsafe { launch!(a.kernel, 1, 8, a.args(), node, stream = &b.stream) };
            says(refused, &[OTHER]);
            Ok(())
        });
        drop(captured.expect("an empty graph"));
        assert_eq!(driver.launches(), 0);
        // The current context does not matter: each call makes its own context current.
        b.ctx.bind_to_thread().expect("current");
        exec.update(&node, 1, 8, a.args()).expect("an update");
        b.ctx.bind_to_thread().expect("current");
        // SAFETY: the memory has 8 elements, on one stream.
        unsafe { exec.launch(&a.stream) }.expect("a launch");
        assert_eq!(driver.launches(), 1);
    });
}

#[test]
fn graphs_and_nodes_move_to_other_threads() {
    within(&Settings::new(), |driver| {
        let device = Device::new(0);
        let (mut exec, node) = device.exec();
        let args = device.args();
        let stream = device.stream.clone();
        let node_here = node.clone();
        let mut exec = thread::spawn(move || {
            exec.update(&node, 1, 8, args).expect("an update");
            // SAFETY: the memory has 8 elements, on one stream.
            unsafe { exec.launch(&stream) }.expect("a launch");
            exec
        })
        .join()
        .expect("no panic");
        exec.update(&node_here, 1, 8, device.args()).expect("an update");
        assert_eq!(driver.launches(), 1);
        let (graph, _) = device.graph();
        thread::spawn(move || drop(graph)).join().expect("no panic");
    });
}

/// A node of a destroyed graph retains nothing: its new arguments are rejected and dropped.
#[test]
fn a_node_of_a_graph_that_is_gone_is_refused() {
    within(&Settings::new(), |driver| {
        let device = Device::new(0);
        let mut gone = Vec::new();
        for _ in 0..20 {
            let (exec, node) = device.exec();
            drop(exec);
            gone.push(node);
        }
        let (mut exec, _) = device.exec();
        for node in &gone {
            says(exec.update(node, 1, 8, device.args()), &["another graph"]);
            says(exec.set_enabled(node, false), &["another graph"]);
        }
        Graph::wait_until_released();
        // One graph and its instance, and the two `Arc`s of each pointer that it retains.
        assert_eq!(driver.live().graphs, 2);
        assert_eq!(Arc::strong_count(&device.memory), 3);
    });
}

/// If a captured launch fails in the driver, the memory of its arguments is kept until the graph is destroyed.
#[test]
fn arguments_of_a_launch_that_failed_are_kept() {
    within(&Settings::new(), |driver| {
        let device = Device::new(0);
        let graph = Graph::capture(&device.stream, || -> Result<(), Error> {
            driver.fail_once("cuGraphNodeGetType", 999);
            // SAFETY: the memory has 8 elements, on one stream.
            let failed = unsafe { launch!(device.kernel, 1, 8, device.args(), node, stream = &device.stream) };
            assert!(failed.is_err());
            Ok(())
        });
        let mut exec = graph.expect("a graph").instantiate().expect("an instance");
        Graph::wait_until_released();
        assert_eq!(Arc::strong_count(&device.memory), 3);
        // SAFETY: as above.
        unsafe { exec.launch(&device.stream) }.expect("a launch");
        drop(exec);
        Graph::wait_until_released();
        assert_eq!(Arc::strong_count(&device.memory), 1);
    });
}

/// The thread that releases memory drops nothing while a different thread captures, and breaks no capture.
#[test]
fn memory_is_released_after_a_capture() {
    within(&Settings::new(), |driver| {
        let device = Device::new(0);
        let (mut exec, node) = device.exec();
        let before = driver.live().allocations;
        let memory = Arc::new(device.stream.clone_htod(&[1.0_f32; 8]).expect("memory"));
        let args = Owned { x: Retained::read(&memory), ..device.args() };
        drop(memory);
        exec.update(&node, 1, 8, args).expect("an update");
        // SAFETY: the memory has 8 elements, on one stream.
        unsafe { exec.launch(&device.stream) }.expect("a launch");
        device.ctx.synchronize().expect("no error");
        assert_eq!(driver.live().allocations, before + 1);
        let other = device.ctx.new_stream().expect("a stream");
        let graph = Graph::capture(&other, || -> Result<(), Error> {
            exec.update(&node, 1, 8, device.args())?;
            Graph::wait_until_released();
            assert_eq!(driver.live().allocations, before + 1);
            Ok(())
        });
        drop(graph.expect("an unbroken capture"));
        Graph::wait_until_released();
        assert_eq!(driver.live().allocations, before);
        device.ctx.check_err().expect("no error is left");
    });
}

/// If `Pointers` owns nothing, there is no heap allocation and nothing is sent to a different thread.
#[test]
fn arguments_that_own_nothing_leave_no_user_object_behind() {
    within(&Settings::new(), |driver| {
        let device = Device::new(0);
        let kernel = Kernel::<Pointers>::from_image(&device.ctx, SAXPY, "saxpy").expect("it fits");
        let mut graph = Graph::new(&device.ctx).expect("a graph");
        let node = graph.add_kernel(&kernel, 1, 8, Pointers::NONE, &[]).expect("a node");
        let mut exec = graph.instantiate().expect("an instance");
        // The thread that drops released objects has started: it calls the driver once.
        Graph::wait_until_released();
        let before = driver.called();
        for _ in 0..10 {
            exec.update(&node, 1, 8, Pointers::NONE).expect("an update");
        }
        let after = driver.called();
        let new: Vec<_> = after
            .iter()
            .filter(|(name, count)| before.get(*name) != Some(*count))
            .map(|(name, count)| (name.as_str(), count - before.get(name).unwrap_or(&0)))
            .collect();
        assert_eq!(new, [("cuCtxGetCurrent", 10), ("cuGraphExecKernelNodeSetParams_v2", 10)]);
    });
}

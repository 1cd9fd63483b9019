//! Graphs: creating, querying, changing and launching kernel nodes; stream capture and what invalidates it.

use std::ptr::null_mut;

use crate::raw::*;
use cudarc::driver::{CudaContext, CudaStream, DriverError, LaunchConfig, PushKernelArg, sys};
use kernel_args_test_driver::{LaunchForm, Settings, within};

type NodeParams = sys::CUDA_KERNEL_NODE_PARAMS;

const THREAD_LOCAL: sys::CUstreamCaptureMode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;

fn node_params(function: sys::CUfunction) -> NodeParams {
    NodeParams {
        func: function,
        gridDimX: 1,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 32,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        kernelParams: null_mut(),
        extra: null_mut(),
        kern: null_mut(),
        ctx: null_mut(),
    }
}

fn graph() -> sys::CUgraph {
    let mut graph = null_mut();
    assert_eq!(call!(sys::cuGraphCreate(&raw mut graph, 0)), Ok(()));
    graph
}

fn add(graph: sys::CUgraph, after: &[sys::CUgraphNode], params: &NodeParams) -> Result<sys::CUgraphNode, u32> {
    let mut node = null_mut();
    call!(sys::cuGraphAddKernelNode_v2(&raw mut node, graph, after.as_ptr(), after.len(), params))?;
    Ok(node)
}

fn instantiate(graph: sys::CUgraph) -> sys::CUgraphExec {
    let mut exec = null_mut();
    assert_eq!(call!(sys::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)), Ok(()));
    exec
}

fn run(exec: sys::CUgraphExec) -> Result<(), u32> {
    call!(sys::cuGraphLaunch(exec, null_mut()))
}

#[test]
fn a_node_keeps_its_parameters_and_an_update_replaces_them() {
    within(&Settings::new(), |driver| {
        let echo = Echo::new(".u8, .u32");
        let address = echo.address.to_le_bytes();
        let graph = graph();
        let (mut byte, word) = ([1u8], [2u8; 4]);
        let mut params = node_params(echo.function);
        let mut values = pointers(&[&address, &byte, &word]);
        params.kernelParams = values.as_mut_ptr();
        let node = add(graph, &[], &params).expect("right");
        // The values were read when the node was created.
        byte[0] = 99;
        std::hint::black_box(&byte);
        let exec = instantiate(graph);
        assert_eq!((driver.launches(), run(exec)), (0, Ok(())));
        assert_eq!(echo.echoed(5), [1, 2, 2, 2, 2]);
        let last = driver.last_launch().expect("it ran");
        assert_eq!((last.in_graph, last.form, last.block), (true, LaunchForm::KernelParams, [32, 1, 1]));

        // The queried parameters are set again: the node owns the arrays.
        let mut asked = node_params(null_mut());
        assert_eq!(call!(sys::cuGraphKernelNodeGetParams_v2(node, &raw mut asked)), Ok(()));
        assert_eq!((asked.func, asked.extra.is_null()), (echo.function, true));
        // SAFETY: the node has three parameters.
        let arrays = unsafe { std::slice::from_raw_parts(asked.kernelParams, 3) };
        // SAFETY: the third has four bytes.
        assert_eq!(unsafe { arrays[2].cast::<[u8; 4]>().read() }, word);

        // An instantiated graph is changed separately, in either form.
        let mut buffer = [&address[..], &[3, 0, 0, 0], &[4; 4]].concat();
        let mut size = buffer.len();
        let mut packed = extra(&buffer, &mut size);
        let mut update = node_params(echo.function);
        update.extra = packed.as_mut_ptr();
        assert_eq!(call!(sys::cuGraphExecKernelNodeSetParams_v2(exec, node, &raw const update)), Ok(()));
        buffer.fill(0);
        assert_eq!(run(exec), Ok(()));
        assert_eq!(echo.echoed(5), [3, 4, 4, 4, 4]);
        assert_eq!(driver.last_launch().expect("it ran").form, LaunchForm::Extra);
        // The original node has not changed.
        assert_eq!(run(instantiate(graph)), Ok(()));
        assert_eq!(echo.echoed(5), [1, 2, 2, 2, 2]);

        let buffer = [&address[..], &[6, 0, 0, 0], &[7; 4], &[0]].concat();
        for (length, result) in [(17, OUT_OF_RESOURCES), (16, Ok(()))] {
            size = length;
            let mut packed = extra(&buffer, &mut size);
            update.extra = packed.as_mut_ptr();
            assert_eq!(call!(sys::cuGraphKernelNodeSetParams_v2(node, &raw const update)), result);
        }
        assert_eq!(run(exec), Ok(()), "instantiated before");
        assert_eq!(echo.echoed(5), [3, 4, 4, 4, 4]);
        assert_eq!(run(instantiate(graph)), Ok(()));
        assert_eq!(echo.echoed(5), [6, 7, 7, 7, 7]);
        assert_eq!(add(graph, &[], &node_params(echo.function)), Err(1), "neither form");
        assert_eq!(call!(sys::cuGraphDestroy(graph)), Ok(()));
        assert_eq!(run(exec), Ok(()), "an instantiated graph is its own");
    });
}

#[test]
fn nodes_run_after_what_they_depend_on() {
    within(&Settings::new(), |driver| {
        let echo = Echo::new(".u8");
        let address = echo.address.to_le_bytes();
        let graph = graph();
        let mut nodes = Vec::new();
        for value in 0..3u8 {
            let byte = [value];
            let mut params = node_params(echo.function);
            let mut values = pointers(&[&address, &byte]);
            params.kernelParams = values.as_mut_ptr();
            nodes.push(add(graph, &nodes.last().copied().into_iter().collect::<Vec<_>>(), &params).expect("right"));
        }
        let stranger = self::graph();
        let mut params = node_params(echo.function);
        let mut values = pointers(&[&address, &[0]]);
        params.kernelParams = values.as_mut_ptr();
        assert_eq!(add(stranger, &nodes[..1], &params), Err(1), "another graph's node");
        assert_eq!(run(instantiate(graph)), Ok(()));
        assert_eq!((driver.launches(), echo.echoed(1)), (3, vec![2]));
        let mut count = 0;
        assert_eq!(call!(sys::cuGraphGetNodes(graph, null_mut(), &raw mut count)), Ok(()));
        assert_eq!(count, 3);
        // From the last node to the first: a cycle.
        // SAFETY: arrays with one element.
        let circle = unsafe {
            sys::cuGraphAddDependencies_v2(graph, &raw const nodes[2], &raw const nodes[0], std::ptr::null(), 1)
        };
        assert_eq!(code(circle), Ok(()));
        let mut exec = null_mut();
        assert_eq!(call!(sys::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0)), INVALID_VALUE);
    });
}

const ONE_THREAD: LaunchConfig = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 };

#[test]
fn capture_through_cudarc_records_and_replays() {
    within(&Settings::new(), |driver| {
        let context = CudaContext::new(0).expect("a device");
        // SAFETY: this test uses each slice on one stream at a time.
        unsafe { context.disable_event_tracking() };
        let stream = context.new_stream().expect("a stream");
        let text = ptx(&[("echo", ".u64, .u32")]);
        let module = context.load_module(cudarc::nvrtc::Ptx::from_src(text)).expect("right");
        let echo = module.load_function("echo").expect("it has this entry");
        let mut out = stream.alloc_zeros::<u8>(4).expect("memory");
        stream.begin_capture(THREAD_LOCAL).expect("not capturing yet");
        // SAFETY: the arguments match the kernel.
        unsafe { stream.launch_builder(&echo).arg(&mut out).arg(&0x0403_0201u32).launch(ONE_THREAD) }
            .expect("captured");
        assert_eq!(driver.launches(), 0, "captured, not run");
        let flags = sys::CUgraphInstantiate_flags(0);
        let graph = stream.end_capture(flags).expect("unbroken").expect("a graph");
        for round in 1..=3 {
            stream.memset_zeros(&mut out).expect("memory");
            graph.launch().expect("it runs");
            assert_eq!(stream.clone_dtoh(&out).expect("memory"), [1, 2, 3, 4]);
            assert_eq!(driver.launches(), round);
        }
        drop(graph);
        assert_eq!(driver.live_graphs(), 0);
    });
}

fn status(result: Result<(), DriverError>) -> Result<(), u32> {
    result.map_err(|error| error.0 as u32)
}

fn end_capture(stream: &CudaStream) -> Result<sys::CUgraph, u32> {
    let mut graph = null_mut();
    call!(sys::cuStreamEndCapture(stream.cu_stream(), &raw mut graph))?;
    Ok(graph)
}

#[test]
fn unsupported_work_invalidates_a_capture() {
    within(&Settings::new(), |_| {
        let context = CudaContext::new(0).expect("a device");
        let (stream, other) = (context.new_stream().expect("a stream"), context.new_stream().expect("a stream"));
        let begin = || {
            stream.begin_capture(THREAD_LOCAL).expect("not capturing yet");
        };

        begin();
        assert_eq!(status(stream.synchronize()), Err(900));
        assert_eq!(end_capture(&stream), Err(901));

        begin();
        let outside = other.record_event(None).expect("an event");
        assert_eq!(status(stream.wait(&outside)), Err(905));
        assert_eq!(end_capture(&stream), Err(901));

        begin();
        let inside = stream.record_event(None).expect("an event");
        assert_eq!(status(inside.synchronize()), Err(907));
        assert_eq!(status(other.wait(&inside)), Err(1), "its capture is broken");
        assert_eq!(end_capture(&stream), Err(901));
        assert_eq!(status(inside.synchronize()), Err(1), "its capture is over");
        inside.record(&stream).expect("recorded anew");
        assert_eq!(status(inside.synchronize()), Ok(()));

        begin();
        let fork = stream.record_event(None).expect("an event");
        other.wait(&fork).expect("it joins");
        assert_eq!(call!(sys::cuLaunchHostFunc(other.cu_stream(), Some(nothing), null_mut())), Ok(()));
        assert_eq!(end_capture(&stream), Err(904), "the other stream's work was not joined");

        begin();
        let fork = stream.record_event(None).expect("an event");
        other.wait(&fork).expect("it joins");
        assert_eq!(call!(sys::cuLaunchHostFunc(other.cu_stream(), Some(nothing), null_mut())), Ok(()));
        stream.join(&other).expect("joined");
        let graph = end_capture(&stream).expect("joined");
        assert!(!graph.is_null());
        assert_eq!(end_capture(&stream), Err(401), "not capturing any more");
        assert_eq!(status(other.synchronize()), Ok(()));

        assert_eq!(call!(sys::cuStreamBeginCapture_v2(null_mut(), THREAD_LOCAL)), Err(900));
    });
}

unsafe extern "C" fn nothing(_: *mut std::ffi::c_void) {}

#[test]
fn packed_launches_are_captured_too() {
    within(&Settings::new(), |driver| {
        let echo = Echo::new(".u32");
        let stream = echo.context.new_stream().expect("a stream");
        stream.begin_capture(THREAD_LOCAL).expect("not capturing yet");
        let mut buffer = [&echo.address.to_le_bytes()[..], &[5, 6, 7, 8]].concat();
        let mut size = 12;
        let mut packed = extra(&buffer, &mut size);
        assert_eq!(launch_on(stream.cu_stream(), echo.function, ONE, None, Some(&mut packed)), Ok(()));
        buffer.fill(0);
        let graph = end_capture(&stream).expect("unbroken");
        assert_eq!(run(instantiate(graph)), Ok(()));
        assert_eq!((echo.echoed(4), driver.launches()), (vec![5, 6, 7, 8], 1));

        stream.begin_capture(THREAD_LOCAL).expect("not capturing yet");
        size = 13;
        let buffer = [0; 13];
        let mut packed = extra(&buffer, &mut size);
        let too_long = launch_on(stream.cu_stream(), echo.function, ONE, None, Some(&mut packed));
        assert_eq!(too_long, OUT_OF_RESOURCES);
        assert_eq!(end_capture(&stream), Err(901), "a refused launch breaks the capture");
    });
}

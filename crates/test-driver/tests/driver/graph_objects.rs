//! Graphs: user objects, copy and memset nodes, disabled nodes, edges, and the information about a capture.

use crate::raw::*;
use cudarc::driver::{CudaContext, sys};
use kernel_args_test_driver::{Settings, within};
use std::{
    ffi::c_void,
    ptr::{null, null_mut},
    sync::atomic::{AtomicU32, Ordering},
};

static DESTROYED: AtomicU32 = AtomicU32::new(0);
/// The driver's result in a destructor.
static ANSWER: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" fn destroy(by: *mut c_void) {
    DESTROYED.fetch_add(by.addr() as u32, Ordering::SeqCst);
    let answer = call!(sys::cuCtxSynchronize());
    ANSWER.store(answer.err().unwrap_or(0), Ordering::SeqCst);
}

fn destroyed() -> u32 {
    DESTROYED.load(Ordering::SeqCst)
}

const NO_SYNC: u32 = 1;
const MOVE: u32 = 1;

fn object(number: usize, references: u32) -> sys::CUuserObject {
    let mut object = null_mut();
    let argument = std::ptr::without_provenance_mut(number);
    let made = call!(sys::cuUserObjectCreate(&raw mut object, argument, Some(destroy), references, NO_SYNC));
    assert_eq!(made, Ok(()));
    object
}

fn graph() -> sys::CUgraph {
    let mut graph = null_mut();
    assert_eq!(call!(sys::cuGraphCreate(&raw mut graph, 0)), Ok(()));
    graph
}

fn instantiate(graph: sys::CUgraph) -> Result<sys::CUgraphExec, u32> {
    let mut exec = null_mut();
    call!(sys::cuGraphInstantiateWithFlags(&raw mut exec, graph, 0))?;
    Ok(exec)
}

#[test]
fn a_user_object_is_destroyed_with_its_last_reference() {
    within(&Settings::new(), |driver| {
        let _context = CudaContext::new(0).expect("a device");
        let mut none = null_mut();
        // SAFETY: the destructor takes any number.
        let no_flag = unsafe { sys::cuUserObjectCreate(&raw mut none, null_mut(), Some(destroy), 1, 0) };
        assert_eq!(code(no_flag), INVALID_VALUE, "without the flag that CUDA demands");

        let (first, second) = (object(1, 2), object(10, 1));
        assert_eq!(driver.live().user_objects, 2);
        assert_eq!(call!(sys::cuUserObjectRelease(first, 3)), INVALID_VALUE, "more than there are");
        assert_eq!(call!(sys::cuUserObjectRelease(first, 1)), Ok(()));
        assert_eq!(destroyed(), 0);
        assert_eq!(call!(sys::cuUserObjectRelease(first, 1)), Ok(()));
        assert_eq!(destroyed(), 1);
        assert_eq!(ANSWER.load(Ordering::SeqCst), 800, "a destructor must not call the driver");
        assert_eq!(call!(sys::cuUserObjectRetain(first, 1)), INVALID_HANDLE, "it is gone");

        // A graph, its clone and its instantiated graph have separate references.
        let graph = graph();
        let retained = call!(sys::cuGraphRetainUserObject(graph, second, 1, MOVE));
        assert_eq!(retained, Ok(()));
        let exec = instantiate(graph).expect("no cycle");
        let mut clone = null_mut();
        assert_eq!(call!(sys::cuGraphClone(&raw mut clone, graph)), Ok(()));
        assert_eq!(call!(sys::cuGraphDestroy(graph)), Ok(()));
        assert_eq!(call!(sys::cuGraphDestroy(clone)), Ok(()));
        assert_eq!(destroyed(), 1);
        assert_eq!(call!(sys::cuGraphExecDestroy(exec)), Ok(()));
        assert_eq!((destroyed(), driver.live().user_objects), (11, 0));

        // Without `MOVE` the caller keeps its references; a call releases the graph's own.
        let (third, graph) = (object(100, 1), self::graph());
        assert_eq!(call!(sys::cuGraphRetainUserObject(graph, third, 2, 0)), Ok(()));
        assert_eq!(call!(sys::cuUserObjectRelease(third, 1)), Ok(()));
        assert_eq!(call!(sys::cuGraphReleaseUserObject(graph, third, 1)), Ok(()));
        assert_eq!(destroyed(), 11);
        assert_eq!(call!(sys::cuGraphDestroy(graph)), Ok(()));
        assert_eq!(destroyed(), 111);
    });
}

/// The behavior of driver 580 on an H200.
#[test]
fn a_graph_is_not_launched_on_a_capturing_stream() {
    within(&Settings::new(), |_| {
        let context = CudaContext::new(0).expect("a device");
        let stream = context.new_stream().expect("a stream");
        let graph = graph();
        let exec = instantiate(graph).expect("no cycle");
        stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).expect("not capturing yet");
        assert_eq!(call!(sys::cuGraphLaunch(exec, stream.cu_stream())), Err(900));
        let mut outer = null_mut();
        let ended = call!(sys::cuStreamEndCapture(stream.cu_stream(), &raw mut outer));
        assert_eq!(ended, Err(901));
        assert_eq!(call!(sys::cuGraphExecDestroy(exec)), Ok(()));
        assert_eq!(call!(sys::cuGraphDestroy(graph)), Ok(()));
    });
}

fn memset(graph: sys::CUgraph, after: &[sys::CUgraphNode], echo: &Echo, value: u32) -> Result<sys::CUgraphNode, u32> {
    let params =
        sys::CUDA_MEMSET_NODE_PARAMS { dst: echo.address, pitch: 0, value, elementSize: 1, width: 4, height: 1 };
    let mut node = null_mut();
    call!(sys::cuGraphAddMemsetNode(
        &raw mut node,
        graph,
        after.as_ptr(),
        after.len(),
        &raw const params,
        echo.context.cu_ctx()
    ))?;
    Ok(node)
}

#[test]
fn a_disabled_node_does_nothing_and_edges_are_returned() {
    within(&Settings::new(), |_| {
        let echo = Echo::new(".u8");
        let graph = graph();
        let first = memset(graph, &[], &echo, 1).expect("right");
        let second = memset(graph, &[first], &echo, 2).expect("right");
        assert_eq!(memset(graph, &[], &echo, 256), Err(1), "more than a byte");
        let exec = instantiate(graph).expect("no cycle");
        let run = || assert_eq!(call!(sys::cuGraphLaunch(exec, null_mut())), Ok(()));
        run();
        assert_eq!(echo.echoed(4), [2; 4]);
        assert_eq!(call!(sys::cuGraphNodeSetEnabled(exec, second, 0)), Ok(()));
        run();
        assert_eq!(echo.echoed(4), [1; 4]);
        let mut enabled = 7;
        assert_eq!(call!(sys::cuGraphNodeGetEnabled(exec, second, &raw mut enabled)), Ok(()));
        assert_eq!(enabled, 0);
        let stranger = memset(self::graph(), &[], &echo, 3).expect("right");
        assert_eq!(call!(sys::cuGraphNodeSetEnabled(exec, stranger, 1)), INVALID_VALUE);

        let (mut from, mut to, mut count) = ([null_mut(); 3], [null_mut(); 3], 3);
        // SAFETY: arrays with three elements.
        let actual =
            unsafe { sys::cuGraphGetEdges_v2(graph, from.as_mut_ptr(), to.as_mut_ptr(), null_mut(), &raw mut count) };
        assert_eq!(code(actual), Ok(()));
        assert_eq!((count, from[0], to[0]), (1, first, second));
    });
}

#[test]
fn a_capture_returns_its_id_its_graph_and_its_last_node() {
    within(&Settings::new(), |_| {
        let echo = Echo::new(".u8");
        let stream = echo.context.new_stream().expect("a stream");
        let info = || {
            let (mut status, mut id, mut graph) =
                (sys::CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE, 0, null_mut());
            let (mut nodes, mut count) = (null(), 0);
            let actual = call!(sys::cuStreamGetCaptureInfo_v3(
                stream.cu_stream(),
                &raw mut status,
                &raw mut id,
                &raw mut graph,
                &raw mut nodes,
                null_mut(),
                &raw mut count
            ));
            assert_eq!(actual, Ok(()));
            // SAFETY: the driver's array.
            let last = (count == 1).then(|| unsafe { nodes.read() });
            (status as u32, id, graph, last)
        };
        assert_eq!(info(), (0, 0, null_mut(), None));
        let mut ids = Vec::new();
        for _ in 0..2 {
            stream
                .begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
                .expect("not capturing yet");
            let (status, id, graph, last) = info();
            assert_eq!((status, last), (1, None));
            ids.push(id);
            let (address, byte) = (echo.address.to_le_bytes(), [1]);
            let mut values = pointers(&[&address, &byte]);
            let launched = launch_on(stream.cu_stream(), echo.function, ONE, Some(&mut values), None);
            assert_eq!(launched, Ok(()));
            let (_, same, same_graph, last) = info();
            assert_eq!((same, same_graph), (id, graph));
            let mut kind = sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY;
            let node = last.expect("one node");
            assert_eq!(call!(sys::cuGraphNodeGetType(node, &raw mut kind)), Ok(()));
            assert_eq!(kind, sys::CUgraphNodeType::CU_GRAPH_NODE_TYPE_KERNEL);
            let mut ended = null_mut();
            assert_eq!(call!(sys::cuStreamEndCapture(stream.cu_stream(), &raw mut ended)), Ok(()));
            assert_eq!(ended, graph);
        }
        assert_ne!(ids[0], ids[1]);
    });
}

/// The purpose of `CU_STREAM_CAPTURE_MODE_RELAXED` for a thread.
#[test]
fn a_relaxed_thread_may_call_what_a_capture_forbids() {
    within(&Settings::new(), |_| {
        let context = CudaContext::new(0).expect("a device");
        let stream = context.new_stream().expect("a stream");
        let allocate = || {
            let mut address = 0;
            call!(sys::cuMemAlloc_v2(&raw mut address, 16))
        };
        let begin = || {
            stream.begin_capture(sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL).expect("not capturing yet");
        };
        let end = || {
            let mut graph = null_mut();
            call!(sys::cuStreamEndCapture(stream.cu_stream(), &raw mut graph))
        };
        begin();
        assert_eq!(allocate(), Err(900));
        assert_eq!(end(), Err(901));
        let mut mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
        assert_eq!(call!(sys::cuThreadExchangeStreamCaptureMode(&raw mut mode)), Ok(()));
        assert_eq!(mode, sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_GLOBAL);
        begin();
        assert_eq!(allocate(), Ok(()));
        assert_eq!(end(), Ok(()));
    });
}

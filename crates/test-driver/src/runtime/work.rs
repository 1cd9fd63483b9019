//! Streams, events, graphs and pools.

use std::ffi::{c_int, c_uint, c_void};

use super::{
    call::{get, ok},
    registered::function,
};
use crate::{
    contexts::context::cuCtxGetCurrent,
    entry::{In, Out},
    error::Outcome,
    graphs::{
        edit::{Fill, cuGraphAddMemsetNode, cuGraphDestroyNode, cuGraphNodeGetType},
        exec::{
            cuGraphExecDestroy, cuGraphInstantiateWithFlags, cuGraphLaunch, cuGraphNodeGetEnabled,
            cuGraphNodeSetEnabled, cuGraphUpload,
        },
        graph::{cuGraphClone, cuGraphCreate, cuGraphDestroy, cuGraphGetNodes},
        inside::cuGraphAddChildGraphNode,
        kernel::{
            KernelNodeParams, cuGraphAddKernelNode_v2, cuGraphExecKernelNodeSetParams_v2, cuGraphKernelNodeSetParams_v2,
        },
        kinds::{
            HostNode, cuGraphAddEmptyNode, cuGraphAddEventRecordNode, cuGraphAddEventWaitNode, cuGraphAddHostNode,
        },
        update::{ResultInfo, cuGraphExecUpdate_v2},
    },
    handle::Handle,
    memory::pool::{
        PoolProperties, cuDeviceGetDefaultMemPool, cuDeviceGetMemPool, cuDeviceSetMemPool, cuMemPoolCreate,
        cuMemPoolDestroy, cuMemPoolGetAttribute, cuMemPoolSetAttribute, cuMemPoolTrimTo,
    },
    streams::{
        capture::{
            cuStreamBeginCapture_v2, cuStreamEndCapture, cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v3,
            cuStreamIsCapturing, cuThreadExchangeStreamCaptureMode,
        },
        event::{
            cuEventCreate, cuEventDestroy_v2, cuEventElapsedTime, cuEventQuery, cuEventRecord, cuEventSynchronize,
        },
        stream::{
            cuLaunchHostFunc, cuProfilerStart, cuProfilerStop, cuStreamCreate, cuStreamDestroy_v2, cuStreamSynchronize,
            cuStreamWaitEvent,
        },
    },
};

fn per_thread(stream: Handle) -> Handle {
    if stream.is_null() { Handle(2) } else { stream }
}

/// `cudaKernelNodeParams`
#[derive(Clone, Copy)]
#[repr(C)]
struct Node {
    function: usize,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    kernel_params: usize,
    extra: usize,
}

impl Node {
    fn of_driver(self) -> Outcome<KernelNodeParams> {
        let Self { grid, block, shared, kernel_params, extra, .. } = self;
        Ok(KernelNodeParams::new(function(self.function)?, (grid, block, shared), [kernel_params, extra]))
    }
}

runtime_functions! {
    fn cudaStreamCreate(stream: Out<Handle>) {
        ok(cuStreamCreate(stream, 0))
    }

    fn cudaStreamCreateWithFlags(stream: Out<Handle>, flags: c_uint) {
        ok(cuStreamCreate(stream, flags))
    }

    fn cudaStreamCreateWithPriority(stream: Out<Handle>, flags: c_uint, _priority: c_int) {
        ok(cuStreamCreate(stream, flags))
    }

    fn cudaStreamDestroy(stream: Handle) {
        ok(cuStreamDestroy_v2(stream))
    }

    fn cudaStreamSynchronize(stream: Handle) {
        ok(cuStreamSynchronize(stream))
    }

    fn cudaStreamSynchronize_ptsz(stream: Handle) {
        ok(cuStreamSynchronize(per_thread(stream)))
    }

    /// All work has finished.
    fn cudaStreamQuery(stream: Handle) {
        ok(cuStreamSynchronize(stream))
    }

    fn cudaStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint) {
        ok(cuStreamWaitEvent(stream, event, flags))
    }

    fn cudaLaunchHostFunc(stream: Handle, host: Option<extern "C" fn(*mut c_void)>, argument: Out<c_void>) {
        ok(cuLaunchHostFunc(stream, host, argument))
    }

    fn cudaEventCreate(event: Out<Handle>) {
        ok(cuEventCreate(event, 0))
    }

    fn cudaEventCreateWithFlags(event: Out<Handle>, flags: c_uint) {
        ok(cuEventCreate(event, flags))
    }

    fn cudaEventRecord(event: Handle, stream: Handle) {
        ok(cuEventRecord(event, stream))
    }

    fn cudaEventRecord_ptsz(event: Handle, stream: Handle) {
        ok(cuEventRecord(event, per_thread(stream)))
    }

    fn cudaEventRecordWithFlags(event: Handle, stream: Handle, _flags: c_uint) {
        ok(cuEventRecord(event, stream))
    }

    fn cudaEventSynchronize(event: Handle) {
        ok(cuEventSynchronize(event))
    }

    fn cudaEventQuery(event: Handle) {
        ok(cuEventQuery(event))
    }

    fn cudaEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle) {
        ok(cuEventElapsedTime(milliseconds, start, end))
    }

    fn cudaEventDestroy(event: Handle) {
        ok(cuEventDestroy_v2(event))
    }

    fn cudaProfilerStart() {
        ok(cuProfilerStart())
    }

    fn cudaProfilerStop() {
        ok(cuProfilerStop())
    }

    fn cudaStreamBeginCapture(stream: Handle, mode: c_uint) {
        ok(cuStreamBeginCapture_v2(stream, mode))
    }

    fn cudaStreamEndCapture(stream: Handle, graph: Out<Handle>) {
        ok(cuStreamEndCapture(stream, graph))
    }

    fn cudaStreamIsCapturing(stream: Handle, status: Out<c_uint>) {
        ok(cuStreamIsCapturing(stream, status))
    }

    fn cudaStreamGetCaptureInfo_v2(
        stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, nodes: Out<usize>, count: Out<usize>,
    ) {
        ok(cuStreamGetCaptureInfo_v2(stream, status, id, graph, nodes, count))
    }

    fn cudaStreamGetCaptureInfo(
        stream: Handle, status: Out<c_uint>, id: Out<u64>, graph: Out<Handle>, nodes: Out<usize>, edges: Out<usize>,
        count: Out<usize>,
    ) {
        ok(cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, edges, count))
    }

    fn cudaThreadExchangeStreamCaptureMode(mode: Out<c_uint>) {
        ok(cuThreadExchangeStreamCaptureMode(mode))
    }

    fn cudaGraphCreate(graph: Out<Handle>, flags: c_uint) {
        ok(cuGraphCreate(graph, flags))
    }

    fn cudaGraphDestroy(graph: Handle) {
        ok(cuGraphDestroy(graph))
    }

    fn cudaGraphClone(clone: Out<Handle>, original: Handle) {
        ok(cuGraphClone(clone, original))
    }

    fn cudaGraphInstantiate(exec: Out<Handle>, graph: Handle, flags: u64) {
        ok(cuGraphInstantiateWithFlags(exec, graph, flags))
    }

    fn cudaGraphInstantiateWithFlags(exec: Out<Handle>, graph: Handle, flags: u64) {
        ok(cuGraphInstantiateWithFlags(exec, graph, flags))
    }

    fn cudaGraphExecDestroy(exec: Handle) {
        ok(cuGraphExecDestroy(exec))
    }

    fn cudaGraphExecUpdate(exec: Handle, graph: Handle, info: Out<ResultInfo>) {
        ok(cuGraphExecUpdate_v2(exec, graph, info))
    }

    fn cudaGraphLaunch(exec: Handle, stream: Handle) {
        ok(cuGraphLaunch(exec, stream))
    }

    fn cudaGraphUpload(exec: Handle, stream: Handle) {
        ok(cuGraphUpload(exec, stream))
    }

    fn cudaGraphGetNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) {
        ok(cuGraphGetNodes(graph, nodes, count))
    }

    fn cudaGraphNodeGetType(node: Handle, kind: Out<c_uint>) {
        ok(cuGraphNodeGetType(node, kind))
    }

    fn cudaGraphDestroyNode(node: Handle) {
        ok(cuGraphDestroyNode(node))
    }

    fn cudaGraphNodeSetEnabled(exec: Handle, node: Handle, enabled: c_uint) {
        ok(cuGraphNodeSetEnabled(exec, node, enabled))
    }

    fn cudaGraphNodeGetEnabled(exec: Handle, node: Handle, enabled: Out<c_uint>) {
        ok(cuGraphNodeGetEnabled(exec, node, enabled))
    }

    fn cudaGraphAddEmptyNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize) {
        ok(cuGraphAddEmptyNode(node, graph, dependencies, count))
    }

    fn cudaGraphAddHostNode(
        node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, parameters: In<HostNode>,
    ) {
        ok(cuGraphAddHostNode(node, graph, dependencies, count, parameters))
    }

    fn cudaGraphAddEventRecordNode(
        node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, event: Handle,
    ) {
        ok(cuGraphAddEventRecordNode(node, graph, dependencies, count, event))
    }

    fn cudaGraphAddEventWaitNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, event: Handle) {
        ok(cuGraphAddEventWaitNode(node, graph, dependencies, count, event))
    }

    fn cudaGraphAddChildGraphNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, child: Handle) {
        ok(cuGraphAddChildGraphNode(node, graph, dependencies, count, child))
    }

    fn cudaGraphAddMemsetNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, fill: In<Fill>) {
        ok(cuGraphAddMemsetNode(node, graph, dependencies, count, fill, get(|out| cuCtxGetCurrent(out))?))
    }

    fn cudaGraphAddKernelNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, kernel: In<Node>) {
        let parameters = kernel.get()?.of_driver()?;
        ok(cuGraphAddKernelNode_v2(node, graph, dependencies, count, In::of(&parameters)))
    }

    fn cudaGraphKernelNodeSetParams(node: Handle, kernel: In<Node>) {
        ok(cuGraphKernelNodeSetParams_v2(node, In::of(&kernel.get()?.of_driver()?)))
    }

    fn cudaGraphExecKernelNodeSetParams(exec: Handle, node: Handle, kernel: In<Node>) {
        ok(cuGraphExecKernelNodeSetParams_v2(exec, node, In::of(&kernel.get()?.of_driver()?)))
    }

    fn cudaDeviceGetDefaultMemPool(pool: Out<Handle>, device: c_int) {
        ok(cuDeviceGetDefaultMemPool(pool, device))
    }

    fn cudaDeviceGetMemPool(pool: Out<Handle>, device: c_int) {
        ok(cuDeviceGetMemPool(pool, device))
    }

    fn cudaDeviceSetMemPool(device: c_int, pool: Handle) {
        ok(cuDeviceSetMemPool(device, pool))
    }

    fn cudaMemPoolCreate(pool: Out<Handle>, properties: In<PoolProperties>) {
        ok(cuMemPoolCreate(pool, properties))
    }

    fn cudaMemPoolDestroy(pool: Handle) {
        ok(cuMemPoolDestroy(pool))
    }

    fn cudaMemPoolGetAttribute(pool: Handle, attribute: c_uint, value: Out<c_void>) {
        ok(cuMemPoolGetAttribute(pool, attribute, value))
    }

    fn cudaMemPoolSetAttribute(pool: Handle, attribute: c_uint, value: Out<c_void>) {
        ok(cuMemPoolSetAttribute(pool, attribute, value))
    }

    fn cudaMemPoolTrimTo(pool: Handle, keep: usize) {
        ok(cuMemPoolTrimTo(pool, keep))
    }
}

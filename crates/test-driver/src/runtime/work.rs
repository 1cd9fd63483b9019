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
    /// All work has finished.
    fn cudaStreamQuery(stream: Handle) {
        ok(cuStreamSynchronize(stream))
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

    fn cudaGraphAddChildGraphNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, child: Handle) {
        ok(cuGraphAddChildGraphNode(node, graph, dependencies, count, child))
    }

    fn cudaGraphAddKernelNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, kernel: In<Node>) {
        let parameters = kernel.get()?.of_driver()?;
        ok(cuGraphAddKernelNode_v2(node, graph, dependencies, count, In::of(&parameters)))
    }
}

forwarded! {
    cudaStreamQuery_ptsz(stream: Handle) => cuStreamSynchronize(per_thread(stream));
    cudaStreamWaitEvent_ptsz(stream: Handle, event: Handle, flags: c_uint) => cuStreamWaitEvent(per_thread(stream), event, flags);
    cudaEventRecordWithFlags_ptsz(event: Handle, stream: Handle, _flags: c_uint) => cuEventRecord(event, per_thread(stream));
    cudaStreamBeginCapture_ptsz(stream: Handle, mode: c_uint) => cuStreamBeginCapture_v2(per_thread(stream), mode);
    cudaStreamEndCapture_ptsz(stream: Handle, graph: Out<Handle>) => cuStreamEndCapture(per_thread(stream), graph);
    cudaStreamIsCapturing_ptsz(stream: Handle, status: Out<c_uint>) => cuStreamIsCapturing(per_thread(stream), status);
    cudaGraphLaunch_ptsz(exec: Handle, stream: Handle) => cuGraphLaunch(exec, per_thread(stream));
    cudaLaunchHostFunc_ptsz(stream: Handle, host: Option<extern "C" fn(*mut c_void)>, argument: Out<c_void>)
        => cuLaunchHostFunc(per_thread(stream), host, argument);
    cudaStreamCreate(stream: Out<Handle>) => cuStreamCreate(stream, 0);
    cudaStreamCreateWithFlags(stream: Out<Handle>, flags: c_uint) => cuStreamCreate(stream, flags);
    cudaStreamCreateWithPriority(stream: Out<Handle>, flags: c_uint, _priority: c_int)
        => cuStreamCreate(stream, flags);
    cudaStreamDestroy(stream: Handle) => cuStreamDestroy_v2(stream);
    cudaStreamSynchronize(stream: Handle) => cuStreamSynchronize(stream);
    cudaStreamSynchronize_ptsz(stream: Handle) => cuStreamSynchronize(per_thread(stream));
    cudaStreamWaitEvent(stream: Handle, event: Handle, flags: c_uint) => cuStreamWaitEvent(stream, event, flags);
    cudaLaunchHostFunc(stream: Handle, host: Option<extern "C" fn(*mut c_void)>, argument: Out<c_void>)
        => cuLaunchHostFunc(stream, host, argument);
    cudaEventCreate(event: Out<Handle>) => cuEventCreate(event, 0);
    cudaEventCreateWithFlags(event: Out<Handle>, flags: c_uint) => cuEventCreate(event, flags);
    cudaEventRecord(event: Handle, stream: Handle) => cuEventRecord(event, stream);
    cudaEventRecord_ptsz(event: Handle, stream: Handle) => cuEventRecord(event, per_thread(stream));
    cudaEventRecordWithFlags(event: Handle, stream: Handle, _flags: c_uint) => cuEventRecord(event, stream);
    cudaEventSynchronize(event: Handle) => cuEventSynchronize(event);
    cudaEventQuery(event: Handle) => cuEventQuery(event);
    cudaEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle)
        => cuEventElapsedTime(milliseconds, start, end);
    cudaEventDestroy(event: Handle) => cuEventDestroy_v2(event);
    cudaProfilerStart() => cuProfilerStart();
    cudaProfilerStop() => cuProfilerStop();
    cudaStreamBeginCapture(stream: Handle, mode: c_uint) => cuStreamBeginCapture_v2(stream, mode);
    cudaStreamEndCapture(stream: Handle, graph: Out<Handle>) => cuStreamEndCapture(stream, graph);
    cudaStreamIsCapturing(stream: Handle, status: Out<c_uint>) => cuStreamIsCapturing(stream, status);
    cudaThreadExchangeStreamCaptureMode(mode: Out<c_uint>) => cuThreadExchangeStreamCaptureMode(mode);
    cudaGraphCreate(graph: Out<Handle>, flags: c_uint) => cuGraphCreate(graph, flags);
    cudaGraphDestroy(graph: Handle) => cuGraphDestroy(graph);
    cudaGraphClone(clone: Out<Handle>, original: Handle) => cuGraphClone(clone, original);
    cudaGraphInstantiate(exec: Out<Handle>, graph: Handle, flags: u64)
        => cuGraphInstantiateWithFlags(exec, graph, flags);
    cudaGraphInstantiateWithFlags(exec: Out<Handle>, graph: Handle, flags: u64)
        => cuGraphInstantiateWithFlags(exec, graph, flags);
    cudaGraphExecDestroy(exec: Handle) => cuGraphExecDestroy(exec);
    cudaGraphExecUpdate(exec: Handle, graph: Handle, info: Out<ResultInfo>)
        => cuGraphExecUpdate_v2(exec, graph, info);
    cudaGraphLaunch(exec: Handle, stream: Handle) => cuGraphLaunch(exec, stream);
    cudaGraphUpload(exec: Handle, stream: Handle) => cuGraphUpload(exec, stream);
    cudaGraphGetNodes(graph: Handle, nodes: Out<Handle>, count: Out<usize>) => cuGraphGetNodes(graph, nodes, count);
    cudaGraphNodeGetType(node: Handle, kind: Out<c_uint>) => cuGraphNodeGetType(node, kind);
    cudaGraphDestroyNode(node: Handle) => cuGraphDestroyNode(node);
    cudaGraphNodeSetEnabled(exec: Handle, node: Handle, enabled: c_uint)
        => cuGraphNodeSetEnabled(exec, node, enabled);
    cudaGraphNodeGetEnabled(exec: Handle, node: Handle, enabled: Out<c_uint>)
        => cuGraphNodeGetEnabled(exec, node, enabled);
    cudaGraphAddEmptyNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize)
        => cuGraphAddEmptyNode(node, graph, dependencies, count);
    cudaGraphAddEventWaitNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, event: Handle)
        => cuGraphAddEventWaitNode(node, graph, dependencies, count, event);
    cudaGraphAddMemsetNode(node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, fill: In<Fill>)
        => cuGraphAddMemsetNode(node, graph, dependencies, count, fill, get(|out| cuCtxGetCurrent(out))?);
    cudaGraphKernelNodeSetParams(node: Handle, kernel: In<Node>)
        => cuGraphKernelNodeSetParams_v2(node, In::of(&kernel.get()?.of_driver()?));
    cudaGraphExecKernelNodeSetParams(exec: Handle, node: Handle, kernel: In<Node>)
        => cuGraphExecKernelNodeSetParams_v2(exec, node, In::of(&kernel.get()?.of_driver()?));
    cudaDeviceGetDefaultMemPool(pool: Out<Handle>, device: c_int) => cuDeviceGetDefaultMemPool(pool, device);
    cudaDeviceGetMemPool(pool: Out<Handle>, device: c_int) => cuDeviceGetMemPool(pool, device);
    cudaDeviceSetMemPool(device: c_int, pool: Handle) => cuDeviceSetMemPool(device, pool);
    cudaMemPoolCreate(pool: Out<Handle>, properties: In<PoolProperties>) => cuMemPoolCreate(pool, properties);
    cudaMemPoolDestroy(pool: Handle) => cuMemPoolDestroy(pool);
    cudaMemPoolGetAttribute(pool: Handle, attribute: c_uint, value: Out<c_void>)
        => cuMemPoolGetAttribute(pool, attribute, value);
    cudaMemPoolSetAttribute(pool: Handle, attribute: c_uint, value: Out<c_void>)
        => cuMemPoolSetAttribute(pool, attribute, value);
    cudaMemPoolTrimTo(pool: Handle, keep: usize) => cuMemPoolTrimTo(pool, keep);
}

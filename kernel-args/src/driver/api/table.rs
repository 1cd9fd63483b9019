//! The table of the entry points, with their types. The macro is in [`entry_points`](super::entry_points).
//!
//! # The types are the proofs
//! The types of a `safe` entry point only have values that CUDA's Driver API documents for this call:
//! - numbers: for an invalid number, such as a device that does not exist, the call returns an error;
//! - `&mut T`: the call writes to it and does not keep the pointer;
//! - [`Alive`], such as [`FunctionHandle`]: an object that was not destroyed;
//! - [`Text`]: a string that ends with NUL.
//!
//! If no context or the wrong context is current, each call is documented to return `CUDA_ERROR_INVALID_CONTEXT` or
//! `CUDA_ERROR_INVALID_HANDLE`.
//!
//! An `unsafe` entry point has requirements that these types do not express, such as an array and its length,
//! parameters that match a kernel, or an object that is no longer used. The files of this folder prove them.

#[cfg(feature = "observe")]
use super::pointer::{PointerAttributeCount, PointerAttributes, PointerValues};
use super::{
    Alive, CallError, ContextHandle, DeviceResource, EventHandle, FunctionHandle, GreenObject, LaunchConfig, Null,
    Status, StreamHandle, Text, Unavailable,
    context::PoolAccess,
    entry_points::{entry_points, method, reported_name, required, signature, symbol},
    launch::{LaunchKernelEx, launch_without_attributes},
};
use core::{
    ffi::{c_char, c_int, c_uint, c_void},
    mem,
    ptr::NonNull,
};
#[cfg(any(feature = "graphs", feature = "textures"))]
use cudarc::driver::sys::CUDA_MEMCPY3D;
use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUjit_option, CUjitInputType, CUlinkState, CUlinkState_st,
    CUmemoryPool, CUmod_st, CUmodule, CUstream,
};
use libloading::Library;
#[cfg(feature = "graphs")]
use {
    super::{
        KernelNodeParams,
        graph_nodes::UpdateResult,
        handle::{ExecHandle, GraphHandle, NodeHandle},
        launch_config::AttributeValue,
        node_params::{AllocNodeParams, ConditionalNodeParams, HostNodeParams, KernelNodeRecord},
    },
    cudarc::driver::sys::{CUDA_MEMSET_NODE_PARAMS, CUgraph, CUgraphExec, CUgraphNode},
};

#[cfg(feature = "textures")]
use cudarc::driver::sys::{CUDA_ARRAY3D_DESCRIPTOR, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC, CUarray};

entry_points! {
    always {
    unsafe cuLaunchKernel(
        function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint,
        shared: c_uint, stream: CUstream, params: *mut *mut c_void, extra: *mut *mut c_void
    );
    // The attribute is a number: cudarc's enum lacks newer ones.
    safe cuFuncGetAttribute(value: &mut c_int, attribute: c_uint, function: FunctionHandle<'_>);
    safe cuFuncSetAttribute(function: FunctionHandle<'_>, attribute: c_uint, value: c_int);
    safe cuDeviceGetAttribute(value: &mut c_int, attribute: c_uint, device: CUdevice);
    safe cuDriverGetVersion(version: &mut c_int);
    safe cuInit(flags: c_uint);
    safe cuDeviceGetCount(count: &mut c_int);
    safe cuDeviceGet(device: &mut CUdevice, ordinal: c_int);
    unsafe cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
    safe cuCtxGetStreamPriorityRange(least: &mut c_int, greatest: &mut c_int);
    safe cuStreamIsCapturing(stream: StreamHandle<'_>, status: &mut c_uint);
    safe cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: &mut c_int, function: FunctionHandle<'_>, threads: c_int, shared: usize
    );
    safe cuOccupancyMaxPotentialBlockSize(
        grid: &mut c_int, block: &mut c_int, function: FunctionHandle<'_>, shared_for_block: Null, shared: usize, limit: c_int
    );
    safe cuCtxGetCurrent(context: &mut CUcontext);
    safe cuCtxSetCurrent(context: ContextHandle<'_>);
    safe cuCtxGetDevice(device: &mut CUdevice);
    unsafe cuModuleLoadDataEx(
        module: &mut CUmodule, image: *const c_void, count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void
    );
    unsafe cuModuleUnload(module: CUmodule);
    safe cuModuleGetFunction(function: &mut CUfunction, module: Alive<'_, CUmod_st>, name: Text<'_>);
    safe cuModuleGetGlobal_v2(address: &mut CUdeviceptr, size: &mut usize, module: Alive<'_, CUmod_st>, name: Text<'_>)
        = "cuModuleGetGlobal";
    safe cuCtxSynchronize();
    safe cuStreamSynchronize(stream: StreamHandle<'_>);
    unsafe cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, count: usize) = "cuMemcpyHtoD";
    unsafe cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, count: usize) = "cuMemcpyDtoH";
    unsafe cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, count: usize, stream: CUstream) = "cuMemcpyHtoDAsync";
    unsafe cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, count: usize, stream: CUstream) = "cuMemcpyDtoHAsync";
    unsafe cuLinkCreate_v2(
        count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void, state: &mut CUlinkState
    ) = "cuLinkCreate";
    unsafe cuLinkAddData_v2(
        state: CUlinkState, kind: CUjitInputType, data: *mut c_void, size: usize, name: *const c_char, count: c_uint,
        options: *mut CUjit_option, values: *mut *mut c_void
    ) = "cuLinkAddData";
    safe cuLinkComplete(state: Alive<'_, CUlinkState_st>, cubin: &mut *mut c_void, size: &mut usize);
    unsafe cuLinkDestroy(state: CUlinkState);
    safe cuGetErrorName(status: Status, name: &mut Option<Text<'static>>);
    }
    #[cfg(all())]
    newer {
    /// Driver 11.8 and newer, as the next two.
    unsafe cuLaunchKernelEx(
        config: *const LaunchConfig<'_>, function: CUfunction, params: *mut *mut c_void, extra: *mut *mut c_void
    );
    safe cuOccupancyMaxActiveClusters(count: &mut c_int, function: FunctionHandle<'_>, config: &LaunchConfig<'_>);
    safe cuOccupancyMaxPotentialClusterSize(size: &mut c_int, function: FunctionHandle<'_>, config: &LaunchConfig<'_>);
    /// Driver 12.4 and newer.
    safe cuFuncGetParamInfo(function: FunctionHandle<'_>, index: usize, offset: &mut usize, size: &mut usize);
    /// Driver 13.2 and newer.
    safe cuFuncGetParamCount(function: FunctionHandle<'_>, count: &mut usize);
    /// Driver 12.3 and newer. The name is valid as long as the function.
    unsafe cuFuncGetName(name: &mut *const c_char, function: CUfunction);
    // The kernel is a `CUkernel`.
    safe cuKernelGetFunction(function: &mut CUfunction, kernel: Alive<'_, c_void>);
    safe cuGetErrorString(status: Status, text: &mut Option<Text<'static>>);
    safe cuEventCreate(event: &mut CUevent, flags: c_uint);
    safe cuEventRecord(event: EventHandle<'_>, stream: StreamHandle<'_>);
    safe cuEventSynchronize(event: EventHandle<'_>);
    safe cuEventQuery(event: EventHandle<'_>);
    unsafe cuEventDestroy_v2(event: CUevent);
    // The newest version that the driver has is called.
    safe cuCtxCreate_v2(context: &mut CUcontext, flags: c_uint, device: CUdevice);
    /// Driver 11.4 and newer.
    safe cuCtxCreate_v3(context: &mut CUcontext, params: Null, count: c_int, flags: c_uint, device: CUdevice);
    /// Driver 12.5 and newer.
    safe cuCtxCreate_v4(context: &mut CUcontext, params: Null, flags: c_uint, device: CUdevice);
    unsafe cuCtxDestroy_v2(context: CUcontext);
    safe cuCtxPushCurrent_v2(context: ContextHandle<'_>) = "cuCtxPushCurrent";
    safe cuCtxPopCurrent_v2(context: &mut CUcontext) = "cuCtxPopCurrent";
    /// Driver 12.0 and newer.
    safe cuCtxGetId(context: ContextHandle<'_>, id: &mut u64);
    safe cuDevicePrimaryCtxRetain(context: &mut CUcontext, device: CUdevice);
    unsafe cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    safe cuDevicePrimaryCtxGetState(device: CUdevice, flags: &mut c_uint, active: &mut c_int);
    safe cuDeviceCanAccessPeer(possible: &mut c_int, device: CUdevice, peer: CUdevice);
    safe cuCtxEnablePeerAccess(peer: ContextHandle<'_>, flags: c_uint);
    safe cuDeviceGetMemPool(pool: &mut CUmemoryPool, device: CUdevice);
    unsafe cuMemPoolSetAccess(pool: CUmemoryPool, access: &PoolAccess, count: usize);
    safe cuStreamGetCtx(stream: StreamHandle<'_>, context: &mut CUcontext);
    unsafe cuStreamDestroy_v2(stream: CUstream);
    // Green contexts: driver 12.4; streams of green contexts: driver 12.5.
    safe cuDeviceGetDevResource(device: CUdevice, resource: &mut DeviceResource, kind: c_uint);
    unsafe cuDevSmResourceSplitByCount(
        groups: &mut DeviceResource, count: &mut c_uint, all: &DeviceResource, rest: &mut DeviceResource, flags: c_uint,
        smallest: c_uint
    );
    unsafe cuDevResourceGenerateDesc(description: &mut *mut c_void, resources: &mut DeviceResource, count: c_uint);
    unsafe cuGreenCtxCreate(context: &mut *mut GreenObject, description: *mut c_void, device: CUdevice, flags: c_uint);
    unsafe cuGreenCtxDestroy(context: *mut GreenObject);
    safe cuGreenCtxStreamCreate(
        stream: &mut CUstream, context: Alive<'_, GreenObject>, flags: c_uint, priority: c_int
    );
    }
    #[cfg(feature = "graphs")]
    newer {
    // Graphs need driver 12.0.
    safe cuGraphCreate(graph: &mut CUgraph, flags: c_uint);
    unsafe cuGraphDestroy(graph: CUgraph);
    safe cuGraphInstantiateWithFlags(exec: &mut CUgraphExec, graph: GraphHandle<'_>, flags: u64);
    unsafe cuGraphExecDestroy(exec: CUgraphExec);
    safe cuGraphUpload(exec: ExecHandle<'_>, stream: StreamHandle<'_>);
    unsafe cuGraphLaunch(exec: CUgraphExec, stream: CUstream);
    added cuGraphAddKernelNode_v2(params: &KernelNodeParams<'_>
    );
    safe cuGraphKernelNodeGetParams_v2(node: NodeHandle<'_>, params: &mut KernelNodeRecord);
    safe cuGraphExecKernelNodeSetParams_v2(
        exec: ExecHandle<'_>, node: NodeHandle<'_>, params: &KernelNodeParams<'_>
    );
    unsafe cuMemsetD8Async(to: CUdeviceptr, byte: u8, count: usize, stream: CUstream);
    unsafe cuMemsetD16Async(to: CUdeviceptr, value: u16, count: usize, stream: CUstream);
    unsafe cuMemsetD32Async(to: CUdeviceptr, value: u32, count: usize, stream: CUstream);
    safe cuGraphMemcpyNodeGetParams(node: NodeHandle<'_>, copy: &mut CUDA_MEMCPY3D);
    safe cuGraphMemsetNodeGetParams(node: NodeHandle<'_>, memset: &mut CUDA_MEMSET_NODE_PARAMS);
    // The kinds of memory may not change. The memory must be allocated when the graph is launched.
    unsafe cuGraphExecMemcpyNodeSetParams(
        exec: CUgraphExec, node: CUgraphNode, copy: &CUDA_MEMCPY3D, context: ContextHandle<'_>
    );
    unsafe cuGraphExecMemsetNodeSetParams(
        exec: CUgraphExec, node: CUgraphNode, memset: &CUDA_MEMSET_NODE_PARAMS, context: ContextHandle<'_>
    );
    unsafe cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, count: usize, stream: CUstream);
    added cuGraphAddMemcpyNode(copy: &CUDA_MEMCPY3D,
        context: ContextHandle<'_>
    );
    added cuGraphAddMemsetNode(params: &CUDA_MEMSET_NODE_PARAMS,
        context: ContextHandle<'_>
    );
    added cuGraphAddEmptyNode();
    added cuGraphAddHostNode(params: &HostNodeParams
    );
    added cuGraphAddEventRecordNode(event: EventHandle<'_>
    );
    added cuGraphAddEventWaitNode(event: EventHandle<'_>
    );
    added cuGraphAddChildGraphNode(child: GraphHandle<'_>
    );
    safe cuGraphChildGraphNodeGetGraph(node: NodeHandle<'_>, graph: &mut CUgraph);
    safe cuGraphNodeFindInClone(
        node: &mut CUgraphNode, original: NodeHandle<'_>, clone: GraphHandle<'_>
    );
    /// Driver 12.3 and newer.
    safe cuGraphConditionalHandleCreate(
        handle: &mut u64, graph: GraphHandle<'_>, context: ContextHandle<'_>, value: c_uint, flags: c_uint
    );
    /// Driver 12.3 and newer. The edges have no data.
    unsafe cuGraphAddNode_v2(
        node: &mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, edges: Null, count: usize,
        params: &mut ConditionalNodeParams<'_>
    );
    safe cuGraphNodeSetEnabled(exec: ExecHandle<'_>, node: NodeHandle<'_>, enabled: c_uint);
    safe cuGraphNodeGetEnabled(exec: ExecHandle<'_>, node: NodeHandle<'_>, enabled: &mut c_uint);
    safe cuGraphNodeGetType(node: NodeHandle<'_>, kind: &mut c_uint);
    unsafe cuGraphGetNodes(graph: CUgraph, nodes: *mut CUgraphNode, count: &mut usize);
    unsafe cuGraphGetEdges(graph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, count: &mut usize);
    /// Driver 12.3 and newer. `CUgraphEdgeData` has 8 bytes.
    unsafe cuGraphGetEdges_v2(
        graph: CUgraph, from: *mut CUgraphNode, to: *mut CUgraphNode, data: *mut u64, count: &mut usize
    );
    // The value is a `CUlaunchAttributeValue`, 64 bytes aligned to 8.
    unsafe cuGraphKernelNodeSetAttribute(node: CUgraphNode, attribute: c_uint, value: &AttributeValue);
    safe cuGraphKernelNodeGetAttribute(node: NodeHandle<'_>, attribute: c_uint, value: &mut AttributeValue);
    unsafe cuGraphDestroyNode(node: CUgraphNode);
    added cuGraphAddMemAllocNode(params: &mut AllocNodeParams
    );
    added cuGraphAddMemFreeNode(address: CUdeviceptr
    );
    unsafe cuMemFreeAsync(address: CUdeviceptr, stream: CUstream);
    safe cuDeviceGraphMemTrim(device: CUdevice);
    // All attributes are 64-bit numbers.
    safe cuDeviceGetGraphMemAttribute(device: CUdevice, attribute: c_uint, value: &mut u64);
    safe cuDeviceSetGraphMemAttribute(device: CUdevice, attribute: c_uint, value: &mut u64);
    safe cuGraphExecUpdate_v2(exec: ExecHandle<'_>, graph: GraphHandle<'_>, result: &mut UpdateResult);
    safe cuStreamBeginCapture_v2(stream: StreamHandle<'_>, mode: c_uint);
    safe cuStreamEndCapture(stream: StreamHandle<'_>, graph: &mut CUgraph);
    safe cuStreamGetCaptureInfo_v2(
        stream: StreamHandle<'_>, status: &mut c_uint, id: &mut u64, graph: &mut CUgraph, nodes: &mut *const CUgraphNode,
        count: &mut usize
    );
    /// Driver 12.3 and newer.
    safe cuStreamGetCaptureInfo_v3(
        stream: StreamHandle<'_>, status: &mut c_uint, id: &mut u64, graph: &mut CUgraph, nodes: &mut *const CUgraphNode,
        edges: &mut *const u64, count: &mut usize
    );
    safe cuThreadExchangeStreamCaptureMode(mode: &mut c_uint);
    }
    #[cfg(feature = "observe")]
    newer {
    unsafe cuMemHostRegister_v2(memory: *mut c_void, size: usize, flags: c_uint) = "cuMemHostRegister";
    unsafe cuMemHostGetDevicePointer_v2(device: &mut CUdeviceptr, host: *mut c_void, flags: c_uint) = "cuMemHostGetDevicePointer";
    unsafe cuStreamWriteValue32_v2(stream: CUstream, address: CUdeviceptr, value: u32, flags: c_uint) = "cuStreamWriteValue32";
    safe cuPointerGetAttributes(
        count: PointerAttributeCount, attributes: &PointerAttributes, values: &mut PointerValues<'_>, address: CUdeviceptr
    );
    }
    #[cfg(feature = "textures")]
    newer {
    safe cuArray3DCreate_v2(array: &mut CUarray, shape: &CUDA_ARRAY3D_DESCRIPTOR) = "cuArray3DCreate";
    unsafe cuArrayDestroy(array: CUarray);
    unsafe cuTexObjectCreate(texture: &mut u64, resource: &CUDA_RESOURCE_DESC, sampler: &CUDA_TEXTURE_DESC, view: Null);
    unsafe cuTexObjectDestroy(texture: u64);
    unsafe cuSurfObjectCreate(surface: &mut u64, resource: &CUDA_RESOURCE_DESC);
    unsafe cuSurfObjectDestroy(surface: u64);
    unsafe cuMemcpy3DAsync_v2(copy: &CUDA_MEMCPY3D, stream: CUstream) = "cuMemcpy3DAsync";
    }
}

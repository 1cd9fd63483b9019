//! The functions of the driver that are not simulated. They exist, because a program that looks one up and does not
//! find it, as cudarc does, panics without a reason. Each returns `CUDA_ERROR_NOT_SUPPORTED`, and reports it once.
//! `cuGetProcAddress` does not find them.

use std::{collections::BTreeSet, sync::Mutex};

use crate::{error::Status, state};

/// Functions of CUDA 13.0, as cudarc lists them.
macro_rules! not_simulated {
    ($($name:ident)*) => {
        pub(crate) const NAMES: &[&str] = &[$(stringify!($name)),*];

        $(
            #[cfg_attr(not(test), unsafe(no_mangle))]
            extern "C" fn $name() -> Status {
                refuse(stringify!($name))
            }
        )*
    };
}

fn refuse(name: &'static str) -> Status {
    state::call(name, &mut |_| {
        say(name);
        Err(Status::NOT_SUPPORTED)
    })
}

/// Reports once that a function is not simulated.
pub(crate) fn say(name: &'static str) {
    static SAID: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    if SAID.lock().is_ok_and(|mut said| said.insert(name)) {
        let kind = if name.starts_with("cuda") { "cudaErrorNotSupported" } else { "CUDA_ERROR_NOT_SUPPORTED" };
        eprintln!("kernel-args test driver: `{name}` is not simulated here: it returns {kind} (801)");
    }
}

not_simulated! {
    cuArray3DGetDescriptor_v2 cuArrayGetDescriptor_v2 cuArrayGetMemoryRequirements cuArrayGetPlane
    cuArrayGetSparseProperties cuCoredumpDeregisterCompleteCallback cuCoredumpDeregisterStartCallback
    cuCoredumpGetAttribute cuCoredumpGetAttributeGlobal cuCoredumpRegisterCompleteCallback
    cuCoredumpRegisterStartCallback cuCoredumpSetAttribute cuCoredumpSetAttributeGlobal cuCtxAttach cuCtxDetach
    cuCtxFromGreenCtx cuCtxGetApiVersion cuCtxGetDevResource cuCtxGetDevice_v2 cuCtxGetExecAffinity
    cuCtxGetSharedMemConfig cuCtxRecordEvent cuCtxResetPersistingL2Cache cuCtxSetSharedMemConfig cuCtxWaitEvent
    cuDestroyExternalMemory cuDestroyExternalSemaphore cuDevSmResourceSplit cuDeviceComputeCapability
    cuDeviceGetByPCIBusId cuDeviceGetCliqueCount cuDeviceGetCliqueInfo cuDeviceGetExecAffinitySupport
    cuDeviceGetFabricClusterUuid cuDeviceGetHostAtomicCapabilities cuDeviceGetLuid cuDeviceGetP2PAtomicCapabilities
    cuDeviceGetP2PAttribute cuDeviceGetPCIBusId cuDeviceGetProperties cuDeviceGetTexture1DLinearMaxWidth
    cuDeviceRegisterAsyncNotification cuDeviceUnregisterAsyncNotification cuEventRecordWithFlags
    cuExternalMemoryGetMappedBuffer cuExternalMemoryGetMappedMipmappedArray cuFlushGPUDirectRDMAWrites
    cuFuncGetModule cuFuncIsLoaded cuFuncLoad cuFuncSetBlockShape cuFuncSetSharedMemConfig cuFuncSetSharedSize
    cuGraphAddBatchMemOpNode cuGraphAddDependencies cuGraphAddExternalSemaphoresSignalNode
    cuGraphAddExternalSemaphoresWaitNode cuGraphAddKernelNode cuGraphAddNode cuGraphAddNode_v3
    cuGraphBatchMemOpNodeGetParams cuGraphBatchMemOpNodeSetParams cuGraphDebugDotPrint
    cuGraphEventRecordNodeGetEvent cuGraphEventRecordNodeSetEvent cuGraphEventWaitNodeGetEvent
    cuGraphEventWaitNodeSetEvent cuGraphExecBatchMemOpNodeSetParams cuGraphExecChildGraphNodeSetParams
    cuGraphExecEventRecordNodeSetEvent cuGraphExecEventWaitNodeSetEvent
    cuGraphExecExternalSemaphoresSignalNodeSetParams cuGraphExecExternalSemaphoresWaitNodeSetParams
    cuGraphExecGetFlags cuGraphExecGetId cuGraphExecHostNodeSetParams cuGraphExecKernelNodeSetParams
    cuGraphExecNodeSetParams cuGraphExecUpdate
    cuGraphExternalSemaphoresSignalNodeGetParams cuGraphExternalSemaphoresSignalNodeSetParams
    cuGraphExternalSemaphoresWaitNodeGetParams cuGraphExternalSemaphoresWaitNodeSetParams cuGraphGetId
    cuGraphGetRootNodes cuGraphHostNodeGetParams cuGraphHostNodeSetParams cuGraphInstantiateWithParams
    cuGraphKernelNodeCopyAttributes cuGraphKernelNodeGetParams cuGraphKernelNodeSetParams
    cuGraphMemAllocNodeGetParams cuGraphMemFreeNodeGetParams cuGraphMemcpyNodeSetParams
    cuGraphMemsetNodeSetParams cuGraphNodeGetContainingGraph cuGraphNodeGetDependencies
    cuGraphNodeGetDependencies_v2 cuGraphNodeGetDependentNodes cuGraphNodeGetDependentNodes_v2 cuGraphNodeGetLocalId
    cuGraphNodeGetParams cuGraphNodeGetToolsId cuGraphNodeSetParams cuGraphNodeSetParams_v2
    cuGraphRemoveDependencies cuGraphRemoveDependencies_v2 cuGraphicsMapResources
    cuGraphicsResourceGetMappedMipmappedArray cuGraphicsResourceGetMappedPointer_v2 cuGraphicsResourceSetMapFlags_v2
    cuGraphicsSubResourceGetMappedArray cuGraphicsUnmapResources cuGraphicsUnregisterResource
    cuGreenCtxGetDevResource cuGreenCtxGetId cuGreenCtxRecordEvent cuGreenCtxWaitEvent cuImportExternalMemory
    cuImportExternalSemaphore cuIpcCloseMemHandle cuIpcGetEventHandle cuIpcGetMemHandle cuIpcOpenEventHandle
    cuIpcOpenMemHandle_v2 cuKernelGetAttribute cuKernelGetLibrary cuKernelGetName cuKernelGetParamCount
    cuKernelSetAttribute cuKernelSetCacheConfig cuLaunch cuLaunchCooperativeKernelMultiDevice cuLaunchGrid
    cuLaunchGridAsync cuLaunchHostFunc_v2 cuLibraryEnumerateKernels cuLibraryGetGlobal cuLibraryGetKernelCount
    cuLibraryGetManaged cuLibraryGetModule cuLibraryGetUnifiedFunction cuLibraryLoadFromFile cuLinkAddFile_v2
    cuLogicalEndpointAddDevice cuLogicalEndpointBindAddr cuLogicalEndpointBindMem cuLogicalEndpointCreate
    cuLogicalEndpointDestroy cuLogicalEndpointExport cuLogicalEndpointGetLimits cuLogicalEndpointIdRelease
    cuLogicalEndpointIdReserve cuLogicalEndpointImport cuLogicalEndpointQuery cuLogicalEndpointUnbind cuLogsCurrent
    cuLogsDumpToFile cuLogsDumpToMemory cuLogsRegisterCallback cuLogsUnregisterCallback cuMemAddressFree
    cuMemAddressReserve cuMemAdvise cuMemAllocHost_v2 cuMemAllocPitch_v2 cuMemBatchDecompressAsync cuMemCreate
    cuMemDiscardAndPrefetchBatchAsync cuMemDiscardBatchAsync cuMemExportToShareableHandle cuMemGetAccess
    cuMemGetAllocationGranularity cuMemGetAllocationPropertiesFromHandle cuMemGetDefaultMemPool
    cuMemGetHandleForAddressRange cuMemGetLocationInfo cuMemGetMemPool cuMemHostGetFlags
    cuMemImportFromShareableHandle cuMemMap cuMemMapArrayAsync cuMemPoolExportPointer
    cuMemPoolExportToShareableHandle cuMemPoolGetAccess cuMemPoolImportFromShareableHandle cuMemPoolImportPointer
    cuMemPrefetchAsync cuMemPrefetchBatchAsync cuMemRangeGetAttribute cuMemRangeGetAttributes cuMemRelease
    cuMemRetainAllocationHandle cuMemSetAccess cuMemSetMemPool cuMemUnmap cuMemcpy3DBatchAsync
    cuMemcpy3DBatchAsync_v2 cuMemcpy3DPeer cuMemcpy3DPeerAsync cuMemcpy3DWithAttributesAsync
    cuMemcpyAtoA_v2 cuMemcpyAtoD_v2 cuMemcpyAtoHAsync_v2 cuMemcpyAtoH_v2 cuMemcpyBatchAsync cuMemcpyBatchAsync_v2
    cuMemcpyDtoA_v2 cuMemcpyHtoAAsync_v2 cuMemcpyHtoA_v2 cuMemcpyPeer cuMemcpyWithAttributesAsync
    cuMemsetD2D16Async cuMemsetD2D16_v2 cuMemsetD2D32Async cuMemsetD2D32_v2 cuMemsetD2D8Async
    cuMipmappedArrayCreate cuMipmappedArrayDestroy cuMipmappedArrayGetLevel cuMipmappedArrayGetMemoryRequirements
    cuMipmappedArrayGetSparseProperties cuModuleGetLoadingMode cuModuleGetSurfRef cuModuleGetTexRef
    cuModuleLoadFatBinary cuMulticastAddDevice cuMulticastBindAddr cuMulticastBindAddr_v2 cuMulticastBindMem
    cuMulticastBindMem_v2 cuMulticastCreate cuMulticastGetGranularity cuMulticastUnbind cuParamSetSize
    cuParamSetTexRef cuParamSetf cuParamSeti cuParamSetv cuPointerSetAttribute cuProfilerInitialize
    cuSignalExternalSemaphoresAsync cuStreamAddCallback cuStreamBatchMemOp cuStreamBatchMemOp_v2
    cuStreamBeginCaptureToCig cuStreamBeginCaptureToGraph cuStreamBeginRecaptureToGraph cuStreamCopyAttributes
    cuStreamEndCaptureToCig cuStreamGetAttribute cuStreamGetCaptureInfo cuStreamGetCtx_v2 cuStreamGetDevResource
    cuStreamGetDevice cuStreamGetFlags cuStreamGetId cuStreamGetPriority cuStreamQuery cuStreamSetAttribute
    cuStreamUpdateCaptureDependencies cuStreamUpdateCaptureDependencies_v2 cuStreamWaitValue32
    cuStreamWaitValue32_v2 cuStreamWaitValue64 cuStreamWaitValue64_v2 cuStreamWriteValue32 cuStreamWriteValue64
    cuStreamWriteValue64_v2 cuSurfObjectGetResourceDesc cuSurfRefGetArray cuSurfRefSetArray cuTensorMapEncodeIm2col
    cuTensorMapEncodeIm2colWide cuTensorMapEncodeTiled cuTensorMapReplaceAddress cuTexObjectGetResourceDesc
    cuTexObjectGetResourceViewDesc cuTexObjectGetTextureDesc cuTexRefCreate cuTexRefDestroy cuTexRefGetAddressMode
    cuTexRefGetAddress_v2 cuTexRefGetArray cuTexRefGetBorderColor cuTexRefGetFilterMode cuTexRefGetFlags
    cuTexRefGetFormat cuTexRefGetMaxAnisotropy cuTexRefGetMipmapFilterMode cuTexRefGetMipmapLevelBias
    cuTexRefGetMipmapLevelClamp cuTexRefGetMipmappedArray cuTexRefSetAddress2D_v3 cuTexRefSetAddressMode
    cuTexRefSetAddress_v2 cuTexRefSetArray cuTexRefSetBorderColor cuTexRefSetFilterMode cuTexRefSetFlags
    cuTexRefSetFormat cuTexRefSetMaxAnisotropy cuTexRefSetMipmapFilterMode cuTexRefSetMipmapLevelBias
    cuTexRefSetMipmapLevelClamp cuTexRefSetMipmappedArray cuWaitExternalSemaphoresAsync culib
}

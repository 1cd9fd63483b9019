//! The driver's entry points that this crate calls, and what they return.
//!
//! cudarc's bindings panic where the library or a symbol is missing, and return an enum that lacks the codes of newer
//! drivers. These return an error and a number. They are looked up once.

mod device_params;
mod launch_config;
mod node_params;
mod status;

pub(crate) use device_params::{DeviceResource, PoolAccess};
pub(crate) use launch_config::{LaunchAttribute, LaunchConfig};
pub(crate) use node_params::{KernelNodeParams, MemsetNodeParams};
pub use status::Status;

use cudarc::driver::sys::{
    CUDA_MEMCPY3D, CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec,
    CUgraphNode, CUjit_option, CUjitInputType, CUlinkState, CUmemoryPool, CUmodule, CUresult,
    CUstream, CUuserObject,
};
use libloading::Library;
use std::{
    ffi::{c_char, c_int, c_uint, c_void},
    ptr,
    sync::OnceLock,
};

/// The keys of `cuLaunchKernel`'s `extra`, as `cuda.h` defines them. cudarc has them from `cuda-11070` on only.
pub(crate) const CU_LAUNCH_PARAM_END: *mut c_void = ptr::without_provenance_mut(0);
pub(crate) const CU_LAUNCH_PARAM_BUFFER_POINTER: *mut c_void = ptr::without_provenance_mut(1);
pub(crate) const CU_LAUNCH_PARAM_BUFFER_SIZE: *mut c_void = ptr::without_provenance_mut(2);

/// The type of `cuLaunchKernelEx`.
pub(crate) type LaunchKernelEx = unsafe extern "C" fn(
    *const LaunchConfig,
    CUfunction,
    *mut *mut c_void,
    *mut *mut c_void,
) -> Status;

/// Computes the dynamic shared memory of a block from its number of threads.
pub(crate) type SharedForBlock = Option<unsafe extern "C" fn(c_int) -> usize>;
/// Why the driver cannot be called.
pub(crate) enum Unavailable {
    /// The driver's library was not found.
    Library,
    /// The library lacks this entry point.
    EntryPoint(&'static str),
}

/// `cuFuncGetParamInfo`.
pub(crate) type GetParamInfo =
    unsafe extern "C" fn(CUfunction, usize, *mut usize, *mut usize) -> Status;

/// Entry points by the names that the library exports; the `newer` ones may be missing.
macro_rules! api {
    (
        always { $($name:ident($($argument:ty),* $(,)?);)* }
        newer { $($(#[$since:meta])* $newer:ident($($newer_argument:ty),* $(,)?);)* }
    ) => {
        /// The entry points, named as CUDA's Driver API documents them.
        #[allow(non_snake_case, reason = "their names")]
        pub(crate) struct Api {
            $(pub(crate) $name: unsafe extern "C" fn($($argument),*) -> Status,)*
            $($(#[$since])* pub(crate) $newer: Option<unsafe extern "C" fn($($newer_argument),*) -> Status>,)*
            /// `cuLaunchKernelEx`, or `cuLaunchKernel` behind the same arguments where the driver is older than 11.8.
            pub(crate) launch_kernel: LaunchKernelEx,
        }

        impl Api {
            fn load(library: &Library) -> Result<Self, Unavailable> {
                let mut api = Self {
                    // SAFETY: the table gives each entry point the type that CUDA's Driver API documents.
                    $($name: unsafe { symbol(library, concat!(stringify!($name), "\0")) }?,)*
                    // SAFETY: as above.
                    $($newer: unsafe { symbol(library, concat!(stringify!($newer), "\0")) }.ok(),)*
                    launch_kernel: launch_without_attributes,
                };
                // Decided once, so that a launch does not ask.
                if let Some(launch_kernel_ex) = api.cuLaunchKernelEx {
                    api.launch_kernel = launch_kernel_ex;
                }
                Ok(api)
            }
        }
    };
}

api! {
    always {
    cuLaunchKernel(
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void
    );
    // Attributes are numbers: cudarc's enum lacks those that are newer than the application's `cuda-NNNNN` feature.
    cuFuncGetAttribute(*mut c_int, c_uint, CUfunction);
    cuFuncSetAttribute(CUfunction, c_uint, c_int);
    cuDeviceGetAttribute(*mut c_int, c_uint, CUdevice);
    cuDriverGetVersion(*mut c_int);
    cuInit(c_uint);
    cuDeviceGetCount(*mut c_int);
    cuDeviceGet(*mut CUdevice, c_int);
    cuDeviceGetName(*mut c_char, c_int, CUdevice);
    cuCtxGetStreamPriorityRange(*mut c_int, *mut c_int);
    cuStreamIsCapturing(CUstream, *mut c_uint);
    cuOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, CUfunction, c_int, usize);
    cuOccupancyMaxPotentialBlockSize(*mut c_int, *mut c_int, CUfunction, SharedForBlock, usize, c_int);
    cuCtxGetCurrent(*mut CUcontext);
    cuCtxSetCurrent(CUcontext);
    cuCtxGetDevice(*mut CUdevice);
    cuModuleLoadDataEx(*mut CUmodule, *const c_void, c_uint, *mut CUjit_option, *mut *mut c_void);
    cuModuleUnload(CUmodule);
    cuModuleGetFunction(*mut CUfunction, CUmodule, *const c_char);
    cuModuleGetGlobal_v2(*mut CUdeviceptr, *mut usize, CUmodule, *const c_char);
    cuLinkCreate_v2(c_uint, *mut CUjit_option, *mut *mut c_void, *mut CUlinkState);
    cuLinkAddData_v2(
        CUlinkState, CUjitInputType, *mut c_void, usize, *const c_char, c_uint, *mut CUjit_option, *mut *mut c_void
    );
    cuLinkComplete(CUlinkState, *mut *mut c_void, *mut usize);
    cuLinkDestroy(CUlinkState);
    cuGetErrorName(Status, *mut *const c_char);
    }
    newer {
    /// Driver 11.8 and newer.
    cuLaunchKernelEx(*const LaunchConfig, CUfunction, *mut *mut c_void, *mut *mut c_void);
    /// Driver 11.8 and newer.
    cuOccupancyMaxActiveClusters(*mut c_int, CUfunction, *const LaunchConfig);
    /// Driver 11.8 and newer.
    cuOccupancyMaxPotentialClusterSize(*mut c_int, CUfunction, *const LaunchConfig);
    /// Driver 12.4 and newer.
    cuFuncGetParamInfo(CUfunction, usize, *mut usize, *mut usize);
    /// Driver 12.3 and newer.
    cuFuncGetName(*mut *const c_char, CUfunction);
    // Graphs need driver 12.0, whose `_v2` calls take what describes a kernel node.
    cuGraphCreate(*mut CUgraph, c_uint);
    cuGraphDestroy(CUgraph);
    cuGraphInstantiateWithFlags(*mut CUgraphExec, CUgraph, u64);
    cuGraphExecDestroy(CUgraphExec);
    cuGraphUpload(CUgraphExec, CUstream);
    cuGraphLaunch(CUgraphExec, CUstream);
    cuGraphAddKernelNode_v2(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const KernelNodeParams);
    cuGraphKernelNodeGetParams_v2(CUgraphNode, *mut KernelNodeParams);
    cuGraphExecKernelNodeSetParams_v2(CUgraphExec, CUgraphNode, *const KernelNodeParams);
    cuGraphAddMemcpyNode(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const CUDA_MEMCPY3D, CUcontext);
    cuGraphAddMemsetNode(*mut CUgraphNode, CUgraph, *const CUgraphNode, usize, *const MemsetNodeParams, CUcontext);
    cuGraphNodeSetEnabled(CUgraphExec, CUgraphNode, c_uint);
    cuGraphNodeGetEnabled(CUgraphExec, CUgraphNode, *mut c_uint);
    cuGraphNodeGetType(CUgraphNode, *mut c_uint);
    cuGraphGetNodes(CUgraph, *mut CUgraphNode, *mut usize);
    cuGraphGetEdges(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut usize);
    /// Driver 12.3 and newer.
    cuGraphGetEdges_v2(CUgraph, *mut CUgraphNode, *mut CUgraphNode, *mut u64, *mut usize);
    // The value is a `CUlaunchAttributeValue`, 64 bytes aligned to 8.
    cuGraphKernelNodeSetAttribute(CUgraphNode, c_uint, *const [u8; 64]);
    cuGraphKernelNodeGetAttribute(CUgraphNode, c_uint, *mut [u8; 64]);
    cuGraphDestroyNode(CUgraphNode);
    cuGraphRetainUserObject(CUgraph, CUuserObject, c_uint, c_uint);
    cuUserObjectCreate(*mut CUuserObject, *mut c_void, unsafe extern "C" fn(*mut c_void), c_uint, c_uint);
    cuUserObjectRelease(CUuserObject, c_uint);
    cuStreamBeginCapture_v2(CUstream, c_uint);
    cuStreamEndCapture(CUstream, *mut CUgraph);
    cuStreamGetCaptureInfo_v2(
        CUstream, *mut c_uint, *mut u64, *mut CUgraph, *mut *const CUgraphNode, *mut usize
    );
    /// Driver 12.3 and newer.
    cuStreamGetCaptureInfo_v3(
        CUstream, *mut c_uint, *mut u64, *mut CUgraph, *mut *const CUgraphNode, *mut *const u64, *mut usize
    );
    cuThreadExchangeStreamCaptureMode(*mut c_uint);
    cuKernelGetFunction(*mut CUfunction, *mut c_void);
    cuEventCreate(*mut CUevent, c_uint);
    cuEventRecord(CUevent, CUstream);
    cuEventSynchronize(CUevent);
    cuEventDestroy_v2(CUevent);
    // Contexts. The three forms of one call: the newest that the driver has is taken.
    cuCtxCreate_v2(*mut CUcontext, c_uint, CUdevice);
    /// Driver 11.4 and newer.
    cuCtxCreate_v3(*mut CUcontext, *mut c_void, c_int, c_uint, CUdevice);
    /// Driver 12.5 and newer.
    cuCtxCreate_v4(*mut CUcontext, *mut c_void, c_uint, CUdevice);
    cuCtxDestroy_v2(CUcontext);
    cuCtxPushCurrent_v2(CUcontext);
    cuCtxPopCurrent_v2(*mut CUcontext);
    /// Driver 12.0 and newer.
    cuCtxGetId(CUcontext, *mut u64);
    cuDevicePrimaryCtxRetain(*mut CUcontext, CUdevice);
    cuDevicePrimaryCtxRelease_v2(CUdevice);
    cuDevicePrimaryCtxGetState(CUdevice, *mut c_uint, *mut c_int);
    cuDeviceCanAccessPeer(*mut c_int, CUdevice, CUdevice);
    cuCtxEnablePeerAccess(CUcontext, c_uint);
    cuDeviceGetMemPool(*mut CUmemoryPool, CUdevice);
    cuMemPoolSetAccess(CUmemoryPool, *const PoolAccess, usize);
    cuStreamGetCtx(CUstream, *mut CUcontext);
    cuStreamDestroy_v2(CUstream);
    // Green contexts: driver 12.4 and newer, their streams 12.5.
    cuDeviceGetDevResource(CUdevice, *mut DeviceResource, c_uint);
    cuDevSmResourceSplitByCount(
        *mut DeviceResource, *mut c_uint, *const DeviceResource, *mut DeviceResource, c_uint, c_uint
    );
    cuDevResourceGenerateDesc(*mut *mut c_void, *mut DeviceResource, c_uint);
    cuGreenCtxCreate(*mut *mut c_void, *mut c_void, CUdevice, c_uint);
    cuGreenCtxDestroy(*mut c_void);
    cuGreenCtxStreamCreate(*mut CUstream, *mut c_void, c_uint, c_int);
    }
}

/// `cuLaunchKernel` behind the arguments of `cuLaunchKernelEx`, for drivers older than 11.8. These take no launch
/// attributes, which are refused before.
///
/// # Safety
/// As `cuLaunchKernelEx`: `config` is valid for reads; the parameters are those of `function`.
unsafe extern "C" fn launch_without_attributes(
    config: *const LaunchConfig,
    function: CUfunction,
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Status {
    let Ok(api) = api() else {
        return Status(CUresult::CUDA_ERROR_NOT_INITIALIZED as u32);
    };
    // SAFETY: the caller vouches for it.
    let config = unsafe { config.read() };
    if config.attribute_count != 0 {
        return Status(CUresult::CUDA_ERROR_NOT_SUPPORTED as u32);
    }
    let LaunchConfig {
        grid: [grid_x, grid_y, grid_z],
        block: [block_x, block_y, block_z],
        shared,
        stream,
        ..
    } = config;
    // SAFETY: the caller vouches for the function, the stream and the parameters.
    unsafe {
        (api.cuLaunchKernel)(
            function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params,
            extra,
        )
    }
}

impl Api {
    /// One of the `newer` entry points, or the error that the driver lacks it: what `required!` calls.
    pub(crate) fn require<T>(entry_point: Option<T>, name: &'static str) -> Result<T, Unavailable> {
        entry_point.ok_or(Unavailable::EntryPoint(name))
    }
}

/// One of the `newer` entry points of an `Api`, by its name, or the error that the driver lacks it.
macro_rules! required {
    ($api:expr, $name:ident) => {
        Api::require($api.$name, stringify!($name))
    };
}
pub(crate) use required;

/// # Safety
/// `name` ends with NUL, and `T` is the type of the library's symbol of that name.
unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> Result<T, Unavailable> {
    // SAFETY: the caller vouches for the type.
    let symbol = unsafe { library.get::<T>(name.as_bytes()) };
    match symbol {
        Ok(symbol) => Ok(*symbol),
        Err(_) => Err(Unavailable::EntryPoint(name.trim_end_matches('\0'))),
    }
}

/// The driver's library, under the names that it has on this system.
fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    const NAMES: &[&str] = if cfg!(windows) {
        &["nvcuda.dll"]
    } else {
        &["libcuda.so", "libcuda.so.1"]
    };
    let find = || {
        NAMES.iter().find_map(|name| {
            // SAFETY: NVIDIA's driver library may be loaded by any program; its initialisers have no precondition.
            unsafe { Library::new(*name) }.ok()
        })
    };
    LIBRARY.get_or_init(find).as_ref()
}

pub(crate) fn is_available() -> bool {
    library().is_some()
}

/// The entry points.
#[inline]
pub(crate) fn api() -> Result<&'static Api, Unavailable> {
    static API: OnceLock<Api> = OnceLock::new();
    if let Some(api) = API.get() {
        return Ok(api);
    }
    let api = Api::load(library().ok_or(Unavailable::Library)?)?;
    Ok(API.get_or_init(|| api))
}

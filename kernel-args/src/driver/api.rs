//! The driver's entry points that this crate calls, and what they return.
//!
//! cudarc's bindings panic where the library or a symbol is missing, and return an enum that lacks the codes of newer
//! drivers. These return an error and a number. They are looked up once.

use super::launch_config::LaunchConfig;
use cudarc::driver::sys::{
    CUDA_MEMCPY3D, CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUgraph, CUgraphExec,
    CUgraphNode, CUjit_option, CUjitInputType, CUlinkState, CUmemoryPool, CUmodule, CUresult,
    CUstream, CUuserObject,
};
use libloading::Library;
use std::{
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    fmt, ptr,
    sync::OnceLock,
};

/// The keys of `cuLaunchKernel`'s `extra`, as `cuda.h` defines them. cudarc has them from `cuda-11070` on only.
pub(super) const CU_LAUNCH_PARAM_END: *mut c_void = ptr::without_provenance_mut(0);
pub(super) const CU_LAUNCH_PARAM_BUFFER_POINTER: *mut c_void = ptr::without_provenance_mut(1);
pub(super) const CU_LAUNCH_PARAM_BUFFER_SIZE: *mut c_void = ptr::without_provenance_mut(2);

/// The type of `cuLaunchKernelEx`.
pub(super) type LaunchKernelEx = unsafe extern "C" fn(
    *const LaunchConfig,
    CUfunction,
    *mut *mut c_void,
    *mut *mut c_void,
) -> Status;

/// Computes the dynamic shared memory of a block from its number of threads.
pub(super) type SharedForBlock = Option<unsafe extern "C" fn(c_int) -> usize>;
/// `CUDA_KERNEL_NODE_PARAMS_v2`, which cudarc has from `cuda-12000` on only.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct KernelNodeParams {
    pub(super) function: CUfunction,
    pub(super) grid: [c_uint; 3],
    pub(super) block: [c_uint; 3],
    pub(super) shared: c_uint,
    pub(super) params: *mut *mut c_void,
    pub(super) extra: *mut *mut c_void,
    /// `CUkernel`, where `function` is null.
    pub(super) kernel: *mut c_void,
    pub(super) context: CUcontext,
}

/// `CUDA_MEMSET_NODE_PARAMS`, the first version, which `cuGraphAddMemsetNode` takes in every driver.
#[repr(C)]
pub(super) struct MemsetNodeParams {
    pub(super) address: CUdeviceptr,
    pub(super) pitch: usize,
    pub(super) value: c_uint,
    pub(super) element_size: c_uint,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// `CUlaunchAttributeValue` of 64 bytes, as `deviceUpdatableKernelNode` lays out its first 16.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct NodeAttribute {
    pub(super) device_updatable: c_int,
    pub(super) device_node: *mut c_void,
    pub(super) rest: [u64; 6],
}

/// `CUmemAccessDesc`: which device may access the memory of a pool, and how.
#[repr(C)]
pub(super) struct PoolAccess {
    /// `CUmemLocationType`, which is `CU_MEM_LOCATION_TYPE_DEVICE`.
    pub(super) location: c_uint,
    pub(super) device: c_int,
    /// `CUmemAccess_flags`.
    pub(super) flags: c_uint,
}

/// `CUdevResource`: 144 bytes up to CUDA 13.0 and 152 from 13.1 on, which this has room for. It is only passed alone, never in
/// an array, whose elements would have to be as far apart as in the driver.
#[repr(C, align(8))]
pub(super) struct DeviceResource {
    pub(super) kind: c_uint,
    pub(super) internal: [u8; 92],
    /// `CUdevSmResource::smCount`.
    pub(super) sm_count: c_uint,
    pub(super) rest: [u8; 412],
}

impl DeviceResource {
    /// `CU_DEV_RESOURCE_TYPE_SM`.
    pub(super) const SM: c_uint = 1;

    pub(super) const EMPTY: Self = Self {
        kind: 0,
        internal: [0; 92],
        sm_count: 0,
        rest: [0; 412],
    };
}

const _: () = assert!(size_of::<DeviceResource>() == 512);

/// Why the driver cannot be called.
pub(super) enum Unavailable {
    /// The driver's library was not found.
    Library,
    /// The library lacks this entry point.
    EntryPoint(&'static str),
}

/// `cuFuncGetParamInfo`.
pub(super) type GetParamInfo =
    unsafe extern "C" fn(CUfunction, usize, *mut usize, *mut usize) -> Status;

/// Entry points by the names that the library exports; the `newer` ones may be missing.
macro_rules! api {
    (
        always { $($name:ident($($argument:ty),* $(,)?);)* }
        newer { $($(#[$since:meta])* $newer:ident($($newer_argument:ty),* $(,)?);)* }
    ) => {
        /// The entry points, named as CUDA's Driver API documents them.
        #[allow(non_snake_case, reason = "their names")]
        pub(super) struct Api {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> Status,)*
            $($(#[$since])* pub(super) $newer: Option<unsafe extern "C" fn($($newer_argument),*) -> Status>,)*
            /// `cuLaunchKernelEx`, or `cuLaunchKernel` behind the same arguments where the driver is older than 11.8.
            pub(super) launch_kernel: LaunchKernelEx,
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
    cuGraphKernelNodeSetAttribute(CUgraphNode, c_uint, *const NodeAttribute);
    cuGraphKernelNodeGetAttribute(CUgraphNode, c_uint, *mut NodeAttribute);
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
    pub(super) fn require<T>(entry_point: Option<T>, name: &'static str) -> Result<T, Unavailable> {
        entry_point.ok_or(Unavailable::EntryPoint(name))
    }
}

/// One of the `newer` entry points of an `Api`, by its name, or the error that the driver lacks it.
macro_rules! required {
    ($api:expr, $name:ident) => {
        Api::require($api.$name, stringify!($name))
    };
}
pub(super) use required;

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

pub(super) fn is_available() -> bool {
    library().is_some()
}

/// The entry points.
#[inline]
pub(super) fn api() -> Result<&'static Api, Unavailable> {
    static API: OnceLock<Api> = OnceLock::new();
    if let Some(api) = API.get() {
        return Ok(api);
    }
    let api = Api::load(library().ok_or(Unavailable::Library)?)?;
    Ok(API.get_or_init(|| api))
}

/// What a driver call returned: a `CUresult` as a number, so that a code that a newer driver adds is a value too.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Status(pub u32);

impl Status {
    /// `CUDA_SUCCESS`.
    pub const SUCCESS: Self = Self(0);

    /// The driver's name for it, such as `CUDA_ERROR_INVALID_VALUE`; `None` where the driver has none.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let mut name = ptr::null();
        // SAFETY: `name` outlives the call.
        let status = unsafe { (api().ok()?.cuGetErrorName)(self, &raw mut name) };
        if status != Self::SUCCESS || name.is_null() {
            return None;
        }
        // SAFETY: the driver returned a text of its own that ends with NUL and is never freed.
        unsafe { CStr::from_ptr(name) }.to_str().ok()
    }
}

impl From<CUresult> for Status {
    fn from(result: CUresult) -> Self {
        Self(result as u32)
    }
}

impl PartialEq<CUresult> for Status {
    fn eq(&self, other: &CUresult) -> bool {
        self.0 == *other as u32
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "error {}", self.0),
        }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

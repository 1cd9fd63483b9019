//! `CUresult`: the codes, their names and descriptions (CUDA driver API, "Data types used by CUDA driver").

use std::{
    collections::BTreeMap,
    ffi::{CStr, CString},
    sync::Mutex,
};

use crate::lock::lock;

/// A `CUresult`, as the entry points return it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Status(pub(crate) u32);

/// The result of an entry point's body.
pub(crate) type Outcome<T = ()> = Result<T, Status>;

macro_rules! statuses {
    ($($constant:ident $code:literal $text:literal)*) => {
        // The table contains all codes of the driver, including codes that only tests request.
        #[allow(dead_code)]
        impl Status {
            $(pub(crate) const $constant: Self = Self($code);)*
        }

        /// Code, name, description.
        const TABLE: &[(u32, &CStr, &CStr)] = &[
            $((
                $code,
                match CStr::from_bytes_with_nul(concat!("CUDA_", statuses!(@prefix $constant), stringify!($constant), "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name holds no NUL"),
                },
                match CStr::from_bytes_with_nul(concat!($text, "\0").as_bytes()) {
                    Ok(text) => text,
                    Err(_) => panic!("a description holds no NUL"),
                },
            ),)*
        ];
    };
    (@prefix SUCCESS) => { "" };
    (@prefix $other:ident) => { "ERROR_" };
}

statuses! {
    SUCCESS 0 "no error"
    INVALID_VALUE 1 "invalid argument"
    OUT_OF_MEMORY 2 "out of memory"
    NOT_INITIALIZED 3 "initialization error"
    DEINITIALIZED 4 "driver shutting down"
    PROFILER_DISABLED 5 "profiler disabled"
    PROFILER_NOT_INITIALIZED 6 "profiler not initialized"
    PROFILER_ALREADY_STARTED 7 "profiler already started"
    PROFILER_ALREADY_STOPPED 8 "profiler already stopped"
    STUB_LIBRARY 34 "the library is a stub"
    CALL_REQUIRES_NEWER_DRIVER 36 "call requires newer driver"
    DEVICE_UNAVAILABLE 46 "device busy or unavailable"
    MULTICAST_RESOURCE_FULL 47 "multicast resource full"
    NO_DEVICE 100 "no CUDA-capable device"
    INVALID_DEVICE 101 "invalid device ordinal"
    DEVICE_NOT_LICENSED 102 "device not licensed"
    INVALID_IMAGE 200 "invalid kernel image"
    INVALID_CONTEXT 201 "invalid device context"
    CONTEXT_ALREADY_CURRENT 202 "context already current"
    MAP_FAILED 205 "mapping failed"
    UNMAP_FAILED 206 "unmapping failed"
    ARRAY_IS_MAPPED 207 "array is mapped"
    ALREADY_MAPPED 208 "already mapped"
    NO_BINARY_FOR_GPU 209 "no kernel image for this device"
    ALREADY_ACQUIRED 210 "already acquired"
    NOT_MAPPED 211 "not mapped"
    NOT_MAPPED_AS_ARRAY 212 "not mapped as array"
    NOT_MAPPED_AS_POINTER 213 "not mapped as pointer"
    ECC_UNCORRECTABLE 214 "uncorrectable ECC error"
    UNSUPPORTED_LIMIT 215 "limit not supported"
    CONTEXT_ALREADY_IN_USE 216 "context already in use"
    PEER_ACCESS_UNSUPPORTED 217 "peer access not supported"
    INVALID_PTX 218 "the PTX could not be compiled"
    INVALID_GRAPHICS_CONTEXT 219 "invalid graphics context"
    NVLINK_UNCORRECTABLE 220 "uncorrectable NVLink error"
    JIT_COMPILER_NOT_FOUND 221 "PTX JIT compiler not found"
    UNSUPPORTED_PTX_VERSION 222 "PTX of an unsupported toolchain"
    JIT_COMPILATION_DISABLED 223 "PTX JIT compilation disabled"
    UNSUPPORTED_EXEC_AFFINITY 224 "unsupported exec affinity"
    UNSUPPORTED_DEVSIDE_SYNC 225 "unsupported devside sync"
    CONTAINED 226 "contained"
    INSUFFICIENT_LOADER_VERSION 227 "insufficient loader version"
    INVALID_SOURCE 300 "invalid kernel source"
    FILE_NOT_FOUND 301 "file not found"
    SHARED_OBJECT_SYMBOL_NOT_FOUND 302 "shared object symbol not found"
    SHARED_OBJECT_INIT_FAILED 303 "shared object initialization failed"
    OPERATING_SYSTEM 304 "operating system call failed"
    INVALID_HANDLE 400 "invalid resource handle"
    ILLEGAL_STATE 401 "object in an illegal state"
    LOSSY_QUERY 402 "lossy query"
    NOT_FOUND 500 "named symbol not found"
    NOT_READY 600 "device not ready"
    ILLEGAL_ADDRESS 700 "illegal memory access"
    LAUNCH_OUT_OF_RESOURCES 701 "too many resources requested for launch"
    LAUNCH_TIMEOUT 702 "the launch timed out"
    LAUNCH_INCOMPATIBLE_TEXTURING 703 "launch with an incompatible texturing mode"
    PEER_ACCESS_ALREADY_ENABLED 704 "peer access already enabled"
    PEER_ACCESS_NOT_ENABLED 705 "peer access not enabled"
    PRIMARY_CONTEXT_ACTIVE 708 "primary context active"
    CONTEXT_IS_DESTROYED 709 "context destroyed"
    ASSERT 710 "device-side assert"
    TOO_MANY_PEERS 711 "too many peers"
    HOST_MEMORY_ALREADY_REGISTERED 712 "host memory already registered"
    HOST_MEMORY_NOT_REGISTERED 713 "host memory not registered"
    HARDWARE_STACK_ERROR 714 "hardware stack error"
    ILLEGAL_INSTRUCTION 715 "illegal instruction"
    MISALIGNED_ADDRESS 716 "misaligned address"
    INVALID_ADDRESS_SPACE 717 "invalid address space"
    INVALID_PC 718 "invalid program counter"
    LAUNCH_FAILED 719 "unspecified launch failure"
    COOPERATIVE_LAUNCH_TOO_LARGE 720 "too many blocks in a cooperative launch"
    TENSOR_MEMORY_LEAK 721 "tensor memory leak"
    NOT_PERMITTED 800 "operation not permitted"
    NOT_SUPPORTED 801 "operation not supported"
    SYSTEM_NOT_READY 802 "system not ready"
    SYSTEM_DRIVER_MISMATCH 803 "driver mismatch"
    COMPAT_NOT_SUPPORTED_ON_DEVICE 804 "compat not supported on device"
    MPS_CONNECTION_FAILED 805 "mps connection failed"
    MPS_RPC_FAILURE 806 "mps rpc failure"
    MPS_SERVER_NOT_READY 807 "mps server not ready"
    MPS_MAX_CLIENTS_REACHED 808 "mps max clients reached"
    MPS_MAX_CONNECTIONS_REACHED 809 "mps max connections reached"
    MPS_CLIENT_TERMINATED 810 "mps client terminated"
    CDP_NOT_SUPPORTED 811 "cdp not supported"
    CDP_VERSION_MISMATCH 812 "cdp version mismatch"
    STREAM_CAPTURE_UNSUPPORTED 900 "operation not permitted while a stream is capturing"
    STREAM_CAPTURE_INVALIDATED 901 "capture invalidated by an earlier error"
    STREAM_CAPTURE_MERGE 902 "operation would merge two captures"
    STREAM_CAPTURE_UNMATCHED 903 "capture not begun in this stream"
    STREAM_CAPTURE_UNJOINED 904 "capturing stream has unjoined work"
    STREAM_CAPTURE_ISOLATION 905 "dependency crosses from uncaptured work into a capture"
    STREAM_CAPTURE_IMPLICIT 906 "implicit dependency on the legacy stream in a capture"
    CAPTURED_EVENT 907 "event last recorded in a capturing stream"
    STREAM_CAPTURE_WRONG_THREAD 908 "capture begun in another thread"
    TIMEOUT 909 "wait timed out"
    GRAPH_EXEC_UPDATE_FAILURE 910 "the graph differs too much for an update"
    EXTERNAL_DEVICE 911 "external device failed"
    INVALID_CLUSTER_SIZE 912 "invalid cluster size"
    FUNCTION_NOT_LOADED 913 "function not loaded"
    INVALID_RESOURCE_TYPE 914 "invalid resource type"
    INVALID_RESOURCE_CONFIGURATION 915 "invalid resource configuration"
    KEY_ROTATION 916 "key rotation"
    STREAM_DETACHED 917 "stream detached"
    GRAPH_RECAPTURE_FAILURE 918 "graph recapture failure"
    FABRIC_NOT_READY 919 "fabric not ready"
    UNKNOWN 999 "unknown error"
}

impl Status {
    /// `CUDA_ERROR_INVALID_VALUE`
    pub(crate) fn name(self) -> Option<&'static str> {
        entry(self.0).ok()?.0.to_str().ok()
    }

    /// Returns the description of an error with the report of the fault that has caused it.
    pub(crate) fn described(self, report: &str) -> Option<&'static CStr> {
        let (_, description) = entry(self.0).ok()?;
        Some(kept(format!("{}\n{}", description.to_string_lossy(), report.replace('\0', ""))))
    }
}

/// Returns a string that is never freed, one for each text.
pub(crate) fn kept(text: String) -> &'static CStr {
    static TEXTS: Mutex<BTreeMap<String, &CStr>> = Mutex::new(BTreeMap::new());
    let new = |text: &String| &*Box::leak(CString::new(text.as_str()).unwrap_or_default().into_boxed_c_str());
    lock(&TEXTS).entry(text).or_insert_with_key(new)
}

/// Returns the name and the description of `code`.
pub(crate) fn entry(code: u32) -> Outcome<(&'static CStr, &'static CStr)> {
    TABLE.iter().find(|(known, _, _)| *known == code).map(|(_, name, text)| (*name, *text)).ok_or(Status::INVALID_VALUE)
}

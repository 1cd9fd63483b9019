//! CUPTI's callbacks, with sizes and numbers from `cupti_callbacks.h`, `cupti_driver_cbid.h` and
//! `generated_cuda_meta.h` of CUDA 11.8 to 13.

use crate::{loader::Library, protocol};
use std::{
    env,
    ffi::{CStr, c_char, c_void},
    ptr, slice,
};

pub(crate) const DRIVER_API: u32 = 1;
pub(crate) const RESOURCE: u32 = 3;
pub(crate) const MODULE_LOADED: u32 = 6;
/// `CUPTI_API_ENTER`
pub(crate) const ENTER: u32 = 0;

/// `CUpti_CallbackData`
#[repr(C)]
pub(crate) struct CallbackData {
    pub(crate) site: u32,
    function: *const c_char,
    pub(crate) parameters: *const c_void,
    pub(crate) result: *const c_void,
    symbol: *const c_char,
    context: *mut c_void,
    context_id: u32,
    pub(crate) correlation: *mut u64,
    correlation_id: u32,
}

impl CallbackData {
    pub(crate) fn symbol(&self) -> String {
        if self.symbol.is_null() {
            return String::new();
        }
        // SAFETY: a text of CUPTI that ends with a zero, valid during the callback.
        let symbol = unsafe { CStr::from_ptr(self.symbol) };
        symbol.to_string_lossy().into_owned()
    }
}

/// `CUpti_ResourceData`
#[repr(C)]
pub(crate) struct ResourceData {
    context: *mut c_void,
    handle: *mut c_void,
    pub(crate) descriptor: *const c_void,
}

/// `CUpti_ModuleResourceData`
#[repr(C)]
pub(crate) struct ModuleData {
    id: u32,
    size: usize,
    image: *const u8,
}

impl ModuleData {
    pub(crate) fn image(&self) -> Option<&[u8]> {
        if self.image.is_null() || self.size == 0 {
            return None;
        }
        // SAFETY: CUPTI says that the image has this size; it is valid during the callback.
        Some(unsafe { slice::from_raw_parts(self.image, self.size) })
    }
}

#[derive(Clone, Copy)]
pub(crate) enum ApiCall {
    Launch,
    Cooperative,
    Extended,
    Graph,
    Load,
}

const CALLS: [(ApiCall, &[u32]); 5] = [
    (ApiCall::Load, &[19, 20, 678]),
    (ApiCall::Launch, &[307, 442]),
    (ApiCall::Cooperative, &[477, 478]),
    (ApiCall::Graph, &[514, 515]),
    (ApiCall::Extended, &[652, 653]),
];

pub(crate) enum Call {
    Launch(LaunchCall),
    Graph { graph: usize, stream: usize },
    Load(*const c_char),
}

/// Returns an image if it is PTX, whose types the driver does not keep.
///
/// # Safety
/// The driver has loaded the image.
pub(crate) unsafe fn ptx<'a>(image: *const c_char) -> Option<&'a [u8]> {
    // SAFETY: an image has a first byte.
    let is_ptx = matches!(unsafe { image.cast::<u8>().read() }, b'.' | b'/' | b' ' | b'\t'..=b'\r');
    // SAFETY: PTX ends with a zero.
    is_ptx.then(|| unsafe { CStr::from_ptr(image) }.to_bytes())
}

pub(crate) struct LaunchCall {
    /// A `CUfunction` or a `CUkernel`.
    pub(crate) function: usize,
    pub(crate) config: Config,
    pub(crate) parameters: Parameters,
    is_cooperative: bool,
}

/// `CUlaunchAttribute`
#[repr(C, align(8))]
struct Attribute {
    id: u32,
    padding: u32,
    value: [u8; 64],
}

impl LaunchCall {
    pub(crate) fn attributes(&self) -> Vec<protocol::Attribute> {
        /// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`
        const COOPERATIVE: u32 = 2;
        let Config { attributes, attribute_count: count, .. } = self.config;
        let mut all = Vec::new();
        if self.is_cooperative {
            let mut value = [0; 64];
            value[0] = 1;
            all.push(protocol::Attribute { id: COOPERATIVE, value });
        }
        if !attributes.is_null() {
            // SAFETY: the configuration of a launch has this many attributes, which the driver reads too.
            let attributes = unsafe { slice::from_raw_parts(attributes, count as usize) };
            all.extend(attributes.iter().map(|&Attribute { id, value, .. }| protocol::Attribute { id, value }));
        }
        all
    }

    pub(crate) fn form(&self) -> &'static str {
        match (&self.parameters, self.is_cooperative) {
            (Parameters::Buffer(..), _) => "buffer",
            (Parameters::Array(_), true) => "cooperative",
            (Parameters::Array(_), false) => "array",
            (Parameters::None, _) => "none",
        }
    }
}

pub(crate) enum Parameters {
    None,
    Array(*const *const c_void),
    /// With its length in bytes.
    Buffer(*const u8, usize),
}

/// `cuLaunchCooperativeKernel_params`
#[repr(C)]
struct LaunchParams {
    function: usize,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: usize,
    array: *const *const c_void,
}

impl LaunchParams {
    fn call(&self, parameters: Parameters, is_cooperative: bool) -> Call {
        let &Self { function, grid, block, shared, stream, .. } = self;
        let config = Config { grid, block, shared, stream, ..Config::NONE };
        Call::Launch(LaunchCall { function, config, parameters, is_cooperative })
    }
}

/// `cuLaunchKernel_params`
#[repr(C)]
struct LaunchKernelParams {
    head: LaunchParams,
    extra: *const *const c_void,
}

/// `cuLaunchKernelEx_params`
#[repr(C)]
struct LaunchKernelExParams {
    config: *const Config,
    function: usize,
    array: *const *const c_void,
    extra: *const *const c_void,
}

/// `CUlaunchConfig`
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Config {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) stream: usize,
    attributes: *const Attribute,
    attribute_count: u32,
}

impl Config {
    const NONE: Self =
        Self { grid: [0; 3], block: [0; 3], shared: 0, stream: 0, attributes: ptr::null(), attribute_count: 0 };
}

/// `cuGraphLaunch_params`
#[repr(C)]
struct GraphLaunchParams {
    graph: usize,
    stream: usize,
}

impl ApiCall {
    pub(crate) fn of(id: u32) -> Option<Self> {
        CALLS.iter().find(|call| call.1.contains(&id)).map(|call| call.0)
    }

    /// # Safety
    /// `parameters` is the `functionParams` of this function in a callback, before or after the call: the driver reads
    /// the same pointers.
    pub(crate) unsafe fn read(self, parameters: *const c_void) -> Call {
        match self {
            Self::Graph => {
                // SAFETY: the caller guarantees the type.
                let GraphLaunchParams { graph, stream } = unsafe { parameters.cast::<GraphLaunchParams>().read() };
                Call::Graph { graph, stream }
            }
            // SAFETY: the parameters begin with two pointers.
            Self::Load => Call::Load(unsafe { parameters.cast::<[*const c_char; 2]>().read() }[1]),
            Self::Extended => {
                // SAFETY: the caller guarantees the type.
                let call = unsafe { parameters.cast::<LaunchKernelExParams>().read() };
                // SAFETY: the driver reads the configuration, unless it is null.
                let config = unsafe { call.config.as_ref() };
                let config = config.copied().unwrap_or(Config::NONE);
                // SAFETY: the driver reads both.
                let parameters = unsafe { Parameters::of(call.array, call.extra) };
                Call::Launch(LaunchCall { function: call.function, config, parameters, is_cooperative: false })
            }
            Self::Launch => {
                // SAFETY: the caller guarantees the type.
                let LaunchKernelParams { head, extra } = unsafe { parameters.cast::<LaunchKernelParams>().read() };
                // SAFETY: the driver reads both.
                let parameters = unsafe { Parameters::of(head.array, extra) };
                head.call(parameters, false)
            }
            Self::Cooperative => {
                // SAFETY: the caller guarantees the type: the same members without `extra`.
                let head = unsafe { parameters.cast::<LaunchParams>().read() };
                // SAFETY: the driver reads it.
                let parameters = unsafe { Parameters::of(head.array, ptr::null()) };
                head.call(parameters, true)
            }
        }
    }
}

impl Parameters {
    /// # Safety
    /// The `kernelParams` and `extra` of a launch.
    unsafe fn of(array: *const *const c_void, extra: *const *const c_void) -> Self {
        /// `CU_LAUNCH_PARAM_BUFFER_POINTER`
        const POINTER: usize = 1;
        /// `CU_LAUNCH_PARAM_BUFFER_SIZE`
        const SIZE: usize = 2;
        if !array.is_null() {
            return Self::Array(array);
        }
        let (mut buffer, mut length) = (ptr::null(), None);
        let mut at = extra;
        // The list has at most two entries and an end.
        for _ in 0..3 {
            if at.is_null() {
                break;
            }
            // SAFETY: pairs of a name and a value until the name is null (`cuLaunchKernel` in the CUDA driver API's
            // documentation).
            let name = unsafe { at.read() } as usize;
            if name == 0 {
                break;
            }
            // SAFETY: the value of the name.
            let value = unsafe { at.wrapping_add(1).read() };
            match name {
                POINTER => buffer = value.cast::<u8>(),
                // SAFETY: the value is a pointer to the size.
                SIZE => length = unsafe { value.cast::<usize>().as_ref() }.copied(),
                _ => break,
            }
            at = at.wrapping_add(2);
        }
        match length {
            Some(length) if !buffer.is_null() => Self::Buffer(buffer, length),
            _ => Self::None,
        }
    }
}

type Callback = extern "C" fn(*mut c_void, u32, u32, *const c_void);

pub(crate) fn subscribe(callback: Callback) -> Result<(), String> {
    let library = Library::first(&files()).ok_or(
        "libcupti.so cannot be loaded\nhelp: install the CUDA toolkit or the Python package `nvidia-cuda-cupti`, or name the file with --cupti",
    )?;
    // SAFETY: the type of `cuptiSubscribe` in CUPTI's documentation.
    let subscribe: Option<unsafe extern "C" fn(*mut *mut c_void, Callback, *mut c_void) -> u32> =
        unsafe { library.function(c"cuptiSubscribe") };
    // SAFETY: the type of `cuptiEnableCallback` in CUPTI's documentation.
    let enable: Option<unsafe extern "C" fn(u32, *mut c_void, u32, u32) -> u32> =
        unsafe { library.function(c"cuptiEnableCallback") };
    let (subscribe, enable) = subscribe.zip(enable).ok_or("libcupti.so has no callbacks")?;
    let mut subscriber = ptr::null_mut();
    // SAFETY: `callback` accepts every call, from every thread.
    match unsafe { subscribe(&raw mut subscriber, callback, ptr::null_mut()) } {
        0 => {}
        // `CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED`
        39 => {
            return Err("another tool uses CUPTI in this process: a profiler, or the program itself".into());
        }
        error => return Err(format!("cuptiSubscribe returned {error}")),
    }
    let wanted = CALLS.iter().flat_map(|call| call.1).map(|id| (DRIVER_API, *id));
    for (domain, id) in wanted.chain([(RESOURCE, MODULE_LOADED)]) {
        // SAFETY: the subscriber is valid.
        let error = unsafe { enable(1, subscriber, domain, id) };
        // An older CUPTI does not know each function.
        if error != 0 && domain == RESOURCE {
            return Err(format!("cuptiEnableCallback returned {error}"));
        }
    }
    Ok(())
}

fn files() -> Vec<String> {
    let mut files = Vec::from_iter(env::var(protocol::CUPTI));
    files.extend(["libcupti.so.13", "libcupti.so.12", "libcupti.so"].map(String::from));
    let toolkits = ["CUDA_HOME", "CUDA_PATH"].into_iter().flat_map(env::var);
    for toolkit in toolkits.chain([String::from("/usr/local/cuda")]) {
        for folder in ["extras/CUPTI/lib64", "lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"] {
            files.push(format!("{toolkit}/{folder}/libcupti.so"));
        }
    }
    files
}

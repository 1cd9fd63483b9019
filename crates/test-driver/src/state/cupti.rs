//! CUPTI's callbacks around launches and after loads, and the library that `CUDA_INJECTION64_PATH` names. (CUPTI
//! documentation, *CUPTI Callback API* and *Injection*.)
//!
//! A program finds CUPTI in a library of its own, `libcupti.so`. Here it is this library.

use crate::{error::Status, handle::Handle, lock::lock, state};
use std::{
    env,
    ffi::{CString, c_char, c_int, c_uint, c_void},
    mem::ManuallyDrop,
    ptr,
    sync::{
        Mutex, MutexGuard, Once,
        atomic::{AtomicBool, Ordering},
    },
};

/// `InitializeInjection`
type Initialize = unsafe extern "C" fn() -> c_int;
type Callback = unsafe extern "C" fn(*mut c_void, c_uint, c_uint, *const c_void);

/// `CUPTI_CB_DOMAIN_DRIVER_API`
const DRIVER_API: c_uint = 1;
/// `CUPTI_CB_DOMAIN_RESOURCE`
const RESOURCE: c_uint = 3;
/// `CUPTI_CBID_RESOURCE_MODULE_LOADED`
const MODULE_LOADED: c_uint = 6;
/// `CUPTI_ERROR_INVALID_PARAMETER`
const INVALID_PARAMETER: c_uint = 1;
/// `CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED`
const MULTIPLE_SUBSCRIBERS: c_uint = 39;

/// The functions with callbacks: the number, and the offset of the `CUfunction` in the structure of parameters.
const CALLS: [(&str, c_uint, Option<usize>); 7] = [
    ("cuModuleLoadData", 19, None),
    ("cuModuleLoadDataEx", 20, None),
    ("cuLaunchKernel", 307, Some(0)),
    ("cuLaunchCooperativeKernel", 477, Some(0)),
    ("cuGraphLaunch", 514, None),
    ("cuLaunchKernelEx", 652, Some(8)),
    ("cuLibraryLoadData", 678, None),
];

/// Who is called.
struct Subscriber {
    callback: Callback,
    data: usize,
    enabled: Vec<(c_uint, c_uint)>,
}

static SUBSCRIBER: Mutex<Option<Subscriber>> = Mutex::new(None);
static IS_ON: AtomicBool = AtomicBool::new(false);

fn subscriber() -> MutexGuard<'static, Option<Subscriber>> {
    lock(&SUBSCRIBER)
}

/// Returns the callback that is enabled, and its data.
fn enabled(domain: c_uint, id: c_uint) -> Option<(Callback, usize)> {
    let subscriber = subscriber();
    let subscriber = subscriber.as_ref()?;
    let is_enabled = subscriber.enabled.contains(&(domain, id));
    is_enabled.then_some((subscriber.callback, subscriber.data))
}

/// `CUpti_CallbackData`
#[repr(C)]
struct CallbackData {
    site: c_uint,
    function: *const c_char,
    parameters: *const c_void,
    result: *const Status,
    symbol: *const c_char,
    context: *mut c_void,
    context_id: c_uint,
    correlation: *mut u64,
    correlation_id: c_uint,
}

/// `CUpti_ResourceData`
#[repr(C)]
struct ResourceData {
    context: *mut c_void,
    handle: *mut c_void,
    descriptor: *const c_void,
}

/// `CUpti_ModuleResourceData`
#[repr(C)]
struct ModuleData {
    id: c_uint,
    size: usize,
    image: *const u8,
}

/// Returns whether loaded modules must be kept for a callback.
pub(crate) fn wants_modules() -> bool {
    IS_ON.load(Ordering::Relaxed) && enabled(RESOURCE, MODULE_LOADED).is_some()
}

/// Runs a call, with the callbacks before and after it. `parameters` is the structure of its arguments.
pub(crate) fn around(name: &'static str, parameters: *const c_void, call: &mut dyn FnMut() -> Status) -> Status {
    let status = if IS_ON.load(Ordering::Relaxed) {
        let traced = CALLS.iter().find(|traced| traced.0 == name);
        let enabled = traced.and_then(|traced| Some((traced, enabled(DRIVER_API, traced.1)?)));
        let status = match enabled {
            Some((&(_, id, function), (callback, data))) => {
                let function = function.map(|offset| {
                    let function = parameters.wrapping_byte_add(offset).cast::<Handle>();
                    // SAFETY: the structure of a launch's arguments has the function there.
                    unsafe { function.read() }
                });
                around_traced(name, id, function, parameters, (callback, data), call)
            }
            None => call(),
        };
        report_modules();
        status
    } else {
        call()
    };
    if name == "cuInit" && status == Status::SUCCESS {
        inject();
    }
    status
}

fn around_traced(
    name: &str,
    id: c_uint,
    function: Option<Handle>,
    parameters: *const c_void,
    (callback, data): (Callback, usize),
    call: &mut dyn FnMut() -> Status,
) -> Status {
    let symbol = function.and_then(|function| {
        let driver = state::lock();
        let function = driver.functions.get(function).ok()?;
        CString::new(function.kernel.name.as_str()).ok()
    });
    let name = CString::new(name).unwrap_or_default();
    let (mut correlation, mut status) = (0, Status::SUCCESS);
    let mut describe = |site, status: &Status| {
        let described = CallbackData {
            site,
            function: name.as_ptr(),
            parameters,
            result: status,
            symbol: symbol.as_ref().map_or(ptr::null(), |symbol| symbol.as_ptr()),
            context: ptr::null_mut(),
            context_id: 1,
            correlation: &raw mut correlation,
            correlation_id: 1,
        };
        let data = ptr::with_exposed_provenance_mut(data);
        // SAFETY: the subscriber accepts this call, with a structure that is valid during it.
        unsafe { callback(data, DRIVER_API, id, (&raw const described).cast()) };
    };
    describe(0, &status);
    status = call();
    describe(1, &status);
    status
}

/// Calls back for each module that was loaded since the last call.
fn report_modules() {
    let loaded = std::mem::take(&mut state::lock().loaded);
    let Some((callback, data)) = enabled(RESOURCE, MODULE_LOADED) else {
        return;
    };
    for image in loaded {
        let module = ModuleData { id: 1, size: image.len(), image: image.as_ptr() };
        let resource =
            ResourceData { context: ptr::null_mut(), handle: ptr::null_mut(), descriptor: (&raw const module).cast() };
        let data = ptr::with_exposed_provenance_mut(data);
        // SAFETY: as for a launch.
        unsafe { callback(data, RESOURCE, MODULE_LOADED, (&raw const resource).cast()) };
    }
}

/// Loads the library that the variable names, once, and calls its function.
fn inject() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Some(path) = env::var_os("CUDA_INJECTION64_PATH") else {
            return;
        };
        // SAFETY: the user names a library that is made for this.
        let Ok(library) = (unsafe { libloading::Library::new(path) }) else {
            return;
        };
        // It is never unloaded.
        let library = ManuallyDrop::new(library);
        // SAFETY: the type of `InitializeInjection` in CUPTI's documentation.
        let initialize = unsafe { library.get::<Initialize>(b"InitializeInjection\0") };
        if let Ok(initialize) = initialize {
            // SAFETY: it is called once, after the driver was initialized.
            unsafe { initialize() };
        }
    });
}

/// Subscribes. One subscriber is possible.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn cuptiSubscribe(handle: *mut *mut c_void, callback: Option<Callback>, data: *mut c_void) -> c_uint {
    let Some(callback) = callback.filter(|_| !handle.is_null()) else {
        return INVALID_PARAMETER;
    };
    let mut subscriber = subscriber();
    if subscriber.is_some() {
        return MULTIPLE_SUBSCRIBERS;
    }
    *subscriber = Some(Subscriber { callback, data: data.expose_provenance(), enabled: Vec::new() });
    IS_ON.store(true, Ordering::Relaxed);
    // SAFETY: not null, so valid for this write.
    unsafe { handle.write(ptr::without_provenance_mut(1)) };
    0
}

/// Enables or disables one callback.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn cuptiEnableCallback(enable: c_uint, handle: *mut c_void, domain: c_uint, id: c_uint) -> c_uint {
    match subscriber().as_mut() {
        Some(subscriber) if handle.addr() == 1 => {
            subscriber.enabled.retain(|enabled| *enabled != (domain, id));
            if enable != 0 {
                subscriber.enabled.push((domain, id));
            }
            0
        }
        _ => INVALID_PARAMETER,
    }
}

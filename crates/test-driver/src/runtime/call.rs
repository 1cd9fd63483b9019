//! A call of the runtime: its context, and its error.

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::{c_char, c_int},
    sync::Mutex,
};

use crate::{
    contexts::{
        context::{
            cuCtxGetCurrent, cuCtxGetDevice, cuCtxSetCurrent, cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxRetain,
        },
        device::{cuDeviceGet, cuInit},
        error::cuGetErrorString,
    },
    entry::{Out, out_to},
    error::{Outcome, Status, kept},
    handle::Handle,
    lock::lock,
};

thread_local! {
    static LAST: Cell<Status> = const { Cell::new(Status::SUCCESS) };
    static DEVICE: Cell<c_int> = const { Cell::new(0) };
}

/// The primary contexts that the runtime has retained, by device.
static RETAINED: Mutex<BTreeMap<c_int, Handle>> = Mutex::new(BTreeMap::new());

/// The result of a call of the driver.
pub(super) fn ok(status: Status) -> Outcome {
    if status == Status::SUCCESS { Ok(()) } else { Err(status) }
}

/// Returns what a call of the driver writes.
pub(super) fn get<T: Copy + Default>(call: impl FnOnce(Out<T>) -> Status) -> Outcome<T> {
    let mut value = T::default();
    ok(call(out_to(&mut value)))?;
    Ok(value)
}

/// Makes a context current, if none is: the primary context of the thread's device.
pub(super) fn start() -> Outcome {
    ok(cuInit(0))?;
    match get(|out| cuCtxGetCurrent(out))? {
        Handle::NULL => use_device(DEVICE.get()),
        _ => Ok(()),
    }
}

pub(super) fn use_device(device: c_int) -> Outcome {
    get(|out| cuDeviceGet(out, device))?;
    let context = {
        let mut retained = lock(&RETAINED);
        if let Some(context) = retained.get(&device) {
            *context
        } else {
            let context = get(|out| cuDevicePrimaryCtxRetain(out, device))?;
            retained.insert(device, context);
            context
        }
    };
    DEVICE.set(device);
    ok(cuCtxSetCurrent(context))
}

/// Returns the primary context of a device.
pub(super) fn primary(device: c_int) -> Outcome<Handle> {
    let current = get(|out| cuCtxGetCurrent(out))?;
    let own = DEVICE.get();
    use_device(device)?;
    let context = get(|out| cuCtxGetCurrent(out))?;
    DEVICE.set(own);
    ok(cuCtxSetCurrent(current))?;
    Ok(context)
}

/// Resets the primary context of the thread's device.
pub(super) fn reset() -> Outcome {
    let device = get(|out| cuCtxGetDevice(out))?;
    lock(&RETAINED).remove(&device);
    ok(cuDevicePrimaryCtxReset_v2(device))?;
    ok(cuCtxSetCurrent(Handle::NULL))
}

pub(super) fn finish(outcome: Outcome) -> Status {
    match outcome {
        Ok(()) => Status::SUCCESS,
        Err(status) => {
            LAST.set(status);
            status
        }
    }
}

/// Codes that only the runtime has: the name, and the text.
pub(super) const INVALID_CONFIGURATION: Status = Status(9);
pub(super) const INVALID_SYMBOL: Status = Status(13);
pub(super) const INVALID_DIRECTION: Status = Status(21);
pub(super) const MISSING_CONFIGURATION: Status = Status(52);
pub(super) const INVALID_FUNCTION: Status = Status(98);
const OWN: [(Status, &str, &str); 5] = [
    (INVALID_CONFIGURATION, "InvalidConfiguration", "invalid configuration argument"),
    (INVALID_SYMBOL, "InvalidSymbol", "invalid device symbol"),
    (INVALID_DIRECTION, "InvalidMemcpyDirection", "invalid copy direction for memcpy"),
    (MISSING_CONFIGURATION, "MissingConfiguration", "__global__ function call is not configured"),
    (INVALID_FUNCTION, "InvalidDeviceFunction", "invalid device function"),
];

/// Names that do not follow from the driver's.
const RENAMED: [(u32, &str); 15] = [
    (2, "MemoryAllocation"),
    (3, "InitializationError"),
    (4, "CudartUnloading"),
    (200, "InvalidKernelImage"),
    (201, "DeviceUninitialized"),
    (205, "MapBufferObjectFailed"),
    (206, "UnmapBufferObjectFailed"),
    (209, "NoKernelImageForDevice"),
    (214, "ECCUncorrectable"),
    (216, "DeviceAlreadyInUse"),
    (400, "InvalidResourceHandle"),
    (500, "SymbolNotFound"),
    (708, "SetOnActiveProcess"),
    (710, "Assert"),
    (719, "LaunchFailure"),
];

/// `cudaErrorIllegalAddress`, of `CUDA_ERROR_ILLEGAL_ADDRESS`.
fn name(error: Status) -> Option<String> {
    if error == Status::SUCCESS {
        return Some("cudaSuccess".into());
    }
    let own = OWN.iter().find(|own| own.0 == error).map(|own| own.1);
    if let Some(name) = own.or_else(|| RENAMED.iter().find(|renamed| renamed.0 == error.0).map(|renamed| renamed.1)) {
        return Some(format!("cudaError{name}"));
    }
    let driver = error.name()?.strip_prefix("CUDA_ERROR_")?;
    let capital = |word: &str| word[..1].to_owned() + &word[1..].to_lowercase();
    Some(driver.split('_').fold("cudaError".to_owned(), |name, word| name + &capital(word)))
}

/// Returns a text of the driver that stays.
fn text(call: impl FnOnce(Out<*const c_char>) -> Status) -> Option<*const c_char> {
    let mut text = std::ptr::null();
    ok(call(out_to(&mut text))).ok().filter(|()| !text.is_null()).map(|()| text)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn cudaGetErrorName(error: Status) -> *const c_char {
    kept(name(error).unwrap_or_else(|| "unrecognized error code".into())).as_ptr()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn cudaGetErrorString(error: Status) -> *const c_char {
    match OWN.iter().find(|own| own.0 == error) {
        Some(own) => kept(own.2.into()).as_ptr(),
        None => {
            text(|out| cuGetErrorString(error, out)).unwrap_or_else(|| kept("unrecognized error code".into()).as_ptr())
        }
    }
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn cudaGetLastError() -> Status {
    LAST.replace(Status::SUCCESS)
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn cudaPeekAtLastError() -> Status {
    LAST.get()
}

#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn cudaSetDevice(device: c_int) -> Status {
    finish(ok(cuInit(0)).and_then(|()| use_device(device)))
}

runtime_functions! {
    fn cudaGetDevice(device: Out<c_int>) {
        device.set(get(|out| cuCtxGetDevice(out))?)
    }

    fn cudaInitDevice(device: c_int, _device_flags: u32, _flags: u32) {
        primary(device).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_the_names_of_the_runtime() {
        for (code, expected) in [
            (0, "cudaSuccess"),
            (1, "cudaErrorInvalidValue"),
            (2, "cudaErrorMemoryAllocation"),
            (9, "cudaErrorInvalidConfiguration"),
            (98, "cudaErrorInvalidDeviceFunction"),
            (100, "cudaErrorNoDevice"),
            (700, "cudaErrorIllegalAddress"),
            (719, "cudaErrorLaunchFailure"),
            (801, "cudaErrorNotSupported"),
            (900, "cudaErrorStreamCaptureUnsupported"),
            (999, "cudaErrorUnknown"),
        ] {
            assert_eq!(name(Status(code)).as_deref(), Some(expected));
        }
        assert_eq!(name(Status(12345)), None);
    }
}

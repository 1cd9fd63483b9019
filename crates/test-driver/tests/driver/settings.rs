//! The settings of the driver: old, with few devices, with failures.

use std::ffi::c_void;

use crate::raw::*;
use cudarc::driver::{CudaContext, sys};
use kernel_args_test_driver::{Settings, within};

/// Whether `dlsym` finds the symbol, called like in cudarc.
fn exported(name: &str) -> bool {
    // SAFETY: the library exists, and the symbol is not called.
    let library = unsafe { sys::culib() };
    // SAFETY: the library exists, and the symbol is not called.
    unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_ok()
}

/// The result of `cuGetProcAddress`: whether there is an address, the status, the code.
fn proc_address(name: &str) -> (bool, u32, Result<(), u32>) {
    let name = std::ffi::CString::new(name).expect("no NUL");
    let (mut address, mut status) =
        (std::ptr::null_mut::<c_void>(), sys::CUdriverProcAddressQueryResult::CU_GET_PROC_ADDRESS_SUCCESS);
    // SAFETY: a NUL-terminated string, and locals.
    let result = unsafe { sys::cuGetProcAddress_v2(name.as_ptr(), &raw mut address, 13000, 0, &raw mut status) };
    (!address.is_null(), status as u32, code(result))
}

#[test]
fn an_old_driver_lacks_the_parameter_queries_and_still_launches() {
    within(&Settings::new().old(), |driver| {
        for name in ["cuFuncGetParamInfo", "cuKernelGetParamInfo"] {
            assert!(!exported(name), "{name}");
            assert_eq!(proc_address(name), (false, 1, Ok(())), "{name}");
        }
        assert!(exported("cuFuncGetAttribute") && exported("cuLaunchKernel"));
        let echo = Echo::new(".u32");
        assert_eq!(launch(echo.function, ONE, &[&echo.address.to_le_bytes(), &[1, 2, 3, 4]]), Ok(()));
        assert_eq!(echo.echoed(4), [1, 2, 3, 4]);
        assert_eq!(driver.launches(), 1);
    });
}

#[test]
fn a_new_driver_has_them_under_both_look_ups() {
    within(&Settings::new(), |_| {
        for name in ["cuFuncGetParamInfo", "cuKernelGetParamInfo"] {
            assert!(exported(name), "{name}");
            assert_eq!(proc_address(name), (true, 0, Ok(())), "{name}");
        }
        // Without the version suffix. The query of CUDA 13.2 does not exist.
        assert_eq!(proc_address("cuMemAlloc"), (true, 0, Ok(())));
        assert_eq!(proc_address("cuFuncGetParamCount"), (false, 1, Ok(())));
        assert!(!exported("cuFuncGetParamCount"));
    });
}

/// cudarc panics if it does not find a symbol. A driver of CUDA 13.0 lacks one.
#[test]
fn every_function_of_cudarc_exists() {
    within(&Settings::new(), |_| {
        let bindings = bindings();
        let names: Vec<&str> = bindings.lines().filter_map(|line| line.strip_prefix("pub unsafe fn ")).collect();
        let names: Vec<&str> = names
            .iter()
            .filter_map(|line| line.split('(').next())
            .filter(|name| name.starts_with("cu") && *name != "cuFuncGetParamCount")
            .collect();
        assert!(names.len() > 500, "{}", names.len());
        let missing: Vec<&&str> = names.iter().filter(|name| !exported(name)).collect();
        assert!(missing.is_empty(), "add them to `not_simulated.rs`: {missing:?}");
        let found: Vec<&str> = NOT_SIMULATED.into_iter().filter(|name| proc_address(name).0).collect();
        assert!(found.is_empty(), "{found:?}");
    });
}

/// Two functions that are not simulated.
const NOT_SIMULATED: [&str; 2] = ["cuIpcCloseMemHandle", "cuIpcGetMemHandle"];

/// The bindings in cudarc's source. Cargo can download: it wants packages for other platforms too.
fn bindings() -> String {
    let arguments =
        ["metadata", "--format-version=1", "--manifest-path", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")];
    let output = std::process::Command::new(env!("CARGO")).args(arguments).output().expect("cargo");
    let text = String::from_utf8(output.stdout).expect("JSON");
    let manifests = text.split("\"manifest_path\":\"").skip(1).filter_map(|rest| rest.split('"').next());
    let folder =
        manifests.filter_map(|path| path.strip_suffix("Cargo.toml")).find(|folder| folder.contains("/cudarc-"));
    std::fs::read_to_string(format!("{}src/driver/sys/mod.rs", folder.expect("cudarc"))).expect("its bindings")
}

#[test]
fn any_entry_point_can_be_missing() {
    within(&Settings::new().without("cuLaunchKernelEx"), |_| {
        assert!(!exported("cuLaunchKernelEx") && exported("cuLaunchKernel"));
    });
}

#[test]
fn devices_are_counted_and_named_for_what_they_are() {
    within(&Settings::new().devices(2), |_| {
        assert_eq!(CudaContext::device_count().ok(), Some(2));
        let contexts = [0, 1].map(|ordinal| CudaContext::new(ordinal).expect("a device"));
        assert_eq!(contexts[0].name().ok().as_deref(), Some("kernel-args test driver (no GPU)"));
        assert_ne!(contexts[0].uuid().map(|id| id.bytes).ok(), contexts[1].uuid().map(|id| id.bytes).ok());
        assert!(CudaContext::new(2).is_err());
        let multiprocessors = sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        assert_eq!(contexts[0].attribute(multiprocessors).ok(), Some(132));
    });
}

#[test]
fn without_devices_there_is_no_cuda() {
    within(&Settings::new().devices(0), |_| {
        assert_eq!(call!(sys::cuInit(0)), Err(100));
        let mut count = 0;
        assert_eq!(call!(sys::cuDeviceGetCount(&raw mut count)), Err(3), "cuInit did not succeed");
    });
}

#[test]
fn a_call_fails_as_ordered_from_outside() {
    within(&Settings::new().fail_times("cuMemAlloc_v2", 2, 2).fail("cuLaunchKernel", 719), |driver| {
        let echo = Echo::new(".u8");
        let mut address = 0;
        let mut allocate = || call!(sys::cuMemAlloc_v2(&raw mut address, 8));
        assert_eq!([allocate(), allocate(), allocate()], [Err(2), Err(2), Ok(())]);
        let values: [&[u8]; 2] = [&echo.address.to_le_bytes(), &[1]];
        for _ in 0..3 {
            assert_eq!(launch(echo.function, ONE, &values), Err(719));
        }
        assert_eq!((driver.calls("cuLaunchKernel"), driver.launches()), (3, 0), "a failed call does nothing");
        driver.clear_failures();
        assert_eq!(launch(echo.function, ONE, &values), Ok(()));
    });
}

#[test]
fn a_call_fails_as_ordered_from_inside() {
    within(&Settings::new(), |driver| {
        let echo = Echo::new(".u8");
        driver.fail_once("cuCtxSynchronize", 700);
        assert_eq!((synchronize(), synchronize()), (ILLEGAL_ADDRESS, Ok(())), "ordered, so not sticky");
        driver.fail("cuModuleLoadData", 209);
        assert_eq!(load(&ptx(&[("k", "")])), Err(209));
        driver.clear_failures();
        assert!(load(&ptx(&[("k", "")])).is_ok());
        drop(echo);
    });
}

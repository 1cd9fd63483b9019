//! Loading: PTX with errors and its logs, functions, variables, linking, libraries, cubins.

use std::{
    ffi::{CStr, CString, c_void},
    ptr::null_mut,
};

use crate::raw::*;
use cudarc::driver::{CudaContext, sys};
use kernel_args_test_driver::{Settings, within};

/// Loads with a log buffer of `capacity` bytes. Returns the code, the log, and the number of written bytes that the
/// driver reports.
fn load_with_log(text: &str, capacity: usize) -> (Result<(), u32>, String, usize) {
    use sys::CUjit_option as Jit;
    let image = CString::new(text).expect("no NUL");
    let mut log = vec![0u8; capacity];
    let mut options = [Jit::CU_JIT_ERROR_LOG_BUFFER, Jit::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(capacity)];
    let mut module = null_mut();
    // SAFETY: a NUL-terminated string, locals, and two options.
    let result = unsafe {
        sys::cuModuleLoadDataEx(&raw mut module, image.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    let text = CStr::from_bytes_until_nul(&log).expect("a log ends with NUL").to_string_lossy().into_owned();
    (code(result), text, values[1].addr())
}

/// The kernel `plain` in fat binaries: uncompressed, LZ4, Zstandard, and for several GPUs.
#[test]
fn fat_binaries_are_loaded_for_the_device() {
    const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../image/tests/data/");
    let load = |bytes: &[u8]| {
        let mut module = null_mut();
        // SAFETY: a whole fat binary, or one whose beginning is complete.
        code(unsafe { sys::cuModuleLoadData(&raw mut module, bytes.as_ptr().cast()) })?;
        function(module, "plain").map(drop)
    };
    let trials = [
        ("one.none", 75, Ok(())),
        ("one.speed", 75, Ok(())),
        ("one.size", 75, Ok(())),
        // PTX.
        ("one.size", 120, Ok(())),
        // Its only code is newer: LTO-IR for sm_80 does not run.
        ("targets", 75, Err(209)),
        ("targets", 80, Ok(())),
        ("targets", 89, Ok(())),
        ("targets", 90, Ok(())),
        ("targets", 103, Ok(())),
        // `sm_90a` and `sm_100f` do not run on it.
        ("targets", 120, Err(209)),
    ];
    within(&Settings::new(), |driver| {
        let _context = CudaContext::new(0).expect("a device");
        for (name, sm, expected) in trials {
            let bytes = std::fs::read(format!("{DATA}{name}.fatbin")).expect("it is committed");
            assert!(driver.set_sm(sm));
            assert_eq!(load(&bytes), expected, "{name} on sm_{sm}");
            let mut damaged = bytes.clone();
            damaged[20] = 0xff;
            assert_eq!(load(&damaged), Err(200), "{name}");
        }
    });
}

#[test]
fn broken_ptx_is_218_with_a_log() {
    within(&Settings::new(), |_| {
        let _context = CudaContext::new(0).expect("a device");
        let broken = ".version 8.1\n.target sm_75\n.entry k() {\n  .reg .b32 %r<4>; addd.u32 %r1, %r2, %r3;\n}\n";
        let (result, log, length) = load_with_log(broken, 1024);
        assert_eq!(result, Err(218));
        assert!(log.contains("line 4") && log.contains("addd"), "{log}");
        assert_eq!(length, log.len() + 1);
        let (_, log, length) = load_with_log(broken, 10);
        assert_eq!((log.len(), length), (9, 10), "cut to the buffer");
        let (result, log, _) = load_with_log(&broken.replace("addd", "add"), 1024);
        assert_eq!((result, log.as_str()), (Ok(()), ""));
        assert_eq!(load(""), Err(200));
        assert_eq!(load(".version 9.1\n.target sm_75"), Err(222));
    });
}

#[test]
fn functions_are_found_counted_and_gone_with_their_module() {
    within(&Settings::new(), |driver| {
        let _context = CudaContext::new(0).expect("a device");
        let module = load(&ptx(&[("a", ".u32"), ("b", "")])).expect("right");
        let a = function(module, "a").expect("it has this entry");
        assert_eq!(function(module, "c"), Err(500));
        let mut count = 0;
        assert_eq!(call!(sys::cuModuleGetFunctionCount(&raw mut count, module)), Ok(()));
        let mut functions = [null_mut(); 2];
        assert_eq!(call!(sys::cuModuleEnumerateFunctions(functions.as_mut_ptr(), 2, module)), Ok(()));
        assert_eq!((count, functions[0]), (2, a));
        let mut name = std::ptr::null();
        assert_eq!(call!(sys::cuFuncGetName(&raw mut name, functions[1])), Ok(()));
        // SAFETY: the driver returned a string that lives as long as the function.
        assert_eq!(unsafe { CStr::from_ptr(name) }, c"b");
        assert_eq!(call!(sys::cuModuleUnload(module)), Ok(()));
        assert_eq!((launch(a, ONE, &[&[0; 4]]), driver.live_modules()), (INVALID_HANDLE, 0));
        assert_eq!(function(module, "a"), Err(400));
    });
}

#[test]
fn variables_have_an_address_and_their_initial_value() {
    within(&Settings::new(), |driver| {
        let _context = CudaContext::new(0).expect("a device");
        let text = ".version 8.1\n.target sm_75\n.visible .global .align 4 .u32 table[3] = {1, 2, 3};";
        let module = load(text).expect("right");
        let (mut address, mut length) = (0, 0);
        // SAFETY: locals, and a NUL-terminated string.
        let result = unsafe { sys::cuModuleGetGlobal_v2(&raw mut address, &raw mut length, module, c"table".as_ptr()) };
        assert_eq!((code(result), length), (Ok(()), 12));
        let mut values = [0u32; 3];
        assert_eq!(call!(sys::cuMemcpyDtoH_v2(values.as_mut_ptr().cast(), address, 12)), Ok(()));
        assert_eq!((values, driver.live_allocations()), ([1, 2, 3], (0, 0)));
    });
}

#[test]
fn linked_ptx_becomes_a_cubin_that_launches() {
    within(&Settings::new(), |_| {
        let context = CudaContext::new(0).expect("a device");
        let mut link = null_mut();
        assert_eq!(call!(sys::cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut link)), Ok(()));
        let add = |text: &str| {
            let (kind, data) = (sys::CUjitInputType::CU_JIT_INPUT_PTX, text.as_ptr().cast_mut().cast());
            let name = c"part".as_ptr();
            call!(sys::cuLinkAddData_v2(link, kind, data, text.len(), name, 0, null_mut(), null_mut(),))
        };
        assert_eq!(add(&ptx(&[("first", ".u32")])), Ok(()));
        assert_eq!(add(&ptx(&[("echo", ".u64, .u8, .align 32 .b8 [32]")])), Ok(()));
        assert_eq!(add(&ptx(&[("first", "")])), Err(200), "twice");
        let (mut cubin, mut length) = (null_mut(), 0);
        assert_eq!(call!(sys::cuLinkComplete(link, &raw mut cubin, &raw mut length)), Ok(()));
        let mut module = null_mut();
        assert_eq!(call!(sys::cuModuleLoadData(&raw mut module, cubin)), Ok(()));
        // SAFETY: the driver reported this number of bytes.
        let bytes = unsafe { std::slice::from_raw_parts(cubin.cast::<u8>(), length) }.to_vec();
        assert_eq!(&bytes[..4], b"\x7fELF");
        assert_eq!(call!(sys::cuLinkDestroy(link)), Ok(()));

        let echo = function(module, "echo").expect("it was linked");
        assert_eq!((parameter(echo, 1), parameter(echo, 2)), (Ok((8, 1)), Ok((16, 32))), "as sm_90 places them");
        assert!(function(module, "first").is_ok());
        let stream = context.default_stream();
        let out = stream.alloc_zeros::<u8>(64).expect("memory");
        let address = cudarc::driver::DevicePtr::device_ptr(&out, &stream).0;
        assert_eq!(launch(echo, ONE, &[&address.to_le_bytes(), &[7], &[8; 32]]), Ok(()));
        assert_eq!(stream.clone_dtoh(&out).expect("memory")[..33], [&[7u8][..], &[8; 32]].concat());
    });
}

#[test]
fn a_cubin_of_another_gpu_is_209_and_a_wrapper_801() {
    within(&Settings::new(), |driver| {
        let _context = CudaContext::new(0).expect("a device");
        let mut link = null_mut();
        assert_eq!(call!(sys::cuLinkCreate_v2(0, null_mut(), null_mut(), &raw mut link)), Ok(()));
        let (mut cubin, mut length) = (null_mut(), 0);
        assert_eq!(call!(sys::cuLinkComplete(link, &raw mut cubin, &raw mut length)), Ok(()));
        assert!(driver.set_sm(80));
        let mut module = null_mut();
        assert_eq!(call!(sys::cuModuleLoadData(&raw mut module, cubin)), Err(209));
        let wrapper = 0x4662_43b1u32.to_le_bytes();
        assert_eq!(call!(sys::cuModuleLoadData(&raw mut module, wrapper.as_ptr().cast())), Err(801));
        assert_eq!(call!(sys::cuModuleLoad(&raw mut module, c"/nonexistent".as_ptr())), Err(301));
    });
}

#[test]
fn a_librarys_kernel_is_queried_and_launched_in_any_context() {
    within(&Settings::new().devices(2), |_| {
        let context = CudaContext::new(0).expect("a device");
        let image = CString::new(ptx(&[("echo", ".u64, .u8, .u32")])).expect("no NUL");
        let mut library = null_mut();
        // SAFETY: a NUL-terminated string, a local, no options.
        let result = unsafe {
            sys::cuLibraryLoadData(
                &raw mut library,
                image.as_ptr().cast(),
                null_mut(),
                null_mut(),
                0,
                null_mut(),
                null_mut(),
                0,
            )
        };
        assert_eq!(code(result), Ok(()));
        let mut kernel = null_mut();
        assert_eq!(call!(sys::cuLibraryGetKernel(&raw mut kernel, library, c"echo".as_ptr())), Ok(()));
        let (mut offset, mut size) = (0, 0);
        assert_eq!(call!(sys::cuKernelGetParamInfo(kernel, 2, &raw mut offset, &raw mut size)), Ok(()));
        assert_eq!((offset, size), (12, 4));
        for context in [context, CudaContext::new(1).expect("a second device")] {
            context.bind_to_thread().expect("alive");
            let stream = context.default_stream();
            let out = stream.alloc_zeros::<u8>(8).expect("memory");
            let address = cudarc::driver::DevicePtr::device_ptr(&out, &stream).0;
            let mut function = null_mut();
            assert_eq!(call!(sys::cuKernelGetFunction(&raw mut function, kernel)), Ok(()));
            for handle in [function, kernel.cast()] {
                assert_eq!(launch(handle, ONE, &[&address.to_le_bytes(), &[1], &[2; 4]]), Ok(()));
            }
            assert_eq!(stream.clone_dtoh(&out).expect("memory")[..5], [1, 2, 2, 2, 2]);
        }
        assert_eq!(call!(sys::cuLibraryUnload(library)), Ok(()));
    });
}

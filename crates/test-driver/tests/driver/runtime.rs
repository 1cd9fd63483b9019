//! The CUDA runtime of a session: what nvcc's code calls, without nvcc.

use std::ffi::{CStr, c_char, c_int, c_void};

use kernel_args_test_driver::{Settings, within};
use libloading::Library;

const PTX: &CStr = c".version 8.1\n.target sm_75\n.address_size 64
    .visible .const .align 4 .b8 factor[8]; .visible .global .align 4 .u32 counter;
    .visible .entry scale(.param .u32 n, .param .u64 data) { .reg .b32 %r<6>; .reg .b64 %w<4>; .reg .pred %p;
    ld.param.u32 %r1, [n]; ld.param.u64 %w1, [data]; mov.u32 %r2, %tid.x; setp.ge.u32 %p, %r2, %r1; @%p ret;
    mul.wide.u32 %w2, %r2, 4; add.u64 %w1, %w1, %w2; ld.global.u32 %r3, [%w1]; ld.const.u32 %r4, [factor+4];
    mul.lo.u32 %r3, %r3, %r4; st.global.u32 [%w1], %r3; red.global.add.u32 [counter], 1; ret; }";

#[derive(Clone, Copy)]
#[repr(C)]
struct Dim3(u32, u32, u32);

#[repr(C)]
struct Wrapper(c_int, c_int, *const c_char, *const c_void);

/// A function of the runtime, with its type in C.
macro_rules! runtime {
    ($library:expr, $name:ident($($argument:expr => $type:ty),* $(,)?) -> $result:ty) => {{
        // SAFETY: the type is the function's in the runtime's headers.
        let function = unsafe { $library.get::<unsafe extern "C" fn($($type),*) -> $result>(stringify!($name).as_bytes()) };
        let function = function.expect(stringify!($name));
        // SAFETY: the arguments are numbers, and pointers to locals that outlive the call.
        unsafe { function($($argument),*) }
    }};
}

#[test]
fn a_registered_kernel_is_launched_with_the_runtime() {
    within(&Settings::new(), |driver| {
        // SAFETY: its initializers have no precondition.
        let runtime = unsafe { Library::new("libcudart.so.13") }.expect("the runtime of the session");
        let wrapper = Wrapper(0x4662_43b1, 1, PTX.as_ptr(), std::ptr::null());
        let (stub, factor, counter) = (1u8, 2u8, 3u8);
        let [stub, factor, counter] = [&stub, &factor, &counter].map(|at| std::ptr::from_ref(at) as usize);
        let binary = runtime!(runtime, __cudaRegisterFatBinary(&raw const wrapper => *const Wrapper) -> usize);
        runtime!(runtime, __cudaRegisterFunction(binary => usize, stub => usize, 0 => usize, c"scale".as_ptr() => *const c_char) -> ());
        for (host, name) in [(factor, c"factor"), (counter, c"counter")] {
            runtime!(runtime, __cudaRegisterVar(binary => usize, host => usize, 0 => usize, name.as_ptr() => *const c_char) -> ());
        }
        let (mut data, values, factors, mut n) = (0u64, [1u32, 2, 3, 4], [5u32, 7], 3u32);
        assert_eq!(runtime!(runtime, cudaMalloc(&raw mut data => *mut u64, 16 => usize) -> u32), 0);
        let copy = |to: usize, from: usize, kind: c_int| runtime!(runtime, cudaMemcpy(to => usize, from => usize, 16 => usize, kind => c_int) -> u32);
        assert_eq!(copy(data as usize, values.as_ptr() as usize, 1), 0);
        let to_symbol = |from: usize, length: usize, offset: usize| runtime!(runtime, cudaMemcpyToSymbol(factor => usize, from => usize, length => usize, offset => usize, 1 => c_int) -> u32);
        assert_eq!(to_symbol(factors.as_ptr() as usize, 8, 0), 0);
        assert_eq!(to_symbol(factors.as_ptr() as usize, 8, 4), 1, "behind the end of the variable");
        let arguments = [(&raw mut n).cast::<c_void>(), (&raw mut data).cast()];
        let launch = |host: usize, threads: u32| {
            runtime!(runtime, cudaLaunchKernel(
                host => usize, Dim3(1, 1, 1) => Dim3, Dim3(threads, 1, 1) => Dim3, arguments.as_ptr() => *const *mut c_void,
                0 => usize, 0 => usize,
            ) -> u32)
        };
        assert_eq!(launch(stub, 4), 0);
        assert_eq!((launch(stub, 2048), launch(counter, 1)), (9, 98), "a wrong configuration; no kernel");
        let last = || runtime!(runtime, cudaGetLastError() -> u32);
        assert_eq!((last(), last()), (98, 0));
        let mut back = [0u32; 4];
        assert_eq!(copy(back.as_mut_ptr() as usize, data as usize, 4), 0, "the direction follows from the addresses");
        assert_eq!(back, [7, 14, 21, 4]);
        let mut count = 0u32;
        let from_symbol = runtime!(runtime, cudaMemcpyFromSymbol((&raw mut count) => *mut u32, counter => usize, 4 => usize, 0 => usize, 2 => c_int) -> u32);
        assert_eq!((from_symbol, count, driver.launches()), (0, 3, 1));
        // A kernel that fails: the runtime's text has the report.
        data = 16;
        assert_eq!(launch(stub, 4), 0);
        assert_eq!(runtime!(runtime, cudaDeviceSynchronize() -> u32), 700);
        let text = |name: fn(&Library, u32) -> *const c_char, code| {
            // SAFETY: the runtime never frees its texts.
            unsafe { CStr::from_ptr(name(&runtime, code)) }.to_string_lossy().into_owned()
        };
        let described = text(|runtime, code| runtime!(runtime, cudaGetErrorString(code => u32) -> *const c_char), 700);
        assert!(
            described.contains("the kernel `scale` fails") && described.contains("parameter 1 is 0x10"),
            "{described}"
        );
        let named = text(|runtime, code| runtime!(runtime, cudaGetErrorName(code => u32) -> *const c_char), 700);
        assert_eq!(named, "cudaErrorIllegalAddress");
        assert_eq!(runtime!(runtime, cudaDeviceReset() -> u32), 0);
        assert_eq!(runtime!(runtime, cudaMalloc(&raw mut data => *mut u64, 16 => usize) -> u32), 0, "a new context");
        assert_eq!(launch(stub, 0), 9);
    });
}

/// Both versions have every function of a program: what is not simulated reports it.
#[test]
fn a_function_that_is_not_simulated_exists() {
    within(&Settings::new(), |_| {
        for name in ["libcudart.so.12", "libcudart.so.13"] {
            // SAFETY: its initializers have no precondition.
            let runtime = unsafe { Library::new(name) }.expect("the runtime of the session");
            assert_eq!(runtime!(runtime, cudaIpcGetMemHandle() -> u32), 801);
            assert_eq!(runtime!(runtime, cudaPeekAtLastError() -> u32), 801);
        }
    });
}

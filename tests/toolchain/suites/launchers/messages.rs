#![allow(dead_code, improper_ctypes, non_camel_case_types)]
use core::ffi::*;
use kernel_args::DeviceType;
type cudaStream_t = *mut c_void;
type Numbers = *const f32;
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Inner {
    x: f32,
    y: f64,
}
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Params {
    n: i32,
    inner: [Inner; 2],
}
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Params")]
#[repr(C)]
struct Exchanged {
    n: i32,
    inner: [[f64; 2]; 2],
}
#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Mode {
    Fast = 1,
    Exact = 2,
}
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "Mode")]
#[repr(u8)]
enum Other {
    Fast = 1,
    Exact = 3,
}
mod right {
    use super::*;
    #[kernel_args::launchers(library = "launchers.o")]
    unsafe extern "C" {
        fn scale(x: Numbers, y: *mut f32, n: usize, p: Params, mode: Mode, stream: cudaStream_t) -> c_int;
        #[link_name = "middle"]
        fn renamed(_: i32, s: cudaStream_t, b: bool);
        #[kernel_args(skip)]
        fn variadic(a: i32);
    }
    #[kernel_args::launchers(library = "launchers.o", allow(const))]
    unsafe extern "C" {
        fn two_streams(a: *const c_void, b: *const c_void);
    }
    use kernel_args::launcher::{Launcher, Returns};
    const _: () = assert!(scale::TAKES_STREAM && renamed::TAKES_STREAM && !two_streams::TAKES_STREAM);
    const _: () = assert!(matches!(scale::RETURNS, Returns::CudaError) && scale::KERNEL.parameter_count() == 5);
}
mod types {
    use super::*;
    #[kernel_args::launchers(library = "launchers.o")]
    unsafe extern "C" {
        fn scale(x: *const f64, y: Numbers, n: u32, p: Exchanged, mode: Other, stream: i32);
        fn middle(a: usize, stream: cudaStream_t, b: u32) -> i32;
    }
}
mod order {
    use super::*;
    #[kernel_args::launchers(library = "launchers.o")]
    unsafe extern "C" {
        fn scale(x: *const f32, n: u64, y: *mut f32, p: Params, mode: Mode, stream: cudaStream_t) -> i64;
        fn middle(stream: cudaStream_t, b: bool);
        fn two_streams(a: cudaStream_t, b: cudaStream_t, more: f32);
    }
}
mod functions {
    #[kernel_args::launchers(library = "launchers.o")]
    unsafe extern "C" {
        fn variadic(a: i32);
        fn returns_struct(a: i32);
        fn reference(x: *mut i32);
        fn copied(x: i32);
        fn cpp_only(x: i32);
        fn scal(x: i32);
    }
}
mod libraries {
    #[kernel_args::launchers(library = "twice.a")]
    unsafe extern "C" {
        fn middle(a: i32, stream: *mut core::ffi::c_void, b: bool);
    }
    #[kernel_args::launchers(library = "none.a")]
    unsafe extern "C" {}
    #[kernel_args::launchers(library = "messages.rs")]
    unsafe extern "C" {}
    #[kernel_args::launchers]
    unsafe extern "C" {}
    #[kernel_args::launchers(library = "launchers.o")]
    fn function() {}
}

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
    mod as_bits {
        use super::*;
        #[kernel_args::launchers(library = ["launchers.o", "puns.o"])]
        unsafe extern "C" {
            fn scale(x: *const f32, y: *mut f32, n: usize, p: Params, mode: Mode, stream: i64) -> u32;
            fn of_puns(e: *const u32, flags: *mut u8, halves: *mut u16, height: u32, rows: u32);
        }
    }
    use kernel_args::launcher::Launcher;
    const _: () = assert!(scale::KERNEL.parameter_count() == 5 && two_streams::KERNEL.parameter_count() == 2);
}
mod types {
    use super::*;
    #[kernel_args::launchers(library = "launchers.o")]
    unsafe extern "C" {
        fn scale(x: *const f64, y: Numbers, n: u32, p: Exchanged, mode: Other, stream: i32);
        fn middle(a: usize, stream: cudaStream_t, b: u32) -> i32;
    }
}
mod bits {
    #[kernel_args::launchers(library = "puns.o")]
    unsafe extern "C" {
        fn of_puns(e: *const f32, flags: *mut u16, halves: *mut u8, columns: u32, rows: u32);
        fn of_mixed(m: *const u32, e: *const u32);
    }
}
mod passed {
    use super::*;
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Padded {
        x: f32,
        padding: u32,
        y: f64,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[device_type(cpp = "Padded")]
    #[repr(C)]
    struct Right {
        x: f32,
        y: f64,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Half {
        #[device_type(opaque)]
        x: u16,
    }
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Either {
        #[device_type(opaque)]
        bytes: [u8; 8],
    }
    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Bits {
        #[device_type(opaque)]
        bytes: [u8; 4],
        y: f32,
    }
    #[kernel_args::launchers(library = ["passed.o", "old_style.o"])]
    unsafe extern "C" {
        fn of_padded(p: Padded);
        fn of_right(p: Right);
        fn of_half(h: Half);
        fn of_either(e: Either);
        fn of_bits(b: Bits);
        fn of_old_style(x: f32);
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
mod objects {
    #[derive(Clone, Copy, kernel_args::DeviceType)]
    #[repr(C)]
    struct Options {
        scale: f32,
        heads: i32,
    }
    // The functions of the other objects are still compared: `of_pair` and `described` have a mistake.
    #[kernel_args::launchers(library = ["none.o", "lines.o", "slim.o", "split.o", "unrelocated.o", "compressed.o", "pair.o"])]
    unsafe extern "C" {
        fn of_none(a: i32, b: f32);
        fn of_lines(a: i32, b: f32);
        fn of_slim(a: i32, b: f32);
        fn of_split(a: i32, b: f32);
        fn of_unrelocated(a: i32, b: f32);
        fn of_compressed(a: i32, b: f32);
        fn of_pair(rows: u32, columns: u64, scale: f32) -> i32;
    }
    #[kernel_args::launchers(library = "mixed.a")]
    unsafe extern "C" {
        fn of_bitcode(a: i32, b: f32);
        fn of_second(a: i32, b: f32);
        fn of_twice(a: i32, b: f32);
        fn of_old_header(options: Options);
        fn of_new_header(options: Options);
        fn described(a: i64, b: f32);
    }
}
mod names {
    use kernel_args::KernelArgs;
    mod ffi {
        #[kernel_args::launchers(library = "pair.o")]
        unsafe extern "C" {
            pub fn of_pair(rows: u32, columns: u32, scale: f32) -> i32;
        }
    }
    mod unchecked {
        unsafe extern "C" {
            pub fn of_pair(rows: u32, columns: u32, scale: f32) -> i32;
        }
    }
    #[derive(KernelArgs)]
    #[kernel_args(launcher = ffi::of_pair, stream = none)]
    struct Right {
        rows: u32,
        #[kernel_args(name = "columns")]
        width: u32,
        factor: f32,
    }
    #[derive(KernelArgs)]
    #[kernel_args(launcher = ffi::of_pair, stream = none)]
    struct Exchanged {
        columns: u32,
        rows: u32,
        scale: f32,
    }
    #[derive(KernelArgs)]
    #[kernel_args(launcher = ffi::of_pair, stream = none)]
    struct Unknown {
        rows: u32,
        #[kernel_args(name = "width")]
        columns: u32,
        scale: f32,
    }
    #[derive(KernelArgs)]
    #[kernel_args(launcher = unchecked::of_pair, stream = none)]
    struct Unchecked {
        columns: u32,
        rows: u32,
        scale: f32,
    }
    fn local() {
        use ffi::of_pair as pair;
        #[derive(KernelArgs)]
        #[kernel_args(launcher = pair, stream = none)]
        struct Local {
            #[kernel_args(as = u32)]
            columns: usize,
            rows: u32,
            scale: f32,
        }
    }
}
mod ranges {
    use super::*;
    #[derive(Clone, Copy)]
    #[repr(C)]
    struct Window {
        hi: f32,
        lo: f32,
    }
    #[kernel_args::launchers(library = "ranges.o")]
    unsafe extern "C" {
        fn of_range(x: *mut f32, hi: f32, lo: f32, n: u32);
        fn of_types(x: *mut f32, hi: i32, lo: f32);
        fn of_window(w: Window);
        fn of_alias(x: *mut f64, n: i32);
    }
}

//! Kernels and variables with mangled names. `rustc.ptx` (v0) and `rustc.legacy.ptx` are compiled from it with
//! rustc 1.97.0-nightly (2026-05-19):
//!
//! ```sh
//! rustc +nightly --edition 2024 --target nvptx64-nvidia-cuda -C target-cpu=sm_80 -O --emit asm -o rustc.ptx \
//!     -Z unstable-options -Z cross-crate-inline-threshold=never -C symbol-mangling-version=v0 rustc.rs
//! ```

#![feature(abi_ptx, lang_items, no_core)]
#![allow(internal_features)]
#![crate_name = "device"]
#![crate_type = "lib"]
#![no_core]

// `core` of this target has to be compiled, so this file needs none.
#[lang = "pointee_sized"]
pub trait PointeeSized {}
#[lang = "meta_sized"]
pub trait MetaSized: PointeeSized {}
#[lang = "sized"]
pub trait Sized: MetaSized {}
#[lang = "copy"]
pub trait Copy {}
#[lang = "sync"]
pub trait Sync {}
#[lang = "drop_glue"]
fn drop_glue<T: PointeeSized>(_: &mut T) {}

impl Copy for f32 {}
impl Copy for u32 {}
impl Copy for i64 {}
impl<T> Copy for *mut T {}
impl Sync for f32 {}
impl Sync for i64 {}
impl<T> Sync for Fill<T> {}

type Fill<T> = unsafe extern "ptx-kernel" fn(T, *mut T);

pub static COUNT: i64 = 6;

/// Without these, the instances are not compiled.
pub static FILL_F32: Fill<f32> = sim::inner::fill::<f32>;
pub static FILL_U32: Fill<u32> = sim::inner::fill::<u32>;

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn plain(p: *mut i64) {
    unsafe { *p = COUNT }
}

pub mod sim {
    pub static DT: f32 = 2.5;

    pub unsafe extern "ptx-kernel" fn step(x: u32, p: *mut u32) {
        unsafe { *p = x }
    }

    pub mod inner {
        use crate::Copy;

        pub unsafe extern "ptx-kernel" fn step(x: f32, p: *mut f32) {
            unsafe { *p = x }
        }

        pub unsafe extern "ptx-kernel" fn fill<T: Copy>(x: T, p: *mut T) {
            unsafe { *p = x }
        }

        pub unsafe extern "ptx-kernel" fn größe(x: u32, p: *mut u32) {
            unsafe { *p = x }
        }
    }

    pub struct Solver;

    impl Solver {
        pub unsafe extern "ptx-kernel" fn run(p: *mut u32) {
            unsafe { *p = 1 }
        }
    }
}

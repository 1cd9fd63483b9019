//! A replacement of `libcuda` for tests on machines without a GPU. **It is not a GPU**: it runs no PTX and no SASS. It accepts
//! launches like the CUDA driver, to test everything before the first instruction of a kernel without a device.
//!
//! It is an independent second implementation and shares no code with the crates under test. The locations of a kernel's
//! parameters come from the records of a cubin (`cubin.rs`), or are computed from PTX by the rules in `placement.rs`.
//!
//! # How to use it
//! `kernel-args-test-driver cargo test` runs a command on it: `cargo install kernel-args-test-driver` installs the program.
//!
//! As a library, the crate builds `libkernel_args_test_driver.so` next to the test binaries of every package that depends on it. The file is
//! intentionally not named `libcuda`. To use it, a process starts itself again with a new directory first in `LD_LIBRARY_PATH`;
//! `libcuda.so` and `libcuda.so.1` in this directory are links to it.
//!
//! - [`within`] does that for one `#[test]`,
//! - [`reexec_with_stand_in`] for a binary with its own `main`, [`interpret_without_gpu`] if it uses a GPU where one is,
//! - [`Session`] for any other command (an example, valgrind).
//! - [`locate`] finds the library next to the running binary, in cargo's tree and in a bundle copied elsewhere.
//!
//! # What it simulates
//! One H100 by default: `sm_90`, 132 SMs, 1024 threads per block, a grid of at most 2^31-1 × 65535 × 65535, 48 KiB of dynamic
//! shared memory, and up to 227 KiB with opt-in. Driver 13.0. Device memory is host memory, every stream runs immediately and
//! in order, and new memory is filled with `0xA5`.
//!
//! # Effects of kernels
//! The name of the function, plain or Itanium-mangled, decides the effect:
//!
//! | name | effect |
//! |---|---|
//! | begins with `echo` | parameter 0 is `unsigned char* out`; the bytes of parameters 1, 2, … are copied to `out`, one after another without padding |
//! | `saxpy(int n, float alpha, const float* x, float* y)` | `y[i] = alpha * x[i] + y[i]` |
//! | `vector_add(const float* a, const float* b, float* c, int n)` | `c[i] = a[i] + b[i]` |
//! | `read_…(unsigned char* out)` | the bytes of the variable that its PTX names are copied to `out` |
//! | `fill_…(unsigned char const* in)` | the bytes from `in` on are copied to the variable that its PTX names |
//! | `sum(float const* values, unsigned n, float* out)` | `out[0]` is the sum of `values[0..n]` |
//! | `reduce_sum(const float* in, float* out, unsigned n)` | adds the sum of `in[0..n]` to `out[0]` |
//! | `cluster_ranks(uint2* ranks)`, `cluster_of_two`, `clusters_up_to_four` | for each block, its rank in its cluster and the blocks of the cluster |
//! | `grid_barrier(unsigned* arrived, unsigned* seen)` | the number of blocks, once and for each block |
//! | `set_condition(cudaGraphConditionalHandle condition, unsigned value)` | sets the condition |
//! | `count_down(cudaGraphConditionalHandle condition, unsigned* counter)` | subtracts 1 from the counter, and sets the condition to the result |
//! | any other | nothing: the launch is checked and recorded |
//!
//! A kernel that accesses an address outside of the live allocations sets `CUDA_ERROR_ILLEGAL_ADDRESS` (700) in its context:
//! the launch itself succeeds, and every later call in that context fails until the context is destroyed.
//!
//! # Launches
//! The behavior was observed on an H100 and an H200 with driver 580. With `kernelParams`, the driver reads each parameter's
//! size at each pointer. `extra` is copied verbatim: one byte too many is `CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES` (701); too few
//! bytes succeed, and the rest is zero. Both forms, or no form, for a kernel that has parameters is `CUDA_ERROR_INVALID_VALUE`
//! (1). A function launched on a stream of a different context is `CUDA_ERROR_INVALID_HANDLE` (400); no current context is
//! `CUDA_ERROR_INVALID_CONTEXT` (201); a zero or too large grid or block, or more dynamic shared memory than the function's
//! opt-in, is `CUDA_ERROR_INVALID_VALUE`. Text that does not begin like PTX is `CUDA_ERROR_INVALID_IMAGE` (200); PTX with an
//! error is `CUDA_ERROR_INVALID_PTX` (218), with a log. A failed launch, a synchronization, or a wait for work outside of the
//! capture invalidates a stream capture. A destructor of a user object or a host function that calls the driver gets `CUDA_ERROR_NOT_PERMITTED`
//! (800).
//!
//! An array is memory of rows. Its shape, format and size, and the combination of options of a texture object, are checked with the limits of an H100.
//!
//! Differences from a real driver: an array that a texture or surface object refers to is not destroyed (`CUDA_ERROR_INVALID_VALUE`); a null entry in `kernelParams` is `CUDA_ERROR_INVALID_VALUE` and a stale handle is
//! `CUDA_ERROR_INVALID_HANDLE`, where a real driver may crash; nvcc's wrapper around a fat binary is `CUDA_ERROR_NOT_SUPPORTED`; occupancy and
//! register counts are estimates. A call on one thread while another thread ends the process aborts; a real driver returns
//! `CUDA_ERROR_DEINITIALIZED` (4) or crashes.
//!
//! # Contexts and devices
//! All devices are equal. Each has a primary context with one handle for the whole process. After a reset, calls with this
//! context as the current one return `CUDA_ERROR_CONTEXT_IS_DESTROYED` (709), and making it current returns
//! `CUDA_ERROR_INVALID_CONTEXT`, until it is retained again, with a new id. A context that is destroyed at the top of a
//! thread's stack is removed from that stack. Kernels access the memory of a different device if the access is enabled, and
//! memory of pools if it is enabled for the pool. A green context is a number of multiprocessors: its streams are streams of
//! the primary context.
//!
//! # Controls
//! From outside, read when the library is loaded ([`Settings`] writes them):
//!
//! | variable | meaning |
//! |---|---|
//! | `KERNEL_ARGS_TEST_DRIVER_SM` | 75 to 121: the compute capability (90) |
//! | `KERNEL_ARGS_TEST_DRIVER_DEVICES` | 0 to 8: the number of devices (1) |
//! | `KERNEL_ARGS_TEST_DRIVER_PEERS` | 0: no device can access the memory of a different device (1) |
//! | `KERNEL_ARGS_TEST_DRIVER_VERSION` | the result of `cuDriverGetVersion` (13000) |
//! | `KERNEL_ARGS_TEST_DRIVER_ABSENT` | names, comma-separated, that `cuGetProcAddress` does not find |
//! | `KERNEL_ARGS_TEST_DRIVER_FAIL` | `cuLaunchKernelEx=700`: every call fails; `cuMemAlloc_v2=2:1`: the first call fails |
//! | `KERNEL_ARGS_TEST_DRIVER_NOT_EXECUTED` | a launch of a kernel that has no effect here: `say` writes a line for each kernel, `fail` is `CUDA_ERROR_NOT_SUPPORTED` (801) (`quiet`) |
//!
//! A value that means nothing ends the program with exit code 2.
//!
//! From inside the process, [`Control`] (in C: the functions with the prefix `kernel_args_test_driver_`, see `control.rs`). It has
//! the same settings at run time, the number of calls of each entry point, the last launch with its parameter bytes and launch
//! attributes, live allocations.
//!
//! An *old driver* ([`Settings::old`]) lacks `cuFuncGetParamInfo` and `cuKernelGetParamInfo`, also for `dlsym`: the session's
//! directory then contains a copy of the library without these two names in the dynamic symbol table. It still accepts PTX up
//! to 9.0, unlike a real driver of that age.
//!
//! An entry point that is not simulated returns `CUDA_ERROR_NOT_SUPPORTED`, and a line on stderr names it. `cuGetProcAddress` does not find
//! it.

// The entry points have the names and argument lists of the CUDA driver API.
#![allow(clippy::too_many_arguments)]
// The unit tests do not call the entry points, whose names are then no symbols.
#![cfg_attr(test, allow(dead_code, non_snake_case))]
// Other systems load libraries in other ways.
#![cfg(target_os = "linux")]

#[macro_use]
mod entry;

mod attribute;
mod bank;
mod capture;
mod client;
mod config;
mod context;
mod control;
mod copy;
mod cubin;
mod cubin_writer;
mod cupti;
mod device;
mod error;
mod event;
mod exit;
mod fatbin;
mod function;
mod graph;
mod graph_attribute;
mod graph_edit;
mod graph_exec;
mod graph_inside;
mod graph_kernel;
mod graph_kinds;
mod graph_memory;
mod graph_update;
mod green;
mod handle;
mod image;
mod install;
mod jit;
mod kernels;
mod launch;
mod library;
mod link;
mod memory;
mod module;
mod not_simulated;
mod occupancy;
mod operation;
mod peer;
mod placement;
mod pointer;
mod pool;
mod proc_address;
mod ptx;
mod region;
mod settings;
mod state;
mod stream;
mod texture;
mod user_object;

pub use client::{Control, Launch, LaunchForm, not_executed};
pub use control::LiveObjects;
pub use install::{Session, interpret_without_gpu, is_active, locate, reexec_with_stand_in, within};
pub use settings::Settings;

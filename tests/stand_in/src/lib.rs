//! A stand-in `libcuda` for tests on machines without a GPU. **Never offered as a GPU**: it runs no PTX and no SASS;
//! it takes launches as the CUDA driver takes them, so that everything up to the first instruction of a kernel can be
//! tested where there is no device.
//!
//! It is an independent second implementation: it shares no code with the crates that it tests. Where a kernel's
//! parameters lie is read from a cubin's own records ([`cubin`]) or worked out from PTX by the rules in `placement.rs`.
//!
//! # Getting it
//! The crate builds `libkernel_args_stand_in.so` beside the test binaries of every package that depends on it.
//! The file is deliberately not called `libcuda`: a process gets it by being started again with a fresh directory in
//! front of `LD_LIBRARY_PATH`, in which `libcuda.so` and `libcuda.so.1` are links to it.
//!
//! - [`within`] does that for one `#[test]`,
//! - [`reexec_with_stand_in`] for a binary with its own `main`,
//! - [`Session`] for any other command (an example, valgrind).
//! - [`locate`] finds the library beside the running binary, in cargo's tree and in a bundle copied elsewhere.
//!
//! # What it is
//! One H100 by default: `sm_90`, 132 SMs, 1024 threads a block, a grid of at most 2^31-1 × 65535 × 65535, 48 KiB of
//! dynamic shared memory and up to 227 KiB where a function opts in. Driver 13.0. Host memory is device memory, every
//! stream runs at once and in order, fresh memory is filled with `0xA5`.
//!
//! # What kernels do
//! A kernel is known by its function's name, plain or Itanium-mangled:
//!
//! | name | effect |
//! |---|---|
//! | begins with `echo` | parameter 0 is `unsigned char* out`; the bytes of parameters 1, 2, … are copied to `out`, one after another without padding |
//! | `saxpy(int n, float alpha, const float* x, float* y)` | `y[i] = alpha * x[i] + y[i]` |
//! | `vector_add(const float* a, const float* b, float* c, int n)` | `c[i] = a[i] + b[i]` |
//! | `reduce_sum(const float* in, float* out, unsigned n)` | adds the sum of `in[0..n]` to `out[0]` |
//! | `cluster_ranks(uint2* ranks)`, `cluster_of_two`, `clusters_up_to_four` | rank in its cluster and blocks of it, for each block |
//! | `grid_barrier(unsigned* arrived, unsigned* seen)` | the number of blocks, once and for each block |
//! | any other | nothing: the launch is checked and recorded |
//!
//! A kernel that touches an address outside the live allocations leaves `CUDA_ERROR_ILLEGAL_ADDRESS` (700) in its
//! context: the launch itself succeeds and every later call in that context fails until the context is destroyed.
//!
//! # Launches
//! As seen on an H100 and an H200 with driver 580: `kernelParams` reads each parameter's size from each pointer;
//! `extra` is copied verbatim: one byte too many is `CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES` (701), too few succeed and
//! the rest reads as zero; both forms, or neither, for a kernel that has parameters is `CUDA_ERROR_INVALID_VALUE` (1).
//! A function launched on another context's stream is `CUDA_ERROR_INVALID_HANDLE` (400); no current context is
//! `CUDA_ERROR_INVALID_CONTEXT` (201); a zero or too large grid or block, or more dynamic shared memory than the
//! function opted into, is `CUDA_ERROR_INVALID_VALUE`. Text that does not begin as PTX is `CUDA_ERROR_INVALID_IMAGE`
//! (200), PTX with a mistake `CUDA_ERROR_INVALID_PTX` (218) with a log. A refused launch, a synchronisation, or a wait
//! for work outside breaks a stream capture. A destructor of a user object that calls the driver gets
//! `CUDA_ERROR_NOT_PERMITTED` (800).
//!
//! Not as a real driver: a null entry in `kernelParams` is `CUDA_ERROR_INVALID_VALUE` and a stale handle
//! `CUDA_ERROR_INVALID_HANDLE`, where a real driver may crash; fat binaries are `CUDA_ERROR_NOT_SUPPORTED`; occupancy
//! and register counts are estimates. A call on one thread while another one ends the process aborts, where a real driver returns
//! `CUDA_ERROR_DEINITIALIZED` (4) or crashes.
//!
//! # Contexts and devices
//! Every device is one like the first. Each has a primary context with one handle for the whole process; reset, that is
//! `CUDA_ERROR_CONTEXT_IS_DESTROYED` (709) to who has it current and `CUDA_ERROR_INVALID_CONTEXT` to who makes it current, until
//! it is retained again, with another id. A context that is destroyed on top of a thread's stack leaves that stack. Kernels
//! access the memory of another device where that is enabled, memory of pools where it is enabled for the pool. A green context
//! is a number of multiprocessors: its streams are streams of the primary context.
//!
//! # Controls
//! From outside, read when the library is loaded ([`Settings`] writes them):
//!
//! | variable | meaning |
//! |---|---|
//! | `KERNEL_ARGS_STAND_IN_SM` | 75 to 121: the compute capability (90) |
//! | `KERNEL_ARGS_STAND_IN_DEVICES` | 0 to 8: the number of devices (1) |
//! | `KERNEL_ARGS_STAND_IN_PEERS` | 0: no device can access the memory of another one (1) |
//! | `KERNEL_ARGS_STAND_IN_VERSION` | what `cuDriverGetVersion` says (13000) |
//! | `KERNEL_ARGS_STAND_IN_ABSENT` | names, comma-separated, that `cuGetProcAddress` does not find |
//! | `KERNEL_ARGS_STAND_IN_FAIL` | `cuLaunchKernel=700`: every such call fails; `cuMemAlloc_v2=2:1`: the first one |
//!
//! From inside the process, [`Control`] (in C: the functions with the prefix `kernel_args_stand_in_`, see
//! `control.rs`): the same settings at run time, how often each entry point was called, the last launch with its
//! parameter bytes and launch attributes, live allocations.
//!
//! An *old driver* ([`Settings::old`]) lacks `cuFuncGetParamInfo` and `cuKernelGetParamInfo`, for `dlsym` too: the
//! session's directory then holds a copy of the library in which those two names are struck out of the dynamic
//! symbol table. It still takes PTX up to 9.0, which a real driver of that age would not.
//!
//! An entry point that is not implemented is not exported: cudarc panics when it is used, with its name.

// The entry points carry the names and argument lists of CUDA's driver API.
#![allow(clippy::too_many_arguments)]

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
mod device;
mod error;
mod event;
mod exit;
mod function;
mod graph;
mod graph_attribute;
mod graph_edit;
mod graph_exec;
mod graph_kernel;
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
mod occupancy;
mod operation;
mod peer;
mod placement;
mod pointer;
mod pool;
mod proc_address;
mod ptx;
mod settings;
mod state;
mod stream;
mod user_object;

pub use client::{Control, Launch, LaunchForm};
pub use control::LiveObjects;
pub use install::{Session, is_active, locate, reexec_with_stand_in, within};
pub use settings::Settings;

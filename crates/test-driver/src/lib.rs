//! A replacement of `libcuda` for tests on machines without a GPU. It accepts launches like the CUDA driver, and
//! executes kernels in PTX with an interpreter, so programs have right results. **It is not a GPU**: it executes no
//! machine code, and no time passes as on a device.
//!
//! It is an independent second implementation and shares no code with the crates under test. The locations of a
//! kernel's parameters come from the records of a cubin (`images/cubin.rs`), or are computed from PTX by the rules in
//! `ptx/placement.rs`.
//!
//! # How to use it
//! `kernel-args-test-driver cargo test` runs a command on it: `cargo install kernel-args-test-driver` installs the
//! program.
//!
//! As a library, the crate builds `libkernel_args_test_driver.so` next to the test binaries of every package that
//! depends on it. The file is intentionally not named `libcuda`. To use it, a process starts itself again with a new
//! directory first in `LD_LIBRARY_PATH`; `libcuda.so` and `libcuda.so.1` in this directory are links to it.
//!
//! - [`within`] does that for one `#[test]`,
//! - [`reexec_with_stand_in`] for a binary with its own `main`, [`interpret_without_gpu`] if it uses a GPU where one
//!   is,
//! - [`Session`] for any other command (an example, valgrind).
//! - [`locate`] finds the library next to the running binary, in cargo's tree and in a bundle copied elsewhere.
//!
//! # What it simulates
//! One H100 by default: `sm_90`, 132 SMs, 1024 threads per block, a grid of at most 2^31-1 × 65535 × 65535, 48 KiB of
//! dynamic shared memory, and up to 227 KiB with opt-in. Driver 13.0. Device memory is host memory, every stream runs
//! immediately and in order, and new memory is filled with `0xA5`.
//!
//! # Kernels
//! Kernels in PTX are executed: blocks in parallel on the cores of the machine, warps as vectors of lanes, and threads
//! of a warp independently of each other, so locks between them end. Kernels whose result can depend on the order of
//! blocks (atomic operations with a result, `volatile`, fences, cooperative launches) run their blocks in one order, by
//! their numbers or by `KERNEL_ARGS_TEST_DRIVER_SEED`. A warp runs until it waits, so an order of warps is one of many
//! that a GPU can have.
//!
//! Results have the same bytes as on an H200 for the instructions and the random kernels of `tests/instructions`.
//! Approximate functions (`ex2`, `lg2`, `sin`, `cos`, `tanh`, and `rcp`, `rsqrt` and `sqrt` with `.approx`) are nearer
//! to the exact result. Sums of `mma` are rounded once. Filtered textures can differ in the last bits.
//!
//! Not executed: `wgmma`, `tcgen05`, copies of tensors, `multimem`, sparse and 1-bit `mma`, `b128`, textures with
//! levels, cubes and `txq`, dynamic parallelism. A launch of such a kernel is `CUDA_ERROR_NOT_SUPPORTED`, with a line
//! on stderr that names the instruction and its line, or has no effect, as `KERNEL_ARGS_TEST_DRIVER_NOT_EXECUTED`
//! requests. Kernels that exist only in machine code have no effect; of a fat binary, the PTX is executed.
//!
//! `printf` writes to stdout when the program synchronizes, `assert` to stderr. The functions `malloc`, `free`,
//! `cudaGraphSetConditional` and `cudaGraphKernelNodeSetParam` exist.
//!
//! # Faults of kernels
//! An error of a kernel is left in its context: the launch itself succeeds, and every later call in that context fails
//! until the context is destroyed. An access outside of live allocations, of freed or another device's memory, and of
//! shared or local memory out of bounds is
//! 700. A misaligned access is 716, `trap` 719, a call of no function 715, `assert` 710, and a kernel that does not end
//!      702. [`Control::last_fault`] reports the kernel, the thread, the instruction with its line in PTX and in the
//!      source, the address, the nearest allocation and the parameter that points to it. `cuGetErrorString` returns the
//!      same report after the first line, for the error of a context that is lost: the thread's current context,
//!      otherwise any context. So errors of cudarc and of kernel-args contain it. [`Control::lose_context`] leaves any
//!      code without a report.
//!
//! With [`Settings::memcheck`], [`Control::memcheck`] or `KERNEL_ARGS_TEST_DRIVER_MEMCHECK=1` the report is also
//! written to stderr. More errors (719) are then found:
//! - A value of global or shared memory that nothing has written, and that decides something: a branch, an address, or
//!   a value that is computed and stored to global memory. Copies of memory that is partly written, for example
//!   structs with padding, and unused values are no errors. Atomic operations, `cp.async` and loads of matrices must
//!   read memory that is written.
//! - Threads that access the same shared memory without a barrier between.
//! - A barrier of the block (`bar.sync`) that only a part of a warp reaches.
//!
//! A programmatic launch of a kernel without `griddepcontrol.wait`, behind one with `griddepcontrol.launch_dependents`,
//! is a remark on stderr.
//!
//! # The CUDA runtime
//! A session also has `libcudart.so.12` and `libcudart.so.13`, for programs that are linked with the shared runtime:
//! registered kernels and variables, launches, memory, streams, events, attributes, occupancy, graphs, errors. Arrays
//! and textures of the runtime are not simulated. The static runtime, which cuBLAS and cuRAND contain too, does not
//! run: it needs undocumented tables of the real driver, and a line on stderr reports it.
//!
//! # Launches
//! The behavior was observed on an H100 and an H200 with driver 580. With `kernelParams`, the driver reads each
//! parameter's size at each pointer. `extra` is copied verbatim: one byte too many is
//! `CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES` (701); too few bytes succeed, and the rest is zero. Both forms, or no form, for
//! a kernel that has parameters is `CUDA_ERROR_INVALID_VALUE` (1). A function launched on a stream of a different
//! context is `CUDA_ERROR_INVALID_HANDLE` (400); no current context is `CUDA_ERROR_INVALID_CONTEXT` (201); a zero or
//! too large grid or block, or more dynamic shared memory than the function's opt-in, is `CUDA_ERROR_INVALID_VALUE`.
//! Text that does not begin like PTX is `CUDA_ERROR_INVALID_IMAGE` (200); PTX with an error is `CUDA_ERROR_INVALID_PTX`
//! (218), with a log: names, modifiers, types and operands of instructions are checked as by ptxas. A failed launch, a
//! synchronization, or a wait for work outside of the capture invalidates a stream capture. A destructor of a user
//! object or a host function that calls the driver gets `CUDA_ERROR_NOT_PERMITTED` (800).
//!
//! An array is memory of rows. Its shape, format and size, and the combination of options of a texture object, are
//! checked with the limits of an H100.
//!
//! Differences from a real driver: an array that a texture or surface object refers to is not destroyed
//! (`CUDA_ERROR_INVALID_VALUE`); a null entry in `kernelParams` is `CUDA_ERROR_INVALID_VALUE` and a stale handle is
//! `CUDA_ERROR_INVALID_HANDLE`, where a real driver may crash; nvcc's wrapper around a fat binary is
//! `CUDA_ERROR_NOT_SUPPORTED`; occupancy and register counts are estimates. A call on one thread while another thread
//! ends the process aborts; a real driver returns `CUDA_ERROR_DEINITIALIZED` (4) or crashes.
//!
//! # Contexts and devices
//! All devices are equal. Each has a primary context with one handle for the whole process. After a reset, calls with
//! this context as the current one return `CUDA_ERROR_CONTEXT_IS_DESTROYED` (709), and making it current returns
//! `CUDA_ERROR_INVALID_CONTEXT`, until it is retained again, with a new id. A context that is destroyed at the top of a
//! thread's stack is removed from that stack. Kernels access the memory of a different device if the access is enabled,
//! and memory of pools if it is enabled for the pool. A green context is a number of multiprocessors: its streams are
//! streams of the primary context.
//!
//! # Controls
//! From outside, read when the library is loaded ([`Settings`] writes them):
//!
//! | variable | meaning |
//! |---|---|
//! | `KERNEL_ARGS_TEST_DRIVER_SM` | 75 to 121, or `sm_75` to `sm_121`: the compute capability (90) |
//! | `KERNEL_ARGS_TEST_DRIVER_DEVICES` | 0 to 8: the number of devices (1) |
//! | `KERNEL_ARGS_TEST_DRIVER_PEERS` | 0: no device can access the memory of a different device (1) |
//! | `KERNEL_ARGS_TEST_DRIVER_VERSION` | the result of `cuDriverGetVersion` (13000) |
//! | `KERNEL_ARGS_TEST_DRIVER_ABSENT` | names, comma-separated, that `cuGetProcAddress` does not find |
//! | `KERNEL_ARGS_TEST_DRIVER_FAIL` | `cuLaunchKernelEx=700`: every call fails; `cuMemAlloc_v2=2:1`: the first call fails |
//! | `KERNEL_ARGS_TEST_DRIVER_NOT_EXECUTED` | a launch of a kernel that is not executed has no effect: `quiet`; `say` writes a line for each kernel; `fail` is `CUDA_ERROR_NOT_SUPPORTED` (801). Without it, kernels in PTX fail, and cubins are `quiet` |
//! | `KERNEL_ARGS_TEST_DRIVER_SEED` | another order of blocks and warps, the same for the same number (0) |
//! | `KERNEL_ARGS_TEST_DRIVER_BUDGET` | the most instructions of threads in a launch (50000000000) |
//! | `KERNEL_ARGS_TEST_DRIVER_MEMCHECK` | 1: accesses of kernels are checked, and faults reported |
//! | `KERNEL_ARGS_TEST_DRIVER_LIBRARY` | the path of the library, for sessions |
//!
//! A wrong value, and an unknown variable with this prefix, ends the program with exit code 2.
//!
//! From inside the process, [`Control`] (in C: the functions with the prefix `kernel_args_test_driver_`, see
//! `client/control.rs`). It has the same settings at run time, the number of calls of each entry point, the last launch
//! with its parameter bytes and launch attributes, live allocations.
//!
//! An *old driver* ([`Settings::old`]) lacks `cuFuncGetParamInfo` and `cuKernelGetParamInfo`, also for `dlsym`: the
//! session's directory then contains a copy of the library without these two names in the dynamic symbol table. It
//! still accepts PTX up to 9.0, unlike a real driver of that age.
//!
//! An entry point that is not simulated returns `CUDA_ERROR_NOT_SUPPORTED`, and a line on stderr names it.
//! `cuGetProcAddress` does not find it.
//!
//! # Folders
//! Each folder imports from those below it. `state/` names the types of all of them, and each adds its calls to
//! `Driver`.
//!
//! | folder | contents |
//! |---|---|
//! | `runtime/` | The CUDA runtime: its functions, as calls of the driver |
//! | `client/` | What a program uses in addition to CUDA: a process on the test driver, settings, controls, the names of functions |
//! | `graphs/` | Graphs and their nodes, executable graphs and their updates, user objects |
//! | `launches/` | Launches: parameters, attributes and limits, occupancy, and running a kernel |
//! | `images/` | What a program loads: PTX, cubins and fat binaries; modules, libraries, functions, the linker |
//! | `contexts/` | Devices, contexts, green contexts, peer access, the names of errors, the end of the process |
//! | `streams/` | Streams, events, and the capture of streams |
//! | `memory/` | Device memory, which is host memory: allocations, pools, copies and fills, arrays and textures |
//! | `execute/` | Executes kernels: an interpreter of PTX |
//! | `ptx/` | Reads PTX: modules, functions, statements and their operands |
//! | `state/` | The state of the driver and the operations on it, behind one lock, and the steps around every call |
//!
//! Without a folder: `entry.rs`, the C interface of every function; `error.rs`, `handle.rs` and `config.rs`.

// The entry points have the names and argument lists of the CUDA driver API.
#![allow(clippy::too_many_arguments)]
// The unit tests do not call the entry points, whose names are then no symbols.
#![cfg_attr(test, allow(dead_code, non_snake_case))]
// Other systems load libraries in other ways.
#![cfg(any(target_os = "linux", windows))]
#![cfg_attr(not(feature = "runtime"), allow(dead_code, reason = "only the CUDA runtime calls some functions"))]

#[macro_use]
mod entry;

mod client;
mod config;
mod contexts;
mod error;
mod execute;
mod graphs;
mod handle;
mod images;
mod launches;
mod lock;
mod memory;
mod ptx;
#[cfg(feature = "runtime")]
mod runtime;
mod state;
mod streams;

pub use client::control::LiveObjects;
pub use client::install::{Session, interpret_without_gpu, is_active, locate, reexec_with_stand_in, within};
pub use client::settings::Settings;

/// Returns a line for each variable, for `--help`.
#[doc(hidden)]
#[must_use]
pub fn variables() -> String {
    config::help()
}
pub use client::{Control, Launch, LaunchForm, not_executed};

//! The function and the macro `launch!`.

#[cfg(feature = "record")]
mod bytes;
mod call;
#[cfg(feature = "graphs")]
mod capturing;
#[cfg(feature = "graphs")]
mod enclosing;
mod explain;
mod function_door;
mod launchable;
#[cfg(feature = "graphs")]
mod node_slot;
#[cfg(feature = "observe")]
mod observed;
mod prepare;
mod raw;
#[cfg(feature = "graphs")]
mod record;
mod resources;
mod usage;

#[cfg(feature = "record")]
pub(crate) use bytes::{ByteArguments, ByteLaunch};
pub(crate) use call::finish;
#[cfg(feature = "graphs")]
pub use enclosing::run_now;
pub(crate) use explain::{not_awaited, other_context, unbound, unrecorded_after};
pub use launchable::{LaunchArgs, Launchable};
#[cfg(any(feature = "graphs", feature = "observe"))]
pub(crate) use prepare::Watched;
pub(crate) use prepare::{Door, Path, Plain, prepare};
#[cfg(feature = "graphs")]
pub(crate) use prepare::{InGraph, Recorded};
#[cfg(feature = "graphs")]
pub(crate) use {
    capturing::{CapturedSlots, Keeper, RegisteredCapture, add_slot, check_place, is_promised, set_node},
    enclosing::{BegunRun, begin_run, check as check_enclosing, end_run, run_on, within},
    explain::{launch as failed, not_kept, not_recording},
    function_door::{Checked, FunctionDoor},
    node_slot::NodeSlot,
    record::not_held,
};

#[cfg(feature = "graphs")]
use crate::driver::watched::is_active;
#[cfg(any(feature = "graphs", feature = "observe"))]
use crate::driver::watched::is_plain;
use crate::driver::{api::Promise, config::Launch, error::Error};

/// The grid, the block and the options of a launch: [`Launch`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a `Launch`",
    label = "not the grid, the block and the options of a launch",
    note = "write the macro, `launch!(func, grid, block, args)`, or pass `Launch::new(grid, block)` to the function `launch`"
)]
pub trait LaunchOptions<'l> {
    #[doc(hidden)]
    const NAMES_STREAM: bool;

    #[doc(hidden)]
    fn options(self) -> Launch<'l>;
}

impl<'l> LaunchOptions<'l> for Launch<'l> {
    const NAMES_STREAM: bool = true;

    #[inline(always)]
    fn options(self) -> Launch<'l> {
        self
    }
}

/// The options of a `launch!` that names no stream.
#[derive(Clone, Copy, Debug)]
pub struct WithoutStream<'l>(pub Launch<'l>);

#[diagnostic::do_not_recommend]
impl<'l> LaunchOptions<'l> for WithoutStream<'l> {
    const NAMES_STREAM: bool = false;

    #[inline(always)]
    fn options(self) -> Launch<'l> {
        self.0
    }
}

/// Launches a kernel. [`launch!`](crate::launch!) expands to a call of this function.
///
/// # Errors
/// An [`Error`] if the launch exceeds a limit, an argument belongs to a different context, the struct does not match a
/// function that was not verified before, or the driver returns an error.
///
/// # Safety
/// - The kernel takes these arguments, where [`launch!`](crate::launch!) documents that it does not verify this.
/// - With these values, this grid, block and shared memory, the kernel stays within the memory of its arguments.
///   [Contracts](derive@crate::KernelArgs#contracts) check lengths, ranges and sizes; the caller promises that the
///   kernel keeps to them, and everything that no contract states: indices in device memory, strides, the size of
///   static shared memory.
/// - Memory that the arguments do not borrow or own, behind raw pointers or in structs, stays allocated until the
///   kernel has finished and the launch has returned.
/// - No access of the kernel races with another use of the same memory: on another stream through raw pointers, by the
///   host, or by its own threads. Slices are ordered with their uses on other streams by their borrows and by cudarc's
///   events.
/// - What the kernel writes is a value of its Rust type: only discriminants to an enum, 0 or 1 to a `bool`.
/// - The global variables of the kernel contain what it requires while it runs, and nothing overwrites them in that
///   time: reading and writing a [`Global`](crate::global::Global) is safe.
///
/// A launcher enqueues its work on the stream that it receives. Without a stream, it uses the default stream of the
/// current context, and was not compiled with a default stream for each thread.
///
/// On a stream that is being captured, this holds for each launch of the captured graph, for which the memory of the
/// arguments also stays allocated, and the kernel loaded. In [`Graph::capture`](crate::graph::Graph::capture),
/// arguments with memory that the graph does not keep are an error; a capture that was begun without this crate is not
/// noticed. With the recorder of a [`Sequence`](crate::sequence::Sequence) as the stream, it holds until the work of
/// the run has finished, and a raw function stays loaded until the sequence is dropped.
#[inline(always)]
pub unsafe fn launch<'l, A: LaunchArgs, L: LaunchOptions<'l>>(
    target: &(impl Launchable<A> + ?Sized),
    launch: L,
    args: A,
) -> Result<(), Error> {
    const {
        assert!(
            L::NAMES_STREAM || !A::REQUIRES_STREAM,
            "this launch names no stream, but its arguments have the contract `#[kernel_args(stream = required)]`\n\
             help: add `stream = &stream`"
        );
    }
    // SAFETY: the caller promises it, and only this launch takes the promise.
    let promise = unsafe { Promise::new() };
    let launch = launch.options();
    // A run of a sequence consists of such launches. First, because the program then lacks the other code for a launch
    // that names a recorder.
    #[cfg(feature = "graphs")]
    if launch.recording.is_some() {
        if is_active() {
            return watched(target, (launch, args, promise));
        }
        return target.enqueue::<Recorded>(launch, args, promise).map_err(|error| *error);
    }
    #[cfg(any(feature = "graphs", feature = "observe"))]
    if !is_plain() {
        return watched(target, (launch, args, promise));
    }
    target.enqueue::<Plain>(launch, args, promise).map_err(|error| *error)
}

/// A launch that is observed or recorded, or made while a thread records a run or is in the closure of a capture.
///
/// The arguments are in a tuple, which moves them: a plain launch then never has their address, and can keep them in
/// registers.
#[cfg(any(feature = "graphs", feature = "observe"))]
#[cold]
#[inline(never)]
fn watched<A: LaunchArgs>(
    target: &(impl Launchable<A> + ?Sized),
    (launch, args, promise): (Launch<'_>, A, Promise<'_>),
) -> Result<(), Error> {
    target.enqueue::<Watched>(launch, args, promise).map_err(|error| *error)
}

/// Launches a kernel: `launch!(func, grid, block, args)` or `launch!(func, config, args)`, followed by named options.
///
/// - `func`: a verified [`Kernel`](crate::Kernel), a [`Function`](crate::Function), a cudarc `CudaFunction`, or a raw
///   `CUfunction`; see below for what is verified when.
/// - `grid`, `block`: the number of blocks and of threads per block, cudarc's `grid_dim` and `block_dim`: a `u32`,
///   `(u32, u32)`, `(u32, u32, u32)`, an array of these, or a [`Dim3`](crate::vector::Dim3).
///   They can be named: `launch!(func, grid = 4, block = 256, args)`, in any order.
/// - `config`: cudarc's `LaunchConfig`, with the grid, the block and the dynamic shared memory. Options can follow.
/// - `args`: a struct with `#[derive(KernelArgs)]`, or `&mut` of one; for a `Function` also a list,
///   [`ArgList`](crate::ArgList).
/// - options, which are the methods of [`Launch`](crate::Launch): `stream = &stream` (the default is the context's
///   default stream), `shared = bytes` or `shared_mem_bytes = bytes` of dynamic shared memory, `form = Form::Packed`;
///   and launch attributes:
///
/// | launch attribute | example |
/// |---|---|
/// | clusters | `cluster = (2, 1, 1)`, `preferred_cluster`, `cluster_scheduling_policy`, `portable_cluster_size_mode` |
/// | order and overlap | `cooperative = true`, `priority = -1`, `programmatic_stream_serialization = true` |
/// | events | `programmatic_event = &event`, `launch_completion_event = &event` |
/// | memory | `memory_sync_domain`, `memory_sync_domain_map`, `access_policy_window`, `preferred_shared_memory_carveout = percent`, `shared_memory_mode` |
/// | hardware | `nvlink_util_centric_scheduling = true` |
/// | graphs | `device_updatable_node = &node` |
///
/// # What is verified
///
/// | `func` | against | when |
/// |---|---|---|
/// | `Kernel` | the image and the driver | when it is created |
/// | `Function` | the image and the driver | at its first launch with a struct or with a list of types |
/// | `CudaFunction`, `CUfunction` | the driver, 12.4 and newer: sizes and offsets | at a thread's first launch of the handle with a struct |
///
/// A `CudaFunction` or `CUfunction` is a handle: an address that the driver can reuse for a different kernel after the
/// module is unloaded. Each thread stores up to 128 verified pairs of a handle and a struct. Every further launch
/// queries only the *last* parameter, and verifies the handle again if it differs; this takes 15 to 23 ns for any
/// number of parameters (H200, driver 580). A reused handle is not detected if the parameter at this index has the same
/// size and offset while earlier parameters differ or further parameters follow, or if the struct has no fields. The
/// kernel then reads wrong values, as it would without this crate. A `Kernel` and a `Function` keep their module
/// loaded.
///
/// With `node` after the arguments, the launch is captured into a graph, and the result is its
/// [`Node`](crate::graph::Node): `launch!(kernel, grid, block, args, node, stream = &stream)`, same as
/// [`Kernel::capture`](crate::Kernel::capture). The stream must be capturing, and the arguments must own the memory
/// that they point to.
///
/// Contracts of the struct, such as `#[kernel_args(len = "n")]`, are checked first: see
/// [`derive@KernelArgs`](derive@crate::KernelArgs#contracts). With `stream = required`, a launch without `stream = …`
/// is an error when the program is built; `cargo check` does not evaluate it.
///
/// Otherwise it is an expression of type `Result<(), kernel_args::Error>`. It evaluates each argument once, and must be
/// in an `unsafe` block: [`launch()`](crate::launch()) documents what the caller promises.
///
/// ```no_run
/// use kernel_args::{Kernel, KernelArgs, launch};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ctx = kernel_args::context(0)?;
/// # let stream = ctx.default_stream();
/// # let PTX = "";
/// #[derive(KernelArgs)]
/// struct Fill { value: f32, n: u32 }
///
/// let fill = Kernel::<Fill>::from_image(&ctx, PTX, "fill")?;
/// unsafe { launch!(fill, 4, 256, Fill { value: 1.0, n: 1024 }, stream = &stream, shared = 1024)? };
/// # Ok(())
/// # }
/// ```
///
/// # Launchers
///
/// A launcher is a function of the host that launches kernels, such as an `extern "C"` function of a `.cu` file. It has
/// no grid and no block: `launch!(ffi::run, args, stream = &stream)` calls `ffi::run` with the fields of a struct with
/// `#[kernel_args(launcher = ffi::run)]` and the stream. Before the call, the launch checks contracts and contexts,
/// makes the stream's context current, and waits for other streams that use the slices; afterwards it records their
/// use. A returned status that is not 0 is [`LaunchError::Launcher`](crate::error::LaunchError::Launcher). For a
/// function that takes no stream, the option is `default_stream = true`: it works on the default stream of the context
/// of its arguments.
#[macro_export]
macro_rules! launch {
    // CUDA C++'s `func<<<grid, block>>>(args)`, which is no expression of Rust.
    ($func:ident <<< $($rest:tt)*) => {
        $crate::__launch_usage!(@other)
    };
    ($func:expr, grid = $grid:expr, block = $block:expr, $($rest:tt)+) => {
        $crate::launch!($func, $grid, $block, $($rest)+)
    };
    ($func:expr, block = $block:expr, grid = $grid:expr, $($rest:tt)+) => {
        $crate::launch!($func, $grid, $block, $($rest)+)
    };
    ($func:expr, $args:expr, grid = $grid:expr, block = $block:expr $(, $($rest:tt)*)?) => {
        $crate::launch!($func, $grid, $block, $args $(, $($rest)*)?)
    };
    ($func:expr, $args:expr, block = $block:expr, grid = $grid:expr $(, $($rest:tt)*)?) => {
        $crate::launch!($func, $grid, $block, $args $(, $($rest)*)?)
    };
    ($func:expr, grid = $grid:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@half grid block)
    };
    ($func:expr, block = $block:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@half block grid)
    };
    ($func:expr, $args:expr, grid = $grid:expr $(, $($rest:tt)*)?) => {
        $crate::__launch_usage!(@half grid block)
    };
    ($func:expr, $args:expr, block = $block:expr $(, $($rest:tt)*)?) => {
        $crate::__launch_usage!(@half block grid)
    };
    // A launcher, which has no grid and no block.
    ($func:expr, $args:expr, stream = $stream:expr $(,)?) => {
        $crate::__call_launcher!($func, true, false, $crate::__private::stream_target($stream), $args)
    };
    ($func:expr, $args:expr, default_stream = true $(,)?) => {
        $crate::__call_launcher!($func, false, true, $crate::__private::Option::None, $args)
    };
    ($func:expr, $args:expr $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::__launcher_options!([$($option)*] $func, $args)
    };
    ($func:expr, $config:expr, $args:expr $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::__launch_options! { [$($option)*]
            $crate::launch(&$func, $crate::__launch_stream!([$($option)*] $crate::args::IntoLaunch::into_launch($config)$(.$option($value))*), $args)
        }
    };
    ($func:expr, $grid:expr, $block:expr, $args:expr $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::__launch_options! { [$($option)*]
            $crate::launch(&$func, $crate::__launch_stream!([$($option)*] $crate::Launch::new($grid, $block)$(.$option($value))*), $args)
        }
    };
    ($func:expr, $grid:expr, $block:expr, $args:expr, node $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::__launch_options! { [$($option)*]
            $crate::__capture!(&$func, $crate::Launch::new($grid, $block)$(.$option($value))*, $args)
        }
    };
    ($($other:tt)*) => {
        $crate::__launch_usage!($($other)*)
    };
}

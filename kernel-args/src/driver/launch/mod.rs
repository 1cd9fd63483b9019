//! `launch!`.

mod call;
mod explain;
mod launchable;
mod raw;
mod resources;

pub(crate) use call::LaunchCall;
pub(crate) use explain::{foreign_in, foreign_stream};
pub use launchable::{LaunchArgs, Launchable};

use crate::driver::{api::Promise, config::Launch, error::Error};

/// Launches a kernel. [`launch!`](crate::launch!) expands to a call of this.
///
/// # Errors
/// Where the launch exceeds a limit, an argument belongs to another context, the struct does not fit a function that
/// was not verified before, or the driver returns an error: see [`Error`].
///
/// # Safety
/// The kernel takes these arguments, as far as [`launch!`](crate::launch!) says that it does not verify this. Pointers among the
/// arguments are valid for every access of the kernel until it has finished, and no such access
/// races with another use of the same memory.
/// On a stream that is being captured, this holds for each launch of the graph
/// that the capture becomes, and the kernel stays loaded for them.
#[inline(always)]
pub unsafe fn launch<A: LaunchArgs>(
    target: &(impl Launchable<A> + ?Sized),
    launch: Launch<'_>,
    args: A,
) -> Result<(), Error> {
    // SAFETY: the caller promises it, and this is the one launch that takes the promise.
    let promise = unsafe { Promise::new() };
    target.launch(launch, args, promise)
}

/// Launches a kernel: `launch!(func, grid, block, args)` or `launch!(func, config, args)`, and named options after them.
///
/// - `func`: a verified [`Kernel`](crate::Kernel), a [`Function`](crate::Function), a cudarc `CudaFunction`, or a raw `CUfunction`;
///   see below for what is verified when.
/// - `grid`, `block`: the number of blocks and of threads per block, cudarc's `grid_dim` and `block_dim`: a `u32`,
///   `(u32, u32)`, `(u32, u32, u32)`, an array of these, or a [`Dim3`](crate::vector::Dim3).
/// - `config`: cudarc's `LaunchConfig`, which has the grid, the block and the dynamic shared memory; its options follow as well.
/// - `args`: a struct with `#[derive(KernelArgs)]`, or `&mut` of one; for a `Function` also a list, [`ArgList`](crate::ArgList).
/// - options, which are the methods of [`Launch`](crate::Launch): `stream = &stream` (the default is the context's default
///   stream), `shared = bytes` or `shared_mem_bytes = bytes` of dynamic shared memory, `form = Form::Packed`; and the launch
///   attributes: `cluster = (2, 1, 1)`, `preferred_cluster`, `cluster_scheduling_policy`, `cooperative = true`,
///   `priority = -1`, `programmatic_stream_serialization = true`, `programmatic_event = &event`,
///   `launch_completion_event = &event`, `memory_sync_domain`, `memory_sync_domain_map`, `access_policy_window`,
///   `preferred_shared_memory_carveout = percent`, `nvlink_util_centric_scheduling = true`, `device_updatable_node = &node`.
///
/// # What is verified
///
/// | `func` | against | when |
/// |---|---|---|
/// | `Kernel` | the image and the driver | when it is made |
/// | `Function` | the image and the driver | at its first launch with a struct or with a list of types |
/// | `CudaFunction`, `CUfunction` | the driver, 12.4 and newer: sizes and offsets | at a thread's first launch of the handle with a struct |
///
/// A `CudaFunction` and a `CUfunction` are an address in the driver, a handle. A thread remembers up to 128 pairs of a handle and a
/// struct that it has verified, and at every further launch asks the driver about the *last* parameter alone, so that a handle which the
/// driver has since given to another kernel is found, and verified again; that takes 15 to 23 ns at any number of parameters (H200,
/// driver 580). If the module of a handle was unloaded and its address was given
/// to another kernel, this misses a kernel whose parameter at the last index has the same size and offset while earlier ones differ,
/// or more follow; and for a struct without fields, every kernel. Then the kernel reads wrong values, as it would without this crate. A
/// `Kernel` and a `Function` cannot be mistaken so: they keep their module loaded.
///
/// With `node` after the arguments, the launch is captured into a graph, and the result is its
/// [`Node`](crate::graph::Node): `launch!(kernel, grid, block, args, node, stream = &stream)`, as
/// [`Kernel::capture`](crate::Kernel::capture). The stream is capturing, and the arguments own what they point at.
///
/// Otherwise it is an expression of type `Result<(), kernel_args::Error>`. It evaluates each argument once, and must stand in an
/// `unsafe` block: [`launch()`](crate::launch()) says what the caller promises.
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
#[macro_export]
macro_rules! launch {
    ($func:expr, $config:expr, $args:expr $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::launch(&$func, $crate::args::IntoLaunch::into_launch($config)$(.$option($value))*, $args)
    };
    ($func:expr, $grid:expr, $block:expr, $args:expr $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::launch(&$func, $crate::Launch::new($grid, $block)$(.$option($value))*, $args)
    };
    ($func:expr, $grid:expr, $block:expr, $args:expr, node $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::Kernel::capture(&$func, $crate::Launch::new($grid, $block)$(.$option($value))*, $args)
    };
    ($($other:tt)*) => {
        $crate::__launch_usage!($($other)*)
    };
}

/// The error of a `launch!` that is not written as it takes its arguments.
#[doc(hidden)]
#[macro_export]
macro_rules! __launch_usage {
    (@before $option:ident $value:expr) => {
        ::core::compile_error!(::core::concat!(
            "the option `",
            ::core::stringify!($option),
            "` stands before the arguments\n\
             help: write options last: `launch!(func, grid, block, args, ",
            ::core::stringify!($option),
            " = ",
            ::core::stringify!($value),
            ")`"
        ))
    };
    ($func:expr $(, $one:expr)? $(,)?) => {
        ::core::compile_error!(
            "`launch!` needs a grid, a block and arguments\n\
             help: write `launch!(func, grid, block, args)`, or `launch!(func, config, args)` with a cudarc `LaunchConfig`"
        )
    };
    ($func:expr, $option:ident = $value:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@before $option $value)
    };
    ($func:expr, $a:expr, $option:ident = $value:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@before $option $value)
    };
    ($func:expr, $a:expr, $b:expr, $option:ident = $value:expr, $($rest:tt)+) => {
        $crate::__launch_usage!(@before $option $value)
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "`launch!` takes a function, a grid, a block and arguments, then options by name\n\
             help: write `launch!(func, grid, block, args)`, or `launch!(func, config, args)` with a cudarc `LaunchConfig`, and \
             options last: `stream = &stream`"
        )
    };
}

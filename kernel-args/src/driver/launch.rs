//! `launch!`.

use super::{config::Launch, error::Error, launchable::Launchable};
use crate::marshal::KernelArgs;

/// Launches a kernel. [`launch!`](crate::launch!) expands to a call of this.
///
/// # Errors
/// Where the launch exceeds a limit, an argument belongs to another context, the struct does not fit a function that
/// was not verified before, or the driver returns an error: see [`Error`].
///
/// # Safety
/// Pointers among the arguments are valid for every access of the kernel until it has finished, and no such access
/// races with another use of the same memory. On a stream that is being captured, this holds for each launch of the graph
/// that the capture becomes, and the kernel stays loaded for them.
#[inline(always)]
pub unsafe fn launch<A: KernelArgs>(
    target: &(impl Launchable<A> + ?Sized),
    launch: Launch<'_>,
    args: A,
) -> Result<(), Error> {
    // SAFETY: the caller's promise is the same one.
    unsafe { target.launch(launch, args) }
}

/// Launches a kernel: `launch!(func, grid, block, args)`, and named options after them.
///
/// - `func`: a verified [`Kernel`](crate::Kernel), a cudarc `CudaFunction`, or a raw `CUfunction`. A `Kernel` is
///   verified once; the others are verified at every launch.
/// - `grid`, `block`: the number of blocks and of threads per block, cudarc's `grid_dim` and `block_dim`: a `u32`,
///   `(u32, u32)`, `(u32, u32, u32)`, an array of these, or a [`Dim3`](crate::Dim3).
/// - `args`: a struct with `#[derive(KernelArgs)]`, or `&mut` of one.
/// - options, which are the methods of [`Launch`](crate::Launch): `stream = &stream` (the default is the context's default
///   stream), `shared = bytes` or `shared_mem_bytes = bytes` of dynamic shared memory, `form = Form::Packed`.
///
/// With `node` after the arguments, the launch is captured into a graph, and the result is its
/// [`Node`](crate::Node): `launch!(kernel, grid, block, args, node, stream = &stream)`, as
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
    ($func:expr, $grid:expr, $block:expr, $args:expr $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::launch(&$func, $crate::Launch::new($grid, $block)$(.$option($value))*, $args)
    };
    ($func:expr, $grid:expr, $block:expr, $args:expr, node $(, $option:ident = $value:expr)* $(,)?) => {
        $crate::Kernel::capture(&$func, $crate::Launch::new($grid, $block)$(.$option($value))*, $args)
    };
}

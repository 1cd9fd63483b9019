//! `launch!` and its options.

use super::{
    api::{self, Api},
    error::Error,
    explain,
    geometry::{Dim, IntoDim},
    launchable::Launchable,
    status::Status,
};
use crate::marshal::{Arguments, KernelArgs, LaunchStream, marshal_packed, marshal_params};
use core::{ffi::c_void, ptr};
use cudarc::driver::{
    CudaStream,
    sys::{CUfunction, CUstream},
};
use std::string::String;

/// Grid, block and options of one launch.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Launch<'a> {
    pub(super) grid: Dim,
    pub(super) block: Dim,
    pub(super) shared: u32,
    pub(super) stream: Option<&'a CudaStream>,
    pub(super) form: Option<Form>,
}

/// The form in which a launch hands its parameters over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `kernelParams`: a pointer to each parameter.
    KernelParams,
    /// `CU_LAUNCH_PARAM_BUFFER_POINTER`: one buffer.
    Packed,
}

/// From how many parameters on the packed form is the quicker one: alike at 8, 3 % at 32, 30 % at 512 (H100, `benches/`).
const PACKED_FROM: usize = 24;

impl Form {
    /// The form that a launch of `A` takes where it names none. A struct with an alignment above 16 bytes,
    /// whose packed offsets depend on the GPU, always takes `kernelParams`.
    #[must_use]
    pub const fn of<A: KernelArgs>() -> Self {
        if A::PARAMETERS.len() >= PACKED_FROM && !A::LAYOUT.depends_on_gpu() {
            Self::Packed
        } else {
            Self::KernelParams
        }
    }
}

impl<'a> Launch<'a> {
    /// A launch of `grid` blocks of `block` threads on the default stream.
    #[inline(always)]
    pub fn new(grid: impl IntoDim, block: impl IntoDim) -> Self {
        Self {
            grid: grid.into_dim(),
            block: block.into_dim(),
            shared: 0,
            stream: None,
            form: None,
        }
    }

    /// The stream to launch on.
    #[inline(always)]
    pub fn stream(mut self, stream: &'a CudaStream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Dynamic shared memory per block, in bytes. Above 48 KiB the kernel is opted in by itself.
    #[inline(always)]
    pub fn shared(mut self, bytes: u32) -> Self {
        self.shared = bytes;
        self
    }

    /// The form to hand the parameters over in; the default is the quicker one. A struct with an alignment
    /// above 16 bytes is handed over as `kernelParams` all the same.
    #[inline(always)]
    pub fn form(mut self, form: Form) -> Self {
        self.form = Some(form);
        self
    }
}

/// Launches a kernel. What [`launch!`](crate::launch!) expands to.
///
/// # Errors
/// Where a limit forbids the launch, an argument belongs to another context, the struct does not fit a
/// function that was not verified before, or the driver refuses: see [`Error`].
///
/// # Safety
/// The kernel may do anything that its arguments allow it to: pointers must be valid for what the kernel does
/// with them until it has run, and it must not race with other users of the same memory.
#[inline(always)]
pub unsafe fn launch<A: KernelArgs>(
    target: &(impl Launchable<A> + ?Sized),
    launch: Launch<'_>,
    args: A,
) -> Result<(), Error> {
    // SAFETY: the caller's promise is the same one.
    unsafe { target.launch(launch, args) }
}

/// A launch that is about to be enqueued: what the driver needs beside the parameters, and what a message
/// about it says.
pub(super) struct Enqueue<'a, N> {
    pub(super) api: &'static Api,
    pub(super) function: CUfunction,
    pub(super) stream: CUstream,
    pub(super) launch: &'a Launch<'a>,
    pub(super) launch_stream: &'a LaunchStream<'a>,
    /// The kernel's name, for messages only.
    pub(super) name: N,
}

impl<N: Fn() -> String> Enqueue<'_, N> {
    /// Marshals `args` and calls `cuLaunchKernel`.
    ///
    /// # Safety
    /// As [`launch`](self::launch); and the kernel takes what `A` describes.
    #[inline(always)]
    pub(super) unsafe fn with<A: KernelArgs>(self, args: &mut A) -> Result<(), Error> {
        let form = self.launch.form.unwrap_or(const { Form::of::<A>() });
        if form == Form::KernelParams || A::LAYOUT.depends_on_gpu() {
            marshal_params(args, self.launch_stream, |params| {
                // SAFETY: one pointer for each parameter; the caller vouches for the rest.
                unsafe {
                    self.call::<A>(params, ptr::null_mut(), || Arguments::params::<A>(params))
                }
            })
        } else {
            marshal_packed(args, self.launch_stream, |image| {
                let mut size = A::LAYOUT.size();
                let mut extra: [*mut c_void; 5] = [
                    api::CU_LAUNCH_PARAM_BUFFER_POINTER,
                    image.cast_mut().cast(),
                    api::CU_LAUNCH_PARAM_BUFFER_SIZE,
                    (&raw mut size).cast(),
                    api::CU_LAUNCH_PARAM_END,
                ];
                // SAFETY: the packed image and its unpadded size; the caller vouches for the rest.
                unsafe {
                    self.call::<A>(ptr::null_mut(), extra.as_mut_ptr(), || {
                        Arguments::packed::<A>(image)
                    })
                }
            })
        }
    }

    /// # Safety
    /// `params` or `extra` holds the parameters of `A`; the kernel takes them.
    #[inline(always)]
    unsafe fn call<'p, A: KernelArgs>(
        &self,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
        arguments: impl FnOnce() -> Arguments<'p>,
    ) -> Result<(), Error> {
        if let Some(field) = self.launch_stream.foreign() {
            return Err(explain::foreign::<A>((self.name)(), field));
        }
        self.launch_stream.check()?;
        let Launch {
            grid,
            block,
            shared,
            ..
        } = *self.launch;
        // SAFETY: the caller vouches for the parameters, which the driver copies before it returns.
        let status = unsafe {
            (self.api.cuLaunchKernel)(
                self.function,
                grid.x,
                grid.y,
                grid.z,
                block.x,
                block.y,
                block.z,
                shared,
                self.stream,
                params,
                extra,
            )
        };
        if status == Status::SUCCESS {
            Ok(())
        } else {
            Err(explain::launch(
                (self.name)(),
                status,
                self.launch,
                &arguments(),
            ))
        }
    }
}

/// Launches a kernel: `launch!(func, grid, block, args)`, and named options after them.
///
/// - `func`: a verified [`Kernel`](crate::Kernel), a cudarc `CudaFunction`, or a raw `CUfunction`. Only a
///   `Kernel` is verified once; the others are verified at every launch.
/// - `grid`, `block`: `u32`, `(u32, u32)`, `(u32, u32, u32)`, arrays of them, or [`Dim`](crate::Dim).
/// - `args`: a struct with `#[derive(KernelArgs)]`, or `&mut` of one.
/// - options: `stream = &stream` (the default is the context's default stream), `shared = bytes` of dynamic
///   shared memory, `form = Form::Packed`: the methods of [`Launch`](crate::Launch).
///
/// It is an expression of type `Result<(), kernel_args::Error>`, evaluates each argument once, and must stand in an
/// `unsafe` block: see [`launch()`](crate::launch()) for what the caller promises.
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
}

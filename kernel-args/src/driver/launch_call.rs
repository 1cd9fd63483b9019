//! One call of `cuLaunchKernelEx`.

use super::{
    api::{self, Api, Status},
    attributes::{self, AttributeLimits, Request},
    config::{Form, Launch},
    error::Error,
    explain,
    launch_config::LaunchConfig,
};
use crate::marshal::{DecodedArguments, KernelArgs, LaunchStream, marshal_packed, marshal_params};
use core::{ffi::c_void, ptr};
use cudarc::driver::{
    DriverError,
    sys::{CUfunction, CUstream},
};
use std::string::String;

/// What `cuLaunchKernelEx` takes beside the parameters, and what an error of it shows.
pub(super) struct LaunchCall<'a, N> {
    pub(super) api: &'static Api,
    pub(super) function: CUfunction,
    pub(super) stream: CUstream,
    pub(super) launch: &'a Launch<'a>,
    pub(super) launch_stream: &'a LaunchStream<'a>,
    /// What limits the launch attributes; `None` where the driver is still to be asked.
    pub(super) attribute_limits: Option<&'a AttributeLimits>,
    /// The kernel's name, for errors only.
    pub(super) name: N,
}

impl<N: Fn() -> String> LaunchCall<'_, N> {
    /// Checks the attributes, lowers `args`, calls the driver, and returns what recording the use of the arguments returned.
    ///
    /// # Safety
    /// As [`launch`](super::launch()); and the kernel takes what `A` describes.
    #[inline(always)]
    pub(super) unsafe fn with<A: KernelArgs>(self, args: &mut A) -> Result<(), Error> {
        if self.launch.attributes.is_some() {
            // SAFETY: the caller's promise is the same one.
            unsafe { self.check_attributes() }?;
        }
        // SAFETY: the caller's promise is the same one.
        match unsafe { self.lower(args) } {
            // The guards of the arguments are dropped. An error of theirs would otherwise be the next launch's.
            Ok(()) => match self.launch_stream.check() {
                Ok(()) => Ok(()),
                Err(error) => Err(explain::unrecorded((self.name)(), error)),
            },
            Err(error) => {
                let _ = self.launch_stream.check();
                Err(error)
            }
        }
    }

    /// # Safety
    /// As [`with`](Self::with).
    #[cold]
    unsafe fn check_attributes(&self) -> Result<(), Error> {
        let Some(attributes) = &self.launch.attributes else {
            return Ok(());
        };
        let asked;
        let limits = match self.attribute_limits {
            Some(limits) => limits,
            None => {
                // SAFETY: the caller vouches that the function is loaded, and its context is current.
                asked = unsafe { AttributeLimits::of_raw(self.function) }?;
                &asked
            }
        };
        let request = Request {
            api: self.api,
            function: self.function,
            config: self.config(),
            attributes,
            limits,
            name: &self.name,
        };
        // SAFETY: as above; the stream is one of that context.
        unsafe { attributes::check(&request) }
    }

    /// The configuration without attributes.
    #[inline(always)]
    fn config(&self) -> LaunchConfig {
        let Launch {
            grid,
            block,
            shared,
            ..
        } = *self.launch;
        LaunchConfig::new(
            [grid.x, grid.y, grid.z],
            [block.x, block.y, block.z],
            shared,
            self.stream,
        )
    }

    /// # Safety
    /// As [`with`](Self::with).
    #[inline(always)]
    unsafe fn lower<A: KernelArgs>(&self, args: &mut A) -> Result<(), Error> {
        let form = self.launch.form.unwrap_or(const { Form::of::<A>() });
        with_lowered(args, self.launch_stream, form, |lowered| {
            // SAFETY: the parameters are those of `A`; the caller vouches for the rest.
            unsafe { self.call::<A>(&lowered) }
        })
    }

    /// # Safety
    /// `lowered` holds the parameters of `A`; the kernel takes them.
    #[inline(always)]
    unsafe fn call<A: KernelArgs>(&self, lowered: &Lowered) -> Result<(), Error> {
        // An argument that did not declare its context before it was lowered.
        if let Some(field) = self.launch_stream.foreign() {
            return Err(explain::foreign::<A>((self.name)(), field));
        }
        self.launch_stream.check().map_err(failed_wait)?;
        let (params, extra) = (lowered.params, lowered.extra);
        let config = self.config();
        let status = match &self.launch.attributes {
            None => {
                // SAFETY: the caller vouches for the parameters, which the driver copies before it returns.
                unsafe { (self.api.launch_kernel)(&raw const config, self.function, params, extra) }
            }
            Some(attributes) => {
                // SAFETY: as above; what the attributes borrow is alive.
                unsafe {
                    attributes::launch(self.api, attributes, config, self.function, params, extra)
                }
            }
        };
        if status == Status::SUCCESS {
            Ok(())
        } else {
            // SAFETY: the caller vouches that they are those of `A`.
            let arguments = unsafe { lowered.decoded::<A>() };
            Err(explain::launch(
                (self.name)(),
                status,
                config,
                self.launch.attributes.as_ref(),
                &arguments,
            ))
        }
    }
}

/// Parameters as the driver takes them, with one of both null.
pub(super) struct Lowered {
    /// `kernelParams`.
    pub(super) params: *mut *mut c_void,
    /// `extra`.
    pub(super) extra: *mut *mut c_void,
    /// The packed parameters that `extra` names; null where `params` is not.
    packed: *const u8,
}

impl Lowered {
    /// The arguments as text.
    ///
    /// # Safety
    /// They are those of `A`, and are not used after the closure that was given this has returned.
    #[inline(always)]
    unsafe fn decoded<'p, A: KernelArgs>(&self) -> DecodedArguments<'p> {
        if self.packed.is_null() {
            // SAFETY: there is a pointer to each parameter; the caller vouches for the rest.
            unsafe { DecodedArguments::params::<A>(self.params) }
        } else {
            // SAFETY: it is the packed form of `A`; the caller vouches for the rest.
            unsafe { DecodedArguments::packed::<A>(self.packed) }
        }
    }
}

/// Lowers `args` in `form`, or as `kernelParams` where the packed form depends on the GPU, and calls `call` with what the
/// driver takes. It is valid until `call` returns.
#[inline(always)]
pub(super) fn with_lowered<A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    form: Form,
    call: impl FnOnce(Lowered) -> R,
) -> R {
    if form == Form::KernelParams || A::LAYOUT.depends_on_gpu() {
        marshal_params(args, stream, |params| {
            call(Lowered {
                params,
                extra: ptr::null_mut(),
                packed: ptr::null(),
            })
        })
    } else {
        marshal_packed(args, stream, |packed| {
            let mut size = A::LAYOUT.size();
            let mut extra: [*mut c_void; 5] = [
                api::CU_LAUNCH_PARAM_BUFFER_POINTER,
                packed.cast_mut().cast(),
                api::CU_LAUNCH_PARAM_BUFFER_SIZE,
                (&raw mut size).cast(),
                api::CU_LAUNCH_PARAM_END,
            ];
            call(Lowered {
                params: ptr::null_mut(),
                extra: extra.as_mut_ptr(),
                packed,
            })
        })
    }
}

#[cold]
fn failed_wait(error: DriverError) -> Error {
    Error::cudarc(
        "cuCtxGetCurrent, cuCtxSetCurrent or cuStreamWaitEvent, or an earlier call in this context,",
        error,
    )
}

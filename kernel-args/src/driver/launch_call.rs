//! One call of `cuLaunchKernel`.

use super::{
    api::{self, Api, Status},
    config::{Form, Launch},
    error::Error,
    explain,
};
use crate::marshal::{
    Arguments, DecodedArguments, KernelArgs, LaunchStream, marshal_packed, marshal_params,
};
use core::{ffi::c_void, ptr};
use cudarc::driver::{
    DriverError,
    sys::{CUfunction, CUstream},
};
use std::string::{String, ToString};

/// What `cuLaunchKernel` takes beside the parameters, and what an error of it shows.
pub(super) struct LaunchCall<'a, N> {
    pub(super) api: &'static Api,
    pub(super) function: CUfunction,
    pub(super) stream: CUstream,
    pub(super) launch: &'a Launch<'a>,
    pub(super) launch_stream: &'a LaunchStream<'a>,
    /// The kernel's name, for errors only.
    pub(super) name: N,
}

impl<N: Fn() -> String> LaunchCall<'_, N> {
    /// Lowers `args`, calls `cuLaunchKernel`, and returns what recording the use of the arguments returned.
    ///
    /// # Safety
    /// As [`launch`](super::launch()); and the kernel takes what `A` describes.
    #[inline(always)]
    pub(super) unsafe fn with<A: KernelArgs>(self, args: &mut A) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same one.
        let launched = unsafe { self.lower(args) };
        self.finish(launched)
    }

    /// What a launch comes to, once its arguments' guards are dropped.
    #[inline(always)]
    pub(super) fn finish(&self, launched: Result<(), Error>) -> Result<(), Error> {
        match launched {
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
    #[inline(always)]
    unsafe fn lower<A: KernelArgs>(&self, args: &mut A) -> Result<(), Error> {
        let form = self.launch.form.unwrap_or(const { Form::of::<A>() });
        if form == Form::KernelParams || A::LAYOUT.depends_on_gpu() {
            marshal_params(args, self.launch_stream, |params| {
                // SAFETY: `marshal_params` has filled one pointer for each parameter, valid until this closure returns.
                let arguments = || unsafe { DecodedArguments::params::<A>(params) }.to_string();
                // SAFETY: as above; the caller vouches for the rest.
                unsafe { self.call_params(params, explain::foreign::<A>, arguments) }
            })
        } else {
            marshal_packed(args, self.launch_stream, |buffer| {
                // SAFETY: `marshal_packed` has filled the buffer, which is valid until this closure returns.
                let arguments = || unsafe { DecodedArguments::packed::<A>(buffer) }.to_string();
                let size = A::LAYOUT.size();
                // SAFETY: the packed buffer and its unpadded size; the caller vouches for the rest.
                unsafe { self.call_packed(buffer, size, explain::foreign::<A>, arguments) }
            })
        }
    }

    /// As [`with`](Self::with), for a list.
    ///
    /// # Safety
    /// As [`launch`](super::launch()); and the kernel takes arguments of these types.
    pub(super) unsafe fn with_list(self, args: &mut Arguments<'_>) -> Result<(), Error> {
        let layout = args.types().layout();
        let form = self.launch.form.unwrap_or(Form::of_count(args.len()));
        let launched = if form == Form::KernelParams || layout.depends_on_gpu() {
            args.marshal_params(self.launch_stream, |types, params| {
                let arguments = || {
                    types.with_parameters(|parameters| {
                        // SAFETY: `marshal_params` has filled one pointer for each parameter, valid until this closure returns.
                        unsafe { DecodedArguments::params_list(parameters, params) }.to_string()
                    })
                };
                // SAFETY: as above; the caller vouches for the rest.
                unsafe { self.call_params(params, explain::foreign_argument, arguments) }
            })
        } else {
            args.marshal_packed(self.launch_stream, |types, buffer| {
                let arguments = || {
                    types.with_parameters(|parameters| {
                        // SAFETY: `marshal_packed` has filled the buffer, which is valid until this closure returns.
                        unsafe { DecodedArguments::packed_list(parameters, buffer) }.to_string()
                    })
                };
                let (size, foreign) = (layout.size(), explain::foreign_argument);
                // SAFETY: the packed buffer and its unpadded size; the caller vouches for the rest.
                unsafe { self.call_packed(buffer, size, foreign, arguments) }
            })
        };
        self.finish(launched)
    }

    /// # Safety
    /// `params` has a pointer to each parameter of the kernel.
    #[inline(always)]
    pub(super) unsafe fn call_params(
        &self,
        params: *mut *mut c_void,
        foreign: fn(String, usize) -> Error,
        arguments: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same one.
        unsafe { self.call(params, ptr::null_mut(), foreign, arguments) }
    }

    /// # Safety
    /// `buffer` is the packed form of the kernel's parameters, `size` bytes long.
    #[inline(always)]
    pub(super) unsafe fn call_packed(
        &self,
        buffer: *const u8,
        mut size: usize,
        foreign: fn(String, usize) -> Error,
        arguments: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        let mut extra: [*mut c_void; 5] = [
            api::CU_LAUNCH_PARAM_BUFFER_POINTER,
            buffer.cast_mut().cast(),
            api::CU_LAUNCH_PARAM_BUFFER_SIZE,
            (&raw mut size).cast(),
            api::CU_LAUNCH_PARAM_END,
        ];
        // SAFETY: the caller vouches for the buffer.
        unsafe { self.call(ptr::null_mut(), extra.as_mut_ptr(), foreign, arguments) }
    }

    /// `foreign` makes the error of an argument of another context, by its index, and `arguments` the text of all arguments.
    ///
    /// # Safety
    /// `params` or `extra` holds the parameters of the kernel.
    #[inline(always)]
    unsafe fn call(
        &self,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
        foreign: fn(String, usize) -> Error,
        arguments: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        // An argument that did not declare its context before it was lowered.
        if let Some(field) = self.launch_stream.foreign() {
            return Err(foreign((self.name)(), field));
        }
        self.launch_stream.check().map_err(failed_wait)?;
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
                arguments(),
            ))
        }
    }
}

#[cold]
fn failed_wait(error: DriverError) -> Error {
    Error::cudarc(
        "cuCtxGetCurrent, cuCtxSetCurrent or cuStreamWaitEvent, or an earlier call in this context,",
        error,
    )
}

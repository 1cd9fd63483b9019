//! One call of `cuLaunchKernelEx`.

use super::explain;
use crate::{
    driver::{
        api::{self, Api, LaunchConfig, Status},
        attributes::{self, AttributeLimits, Request},
        config::{Attributes, Form, Launch},
        error::Error,
    },
    marshal::{DecodedArgs, Foreign, KernelArgs, LaunchStream, marshal_packed, marshal_params},
};
use core::{ffi::c_void, ptr};
use cudarc::driver::sys::{CUfunction, CUstream};
use std::string::{String, ToString};

/// What `cuLaunchKernelEx` takes beside the parameters, and what an error of it shows.
pub(crate) struct LaunchCall<'a, N> {
    pub(crate) api: &'static Api,
    pub(crate) function: CUfunction,
    pub(crate) stream: CUstream,
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) launch_stream: &'a LaunchStream<'a>,
    /// What limits the launch attributes; `None` where the driver is still to be asked.
    pub(crate) attribute_limits: Option<&'a AttributeLimits>,
    /// The kernel's name, for errors only.
    pub(crate) name: N,
}

impl<N: Fn() -> String + Copy> LaunchCall<'_, N> {
    /// Checks the attributes, lowers `args`, calls the driver, and returns what recording the use of the arguments returned.
    ///
    /// # Safety
    /// As [`launch`](super::launch()); and the kernel takes what `A` describes.
    #[inline(always)]
    pub(crate) unsafe fn with<A: KernelArgs>(self, args: &mut A) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same one.
        unsafe { self.check_attributes() }?;
        // SAFETY: the caller's promise is the same one.
        let launched = unsafe { self.lower(args) };
        self.finish(launched)
    }

    /// # Safety
    /// The function is loaded, its context is current, and the stream is one of it.
    #[inline(always)]
    pub(super) unsafe fn check_attributes(&self) -> Result<(), Error> {
        // Copies go to the functions that are not inlined here and below: a reference would keep all of `Launch` in memory,
        // and its attributes from being known as absent.
        if let Some(attributes) = self.launch.attributes {
            let (api, function, config) = (self.api, self.function, self.config());
            // SAFETY: the caller's promise is the same one.
            unsafe {
                check_attributes(
                    api,
                    function,
                    config,
                    attributes,
                    self.attribute_limits,
                    self.name,
                )
            }?;
        }
        Ok(())
    }

    /// What a launch comes to, once its arguments' guards are dropped.
    #[inline(always)]
    pub(crate) fn finish(&self, launched: Result<(), Error>) -> Result<(), Error> {
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

    /// The form that the launch names, else `usual`.
    #[inline(always)]
    pub(super) fn form(&self, usual: Form) -> Form {
        // Driver 580 returns `CUDA_ERROR_INVALID_VALUE` for a cooperative launch in the packed form on a capturing stream.
        let is_cooperative = match self.launch.attributes {
            Some(attributes) => attributes.cooperative,
            None => false,
        };
        let usual = if is_cooperative {
            Form::KernelParams
        } else {
            usual
        };
        self.launch.form.unwrap_or(usual)
    }

    /// # Safety
    /// As [`with`](Self::with).
    #[inline(always)]
    unsafe fn lower<A: KernelArgs>(&self, args: &mut A) -> Result<(), Error> {
        let form = self.form(const { Form::of::<A>() });
        if form == Form::KernelParams || A::LAYOUT.depends_on_gpu() {
            marshal_params(args, self.launch_stream, |params| {
                // SAFETY: `marshal_params` has filled one pointer for each parameter, valid until this closure returns.
                let arguments = || unsafe { DecodedArgs::params::<A>(params) }.to_string();
                // SAFETY: as above; the caller vouches for the rest.
                unsafe { self.call_params(params, explain::foreign::<A>, arguments) }
            })
        } else {
            marshal_packed(args, self.launch_stream, |buffer| {
                // SAFETY: `marshal_packed` has filled the buffer, which is valid until this closure returns.
                let arguments = || unsafe { DecodedArgs::packed::<A>(buffer) }.to_string();
                let size = A::LAYOUT.size();
                // SAFETY: the packed buffer and its unpadded size; the caller vouches for the rest.
                unsafe { self.call_packed(buffer, size, explain::foreign::<A>, arguments) }
            })
        }
    }

    /// # Safety
    /// `params` has a pointer to each parameter of the kernel.
    #[inline(always)]
    pub(crate) unsafe fn call_params(
        &self,
        params: *mut *mut c_void,
        foreign: fn(String, Foreign) -> Error,
        arguments: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        // SAFETY: the caller's promise is the same one.
        unsafe { self.call(params, ptr::null_mut(), foreign, arguments) }
    }

    /// # Safety
    /// `buffer` is the packed form of the kernel's parameters, `size` bytes long.
    #[inline(always)]
    pub(crate) unsafe fn call_packed(
        &self,
        buffer: *const u8,
        mut size: usize,
        foreign: fn(String, Foreign) -> Error,
        arguments: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        let mut extra = packed_extra(buffer, &mut size);
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
        foreign: fn(String, Foreign) -> Error,
        arguments: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        // An argument that did not declare its context before it was lowered.
        if let Some(field) = self.launch_stream.foreign() {
            return Err(foreign((self.name)(), field));
        }
        if let Err(error) = self.launch_stream.check() {
            return Err(explain::not_awaited(
                &(self.name)(),
                self.launch_stream.context().map(|context| &**context),
                error,
            ));
        }
        let config = self.config();
        let status = match self.launch.attributes {
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
            let (name, attributes) = ((self.name)(), self.launch.attributes);
            let context = self.launch_stream.context().map(|context| &**context);
            let arguments = arguments();
            // SAFETY: the caller vouches for the function and its context.
            Err(unsafe {
                explain::launch(
                    name,
                    self.function,
                    status,
                    config,
                    attributes,
                    arguments,
                    context,
                )
            })
        }
    }
}

/// The `extra` of a packed buffer of `size` bytes.
#[inline(always)]
pub(crate) fn packed_extra(buffer: *const u8, size: &mut usize) -> [*mut c_void; 5] {
    [
        api::CU_LAUNCH_PARAM_BUFFER_POINTER,
        buffer.cast_mut().cast(),
        api::CU_LAUNCH_PARAM_BUFFER_SIZE,
        ptr::from_mut(size).cast(),
        api::CU_LAUNCH_PARAM_END,
    ]
}

/// Compares the attributes with what the function, its GPU and the driver allow.
///
/// # Safety
/// The function is loaded, its context is current, and the stream of `config` is one of it.
#[cold]
unsafe fn check_attributes(
    api: &'static Api,
    function: CUfunction,
    config: LaunchConfig,
    attributes: Attributes<'_>,
    limits: Option<&AttributeLimits>,
    name: impl Fn() -> String,
) -> Result<(), Error> {
    let asked;
    let limits = if let Some(limits) = limits {
        limits
    } else {
        // SAFETY: the caller vouches that the function is loaded, and its context is current.
        asked = unsafe { AttributeLimits::of_raw(function) }?;
        &asked
    };
    let request = Request {
        api,
        function,
        config,
        attributes: &attributes,
        limits,
        is_node: false,
        name: &name,
    };
    // SAFETY: as above; the stream is one of that context.
    unsafe { attributes::check(&request) }
}

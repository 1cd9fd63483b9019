//! From arguments to the parameters of a kernel node.

use super::{
    super::{
        api::{KernelNodeParams, Status},
        config::{Form, Launch},
        error::Error,
        explain::foreign,
        launch_call::packed_extra,
        loaded_function::LoadedFunction,
    },
    explain,
};
use crate::marshal::{
    ContextName, DecodedArguments, Foreign, KernelArgs, LaunchStream, marshal_packed,
    marshal_params,
};
use core::{ffi::c_void, ptr};
use cudarc::driver::DriverError;

/// The form of a node's update that does not name one: packed, which takes 0.74 to 0.92 of the time of `kernelParams` at 8
/// parameters and less at more (H200, CUDA 13.0, `benches/`), except where there is nothing to pack, or its offsets depend on
/// the GPU.
const fn form_of<A: KernelArgs>() -> Form {
    if A::PARAMETERS.is_empty() || A::LAYOUT.depends_on_gpu() {
        Form::KernelParams
    } else {
        Form::Packed
    }
}

/// A kernel node that is added or updated.
pub(super) struct NodeCall<'a, S> {
    pub(super) function: &'a LoadedFunction,
    pub(super) launch: &'a Launch<'a>,
    /// What is not done where this fails, for errors.
    pub(super) action: &'static str,
    /// The entry point that `set` calls, for errors.
    pub(super) call: &'static str,
    /// Passes what describes the node to the driver.
    pub(super) set: S,
}

impl<S: FnOnce(&KernelNodeParams) -> Status> NodeCall<'_, S> {
    /// Compares the launch and `args` with the function, makes its context current where `bound` is another one, and calls
    /// `set` with what the driver takes for a kernel node.
    ///
    /// Slices wait for other streams, and record their use, on the default stream of their context: a graph has no place for
    /// that.
    #[inline(always)]
    pub(super) fn with<A: KernelArgs>(
        self,
        args: &mut A,
        bound: &mut *const c_void,
    ) -> Result<(), Error> {
        let Self {
            function, launch, ..
        } = self;
        if launch.stream.is_some() {
            return Err(explain::stream_of_a_node(
                function.name.clone(),
                self.action,
            ));
        }
        if launch.attributes.is_some() {
            return Err(explain::attributes_of_a_node(
                function.name.clone(),
                self.action,
            ));
        }
        function.check(launch)?;
        let context = function.context.cu_ctx();
        let stream = LaunchStream::in_context(context);
        args.check_contexts(&stream);
        if let Some(field) = stream.foreign() {
            let launch = ContextName::of(&function.context);
            return Err(foreign::<A>(
                function.name.clone(),
                Foreign { launch, ..field },
            ));
        }
        if *bound != context.cast_const().cast() {
            function.context.bind_to_thread().map_err(Error::context)?;
            *bound = context.cast_const().cast();
        }
        let outcome = self.lower(args, &stream);
        // What recording the use of slices returned, which would otherwise be the next call's error.
        let recorded = stream.check();
        outcome?;
        recorded.map_err(|error| {
            Error::cudarc("cuCtxGetCurrent, cuCtxSetCurrent or cuEventRecord", error)
        })
    }

    #[inline(always)]
    fn lower<A: KernelArgs>(self, args: &mut A, stream: &LaunchStream<'_>) -> Result<(), Error> {
        let form = self.launch.form.unwrap_or(const { form_of::<A>() });
        if form == Form::KernelParams || A::LAYOUT.depends_on_gpu() {
            marshal_params(args, stream, |params| {
                // SAFETY: `marshal_params` has filled one pointer for each parameter, valid until this closure returns.
                let arguments = || unsafe { DecodedArguments::params::<A>(params) };
                self.call::<A>(stream, params, ptr::null_mut(), arguments)
            })
        } else {
            marshal_packed(args, stream, |packed| {
                let mut size = A::LAYOUT.size();
                let mut extra = packed_extra(packed, &mut size);
                // SAFETY: `marshal_packed` has filled the buffer, which is valid until this closure returns.
                let arguments = || unsafe { DecodedArguments::packed::<A>(packed) };
                self.call::<A>(stream, ptr::null_mut(), extra.as_mut_ptr(), arguments)
            })
        }
    }

    #[inline(always)]
    fn call<'p, A: KernelArgs>(
        self,
        stream: &LaunchStream<'_>,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
        arguments: impl FnOnce() -> DecodedArguments<'p>,
    ) -> Result<(), Error> {
        let Self {
            function, launch, ..
        } = self;
        // An argument that did not declare its context before it was lowered.
        if let Some(field) = stream.foreign() {
            let launch = ContextName::of(&function.context);
            return Err(foreign::<A>(
                function.name.clone(),
                Foreign { launch, ..field },
            ));
        }
        stream.check().map_err(failed_wait)?;
        let (grid, block) = (launch.grid, launch.block);
        let node_params = KernelNodeParams {
            function: function.handle(),
            grid: [grid.x, grid.y, grid.z],
            block: [block.x, block.y, block.z],
            shared: launch.shared,
            params,
            extra,
            kernel: ptr::null_mut(),
            context: ptr::null_mut(),
        };
        match (self.set)(&node_params) {
            Status::SUCCESS => Ok(()),
            status => Err(explain::node(
                function.name.clone(),
                self.action,
                self.call,
                status,
                launch,
                &arguments(),
            )),
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

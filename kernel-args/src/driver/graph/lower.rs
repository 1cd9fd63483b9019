//! From arguments to the parameters of a kernel node.

use super::{
    super::{
        api::{self, KernelNodeParams, Status},
        config::{Form, Launch},
        error::Error,
        explain::foreign,
        loaded_function::LoadedFunction,
    },
    explain,
};
use crate::marshal::{DecodedArguments, KernelArgs, LaunchStream, marshal_packed, marshal_params};
use core::{ffi::c_void, ptr};

/// Up to this many parameters, of up to this many bytes, `cuGraphExecKernelNodeSetParams` is faster with `kernelParams`: 416 to
/// 465 ns at 8 parameters; above, the packed form is: 591 to 786 ns at 128, 1032 to 1124 at one of 4 KiB (H200, CUDA 13.0).
const FEW: usize = 16;
const SMALL: usize = 1024;

/// The form of a node's update that does not name one.
const fn form_of<A: KernelArgs>() -> Form {
    if (A::PARAMETERS.len() <= FEW && A::LAYOUT.size() <= SMALL) || A::LAYOUT.depends_on_gpu() {
        Form::KernelParams
    } else {
        Form::Packed
    }
}

/// Compares `launch` and `args` with the function, makes its context current where `bound` is another one, and calls `set` with
/// what the driver takes for a kernel node.
///
/// Slices wait for other streams, and record their use, on the default stream of their context: a graph has no place for that.
#[inline(always)]
pub(super) fn with_node_params<A: KernelArgs>(
    function: &LoadedFunction,
    launch: &Launch<'_>,
    args: &mut A,
    bound: &mut *const c_void,
    action: &'static str,
    call: &'static str,
    set: impl FnOnce(&KernelNodeParams) -> Status,
) -> Result<(), Error> {
    let name = || function.name.clone();
    if launch.stream.is_some() {
        return Err(explain::stream_of_a_node(name(), action));
    }
    function.check(launch)?;
    let context = function.context.cu_ctx();
    let stream = LaunchStream::in_context(context);
    args.check_contexts(&stream);
    if let Some(field) = stream.foreign() {
        return Err(foreign::<A>(name(), field));
    }
    if *bound != context.cast_const().cast() {
        function.context.bind_to_thread().map_err(Error::context)?;
        *bound = context.cast_const().cast();
    }
    let form = launch.form.unwrap_or(const { form_of::<A>() });
    let outcome = with_lowered(args, &stream, form, |lowered| {
        // An argument that did not declare its context before it was lowered.
        if let Some(field) = stream.foreign() {
            return Err(foreign::<A>(name(), field));
        }
        stream.check().map_err(|error| {
            Error::cudarc("cuCtxGetCurrent, cuCtxSetCurrent or cuStreamWaitEvent, or an earlier call in this context,", error)
        })?;
        let (grid, block) = (launch.grid, launch.block);
        let node_params = KernelNodeParams {
            function: function.handle(),
            grid: [grid.x, grid.y, grid.z],
            block: [block.x, block.y, block.z],
            shared: launch.shared,
            params: lowered.params,
            extra: lowered.extra,
            kernel: ptr::null_mut(),
            context: ptr::null_mut(),
        };
        match set(&node_params) {
            Status::SUCCESS => Ok(()),
            status => {
                // SAFETY: they were lowered from `A`, just before.
                let arguments = unsafe { lowered.decoded::<A>() };
                Err(explain::node(
                    name(),
                    action,
                    call,
                    status,
                    launch,
                    &arguments,
                ))
            }
        }
    });
    // What recording the use of slices returned, which would otherwise be the next call's error.
    let recorded = stream.check();
    outcome?;
    recorded
        .map_err(|error| Error::cudarc("cuCtxGetCurrent, cuCtxSetCurrent or cuEventRecord", error))
}

/// Parameters as the driver takes them, with one of both null.
struct Lowered {
    params: *mut *mut c_void,
    extra: *mut *mut c_void,
    /// The packed parameters that `extra` names; null where `params` is not.
    packed: *const u8,
}

impl Lowered {
    /// The arguments as text.
    ///
    /// # Safety
    /// They are those of `A`, and are not used after the closure that was given this has returned.
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
fn with_lowered<A: KernelArgs, R>(
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

//! From a list of arguments to the parameters of one launch, in either form.

use super::{
    ArgList, LaunchStream, PackError,
    argument::ArgumentTypes,
    short_list::{SHORT, ShortList},
};
use core::{ffi::c_void, mem::MaybeUninit, slice};
use std::{vec, vec::Vec};

/// How many bytes of parameters stand on the stack, in units of 8.
const WORDS: usize = 128;

impl ArgList<'_> {
    /// Lowers every argument to a pointer to its parameter and calls `launch` with the types and the pointers.
    pub(crate) fn marshal_params<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        launch: impl FnOnce(&ArgumentTypes, *mut *mut c_void) -> R,
    ) -> R {
        let (types, arguments) = self.split();
        let mut buffer = Room::<u64, WORDS>::new(types.layout().size().div_ceil(8));
        let mut pointers = Room::<*mut c_void, SHORT>::new(types.len());
        let (buffer, pointers) = (buffer.as_mut_ptr().cast::<u8>(), pointers.as_mut_ptr());
        let mut guards = ShortList::new();
        for (index, (argument, at)) in arguments.zip(types.placed()).enumerate() {
            // SAFETY: the buffer has the size of the layout, inside of which the parameter lies at its offset, and there is a pointer
            // for each argument. Both outlive `launch`, and so does the argument, which `guards` borrows.
            let guard = unsafe { argument.put_pointer(stream, buffer, at.offset, pointers, index) };
            if !guard.is_none() {
                guards.push(guard);
            }
        }
        launch(types, pointers)
    }

    /// Lowers every argument to the packed form and calls `launch` with the types and its first byte; it is as long as their layout.
    ///
    /// Offsets follow C's rule, so this is not for a layout that depends on the GPU.
    pub(crate) fn marshal_packed<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        launch: impl FnOnce(&ArgumentTypes, *const u8) -> R,
    ) -> R {
        let (types, arguments) = self.split();
        let mut buffer = Room::<u64, WORDS>::new(types.layout().size().div_ceil(8));
        let buffer = buffer.as_mut_ptr().cast::<u8>();
        let mut guards = ShortList::new();
        let mut end = 0;
        for (index, (argument, at)) in arguments.zip(types.placed()).enumerate() {
            // SAFETY: the last parameter ended there, inside the buffer.
            let gap = unsafe { buffer.add(end) };
            // SAFETY: the parameter begins at its offset, which is at or after `end`, inside the buffer.
            unsafe { gap.write_bytes(0, at.offset - end) };
            // SAFETY: the buffer has the size of the layout, inside of which the parameter lies at its offset.
            let guard = unsafe { argument.put_bytes(stream, buffer, at.offset, index) };
            if !guard.is_none() {
                guards.push(guard);
            }
            end = at.offset + at.argument.size();
        }
        launch(types, buffer)
    }

    /// Calls `launch` with the `kernelParams` of `cuLaunchKernel`: one pointer to each parameter. It works for any alignment.
    /// The pointers are valid until `launch` returns.
    ///
    /// For other driver bindings; [`launch!`](crate::launch!) does this.
    pub fn with_kernel_params<R>(&mut self, launch: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        self.marshal_params(&LaunchStream::untracked(), |types, pointers| {
            // SAFETY: `marshal_params` has filled one pointer for each argument.
            launch(unsafe { slice::from_raw_parts_mut(pointers, types.len()) })
        })
    }

    /// Calls `launch` with the packed buffer for `CU_LAUNCH_PARAM_BUFFER_POINTER`, and its size without tail padding. Padding
    /// between parameters is zero.
    ///
    /// # Errors
    /// [`PackError::DependsOnGpu`] where an argument is aligned to more than 16 bytes.
    pub fn with_packed<R>(&mut self, launch: impl FnOnce(&[u8]) -> R) -> Result<R, PackError> {
        if self.types().layout().depends_on_gpu() {
            return Err(PackError::DependsOnGpu);
        }
        Ok(
            self.marshal_packed(&LaunchStream::untracked(), |types, buffer| {
                // SAFETY: `marshal_packed` has written as many bytes as the layout has.
                launch(unsafe { slice::from_raw_parts(buffer, types.layout().size()) })
            }),
        )
    }
}

/// Room for values of a launch: on the stack up to `N`, else on the heap.
struct Room<T, const N: usize> {
    stack: [MaybeUninit<T>; N],
    heap: Vec<MaybeUninit<T>>,
}

impl<T: Copy, const N: usize> Room<T, N> {
    fn new(len: usize) -> Self {
        Self {
            stack: [MaybeUninit::uninit(); N],
            heap: if len > N {
                vec![MaybeUninit::uninit(); len]
            } else {
                Vec::new()
            },
        }
    }

    fn as_mut_ptr(&mut self) -> *mut T {
        if self.heap.is_empty() {
            self.stack.as_mut_ptr().cast()
        } else {
            self.heap.as_mut_ptr().cast()
        }
    }
}

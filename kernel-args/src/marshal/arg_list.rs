//! A list of arguments whose length and types are known only at run time.

use super::{
    KernelArg, LaunchStream, PackError,
    argument_types::{ArgumentType, ArgumentTypes},
    param_writer::ErasedArgument,
    storage::ArgumentValues,
};
use core::{ffi::c_void, fmt, marker::PhantomData};

/// The arguments of one kernel as a list whose length and types are known only at run time, for example in code
/// generators and interpreters. If the kernel is known at compile time, use a struct with `#[derive(KernelArgs)]`,
/// which is checked then.
///
/// `launch!` takes the list with a [`Function`](crate::Function).
///
/// # Borrows
///
/// The list borrows the slices until it is dropped or moved: `launch!` takes it by value, or as `&mut args`. A use of
/// the slices before `drop(args)` is then the error "borrow might be used here, when `args` is dropped".
///
/// # Memory
///
/// The list stores up to 64 arguments with 1 KiB in total without heap allocation. Arguments that are aligned to more
/// than 16 bytes are always on the heap.
///
/// ```no_run
/// use kernel_args::ArgList;
///
/// let mut args = ArgList::new();
/// args.push(1024_u32).push(2.0_f32); // `launch!(function, grid, block, args)` takes the list
/// assert_eq!(format!("{args:?}"), "ArgList[u32, f32]");
/// ```
pub struct ArgList<'a> {
    types: ArgumentTypes,
    values: ArgumentValues<'a>,
    /// The values can have any type, so the list is neither `Send` nor `Sync`.
    any: PhantomData<*mut ()>,
}

impl<'a> ArgList<'a> {
    /// Creates no arguments.
    #[must_use]
    pub fn new() -> Self {
        Self { types: ArgumentTypes::new(), values: ArgumentValues::new(), any: PhantomData }
    }

    /// Appends an argument for the kernel's next parameter.
    ///
    /// It does not compile for a type without bytes: such a type cannot be a parameter of a kernel.
    ///
    /// # Panics
    /// If all arguments together are larger than the address space.
    pub fn push<T: KernelArg + 'a>(&mut self, argument: T) -> &mut Self {
        self.values.push(argument);
        self.types.push(const { &ArgumentType::of::<T>() });
        self
    }

    /// Appends each element of a slice as an argument of its own, for kernels that take the lengths and strides of an
    /// array as separate parameters. It does not compile for elements without bytes. `&mut` slices of cudarc cannot be
    /// copied: push them.
    ///
    /// # Panics
    /// If all arguments together are larger than the address space.
    pub fn spread<T: KernelArg + Copy + 'a>(&mut self, elements: &[T]) -> &mut Self {
        for &element in elements {
            self.push(element);
        }
        self
    }

    /// Returns the number of arguments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Returns whether the list has no arguments.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Drops all arguments.
    pub fn clear(&mut self) {
        self.types.clear();
        self.values.clear();
    }

    pub(crate) fn types(&self) -> &ArgumentTypes {
        &self.types
    }

    pub(crate) fn check_contexts(&self, stream: &LaunchStream<'_>) {
        self.values.for_each(|index, argument| argument.check_context(stream, index));
    }

    pub(super) fn split(&mut self) -> (&ArgumentTypes, impl Iterator<Item = &mut (dyn ErasedArgument + 'a)>) {
        (&self.types, self.values.iter_mut())
    }

    /// Calls `launch` with the `kernelParams` of `cuLaunchKernel`: one pointer to each parameter. It works for any
    /// alignment. The pointers are valid until `launch` returns.
    ///
    /// Use it with other driver bindings; [`launch!`](crate::launch!) calls it for you.
    pub fn with_kernel_params<R>(&mut self, launch: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        self.marshal_params(&LaunchStream::untracked(), |_, pointers| launch(pointers))
    }

    /// Calls `launch` with the packed buffer for `CU_LAUNCH_PARAM_BUFFER_POINTER`. Its length is the size without tail
    /// padding. Padding between parameters is zero.
    ///
    /// # Errors
    /// [`PackError::DependsOnGpu`] if an argument is aligned to more than 16 bytes.
    pub fn with_packed<R>(&mut self, launch: impl FnOnce(&[u8]) -> R) -> Result<R, PackError> {
        if self.types().layout().depends_on_gpu() {
            return Err(PackError::DependsOnGpu);
        }
        let stream = LaunchStream::untracked();
        Ok(self.marshal_packed(&stream, |_, packed| launch(packed)))
    }
}

impl Default for ArgList<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ArgList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArgList")?;
        let mut list = f.debug_list();
        for argument in self.types.iter() {
            list.entry(&format_args!("{}", argument.spelling()));
        }
        list.finish()
    }
}

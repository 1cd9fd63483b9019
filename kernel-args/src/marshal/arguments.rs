//! A list of arguments whose length and types are known at run time only.

use super::{
    KernelArg, LaunchStream,
    argument::{Argument, ArgumentType, ArgumentTypes},
    short_list::ShortList,
};
use core::{cell::UnsafeCell, fmt, marker::PhantomData, mem::MaybeUninit};
use std::{boxed::Box, string::String};

/// How many bytes of values a list holds without the heap, in units of 16: cudarc's references and device pointers take half a
/// unit, a `CudaView` four.
const UNITS: usize = 64;

/// A unit of the storage: nothing in it is aligned above this. An argument may have interior mutability.
type Unit = UnsafeCell<MaybeUninit<u128>>;

/// Arguments of one kernel as a list whose length and types are known at run time only: what code generators and interpreters
/// pass. A struct with `#[derive(KernelArgs)]` is checked while it compiles; use one where the kernel is known then.
///
/// Every [`KernelArg`] can be pushed: device types by value, `&` and `&mut` slices of cudarc, structs with
/// `#[derive(DeviceType)]`. `launch!` takes the list with a [`Function`](crate::Function). The list is compared with the kernel
/// like a struct whose fields are named `0`, `1`, … : once for each list of types, then remembered by the `Function`.
///
/// Up to 64 arguments are held without the heap, unless one is larger than the rest of 1 KiB or aligned to more than 16 bytes.
///
/// ```no_run
/// use kernel_args::{ArgList, Module, launch};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ctx = kernel_args::context(0)?;
/// # let stream = ctx.default_stream();
/// # let ptx = "";
/// # let n = 1024_u32;
/// # let (x, mut y) = (stream.alloc_zeros::<f32>(1024)?, stream.alloc_zeros::<f32>(1024)?);
/// let saxpy = Module::load(&ctx, ptx)?.function("saxpy")?;
/// let mut args = ArgList::new();
/// args.push(n).push(2.0_f32).push(&x).push(&mut y);
/// // SAFETY: both slices have `n` elements.
/// unsafe { launch!(saxpy, 4, 256, &mut args)? };
/// # Ok(())
/// # }
/// ```
pub struct ArgList<'a> {
    types: ArgumentTypes,
    values: ShortList<Value<'a>>,
    storage: [Unit; UNITS],
    /// How many units of `storage` are taken.
    units: usize,
    /// Values of any type: neither `Send` nor `Sync`.
    any: PhantomData<*mut ()>,
}

/// Where the value of an argument is.
enum Value<'a> {
    /// From this unit of the storage on; the function gives the pointer its type.
    Inline(usize, fn(*mut u8) -> *mut (dyn Argument + 'a)),
    Boxed(Box<dyn Argument + 'a>),
}

impl<'a> ArgList<'a> {
    /// No arguments.
    #[must_use]
    pub fn new() -> Self {
        Self {
            types: ArgumentTypes::new(),
            values: ShortList::new(),
            storage: [const { UnsafeCell::new(MaybeUninit::uninit()) }; UNITS],
            units: 0,
            any: PhantomData,
        }
    }

    /// Appends an argument: the kernel's next parameter.
    ///
    /// It does not compile for a type without bytes, which cannot be a parameter of a kernel.
    ///
    /// # Panics
    /// Where all arguments together are larger than the address space, which values in memory cannot be.
    pub fn push<T: KernelArg + 'a>(&mut self, argument: T) -> &mut Self {
        let needed = size_of::<T>().div_ceil(size_of::<Unit>());
        let value = if align_of::<T>() <= align_of::<Unit>() && needed <= UNITS - self.units {
            // A value without bytes may stand past the last unit.
            let unit = self.storage[self.units..].as_mut_ptr();
            // SAFETY: `needed` units from there on belong to `storage` and to no other argument, and hold a `T` by size and
            // alignment.
            unsafe { unit.cast::<T>().write(argument) };
            let at = self.units;
            self.units += needed;
            Value::Inline(at, |value| value.cast::<T>())
        } else {
            Value::Boxed(Box::new(argument))
        };
        self.values.push(value);
        self.types.push(const { &ArgumentType::of::<T>() });
        self
    }

    /// The number of arguments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether there is no argument.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Drops all arguments.
    pub fn clear(&mut self) {
        self.types.clear();
        self.units = 0;
        let storage = self.storage.as_mut_ptr();
        // Each value is taken out of the list before it is dropped: where a drop panics, no value is dropped twice.
        for value in self.values.drain() {
            if let Value::Inline(at, typed) = value {
                // SAFETY: a unit of the storage, or one past it.
                let value = unsafe { storage.add(at) };
                // SAFETY: `push` has written a value of that type there, which no list has any more: it is dropped once.
                unsafe { typed(value.cast()).drop_in_place() };
            }
        }
    }

    /// The types of the arguments.
    pub(crate) fn types(&self) -> &ArgumentTypes {
        &self.types
    }

    /// Has every argument tell `stream` its context.
    pub(crate) fn check_contexts(&self, stream: &LaunchStream<'_>) {
        let storage = self.storage.as_ptr();
        for (index, value) in self.values.iter().enumerate() {
            let argument = match value {
                Value::Boxed(argument) => &**argument,
                Value::Inline(at, typed) => {
                    // SAFETY: a unit of the storage, or one past it.
                    let value = unsafe { storage.add(*at) };
                    // SAFETY: `push` has written a value of that type there. `self` is borrowed, so no one has it exclusively; what
                    // it changes itself is in an `UnsafeCell`.
                    unsafe { &*typed(value.cast_mut().cast()) }
                }
            };
            argument.check_context(stream, index);
        }
    }

    /// The types, and every argument.
    pub(super) fn split(
        &mut self,
    ) -> (
        &ArgumentTypes,
        impl Iterator<Item = &mut (dyn Argument + 'a)>,
    ) {
        let storage = self.storage.as_mut_ptr();
        let arguments = self.values.iter_mut().map(move |value| match value {
            Value::Boxed(argument) => &mut **argument,
            Value::Inline(at, typed) => {
                // SAFETY: a unit of the storage, or one past it.
                let value = unsafe { storage.add(*at) };
                // SAFETY: `push` has written a value of that type there, of which the iterator gives one reference. `self` is borrowed
                // exclusively as long as that lives.
                unsafe { &mut *typed(value.cast()) }
            }
        });
        (&self.types, arguments)
    }
}

impl Drop for ArgList<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

impl Default for ArgList<'_> {
    fn default() -> Self {
        Self::new()
    }
}

/// The types of the arguments.
impl fmt::Debug for ArgList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ArgList")?;
        f.debug_list()
            .entries(
                self.types
                    .iter()
                    .map(|argument| Spelled(argument.spelling())),
            )
            .finish()
    }
}

/// A text that is written as it is.
struct Spelled(String);

impl fmt::Debug for Spelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

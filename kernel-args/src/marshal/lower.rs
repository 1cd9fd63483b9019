//! From arguments to the parameters of one launch, in either form; and back to values, for messages.

#[cfg(feature = "cudarc")]
use super::{
    ArgList,
    argument::ArgumentTypes,
    storage::{Room, SHORT, ShortList},
};
use super::{
    KernelArgs, LaunchStream, ParamWriter, Source,
    param_writer::{KernelParams, Packed},
};
use core::{ffi::c_void, mem::MaybeUninit, ptr, slice};
use kernel_args_abi::{ParamLayout, Parameter};

/// Lowers `args` to one pointer for each parameter and calls `launch` with them. Until that returns, all bytes of each parameter are
/// initialised where its pointer points.
#[inline]
pub(crate) fn marshal_params<A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(&mut [*mut c_void]) -> R,
) -> R {
    let mut buffer = MaybeUninit::<A::ParamBuffer>::uninit();
    let mut pointers = MaybeUninit::<A::ParamPointers>::uninit();
    let pointers = pointers.as_mut_ptr().cast::<*mut c_void>();
    let launch = || {
        // SAFETY: `KernelArgs` promises that `ParamPointers` has room for a pointer to each parameter and is aligned for them, and that
        // `lower` has written all of them when it calls this. Nothing else accesses them until it returns.
        launch(unsafe { &mut *ptr::slice_from_raw_parts_mut(pointers, A::PARAMETERS.len()) })
    };
    // SAFETY: `KernelArgs` promises that both locals are large enough, and both outlive the call.
    unsafe { args.lower::<KernelParams, R>(stream, buffer.as_mut_ptr().cast(), pointers, launch) }
}

/// Lowers `args` and calls `show` with what a kernel would receive.
pub(super) fn decode_params<A: KernelArgs, R>(
    args: &mut A,
    show: impl FnOnce(&DecodedArgs<'_>) -> R,
) -> R {
    marshal_params(args, &LaunchStream::untracked(), |pointers| {
        // SAFETY: `marshal_params` passes a pointer to each parameter, initialised there until this returns.
        show(&unsafe { DecodedArgs::params(A::PARAMETERS, pointers) })
    })
}

/// Lowers `args` to the packed form and calls `launch` with its `LAYOUT.size()` bytes. A struct that is laid out so itself is not copied.
///
/// Offsets follow C's rule, so this is not for a layout that depends on the GPU.
#[inline]
pub(crate) fn marshal_packed<A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(&[u8]) -> R,
) -> R {
    let size = A::LAYOUT.size();
    if let Some(packed) = args.packed_in_place() {
        // SAFETY: `KernelArgs` promises that they are `LAYOUT.size()` initialised bytes, as long as the struct is borrowed, which it is.
        return launch(unsafe { &*ptr::slice_from_raw_parts(packed, size) });
    }
    let mut buffer = MaybeUninit::<A::ParamBuffer>::uninit();
    let buffer = buffer.as_mut_ptr().cast::<u8>();
    if const { has_gaps(A::PARAMETERS) } {
        // SAFETY: `KernelArgs` promises that the buffer has at least `LAYOUT.size()` bytes.
        unsafe { buffer.write_bytes(0, size) };
    }
    let launch = || {
        // SAFETY: what lies between parameters was written above, and `KernelArgs` promises that `lower` has written each of them when it
        // calls this; the buffer is not written meanwhile.
        launch(unsafe { &*ptr::slice_from_raw_parts(buffer, size) })
    };
    // SAFETY: `buffer` is as large as the promise says and outlives the call; the packed form writes no pointers.
    unsafe { args.lower::<Packed, R>(stream, buffer, ptr::null_mut(), launch) }
}

/// Whether there are bytes between parameters.
pub(crate) const fn has_gaps(parameters: &[Parameter<'_>]) -> bool {
    let mut end = 0;
    let mut i = 0;
    while i < parameters.len() {
        match parameters[i].offset {
            Some(offset) if offset == end => end += parameters[i].size,
            _ => return true,
        }
        i += 1;
    }
    false
}

/// Panics where the packed form of a struct depends on the GPU.
///
/// # Panics
/// At compile time, with what to write instead.
#[track_caller]
pub(super) const fn assert_same_on_every_gpu(layout: &ParamLayout) {
    assert!(
        !layout.depends_on_gpu(),
        "a parameter is aligned to more than 16 bytes, so its packed offset depends on the GPU\n\
         help: use `with_kernel_params`, or `pack_at` with the offsets of the loaded function"
    );
}

// SAFETY: everything is the inner struct's.
unsafe impl<A: KernelArgs> KernelArgs for &mut A {
    type Erased = A::Erased;
    type ParamBuffer = A::ParamBuffer;
    type ParamPointers = A::ParamPointers;

    const NAME: &'static str = A::NAME;
    const PARAMETERS: &'static [Parameter<'static>] = A::PARAMETERS;
    const LAYOUT: ParamLayout = A::LAYOUT;
    const SOURCE: Option<Source> = A::SOURCE;
    const ENTRIES: Option<&'static str> = A::ENTRIES;

    #[inline]
    fn check_contexts(&self, stream: &LaunchStream<'_>) {
        A::check_contexts(self, stream);
    }

    #[inline]
    unsafe fn lower<F: ParamWriter, R>(
        &mut self,
        stream: &LaunchStream<'_>,
        buffer: *mut u8,
        pointers: *mut *mut c_void,
        launch: impl FnOnce() -> R,
    ) -> R {
        // SAFETY: the caller's promise is the same one.
        unsafe { A::lower::<F, R>(self, stream, buffer, pointers, launch) }
    }

    #[inline]
    fn packed_in_place(&self) -> Option<*const u8> {
        A::packed_in_place(self)
    }
}

/// How many bytes of a list's parameters stand on the stack, in units of 8.
#[cfg(feature = "cudarc")]
const WORDS: usize = 128;

#[cfg(feature = "cudarc")]
impl ArgList<'_> {
    /// Lowers every argument to a pointer to its parameter and calls `launch` with the types and the pointers. Until that returns, all
    /// bytes of each parameter are initialised where its pointer points.
    pub(crate) fn marshal_params<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        launch: impl FnOnce(&ArgumentTypes, &mut [*mut c_void]) -> R,
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
        // SAFETY: the loop has written a pointer for each argument, of which there are as many as types. Nothing else accesses them.
        launch(types, unsafe {
            slice::from_raw_parts_mut(pointers, types.len())
        })
    }

    /// Lowers every argument to the packed form and calls `launch` with the types and its bytes, as many as their layout has.
    ///
    /// Offsets follow C's rule, so this is not for a layout that depends on the GPU.
    pub(crate) fn marshal_packed<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        launch: impl FnOnce(&ArgumentTypes, &[u8]) -> R,
    ) -> R {
        let (types, arguments) = self.split();
        let size = types.layout().size();
        let mut buffer = Room::<u64, WORDS>::new(size.div_ceil(8));
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
        // SAFETY: a layout ends with its last parameter, and the loop has written each of them and what lies between.
        launch(types, unsafe { slice::from_raw_parts(buffer, size) })
    }
}

/// Arguments as the kernel receives them, for messages: one line for each, with its offset, its value and its bytes.
///
/// [`KernelArgs::with_arguments`] passes one to its closure.
pub struct DecodedArgs<'p> {
    pub(super) parameters: &'p [Parameter<'p>],
    place: Place<'p>,
}

#[derive(Clone, Copy)]
enum Place<'p> {
    /// All bytes of each parameter are initialised where its pointer points.
    Params(&'p [*mut c_void]),
    #[cfg_attr(
        not(feature = "cudarc"),
        expect(dead_code, reason = "only launches use the packed form")
    )]
    Packed(&'p [u8]),
}

impl<'p> DecodedArgs<'p> {
    /// # Safety
    /// For `'p`, each of `pointers` points at the parameter of its index, all bytes of which are initialised there.
    pub(crate) unsafe fn params(
        parameters: &'p [Parameter<'p>],
        pointers: &'p [*mut c_void],
    ) -> Self {
        Self {
            parameters,
            place: Place::Params(pointers),
        }
    }

    /// `buffer` is the packed form of the parameters.
    #[cfg(feature = "cudarc")]
    pub(crate) fn packed(parameters: &'p [Parameter<'p>], buffer: &'p [u8]) -> Self {
        Self {
            parameters,
            place: Place::Packed(buffer),
        }
    }

    /// Every parameter with its bytes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'p Parameter<'p>, &[u8])> {
        let place = self.place;
        let bytes = move |i: usize, parameter: &Parameter<'_>| match place {
            Place::Params(pointers) => {
                let from = pointers[i].cast::<u8>().cast_const();
                // SAFETY: the pointer points at the parameter of its index, all bytes of which are initialised for `'p`.
                unsafe { slice::from_raw_parts(from, parameter.size) }
            }
            Place::Packed(buffer) => {
                let offset = parameter.offset.unwrap_or(0);
                &buffer[offset..][..parameter.size]
            }
        };
        let parameters = self.parameters.iter().enumerate();
        parameters.map(move |(i, parameter)| (parameter, bytes(i, parameter)))
    }
}

//! Writes the parameters of one launch in either form.

#[cfg(any(feature = "graphs", feature = "observe"))]
use super::param_writer::Shared;
#[cfg(feature = "cudarc")]
use super::{
    ArgList,
    argument_types::ArgumentTypes,
    storage::{Room, SHORT, ShortList},
};
use super::{
    KernelArgs, LaunchStream, ParamWriter, Part, Source,
    param_writer::{KernelParams, Packed},
};
use crate::contract::{ContractError, Contracts, Geometry};
use core::{ffi::c_void, mem::MaybeUninit, ptr, slice};
use kernel_args_abi::{ParamLayout, Parameter, compiled::Family};

/// Calls `launch` with a pointer to each parameter. Until `launch` returns, each points to the initialised bytes of its
/// parameter.
#[inline]
pub(crate) fn marshal_params<A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(&mut [*mut c_void]) -> R,
) -> R {
    let mut buffer = MaybeUninit::<A::ParamBuffer>::uninit();
    let mut pointers = MaybeUninit::<A::Each<*mut c_void>>::uninit();
    let pointers = pointers.as_mut_ptr().cast::<*mut c_void>();
    let launch = || {
        // SAFETY: `KernelArgs` promises that `Each` has room for a pointer to each parameter and is aligned for them,
        // and that `lower` has written all pointers when it calls this closure. Nothing else accesses them until the
        // closure returns.
        launch(unsafe { &mut *ptr::slice_from_raw_parts_mut(pointers, A::PARAMETERS.len()) })
    };
    // SAFETY: `KernelArgs` promises that both locals are large enough, and both outlive the call.
    unsafe { args.lower::<KernelParams, R>(stream, buffer.as_mut_ptr().cast(), pointers, launch) }
}

pub(super) fn decode_params<A: KernelArgs, R>(args: &mut A, show: impl FnOnce(&DecodedArgs<'_>) -> R) -> R {
    marshal_params(args, &LaunchStream::untracked(), |pointers| {
        // SAFETY: `marshal_params` passes a pointer to each parameter, whose bytes are initialised until this closure
        // returns.
        show(&unsafe { DecodedArgs::new(A::PARAMETERS, LoweredAs::Params(pointers)) })
    })
}

/// Calls `launch` with the `LAYOUT.size()` bytes of the packed form, which can be the struct itself. Not for a layout
/// that depends on the GPU.
#[inline]
pub(crate) fn marshal_packed<A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(&[u8]) -> R,
) -> R {
    marshal_buffer::<Packed, A, R>(args, stream, launch)
}

/// [`marshal_packed`] in less code, which takes longer.
#[cfg(any(feature = "graphs", feature = "observe"))]
pub(crate) fn marshal_shared<A: KernelArgs>(args: &mut A, stream: &LaunchStream<'_>, launch: &mut dyn FnMut(&[u8])) {
    marshal_buffer::<Shared, A, ()>(args, stream, launch);
}

/// `F` is a form without pointers.
#[inline]
fn marshal_buffer<F: ParamWriter, A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(&[u8]) -> R,
) -> R {
    let size = A::LAYOUT.size();
    if let Some(packed) = args.packed_in_place() {
        // SAFETY: `KernelArgs` promises `LAYOUT.size()` initialised bytes as long as the struct is borrowed, and `args`
        // is borrowed.
        return launch(unsafe { &*ptr::slice_from_raw_parts(packed, size) });
    }
    let mut buffer = MaybeUninit::<A::ParamBuffer>::uninit();
    let buffer = buffer.as_mut_ptr().cast::<u8>();
    if const { has_gaps(A::PARAMETERS) } {
        // SAFETY: `KernelArgs` promises that the buffer has at least `LAYOUT.size()` bytes.
        unsafe { buffer.write_bytes(0, size) };
    }
    let launch = || {
        // SAFETY: the bytes between parameters were written above, and `KernelArgs` promises that `lower` has written
        // each parameter when it calls this closure. Nothing writes to the buffer until the closure returns.
        launch(unsafe { &*ptr::slice_from_raw_parts(buffer, size) })
    };
    // SAFETY: `KernelArgs` promises that `buffer` is large enough, and it outlives the call; the packed form writes no
    // pointers.
    unsafe { args.lower::<F, R>(stream, buffer, ptr::null_mut(), launch) }
}

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

#[track_caller]
pub(super) const fn assert_same_on_every_gpu(layout: &ParamLayout) {
    assert!(
        !layout.depends_on_gpu(),
        "a parameter is aligned to more than 16 bytes, so its packed offset depends on the GPU\n\
         help: use `with_kernel_params`, or `pack_at` with the offsets of the loaded function"
    );
}

// SAFETY: all items forward to `A`, which keeps the promises.
unsafe impl<A: KernelArgs> KernelArgs for &mut A {
    type Erased = A::Erased;
    type ParamBuffer = A::ParamBuffer;
    type Each<T> = A::Each<T>;

    const NAME: &'static str = A::NAME;
    const PARAMETERS: &'static [Parameter<'static>] = A::PARAMETERS;
    const LAYOUT: ParamLayout = A::LAYOUT;
    const SOURCE: Option<Source> = A::SOURCE;
    const FAMILY: Option<&'static Family> = A::FAMILY;
    const PARTS: &'static [Part] = A::PARTS;
    const CONTRACTS: Contracts = A::CONTRACTS;

    #[inline(always)]
    fn check_contracts(&self, geometry: Geometry) -> Result<Geometry, ContractError> {
        A::check_contracts(self, geometry)
    }

    #[inline(always)]
    fn check_narrowed(&self) -> Result<(), ContractError> {
        A::check_narrowed(self)
    }

    #[inline]
    fn required_lengths(&self, geometry: Geometry, note: &mut dyn FnMut(&'static str, Option<u64>)) {
        A::required_lengths(self, geometry, note);
    }

    #[inline]
    fn check_contexts(&self, stream: &LaunchStream<'_>, first: usize) {
        A::check_contexts(self, stream, first);
    }

    #[inline]
    unsafe fn lower<F: ParamWriter, R>(
        &mut self,
        stream: &LaunchStream<'_>,
        buffer: *mut u8,
        pointers: *mut *mut c_void,
        launch: impl FnOnce() -> R,
    ) -> R {
        // SAFETY: the caller makes the same promise.
        unsafe { A::lower::<F, R>(self, stream, buffer, pointers, launch) }
    }

    #[inline]
    fn packed_in_place(&self) -> Option<*const u8> {
        A::packed_in_place(self)
    }
}

#[cfg(feature = "cudarc")]
const STACK_UNITS: usize = 128;

#[cfg(feature = "cudarc")]
impl ArgList<'_> {
    /// [`marshal_params`] of a list.
    pub(crate) fn marshal_params<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        launch: impl FnOnce(&ArgumentTypes, &mut [*mut c_void]) -> R,
    ) -> R {
        let mut pointers = Room::<*mut c_void, SHORT>::new(self.len());
        let pointers = pointers.as_mut_ptr();
        self.marshal(stream, pointers, |types, _| {
            // SAFETY: `marshal` has written a pointer for each argument, and the list has one type for each argument.
            // Nothing else accesses the pointers.
            launch(types, unsafe { slice::from_raw_parts_mut(pointers, types.len()) })
        })
    }

    /// [`marshal_packed`] of a list.
    pub(crate) fn marshal_packed<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        launch: impl FnOnce(&ArgumentTypes, &[u8]) -> R,
    ) -> R {
        self.marshal(stream, ptr::null_mut(), |types, buffer| {
            // SAFETY: a layout ends with its last parameter, and without pointers `marshal` has written all parameters
            // and the bytes between them.
            launch(types, unsafe { slice::from_raw_parts(buffer, types.layout().size()) })
        })
    }

    /// Lowers every argument. `pointers` is null, or has room for a pointer to each.
    #[inline(always)]
    fn marshal<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        pointers: *mut *mut c_void,
        launch: impl FnOnce(&ArgumentTypes, *const u8) -> R,
    ) -> R {
        let (types, arguments) = self.split();
        let mut buffer = Room::<u64, STACK_UNITS>::new(types.layout().size().div_ceil(8));
        let buffer = buffer.as_mut_ptr().cast::<u8>();
        let mut guards = ShortList::new();
        let mut end = 0;
        for (index, (argument, at)) in arguments.zip(types.placed()).enumerate() {
            if at.offset > end {
                // SAFETY: `end` is the end of the previous parameter, which is inside the buffer.
                let gap = unsafe { buffer.add(end) };
                // SAFETY: the offset of the parameter is after `end`, inside the buffer.
                unsafe { gap.write_bytes(0, at.offset - end) };
            }
            // SAFETY: the buffer has the size of the layout, and the parameter is inside the layout at its offset. Both
            // callers pass null, or room for each argument. All of it outlives `launch`. So does the argument, which
            // `guards` borrows.
            let guard = unsafe { argument.put(stream, buffer, at.offset, pointers, index) };
            if !guard.is_none() {
                guards.push(guard);
            }
            end = at.offset + at.argument.size();
        }
        launch(types, buffer)
    }
}

/// The values that the kernel receives, from [`KernelArgs::with_arguments`]. As text, a line for each: its offset, its
/// value and its bytes.
pub struct DecodedArgs<'p> {
    pub(super) parameters: &'p [Parameter<'p>],
    place: LoweredAs<'p>,
}

#[derive(Clone, Copy)]
pub(crate) enum LoweredAs<'p> {
    /// A pointer to each parameter.
    Params(&'p [*mut c_void]),
    #[cfg_attr(not(feature = "cudarc"), expect(dead_code, reason = "only launches use the packed form"))]
    Packed(&'p [u8]),
}

impl<'p> DecodedArgs<'p> {
    /// # Safety
    /// `place` has these parameters. For `'p`, all bytes of those that it points to are initialised.
    pub(crate) unsafe fn new(parameters: &'p [Parameter<'p>], place: LoweredAs<'p>) -> Self {
        Self { parameters, place }
    }

    pub(crate) fn visit(&self, visit: &mut dyn FnMut(&Parameter<'_>, &[u8])) {
        self.iter().for_each(|(parameter, bytes)| visit(parameter, bytes));
    }

    /// Returns every parameter with its bytes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&'p Parameter<'p>, &[u8])> {
        let place = self.place;
        let bytes = move |i: usize, parameter: &Parameter<'_>| match place {
            LoweredAs::Params(pointers) => {
                let from = pointers[i].cast::<u8>().cast_const();
                // SAFETY: the pointer points to the parameter with the same index, and all its bytes are initialised
                // for `'p`.
                unsafe { slice::from_raw_parts(from, parameter.size) }
            }
            LoweredAs::Packed(buffer) => {
                let offset = parameter.offset.unwrap_or(0);
                &buffer[offset..][..parameter.size]
            }
        };
        let parameters = self.parameters.iter().enumerate();
        parameters.map(move |(i, parameter)| (parameter, bytes(i, parameter)))
    }
}

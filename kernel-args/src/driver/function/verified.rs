//! Raw functions: each is verified once for each struct, by what the driver reports, and then remembered by the thread.
//!
//! A `CUfunction` is an address in the driver. When its module is unloaded, the driver may give the same address to a function
//! of another module, so what is remembered of a handle is a claim to be tested, not a fact: each launch asks the driver about
//! the last parameter. What that cannot tell stands in the documentation of [`launch!`](crate::launch!).

use super::{hash::Words, name::function_name};
use crate::{
    driver::{
        api::{Api, FunctionHandle, Status},
        error::Error,
        verify::{Host, compare, records},
    },
    marshal::KernelArgs,
};
use core::{any::TypeId, cell::Cell, hash::Hash, ptr};
use cudarc::driver::sys::{CUcontext, CUfunction};
use kernel_args_abi::check;
use std::thread_local;

/// How many functions a thread remembers at most. Two that fall on one place take turns, and are then verified again.
const PLACES: usize = 128;

/// A function that was verified, and what it was verified with.
#[derive(Clone, Copy)]
struct Entry {
    function: CUfunction,
    /// The erased struct; `None` where nothing is remembered.
    arguments: Option<TypeId>,
    /// The context of the function; null where nothing tells.
    context: CUcontext,
}

const EMPTY: Entry = Entry {
    function: ptr::null_mut(),
    arguments: None,
    context: ptr::null_mut(),
};

thread_local! {
    static VERIFIED: [Cell<Entry>; PLACES] = const { [const { Cell::new(EMPTY) }; PLACES] };
}

/// The place of a function and a struct.
#[inline]
fn place(function: CUfunction, arguments: TypeId) -> usize {
    let mut words = Words::new(function.addr() as u64);
    arguments.hash(&mut words);
    words.top(PLACES.ilog2())
}

/// The context that was remembered with `function`, null where none was, if it was verified with the erased struct `arguments`.
#[inline]
pub(crate) fn context(function: CUfunction, arguments: TypeId) -> Option<CUcontext> {
    let entry = VERIFIED.with(|entries| entries[place(function, arguments)].get());
    let same = entry.function == function && entry.arguments == Some(arguments);
    same.then_some(entry.context)
}

/// Remembers that `function` was verified with the erased struct `arguments`, in `context`, which is null where nothing tells.
#[cold]
fn remember(function: CUfunction, arguments: TypeId, context: CUcontext) {
    let entry = Entry {
        function,
        arguments: Some(arguments),
        context,
    };
    VERIFIED.with(|entries| entries[place(function, arguments)].set(entry));
}

/// Verifies `function` for `A`, unless it `was_verified` for it by this thread and the last parameter is still the same; nothing
/// where the driver is older than 12.4. The function's context is current; `own` is that context, null where nothing tells.
#[inline]
pub(crate) fn verify_once<A: KernelArgs>(
    api: &Api,
    function: FunctionHandle<'_>,
    own: CUcontext,
    was_verified: bool,
) -> Result<(), Error> {
    let Some(get_param_info) = api.cuFuncGetParamInfo else {
        return Ok(());
    };
    let host = const { Host::of::<A>() };
    if was_verified {
        // The call itself: the error that the method makes would be in memory in every launch.
        let get = |index, offset: &mut usize, size: &mut usize| {
            get_param_info(function, index, offset, size)
        };
        if last_fits(host, get) {
            return Ok(());
        }
    }
    verify_by_driver(host, function)?;
    remember(function.raw(), TypeId::of::<A::Erased>(), own);
    Ok(())
}

/// Verifies a struct by what the driver reports.
#[cold]
fn verify_by_driver(host: Host<'_>, function: FunctionHandle<'_>) -> Result<(), Error> {
    let Some(records) = records(function)? else {
        return Ok(());
    };
    if check::fits(host.signature.parameters, &records, None) {
        return Ok(());
    }
    compare(host, &function_name(function), &records, None)
}

/// Whether the last parameter of a function is the last one of `host`: one driver call, and none past the end, which takes the
/// driver a microsecond. A kernel without parameters has no last one to ask for.
#[inline]
fn last_fits(
    host: Host<'_>,
    get_param_info: impl FnOnce(usize, &mut usize, &mut usize) -> Status,
) -> bool {
    let [before @ .., last] = host.signature.parameters else {
        return true;
    };
    let (mut offset, mut size) = (0, 0);
    let status = get_param_info(before.len(), &mut offset, &mut size);
    let placed = last.offset == Some(offset) || host.layout.depends_on_gpu();
    status == Status::SUCCESS && size == last.size && placed
}

//! Which raw functions this thread has verified.
//!
//! A `CUfunction` is an address in the driver. When its module is unloaded, the driver may give the same address to a function
//! of another module, so what is remembered of a handle is a claim to be tested, not a fact: each launch asks the driver about
//! the last parameter. What that cannot tell stands in the documentation of [`launch!`](crate::launch!).

use super::words::Words;
use core::{any::TypeId, cell::Cell, hash::Hash, ptr};
use cudarc::driver::sys::{CUcontext, CUfunction};
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
pub(super) fn context(function: CUfunction, arguments: TypeId) -> Option<CUcontext> {
    let entry = VERIFIED.with(|entries| entries[place(function, arguments)].get());
    let same = entry.function == function && entry.arguments == Some(arguments);
    same.then_some(entry.context)
}

/// Remembers that `function` was verified with the erased struct `arguments`, in `context`, which is null where nothing tells.
#[cold]
pub(super) fn remember(function: CUfunction, arguments: TypeId, context: CUcontext) {
    let entry = Entry {
        function,
        arguments: Some(arguments),
        context,
    };
    VERIFIED.with(|entries| entries[place(function, arguments)].set(entry));
}

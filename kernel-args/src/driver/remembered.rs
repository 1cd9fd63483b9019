//! Which raw functions this thread has verified.
//!
//! A `CUfunction` is an address in the driver. When its module is unloaded, the driver may give the same address to a function
//! of another module, so what is remembered of a handle is a claim to be tested, not a fact: each launch asks the driver about
//! the last parameter. What that cannot tell stands in the documentation of [`launch!`](crate::launch!).

use core::{cell::Cell, ptr};
use cudarc::driver::sys::{CUcontext, CUfunction};
use kernel_args_abi::Parameter;

/// How many functions a thread remembers at most. Two that fall on one place take turns, and are then verified again.
const PLACES: usize = 128;

/// A function that was verified, and what it was verified with.
///
/// The parameters stand for the struct: two structs with the same address of them have the same parameters, because what
/// stands at one address does not change. A struct with two addresses of them is verified twice.
#[derive(Clone, Copy)]
struct Entry {
    function: CUfunction,
    parameters: *const Parameter<'static>,
    /// The context of the function; null where nothing tells.
    context: CUcontext,
}

const EMPTY: Entry = Entry {
    function: ptr::null_mut(),
    parameters: ptr::null(),
    context: ptr::null_mut(),
};

std::thread_local! {
    static VERIFIED: [Cell<Entry>; PLACES] = const { [const { Cell::new(EMPTY) }; PLACES] };
}

/// The place of a function and a struct: handles are addresses of objects, so their low bits tell little.
fn place(function: CUfunction, parameters: &'static [Parameter<'static>]) -> usize {
    let mixed = function.addr() ^ parameters.as_ptr().addr().rotate_right(7);
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as usize) >> (usize::BITS - PLACES.ilog2())
}

/// The context that was remembered with `function`, null where none was, if it was verified with these parameters.
#[inline]
pub(super) fn context(
    function: CUfunction,
    parameters: &'static [Parameter<'static>],
) -> Option<CUcontext> {
    let entry = VERIFIED.with(|entries| entries[place(function, parameters)].get());
    let same = entry.function == function && entry.parameters == parameters.as_ptr();
    same.then_some(entry.context)
}

/// Remembers that `function` was verified with these parameters, in `context`, which is null where nothing tells.
#[cold]
pub(super) fn remember(
    function: CUfunction,
    parameters: &'static [Parameter<'static>],
    context: CUcontext,
) {
    let entry = Entry {
        function,
        parameters: parameters.as_ptr(),
        context,
    };
    VERIFIED.with(|entries| entries[place(function, parameters)].set(entry));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(address: usize) -> CUfunction {
        ptr::without_provenance_mut(address)
    }

    #[test]
    fn only_the_function_and_the_parameters_that_were_verified_are_remembered() {
        static ONE: [Parameter<'static>; 1] = [Parameter::record(0, 4)];
        static TWO: [Parameter<'static>; 1] = [Parameter::record(0, 8)];
        let inside = ptr::without_provenance_mut(64);
        assert_eq!(context(function(16), &ONE), None);
        remember(function(16), &ONE, inside);
        assert_eq!(context(function(16), &ONE), Some(inside));
        assert_eq!(context(function(32), &ONE), None);
        assert_eq!(context(function(16), &TWO), None);
        let elsewhere = std::thread::spawn(|| context(function(16), &ONE).is_none());
        assert!(elsewhere.join().unwrap(), "each thread verifies for itself");
    }

    /// Whatever falls on one place: what is remembered last is what is found.
    #[test]
    fn functions_that_share_a_place_take_turns() {
        static ONE: [Parameter<'static>; 1] = [Parameter::record(0, 4)];
        for address in (1..=8 * PLACES).map(|i| i * 0x340) {
            remember(function(address), &ONE, ptr::null_mut());
            assert_eq!(context(function(address), &ONE), Some(ptr::null_mut()));
        }
        let kept = (1..=8 * PLACES)
            .filter(|i| context(function(i * 0x340), &ONE).is_some())
            .count();
        assert!((PLACES / 2..=PLACES).contains(&kept), "{kept} are kept");
    }
}

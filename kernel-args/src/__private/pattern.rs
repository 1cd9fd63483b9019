//! The comparison of a struct with all kernels of its patterns: `#[kernel_args(kernel = module, entries = "…")]`.

use super::kernel::{Checked, push_nearest, varies};
use crate::marshal::KernelArgs;
pub use kernel_args_abi::compiled::{Binding, Family, Found, Presence, Target};
use kernel_args_abi::{
    Signature,
    check::report,
    texts::{Message, templates},
};

pub const fn target<A: KernelArgs<Erased = A> + 'static>(
    suffix: &'static str,
    written: &'static str,
    bindings: &'static [usize],
    fields: &'static [usize],
) -> Target {
    Target { id: core::any::TypeId::of::<A>, parameters: A::PARAMETERS, suffix, written, bindings, fields }
}

/// Returns the comparison with the first kernel that does not fit. `None` if all fit.
pub const fn compare_bound<const N: usize, const P: usize>(
    family: &Family,
    found: &Found<N, P>,
    kernels: &'static [Signature<'static>],
) -> Checked {
    match kernels {
        [kernel] => Some((report(&found.host(family), kernel), Some(found.bound(family)))),
        _ => None,
    }
}

/// Reports a kernel that matches the patterns, but that no binding takes, and a kernel whose parameters depend on the
/// GPU.
#[track_caller]
pub const fn all_bound<const N: usize, const P: usize>(family: &Family, found: &Found<N, P>) {
    if let Some(kernel) = found.varying(family) {
        varies(kernel.name())
    }
    if !found.leaves_out() {
        return;
    }
    let mut message: Message = Message::new();
    templates::left_out(&mut message, family.name);
    let (mut count, mut first, mut i) = (0, "", 0);
    while let Some(kernel) = family.kernels.get(i) {
        i += 1;
        if !family.names(&kernel) || family.takes(&kernel) {
            continue;
        }
        if count == 0 {
            first = kernel.symbol();
        }
        count += 1;
        if count <= LISTED {
            templates::kernel_in_list(&mut message, kernel.name());
        }
    }
    if count > LISTED {
        templates::and_more(&mut message, count - LISTED);
    }
    templates::bind_or_except(&mut message, first);
    message.fail()
}

const LISTED: usize = 6;

#[track_caller]
pub const fn some_match<const N: usize, const P: usize>(family: &Family, found: &Found<N, P>, pattern: usize) {
    if found.is_matched(family, pattern) {
        return;
    }
    let pattern = family.entries[pattern];
    let mut message: Message = Message::new();
    templates::no_match(&mut message, pattern);
    push_nearest(&mut message, &family.kernels, pattern, "");
    message.fail()
}

/// Reports a binding whose suffix matches no kernel of the patterns. If a pattern has no match, this is reported alone.
#[track_caller]
pub const fn some_bound<const N: usize, const P: usize>(
    family: &Family,
    found: &Found<N, P>,
    binding: usize,
    suffix: &str,
) {
    let mut i = 0;
    while i < P {
        if !found.is_matched(family, i) {
            return;
        }
        i += 1;
    }
    if found.is_bound(family, binding) {
        return;
    }
    let pattern = family.entries[0];
    let mut message: Message = Message::new();
    templates::no_match_with_suffix(&mut message, pattern, suffix);
    push_nearest(&mut message, &family.kernels, pattern, suffix);
    let Binding { written, presence } = family.bindings[binding];
    match presence {
        Presence::Since(first) => templates::must_have(&mut message, first as usize),
        _ => templates::may_lack(&mut message, written),
    }
    message.fail()
}

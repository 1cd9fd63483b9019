//! The comparison of a struct with all kernels of its patterns: `#[kernel_args(kernel = module, entries = "…")]`.

use super::kernel::{Checked, push_nearest, varies};
use crate::marshal::KernelArgs;
pub use kernel_args_abi::compiled::{Binding, Family, Found, Presence, Target};
use kernel_args_abi::{
    Signature,
    check::report,
    texts::{Bound, Message, templates},
};

/// The struct with one combination of types, as a target of its family.
#[must_use]
pub const fn target<A: KernelArgs<Erased = A> + 'static>(
    suffix: &'static str,
    written: &'static str,
    bindings: &'static [usize],
    fields: &'static [usize],
) -> Target {
    Target { id: core::any::TypeId::of::<A>, parameters: A::PARAMETERS, suffix, written, bindings, fields }
}

/// The comparison with the first kernel that does not fit. `None` if all fit.
#[must_use]
pub const fn compare_bound(host: &'static Signature<'static>, kernels: &'static [Signature<'static>]) -> Checked {
    match kernels {
        [kernel] => Some(report(host, kernel)),
        _ => None,
    }
}

/// Reports a field that does not match its parameter. `is_generic` is true if its type contains a type parameter.
///
/// # Panics
/// At compile time, with both sides, the binding and the code to write.
#[track_caller]
pub const fn field_fits_bound<const N: usize, const P: usize>(
    family: &Family,
    found: &Found<N, P>,
    checked: &Checked,
    field: usize,
    is_generic: bool,
) {
    if let Some(report) = checked
        && let Some(message) = report.field_message_bound(field, &bound(family, found, is_generic))
    {
        message.fail()
    }
}

/// Reports the parameters that no field passes.
///
/// # Panics
/// At compile time, with these parameters and the binding.
#[track_caller]
pub const fn nothing_missing_bound<const N: usize, const P: usize>(
    family: &Family,
    found: &Found<N, P>,
    checked: &Checked,
) {
    if let Some(report) = checked
        && let Some(message) = report.missing_message_bound(&bound(family, found, true))
    {
        message.fail()
    }
}

const fn bound<const N: usize, const P: usize>(
    family: &Family,
    found: &Found<N, P>,
    is_generic: bool,
) -> Bound<'static> {
    Bound {
        written: match found.target(family) {
            Some(target) => target.written,
            None => "",
        },
        is_generic,
        is_wrong: is_generic && found.is_binding_wrong(),
        more: found.more(),
        several: N > 1,
    }
}

/// Reports a kernel that matches the patterns, but that no binding takes, and a kernel whose parameters depend on the GPU.
///
/// # Panics
/// At compile time, with the kernels.
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
        if !family.names(&kernel) || is_taken(family, &kernel) {
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

/// The maximum number of kernels in a message.
const LISTED: usize = 6;

const fn is_taken(family: &Family, kernel: &kernel_args_abi::compiled::CompiledKernel) -> bool {
    let mut t = 0;
    while t < family.targets.len() {
        if family.takes(kernel, &family.targets[t]) {
            return true;
        }
        t += 1;
    }
    false
}

/// Reports a pattern that matches no kernel.
///
/// # Panics
/// At compile time, with the kernels that have the most similar names.
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
///
/// # Panics
/// At compile time, with the kernels that have the most similar names.
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

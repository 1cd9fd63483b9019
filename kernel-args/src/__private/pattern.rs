//! The comparison of a struct with all kernels of a pattern: `#[kernel_args(kernel = module, entries = "…")]`.

use super::kernel::{Named, named, varies};
use crate::marshal::KernelArgs;
use kernel_args_abi::{
    compiled::CompiledKernels,
    texts::{Message, templates},
};

/// The kernel of a pattern that the struct is compared with field by field: the first kernel that the struct does not match, or the
/// first kernel if it matches all. Empty if no name matches the pattern; [`some_match`] reports this.
///
/// # Panics
/// At compile time, if the parameters of a kernel depend on the GPU.
#[must_use]
#[track_caller]
pub const fn matching<A: KernelArgs>(
    kernels: &CompiledKernels,
    pattern: &str,
    suffix: &str,
) -> Named {
    let mut chosen = None;
    let mut from = 0;
    while let Some(index) = kernels.position(from, pattern, suffix) {
        from = index + 1;
        let Some(kernel) = kernels.get(index) else {
            break;
        };
        if kernel.varies() {
            varies(kernel.name())
        }
        let one = named::<A>(&kernel.kernels());
        if !one.in_doubt().is_empty() {
            return one;
        }
        if chosen.is_none() {
            chosen = Some(one);
        }
    }
    match chosen {
        Some(chosen) => chosen,
        None => named::<A>(&kernels.none()),
    }
}

/// Reports a pattern that matches no kernel with any of the suffixes.
///
/// # Panics
/// At compile time, with the kernels that have the most similar names.
#[track_caller]
pub const fn some_match(kernels: &CompiledKernels, pattern: &str, suffixes: &[&str]) {
    let mut i = 0;
    while i < suffixes.len() {
        if kernels.position(0, pattern, suffixes[i]).is_some() {
            return;
        }
        i += 1;
    }
    let mut message: Message = Message::new();
    let suffix = suffixes[0];
    if suffix.is_empty() {
        templates::no_match(&mut message, pattern);
    } else {
        templates::no_match_with_suffix(&mut message, pattern, suffix);
    }
    templates::nearest_names(&mut message);
    let nearest = kernels.nearest(pattern, suffix);
    i = 0;
    while i < nearest.len() {
        if let Some(index) = nearest[i]
            && let Some(kernel) = kernels.get(index)
        {
            templates::kernel_in_list(&mut message, kernel.name());
        }
        i += 1;
    }
    message.fail()
}

//! The kernels that a struct names by patterns.

use super::{
    decode::{Head, VARIES},
    fingerprint::changed,
    glob,
    image::place_at,
    kernel::CompiledKernel,
    names::Names,
    set::CompiledKernels,
};
use crate::{
    bytes::same,
    signature::{Parameter, Signature},
    texts::Bound,
};
use core::any::TypeId;

/// `kernel = module, entries = "affine_*", T = f32 => "_f32"`.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    pub kernels: CompiledKernels,
    pub entries: &'static [&'static str],
    pub except: &'static [&'static str],
    pub bindings: &'static [Binding],
    /// The struct with each combination of types, or without bindings.
    pub targets: &'static [Target],
}

/// `T = f32 => "_f32"`.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    pub written: &'static str,
    pub presence: Presence,
}

/// Whether an image must have the kernels of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    Required,
    /// It may lack them: `if_present`.
    Optional,
    /// It may lack them if all of its code is for older GPUs: `if sm >= 89`.
    Since(u16),
}

#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The identity of the erased struct.
    pub id: fn() -> TypeId,
    pub parameters: &'static [Parameter<'static>],
    pub suffix: &'static str,
    /// The bindings as in the attribute, separated by commas.
    pub written: &'static str,
    pub bindings: &'static [usize],
    /// If a field is not one parameter: the index of the first parameter of each field, and the number of parameters.
    pub fields: &'static [usize],
}

impl Family {
    /// Returns whether a kernel matches a pattern, and no exception.
    pub const fn names(&self, kernel: &CompiledKernel) -> bool {
        let names = kernel.names();
        any_matches(self.entries, &names, "") && !any_matches(self.except, &names, "")
    }

    /// Returns whether the struct has types for this kernel, which it [`names`](Self::names).
    pub const fn takes(&self, kernel: &CompiledKernel) -> bool {
        any!(t < self.targets.len(), takes(self.entries, &kernel.names(), self.targets[t].suffix))
    }

    pub const fn may_lack(&self, binding: &Binding) -> bool {
        match binding.presence {
            Presence::Required => false,
            Presence::Optional => true,
            Presence::Since(first) => {
                let gpus = self.kernels.image.gpus;
                !any!(i < gpus.len(), gpus[i] >= first)
            }
        }
    }

    const fn may_lack_all(&self) -> bool {
        let all = self.bindings;
        !all.is_empty() && !any!(i < all.len(), !self.may_lack(&all[i]))
    }

    /// Returns whether a struct with these parameters can be one of the targets.
    pub const fn may_bind(&self, parameters: &[Parameter<'_>]) -> bool {
        any!(i < self.targets.len(), are_alike(self.targets[i].parameters, parameters))
    }
}

/// Returns whether a kernel that matches a pattern has a name that ends with `suffix` and matches one.
const fn takes(patterns: &[&str], names: &Names, suffix: &str) -> bool {
    if !names.is_mangled() {
        // It has only one name, which matches.
        let (start, end) = names.symbol;
        return glob::matches_from(b"", suffix.as_bytes(), names.bytes(), start, end, true);
    }
    suffix.is_empty() || any_matches(patterns, names, suffix)
}

const fn any_matches(patterns: &[&str], names: &Names, suffix: &str) -> bool {
    any!(i < patterns.len(), names.match_pattern(patterns[i], suffix))
}

/// Returns whether two lists have the same types, as far as sizes and spellings show.
const fn are_alike(a: &[Parameter<'_>], b: &[Parameter<'_>]) -> bool {
    a.len() == b.len() && !any!(i < a.len(), a[i].size != b[i].size || !same(a[i].spelling, b[i].spelling))
}

/// The comparison of `N` targets and `P` patterns with the kernels.
#[derive(Clone, Copy, Debug)]
pub struct Found<const N: usize, const P: usize> {
    /// The first target that does not fit, and the index of its first kernel.
    misfit: Option<(usize, usize)>,
    /// How many more bindings do not fit. With zero or one binding, counts kernels instead.
    more: usize,
    some_fit: bool,
    varying: Option<usize>,
    /// The first kernel that no target takes.
    left_out: Option<usize>,
    has_kernel: [bool; N],
    is_matched: [bool; P],
}

impl<const N: usize, const P: usize> Found<N, P> {
    /// Compares all targets with their kernels.
    ///
    /// # Panics
    /// At compile time, if a kernel's declaration in the image has changed since the macro read it.
    #[track_caller]
    pub const fn new(family: &Family) -> Self {
        let mut found = Self {
            misfit: None,
            more: 0,
            some_fit: false,
            varying: None,
            left_out: None,
            has_kernel: [false; N],
            is_matched: [false; P],
        };
        let image = family.kernels.image;
        let (mut misfits, mut kernels) = ([false; N], 0);
        // The last list of each target, and whether it fits: equal lists are neighbours in most families.
        let mut compared = [(0, false); N];
        let mut p = 0;
        while p < P {
            let (mut i, end) = family.kernels.range(family.entries[p]);
            while i < end {
                let at = place_at(image.table, 1 + family.kernels.start as usize + i);
                let names = Names::read_at(image, at);
                if found.is_new(family, &names, p) {
                    let mut is_taken = false;
                    let mut t = 0;
                    while t < N {
                        if takes(family.entries, &names, family.targets[t].suffix) {
                            is_taken = true;
                            found.has_kernel[t] = true;
                            let head = Head::read_at(image, at, names);
                            if !head.is_unchanged() {
                                changed()
                            }
                            if head.flags & VARIES != 0 && found.varying.is_none() {
                                found.varying = Some(i);
                            }
                            if compared[t].0 != head.records {
                                compared[t] = (head.records, head.fits(family.targets[t].parameters));
                            }
                            if !compared[t].1 {
                                (misfits[t], kernels) = (true, kernels + 1);
                                match found.misfit {
                                    Some((first, _)) if first <= t => {}
                                    _ => found.misfit = Some((t, i)),
                                }
                            }
                        }
                        t += 1;
                    }
                    if !is_taken && found.left_out.is_none() {
                        found.left_out = Some(i);
                    }
                }
                i += 1;
            }
            p += 1;
        }
        let (mut wrong, mut t) = (0, 0);
        while t < N {
            wrong += misfits[t] as usize;
            found.some_fit |= found.has_kernel[t] && !misfits[t];
            t += 1;
        }
        let count = if N > 1 { wrong } else { kernels };
        found.more = count.saturating_sub(1);
        found
    }

    /// Returns whether `p` is the first pattern that matches, and no exception does. Marks the pattern.
    const fn is_new(&mut self, family: &Family, names: &Names, p: usize) -> bool {
        if !names.match_pattern(family.entries[p], "") {
            return false;
        }
        self.is_matched[p] = true;
        (p == 0 || !any_matches(family.entries.split_at(p).0, names, ""))
            && (family.except.is_empty() || !any_matches(family.except, names, ""))
    }

    /// Returns the first kernel that does not fit; empty if all fit.
    pub const fn in_doubt(&self, family: &Family) -> CompiledKernels {
        let none = family.kernels.none();
        some!(family.kernels.get(some!(self.misfit, none).1), none).kernels()
    }

    pub const fn host(&self, family: &Family) -> Signature<'static> {
        Signature { name: family.name, parameters: self.target(family).parameters }
    }

    const fn target(&self, family: &Family) -> Target {
        const NONE: Target =
            Target { id: TypeId::of::<()>, parameters: &[], suffix: "", written: "", bindings: &[], fields: &[] };
        family.targets[some!(self.misfit, NONE).0]
    }

    /// Returns what a message reports about the binding that does not fit. It is wrong, not the struct, if the struct
    /// fits with other types, or has none.
    pub const fn bound(&self, family: &Family) -> Bound<'static> {
        let written = self.target(family).written;
        Bound { written, is_generic: true, is_wrong: self.some_fit || N == 1, more: self.more, several: N > 1 }
    }

    /// [`Target::fields`] of the target that does not fit.
    pub const fn fields(&self, family: &Family) -> &'static [usize] {
        self.target(family).fields
    }

    pub const fn varying(&self, family: &Family) -> Option<CompiledKernel> {
        family.kernels.get(some!(self.varying))
    }

    pub const fn leaves_out(&self) -> bool {
        self.left_out.is_some()
    }

    /// Returns whether a kernel matches the pattern, or the image may lack it.
    pub const fn is_matched(&self, family: &Family, pattern: usize) -> bool {
        self.is_matched[pattern] || family.may_lack_all() || family.kernels.is_unknown()
    }

    /// Returns whether the binding has a kernel, or the image may lack it.
    pub const fn is_bound(&self, family: &Family, binding: usize) -> bool {
        family.may_lack(&family.bindings[binding])
            || family.kernels.is_unknown()
            || any!(t < N, {
                let own = family.targets[t].bindings;
                self.has_kernel[t] && any!(i < own.len(), own[i] == binding)
            })
    }
}

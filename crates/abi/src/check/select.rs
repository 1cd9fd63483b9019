//! Which of several kernels a struct is meant for.

use super::{
    body, cpp,
    report::{Report, fits, report},
};
use crate::signature::{Parameter, Signature};

/// The kernels of a list that a struct fits: overloads, or instances of a template.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Selection {
    /// The index of the only kernel that fits, or of the kernel that fits best.
    One(usize),
    /// No kernel fits.
    None,
    /// Several fit equally well.
    Several {
        /// The index of the first one.
        first: usize,
        /// The index of the second one.
        second: usize,
        /// The number of kernels that fit.
        count: usize,
    },
}

/// Chooses the kernel that these fields fit. If several fit, the one with the fewest conversions and the fewest remarks
/// about its code, then one that is not a template instance, as in C++ overload resolution. `float*` fits `k(float*)`
/// better than `k(float const*)`, and that better than `k<float>(float const*)`.
pub const fn select<'a>(host: &'a [Parameter<'a>], candidates: &'a [Signature<'a>]) -> Selection {
    let mut best = Selection::None;
    let mut fewest = usize::MAX;
    let mut i = 0;
    while i < candidates.len() {
        if fits(host, candidates[i].parameters, None) {
            let conversions =
                2 * conversions(host, candidates[i].parameters) + is_instance(candidates[i].name) as usize;
            best = match best {
                Selection::One(first) if conversions == fewest => Selection::Several { first, second: i, count: 2 },
                Selection::Several { first, second, count } if conversions == fewest => {
                    Selection::Several { first, second, count: count + 1 }
                }
                other if conversions > fewest => other,
                _ => {
                    fewest = conversions;
                    Selection::One(i)
                }
            };
        }
        i += 1;
    }
    best
}

/// Returns the kernel with the fewest mistakes, preferably not a template instance. 0 if `candidates` is empty.
pub const fn nearest<'a>(host: &Signature<'a>, candidates: &[Signature<'a>]) -> usize {
    let (mut nearest, mut fewest) = (0, usize::MAX);
    let mut i = 0;
    while i < candidates.len() {
        let report: Report<'_, 1> = report(host, &candidates[i]);
        let mistakes = 2 * report.total() + is_instance(candidates[i].name) as usize;
        if mistakes < fewest {
            (nearest, fewest) = (i, mistakes);
        }
        i += 1;
    }
    nearest
}

/// Returns whether a demangled name is a template instance: `void k<float>(int)`.
const fn is_instance(name: &str) -> bool {
    let name = name.as_bytes();
    let mut i = 1;
    while i < name.len() {
        // The parameter list begins here. `(anonymous namespace)` follows `::` or a space.
        if name[i] == b'(' && !matches!(name[i - 1], b':' | b' ') {
            return name[i - 1] == b'>';
        }
        i += 1;
    }
    false
}

const fn conversions(host: &[Parameter<'_>], kernel: &[Parameter<'_>]) -> usize {
    let mut count = 0;
    let mut i = 0;
    while i < host.len() && i < kernel.len() {
        if cpp::is_conversion(host[i].cpp, kernel[i].cpp)
            || kernel[i].cpp.is_unknown() && body::refused_at(&host[i], &kernel[i], 0, true).is_some()
        {
            count += 1;
        }
        i += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::is_instance;

    #[test]
    fn instances_are_distinguished_from_overloads() {
        for (name, instance) in [
            ("saxpy", false),
            ("saxpy(int, float)", false),
            ("void saxpy<float>(int, float)", true),
            ("void sim::(anonymous namespace)::k<float, 4>(sim::Box<float>)", true),
            ("(anonymous namespace)::k(Box<void (int)>)", false),
        ] {
            assert_eq!(is_instance(name), instance, "{name}");
        }
    }
}

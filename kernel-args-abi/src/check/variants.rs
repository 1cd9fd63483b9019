//! Whether the variants of a Rust enum are those of the kernel's.

use super::names::same;
use crate::signature::{Members, Parameter, Variant};

/// How many variants before and after one are looked at for its name.
const NEAR: usize = 64;

/// How many for one that is not spelled the same: the compiler bounds how long a constant takes.
const ALIKE: usize = 16;

/// A variant of the host's enum that the kernel's does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct VariantMismatch<'a> {
    /// The host's.
    pub host: Variant<'a>,
    /// The kernel's of the [same name](first_variant), which has another value; `None` where no variant of the kernel's has
    /// the value.
    pub kernel: Option<Variant<'a>>,
}

/// The first variant of an enum in which a field differs from a parameter. `None` where they agree, and where one of them
/// does not tell its variants.
///
/// The host passes values to the kernel: each must be one of the kernel's, under the same name if the kernel's enum has that
/// name. The kernel's may have more. A name is looked for among the 64 variants before and after, one of another spelling among 16.
///
/// Where no variant of the kernel's is spelled as the host's, names are the same without case and underscores, and without
/// words that all of the kernel's begin with: `FastMath` is `fast_math`, `MODE_FAST_MATH` and `kFastMath`. If several of the
/// kernel's are the same so, one of them must have the value.
#[must_use]
pub const fn first_variant<'a>(
    host: &Parameter<'a>,
    kernel: &Parameter<'a>,
) -> Option<VariantMismatch<'a>> {
    // An enum that is only declared has no variants.
    if !host.members.is_enum() || kernel.members.variant(0).is_none() {
        return None;
    }
    let starts = starts(kernel.members);
    let mut i = 0;
    while let Some(variant) = host.members.variant(i) {
        // One is the usual case: both list the same.
        let is_same = match kernel.members.variant(i) {
            Some(other) => {
                same_value(variant, other, host.size) && agree(variant.name, other.name, starts)
            }
            None => false,
        };
        if !is_same {
            if let Some(named) = find_name(kernel.members, variant, host.size, starts, i) {
                if !same_value(variant, named, host.size) {
                    return Some(VariantMismatch {
                        host: variant,
                        kernel: Some(named),
                    });
                }
            } else if !has_value(kernel.members, variant, host.size) {
                return Some(VariantMismatch {
                    host: variant,
                    kernel: None,
                });
            }
        }
        i += 1;
    }
    None
}

/// The variant that is spelled as the host's; else of those whose names [`agree`] with it one of its value, or the first.
const fn find_name<'a>(
    variants: Members<'a>,
    host: Variant<'_>,
    size: usize,
    starts: u128,
    near: usize,
) -> Option<Variant<'a>> {
    let mut found: Option<Variant<'a>> = None;
    let mut i = near.saturating_sub(NEAR);
    while i <= near.saturating_add(NEAR)
        && let Some(variant) = variants.variant(i)
    {
        if same(host.name, variant.name) {
            return Some(variant);
        }
        if i + ALIKE >= near
            && i <= near + ALIKE
            && (found.is_none() || same_value(host, variant, size))
            && agree(host.name, variant.name, starts)
        {
            found = Some(variant);
        }
        i += 1;
    }
    found
}

/// How many bytes all names begin with, if there are several.
const fn common_prefix(variants: Members<'_>) -> usize {
    let Some(first) = variants.variant(0) else {
        return 0;
    };
    let first = first.name.as_bytes();
    let mut length = if variants.variant(1).is_some() {
        first.len()
    } else {
        0
    };
    let mut i = 1;
    while length > 0
        && let Some(variant) = variants.variant(i)
    {
        let name = variant.name.as_bytes();
        let mut at = 0;
        while at < length && at < name.len() && name[at] == first[at] {
            at += 1;
        }
        length = at;
        i += 1;
    }
    length
}

/// At which bytes the names of an enum may be taken to begin, as bits: at the first, and at words behind what all begin with.
/// They are found once, for the names of a large enum are compared often.
const fn starts(variants: Members<'_>) -> u128 {
    let prefix = common_prefix(variants);
    let mut starts = 1;
    let mut at = 1;
    while let Some(first) = variants.variant(0)
        && at <= prefix
        && at < u128::BITS as usize
    {
        // Whether a word begins behind the last common byte, each name tells.
        if at == prefix || begins_word(first.name.as_bytes(), at) {
            starts |= 1 << at;
        }
        at += 1;
    }
    starts
}

/// Whether two names are one without case and underscores, the kernel's from one of the `starts` on.
const fn agree(host: &str, kernel: &str, mut starts: u128) -> bool {
    let (host, kernel) = (host.as_bytes(), kernel.as_bytes());
    // Most differ at the end already.
    if let ([.., a], [.., b]) = (host, kernel)
        && !a.eq_ignore_ascii_case(b)
        && *a != b'_'
        && *b != b'_'
    {
        return false;
    }
    while starts != 0 {
        let start = starts.trailing_zeros() as usize;
        if start < kernel.len()
            && (start == 0 || begins_word(kernel, start))
            && same_letters(host, kernel, start)
        {
            return true;
        }
        starts &= starts - 1;
    }
    false
}

const fn begins_word(name: &[u8], at: usize) -> bool {
    name[at] != b'_'
        && (name[at - 1] == b'_'
            || name[at].is_ascii_uppercase() && !name[at - 1].is_ascii_uppercase())
}

/// Whether two names have the same letters and digits, those of the second from `start` on.
const fn same_letters(a: &[u8], b: &[u8], start: usize) -> bool {
    let (mut i, mut j, mut any) = (0, start, false);
    loop {
        if i < a.len() && a[i] == b'_' {
            i += 1;
            continue;
        }
        if j < b.len() && b[j] == b'_' {
            j += 1;
            continue;
        }
        if i == a.len() || j == b.len() {
            // A name of underscores alone is only itself.
            return any && i == a.len() && j == b.len();
        }
        if !a[i].eq_ignore_ascii_case(&b[j]) {
            return false;
        }
        (i, j, any) = (i + 1, j + 1, true);
    }
}

const fn has_value(variants: Members<'_>, wanted: Variant<'_>, size: usize) -> bool {
    let mut i = 0;
    while let Some(variant) = variants.variant(i) {
        if same_value(wanted, variant, size) {
            return true;
        }
        i += 1;
    }
    false
}

/// Whether two values have the same bits in a type of `size` bytes: compilers tell the signs of some as they like.
const fn same_value(a: Variant<'_>, b: Variant<'_>, size: usize) -> bool {
    let different = a.value ^ b.value;
    match size {
        1..=15 => different << (128 - 8 * size as u32) == 0,
        _ => different == 0,
    }
}

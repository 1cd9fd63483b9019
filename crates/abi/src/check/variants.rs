//! Compares the variants of a Rust enum with the variants of the kernel's enum.

use super::slots::{self, NEAR, Slots, hash_more};
use crate::{
    bytes::same,
    signature::{Members, Parameter, Variant},
};

/// A wrong variant of the host's enum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct VariantMismatch<'a> {
    /// The host's variant.
    pub host: Variant<'a>,
    /// The kernel's variant of the [same name](first_variant) with another value. `None` if no variant of the kernel's
    /// enum has the value.
    pub kernel: Option<Variant<'a>>,
}

/// Returns the first variant that is wrong. `None` if the enums match, or if the variants of one side are unknown.
///
/// Each value of the host must exist in the kernel's enum, under the same name if it has that name.
///
/// If no variant of the kernel's enum has an equal name, names match without case, underscores, and a prefix of words
/// that all of its variants share. `FastMath` matches `fast_math`, `MODE_FAST_MATH` and `kFastMath`. If several match,
/// one of them must have the value.
///
/// Of more than 3,000 names, a name is searched for only among the 64 variants before and after.
pub const fn first_variant<'a>(host: &Parameter<'a>, kernel: &Parameter<'a>) -> Option<VariantMismatch<'a>> {
    // A declared but undefined enum has no variants.
    if !host.members.is_enum() || kernel.members.variant(0).is_none() {
        return None;
    }
    let starts = starts(kernel.members);
    let mut index = None;
    let mut i = 0;
    while let Some(variant) = host.members.variant(i) {
        // The common case: both enums list the same variants.
        let is_same = match kernel.members.variant(i) {
            Some(other) => same_value(variant, other, host.size) && agree(variant.name, other.name, starts),
            None => false,
        };
        if !is_same {
            if index.is_none() {
                index = Some(Index::new(kernel.members, host.size, starts));
            }
            if let Some(index) = &index {
                let named = index.named(variant, i);
                let differs = match named {
                    Some(named) => !same_value(variant, named, host.size),
                    None => !index.has_value(variant),
                };
                if differs {
                    return Some(VariantMismatch { host: variant, kernel: named });
                }
            }
        }
        i += 1;
    }
    None
}

struct Index<'a> {
    variants: Members<'a>,
    size: usize,
    starts: u128,
    names: Slots<4096>,
    values: Slots<4096>,
}

impl<'a> Index<'a> {
    const fn new(variants: Members<'a>, size: usize, starts: u128) -> Self {
        let (mut names, mut values) = (Slots::new(), Slots::new());
        let mut i = 0;
        while let Some(variant) = variants.variant(i) {
            values.insert(hash_of_value(variant, size), i);
            let name = variant.name.as_bytes();
            let mut left = starts;
            while left != 0 {
                let start = left.trailing_zeros() as usize;
                if may_begin(name, start) {
                    names.insert(hash_of_letters(name, start), i);
                }
                left &= left - 1;
            }
            i += 1;
        }
        Self { variants, size, starts, names, values }
    }

    /// Returns the variant with the same name. Otherwise, of the names that [`agree`], one with the same value, or the
    /// first.
    const fn named(&self, host: Variant<'_>, near: usize) -> Option<Variant<'a>> {
        let mut named: Option<Variant<'a>> = None;
        let mut at = hash_of_letters(host.name.as_bytes(), 0);
        while let Some(i) = self.names.next(&mut at)
            && let Some(variant) = self.variants.variant(i)
        {
            if same(host.name, variant.name) {
                return Some(variant);
            }
            if (named.is_none() || same_value(host, variant, self.size)) && agree(host.name, variant.name, self.starts)
            {
                named = Some(variant);
            }
        }
        let mut i = near.saturating_sub(NEAR);
        while self.names.is_full()
            && named.is_none()
            && i <= near + NEAR
            && let Some(variant) = self.variants.variant(i)
        {
            if same(host.name, variant.name) || agree(host.name, variant.name, self.starts) {
                named = Some(variant);
            }
            i += 1;
        }
        named
    }

    const fn has_value(&self, host: Variant<'_>) -> bool {
        let mut at = hash_of_value(host, self.size);
        while let Some(i) = self.values.next(&mut at)
            && let Some(variant) = self.variants.variant(i)
        {
            if same_value(host, variant, self.size) {
                return true;
            }
        }
        // The index may not contain every one.
        self.values.is_full() && any!(i, variant = self.variants.variant(i), same_value(host, variant, self.size))
    }
}

/// Returns a hash of the letters and digits of a name from `start` on, in lower case.
const fn hash_of_letters(name: &[u8], start: usize) -> u64 {
    let (mut hash, mut i) = (slots::NOTHING, start);
    while i < name.len() {
        let byte = name[i];
        if byte != b'_' {
            let is_upper = byte >= b'A' && byte <= b'Z';
            hash_more!(hash, byte | (is_upper as u8) << 5);
        }
        i += 1;
    }
    hash
}

const fn hash_of_value(variant: Variant<'_>, size: usize) -> u64 {
    let (mut hash, mut i) = (slots::NOTHING, 0);
    let bytes = variant.value.to_le_bytes();
    while i < size && i < bytes.len() {
        hash_more!(hash, bytes[i]);
        i += 1;
    }
    hash
}

/// Returns the number of bytes in the common prefix of several names.
const fn common_prefix(variants: Members<'_>) -> usize {
    let first = some!(variants.variant(0), 0).name.as_bytes();
    let mut length = if variants.variant(1).is_some() { first.len() } else { 0 };
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

/// Returns a bit for each byte at which a name may begin: the first, and the words after the common prefix.
const fn starts(variants: Members<'_>) -> u128 {
    let prefix = common_prefix(variants);
    let mut starts = 1;
    let mut at = 1;
    while let Some(first) = variants.variant(0)
        && at <= prefix
        && at < u128::BITS as usize
    {
        // Whether a word begins after the common prefix depends on each name.
        if at == prefix || begins_word(first.name.as_bytes(), at) {
            starts |= 1 << at;
        }
        at += 1;
    }
    starts
}

/// Returns whether two names match; the kernel's may begin at any of the `starts`.
const fn agree(host: &str, kernel: &str, mut starts: u128) -> bool {
    let (host, kernel) = (host.as_bytes(), kernel.as_bytes());
    // Most names already differ at the end.
    if let ([.., a], [.., b]) = (host, kernel)
        && !a.eq_ignore_ascii_case(b)
        && *a != b'_'
        && *b != b'_'
    {
        return false;
    }
    while starts != 0 {
        let start = starts.trailing_zeros() as usize;
        if may_begin(kernel, start) && same_letters(host, kernel, start) {
            return true;
        }
        starts &= starts - 1;
    }
    false
}

const fn may_begin(name: &[u8], at: usize) -> bool {
    at < name.len() && (at == 0 || begins_word(name, at))
}

const fn begins_word(name: &[u8], at: usize) -> bool {
    name[at] != b'_' && (name[at - 1] == b'_' || name[at].is_ascii_uppercase() && !name[at - 1].is_ascii_uppercase())
}

/// Returns whether two names have the same letters and digits, `b` from `start` on.
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
            // A name that consists of underscores matches only itself.
            return any && i == a.len() && j == b.len();
        }
        if !a[i].eq_ignore_ascii_case(&b[j]) {
            return false;
        }
        (i, j, any) = (i + 1, j + 1, true);
    }
}

/// Returns whether two values have the same bits in `size` bytes. Compilers differ in the sign that they record.
const fn same_value(a: Variant<'_>, b: Variant<'_>, size: usize) -> bool {
    let different = a.value ^ b.value;
    match size {
        1..=15 => different << (128 - 8 * size as u32) == 0,
        _ => different == 0,
    }
}

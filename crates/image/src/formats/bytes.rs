//! Little-endian numbers, and searches of long texts.
//!
//! The macros read megabytes of PTX, mostly compiled without optimization. There, a loop with an index takes a sixth of
//! the time of an iterator, and `as` is no call, unlike `From`.

use core::ffi::CStr;

pub(crate) type Class = [bool; 256];

pub(crate) const fn except(bytes: &[u8]) -> Class {
    with([true; 256], bytes, false)
}

pub(crate) const fn only(bytes: &[u8]) -> Class {
    with([false; 256], bytes, true)
}

pub(crate) const fn with(mut class: Class, bytes: &[u8], is_member: bool) -> Class {
    let mut i = 0;
    while i < bytes.len() {
        class[bytes[i] as usize] = is_member;
        i += 1;
    }
    class
}

/// Returns the position of the first byte from `at` on that is not in a class, or the end.
pub(crate) fn skip(text: &[u8], mut at: usize, class: &Class) -> usize {
    let end = text.len();
    while at < end && class[text[at] as usize] {
        at += 1;
    }
    at
}

/// [`skip`] for long runs: eight bytes at a time.
pub(crate) fn skip_long(text: &[u8], at: usize, class: &Class) -> usize {
    let mut rest = text.get(at..).unwrap_or_default();
    while let [a, b, c, d, e, f, g, h, after @ ..] = rest {
        let first = class[*a as usize] & class[*b as usize] & class[*c as usize];
        let then = class[*d as usize] & class[*e as usize] & class[*f as usize];
        if !(first & then & class[*g as usize] & class[*h as usize]) {
            break;
        }
        rest = after;
    }
    skip(text, text.len() - rest.len(), class)
}

/// Returns the position after the `*/` that is at `at` or later.
pub(crate) fn after_comment(text: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = skip_long(text, at, &NOT_STAR) + 1;
        if *text.get(at)? == b'/' {
            return Some(at + 1);
        }
    }
}

static NOT_STAR: Class = except(b"*");

pub(crate) fn before_nul(bytes: &[u8]) -> &[u8] {
    // The standard library contains this search with optimization.
    CStr::from_bytes_until_nul(bytes).map_or(bytes, CStr::to_bytes)
}

pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(crate) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

pub(crate) fn range(bytes: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    bytes.get(start..end)
}

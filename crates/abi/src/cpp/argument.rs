//! Parses a template argument.

use super::{CppBase, CppType, scalar::scalar};
use crate::bytes::{equal, starts_with};

pub(crate) const fn argument_end(list: &[u8], mut at: usize) -> usize {
    let mut depth = 0usize;
    while at < list.len() {
        match list[at] {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

pub(crate) enum Argument<'a> {
    Number(&'a [u8]),
    Type(Spelled<'a>),
    Unknown,
}

pub(crate) struct Spelled<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) shape: CppType<'a>,
    pub(super) is_const: bool,
}

impl<'a> Argument<'a> {
    pub(crate) const fn read(text: &'a [u8]) -> Self {
        if let Some(number) = number(text) {
            return Self::Number(number);
        }
        let mut i = 0;
        let mut depth = 0usize;
        while i < text.len() {
            match text[i] {
                b'<' => depth += 1,
                b'>' => depth = depth.saturating_sub(1),
                b'(' | b'[' | b'{' | b'&' | b'.' if depth == 0 => return Self::Unknown,
                _ => {}
            }
            i += 1;
        }
        match Spelled::read(text) {
            Some(spelled) if !spelled.name.is_empty() => Self::Type(spelled),
            _ => Self::Unknown,
        }
    }
}

impl<'a> Spelled<'a> {
    const fn read(text: &'a [u8]) -> Option<Self> {
        // From outermost, the last in the text, to innermost.
        let mut levels = [false; CppType::MAX_DEPTH as usize];
        let mut depth = 0;
        let (mut rest, mut is_const) = strip_const(text);
        while let Some((&b'*', pointee)) = rest.split_last() {
            if depth == levels.len() {
                return None;
            }
            let inner;
            (rest, inner) = strip_const(trim(pointee, 0, pointee.len()));
            levels[depth] = inner;
            depth += 1;
        }
        if starts_with(rest, b"const ") {
            rest = trim(rest, 6, rest.len());
            if depth > 0 {
                levels[depth - 1] = true;
            } else {
                is_const = true;
            }
        }
        let mut shape = CppType::UNKNOWN;
        while depth > 0 {
            depth -= 1;
            shape = shape.pointer(levels[depth]);
        }
        Some(Self { name: rest, shape, is_const })
    }
}

pub(crate) const fn integer_or_float(name: &[u8]) -> Option<CppBase<'static>> {
    let name = if starts_with(name, b"std::") { name.split_at(5).1 } else { name };
    match (name, scalar(name)) {
        (_, Some(CppBase::Float { bits: 16 })) => None,
        (b"size_t", _) => Some(CppBase::Long { signed: false }),
        (b"ptrdiff_t", _) => Some(CppBase::Long { signed: true }),
        (b"int64_t", _) => Some(CppBase::Integer { signed: true, bits: 64 }),
        (b"uint64_t", _) => Some(CppBase::Integer { signed: false, bits: 64 }),
        (_, found) => found,
    }
}

/// `long` matches `int64_t`, and also `int`: on Windows, `long` has 32 bits.
pub(crate) const fn same_scalar(a: CppBase<'_>, b: CppBase<'_>) -> bool {
    match (a, b) {
        (CppBase::Long { signed: a }, CppBase::Long { signed: b }) => a == b,
        (CppBase::Long { signed: a }, CppBase::Integer { signed: b, bits })
        | (CppBase::Integer { signed: b, bits }, CppBase::Long { signed: a }) => a == b && matches!(bits, 32 | 64),
        (CppBase::Integer { signed: a, bits: m }, CppBase::Integer { signed: b, bits: n }) => a == b && m == n,
        (CppBase::Float { bits: m }, CppBase::Float { bits: n }) => m == n,
        (CppBase::Char, CppBase::Char | CppBase::Integer { bits: 8, .. })
        | (CppBase::Integer { bits: 8, .. }, CppBase::Char)
        | (CppBase::Bool, CppBase::Bool)
        | (CppBase::Void, CppBase::Void)
        | (CppBase::FunctionType, CppBase::FunctionType) => true,
        _ => false,
    }
}

/// Returns the digits of a number: `3` of `(unsigned int)3` and `3u`, `1` of `true`.
const fn number(text: &[u8]) -> Option<&[u8]> {
    match text {
        b"true" => return Some(b"1"),
        b"false" => return Some(b"0"),
        _ => {}
    }
    let mut start = 0;
    if let Some(b'(') = text.first() {
        while start < text.len() && text[start] != b')' {
            start += 1;
        }
        start += 1;
    }
    let mut end = text.len();
    while end > start && matches!(text[end - 1], b'u' | b'U' | b'l' | b'L') {
        end -= 1;
    }
    if start >= end {
        return None;
    }
    let number = text.split_at(end).0.split_at(start).1;
    let digits = if let [b'-', digits @ ..] = number { digits } else { number };
    if digits.is_empty() || any!(i < digits.len(), !digits[i].is_ascii_digit()) { None } else { Some(number) }
}

const fn strip_const(text: &[u8]) -> (&[u8], bool) {
    const CONST: &[u8] = b" const";
    if text.len() > CONST.len() {
        let (rest, last) = text.split_at(text.len() - CONST.len());
        if equal(last, CONST) {
            return (trim(rest, 0, rest.len()), true);
        }
        // `*const` without a space, as in hand-written code.
        if let (b'*', b"const") = (last[0], last.split_at(1).1) {
            return (text.split_at(text.len() - 5).0, true);
        }
    }
    (text, false)
}

pub(crate) const fn trim(text: &[u8], start: usize, end: usize) -> &[u8] {
    text.split_at(end).0.split_at(start).1.trim_ascii()
}

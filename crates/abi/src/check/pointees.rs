//! The types behind pointers that are still to be compared.

use super::member_mismatch::Route;
use crate::signature::{Parameter, Pointee};

/// The maximum number of pairs of types behind pointers, for one parameter.
const MOST: usize = 32;

#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    host: Pointee<'a>,
    kernel: Pointee<'a>,
    rows: [[u32; 3]; 2],
    pub(super) routes: [Route<'a>; 2],
}

impl<'a> Pair<'a> {
    /// Returns whether both are pointers to known types.
    pub(super) const fn exists(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
        host.cpp.depth > 0 && host.cpp.depth == kernel.cpp.depth && host.pointee.is_known() && kernel.pointee.is_known()
    }

    pub(super) const fn new(host: &Parameter<'a>, kernel: &Parameter<'a>, routes: &[Route<'a>; 2]) -> Self {
        let rows = [host.cpp.rows, kernel.cpp.rows];
        Self { host: host.pointee, kernel: kernel.pointee, rows, routes: *routes }
    }

    /// Returns what both pointers point to. A pointer to an array can be the pointer to its first element, so two
    /// structs of one name are compared without lengths. `[f32; 3]` for `Point` is compared as an array.
    pub(super) const fn types(&self) -> Option<(Parameter<'a>, Parameter<'a>)> {
        let (host, kernel) = (some!(self.host.get()), some!(self.kernel.get()));
        if host.cpp.base.has_name_of(kernel.cpp.base) {
            return Some((host, kernel));
        }
        let host = array(&host, self.rows[0]);
        let kernel = array(&kernel, self.rows[1]);
        Some((whole(host, kernel.size), whole(kernel, host.size)))
    }

    const fn is_same(&self, other: &Self) -> bool {
        self.kernel.is_same(other.kernel) && self.host.is_same(other.host)
    }
}

const fn array<'a>(element: &Parameter<'a>, lengths: [u32; 3]) -> Parameter<'a> {
    let mut array = *element;
    let mut dimension = lengths.len();
    while dimension > 0 {
        dimension -= 1;
        if lengths[dimension] > 0 {
            array = repeated(array, lengths[dimension]);
        }
    }
    array
}

const fn whole(value: Parameter<'_>, size: usize) -> Parameter<'_> {
    if value.size == 0 || size <= value.size || !size.is_multiple_of(value.size) {
        return value;
    }
    let count = size / value.size;
    if count > u32::MAX as usize {
        return value;
    }
    repeated(value, count as u32)
}

const fn repeated(value: Parameter<'_>, count: u32) -> Parameter<'_> {
    Parameter { size: value.size.saturating_mul(count as usize), cpp: value.cpp.array(count), ..value }
}

pub(super) struct Pairs<'a> {
    found: [Option<Pair<'a>>; MOST],
    len: usize,
    next: usize,
}

impl<'a> Pairs<'a> {
    pub(super) const fn new() -> Self {
        Self { found: [None; MOST], len: 0, next: 0 }
    }

    /// Adds a pair, unless its types are compared already: a struct can point to itself. `false` if there are too many.
    pub(super) const fn push(&mut self, pair: &Pair<'a>) -> bool {
        if any!(i < self.len, matches!(&self.found[i], Some(known) if known.is_same(pair))) {
            return true;
        }
        if self.len == MOST {
            return false;
        }
        self.found[self.len] = Some(*pair);
        self.len += 1;
        true
    }

    pub(super) const fn pop(&mut self) -> Option<Pair<'a>> {
        if self.next == self.len {
            return None;
        }
        self.next += 1;
        self.found[self.next - 1]
    }
}

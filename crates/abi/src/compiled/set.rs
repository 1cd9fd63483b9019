//! Several kernels of an image.

use super::{
    image::{CompiledImage, place_at},
    kernel::{CompiledKernel, NOTHING},
    names::Names,
};
use crate::signature::{Parameter, Signature};
use core::fmt;

/// Several kernels of an image that was read while a crate compiled: all kernels (`KERNELS`), or the overloads and
/// template instances of one name.
#[derive(Clone, Copy)]
pub struct CompiledKernels {
    pub(super) image: &'static CompiledImage,
    pub(super) start: u32,
    count: u32,
    /// The symbol of the only kernel. Empty if only the image's text of names contains it.
    symbol: &'static str,
}

impl CompiledKernels {
    /// `count` kernels from index `start` on.
    #[doc(hidden)]
    pub const fn new(image: &'static CompiledImage, start: u32, count: u32) -> Self {
        Self { image, start, count, symbol: "" }
    }

    /// Returns all kernels of the image.
    #[doc(hidden)]
    pub const fn all(image: &'static CompiledImage) -> Self {
        Self::new(image, 0, place_at(image.table, 0) as u32)
    }

    /// Returns the number of kernels.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the kernel at `index`, or `None` if it is out of bounds.
    #[must_use]
    pub const fn get(&self, index: usize) -> Option<CompiledKernel> {
        if index < self.len() {
            Some(CompiledKernel::new(self.image, self.start + index as u32, self.symbol))
        } else {
            None
        }
    }

    /// Returns the kernels, sorted by unqualified name, then by symbol.
    #[must_use]
    pub const fn iter(&self) -> KernelIter {
        KernelIter { kernels: *self, next: 0 }
    }

    /// Returns the image that contains the kernels.
    #[must_use]
    pub const fn image(&self) -> &'static [u8] {
        self.image.bytes()
    }

    /// Returns whether nothing describes the kernels of an image that does not exist.
    #[doc(hidden)]
    pub const fn is_unknown(&self) -> bool {
        self.count == 0 && self.image.absent.is_some()
    }

    #[doc(hidden)]
    pub const fn compiled_image(&self) -> &'static CompiledImage {
        self.image
    }

    /// Returns the index of the first kernel, starting at `from`, that [`matches`](CompiledKernel::matches) `pattern`
    /// and `suffix`.
    #[must_use]
    pub const fn position(&self, from: usize, pattern: &str, suffix: &str) -> Option<usize> {
        let mut i = from;
        while let Some(kernel) = self.get(i) {
            if kernel.matches(pattern, suffix) {
                return Some(i);
            }
            i += 1;
        }
        None
    }

    /// Returns the range of indices outside of which no kernel matches `pattern`.
    pub(super) const fn range(&self, pattern: &str) -> (usize, usize) {
        if !self.image.is_plain {
            return (0, self.len());
        }
        let pattern = pattern.as_bytes();
        let mut prefix = 0;
        while prefix < pattern.len() && pattern[prefix] != b'*' && pattern[prefix] != b'?' {
            prefix += 1;
        }
        (self.bisect(pattern, prefix, false), self.bisect(pattern, prefix, true))
    }

    /// Returns the index of the first kernel whose symbol is not less than the first `prefix` bytes of `pattern`; with
    /// `after`, of the first kernel behind those with this prefix.
    const fn bisect(&self, pattern: &[u8], prefix: usize, after: bool) -> usize {
        let bytes = self.image.names.as_bytes();
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let (at, end) = Names::read(self.image, self.start as usize + middle).name;
            let mut i = 0;
            while i < prefix && at + i < end && bytes[at + i] == pattern[i] {
                i += 1;
            }
            let is_less = if i == prefix { after } else { at + i == end || bytes[at + i] < pattern[i] };
            if is_less {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    #[doc(hidden)]
    pub const fn parameter_count(&self) -> usize {
        let (mut count, mut i) = (0, 0);
        while let Some(kernel) = self.get(i) {
            count += kernel.parameter_count();
            i += 1;
        }
        count
    }

    #[doc(hidden)]
    pub const fn parameters<const N: usize>(&self) -> [Parameter<'static>; N] {
        let mut array = [NOTHING; N];
        let (mut at, mut i) = (0, 0);
        while let Some(kernel) = self.get(i) {
            let mut head = kernel.head();
            let end = at + head.parameters;
            while at < end {
                array[at] = head.next_parameter();
                at += 1;
            }
            i += 1;
        }
        array
    }

    /// Returns the signatures of all kernels, from the result of [`parameters`](Self::parameters).
    #[doc(hidden)]
    pub const fn signatures<const N: usize>(
        &self,
        mut parameters: &'static [Parameter<'static>],
    ) -> [Signature<'static>; N] {
        let mut array = [Signature { name: "", parameters: &[] }; N];
        let mut i = 0;
        while let Some(kernel) = self.get(i) {
            let (own, rest) = parameters.split_at(kernel.parameter_count());
            array[i] = Signature { name: kernel.name(), parameters: own };
            parameters = rest;
            i += 1;
        }
        array
    }

    #[doc(hidden)]
    pub const fn none(&self) -> Self {
        Self::new(self.image, 0, 0)
    }

    /// Returns the set itself. The derive calls this method on both a kernel and a set of kernels.
    #[doc(hidden)]
    pub const fn kernels(&self) -> Self {
        *self
    }
}

impl CompiledImage {
    /// Returns the kernels, sorted by unqualified name, then by symbol.
    #[must_use]
    pub const fn kernels(&'static self) -> CompiledKernels {
        CompiledKernels::all(self)
    }
}

impl CompiledKernel {
    #[doc(hidden)]
    pub const fn kernels(&self) -> CompiledKernels {
        CompiledKernels { image: self.image, start: self.index, count: 1, symbol: self.symbol }
    }
}

impl fmt::Debug for CompiledKernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl IntoIterator for CompiledKernels {
    type Item = CompiledKernel;
    type IntoIter = KernelIter;

    fn into_iter(self) -> KernelIter {
        self.iter()
    }
}

impl IntoIterator for &CompiledKernels {
    type Item = CompiledKernel;
    type IntoIter = KernelIter;

    fn into_iter(self) -> KernelIter {
        self.iter()
    }
}

/// An iterator over [`CompiledKernels`].
#[derive(Clone, Debug)]
pub struct KernelIter {
    kernels: CompiledKernels,
    next: usize,
}

impl Iterator for KernelIter {
    type Item = CompiledKernel;

    fn next(&mut self) -> Option<CompiledKernel> {
        let kernel = self.kernels.get(self.next)?;
        self.next += 1;
        Some(kernel)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.kernels.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for KernelIter {}

/// The number of similar names in a message.
const NEAREST: usize = 3;

impl CompiledKernels {
    /// Returns the indices of the kernels whose names are most similar to `pattern` and `suffix`, the best first.
    #[doc(hidden)]
    pub const fn nearest(&self, pattern: &str, suffix: &str) -> [Option<usize>; NEAREST] {
        let (mut best, mut scores) = ([None; NEAREST], [0; NEAREST]);
        let mut i = 0;
        while let Some(kernel) = self.get(i) {
            let mut score = 1 + alike(&kernel, pattern, suffix);
            let mut index = Some(i);
            let mut place = 0;
            while place < NEAREST {
                if score > scores[place] {
                    (best[place], index) = (index, best[place]);
                    (scores[place], score) = (score, scores[place]);
                }
                place += 1;
            }
            i += 1;
        }
        best
    }
}

/// Returns the similarity of a kernel's unqualified name: equal characters at both ends, plus a bonus if only the
/// suffix differs, or if a part matches. For `axpy<*>`, `saxpy<float>` is first, then `saxpy`.
const fn alike(kernel: &CompiledKernel, pattern: &str, suffix: &str) -> usize {
    let names = kernel.names();
    let (name, from, to) = (names.bytes(), names.unqualified, names.end);
    let stem = stem(pattern.as_bytes());
    let pattern_matches = if names.match_pattern(pattern, "") || names.match_part(pattern.as_bytes()) {
        pattern.len()
    } else if stem.len() > 1 && names.match_part(stem) {
        stem.len()
    } else {
        0
    };
    let (pattern, suffix) = (pattern.as_bytes(), suffix.as_bytes());
    let (mut start, mut end) = (0, 0);
    while from + start < to && start < pattern.len() && name[from + start] == pattern[start] {
        start += 1;
    }
    let last = if suffix.is_empty() { pattern } else { suffix };
    while end < to - from && end < last.len() && name[to - 1 - end] == last[last.len() - 1 - end] {
        end += 1;
    }
    2 * pattern_matches + start + end
}

/// Returns the pattern without its namespace and its template arguments.
const fn stem(pattern: &[u8]) -> &[u8] {
    let (mut start, mut end) = (0, 0);
    while end < pattern.len() && pattern[end] != b'<' {
        end += 1;
        if pattern[end - 1] == b':' {
            start = end;
        }
    }
    pattern.split_at(end).0.split_at(start).1
}

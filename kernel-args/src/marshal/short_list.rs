//! A list that stands in place as long as it is short.

use core::{mem::MaybeUninit, slice};
use std::vec::Vec;

/// How many values stand in place.
pub(super) const SHORT: usize = 64;

/// A list of which the first [`SHORT`] values stand in place, and the rest on the heap.
pub(super) struct ShortList<T> {
    /// The first `len` of them are initialised, all where `len` is more.
    short: [MaybeUninit<T>; SHORT],
    more: Vec<T>,
    len: usize,
}

impl<T> ShortList<T> {
    #[inline]
    pub(super) const fn new() -> Self {
        Self {
            short: [const { MaybeUninit::uninit() }; SHORT],
            more: Vec::new(),
            len: 0,
        }
    }

    #[inline]
    pub(super) fn push(&mut self, value: T) {
        match self.short.get_mut(self.len) {
            Some(free) => {
                free.write(value);
            }
            None => self.more.push(value),
        }
        self.len += 1;
    }

    #[inline]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let (short, len) = (self.short.as_ptr().cast::<T>(), self.len.min(SHORT));
        // SAFETY: as many values are initialised, and they are borrowed with `self`.
        let short = unsafe { slice::from_raw_parts(short, len) };
        short.iter().chain(&self.more)
    }

    #[inline]
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let (short, len) = (self.short.as_mut_ptr().cast::<T>(), self.len.min(SHORT));
        // SAFETY: as many values are initialised, and they are borrowed exclusively with `self`.
        let short = unsafe { slice::from_raw_parts_mut(short, len) };
        short.iter_mut().chain(&mut self.more)
    }

    /// Takes the values out one after another, from the first on. The list is empty from the beginning: a value that is not taken is
    /// forgotten, or dropped where it stood on the heap.
    #[inline]
    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> {
        let len = self.len.min(SHORT);
        self.len = 0;
        self.short[..len]
            .iter()
            // SAFETY: the value is initialised, and read once: with `len` at zero it is no longer part of the list.
            .map(|value| unsafe { value.assume_init_read() })
            .chain(self.more.drain(..))
    }
}

impl<T> Drop for ShortList<T> {
    #[inline]
    fn drop(&mut self) {
        self.drain().for_each(drop);
    }
}

#[cfg(test)]
mod tests {
    use super::{SHORT, ShortList};
    use std::vec::Vec;

    /// A loop over `drain` that ends early, as by a panic.
    #[test]
    fn what_was_not_taken_does_not_come_back() {
        for len in [3, SHORT + 3] {
            let mut list = ShortList::new();
            (0..len).for_each(|i| list.push(i));
            assert_eq!(list.drain().next(), Some(0));
            assert_eq!(
                (list.len(), list.iter().count(), list.iter_mut().count()),
                (0, 0, 0)
            );
            list.push(7);
            assert_eq!(list.drain().collect::<Vec<_>>(), [7]);
        }
    }

    #[test]
    fn a_list_has_what_was_pushed_on_either_side_of_its_limit() {
        for len in [0, 1, SHORT - 1, SHORT, SHORT + 1, 3 * SHORT] {
            let mut list = ShortList::new();
            for i in 0..len {
                list.push(i);
            }
            assert_eq!(list.len(), len);
            assert_eq!(
                list.iter().copied().collect::<Vec<_>>(),
                (0..len).collect::<Vec<_>>()
            );
            for value in list.iter_mut() {
                *value += 1;
            }
            assert_eq!(
                list.drain().collect::<Vec<_>>(),
                (1..=len).collect::<Vec<_>>()
            );
            assert_eq!((list.len(), list.iter().count()), (0, 0));
            list.push(7);
            assert_eq!(list.iter().copied().collect::<Vec<_>>(), [7]);
        }
    }
}

//! A list that stands in place as long as it is short.

use std::vec::Vec;

/// How many values stand in place.
pub(super) const SHORT: usize = 64;

/// A list of which the first [`SHORT`] values stand in place, and the rest on the heap.
pub(super) struct ShortList<T> {
    short: [Option<T>; SHORT],
    more: Vec<T>,
    len: usize,
}

impl<T> ShortList<T> {
    pub(super) fn new() -> Self {
        Self {
            short: [const { None }; SHORT],
            more: Vec::new(),
            len: 0,
        }
    }

    pub(super) fn push(&mut self, value: T) {
        match self.short.get_mut(self.len) {
            Some(free) => *free = Some(value),
            None => self.more.push(value),
        }
        self.len += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let short = &self.short[..self.len.min(SHORT)];
        short.iter().flatten().chain(&self.more)
    }

    #[inline]
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let short = &mut self.short[..self.len.min(SHORT)];
        short.iter_mut().flatten().chain(&mut self.more)
    }

    /// Takes the values out one after another, from the first on. The list is empty from the beginning: a value that is not taken is
    /// no longer part of it.
    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> {
        let short = self.len.min(SHORT);
        self.len = 0;
        self.short[..short]
            .iter_mut()
            .filter_map(Option::take)
            .chain(self.more.drain(..))
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

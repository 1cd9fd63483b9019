//! Lists that are compared by a number.

use alloc::{vec, vec::Vec};

/// Lists by number, each stored once.
pub(super) struct Interner<T> {
    items: Vec<T>,
    /// The start of each list. The end is the next start.
    starts: Vec<u32>,
    table: Vec<u32>,
}

impl<T: Copy + PartialEq + Hashed> Interner<T> {
    pub(super) fn new() -> Self {
        Self { items: Vec::new(), starts: vec![0], table: vec![0; 64] }
    }

    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of items in all lists.
    pub(super) fn size(&self) -> usize {
        self.items.len()
    }

    pub(super) fn get(&self, number: u32) -> &[T] {
        let (start, end) = (self.starts[number as usize], self.starts[number as usize + 1]);
        &self.items[start as usize..end as usize]
    }

    /// The number of this list.
    pub(super) fn intern(&mut self, list: &[T]) -> u32 {
        let mask = self.table.len() - 1;
        let mut at = Self::hash(list) & mask;
        while let Some(number) = self.table[at].checked_sub(1) {
            if self.get(number) == list {
                return number;
            }
            at = (at + 1) & mask;
        }
        let number = self.len() as u32;
        self.items.extend_from_slice(list);
        self.starts.push(self.items.len() as u32);
        self.table[at] = number + 1;
        if 2 * self.len() > self.table.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mask = 4 * self.table.len() - 1;
        self.table = vec![0; mask + 1];
        for number in 0..self.len() as u32 {
            let mut at = Self::hash(self.get(number)) & mask;
            while self.table[at] != 0 {
                at = (at + 1) & mask;
            }
            self.table[at] = number + 1;
        }
    }

    fn hash(list: &[T]) -> usize {
        let mut state = list.len() as u64;
        for item in list {
            let product = ((state ^ u64::from(item.bits())) & 0xffff_ffff) * 0x9e37_79b1;
            state = product ^ product >> 32;
        }
        state as u32 as usize
    }
}

/// An item of an [`Interner`].
pub(super) trait Hashed {
    fn bits(self) -> u32;
}

impl Hashed for u32 {
    fn bits(self) -> u32 {
        self
    }
}

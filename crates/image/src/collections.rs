//! A map and a sort that compile little for each type of elements, as every build of user code compiles this crate, and
//! the width of stored counts.

use crate::prelude::*;
use core::{borrow::Borrow, cmp::Ordering, mem};

/// The tree contains the positions of the values. All keys are `Vec<u8>` or `u128`, so only two kinds of trees are
/// compiled.
#[derive(Clone, Debug)]
pub(crate) struct Map<K, V> {
    places: BTreeMap<K, usize>,
    values: Vec<V>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), values: Vec::new() }
    }
}

impl<K: Ord, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Self) -> bool {
        let has = |(key, &place)| other.get(key) == Some(&self.values[place]);
        self.places.len() == other.places.len() && self.places.iter().all(has)
    }
}

impl<K: Ord, V: Eq> Eq for Map<K, V> {}

impl<K: Ord, V> Map<K, V> {
    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.places.get(key).map(|&place| &self.values[place])
    }

    /// Returns the value of a key, and whether the key is new: then the value is `value`.
    pub(crate) fn entry(&mut self, key: K, value: V) -> (&mut V, bool) {
        let next = self.values.len();
        let place = *self.places.entry(key).or_insert(next);
        if place == next {
            self.values.push(value);
        }
        (&mut self.values[place], place == next)
    }

    /// Replaces the value of a known key.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        let next = self.values.len();
        match *self.places.entry(key).or_insert(next) {
            place if place == next => self.values.push(value),
            place => self.values[place] = value,
        }
    }

    /// Returns the values in the order in which the keys became known.
    #[cfg(feature = "bodies")]
    pub(crate) fn values(&self) -> &[V] {
        &self.values
    }

    pub(crate) fn extend(&mut self, other: &Self)
    where
        K: Clone,
        V: Clone,
    {
        for (key, &place) in &other.places {
            self.insert(key.clone(), other.values[place].clone());
        }
    }
}

/// Returns a count or a position, at most `u32::MAX`: an image is too small for 2^32 kernels or parts, and debug
/// information has at most 256 MiB.
pub(crate) fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A stable sort. Only its last step is compiled for each type.
pub(crate) fn sort<T>(list: &mut [T], compare: &dyn Fn(&T, &T) -> Ordering) {
    let mut order = order(list.len(), &|a, b| compare(&list[a], &list[b]));
    for start in 0..order.len() {
        let mut place = start;
        loop {
            let next = mem::replace(&mut order[place], place);
            if next == start {
                break;
            }
            list.swap(place, next);
            place = next;
        }
    }
}

/// Returns the numbers below `count`, sorted by what they are the positions of.
pub(crate) fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| compare(a, b));
    order
}

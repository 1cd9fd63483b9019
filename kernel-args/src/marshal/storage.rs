//! Storage for lists of run-time length, in place as long as they are short: of values of one type, of arguments of any type, and for
//! the parameters of one launch.

use super::{KernelArg, param_writer::Argument};
use core::{cell::UnsafeCell, mem::MaybeUninit, slice};
use std::{boxed::Box, vec, vec::Vec};

/// How many values of a [`ShortList`] stand in place.
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

/// How many bytes of values an [`ArgumentValues`] list holds without the heap, in units of 16: cudarc's references and device pointers take half
/// a unit, a `CudaView` four.
const UNITS: usize = 64;

/// A unit of the storage: nothing in it is aligned above this. An argument may have interior mutability.
type Unit = UnsafeCell<MaybeUninit<u128>>;

/// A list of arguments whose types are forgotten.
pub(super) struct ArgumentValues<'a> {
    values: ShortList<Value<'a>>,
    storage: [Unit; UNITS],
    /// How many units of `storage` are taken.
    units: usize,
}

/// Where the value of an argument is.
enum Value<'a> {
    /// From this unit of the storage on; the function gives the pointer its type.
    Inline(usize, fn(*mut u8) -> *mut (dyn Argument + 'a)),
    Boxed(Box<dyn Argument + 'a>),
}

impl<'a> ArgumentValues<'a> {
    pub(super) const fn new() -> Self {
        Self {
            values: ShortList::new(),
            storage: [const { UnsafeCell::new(MaybeUninit::uninit()) }; UNITS],
            units: 0,
        }
    }

    #[inline(always)]
    pub(super) fn push<T: KernelArg + 'a>(&mut self, argument: T) {
        let needed = size_of::<T>().div_ceil(size_of::<Unit>());
        let value = if align_of::<T>() <= align_of::<Unit>() && needed <= UNITS - self.units {
            // A value without bytes may stand past the last unit.
            let unit = self.storage[self.units..].as_mut_ptr();
            // SAFETY: `needed` units from there on belong to `storage` and to no other argument, and hold a `T` by size and
            // alignment.
            unsafe { unit.cast::<T>().write(argument) };
            let at = self.units;
            self.units += needed;
            Value::Inline(at, |value| value.cast::<T>())
        } else {
            Value::Boxed(Box::new(argument))
        };
        self.values.push(value);
    }

    /// Calls `then` with each argument and its index.
    pub(super) fn for_each(&self, mut then: impl FnMut(usize, &(dyn Argument + 'a))) {
        let storage = self.storage.as_ptr();
        for (index, value) in self.values.iter().enumerate() {
            let argument = match value {
                Value::Boxed(argument) => &**argument,
                Value::Inline(at, typed) => {
                    // SAFETY: a unit of the storage, or one past it.
                    let value = unsafe { storage.add(*at) };
                    // SAFETY: `push` has written a value of that type there. `self` is borrowed, so no one has it exclusively; what
                    // it changes itself is in an `UnsafeCell`.
                    unsafe { &*typed(value.cast_mut().cast()) }
                }
            };
            then(index, argument);
        }
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut (dyn Argument + 'a)> {
        let storage = self.storage.as_mut_ptr();
        self.values.iter_mut().map(move |value| match value {
            Value::Boxed(argument) => &mut **argument,
            Value::Inline(at, typed) => {
                // SAFETY: a unit of the storage, or one past it.
                let value = unsafe { storage.add(*at) };
                // SAFETY: `push` has written a value of that type there, of which the iterator gives one reference. `self` is borrowed
                // exclusively as long as that lives.
                unsafe { &mut *typed(value.cast()) }
            }
        })
    }

    /// Drops all arguments.
    pub(super) fn clear(&mut self) {
        self.units = 0;
        let storage = self.storage.as_mut_ptr();
        // Each value is taken out of the list before it is dropped: where a drop panics, no value is dropped twice.
        for value in self.values.drain() {
            if let Value::Inline(at, typed) = value {
                // SAFETY: a unit of the storage, or one past it.
                let value = unsafe { storage.add(at) };
                // SAFETY: `push` has written a value of that type there, which no list has any more: it is dropped once.
                unsafe { typed(value.cast()).drop_in_place() };
            }
        }
    }
}

impl Drop for ArgumentValues<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Room for values of a launch: on the stack up to `N`, else on the heap.
pub(super) struct Room<T, const N: usize> {
    stack: [MaybeUninit<T>; N],
    heap: Vec<MaybeUninit<T>>,
}

impl<T: Copy, const N: usize> Room<T, N> {
    pub(super) fn new(len: usize) -> Self {
        Self {
            stack: [MaybeUninit::uninit(); N],
            heap: if len > N {
                vec![MaybeUninit::uninit(); len]
            } else {
                Vec::new()
            },
        }
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut T {
        if self.heap.is_empty() {
            self.stack.as_mut_ptr().cast()
        } else {
            self.heap.as_mut_ptr().cast()
        }
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

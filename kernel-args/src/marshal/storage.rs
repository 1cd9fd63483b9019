//! Storage for lists of run-time length. Short lists use no heap.

use super::{KernelArg, param_writer::ErasedArgument};
use core::{cell::UnsafeCell, mem::MaybeUninit, slice};

pub(super) const SHORT: usize = 64;

/// A list that stores its first [`SHORT`] values in the struct, and the rest on the heap.
pub(super) struct ShortList<T> {
    /// The first `min(len, SHORT)` values are initialised.
    short: [MaybeUninit<T>; SHORT],
    more: Vec<T>,
    len: usize,
}

impl<T> ShortList<T> {
    #[inline]
    pub(super) const fn new() -> Self {
        Self { short: [const { MaybeUninit::uninit() }; SHORT], more: Vec::new(), len: 0 }
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
        // SAFETY: the first `len` values are initialised, and they are borrowed with `self`.
        let short = unsafe { slice::from_raw_parts(short, len) };
        short.iter().chain(&self.more)
    }

    #[inline]
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        let (short, len) = (self.short.as_mut_ptr().cast::<T>(), self.len.min(SHORT));
        // SAFETY: the first `len` values are initialised, and they are borrowed exclusively with `self`.
        let short = unsafe { slice::from_raw_parts_mut(short, len) };
        short.iter_mut().chain(&mut self.more)
    }

    /// Takes all values out. The list is empty from the start of the call. Values that the caller does not take are
    /// leaked.
    #[inline]
    pub(super) fn drain(&mut self) -> impl Iterator<Item = T> {
        let len = self.len.min(SHORT);
        self.len = 0;
        self.short[..len]
            .iter()
            // SAFETY: the value is initialised, and it is read once: `len` is zero, so the list no longer contains it.
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

/// The storage of [`ArgumentValues`] without the heap, in units of 16 bytes.
const UNITS: usize = 64;

/// A unit of the storage. No value in the storage has a larger alignment. An argument may have interior mutability.
type Unit = UnsafeCell<MaybeUninit<u128>>;

/// A list of type-erased arguments.
pub(super) struct ArgumentValues<'a> {
    values: ShortList<StoredValue<'a>>,
    storage: [Unit; UNITS],
    units: usize,
}

type ToArgument<'a> = fn(*mut u8) -> *mut (dyn ErasedArgument + 'a);

enum StoredValue<'a> {
    /// The value begins at this unit of the storage. The function gives the pointer its type.
    Inline(usize, ToArgument<'a>),
    Boxed(Box<dyn ErasedArgument + 'a>),
}

impl<'a> ArgumentValues<'a> {
    pub(super) const fn new() -> Self {
        Self { values: ShortList::new(), storage: [const { UnsafeCell::new(MaybeUninit::uninit()) }; UNITS], units: 0 }
    }

    #[inline(always)]
    pub(super) fn push<T: KernelArg + 'a>(&mut self, argument: T) {
        let needed = size_of::<T>().div_ceil(size_of::<Unit>());
        let value = if align_of::<T>() <= align_of::<Unit>() && needed <= UNITS - self.units {
            // A value without bytes may be one past the last unit.
            let unit = self.storage[self.units..].as_mut_ptr();
            // SAFETY: the next `needed` units belong to `storage` and to no other argument. Their size and alignment
            // are sufficient for a `T`.
            unsafe { unit.cast::<T>().write(argument) };
            let at = self.units;
            self.units += needed;
            StoredValue::Inline(at, |value| value.cast::<T>())
        } else {
            StoredValue::Boxed(Box::new(argument))
        };
        self.values.push(value);
    }

    pub(super) fn for_each(&self, mut then: impl FnMut(usize, &(dyn ErasedArgument + 'a))) {
        let storage = self.storage.as_ptr().cast_mut();
        for (index, value) in self.values.iter().enumerate() {
            let argument = match value {
                StoredValue::Boxed(argument) => &**argument,
                // SAFETY: `push` has written a value of that type there, and `self` is borrowed. The storage is an
                // `UnsafeCell`, so the value can have interior mutability.
                StoredValue::Inline(at, typed) => unsafe { &*place(storage, *at, *typed) },
            };
            then(index, argument);
        }
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut (dyn ErasedArgument + 'a)> {
        let storage = self.storage.as_mut_ptr();
        self.values.iter_mut().map(move |value| match value {
            StoredValue::Boxed(argument) => &mut **argument,
            // SAFETY: `push` has written a value of that type there. The iterator returns one reference to each, and
            // `self` is borrowed exclusively.
            StoredValue::Inline(at, typed) => unsafe { &mut *place(storage, *at, *typed) },
        })
    }

    pub(super) fn clear(&mut self) {
        self.units = 0;
        let storage = self.storage.as_mut_ptr();
        // Each value is removed from the list before it is dropped. If a drop panics, no value is dropped twice.
        for value in self.values.drain() {
            if let StoredValue::Inline(at, typed) = value {
                // SAFETY: `push` has written a value of that type there. The list no longer contains it, so it is
                // dropped once.
                unsafe { place(storage, at, typed).drop_in_place() };
            }
        }
    }
}

/// Returns the value at the unit with the index `at`, which may be one past the end.
fn place<'a>(storage: *mut Unit, at: usize, typed: ToArgument<'a>) -> *mut (dyn ErasedArgument + 'a) {
    typed(storage.wrapping_add(at).cast())
}

impl Drop for ArgumentValues<'_> {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Room for the values of a launch: up to `N` values on the stack, more values on the heap.
pub(super) struct Room<T, const N: usize> {
    stack: [MaybeUninit<T>; N],
    heap: Vec<MaybeUninit<T>>,
}

impl<T: Copy, const N: usize> Room<T, N> {
    pub(super) fn new(len: usize) -> Self {
        Self {
            stack: [MaybeUninit::uninit(); N],
            heap: if len > N { vec![MaybeUninit::uninit(); len] } else { Vec::new() },
        }
    }

    pub(super) fn as_mut_ptr(&mut self) -> *mut T {
        if self.heap.is_empty() { self.stack.as_mut_ptr().cast() } else { self.heap.as_mut_ptr().cast() }
    }
}

#[cfg(test)]
mod tests {
    use super::{SHORT, ShortList};

    /// A loop over `drain` that ends early, for example with a panic.
    #[test]
    fn a_drained_list_is_empty_even_if_values_are_left() {
        for len in [3, SHORT + 3] {
            let mut list = ShortList::new();
            (0..len).for_each(|i| list.push(i));
            assert_eq!(list.drain().next(), Some(0));
            assert_eq!((list.len(), list.iter().count(), list.iter_mut().count()), (0, 0, 0));
            list.push(7);
            assert_eq!(list.drain().collect::<Vec<_>>(), [7]);
        }
    }

    #[test]
    fn a_list_contains_the_pushed_values_below_and_above_its_limit() {
        for len in [0, 1, SHORT - 1, SHORT, SHORT + 1, 3 * SHORT] {
            let mut list = ShortList::new();
            for i in 0..len {
                list.push(i);
            }
            assert_eq!(list.len(), len);
            assert_eq!(list.iter().copied().collect::<Vec<_>>(), (0..len).collect::<Vec<_>>());
            for value in list.iter_mut() {
                *value += 1;
            }
            assert_eq!(list.drain().collect::<Vec<_>>(), (1..=len).collect::<Vec<_>>());
            assert_eq!((list.len(), list.iter().count()), (0, 0));
            list.push(7);
            assert_eq!(list.iter().copied().collect::<Vec<_>>(), [7]);
        }
    }
}

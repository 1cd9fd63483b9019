//! Handles: the C representation of a context, a stream, a function …
//!
//! A handle is a number that is not an address, and different for every kind of object. A handle of the wrong kind is
//! detected, and a stale handle too, until the next object of its kind is created. That object gets the handle that was
//! freed last, as on a real driver, whose handles are addresses: code that identifies an object by its handle alone
//! finds a different object.

use crate::error::{Outcome, Status};

/// A handle in the C interface: the size of a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[repr(transparent)]
pub(crate) struct Handle(pub(crate) usize);

impl Handle {
    pub(crate) const NULL: Self = Self(0);

    pub(crate) fn is_null(self) -> bool {
        self.0 == 0
    }
}

/// The distance of two handles: as of addresses.
const STEP: usize = 16;

/// The live objects of one kind.
#[derive(Debug)]
pub(crate) struct Handles<T> {
    base: Handle,
    /// Freed handles, which are reused from the end.
    free: Vec<Handle>,
    reused: bool,
    /// The object of each handle since `base`. A vector, not a map: maps of each kind would be a fifth of this crate's
    /// code.
    objects: Vec<Option<Box<T>>>,
}

impl<T> Handles<T> {
    /// `kind` distinguishes the handles of this table from the handles of other tables.
    pub(crate) const fn new(kind: u8) -> Self {
        Self::with(kind, true)
    }

    /// Handles that are never reused: identifiers.
    pub(crate) const fn identifiers(kind: u8) -> Self {
        Self::with(kind, false)
    }

    const fn with(kind: u8, reused: bool) -> Self {
        // Non-canonical on x86-64 and far above user space on aarch64: any access to it faults.
        let base = Handle(0x4b41_0000_0000_0000 | (kind as usize) << 36 | STEP);
        Self { base, free: Vec::new(), reused, objects: Vec::new() }
    }

    fn index(&self, handle: Handle) -> Option<usize> {
        let offset = handle.0.checked_sub(self.base.0)?;
        (offset % STEP == 0).then_some(offset / STEP)
    }

    /// Reserves a handle for a future object.
    pub(crate) fn reserve(&mut self) -> Handle {
        self.free.pop().unwrap_or_else(|| {
            self.objects.push(None);
            Handle(self.base.0 + STEP * (self.objects.len() - 1))
        })
    }

    pub(crate) fn insert(&mut self, object: T) -> Handle {
        let handle = self.reserve();
        self.insert_at(handle, object);
        handle
    }

    /// Inserts the object of a reserved handle.
    pub(crate) fn insert_at(&mut self, handle: Handle, object: T) {
        let place = self.index(handle).and_then(|index| self.objects.get_mut(index));
        *place.expect("a reserved handle") = Some(Box::new(object));
    }

    /// Returns the object.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` if the handle is not a live handle of this kind.
    pub(crate) fn get(&self, handle: Handle) -> Outcome<&T> {
        let object = self.index(handle).and_then(|index| self.objects.get(index)?.as_deref());
        object.ok_or(Status::INVALID_HANDLE)
    }

    /// Returns the object for changes. Errors are the same as for [`Self::get`].
    pub(crate) fn get_mut(&mut self, handle: Handle) -> Outcome<&mut T> {
        let object = self.index(handle).and_then(|index| self.objects.get_mut(index)?.as_deref_mut());
        object.ok_or(Status::INVALID_HANDLE)
    }

    /// Removes the object. Errors are the same as for [`Self::get`].
    pub(crate) fn remove(&mut self, handle: Handle) -> Outcome<T> {
        let object = self.take(handle)?;
        if self.reused {
            self.free.push(handle);
        }
        Ok(object)
    }

    /// Removes the object, whose handle is still in use. Errors are the same as for [`Self::get`].
    pub(crate) fn take(&mut self, handle: Handle) -> Outcome<T> {
        let object = self.index(handle).and_then(|index| self.objects.get_mut(index)?.take());
        object.map(|object| *object).ok_or(Status::INVALID_HANDLE)
    }

    pub(crate) fn contains(&self, handle: Handle) -> bool {
        self.get(handle).is_ok()
    }

    pub(crate) fn len(&self) -> usize {
        self.iter().count()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Handle, &mut T)> {
        let base = self.base.0;
        let objects = self.objects.iter_mut().enumerate();
        objects.filter_map(move |(index, object)| Some((Handle(base + STEP * index), object.as_deref_mut()?)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        let objects = self.objects.iter().enumerate();
        objects.filter_map(|(index, object)| Some((Handle(self.base.0 + STEP * index), object.as_deref()?)))
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let removed: Vec<Handle> = self.iter().filter(|(_, object)| !keep(object)).map(|(handle, _)| handle).collect();
        for handle in removed {
            let _ = self.remove(handle);
        }
    }
}

//! Handles: the C representation of a context, a stream, a function …
//!
//! A handle is a number that is not an address, and different for every kind of object. A handle of the wrong kind is detected, and
//! a stale handle too, until the next object of its kind is created. That object gets the handle that was freed last, as on a real
//! driver, whose handles are addresses: code that identifies an object by its handle alone finds a different object.

use std::collections::BTreeMap;

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

/// The live objects of one kind.
#[derive(Debug)]
pub(crate) struct Handles<T> {
    next: usize,
    /// Freed handles, which are reused from the end.
    free: Vec<Handle>,
    reused: bool,
    live: BTreeMap<Handle, T>,
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
        Self { next: 0x4b41_0000_0000_0000 | (kind as usize) << 36, free: Vec::new(), reused, live: BTreeMap::new() }
    }

    /// Reserves a handle for a future object.
    pub(crate) fn reserve(&mut self) -> Handle {
        self.free.pop().unwrap_or_else(|| {
            self.next += 16;
            Handle(self.next)
        })
    }

    /// Allows the handle of a removed object to be reused.
    fn free(&mut self, handle: Handle) {
        if self.reused {
            self.free.push(handle);
        }
    }

    pub(crate) fn insert(&mut self, object: T) -> Handle {
        let handle = self.reserve();
        self.live.insert(handle, object);
        handle
    }

    /// Inserts the object of a reserved handle.
    pub(crate) fn insert_at(&mut self, handle: Handle, object: T) {
        self.live.insert(handle, object);
    }

    /// Returns the object.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` if the handle is not a live handle of this kind.
    pub(crate) fn get(&self, handle: Handle) -> Outcome<&T> {
        self.live.get(&handle).ok_or(Status::INVALID_HANDLE)
    }

    /// Returns the object for changes. Errors are the same as for [`Self::get`].
    pub(crate) fn get_mut(&mut self, handle: Handle) -> Outcome<&mut T> {
        self.live.get_mut(&handle).ok_or(Status::INVALID_HANDLE)
    }

    /// Removes the object. Errors are the same as for [`Self::get`].
    pub(crate) fn remove(&mut self, handle: Handle) -> Outcome<T> {
        let object = self.take(handle)?;
        self.free(handle);
        Ok(object)
    }

    /// Removes the object, whose handle is still in use. Errors are the same as for [`Self::get`].
    pub(crate) fn take(&mut self, handle: Handle) -> Outcome<T> {
        self.live.remove(&handle).ok_or(Status::INVALID_HANDLE)
    }

    pub(crate) fn contains(&self, handle: Handle) -> bool {
        self.live.contains_key(&handle)
    }

    pub(crate) fn len(&self) -> usize {
        self.live.len()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (Handle, &mut T)> {
        self.live.iter_mut().map(|(handle, object)| (*handle, object))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        self.live.iter().map(|(handle, object)| (*handle, object))
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        let mut freed = Vec::new();
        self.live.retain(|handle, object| {
            let kept = keep(object);
            if !kept {
                freed.push(*handle);
            }
            kept
        });
        for handle in freed {
            self.free(handle);
        }
    }
}

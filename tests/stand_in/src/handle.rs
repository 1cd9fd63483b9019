//! Handles: the C representation of a context, a stream, a function …
//!
//! A handle is a number that is not an address, different for every kind of object, and never reused unless a test requests it.
//! A stale handle or a handle of the wrong kind is therefore detected; a real driver would crash or do something else.

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
    /// Handles for reuse, the last one first; empty unless a test requests reuse.
    free: Option<Vec<Handle>>,
    live: BTreeMap<Handle, T>,
}

impl<T> Handles<T> {
    /// `kind` distinguishes the handles of this table from the handles of other tables.
    pub(crate) const fn new(kind: u8) -> Self {
        // Non-canonical on x86-64 and far above user space on aarch64: any access to it faults.
        Self {
            next: 0x4b41_0000_0000_0000 | (kind as usize) << 36,
            free: None,
            live: BTreeMap::new(),
        }
    }

    /// Reuses the handles that are removed from now on for later objects, as a real driver does with its addresses.
    pub(crate) fn reuse(&mut self) {
        self.free = Some(Vec::new());
    }

    /// Reserves a handle for a future object.
    pub(crate) fn reserve(&mut self) -> Handle {
        if let Some(handle) = self.free.as_mut().and_then(Vec::pop) {
            return handle;
        }
        self.next += 16;
        Handle(self.next)
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
        let object = self.live.remove(&handle).ok_or(Status::INVALID_HANDLE)?;
        if let Some(free) = &mut self.free {
            free.push(handle);
        }
        Ok(object)
    }

    pub(crate) fn contains(&self, handle: Handle) -> bool {
        self.live.contains_key(&handle)
    }

    pub(crate) fn len(&self) -> usize {
        self.live.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Handle, &T)> {
        self.live.iter().map(|(handle, object)| (*handle, object))
    }

    pub(crate) fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        self.live.retain(|_, object| keep(object));
    }
}

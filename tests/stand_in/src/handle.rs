//! Handles: what stands for a context, a stream, a function … on the C side.
//!
//! A handle is a number that is no address, different for every kind of object, and never used twice unless a test asks for
//! it: a stale handle, or one of the wrong kind, is recognised where a real driver would crash or do something else.

use std::collections::BTreeMap;

use crate::error::{Outcome, Status};

/// A handle as it crosses the C interface: the size of a pointer.
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
    /// Handles that are given again, the last one first; none unless a test asks for it.
    free: Option<Vec<Handle>>,
    live: BTreeMap<Handle, T>,
}

impl<T> Handles<T> {
    /// `kind` tells this table's handles from another's.
    pub(crate) const fn new(kind: u8) -> Self {
        // Non-canonical on x86-64 and far above user space on aarch64: whoever follows it faults at once.
        Self {
            next: 0x4b41_0000_0000_0000 | (kind as usize) << 36,
            free: None,
            live: BTreeMap::new(),
        }
    }

    /// Gives the handles that are removed from now on to later objects, as a real driver does with its addresses.
    pub(crate) fn reuse(&mut self) {
        self.free = Some(Vec::new());
    }

    /// A number for an object to come.
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

    /// Brings a reserved handle to life.
    pub(crate) fn insert_at(&mut self, handle: Handle, object: T) {
        self.live.insert(handle, object);
    }

    /// The object.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_HANDLE` where the handle is not a live one of this kind.
    pub(crate) fn get(&self, handle: Handle) -> Outcome<&T> {
        self.live.get(&handle).ok_or(Status::INVALID_HANDLE)
    }

    /// The object, to be changed. Errors as [`Self::get`].
    pub(crate) fn get_mut(&mut self, handle: Handle) -> Outcome<&mut T> {
        self.live.get_mut(&handle).ok_or(Status::INVALID_HANDLE)
    }

    /// Takes the object out. Errors as [`Self::get`].
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

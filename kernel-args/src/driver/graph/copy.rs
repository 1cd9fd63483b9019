//! Nodes that copy or set memory.

use super::{
    AnyNode, Dependencies, Graph, HostBuffer,
    allocations::MemoryUses,
    contents::new_slot,
    explain,
    node_memory::{NodeMemory, NodeMemoryMut, Operand},
    release::Owner,
};
use crate::{
    device::{DeviceType, store_all},
    driver::{
        api::{After, CallError, ContextHandle, CopyPlace, NodeId},
        context::make_current,
        error::Error,
    },
};
use core::ffi::c_void;

/// Returns the size of `elements` elements of `T` in bytes; `None` for no elements, and for more than the address
/// space.
pub(super) fn size<T>(elements: usize) -> Option<usize> {
    let bytes = elements.checked_mul(size_of::<T>())?;
    (bytes > 0 && isize::try_from(bytes).is_ok()).then_some(bytes)
}

fn bytes<T>(elements: usize) -> Result<usize, Error> {
    size::<T>(elements).ok_or_else(|| match elements {
        0 => explain::ADDED.no_elements(),
        _ => explain::ADDED.too_many_elements(elements, size_of::<T>()),
    })
}

/// Host memory that `owner` keeps allocated.
fn host(pointer: *mut c_void, owner: Owner) -> Operand {
    Operand { place: CopyPlace::Host(pointer), bytes: None, owner: Some(owner) }
}

/// What a body of a conditional node must not contain.
const HOST_COPY: &str = "a copy from or to the host";

impl Graph {
    /// Adds a node that copies all elements of `from` to device memory, after the nodes `after`.
    ///
    /// The graph retains `from`, and every launch reads it again. If `T` has padding, which may contain any bytes of
    /// the host, the graph retains a copy with zeros instead. It retains the device memory if `to` is
    /// [`Retained`](crate::Retained).
    ///
    /// # Errors
    /// As for [`add_memcpy`](Self::add_memcpy).
    pub fn add_memcpy_htod<T: DeviceType>(
        &mut self,
        to: impl NodeMemoryMut<T>,
        from: impl AsRef<[T]> + Send + 'static,
        after: impl Dependencies,
    ) -> Result<AnyNode, Error> {
        let from = Box::new(from);
        let elements: &[T] = (*from).as_ref();
        let width = bytes::<T>(elements.len())?;
        let (source, from): (*const u8, Owner) = if T::HAS_PADDING {
            let mut stored = vec![0; width];
            store_all(elements, &mut stored);
            (stored.as_ptr(), Box::new(stored))
        } else {
            (elements.as_ptr().cast(), from)
        };
        let node = self.add_copy(to.operand(), host(source.cast_mut().cast(), from), width, after)?;
        self.place.not_in_bodies.get_or_insert(HOST_COPY);
        Ok(node)
    }

    /// Adds a node that copies as many elements as `to` has from device memory to `to`, after the nodes `after`.
    ///
    /// The graph retains `to`, and every launch overwrites it. It retains the device memory if `from` is
    /// [`Retained`](crate::Retained).
    ///
    /// # Errors
    /// As for [`add_memcpy`](Self::add_memcpy).
    pub fn add_memcpy_dtoh<T: DeviceType + Send + Sync>(
        &mut self,
        to: &HostBuffer<T>,
        from: impl NodeMemory<T>,
        after: impl Dependencies,
    ) -> Result<AnyNode, Error> {
        let width = bytes::<T>(to.len())?;
        let target = host(to.as_ptr().cast(), Box::new(to.clone()));
        let node = self.add_copy(target, from.operand(), width, after)?;
        self.place.not_in_bodies.get_or_insert(HOST_COPY);
        Ok(node)
    }
}

impl<B> Graph<B> {
    /// Adds a node that copies `len` elements within device memory, after the nodes `after`.
    ///
    /// `to` is a [`DevicePointerMut`](crate::DevicePointerMut), `from` also a [`DevicePointer`](crate::DevicePointer).
    /// The graph keeps the memory of [`Retained`](crate::Retained) pointers allocated, the caller all other memory, for
    /// example with [`retain`](Self::retain).
    ///
    /// # Errors
    /// [`Error::Graph`] if `len` is 0, if memory of the graph or of a `Retained` pointer has fewer elements, if one of
    /// `after` belongs to a different graph, or if the driver returns an error.
    pub fn add_memcpy<T: DeviceType>(
        &mut self,
        to: impl NodeMemoryMut<T>,
        from: impl NodeMemory<T>,
        len: usize,
        after: impl Dependencies,
    ) -> Result<AnyNode, Error> {
        self.add_copy(to.operand(), from.operand(), bytes::<T>(len)?, after)
    }

    fn add_copy(
        &mut self,
        to: Operand,
        from: Operand,
        width: usize,
        after: impl Dependencies,
    ) -> Result<AnyNode, Error> {
        let (target, source) = (to.place, from.place);
        self.add_node(after, [to, from], width, |after, context| after.add_copy(target, source, width, context))
    }

    /// Adds a node that sets every byte of `len` elements to `byte`, after the nodes `after`.
    ///
    /// The memory stays allocated as for [`add_memcpy`](Self::add_memcpy).
    ///
    /// # Errors
    /// As for [`add_memcpy`](Self::add_memcpy).
    pub fn add_memset<T: DeviceType>(
        &mut self,
        to: impl NodeMemoryMut<T>,
        byte: u8,
        len: usize,
        after: impl Dependencies,
    ) -> Result<AnyNode, Error> {
        let (width, address) = (bytes::<T>(len)?, to.address());
        self.add_node(after, [to.operand()], width, |after, context| after.add_memset(address, byte, width, context))
    }

    /// Adds a node that uses `width` bytes of each `memory`.
    fn add_node<const N: usize>(
        &mut self,
        after: impl Dependencies,
        memory: [Operand; N],
        width: usize,
        add: impl FnOnce(&After<'_>, ContextHandle<'_>) -> Result<NodeId, CallError>,
    ) -> Result<AnyNode, Error> {
        let mut after = self.after(None, after)?;
        let uses = MemoryUses::of(&self.contents.memory);
        for used in &memory {
            if let CopyPlace::Device(address) = used.place {
                uses.see_range(address, width)?;
            }
            if let Some(bytes) = used.bytes.filter(|bytes| width > *bytes) {
                return Err(explain::ADDED.beyond_memory(0, width, bytes));
            }
        }
        uses.add_to(&mut after);
        let owners: Vec<Owner> = memory.into_iter().filter_map(|used| used.owner).collect();
        let slot = if owners.is_empty() { None } else { Some(new_slot(Box::new(()))?) };
        make_current(&self.context)?;
        let node = explain::ADDED.check(add(&after, (&*self.context).into()))?;
        if let Some(slot) = &slot {
            slot.replace_owner(Some(Box::new(owners)));
        }
        let memory = uses.into_used();
        drop(after);
        self.contents.added(node, slot.as_ref(), &memory);
        Ok(AnyNode(node))
    }
}

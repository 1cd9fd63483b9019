//! The memory that a graph allocates, and which nodes use it.
//!
//! The driver fixes its address when its node is added, so an argument of any type that contains such an address is a
//! use.

use super::{GraphExec, Node, explain};
use crate::{
    driver::{
        api::{After, ContextState, NodeId},
        error::Error,
    },
    marshal::KernelArgs,
    memory::ForEachValue,
};
use core::cell::RefCell;
use cudarc::driver::{CudaStream, sys::CUdeviceptr};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

#[derive(Default)]
pub(super) struct Allocations {
    all: BTreeMap<CUdeviceptr, GraphAllocation>,
    /// Of the context, when the first node was added. A reset frees the memory.
    pub(super) state: Option<ContextState>,
    /// The memory that was taken since the last launch, and the stream of this launch.
    taken: BTreeSet<CUdeviceptr>,
    pub(super) taken_on: Option<Arc<CudaStream>>,
}

pub(super) struct GraphAllocation {
    pub(super) bytes: usize,
    pub(super) node: NodeId,
    pub(super) users: Vec<NodeId>,
    pub(super) freed_by: Option<NodeId>,
}

impl Allocations {
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn add(
        &mut self,
        address: CUdeviceptr,
        bytes: usize,
        node: NodeId,
        state: impl FnOnce() -> ContextState,
    ) {
        self.state.get_or_insert_with(state);
        let allocation = GraphAllocation { bytes, node, users: Vec::new(), freed_by: None };
        self.all.insert(address, allocation);
    }

    pub(super) fn of(&self, address: CUdeviceptr, node: NodeId) -> Option<&GraphAllocation> {
        self.all.get(&address).filter(|memory| memory.node == node)
    }

    pub(super) fn freed(&mut self, address: CUdeviceptr, by: NodeId) {
        if let Some(memory) = self.all.get_mut(&address) {
            memory.freed_by = Some(by);
        }
    }

    pub(super) fn used_by(&mut self, node: NodeId, used: &[CUdeviceptr]) {
        for address in used {
            if let Some(memory) = self.all.get_mut(address) {
                memory.users.push(node);
            }
        }
    }

    pub(super) fn bytes_of(&self, node: NodeId) -> Option<usize> {
        let mut all = self.all.values();
        let found = all.find(|memory| memory.node == node || memory.freed_by == Some(node));
        found.map(|memory| memory.bytes)
    }

    /// Returns the memory that contains `address`, with its first address.
    fn find(&self, address: CUdeviceptr) -> Option<(CUdeviceptr, &GraphAllocation)> {
        let (start, memory) = self.all.range(..=address).next_back()?;
        (address - start < memory.bytes as u64).then_some((*start, memory))
    }

    fn each_use(
        &self,
        values: &ForEachValue<'_>,
        mut see: impl FnMut(&str, CUdeviceptr, &GraphAllocation) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.is_empty() {
            return Ok(());
        }
        let mut outcome = Ok(());
        values(&mut |parameter, bytes| {
            // Pointers are aligned to 8 bytes, also in structs.
            let (words, _) = bytes.as_chunks();
            for word in words {
                if outcome.is_ok()
                    && let Some((start, memory)) = self.find(u64::from_ne_bytes(*word))
                {
                    outcome = see(parameter.name, start, memory);
                }
            }
        });
        outcome
    }

    /// Checks that a node runs while the memory is allocated that its new arguments use: its dependencies cannot
    /// change.
    pub(super) fn check_update<A: KernelArgs>(
        &self,
        exec: &GraphExec,
        node: &Node<A>,
        values: &ForEachValue<'_>,
    ) -> Result<(), Error> {
        self.each_use(values, |field, _, memory| {
            let edges = explain::UPDATED.check(exec.driver.graph().edges())?;
            let is_ordered = |first, then| reaches(&edges, first, then);
            let kernel = || String::from(node.kernel.name());
            if !is_ordered(memory.node, node.any.0) {
                return Err(explain::UPDATED.not_after_alloc(kernel(), field));
            }
            match memory.freed_by {
                Some(free) if !is_ordered(node.any.0, free) => Err(explain::UPDATED.not_before_free(kernel(), field)),
                _ => Ok(()),
            }
        })
    }

    /// Returns the addresses and sizes of the memory that the last launch has left allocated.
    pub(super) fn left(&self) -> impl Iterator<Item = (CUdeviceptr, usize)> {
        let left =
            self.all.iter().filter(|(address, memory)| memory.freed_by.is_none() && !self.taken.contains(*address));
        left.map(|(address, memory)| (*address, memory.bytes))
    }

    /// Returns whether it was not taken since the last launch, which was on `stream`.
    pub(super) fn take(&mut self, address: CUdeviceptr, stream: &Arc<CudaStream>) -> bool {
        self.taken_on = Some(stream.clone());
        self.taken.insert(address)
    }

    pub(super) fn launched(&mut self) {
        self.taken.clear();
        self.taken_on = None;
    }
}

fn reaches(edges: &[(NodeId, NodeId)], first: NodeId, then: NodeId) -> bool {
    let (mut open, mut seen) = (vec![first], BTreeSet::from([first]));
    while let Some(node) = open.pop() {
        let next = edges.iter().filter(|(from, _)| *from == node);
        open.extend(next.map(|(_, to)| *to).filter(|to| seen.insert(*to)));
    }
    first != then && seen.contains(&then)
}

const USES: &str = "the node uses";

pub(super) struct MemoryUses<'m> {
    memory: &'m Allocations,
    used: RefCell<Vec<CUdeviceptr>>,
}

impl<'m> MemoryUses<'m> {
    pub(super) fn of(memory: &'m Allocations) -> Self {
        Self { memory, used: RefCell::default() }
    }

    pub(super) fn see(&self, values: &ForEachValue<'_>, name: &dyn Fn() -> String) -> Result<(), Error> {
        self.memory.each_use(values, |field, start, memory| {
            if memory.freed_by.is_some() {
                let uses = if field.is_empty() { USES.into() } else { format!("`{field}` points to") };
                return Err(explain::ADDED.used_after_free(name(), &uses));
            }
            self.used.borrow_mut().push(start);
            Ok(())
        })
    }

    pub(super) fn see_range(&self, address: CUdeviceptr, width: usize) -> Result<(), Error> {
        let Some((start, memory)) = self.memory.find(address) else {
            return Ok(());
        };
        if memory.freed_by.is_some() {
            return Err(explain::ADDED.used_after_free(None::<String>, USES));
        }
        let offset = (address - start) as usize;
        if width > memory.bytes - offset {
            return Err(explain::ADDED.beyond_memory(offset, width, memory.bytes));
        }
        self.used.borrow_mut().push(start);
        Ok(())
    }

    pub(super) fn add_to(&self, after: &mut After<'_>) {
        for address in &*self.used.borrow() {
            if let Some(memory) = self.memory.all.get(address) {
                after.also(memory.node);
            }
        }
    }

    pub(super) fn into_used(self) -> Vec<CUdeviceptr> {
        self.used.into_inner()
    }
}

//! New arguments for the nodes of an instantiated graph.

use super::{GraphExec, Node, NodeArgs, explain, lower::NodeCall};
use crate::{
    driver::{
        api::KernelNodeParams,
        config::{IntoDim, Launch},
        error::Error,
        launch::prepare,
    },
    marshal::{KernelArgs, OwnedArgs},
    memory::ForEachValue,
};
use core::{ffi::c_void, mem, ptr};

impl GraphExec {
    /// Sets a new grid, a new block and new arguments of a node, for later launches. Its shared memory does not change,
    /// unless the contract `#[kernel_args(shared = …)]` computes it.
    ///
    /// Running and enqueued launches keep their arguments. Arguments that own nothing (numbers, structs, raw pointers)
    /// need no heap allocation.
    ///
    /// # Errors
    /// [`Error::Launch`] and [`Error::Context`] as for a launch; [`Error::Graph`] if the node belongs to a different
    /// graph, or the driver returns an error. After an error the node is unchanged.
    #[inline]
    pub fn update<A: KernelArgs, B>(
        &mut self,
        node: &Node<A>,
        grid: impl IntoDim,
        block: impl IntoDim,
        args: B,
    ) -> Result<(), Error>
    where
        B: NodeArgs<A> + OwnedArgs + Send + 'static,
    {
        let launch = Launch::new(grid, block);
        let launch = if const { B::CONTRACTS.shared } { launch } else { launch.shared(node.shared) };
        self.update_retained(node, launch, args, &mut ptr::null())
    }

    /// [`update`](Self::update) with all options of [`Launch`] except a stream.
    ///
    /// # Errors
    /// As for [`update`](Self::update).
    #[inline]
    pub fn update_launch<A: KernelArgs, B>(&mut self, node: &Node<A>, launch: Launch<'_>, args: B) -> Result<(), Error>
    where
        B: NodeArgs<A> + OwnedArgs + Send + 'static,
    {
        self.update_retained(node, launch, args, &mut ptr::null())
    }

    /// Updates many kernel nodes with the same argument type, like [`update_launch`](Self::update_launch).
    ///
    /// ```no_run
    /// # use kernel_args::{Error, KernelArgs, Launch, graph::{GraphExec, Node}};
    /// # #[derive(KernelArgs)]
    /// # struct Fill { value: f32, n: u32 }
    /// fn fill_all(exec: &mut GraphExec, nodes: &[Node<Fill>], value: f32) -> Result<(), Error> {
    ///     let launch = Launch::new(4, 256);
    ///     exec.update_all(nodes.iter().map(|node| (node, launch, Fill { value, n: 1024 })))
    /// }
    /// ```
    ///
    /// # Errors
    /// As for [`update`](Self::update), for the first node that cannot be updated. The nodes before it are updated.
    #[inline]
    pub fn update_all<'n, A: KernelArgs + 'n, B>(
        &mut self,
        updates: impl IntoIterator<Item = (&'n Node<A>, Launch<'n>, B)>,
    ) -> Result<(), Error>
    where
        B: NodeArgs<A> + OwnedArgs + Send + 'static,
    {
        let mut bound = ptr::null();
        for (node, launch, args) in updates {
            self.update_retained(node, launch, args, &mut bound)?;
        }
        Ok(())
    }

    #[inline(always)]
    fn update_retained<A: KernelArgs, B>(
        &mut self,
        node: &Node<A>,
        launch: Launch<'_>,
        mut args: B,
        bound: &mut *const c_void,
    ) -> Result<(), Error>
    where
        B: NodeArgs<A> + OwnedArgs + Send + 'static,
    {
        if const { !mem::needs_drop::<B>() } {
            self.set(node, launch, &mut args, bound, |_| Ok(()))?;
            if self.release_former(node) {
                *bound = ptr::null();
            }
            return Ok(());
        }
        match &node.slot {
            Some(slot) => {
                let memory = &self.contents.memory;
                let see = |values: &ForEachValue<'_>| memory.check_update(self, node, values);
                self.set(node, launch, &mut args, bound, see)?;
                // The graph cannot be launched between the update and this line.
                if self.replace_owner(slot, Some(Box::new(args))) {
                    *bound = ptr::null();
                }
                Ok(())
            }
            None if self.driver.node(node.any.0).is_some() => {
                Err(explain::UPDATED.cannot_retain(String::from(node.kernel.name())))
            }
            None => Err(self.has_not(node)),
        }
    }

    #[cold]
    fn has_not<A: KernelArgs>(&self, node: &Node<A>) -> Error {
        explain::UPDATED.not_of_graph(self.driver.graph(), node.any.0, Some(node.kernel.name().into()))
    }

    /// Releases arguments that an update has replaced with arguments that own nothing; returns whether there were any.
    #[inline(always)]
    pub(super) fn release_former<A: KernelArgs>(&mut self, node: &Node<A>) -> bool {
        match &node.slot {
            Some(slot) if slot.is_occupied() => self.replace_owner(slot, None),
            _ => false,
        }
    }

    #[inline(always)]
    pub(super) fn set<A: KernelArgs, B: KernelArgs<Erased = A::Erased>>(
        &self,
        node: &Node<A>,
        launch: Launch<'_>,
        args: &mut B,
        bound: &mut *const c_void,
        observe: impl FnOnce(&ForEachValue<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(found) = self.driver.node(node.any.0) else {
            return Err(self.has_not(node));
        };
        let set = |params: &KernelNodeParams<'_>| found.set_params(params);
        prepare(NodeCall {
            kernel: &node.kernel,
            args,
            launch,
            cluster: node.cluster,
            added: None,
            bound,
            observe,
            set,
        })
        .map_err(|error| *error)?;
        Ok(())
    }
}

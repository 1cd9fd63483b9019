//! Graphs that are not instantiated yet.

use super::{
    AnyNode, Dependencies, GraphExec, Node, NodeArgs,
    allocations::MemoryUses,
    body::Nesting,
    contents::{GraphContents, new_slot},
    explain,
    lower::{Added, NodeCall},
    release,
};
use crate::{
    driver::{
        api::{self, After, CallError, KernelNodeParams, NodeId, api},
        attributes::make_device_updatable,
        config::{Form, IntoDim, Launch},
        context::make_current,
        error::Error,
        launch::prepare,
        module::Kernel,
    },
    marshal::{KernelArgs, OwnedArgs},
    memory::ForEachValue,
};
use core::{cell::RefCell, marker::PhantomData, mem, ptr};
use cudarc::driver::{
    CudaContext,
    sys::{CUdeviceptr, CUgraph},
};
use std::sync::Arc;

/// A graph of kernels, copies and other nodes: built node by node, or [captured](Self::capture) from a stream.
///
/// It belongs to one context. [`instantiate`](Self::instantiate) converts it to a [`GraphExec`], which can be launched
/// repeatedly. [`Body`](super::Body) is a graph that is a body of a conditional node.
///
/// ```no_run
/// use kernel_args::{Kernel, KernelArgs, graph::Graph};
///
/// #[derive(KernelArgs)]
/// struct Fill { value: f32, n: u32 }
///
/// # let ctx = kernel_args::context(0)?;
/// # let stream = ctx.new_stream()?;
/// # let fill = Kernel::<Fill>::from_image(&ctx, "", "fill")?;
/// let mut graph = Graph::new(&ctx)?;
/// let node = graph.add_kernel(&fill, 4, 256, Fill { value: 1.0, n: 1024 }, &[])?;
/// let mut exec = graph.instantiate()?;
/// exec.update(&node, 4, 256, Fill { value: 2.0, n: 1024 })?;
/// // SAFETY: the kernel accesses no memory.
/// unsafe { exec.launch(&stream)? };
/// # Ok::<(), kernel_args::Error>(())
/// ```
///
/// # What keeps memory allocated
///
/// Arguments must be `'static`: a borrowed slice does not compile. The graph retains them, and the kernels of the
/// nodes, until an update replaces them or the graph is dropped, and the last launch that may use them has finished. A
/// raw pointer, and arguments of an `…_unretained` method, retain nothing: see [`GraphExec::launch`] and
/// [`graphs`](crate::guide::graphs#what-the-graph-keeps-allocated).
pub struct Graph<B = ()> {
    pub(super) driver: api::Graph,
    pub(super) context: Arc<CudaContext>,
    pub(super) contents: GraphContents,
    pub(super) place: Nesting,
    pub(super) kind: PhantomData<B>,
}

impl Graph {
    /// Creates an empty graph, for kernels that are loaded in `ctx`.
    ///
    /// # Errors
    /// [`Error::OldDriver`] if the driver is older than 12.0; [`Error::Driver`].
    pub fn new(ctx: &Arc<CudaContext>) -> Result<Self, Error> {
        let api = api()?;
        make_current(ctx)?;
        Ok(Self::of(api::Graph::new(api)?, ctx.clone()))
    }

    /// Converts it to a graph that can be launched. All nodes are enabled.
    ///
    /// # Errors
    /// [`Error::Graph`] if the driver returns an error, or a body of a conditional node was not filled. It drops the
    /// graph.
    pub fn instantiate(self) -> Result<GraphExec, Error> {
        self.instantiate_with(0)
    }

    pub(super) fn instantiate_with(self, flags: u64) -> Result<GraphExec, Error> {
        self.place.check_filled(explain::INSTANTIATED)?;
        make_current(&self.context)?;
        match api::Exec::instantiate(self.driver, flags) {
            Ok(driver) => Ok(GraphExec {
                driver,
                context: self.context,
                last_launch: None,
                contents: self.contents,
                replacement: None,
            }),
            Err(CallError::Returned(call)) if call.status.0 == 1 && self.contents.unused_conditions > 0 => {
                let conditions = match self.contents.unused_conditions {
                    1 => "a condition of the graph has".into(),
                    count => format!("{count} conditions of the graph have"),
                };
                Err(explain::INSTANTIATED.unused_conditions(call, &conditions))
            }
            Err(error) => Err(explain::INSTANTIATED.error(error)),
        }
    }

    /// Removes a node and its dependencies, and releases what the node has retained: `cuGraphDestroyNode`.
    ///
    /// The nodes after it no longer wait for the nodes before it. The removed node, and every clone of it, is rejected,
    /// even if the driver gives its handle to a new node. A node of a child graph, or of a body of a conditional node,
    /// cannot be removed alone.
    ///
    /// # Errors
    /// [`Error::Graph`] if it is not a node of this graph (any more), if the graph allocates or frees memory, or if the
    /// driver returns an error.
    pub fn remove(&mut self, node: impl Into<AnyNode>) -> Result<(), Error> {
        let AnyNode(id) = node.into();
        let graph = self.driver.as_ref();
        if graph.node(id).is_none() {
            return Err(explain::REMOVED.not_of_graph(graph, id, None));
        }
        if !self.contents.memory.is_empty() {
            return Err(explain::REMOVED.graph_with_memory());
        }
        make_current(&self.context)?;
        explain::REMOVED.check(self.driver.remove(id))?;
        self.contents.removed(id);
        Ok(())
    }

    /// Allows kernels to update the parameters of a node. Returns the `cudaGraphDeviceNode_t` that
    /// `cudaGraphKernelNodeSetParam` takes together with the [offset](crate::args::offset_of) of a field. It is valid
    /// as long as the graph.
    ///
    /// A graph with such a node can be instantiated once. It must be [uploaded](super::GraphExec::upload) before its
    /// first launch and after each update of the node by the host. A parameter that a kernel writes is not checked.
    ///
    /// # Errors
    /// [`Error::Graph`] if the node belongs to a different graph, or the driver returns an error: it needs CUDA 12.4.
    pub fn make_device_updatable<A: KernelArgs>(&mut self, node: &Node<A>) -> Result<CUdeviceptr, Error> {
        let (action, graph) = (explain::DEVICE_UPDATABLE, self.driver.as_ref());
        let foreign = || action.not_of_graph(graph, node.any.0, Some(node.kernel.name().into()));
        let found = graph.node(node.any.0).ok_or_else(foreign)?;
        make_current(&self.context)?;
        make_device_updatable(self.driver.api(), found)?.map_err(|refused| action.returned(refused.call))
    }
}

impl<B> Graph<B> {
    pub(super) fn of(driver: api::Graph, context: Arc<CudaContext>) -> Self {
        Self { driver, contents: GraphContents::new(&context), context, place: Nesting::default(), kind: PhantomData }
    }

    /// Adds a node that launches `kernel` after the nodes `after`: `&[]` for none, `&node` for one, `[&a, &b]` for
    /// several. The graph retains `args`.
    ///
    /// # Errors
    /// [`Error::Launch`] and [`Error::Context`] as for a launch; [`Error::Graph`] if the kernel belongs to a different
    /// context, one of `after` to a different graph, or the driver returns an error.
    pub fn add_kernel<A: KernelArgs, T>(
        &mut self,
        kernel: &Kernel<A>,
        grid: impl IntoDim,
        block: impl IntoDim,
        args: T,
        after: impl Dependencies,
    ) -> Result<Node<A>, Error>
    where
        T: NodeArgs<A> + OwnedArgs + Send + 'static,
    {
        self.add_kernel_launch(kernel, Launch::new(grid, block), args, after)
    }

    /// [`add_kernel`](Self::add_kernel) with options: shared memory, the form of the arguments, attributes.
    ///
    /// `launch` must not have a stream. Its attributes become attributes of the node, if CUDA supports them for nodes:
    /// all except `programmatic_stream_serialization` and the events. An update of the node keeps them.
    ///
    /// # Errors
    /// As for [`add_kernel`](Self::add_kernel).
    pub fn add_kernel_launch<A: KernelArgs, T>(
        &mut self,
        kernel: &Kernel<A>,
        launch: Launch<'_>,
        mut args: T,
        after: impl Dependencies,
    ) -> Result<Node<A>, Error>
    where
        T: NodeArgs<A> + OwnedArgs + Send + 'static,
    {
        let node = self.add(kernel, launch, &mut args, after)?;
        if const { mem::needs_drop::<T>() }
            && let Some(slot) = &node.slot
        {
            slot.replace_owner(Some(Box::new(args)));
        }
        Ok(node)
    }

    pub(super) fn add<A: KernelArgs, T: KernelArgs<Erased = A::Erased>>(
        &mut self,
        kernel: &Kernel<A>,
        mut launch: Launch<'_>,
        args: &mut T,
        after: impl Dependencies,
    ) -> Result<Node<A>, Error> {
        let function = kernel.function();
        let after = RefCell::new(self.after(Some(function.name.as_str()), after)?);
        let uses = MemoryUses::of(&self.contents.memory);
        let attributes = launch.attributes.take();
        if attributes.is_some_and(|attributes| attributes.cooperative.is_some()) {
            launch.form.get_or_insert(Form::KernelParams);
        }
        let cluster = attributes.and_then(|attributes| attributes.cluster);
        let slot = new_slot(kernel.keep_loaded())?;
        let observe = |values: &ForEachValue<'_>| {
            uses.see(values, &|| function.name.clone())?;
            uses.add_to(&mut after.borrow_mut());
            Ok(())
        };
        let (node, shared) = prepare(NodeCall {
            kernel,
            args,
            launch,
            cluster,
            added: Some(Added { context: &self.context, attributes: attributes.as_ref() }),
            bound: &mut ptr::null(),
            observe,
            set: |params: &KernelNodeParams<'_>| after.borrow().add_kernel(params),
        })
        .map_err(|error| *error)?;
        let node = match &attributes {
            Some(attributes) => self.set_attributes(&function.name, node, attributes)?,
            None => node.id(),
        };
        let memory = uses.into_used();
        drop(after);
        self.contents.added(node, Some(&slot), &memory);
        Ok(Node { kernel: kernel.clone(), any: AnyNode(node), shared, cluster, slot: Some(slot) })
    }

    /// Adds a node that does nothing after the nodes `after`: one dependency instead of several.
    ///
    /// # Errors
    /// [`Error::Graph`] if one of `after` belongs to a different graph, or the driver returns an error.
    pub fn add_join(&mut self, after: impl Dependencies) -> Result<AnyNode, Error> {
        self.add_kept(after, None, |after| after.add_join())
    }

    pub(super) fn add_kept(
        &mut self,
        after: impl Dependencies,
        kept: Option<Box<dyn Send + Sync>>,
        add: impl FnOnce(After<'_>) -> Result<NodeId, CallError>,
    ) -> Result<AnyNode, Error> {
        let after = self.after(None, after)?;
        make_current(&self.context)?;
        let slot = kept.map(new_slot).transpose()?;
        let node = explain::ADDED.check(add(after))?;
        self.contents.added(node, slot.as_ref(), &[]);
        Ok(AnyNode(node))
    }

    pub(super) fn after(&self, kernel: Option<&str>, after: impl Dependencies) -> Result<After<'_>, Error> {
        let nodes: Vec<NodeId> = after.into_nodes().iter().map(|node| node.0).collect();
        self.driver.after(&nodes).map_err(|index| {
            let kernel = kernel.map(String::from);
            if self.driver.as_ref().had(nodes[index]) {
                explain::ADDED.removed_dependency(kernel, index)
            } else {
                explain::ADDED.foreign_dependency(kernel, index)
            }
        })
    }

    /// Keeps `owner` until the graph is dropped and all its launches have finished, for example memory that raw
    /// pointers in the arguments point to, or objects that a captured library call uses. A different thread then drops
    /// it.
    ///
    /// # Errors
    /// [`Error::Graph`] if the system could not start the thread.
    pub fn retain(&mut self, owner: impl Send + 'static) -> Result<(), Error> {
        release::start()?;
        self.contents.own(Box::new(owner));
        Ok(())
    }

    /// Returns the driver's handle, which is valid while this is alive. Only one thread at a time may modify a graph.
    /// What other code instantiates from it retains nothing: keep this object until the launches have finished.
    #[must_use]
    pub fn cu_graph(&self) -> CUgraph {
        self.driver.raw()
    }
}

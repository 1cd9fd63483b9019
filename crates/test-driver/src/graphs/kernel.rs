//! Kernel nodes: setting and getting `CUDA_KERNEL_NODE_PARAMS_v2`, for graphs and instantiated graphs.

use crate::{
    entry::{In, Out, in_at},
    error::{Outcome, Status},
    execute::Geometry,
    handle::Handle,
    launches::{bank::Form, launch::KernelCall},
    state::{Driver, Operation},
};

/// `CUDA_KERNEL_NODE_PARAMS_v2`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelNodeParams {
    function: Handle,
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    kernel_params: usize,
    extra: usize,
    kernel: Handle,
    context: Handle,
}

impl KernelNodeParams {
    pub(crate) fn new(function: Handle, shape: ([u32; 3], [u32; 3], u32), [kernel_params, extra]: [usize; 2]) -> Self {
        let (grid, block, shared) = shape;
        let (kernel, context) = (Handle::NULL, Handle::NULL);
        Self { function, grid, block, shared, kernel_params, extra, kernel, context }
    }
}

/// The arrays that a node returns for its parameters. CUDA keeps these arrays in the node, and they are readable until
/// the node is changed or destroyed.
#[derive(Debug)]
pub(crate) struct NodeArrays {
    /// The bytes of the bank. The arrays point to them.
    bytes: Box<[u8]>,
    kernel_params: Vec<usize>,
    extra: Option<Box<[usize; 5]>>,
    size: Box<usize>,
}

impl NodeArrays {
    fn new(call: &KernelCall) -> Self {
        let bytes = call.bank.bytes.clone().into_boxed_slice();
        let size = Box::new(bytes.len());
        let start = bytes.as_ptr().expose_provenance();
        let size_at = std::ptr::from_ref(&*size).expose_provenance();
        let is_extra = call.bank.form == Form::Extra;
        Self {
            kernel_params: call.kernel.parameters.iter().map(|parameter| start + parameter.offset).collect(),
            extra: is_extra.then(|| Box::new([1, start, 2, size_at, 0])),
            bytes,
            size,
        }
    }

    /// `kernelParams` and `extra`: the form that was set; the unused form is null.
    fn pointers(&self) -> (usize, usize) {
        debug_assert_eq!(*self.size, self.bytes.len());
        match &self.extra {
            Some(extra) => (0, extra.as_ptr().expose_provenance()),
            None if self.kernel_params.is_empty() => (0, 0),
            None => (self.kernel_params.as_ptr().expose_provenance(), 0),
        }
    }
}

impl Driver {
    /// Returns the checked launch of a kernel node. If `func` is null, `kern` is used. The context is the function's
    /// context, the given context, or the current context.
    fn node_call(&self, parameters: In<KernelNodeParams>) -> Outcome<KernelCall> {
        let params = parameters.get()?;
        let function = if params.function.is_null() { params.kernel } else { params.function };
        let own = self.functions.get(function)?.context;
        let context = match own {
            Some(context) => context,
            None if params.context.is_null() => self.current()?,
            None => params.context,
        };
        self.check(context)?;
        let geometry =
            Geometry { grid: params.grid, block: params.block, shared: params.shared, ..Geometry::default() };
        self.prepare(function, context, geometry, in_at(params.kernel_params), in_at(params.extra))
    }

    pub(crate) fn kernel_node(&self, node: Handle) -> Outcome<&KernelCall> {
        match &self.nodes.get(node)?.operation {
            Operation::Kernel(call) => Ok(call),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// Returns the call that replaces `old`. A node's function may change, but not its context.
    fn replacement(&self, old: &KernelCall, parameters: In<KernelNodeParams>) -> Outcome<Operation> {
        let mut call = self.node_call(parameters)?;
        let context = |function| self.functions.get(function).ok().and_then(|held| held.context);
        if context(call.function) != context(old.function) {
            return Err(Status::INVALID_VALUE);
        }
        // The parameters contain no attributes: the node keeps its attributes.
        call.geometry.cooperative = old.geometry.cooperative;
        call.geometry.cluster = call.geometry.cluster.or(old.geometry.cluster);
        call.attributes.clone_from(&old.attributes);
        Ok(Operation::Kernel(Box::new(call)))
    }
}

entry_points! {
    fn cuGraphAddKernelNode_v2(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize,
        parameters: In<KernelNodeParams>,
    ) {
        let call = driver.node_call(parameters)?;
        node.set(driver.add_node(graph, Operation::Kernel(Box::new(call)), dependencies.take(count)?)?)
    }

    fn cuGraphKernelNodeGetParams_v2(driver, node: Handle, parameters: Out<KernelNodeParams>) {
        let call = driver.kernel_node(node)?.clone();
        let context = driver.functions.get(call.function)?.context;
        let arrays = driver.nodes.get_mut(node)?.arrays.get_or_insert_with(|| NodeArrays::new(&call));
        let (kernel_params, extra) = arrays.pointers();
        let (function, kernel) =
            if context.is_some() { (call.function, Handle::NULL) } else { (Handle::NULL, call.function) };
        let Geometry { grid, block, shared, .. } = call.geometry;
        let context = context.unwrap_or_default();
        parameters.set(KernelNodeParams { function, grid, block, shared, kernel_params, extra, kernel, context })
    }

    fn cuGraphKernelNodeSetParams_v2(driver, node: Handle, parameters: In<KernelNodeParams>) {
        let operation = driver.replacement(driver.kernel_node(node)?, parameters)?;
        let held = driver.nodes.get_mut(node)?;
        held.operation = operation;
        held.arrays = None;
        Ok(())
    }

    fn cuGraphExecKernelNodeSetParams_v2(
        driver, exec: Handle, node: Handle, parameters: In<KernelNodeParams>,
    ) {
        let operation = match driver.execs.get(exec)?.operation(node)? {
            Operation::Kernel(old) => driver.replacement(old, parameters)?,
            _ => return Err(Status::INVALID_VALUE),
        };
        driver.execs.get_mut(exec)?.replace(node, operation)
    }
}

//! A row for each reason:
//! `name [the kernel, if there is one] {the call, if the driver returned an error} (what the text contains, if
//! anything)`.

use super::{Action, returned::NOT_IN_CHILD_GRAPHS};
use crate::{
    driver::{api::DriverCall, error::Error},
    memory::ContextName,
};
use cudarc::driver::CudaContext;
use kernel_args_image::CudaVersion;

macro_rules! reasons {
    ($($name:ident $([$kernel:ident])? $({$call:ident})? $(($($argument:ident: $ty:ty),*))? = $reason:literal, $help:expr;)*) => {
        #[allow(clippy::useless_format, reason = "a reason without arguments")]
        impl Action {$(
            #[cold]
            pub(in crate::driver::graph) fn $name(
                self $(, $kernel: impl Into<Option<String>>)? $(, $call: DriverCall)? $($(, $argument: $ty)*)?
            ) -> Error {
                let reason = format!($reason);
                self.failed(None::<String>$(.or($kernel.into()))?, None$(.or(Some($call)))?, reason, $help)
            }
        )*}
    };
}

reasons! {
    foreign_node [kernel] =
        "it belongs to another graph",
        "pass a node of the graph that was instantiated: `Graph::add_kernel` and a captured launch return it, \
         `Graph::kernel_nodes` finds it";
    removed_node [kernel] =
        "it was removed from this graph",
        "drop the node after `Graph::remove`; a node that is added later is another node, even if the driver gives it the same handle";
    removed_dependency [kernel] (index: usize) =
        "the dependency at index {index} was removed from this graph",
        "depend on the nodes before it, or add the new node before the removal";
    foreign_dependency [kernel] (index: usize) =
        "the dependency at index {index} belongs to another graph",
        "a node can depend only on nodes of its own graph";
    foreign_kernel [kernel] (graph: ContextName, loaded: ContextName) =
        "the kernel was loaded in another context (another device?) than the graph's\n  graph   {graph}\n  kernel  {loaded}",
        "create the graph with the context in which the kernel was loaded";
    foreign_object (object: &str, graph: ContextName, context: ContextName, help: &'static str) =
        "the {object} belongs to another context (another device?) than the graph\n  graph   {graph}\n  {object:<7} {context}",
        help;
    foreign_graph (graph: ContextName, new: ContextName) =
        "the new graph belongs to another context (another device?)\n  this graph  {graph}\n  new graph   {new}",
        SAME_CONTEXT;

    stream_of_a_node [kernel] =
        "a node of a graph has no stream",
        "remove `stream`; the graph is launched on a stream";
    attributes_of_an_update [kernel] =
        "an update cannot change the launch attributes of a node",
        "remove them: the node keeps the attributes with which it was added or captured";
    attribute_of_launches [kernel] (attribute: &str) =
        "`{attribute}` is an attribute of launches, not of nodes",
        "capture a launch with it, `Graph::capture`: CUDA converts it to dependencies and nodes";
    rejected_attribute [kernel] {call} (attribute: &str) =
        "{call} for `{attribute}`",
        "add the node without the attribute, or capture a launch that has it";

    not_capturing [kernel] =
        "the stream is not being captured",
        CAPTURE_IT;
    foreign_capture [kernel] =
        "`Graph::capture` has not begun the capture of this stream",
        CAPTURE_IT;
    broken_capture [kernel] =
        "an earlier call on the captured streams was not allowed and has ended the capture",
        "see the error of that call";
    ambiguous_node [kernel] =
        "another thread uses the captured stream at the same time",
        "use a captured stream on one thread only";
    nothing_captured =
        "the driver returned no graph",
        "end a capture on the stream and the thread on which it began";

    cannot_retain [kernel] =
        "the graph was instantiated before this node was found, and cannot retain the arguments",
        "find the node with `Graph::kernel_nodes` before the graph is instantiated, capture it with `launch!(…, node)`, or \
         use `GraphExec::update_unretained` and keep the memory allocated";
    no_thread =
        "the system could not start the thread that drops retained values",
        "allow this process one more thread";

    no_elements =
        "there are no elements to copy or to set",
        "do not add a node for zero elements";
    too_many_elements (elements: usize, size: usize) =
        "{elements} elements of {size} bytes exceed the address space",
        "pass the number of elements, not of bytes";
    beyond_memory (offset: usize, width: usize, bytes: usize) =
        "{width} bytes at offset {offset} exceed the {bytes} bytes of the memory",
        "pass at most as many elements as the memory has";

    nothing_to_allocate =
        "no elements are to be allocated",
        AT_LEAST_ONE;
    too_large_allocation (elements: usize, size: usize) =
        "{elements} elements of {size} bytes exceed the address space",
        AT_LEAST_ONE;
    foreign_memory =
        "the memory belongs to another graph",
        "pass memory that `Graph::add_alloc` of the same graph has returned";
    freed_twice =
        "the graph frees this memory already",
        "add one free node for each allocation";
    freed_by_graph =
        "the graph frees this memory itself",
        "to use the memory after a launch, do not call `add_free`; or copy it to the host in the graph with `add_memcpy_dtoh`";
    not_allocated =
        "no launch has allocated the memory, or it was taken after the last launch",
        "launch the graph first, and take the memory once after each launch";
    used_after_free [kernel] (uses: &str) =
        "{uses} memory that the graph frees, and a new node cannot run before the free",
        "call `add_free` after all nodes that use the memory were added";
    not_after_alloc [kernel] (field: &str) =
        "`{field}` points to memory of the graph, but the node does not run after the node that allocates it",
        "add the node with `GraphMemory::node` as a dependency: an instantiated graph cannot get new dependencies";
    not_before_free [kernel] (field: &str) =
        "`{field}` points to memory that the graph frees, but the free does not wait for the node",
        "pass the node to `add_free` as a dependency: an instantiated graph cannot get new dependencies";
    left_memory {call} (allocated: usize, freed: usize, sizes: &str) =
        "{call}\n  allocations of the graph: {allocated}{sizes}; freed by the graph: {freed}; the previous launch has left the rest allocated",
        "free it before the graph is launched again: add `Graph::add_free`, drop the slice while it is captured, drop the slice from \
         `GraphExec::take`, or instantiate with `Graph::instantiate_auto_free`";
    graph_with_memory =
        "CUDA does not allow this for a graph that allocates or frees memory",
        "update single nodes with `GraphExec::update`, or create the graph again without the node";

    unfilled_body =
        "a body of one of its conditional nodes was not filled: its closure returned an error or panicked",
        "create a new graph";
    foreign_condition =
        "the condition belongs to another graph",
        "create the condition with `add_condition` of the graph, or of a graph around this body";
    unused_conditions {call} (conditions: &str) =
        "{call}\n  {conditions} no conditional node",
        "pass each condition that `Graph::add_condition` returned to `add_if`, `add_while` or `add_switch`, or do not create it";
    no_cases =
        "a `switch` has at least one body",
        "pass the number of bodies";
    old_driver (what: &str, needed: CudaVersion, driver: CudaVersion) =
        "{what} needs a driver of CUDA {needed}, and this driver is of CUDA {driver}",
        "install a newer driver";
    graph_with_conditions =
        "a graph with conditional nodes cannot be updated as a whole, because kernels set the conditions of their own graph",
        "update single nodes with `GraphExec::update`, or instantiate the new graph";

    memory_in_child =
        "a child graph must not allocate or free memory",
        "call `add_alloc` and `add_free` of the graph around it, and pass the memory to the nodes of the child graph: the node of the child \
         graph must run after the allocation and before the free";
    conditional_in_child =
        "the child graph contains a conditional node",
        NOT_IN_CHILD_GRAPHS;
    child_in_body (node: &str) =
        "it contains {node}, and the graph is a body of a conditional node",
        "add nodes of host functions and events, and copies from and to the host, outside of conditional nodes";
}

impl Action {
    /// `object` is a stream, an event or a child graph.
    pub(in crate::driver::graph) fn check_context(
        self,
        graph: &CudaContext,
        object: &str,
        context: &CudaContext,
        help: &'static str,
    ) -> Result<(), Error> {
        if context.cu_ctx() == graph.cu_ctx() {
            return Ok(());
        }
        Err(self.foreign_object(object, ContextName::of(graph), ContextName::of(context), help))
    }
}

pub(in crate::driver::graph) const SAME_CONTEXT: &str = "create both graphs with the same context";
const CAPTURE_IT: &str = "launch inside `Graph::capture(&stream, || …)`, on that stream: `stream = &stream`";
const AT_LEAST_ONE: &str = "pass the number of elements, at least 1";

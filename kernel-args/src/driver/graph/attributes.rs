//! Launch attributes of nodes that are added to a graph.

use super::{Graph, explain};
use crate::driver::{
    api::{Api, LaunchConfig, required},
    attributes::{self, Request, for_launches_only, set_on_node},
    config::{Attributes, Launch},
    error::Error,
    function::LoadedFunction,
};
use core::ptr;
use cudarc::driver::sys::CUgraphNode;

impl Graph {
    /// Compares the attributes of a node with what the function, its GPU and the driver allow, as those of a launch.
    #[cold]
    pub(super) fn check_attributes(
        &self,
        function: &LoadedFunction,
        launch: &Launch<'_>,
        attributes: &Attributes<'_>,
    ) -> Result<(), Error> {
        // Without it a node that has not got its attributes could not be removed again.
        required!(self.handle.api, cuGraphDestroyNode)?;
        if let Some(attribute) = for_launches_only(attributes) {
            return Err(explain::attribute_of_launches(
                function.name.clone(),
                attribute,
            ));
        }
        self.context.bind_to_thread().map_err(Error::context)?;
        let (grid, block) = (launch.grid, launch.block);
        let request = Request {
            api: self.handle.api,
            function: function.handle(),
            config: LaunchConfig::new(
                [grid.x, grid.y, grid.z],
                [block.x, block.y, block.z],
                launch.shared,
                ptr::null_mut(),
            ),
            attributes,
            limits: &function.attribute_limits,
            is_node: true,
            name: &|| function.name.clone(),
        };
        // Before occupancy is asked for: it is that of a launch within the limits.
        function.check_with(launch, attributes.cluster.is_some())?;
        // SAFETY: the function is loaded, and its context, the graph's, is current; the stream is the default one.
        unsafe { attributes::check(&request) }
    }

    /// Gives a new node its attributes. Where the driver refuses one, the node is removed again.
    ///
    /// # Safety
    /// `node` is a kernel node of this graph, and nothing else names it.
    #[cold]
    pub(super) unsafe fn set_attributes(
        &self,
        kernel: &str,
        node: CUgraphNode,
        attributes: &Attributes<'_>,
    ) -> Result<(), Error> {
        let api = self.handle.api;
        // SAFETY: the caller vouches for the node.
        let set = unsafe { set_on_node(api, node, attributes) };
        let error = match set {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(refused)) => explain::node_attribute(kernel.into(), &refused),
            Err(error) => error,
        };
        if let Some(destroy) = api.cuGraphDestroyNode {
            // An error of this call has no receiver: the one above is the one to return.
            // SAFETY: as above.
            unsafe { destroy(node) };
        }
        Err(error)
    }
}

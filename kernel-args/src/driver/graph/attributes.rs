//! Launch attributes of nodes that are added to a graph.

use super::{Graph, explain};
use crate::driver::{
    api::{LaunchConfig, NewNode, NodeId, StreamHandle, required},
    attributes::{self, AttributeCheck, Refused, for_launches_only, set_on_node},
    config::{Attributes, Launch},
    context::make_current,
    error::Error,
    function::LoadedFunction,
};

impl<B> Graph<B> {
    #[cold]
    pub(super) fn check_attributes(
        &self,
        function: &LoadedFunction,
        launch: &Launch<'_>,
        attributes: &Attributes<'_>,
    ) -> Result<(), Error> {
        let api = self.driver.api();
        // Without this call, a node whose attributes are rejected could not be removed.
        required!(api, cuGraphDestroyNode)?;
        if let Some(attribute) = for_launches_only(attributes) {
            return Err(explain::ADDED.attribute_of_launches(function.name.clone(), attribute));
        }
        make_current(&self.context)?;
        let (grid, block) = (launch.grid, launch.block);
        let request = AttributeCheck {
            api,
            function: function.handle(),
            config: LaunchConfig::new(
                [grid.x, grid.y, grid.z],
                [block.x, block.y, block.z],
                launch.shared,
                StreamHandle::DEFAULT,
            ),
            attributes,
            limits: &function.attribute_limits,
            is_node: true,
            name: &|| function.name.clone(),
        };
        // The limits are checked before the occupancy, which is only valid for a launch within the limits.
        function.check_with(launch, attributes.cluster.is_some())?;
        attributes::check(&request)
    }

    /// Removes the node if the driver rejects one.
    #[cold]
    pub(super) fn set_attributes(
        &self,
        kernel: &str,
        node: NewNode<'_>,
        attributes: &Attributes<'_>,
    ) -> Result<NodeId, Error> {
        let error = match set_on_node(self.driver.api(), node.as_node(), attributes) {
            Ok(Ok(())) => return Ok(node.id()),
            Ok(Err(Refused { attribute, call })) => {
                explain::ADDED.rejected_attribute(kernel.to_string(), call, attribute)
            }
            Err(error) => error,
        };
        // The error above takes precedence.
        let _ = node.remove();
        Err(error)
    }
}

//! Launch attributes of nodes that are added to a graph.

use super::{Graph, explain};
use crate::driver::{
    api::{NewNode, NodeId, StreamHandle, required},
    attributes::{self, AttributeCheck, Refused, for_launches_only, set_on_node},
    config::{Attributes, Launch},
    error::Error,
    function::LoadedFunction,
};

/// The launch is within the limits, and its context is current.
#[cold]
pub(super) fn check_attributes(
    function: &LoadedFunction,
    launch: &Launch<'_>,
    attributes: &Attributes<'_>,
) -> Result<(), Error> {
    let api = function.api;
    // Without this call, a node whose attributes are rejected could not be removed.
    required!(api, cuGraphDestroyNode)?;
    if let Some(attribute) = for_launches_only(attributes) {
        return Err(explain::ADDED.attribute_of_launches(function.name.clone(), attribute));
    }
    attributes::check(&AttributeCheck {
        api,
        function: function.handle(),
        config: launch.config(StreamHandle::DEFAULT),
        attributes,
        limits: &function.attribute_limits,
        is_node: true,
        name: &|| function.name.clone(),
    })
}

impl<B> Graph<B> {
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

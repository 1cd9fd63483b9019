//! Conditional nodes: their conditions and their bodies.
//!
//! A body is a `Graph<InBody<'b>>`: `mem::swap` cannot exchange it with a graph that outlives its closure. On driver
//! 580, a body with a host function, an event, or a copy from or to pageable memory is an error without a reason when
//! the graph is instantiated.

use super::{
    AnyNode, Dependencies, Graph,
    contents::GraphContents,
    explain::{self, Action},
};
use crate::{
    device::ConditionalHandle,
    driver::{
        api::{ConditionalKind, ConditionalNodeParams, GraphId, NodeId, out},
        context::make_current,
        error::Error,
    },
};
use core::{marker::PhantomData, mem};
use kernel_args_image::CudaVersion;

/// The place of a graph that is a body of a conditional node: see [`Body`].
pub struct InBody<'b>(PhantomData<fn(&'b ()) -> &'b ()>);

/// A body of a conditional node, which a closure fills with the methods of [`Graph`].
///
/// It can contain kernels of the graph's context, copies within device memory, memsets, joins, child graphs and
/// conditional nodes. It cannot contain host functions, events, and copies from or to the host: a `Body` has no methods
/// for them.
pub type Body<'b> = Graph<InBody<'b>>;

impl<B> Graph<B> {
    /// Adds a node that runs a body if the value of `condition` is not 0, after the nodes `after`.
    ///
    /// `fill` adds the nodes of the body. If it returns an error or panics, the graph cannot be instantiated any more.
    /// [`graphs`](crate::guide::graphs#conditions) has an example.
    ///
    /// # Errors
    /// The error of `fill`; [`Error::Graph`] if one of `after` or the condition belongs to a different graph, or the
    /// driver returns an error; [`Error::OldDriver`] if the driver is older than 12.3.
    pub fn add_if<E: From<Error>>(
        &mut self,
        condition: Condition,
        after: impl Dependencies,
        fill: impl FnOnce(&mut Body<'_>) -> Result<(), E>,
    ) -> Result<AnyNode, E> {
        self.add_conditional(condition, ConditionalKind::If, 1, after, once(fill))
    }

    /// Adds a node that runs the first body if the value of `condition` is not 0, and otherwise the second body.
    ///
    /// # Errors
    /// As for [`add_if`](Self::add_if). The second body needs CUDA 12.8.
    pub fn add_if_else<E: From<Error>>(
        &mut self,
        condition: Condition,
        after: impl Dependencies,
        fill: impl FnOnce(&mut Body<'_>) -> Result<(), E>,
        fill_else: impl FnOnce(&mut Body<'_>) -> Result<(), E>,
    ) -> Result<AnyNode, E> {
        self.require_12_8("an `if` with an `else`")?;
        let (mut fill, mut fill_else) = (once(fill), once(fill_else));
        let fill = |index, body: &mut Body<'_>| match index {
            0 => fill(index, body),
            _ => fill_else(index, body),
        };
        self.add_conditional(condition, ConditionalKind::If, 2, after, fill)
    }

    /// Adds a node that runs a body again and again while the value of `condition` is not 0.
    ///
    /// The value is read before each run. A kernel in the body must set it to 0 in the end: otherwise the launch never
    /// finishes.
    ///
    /// # Errors
    /// As for [`add_if`](Self::add_if).
    pub fn add_while<E: From<Error>>(
        &mut self,
        condition: Condition,
        after: impl Dependencies,
        fill: impl FnOnce(&mut Body<'_>) -> Result<(), E>,
    ) -> Result<AnyNode, E> {
        self.add_conditional(condition, ConditionalKind::While, 1, after, once(fill))
    }

    /// Adds a node with `cases` bodies. It runs the body whose index is the value of `condition`, and none if the value
    /// is not below `cases`. `fill` is called for each body, with its index.
    ///
    /// # Errors
    /// As for [`add_if`](Self::add_if); also [`Error::Graph`] if `cases` is 0. It needs CUDA 12.8.
    pub fn add_switch<E: From<Error>>(
        &mut self,
        condition: Condition,
        cases: u32,
        after: impl Dependencies,
        fill: impl FnMut(u32, &mut Body<'_>) -> Result<(), E>,
    ) -> Result<AnyNode, E> {
        self.require_12_8("a `switch`")?;
        if cases == 0 {
            return Err(explain::CONDITIONAL_ADDED.no_cases().into());
        }
        self.add_conditional(condition, ConditionalKind::Switch, cases, after, fill)
    }

    fn add_conditional<E: From<Error>>(
        &mut self,
        condition: Condition,
        kind: ConditionalKind,
        count: u32,
        after: impl Dependencies,
        mut fill: impl FnMut(u32, &mut Body<'_>) -> Result<(), E>,
    ) -> Result<AnyNode, E> {
        let handle = condition.used_in(self)?;
        let after = self.after(None, after)?;
        make_current(&self.context).map_err(Error::from)?;
        let params = ConditionalNodeParams::new(handle, kind, count, (&*self.context).into());
        let (node, bodies) = explain::CONDITIONAL_ADDED.check(after.add_conditional(params))?;
        self.contents.unused_conditions -= 1;
        let mut is_unfilled = mem::replace(&mut self.place.is_unfilled, true);
        for (index, driver) in (0..count).zip(bodies) {
            let mut filled = Filled { body: Body::of(driver, self.context.clone()), node, around: &mut self.contents };
            let body = &mut filled.body;
            body.place = Nesting::in_graphs(self.place.around.iter().copied().chain([self.place.own]).collect());
            fill(index, body)?;
            is_unfilled |= body.place.is_unfilled;
            self.driver.keep_body(node, &mut body.driver);
        }
        self.place.is_unfilled = is_unfilled;
        Ok(AnyNode(node))
    }

    /// The error of an older driver does not name the reason.
    fn require_12_8(&self, what: &str) -> Result<(), Error> {
        const NEEDED: u32 = 12_080;
        let api = self.driver.api();
        let version = out(|version| api.cuDriverGetVersion(version))?.cast_unsigned();
        if version < NEEDED {
            let [needed, version] = [NEEDED, version].map(CudaVersion::from_number);
            return Err(explain::CONDITIONAL_ADDED.old_driver(what, needed, version));
        }
        Ok(())
    }
}

/// Drop gives what a body of `node` holds to the graph around it, which contains its nodes also after an error or a
/// panic.
struct Filled<'c, 'b> {
    body: Body<'b>,
    node: NodeId,
    around: &'c mut GraphContents,
}

impl Drop for Filled<'_, '_> {
    fn drop(&mut self) {
        self.around.take_over(self.node, &mut self.body.contents);
    }
}

fn once<E>(fill: impl FnOnce(&mut Body<'_>) -> Result<(), E>) -> impl FnMut(u32, &mut Body<'_>) -> Result<(), E> {
    let mut fill = Some(fill);
    move |_, body| fill.take().map_or(Ok(()), |fill| fill(body))
}

/// The condition of one conditional node: a number that kernels set.
///
/// [`Graph::add_condition`] creates it. [`add_if`](Graph::add_if), which has an example, and similar methods take it,
/// because each condition needs exactly one conditional node.
#[derive(Debug)]
#[must_use = "a graph with a condition that no conditional node has cannot be instantiated"]
pub struct Condition {
    handle: ConditionalHandle,
    graph: GraphId,
}

impl Condition {
    /// Returns the handle for kernels, which call `cudaGraphSetConditional(handle, value)`. They must be nodes of the
    /// graph that created the condition, or of a body in it, and run before the conditional node or in its bodies.
    #[must_use]
    pub fn handle(&self) -> ConditionalHandle {
        self.handle
    }

    fn used_in<B>(self, Graph { place, .. }: &Graph<B>) -> Result<u64, Error> {
        if place.own == self.graph || place.around.contains(&self.graph) {
            return Ok(self.handle.0);
        }
        Err(explain::CONDITIONAL_ADDED.foreign_condition())
    }
}

impl<B> Graph<B> {
    /// Creates a condition for a conditional node of this graph or of a body in it. Its value is `default` at the start
    /// of each launch, until a kernel sets it.
    ///
    /// # Errors
    /// [`Error::OldDriver`] if the driver is older than 12.3; [`Error::Graph`] if it returns an error.
    pub fn add_condition(&mut self, default: u32) -> Result<Condition, Error> {
        make_current(&self.context)?;
        let created = self.driver.as_ref().new_condition((&*self.context).into(), default);
        let handle = ConditionalHandle(explain::CONDITION_CREATED.check(created)?);
        self.contents.unused_conditions += 1;
        Ok(Condition { handle, graph: self.place.own })
    }
}

/// Whether a graph is in the body of a conditional node, and what this means for its nodes.
pub(super) struct Nesting {
    /// Identifies the graph for its conditions.
    own: GraphId,
    /// For a body: the graphs around it.
    around: Vec<GraphId>,
    /// A node that a body of a conditional node must not contain.
    pub(super) not_in_bodies: Option<&'static str>,
    /// The closure that fills a body has returned an error or panicked.
    pub(super) is_unfilled: bool,
}

impl Default for Nesting {
    fn default() -> Self {
        Self::in_graphs(Vec::new())
    }
}

impl Nesting {
    fn in_graphs(around: Vec<GraphId>) -> Self {
        Self { own: GraphId::new(), around, not_in_bodies: None, is_unfilled: false }
    }

    pub(super) fn is_body(&self) -> bool {
        !self.around.is_empty()
    }

    pub(super) fn check_filled(&self, action: Action) -> Result<(), Error> {
        if self.is_unfilled { Err(action.unfilled_body()) } else { Ok(()) }
    }
}

//! What is checked before the driver is called, and in which order.
//!
//! Every way to the driver is a [`Door`]. It leaves out the steps that cannot fail there.
//!
//! | step | why it is here |
//! |---|---|
//! | place: the launch is part of the capture, the run or the graph that it is for | it tells what else is checked, and arguments for a different place need not be right |
//! | contracts | they need no driver, and compute the shared memory that the limits are for |
//! | context: the stream belongs to the context of the function | with a wrong stream, every argument seems to be of a different context |
//! | arguments: they belong to this context too | before an argument is lowered, which can enqueue waits |
//! | limits | they decide what the attributes mean: a cluster divides a grid within the limits |
//! | binding: the context of the function becomes current | only what follows needs it |
//! | attributes | their limits are queried in this context |
//!
//! The call then compares a function that was not verified with the arguments: the result is a
//! [`Fitting`](crate::driver::function::Fitting), without which nothing calls the driver.

use crate::{driver::error::Error, marshal::LaunchStream};

/// How a launch gets to the driver. The compiler knows it, and removes what such a launch does not need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Path {
    /// It is only a call of the driver.
    Plain,
    /// It may be observed, checked, recorded or captured.
    #[cfg(any(feature = "graphs", feature = "observe"))]
    Watched,
    /// It becomes a node of a graph, which keeps the arguments. Whoever captures it has checked its place.
    #[cfg(feature = "graphs")]
    Node,
}

/// A launch, as far as ways to the driver differ.
pub(crate) trait Door<'l>: Sized {
    type Output;

    #[inline(always)]
    fn place(&mut self) -> Result<(), Error> {
        Ok(())
    }

    #[inline(always)]
    fn contracts(&mut self) -> Result<(), Error> {
        Ok(())
    }

    #[inline(always)]
    fn context(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// The stream for which the arguments are lowered.
    fn stream(&self) -> LaunchStream<'l>;

    /// Whether the other steps are left to a sequence: when it lowers the arguments, and if the launch differs from the
    /// previous run's.
    #[inline(always)]
    fn is_deferred(&self) -> bool {
        false
    }

    #[inline(always)]
    fn arguments(&self, _: &LaunchStream<'l>) -> Result<(), Error> {
        Ok(())
    }

    #[inline(always)]
    fn limits(&self) -> Result<(), Error> {
        Ok(())
    }

    fn bind(&mut self, stream: &LaunchStream<'l>) -> Result<(), Error>;

    #[inline(always)]
    fn attributes(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Lowers the arguments, and calls the driver.
    fn call(self, stream: &LaunchStream<'l>) -> Result<Self::Output, Error>;
}

/// Takes each step in its order, then calls the driver.
///
/// The `LaunchStream` is made here, and only lent: a move of it would take 100 instructions.
#[inline(always)]
pub(crate) fn prepare<'l, D: Door<'l>>(mut door: D) -> Result<D::Output, Error> {
    door.place()?;
    door.contracts()?;
    door.context()?;
    let stream = door.stream();
    if !door.is_deferred() {
        door.arguments(&stream)?;
        door.limits()?;
        door.bind(&stream)?;
        door.attributes()?;
    }
    door.call(&stream)
}

//! What is checked before the driver is called, in one order for every way to it: each is a [`Door`].
//!
//! | step | why it is here |
//! |---|---|
//! | place: the launch is part of its capture, run or graph | arguments for a different place need not be right |
//! | contracts | they compute the shared memory that is limited |
//! | context: the stream has the function's | with a wrong stream, every argument seems to be elsewhere |
//! | arguments: they have this context too | lowering them can enqueue waits |
//! | limits | attributes depend on them: a cluster divides a grid within the limits |
//! | binding: this context becomes current | the driver reports limits of attributes in it |
//! | attributes | |
//!
//! The call compares a function that was not verified with the arguments.

use crate::{driver::error::BoxedResult, marshal::LaunchStream};

/// How a launch gets to the driver. It is a type: what such a launch does not need is not compiled.
pub trait Path {
    const IS_PLAIN: bool = false;
    const IS_WATCHED: bool = false;
    const IS_NODE: bool = false;
    const CAN_RECORD: bool = false;
    const IS_RECORDED: bool = false;
}

macro_rules! paths {
    ($($(#[$attr:meta])* $name:ident: $($property:ident)*;)*) => {$(
        $(#[$attr])*
        pub(crate) enum $name {}

        $(#[$attr])*
        impl Path for $name {
            $(const $property: bool = true;)*
        }
    )*};
}

paths! {
    /// Only a call of the driver.
    Plain: IS_PLAIN;
    /// It may be observed, checked, recorded or captured.
    #[cfg(any(feature = "graphs", feature = "observe"))]
    Watched: IS_WATCHED CAN_RECORD;
    /// A run records it, and nothing observes it.
    #[cfg(feature = "graphs")]
    Recorded: CAN_RECORD IS_RECORDED;
    /// It becomes a node of a graph.
    #[cfg(feature = "graphs")]
    InGraph: IS_NODE;
}

/// The steps of a launch. What cannot fail is left out.
pub(crate) trait Door<'l>: Sized {
    type Output;

    #[inline(always)]
    fn place(&mut self) -> BoxedResult {
        Ok(())
    }

    #[inline(always)]
    fn contracts(&mut self) -> BoxedResult {
        Ok(())
    }

    #[inline(always)]
    fn context(&mut self) -> BoxedResult {
        Ok(())
    }

    /// For the arguments.
    fn stream(&self) -> LaunchStream<'l>;

    /// Returns whether a sequence takes the other steps: when it lowers the arguments, and for a launch that is new to
    /// it.
    #[inline(always)]
    fn is_deferred(&self) -> bool {
        false
    }

    #[inline(always)]
    fn arguments(&self, _: &LaunchStream<'l>) -> BoxedResult {
        Ok(())
    }

    #[inline(always)]
    fn limits(&self) -> BoxedResult {
        Ok(())
    }

    fn bind(&mut self, stream: &LaunchStream<'l>) -> BoxedResult;

    #[inline(always)]
    fn attributes(&self) -> BoxedResult {
        Ok(())
    }

    /// Lowers the arguments, and calls the driver.
    fn call(self, stream: &LaunchStream<'l>) -> BoxedResult<Self::Output>;
}

/// The `LaunchStream` is only lent: a move would take 100 instructions.
#[inline(always)]
pub(crate) fn prepare<'l, D: Door<'l>>(mut door: D) -> BoxedResult<D::Output> {
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

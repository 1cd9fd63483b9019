//! Launches in a sequence, which are recorded instead of enqueued.
//!
//! No reference to a `Launch` reaches a function that is not inlined, as in [`call`](super::call).

use super::{call::check_attributes, explain};
use crate::{
    driver::{
        api::{Api, KernelCall, LaunchAttribute, LaunchConfig, LaunchKeeper, Promise},
        attributes::{AttributeLimits, Encoded, for_launches_only},
        config::{Attributes, Form, Launch, Recording},
        error::Error,
        function::{Lower, Pass},
    },
    marshal::LaunchStream,
};
use core::marker::PhantomData;
use std::string::String;

/// A launch in a sequence. Its function belongs to the context of the sequence's stream, and the launch is within the function's limits.
pub(super) struct RecordedLaunch<'a, N, K> {
    pub(super) api: &'static Api,
    pub(super) recording: &'a Recording,
    /// The limits of the launch attributes; `None` if the driver has not been queried yet.
    pub(super) attribute_limits: Option<&'a AttributeLimits>,
    /// The kernel's name, for errors only.
    pub(super) name: N,
    /// Returns what keeps the function loaded.
    pub(super) keeper: K,
}

impl<N: Fn() -> String + Copy, K: FnOnce() -> LaunchKeeper> RecordedLaunch<'_, N, K> {
    /// Checks the attributes, lowers the arguments, and records the launch.
    #[inline(always)]
    pub(super) fn with<A: Lower>(
        self,
        launch: &Launch<'_>,
        fitting: A,
        promise: Promise<'_>,
    ) -> Result<(), Error> {
        let Launch {
            grid,
            block,
            shared,
            attributes,
            ..
        } = *launch;
        let config = LaunchConfig::new(
            [grid.x, grid.y, grid.z],
            [block.x, block.y, block.z],
            shared,
            (&**self.recording.stream()).into(),
        );
        match attributes {
            None => self.record(config, &[], fitting, promise),
            Some(attributes) => self.with_attributes(config, attributes, fitting, promise),
        }
    }

    #[cold]
    fn with_attributes<A: Lower>(
        self,
        config: LaunchConfig<'_>,
        attributes: Attributes<'_>,
        fitting: A,
        promise: Promise<'_>,
    ) -> Result<(), Error> {
        if attributes.device_updatable_node.is_some() {
            return Err(explain::device_node_in_sequence((self.name)()));
        }
        let (function, limits) = (fitting.function(), self.attribute_limits);
        check_attributes(self.api, function, config, attributes, limits, self.name)?;
        if let Some(option) = for_launches_only(&attributes) {
            self.recording.without_node.set(Some(option));
        }
        self.record(config, Encoded::new(&attributes).all(), fitting, promise)
    }

    #[inline(never)]
    fn record<A: Lower>(
        self,
        config: LaunchConfig<'_>,
        attributes: &[LaunchAttribute<'_>],
        fitting: A,
        promise: Promise<'_>,
    ) -> Result<(), Error> {
        let held = &self.recording.held;
        let stream = LaunchStream::in_sequence(held);
        let pass = Record {
            launch: self,
            config,
            attributes,
            promise,
            of: PhantomData::<A>,
        };
        // With a layout that depends on the GPU, this is `kernelParams`.
        held.within(|| fitting.lower(Form::Packed, &stream, pass))
    }
}

struct Record<'a, 'p, N, K, A> {
    launch: RecordedLaunch<'a, N, K>,
    config: LaunchConfig<'a>,
    attributes: &'a [LaunchAttribute<'a>],
    promise: Promise<'p>,
    of: PhantomData<A>,
}

impl<N: Fn() -> String, K: FnOnce() -> LaunchKeeper, A: Lower> Pass for Record<'_, '_, N, K, A> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn pass<const PACKED: bool>(
        self,
        call: KernelCall<'_, PACKED>,
        _: impl FnOnce() -> String,
        values: impl FnOnce(&mut dyn FnMut(&[u8])),
    ) -> Result<(), Error> {
        let RecordedLaunch {
            recording,
            name,
            keeper,
            ..
        } = self.launch;
        if let Some(field) = recording.held.take_not_held() {
            return Err(explain::not_held::<A>(name(), field));
        }
        let mut log = recording.log.borrow_mut();
        log.push(
            &self.config,
            self.attributes,
            call,
            values,
            keeper,
            self.promise,
        );
        Ok(())
    }
}

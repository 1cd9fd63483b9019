//! Launches in a sequence, which are recorded instead of enqueued.

use super::{call::check_attributes, explain};
use crate::{
    driver::{
        api::{Api, KernelCall, LaunchConfig, LaunchKeeper, Promise},
        attributes::{AttributeLimits, Encoded, for_launches_only},
        config::{Attributes, Form, Launch, Recording},
        error::Error,
        function::{Lower, Pass},
    },
    marshal::LaunchStream,
};
use core::marker::PhantomData;
use cudarc::driver::CudaStream;
use std::string::String;

/// A launch in a sequence. Its function belongs to the context of the sequence's stream, and the launch is within the function's limits.
pub(super) struct RecordedLaunch<'a, N, K> {
    pub(super) api: &'static Api,
    pub(super) recording: &'a Recording,
    pub(super) launch: &'a Launch<'a>,
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
    pub(super) fn with<A: Lower>(self, fitting: A, promise: Promise<'_>) -> Result<(), Error> {
        let encoded = match &self.launch.attributes {
            Some(attributes) => Some(self.checked(&fitting, attributes)?),
            None => None,
        };
        let stream = LaunchStream::in_sequence(&self.recording.stream, &self.recording.held);
        let pass = Record {
            stream: &stream,
            launch: self,
            attributes: encoded.as_ref(),
            promise,
            of: PhantomData::<A>,
        };
        // With a layout that depends on the GPU, this is `kernelParams`.
        fitting.lower(Form::Packed, &stream, pass)
    }

    /// The attributes of the launch, after their checks.
    #[cold]
    fn checked<'e>(
        &self,
        fitting: &impl Lower,
        attributes: &Attributes<'e>,
    ) -> Result<Encoded<'e>, Error> {
        if attributes.device_updatable_node.is_some() {
            return Err(explain::device_node_in_sequence((self.name)()));
        }
        let config = config(self.launch, &self.recording.stream);
        let function = fitting.function();
        let limits = self.attribute_limits;
        check_attributes(self.api, function, config, *attributes, limits, self.name)?;
        if let Some(option) = for_launches_only(attributes) {
            self.recording.without_node.set(Some(option));
        }
        Ok(Encoded::new(attributes))
    }
}

#[inline(always)]
fn config<'c>(launch: &Launch<'_>, stream: &'c CudaStream) -> LaunchConfig<'c> {
    let Launch {
        grid,
        block,
        shared,
        ..
    } = *launch;
    LaunchConfig::new(
        [grid.x, grid.y, grid.z],
        [block.x, block.y, block.z],
        shared,
        stream.into(),
    )
}

struct Record<'a, 'p, N, K, A> {
    stream: &'a LaunchStream<'a>,
    launch: RecordedLaunch<'a, N, K>,
    attributes: Option<&'a Encoded<'a>>,
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
            launch,
            name,
            keeper,
            ..
        } = self.launch;
        if let Some(field) = self.stream.not_held() {
            return Err(explain::not_held::<A>(name(), field));
        }
        let config = config(launch, &recording.stream);
        let attributes = self.attributes.map_or(&[][..], Encoded::all);
        let mut log = recording.log.borrow_mut();
        log.push(&config, attributes, call, values, keeper, self.promise);
        Ok(())
    }
}

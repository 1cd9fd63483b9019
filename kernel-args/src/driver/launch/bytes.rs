//! Launches whose parameters are known as bytes only: replays.

use super::explain;
use crate::driver::{
    api::{LaunchAttribute, Promise, Status},
    config::Launch,
    context::bind,
    error::{Error, RecordingError},
    function::{Function, OtherSizes},
};
use cudarc::driver::CudaStream;
use std::vec::Vec;

pub(crate) struct ByteArguments<'a> {
    /// A parameter each.
    pub(crate) values: &'a mut [Vec<u8>],
    /// As text, for errors.
    pub(crate) text: &'a str,
    pub(crate) attributes: &'a mut [LaunchAttribute<'static>],
    pub(crate) has_cluster: bool,
}

pub(crate) fn launch_bytes(
    function: &Function,
    launch: &Launch<'_>,
    stream: &CudaStream,
    arguments: &mut ByteArguments<'_>,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let (loaded, name) = (function.loaded(), || function.name().into());
    loaded.check_with(launch, arguments.has_cluster)?;
    bind(loaded.api, &loaded.context)?;
    let config = launch.config(stream.into());
    let with_attributes = config.with_attributes(arguments.attributes);
    let recorded = arguments.values.iter().map(Vec::len).collect();
    let launched = function.with_bytes(arguments.values, |call| loaded.api.launch(&with_attributes, call, promise))?;
    match launched {
        Ok(Status::SUCCESS) => Ok(()),
        Ok(status) => Err(explain::launch(
            name(),
            loaded.handle(),
            status,
            config,
            None,
            arguments.text.into(),
            Some(&loaded.context),
        )),
        Err(OtherSizes(found)) => Err(Error::Recording(RecordingError::Parameters { kernel: name(), recorded, found })),
    }
}

//! Launches of recorded parameters, which are bytes.

use super::{
    explain,
    prepare::{Door, prepare},
};
use crate::{
    driver::{
        api::{LaunchAttribute, Promise, Status},
        config::{Attribute, Launch},
        context::bind,
        error::Error,
        function::Function,
    },
    marshal::LaunchStream,
};
use cudarc::driver::CudaStream;
use std::{string::String, vec::Vec};

pub(crate) struct ByteArguments {
    /// A parameter each.
    pub(crate) values: Vec<Vec<u8>>,
    /// As text, for errors.
    pub(crate) text: String,
    pub(crate) attributes: Vec<LaunchAttribute<'static>>,
}

pub(crate) fn launch_bytes(
    function: &Function,
    launch: &Launch<'_>,
    stream: &CudaStream,
    arguments: &mut ByteArguments,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let names_cluster = arguments.attributes.iter().any(|attribute| attribute.id() == Attribute::cluster.id);
    prepare(BytesDoor { function, launch, stream, arguments, promise, names_cluster })
}

/// The recording has values of all parameters, and the stream was made for the replay.
struct BytesDoor<'l> {
    function: &'l Function,
    launch: &'l Launch<'l>,
    stream: &'l CudaStream,
    arguments: &'l mut ByteArguments,
    promise: Promise<'l>,
    names_cluster: bool,
}

impl<'l> Door<'l> for BytesDoor<'l> {
    type Output = ();

    fn stream(&self) -> LaunchStream<'l> {
        LaunchStream::on(self.stream)
    }

    fn bind(&mut self, _: &LaunchStream<'l>) -> Result<(), Error> {
        let loaded = self.function.loaded();
        bind(loaded.api, &loaded.context)
    }

    fn limits(&self) -> Result<(), Error> {
        self.function.loaded().check_with(self.launch, self.names_cluster)
    }

    fn call(self, _: &LaunchStream<'l>) -> Result<(), Error> {
        let Self { function, launch, stream, promise, .. } = self;
        let (loaded, ByteArguments { values, text, attributes }) = (function.loaded(), self.arguments);
        let config = launch.config(stream.into());
        let with_attributes = config.with_attributes(attributes);
        match function.with_bytes(values, |call| loaded.api.launch(&with_attributes, call, promise))? {
            Status::SUCCESS => Ok(()),
            status => Err(explain::launch(
                loaded.name.clone(),
                loaded.handle(),
                status,
                config,
                None,
                text.clone(),
                Some(&loaded.context),
            )),
        }
    }
}

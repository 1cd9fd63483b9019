//! Launches of recorded parameters, which are bytes.

use super::{explain, prepare::Door};
use crate::{
    driver::{
        api::{LaunchAttribute, Promise, Status},
        config::{Attribute, Launch},
        context::bind,
        error::BoxedResult,
        function::Function,
    },
    marshal::LaunchStream,
};
use cudarc::driver::CudaStream;

pub(crate) struct ByteArguments {
    /// A parameter each.
    pub(crate) values: Vec<Vec<u8>>,
    /// As text, for errors.
    pub(crate) text: String,
    pub(crate) attributes: Vec<LaunchAttribute<'static>>,
}

/// A launch on a stream of the function's context.
pub(crate) struct ByteLaunch<'l> {
    pub(crate) function: &'l Function,
    pub(crate) launch: &'l Launch<'l>,
    pub(crate) stream: &'l CudaStream,
    pub(crate) arguments: &'l mut ByteArguments,
    pub(crate) promise: Promise<'l>,
}

impl<'l> Door<'l> for ByteLaunch<'l> {
    type Output = ();

    fn stream(&self) -> LaunchStream<'l> {
        LaunchStream::on(self.stream)
    }

    fn bind(&mut self, _: &LaunchStream<'l>) -> BoxedResult {
        let loaded = self.function.loaded();
        Ok(bind(loaded.api, &loaded.context)?)
    }

    fn limits(&self) -> BoxedResult {
        let mut attributes = self.arguments.attributes.iter();
        let names_cluster = attributes.any(|attribute| attribute.id() == Attribute::cluster.id);
        Ok(self.function.loaded().check_with(self.launch, names_cluster)?)
    }

    fn call(self, _: &LaunchStream<'l>) -> BoxedResult {
        let Self { function, launch, stream, arguments: ByteArguments { values, text, attributes }, promise } = self;
        let loaded = function.loaded();
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
            )
            .into()),
        }
    }
}

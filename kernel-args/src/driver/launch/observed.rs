//! Launches while a user of [`observe`] is active.

use crate::{
    contract::Geometry,
    driver::{
        api::{AnyCall, LaunchConfig},
        config::{Form, Launch},
        error::Error,
        function::{LoadedFunction, Lower, Pass, PassTo, Passed},
        image::PointerUses,
        observe::{self, Event, LaunchEvent},
        pointers::KernelCode,
    },
    marshal::{ForEachValue, LaunchStream, Lengths},
};
use cudarc::driver::{CudaContext, CudaStream};
use kernel_args_abi::Parameter;
use std::{string::String, sync::Arc};

/// What is known of a launch without its arguments.
pub(super) struct Facts<'a> {
    pub(super) launch: &'a Launch<'a>,
    pub(super) config: LaunchConfig<'a>,
    pub(super) stream: Option<&'a CudaStream>,
    pub(super) context: Option<&'a Arc<CudaContext>>,
    pub(super) kernel: Option<&'a LoadedFunction>,
    pub(super) name: &'a dyn Fn() -> String,
    /// Whether a sequence records the launch.
    pub(super) is_recorded: bool,
}

impl Facts<'_> {
    /// Lowers the arguments, and calls `pass` as part of an event.
    pub(super) fn lower<A: Lower>(
        &self,
        fitting: A,
        form: Form,
        stream: &LaunchStream<'_>,
        pass: impl Pass<Output = Result<(), Error>>,
    ) -> Result<(), Error> {
        let (grid, block) = (self.config.grid.into(), self.config.block.into());
        let lengths = fitting.lengths(Geometry::new(grid, block));
        let mut pass = self.observed(&lengths, A::parameters(), pass);
        fitting.lower_to(form, stream, PassTo(&mut pass))
    }

    /// Calls `pass` as part of an event. The arguments are no type parameter, so it is compiled once, not for each struct.
    fn observed(
        &self,
        lengths: &Lengths,
        parameters: Option<&'static [Parameter<'static>]>,
        pass: impl Pass<Output = Result<(), Error>>,
    ) -> impl FnMut(AnyCall<'_>, &dyn Fn() -> String, &ForEachValue<'_>) -> Result<(), Error> {
        let mut pass = Some(pass);
        move |call, arguments, values| {
            let pass: &mut Passed<'_> = &mut |call, arguments, values| match (pass.take(), call) {
                (Some(pass), AnyCall::Packed(call)) => pass.pass(call, arguments, values),
                (Some(pass), AnyCall::Params(call)) => pass.pass(call, arguments, values),
                // It is called once.
                (None, _) => Ok(()),
            };
            self.around(call, lengths, parameters, arguments, values, pass)
        }
    }

    /// Calls `pass` as part of an event.
    fn around(
        &self,
        call: AnyCall<'_>,
        lengths: &Lengths,
        parameters: Option<&'static [Parameter<'static>]>,
        arguments: &dyn Fn() -> String,
        values: &ForEachValue<'_>,
        pass: &mut Passed<'_>,
    ) -> Result<(), Error> {
        let (function, form) = match &call {
            AnyCall::Packed(call) => (call.function(), Form::Packed),
            AnyCall::Params(call) => (call.function(), Form::KernelParams),
        };
        let uses = match self.kernel {
            Some(kernel) => kernel.pointer_uses.clone(),
            None => PointerUses::find(function.raw()),
        };
        let event = LaunchEvent {
            function,
            config: &self.config,
            stream: self.stream,
            context: self.context,
            attributes: self.launch.attributes,
            name: self.name,
            module: self.kernel.and_then(|kernel| kernel.module.get().map(|module| &**module)),
            form,
            is_recorded: self.is_recorded,
            code: uses.as_deref().map(|uses| uses as &dyn KernelCode),
            #[cfg(feature = "record")]
            image: self.kernel.and_then(|kernel| kernel.image.get().cloned()),
            lengths,
            parameters,
            values,
        };
        observe::around(&Event::KernelLaunch(&event), || pass(call, arguments, values))
    }
}

//! Launches as events for observers.

use crate::{
    contract::Geometry,
    driver::{
        api::{KernelCall, LaunchConfig, Promise},
        config::{Form, Launch},
        error::Error,
        function::{Arguments, Callee, Fitting, lengths},
        image::PointerUses,
        observe::{self, Event, LaunchEvent, LauncherEvent},
        pointers::KernelCode,
    },
    marshal::{LaunchStream, Lengths},
    memory::ForEachValue,
};
use cudarc::driver::{CudaContext, CudaStream};
use kernel_args_abi::Parameter;
use std::sync::Arc;

pub(super) struct Facts<'a> {
    pub(super) callee: Callee<'a>,
    pub(super) launch: &'a Launch<'a>,
    pub(super) config: LaunchConfig<'a>,
    pub(super) stream: Option<&'a CudaStream>,
    pub(super) context: Option<&'a Arc<CudaContext>>,
    /// Whether a sequence records the launch.
    pub(super) is_recorded: bool,
}

pub(super) type LaunchLowered<'a> = dyn FnMut(KernelCall<'_>, Promise<'_>, &ForEachValue<'_>) -> Result<(), Error> + 'a;

impl Facts<'_> {
    /// Lowers the arguments, and calls `pass`, as part of an event if something observes it.
    ///
    /// It is inlined: most callers know the form, and then contain the code of one only.
    #[inline(always)]
    pub(super) fn lower<A: Arguments + ?Sized>(
        &self,
        fitting: Fitting<'_, A>,
        form: Form,
        stream: &LaunchStream<'_>,
        promise: Promise<'_>,
        pass: &mut LaunchLowered<'_>,
    ) -> Result<(), Error> {
        let Launch { grid, block, .. } = *self.launch;
        let loaded = self.callee.loaded();
        let launch = Geometry::new(grid, block);
        let launch = || loaded.map_or(launch, |function| function.attribute_limits.geometry(launch));
        let lengths = observe::is_active().then(|| lengths(fitting.args(), launch()));
        let of = (lengths.as_ref(), fitting.args().names().0);
        fitting.lower(form, stream, |call, values| self.around(of, call, promise, &values.for_each(), pass))
    }

    /// The arguments are no type parameter, so it is compiled once, not for each struct.
    fn around(
        &self,
        (lengths, parameters): (Option<&Lengths>, Option<&'static [Parameter<'static>]>),
        call: KernelCall<'_>,
        promise: Promise<'_>,
        values: &ForEachValue<'_>,
        pass: &mut LaunchLowered<'_>,
    ) -> Result<(), Error> {
        let Some(lengths) = lengths else {
            return pass(call, promise, values);
        };
        let loaded = self.callee.loaded();
        let uses = match loaded {
            Some(loaded) => loaded.pointer_uses.clone(),
            None => PointerUses::find(call.function().raw()),
        };
        let event = LaunchEvent {
            call: LauncherEvent {
                name: &|| self.callee.name(),
                handle: self.config.stream,
                stream: self.stream,
                context: self.context,
                is_recorded: self.is_recorded,
                code: uses.as_deref().map(|uses| uses as &dyn KernelCode),
                lengths,
                parameters,
                values,
            },
            function: call.function(),
            module: loaded.and_then(|loaded| loaded.module.get().map(|module| &**module)),
            #[cfg(feature = "record")]
            image: loaded.and_then(|loaded| loaded.image.get().cloned()),
            config: &self.config,
            attributes: self.launch.attributes,
            form: if call.is_packed() { Form::Packed } else { Form::KernelParams },
        };
        observe::around(&Event::KernelLaunch(&event), || pass(call, promise, values))
    }
}

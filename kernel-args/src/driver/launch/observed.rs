//! Launches while a user of [`observe`] is active.

use super::{LaunchArgs, Launchable};
use crate::{
    contract::Geometry,
    driver::{
        api::{KernelCall, LaunchConfig, Promise},
        config::{Form, Launch},
        error::Error,
        function::{LoadedFunction, Lower, Pass},
        image::PointerUses,
        observe::{self, Event, LaunchEvent},
        pointers::KernelCode,
    },
    marshal::{LaunchStream, Lengths},
};
use cudarc::driver::{CudaContext, CudaStream};
use kernel_args_abi::Parameter;
use std::{string::String, sync::Arc};

/// Launches with [`LaunchCall::with`](super::call::LaunchCall::with)`::<true>`.
///
/// The arguments are in a tuple, which moves them: a launch that nothing observes then never has their address, and can keep them in
/// registers.
#[cold]
#[inline(never)]
pub(super) fn launch<A: LaunchArgs>(
    target: &(impl Launchable<A> + ?Sized),
    (launch, args, promise): (Launch<'_>, A, Promise<'_>),
) -> Result<(), Error> {
    target.launch::<true>(launch, args, promise)
}

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
    pub(super) fn lower<A: Lower, P: Pass<Output = Result<(), Error>>>(
        self,
        fitting: A,
        form: Form,
        stream: &LaunchStream<'_>,
        pass: P,
    ) -> Result<(), Error> {
        let (grid, block) = (self.config.grid.into(), self.config.block.into());
        let lengths = fitting.lengths(Geometry::new(grid, block));
        let observed = Observed {
            facts: &self,
            lengths: &lengths,
            parameters: A::parameters(),
            pass,
        };
        fitting.lower(form, stream, observed)
    }
}

struct Observed<'a, P> {
    facts: &'a Facts<'a>,
    lengths: &'a Lengths,
    parameters: Option<&'static [Parameter<'static>]>,
    pass: P,
}

impl<P: Pass<Output = Result<(), Error>>> Pass for Observed<'_, P> {
    type Output = Result<(), Error>;

    fn pass<const PACKED: bool>(
        self,
        call: KernelCall<'_, PACKED>,
        arguments: impl FnOnce() -> String,
        values: impl Fn(&mut dyn FnMut(&Parameter<'_>, &[u8])),
    ) -> Result<(), Error> {
        let Self {
            facts,
            lengths,
            parameters,
            pass,
        } = self;
        let uses = match facts.kernel {
            Some(kernel) => kernel.pointer_uses.clone(),
            None => PointerUses::find(call.function().raw()),
        };
        let event = LaunchEvent {
            function: call.function(),
            config: &facts.config,
            stream: facts.stream,
            context: facts.context,
            attributes: facts.launch.attributes,
            name: facts.name,
            module: facts.kernel.and_then(|kernel| kernel.module.as_deref()),
            form: if PACKED {
                Form::Packed
            } else {
                Form::KernelParams
            },
            is_recorded: facts.is_recorded,
            code: uses.as_deref().map(|uses| uses as &dyn KernelCode),
            #[cfg(feature = "record")]
            image: facts.kernel.and_then(|kernel| kernel.image.clone()),
            lengths,
            parameters,
            values: &values,
        };
        observe::around(&Event::KernelLaunch(&event), || {
            pass.pass(call, arguments, &values)
        })
    }
}

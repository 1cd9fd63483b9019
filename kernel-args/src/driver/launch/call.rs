//! A single call of `cuLaunchKernelEx`.
//!
//! `Launch` holds attributes as an `Option`, so the optimizer removes all code for attributes from a launch without
//! them. For that, no reference to `Launch` may reach a function that is not inlined.

use super::{explain, prepare::Path};
use crate::{
    driver::{
        api::{Api, KernelCall, LaunchConfig, Promise, Status, StreamHandle},
        attributes,
        config::{Form, Launch},
        error::{BoxedResult, Error},
        function::{Arguments, Callee, Fitting},
    },
    marshal::LaunchStream,
    memory::VisitValue,
};
use cudarc::driver::DriverError;

/// The arguments of `cuLaunchKernelEx` without the parameters, with details for its errors.
///
/// It owns the `Launch`. With a reference, the compiler keeps the `Launch` in memory if the arguments are slices or
/// many scalars: a launch of 512 scalars takes 195 instructions instead of 76. For the same reason, functions that are
/// not inlined receive copies.
#[derive(Clone, Copy)]
pub(crate) struct LaunchCall<'a> {
    pub(crate) api: &'static Api,
    pub(crate) callee: Callee<'a>,
    pub(crate) launch: Launch<'a>,
    pub(crate) launch_stream: &'a LaunchStream<'a>,
}

impl LaunchCall<'_> {
    /// Lowers the arguments, and calls the driver.
    ///
    /// `T` is what is launched: with its own closures for each, they have one call in most programs, and are inlined.
    #[expect(clippy::extra_unused_type_parameters, reason = "it makes the types of the closures distinct")]
    #[inline(always)]
    pub(crate) fn run<T: ?Sized, A: Arguments + ?Sized, P: Path>(
        &self,
        fitting: Fitting<'_, A>,
        promise: Promise<'_>,
    ) -> BoxedResult {
        let Self { launch, launch_stream, .. } = self;
        let mut asked = launch.form;
        if let Some(attributes) = launch.attributes {
            // Driver 580 returns `CUDA_ERROR_INVALID_VALUE` for a cooperative launch in the packed form on a capturing
            // stream.
            if attributes.cooperative.is_some() {
                asked = asked.or(Some(Form::KernelParams));
            }
        }
        let form = fitting.args().form(asked);
        #[cfg(feature = "observe")]
        if !P::IS_PLAIN {
            // A copy, to which references exist only here.
            let call = *self;
            let facts = super::observed::Facts {
                callee: self.callee,
                launch: &call.launch,
                config: call.config(),
                stream: launch.stream,
                context: launch_stream.context(),
                is_recorded: false,
            };
            let pass: &mut super::observed::LaunchLowered<'_> =
                &mut |lowered, promise, values| call.pass::<A, _>(lowered, promise, values).map_err(|error| *error);
            return self.finish(facts.lower(fitting, form, launch_stream, promise, pass).map_err(Box::new));
        }
        let launched =
            match form {
                Form::Packed => fitting
                    .packed(launch_stream, |lowered, values| self.pass::<A, _>(lowered, promise, values.for_each())),
                Form::KernelParams => fitting
                    .params(launch_stream, |lowered, values| self.pass::<A, _>(lowered, promise, values.for_each())),
            };
        self.finish(launched)
    }

    #[inline(always)]
    fn finish(&self, launched: BoxedResult) -> BoxedResult {
        finish(launched, self.launch_stream, |error| explain::unrecorded(self.callee.name(), error))
    }

    #[inline(always)]
    fn config(&self) -> LaunchConfig<'_> {
        self.launch.config(self.launch.stream.map_or(StreamHandle::DEFAULT, Into::into))
    }

    /// Calls the driver. `values` are moved to each error: a launch without one does not store them.
    #[inline(always)]
    fn pass<A: Arguments + ?Sized, V: Fn(&mut VisitValue<'_>)>(
        &self,
        lowered: KernelCall<'_>,
        promise: Promise<'_>,
        values: V,
    ) -> BoxedResult {
        let Self { api, callee, launch, launch_stream } = self;
        // Some arguments report their context only when they are lowered.
        if const { A::HAS_POINTERS } {
            if launch_stream.may_have_other_context() {
                explain::argument_on(*callee, &|visit| values(visit), launch_stream)?;
            }
        } else if let Some(field) = launch_stream.other_context() {
            let values = values;
            return Err(explain::argument(*callee, &values, field));
        }
        if let Err(error) = launch_stream.check() {
            return Err(explain::arguments_not_awaited(*callee, launch_stream.context(), error));
        }
        let config = self.config();
        let status = match launch.attributes {
            None => api.launch(&config, lowered, promise),
            Some(attributes) => attributes::launch(api, attributes, config, lowered, promise),
        };
        if status == Status::SUCCESS {
            return Ok(());
        }
        let values = values;
        Err(explain::rejected(*callee, status, config, launch.attributes, &values, launch_stream.context()))
    }
}

/// The dropped guards can leave an error in the context. Otherwise the next launch would report it.
///
/// A new `Ok`: the optimizer would copy the bytes of a result that is passed on.
#[inline(always)]
pub(crate) fn finish(
    launched: BoxedResult,
    stream: &LaunchStream<'_>,
    unrecorded: impl FnOnce(DriverError) -> Box<Error>,
) -> BoxedResult {
    match launched {
        Ok(()) => match stream.check() {
            Ok(()) => Ok(()),
            Err(error) => Err(unrecorded(error)),
        },
        Err(error) => {
            let _ = stream.check();
            Err(error)
        }
    }
}

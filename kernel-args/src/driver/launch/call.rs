//! A single call of `cuLaunchKernelEx`.

use super::explain;
#[cfg(feature = "observe")]
use super::observed::Facts;
use crate::{
    driver::{
        api::{Api, FunctionHandle, KernelCall, LaunchConfig, Promise, Status, StreamHandle},
        attributes::{self, AttributeLimits, Request},
        config::{Attributes, Form, Launch},
        error::Error,
        function::{LoadedFunction, Lower, Pass, function_name},
    },
    marshal::{ForEachValue, LaunchStream},
};
use core::marker::PhantomData;
use std::string::String;

/// The arguments of `cuLaunchKernelEx` without the function and its parameters, with details for its errors.
///
/// It owns the `Launch`. With a reference, the compiler keeps the `Launch` in memory if the arguments are slices or many scalars: a launch
/// of 512 scalars takes 195 instructions instead of 76.
pub(crate) struct LaunchCall<'a, F> {
    pub(crate) api: &'static Api,
    pub(crate) stream: StreamHandle<'a>,
    pub(crate) launch: Launch<'a>,
    pub(crate) launch_stream: &'a LaunchStream<'a>,
    pub(crate) function: F,
}

/// The function of a launch.
pub(crate) trait Launched<'f>: Copy {
    /// Its name, for errors and events. With a call instead of inlined code, a launch takes three instructions more.
    fn name(self) -> String;

    /// The loaded function; `None` for a raw function.
    fn loaded(self) -> Option<&'f LoadedFunction>;
}

impl<'f> Launched<'f> for &'f LoadedFunction {
    #[inline(always)]
    fn name(self) -> String {
        self.name.clone()
    }

    #[inline(always)]
    fn loaded(self) -> Option<&'f LoadedFunction> {
        Some(self)
    }
}

impl<'f> Launched<'f> for FunctionHandle<'f> {
    #[inline(always)]
    fn name(self) -> String {
        function_name(self)
    }

    #[inline(always)]
    fn loaded(self) -> Option<&'f LoadedFunction> {
        None
    }
}

impl<'a, F: Launched<'a>> LaunchCall<'a, F> {
    /// Checks the attributes, lowers the arguments, and calls the driver. Returns the driver's error, or an error from
    /// recording the use of the arguments.
    ///
    /// The function's context must be current, and the stream must belong to it. `OBSERVED` is false for a launch that nothing observes.
    #[inline(always)]
    pub(crate) fn with<const OBSERVED: bool, A: Lower>(&self, fitting: A, promise: Promise<'_>) -> Result<(), Error> {
        self.check_attributes(fitting.function())?;
        let form = self.form(fitting.usual_form());
        let passed = Passed { call: self, promise, of: PhantomData::<A> };
        #[cfg(feature = "observe")]
        if OBSERVED {
            let facts = Facts {
                launch: &self.launch,
                config: self.config(),
                stream: self.launch.stream.or(self.launch_stream.cuda_stream()),
                context: self.launch_stream.context(),
                kernel: self.function.loaded(),
                name: &|| self.function.name(),
                is_recorded: false,
            };
            return self.finish(facts.lower(fitting, form, self.launch_stream, passed));
        }
        let launched = fitting.lower(form, self.launch_stream, passed);
        self.finish(launched)
    }

    #[inline(always)]
    fn check_attributes(&self, function: FunctionHandle<'_>) -> Result<(), Error> {
        // The functions below that are not inlined receive copies. A reference would keep all of `Launch` in memory,
        // and the compiler would not know that the attributes are absent.
        if let Some(attributes) = self.launch.attributes {
            let (api, config) = (self.api, self.config());
            let limits = self.function.loaded().map(|loaded| &loaded.attribute_limits);
            let launched = self.function;
            check_attributes(api, function, config, attributes, limits, &|| launched.name())?;
        }
        Ok(())
    }

    /// The result of a launch, after its arguments' guards are dropped.
    #[inline(always)]
    fn finish(&self, launched: Result<(), Error>) -> Result<(), Error> {
        match launched {
            // The dropped guards can leave an error in the context. Otherwise the next launch would report it.
            Ok(()) => match self.launch_stream.check() {
                Ok(()) => Ok(()),
                Err(error) => Err(explain::unrecorded(self.function.name(), error)),
            },
            Err(error) => {
                let _ = self.launch_stream.check();
                Err(error)
            }
        }
    }

    /// The configuration without attributes.
    #[inline(always)]
    fn config(&self) -> LaunchConfig<'_> {
        let Launch { grid, block, shared, .. } = self.launch;
        LaunchConfig::new([grid.x, grid.y, grid.z], [block.x, block.y, block.z], shared, self.stream)
    }

    /// The form that the launch specifies, otherwise `usual`.
    #[inline(always)]
    fn form(&self, usual: Form) -> Form {
        // Driver 580 returns `CUDA_ERROR_INVALID_VALUE` for a cooperative launch in the packed form on a capturing stream.
        let is_cooperative = match self.launch.attributes {
            Some(attributes) => attributes.cooperative.is_some(),
            None => false,
        };
        let usual = if is_cooperative { Form::KernelParams } else { usual };
        self.launch.form.unwrap_or(usual)
    }

    /// Calls the driver. Without optimisation, this is compiled once, not for each struct.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn pass<const PACKED: bool>(
        &self,
        call: KernelCall<'_, PACKED>,
        promise: Promise<'_>,
        arguments: &dyn Fn() -> String,
    ) -> Result<(), Error> {
        let Self { api, launch, launch_stream, function, .. } = self;
        if let Err(error) = launch_stream.check() {
            return Err(explain::not_awaited(
                &function.name(),
                launch_stream.context().map(|context| &**context),
                error,
            ));
        }
        let config = self.config();
        let status = match launch.attributes {
            None => api.launch(&config, call, promise),
            Some(attributes) => attributes::launch(api, attributes, config, call, promise),
        };
        if status == Status::SUCCESS {
            Ok(())
        } else {
            let (name, attributes) = (function.name(), launch.attributes);
            let context = launch_stream.context().map(|context| &**context);
            let (function, arguments) = (call.function(), arguments());
            Err(explain::launch(name, function, status, config, attributes, arguments, context))
        }
    }
}

/// Launches with lowered arguments.
struct Passed<'c, 'a, 'p, F, A> {
    call: &'c LaunchCall<'a, F>,
    promise: Promise<'p>,
    of: PhantomData<A>,
}

impl<'a, F: Launched<'a>, A: Lower> Pass for Passed<'_, 'a, '_, F, A> {
    type Output = Result<(), Error>;

    #[inline(always)]
    fn pass<const PACKED: bool>(
        self,
        call: KernelCall<'_, PACKED>,
        arguments: &dyn Fn() -> String,
        _: &ForEachValue<'_>,
    ) -> Result<(), Error> {
        let Self { call: launch_call, promise, .. } = self;
        // Some arguments report their context only when they are lowered.
        if let Some(field) = launch_call.launch_stream.foreign() {
            return Err(explain::foreign(launch_call.function.name(), A::name_of, field));
        }
        launch_call.pass(call, promise, arguments)
    }
}

/// Checks the attributes against the limits of the function, its GPU and the driver.
#[cold]
pub(super) fn check_attributes(
    api: &'static Api,
    function: FunctionHandle<'_>,
    config: LaunchConfig<'_>,
    attributes: Attributes<'_>,
    limits: Option<&AttributeLimits>,
    name: &dyn Fn() -> String,
) -> Result<(), Error> {
    let queried;
    let limits = if let Some(limits) = limits {
        limits
    } else {
        queried = AttributeLimits::of_raw(function)?;
        &queried
    };
    attributes::check(&Request { api, function, config, attributes: &attributes, limits, is_node: false, name })
}

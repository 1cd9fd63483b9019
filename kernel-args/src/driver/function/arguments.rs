//! The arguments of a launch: a struct, or a list whose types are known at run time.

use super::{Callee, Function, Target, check_contracts};
#[cfg(feature = "observe")]
use crate::{contract::Geometry, marshal::Lengths};
use crate::{
    driver::{config::Launch, error::Error},
    marshal::{ArgList, DecodedArgs, ForEachValue, KernelArgs, LaunchStream, marshal_packed, marshal_params},
};
use core::ffi::c_void;
use kernel_args_abi::ParamLayout;
#[cfg(any(feature = "graphs", feature = "observe"))]
use kernel_args_abi::Parameter;
use std::{borrow::Cow, string::ToString};

pub(crate) type NameOf = fn(usize) -> Option<Cow<'static, str>>;

/// The arguments of a launch.
///
/// # Safety
/// - After [`verify`](Self::verify) has returned `Ok`, the parameters of the function are the parameters of these arguments.
/// - [`packed`](Self::packed) passes their packed form. [`params`](Self::params) passes a pointer to each parameter, whose bytes stay
///   initialised until `pass` has returned.
pub(crate) unsafe trait Arguments {
    /// The number of the parameters, and their layout.
    fn layout(&self) -> (usize, ParamLayout);

    #[inline(always)]
    fn check_contracts(&self, launch: &mut Launch<'_>, callee: Callee<'_>) -> Result<(), Error> {
        let _ = (launch, callee);
        Ok(())
    }

    /// Verifies a function, unless it is already verified for arguments of this type.
    fn verify(&self, function: &Function) -> Result<(), Error>;

    fn report_contexts(&self, stream: &LaunchStream<'_>);

    /// The parameters, if the type of the arguments determines them.
    #[cfg(any(feature = "graphs", feature = "observe"))]
    fn parameters() -> Option<&'static [Parameter<'static>]>;

    /// The field name or the index of an argument.
    fn name_of(index: usize) -> Option<Cow<'static, str>>;

    #[cfg(feature = "observe")]
    fn lengths(&self, geometry: Geometry) -> Lengths {
        let _ = geometry;
        Lengths::of(|stream| self.report_contexts(stream))
    }

    /// Lowers the arguments to the packed form. The offsets are C's: not for a layout that depends on the GPU.
    fn packed<R>(&mut self, stream: &LaunchStream<'_>, pass: impl FnOnce(&[u8], &ForEachValue<'_>) -> R) -> R;

    /// Lowers the arguments to `kernelParams`.
    fn params<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(*mut *mut c_void, &ForEachValue<'_>) -> R,
    ) -> R;
}

/// A frame as large as a page is probed when it is entered, whichever form is passed then.
const LARGE_FRAME: usize = 4096;

// SAFETY: `verify` compares `PARAMETERS`, which all structs of the same `Erased` have. `marshal_packed` and `marshal_params` document what
// they pass.
unsafe impl<A: KernelArgs> Arguments for A {
    #[inline(always)]
    fn layout(&self) -> (usize, ParamLayout) {
        (A::PARAMETERS.len(), A::LAYOUT)
    }

    #[inline(always)]
    fn check_contracts(&self, launch: &mut Launch<'_>, callee: Callee<'_>) -> Result<(), Error> {
        check_contracts(self, launch, Target::Launch, || callee.name())
    }

    #[inline]
    fn verify(&self, function: &Function) -> Result<(), Error> {
        function.fits::<A>()
    }

    #[inline(always)]
    fn report_contexts(&self, stream: &LaunchStream<'_>) {
        self.check_contexts(stream, 0);
    }

    #[cfg(any(feature = "graphs", feature = "observe"))]
    fn parameters() -> Option<&'static [Parameter<'static>]> {
        Some(A::PARAMETERS)
    }

    fn name_of(index: usize) -> Option<Cow<'static, str>> {
        A::PARAMETERS.get(index).map(|field| field.name.into())
    }

    #[cfg(feature = "observe")]
    fn lengths(&self, geometry: Geometry) -> Lengths {
        let mut lengths = Lengths::of(|stream| self.report_contexts(stream));
        self.required_lengths(geometry, &mut |name, elements| lengths.require(name, elements));
        lengths
    }

    #[inline(always)]
    fn packed<R>(&mut self, stream: &LaunchStream<'_>, pass: impl FnOnce(&[u8], &ForEachValue<'_>) -> R) -> R {
        marshal_packed(self, stream, |packed| {
            pass(packed, &|visit| DecodedArgs::packed(A::PARAMETERS, packed).visit(visit))
        })
    }

    #[inline(always)]
    fn params<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(*mut *mut c_void, &ForEachValue<'_>) -> R,
    ) -> R {
        #[inline(never)]
        fn with_own_frame<A: KernelArgs, R>(
            args: &mut A,
            stream: &LaunchStream<'_>,
            pass: impl FnOnce(&mut [*mut c_void]) -> R,
        ) -> R {
            marshal_params(args, stream, pass)
        }
        let pass = |pointers: &mut [*mut c_void]| {
            let params = pointers.as_mut_ptr();
            // SAFETY: `marshal_params` passes a pointer to each parameter, whose bytes are initialised until this closure returns.
            let decoded = || unsafe { DecodedArgs::params(A::PARAMETERS, pointers) };
            pass(params, &|visit| decoded().visit(visit))
        };
        if const { size_of::<A::Each<*mut c_void>>() >= LARGE_FRAME } {
            with_own_frame(self, stream, pass)
        } else {
            marshal_params(self, stream, pass)
        }
    }
}

// SAFETY: `verify` compares the types of the list, which is borrowed exclusively until it is launched. `marshal_packed` and
// `marshal_params` document what they pass.
unsafe impl Arguments for ArgList<'_> {
    fn layout(&self) -> (usize, ParamLayout) {
        (self.len(), self.types().layout())
    }

    fn verify(&self, function: &Function) -> Result<(), Error> {
        function.fits_list(self.types())
    }

    fn report_contexts(&self, stream: &LaunchStream<'_>) {
        self.check_contexts(stream);
    }

    #[cfg(any(feature = "graphs", feature = "observe"))]
    fn parameters() -> Option<&'static [Parameter<'static>]> {
        None
    }

    fn name_of(index: usize) -> Option<Cow<'static, str>> {
        Some(index.to_string().into())
    }

    fn packed<R>(&mut self, stream: &LaunchStream<'_>, pass: impl FnOnce(&[u8], &ForEachValue<'_>) -> R) -> R {
        self.marshal_packed(stream, |types, packed| {
            pass(packed, &|visit| {
                types.with_parameters(|parameters| DecodedArgs::packed(parameters, packed).visit(visit));
            })
        })
    }

    fn params<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(*mut *mut c_void, &ForEachValue<'_>) -> R,
    ) -> R {
        self.marshal_params(stream, |types, pointers| {
            let params = pointers.as_mut_ptr();
            pass(params, &|visit| {
                types.with_parameters(|parameters| {
                    // SAFETY: these are the parameters of `types`. `marshal_params` passes a pointer to each of them, and they stay
                    // initialised until this closure returns.
                    unsafe { DecodedArgs::params(parameters, pointers) }.visit(visit);
                });
            })
        })
    }
}

//! Structs of arguments without their types. Everything that is more than a call of the driver takes them: it is
//! compiled once, not for each struct.

use super::{AnyArguments, Arguments, Function, Names, StructType};
use crate::{
    driver::error::Error,
    marshal::{KernelArgs, LaunchStream, marshal_params, marshal_shared},
};
use core::ffi::c_void;
use kernel_args_abi::Parameter;

pub(crate) trait ErasedArgs: AnyArguments {
    fn ty(&self) -> StructType;
    fn lower(&mut self, stream: &LaunchStream<'_>, pass: &mut dyn FnMut(Lowered<'_>));
}

/// A layout that depends on the GPU has no packed form. Other structs are lowered to it, whatever the form of the
/// launch.
pub(crate) enum Lowered<'l> {
    Packed(&'l [u8]),
    /// A pointer to each parameter.
    Params(&'l mut [*mut c_void]),
}

impl<A: KernelArgs> ErasedArgs for A {
    fn ty(&self) -> StructType {
        StructType::of::<A>()
    }

    fn lower(&mut self, stream: &LaunchStream<'_>, pass: &mut dyn FnMut(Lowered<'_>)) {
        if const { A::LAYOUT.depends_on_gpu() } {
            marshal_params(self, stream, |pointers| pass(Lowered::Params(pointers)));
        } else {
            marshal_shared(self, stream, &mut |packed| pass(Lowered::Packed(packed)));
        }
    }
}

impl Arguments for dyn ErasedArgs + '_ {
    fn verify(&self, function: &Function) -> Result<(), Error> {
        function.fits_type(self.ty())
    }

    fn names(&self) -> Names {
        Names(Some(self.ty().host().signature.parameters))
    }

    type Types<'t> = &'static [Parameter<'static>];

    fn with_parameters(parameters: Self::Types<'_>, then: impl FnOnce(&[Parameter<'_>])) {
        then(parameters);
    }

    fn marshal_packed<R>(&mut self, stream: &LaunchStream<'_>, pass: impl FnOnce(Self::Types<'_>, &[u8]) -> R) -> R {
        let parameters = self.ty().host().signature.parameters;
        self.lowered(stream, |lowered| match lowered {
            Lowered::Packed(packed) => pass(parameters, packed),
            Lowered::Params(_) => unreachable!("`form` returns no packed form for a layout that depends on the GPU"),
        })
    }

    fn marshal_params<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(Self::Types<'_>, &mut [*mut c_void]) -> R,
    ) -> R {
        let parameters = self.ty().host().signature.parameters;
        self.lowered(stream, |lowered| match lowered {
            Lowered::Packed(packed) => {
                let place =
                    |parameter: &Parameter<'_>| packed[parameter.offset.unwrap_or(0)..].as_ptr().cast_mut().cast();
                let mut pointers: Vec<*mut c_void> = parameters.iter().map(place).collect();
                pass(parameters, &mut pointers)
            }
            Lowered::Params(pointers) => pass(parameters, pointers),
        })
    }
}

impl dyn ErasedArgs + '_ {
    fn lowered<R>(&mut self, stream: &LaunchStream<'_>, pass: impl FnOnce(Lowered<'_>) -> R) -> R {
        let (mut pass, mut result) = (Some(pass), None);
        self.lower(stream, &mut |lowered| result = pass.take().map(|pass| pass(lowered)));
        result.expect("the arguments are lowered once")
    }
}

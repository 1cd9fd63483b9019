//! Functions with matching arguments: the proof that a launch passes the parameters that the kernel reads.

use super::{Arguments, Callee, Function};
#[cfg(feature = "record")]
use crate::driver::verify::records;
use crate::{
    driver::{
        api::{Extra, KernelCall, Promise},
        config::Form,
        error::Error,
        verify::Host,
    },
    marshal::{ForEachValue, KernelArgs, LaunchStream},
};
use core::{any::TypeId, marker::PhantomData};

/// A function that was verified for every struct whose erased form is `E`.
pub(crate) struct Typed<E> {
    function: Function,
    arguments: PhantomData<fn(E)>,
}

impl<E> Clone for Typed<E> {
    fn clone(&self) -> Self {
        Self { function: self.function.clone(), arguments: PhantomData }
    }
}

impl<E> Typed<E> {
    #[inline(always)]
    pub(crate) fn function(&self) -> &Function {
        &self.function
    }

    /// The function with arguments.
    #[inline(always)]
    pub(crate) fn fit<'f, B: KernelArgs<Erased = E>>(&'f self, args: &'f mut B) -> Fitting<'f, B> {
        // SAFETY: the function was verified for a struct of this erased form, and `KernelArgs` guarantees that all such
        // structs have the same parameters.
        unsafe { Fitting::new(Callee::Function(&self.function), args) }
    }
}

/// A struct of arguments, as values. Searches take it instead of a type parameter, so they are compiled once, not for each struct.
#[derive(Clone, Copy)]
pub(crate) struct StructType {
    host: &'static Host<'static>,
    erased: TypeId,
}

impl StructType {
    pub(crate) fn of<A: KernelArgs>() -> Self {
        Self { host: const { &Host::of::<A>() }, erased: TypeId::of::<A::Erased>() }
    }

    pub(crate) fn host(self) -> Host<'static> {
        *self.host
    }

    pub(crate) fn erased(self) -> TypeId {
        self.erased
    }
}

/// A function that may have been verified for a struct: a [`Typed`] without its type.
#[derive(Clone)]
pub(crate) struct Verified {
    function: Function,
    /// The erased struct; `None` for an untyped function.
    arguments: Option<TypeId>,
}

impl Verified {
    pub(crate) fn untyped(function: &Function) -> Self {
        Self { function: function.clone(), arguments: None }
    }

    /// The function, if it was not verified for a struct.
    pub(crate) fn as_untyped(&self) -> Option<&Function> {
        self.arguments.is_none().then_some(&self.function)
    }

    /// The function, if it was verified for this erased struct.
    #[inline]
    pub(crate) fn as_typed<E: 'static>(&self) -> Option<Typed<E>> {
        (self.arguments == Some(TypeId::of::<E>()))
            .then(|| Typed { function: self.function.clone(), arguments: PhantomData })
    }

    /// The erased struct for which it was verified.
    pub(crate) fn arguments(&self) -> Option<TypeId> {
        self.arguments
    }
}

impl Function {
    /// The function, verified for `A`.
    pub(crate) fn typed<A: KernelArgs>(&self) -> Result<Typed<A::Erased>, Error> {
        self.fits::<A>()?;
        Ok(Typed { function: self.clone(), arguments: PhantomData })
    }

    /// The function, verified for a struct.
    pub(crate) fn verified(&self, of: StructType) -> Result<Verified, Error> {
        self.fits_struct(of.erased, of.host)?;
        Ok(Verified { function: self.clone(), arguments: Some(of.erased) })
    }

    /// The function with arguments. Verifies them, unless this function has already verified arguments of this type.
    #[inline]
    pub(crate) fn fit<'f, A: Arguments>(&'f self, args: &'f mut A) -> Result<Fitting<'f, A>, Error> {
        args.verify(self)?;
        // SAFETY: `Arguments::verify` has verified the function.
        Ok(unsafe { Fitting::new(Callee::Function(self), args) })
    }
}

/// The parameters of a function differ from given bytes: their sizes, if they are known.
#[cfg(feature = "record")]
pub(crate) struct OtherSizes(pub(crate) Option<std::vec::Vec<usize>>);

#[cfg(feature = "record")]
impl Function {
    /// Calls `launch` with these bytes as the parameters, if the function has as many parameters of these sizes. Its context must be
    /// current.
    pub(crate) fn with_bytes<R>(
        &self,
        values: &mut [std::vec::Vec<u8>],
        launch: impl FnOnce(KernelCall<'_>) -> R,
    ) -> Result<Result<R, OtherSizes>, Error> {
        let sizes = parameter_sizes(self)?;
        let is_same = sizes.as_ref().is_some_and(|sizes| {
            sizes.len() == values.len() && sizes.iter().zip(&*values).all(|(size, bytes)| *size == bytes.len())
        });
        if !is_same {
            return Ok(Err(OtherSizes(sizes)));
        }
        let mut pointers: std::vec::Vec<*mut core::ffi::c_void> =
            values.iter_mut().map(|bytes| bytes.as_mut_ptr().cast()).collect();
        // SAFETY: the driver or the image reports exactly these parameters with these sizes for the function. `pointers` has a pointer
        // to the bytes of each, which stay initialised until this function returns.
        let call = unsafe { KernelCall::with_params(self.loaded().handle(), pointers.as_mut_ptr()) };
        Ok(Ok(launch(call)))
    }
}

/// The sizes of a function's parameters in bytes, as the driver reports them, otherwise as its image does.
#[cfg(feature = "record")]
fn parameter_sizes(function: &Function) -> Result<Option<std::vec::Vec<usize>>, Error> {
    let sizes =
        |parameters: &[kernel_args_abi::Parameter<'_>]| parameters.iter().map(|parameter| parameter.size).collect();
    if let Some(records) = records(function.loaded().handle())? {
        return Ok(Some(sizes(&records)));
    }
    Ok(function.description().map(|kernel| sizes(&kernel.parameters())))
}

/// A function and matching arguments. It has a reference to the arguments, because a move copies them.
pub(crate) struct Fitting<'f, A> {
    callee: Callee<'f>,
    args: &'f mut A,
}

impl<'f, A: Arguments> Fitting<'f, A> {
    /// # Safety
    /// The parameters of the function are the parameters of `args`.
    #[inline(always)]
    unsafe fn new(callee: Callee<'f>, args: &'f mut A) -> Self {
        Self { callee, args }
    }

    /// A raw function with arguments. The launch verifies them as far as the driver's records allow.
    #[inline(always)]
    pub(crate) fn promised(callee: Callee<'f>, args: &'f mut A, _: &Promise<'f>) -> Self {
        // SAFETY: the caller of `launch` has promised that the kernel takes these arguments, where they are not
        // verified.
        unsafe { Self::new(callee, args) }
    }

    #[inline(always)]
    pub(crate) fn callee(&self) -> Callee<'f> {
        self.callee
    }

    #[inline(always)]
    pub(crate) fn args(&self) -> &A {
        self.args
    }

    /// The form of a launch for which `asked` is wanted, otherwise the usual form. A layout that depends on the GPU has no packed form.
    #[inline(always)]
    pub(crate) fn form(&self, asked: Option<Form>) -> Form {
        let (count, layout) = self.args.layout();
        match asked {
            _ if layout.depends_on_gpu() => Form::KernelParams,
            Some(form) => form,
            None => Form::of_parameters(count, &layout),
        }
    }

    /// Lowers the arguments to the packed form, and calls `pass` with the call and its values.
    #[inline(always)]
    pub(crate) fn packed<R>(
        self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(KernelCall<'_>, &ForEachValue<'_>) -> R,
    ) -> R {
        let Self { callee, args } = self;
        args.packed(stream, |packed, values| {
            let mut size = 0;
            let mut extra = Extra::new(packed, &mut size);
            // SAFETY: the function takes the parameters of `args`, and `Arguments::packed` passes their packed form.
            pass(unsafe { KernelCall::with_extra(callee.handle(), &mut extra) }, values)
        })
    }

    /// Lowers the arguments to `kernelParams`, and calls `pass` with the call and its values.
    #[inline(always)]
    pub(crate) fn params<R>(
        self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(KernelCall<'_>, &ForEachValue<'_>) -> R,
    ) -> R {
        let Self { callee, args } = self;
        args.params(stream, |params, values| {
            // SAFETY: the function takes the parameters of `args`. `Arguments::params` passes a pointer to each of them, and they stay
            // initialised until this closure returns.
            pass(unsafe { KernelCall::with_params(callee.handle(), params) }, values)
        })
    }

    /// [`packed`](Self::packed) or [`params`](Self::params), where the calls of `pass` need not be inlined.
    #[cfg(any(feature = "graphs", feature = "observe"))]
    pub(crate) fn lower<R>(
        self,
        form: Form,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(KernelCall<'_>, &ForEachValue<'_>) -> R,
    ) -> R {
        match form {
            Form::Packed => self.packed(stream, pass),
            Form::KernelParams => self.params(stream, pass),
        }
    }
}

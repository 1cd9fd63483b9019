//! Functions with matching arguments: the proof that a launch passes the parameters that the kernel reads.

use super::{Function, LoadedFunction};
#[cfg(feature = "record")]
use crate::driver::verify::records;
#[cfg(feature = "observe")]
use crate::{contract::Geometry, driver::api::AnyCall, marshal::Lengths};
use crate::{
    driver::{
        api::{Extra, FunctionHandle, KernelCall, Promise},
        config::Form,
        error::Error,
    },
    marshal::{ArgList, DecodedArgs, ForEachValue, KernelArgs, LaunchStream, marshal_packed, marshal_params},
};
use core::{any::TypeId, ffi::c_void, marker::PhantomData};
#[cfg(any(feature = "graphs", feature = "observe"))]
use kernel_args_abi::Parameter;
use std::{
    borrow::Cow,
    string::{String, ToString},
};

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
    pub(crate) fn fit<B: KernelArgs<Erased = E>>(&self, args: B) -> Fitting<&LoadedFunction, B> {
        let function = self.function.loaded();
        // SAFETY: the function was verified for a struct of this erased form, and `KernelArgs` guarantees that all such
        // structs have the same parameters.
        unsafe { Fitting::new(function, args) }
    }
}

/// A function that may have been verified for a struct: a [`Typed`] without its type.
pub(crate) struct Verified {
    function: Function,
    /// The erased struct; `None` for an untyped function.
    arguments: Option<TypeId>,
}

impl Verified {
    pub(crate) fn untyped(function: &Function) -> Self {
        Self { function: function.clone(), arguments: None }
    }

    pub(crate) fn typed<E: 'static>(typed: &Typed<E>) -> Self {
        Self { function: typed.function.clone(), arguments: Some(TypeId::of::<E>()) }
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

    /// Whether both were verified for the same struct, or neither for any.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.arguments == other.arguments
    }
}

impl Function {
    /// The function, verified for `A`.
    pub(crate) fn typed<A: KernelArgs>(&self) -> Result<Typed<A::Erased>, Error> {
        self.fits::<A>()?;
        Ok(Typed { function: self.clone(), arguments: PhantomData })
    }

    /// The function with arguments. Verifies the struct, unless this function has already verified it.
    #[inline]
    pub(crate) fn fit<A: KernelArgs>(&self, args: A) -> Result<Fitting<&LoadedFunction, A>, Error> {
        self.fits::<A>()?;
        // SAFETY: the function was verified for `A`.
        Ok(unsafe { Fitting::new(self.loaded(), args) })
    }

    /// The function with a list. Verifies the types of the list, unless this function has already verified them.
    #[inline]
    pub(crate) fn fit_list<'l, 'a>(
        &self,
        list: &'l mut ArgList<'a>,
    ) -> Result<Fitting<&LoadedFunction, List<'l, 'a>>, Error> {
        self.fits_list(list.types())?;
        // SAFETY: the function was verified for the types of this list. The list is borrowed exclusively, so its types
        // cannot change.
        Ok(unsafe { Fitting::new(self.loaded(), List(list)) })
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
        launch: impl FnOnce(KernelCall<'_, false>) -> R,
    ) -> Result<Result<R, OtherSizes>, Error> {
        let sizes = parameter_sizes(self)?;
        let is_same = sizes.as_ref().is_some_and(|sizes| {
            sizes.len() == values.len() && sizes.iter().zip(&*values).all(|(size, bytes)| *size == bytes.len())
        });
        if !is_same {
            return Ok(Err(OtherSizes(sizes)));
        }
        let mut pointers: std::vec::Vec<*mut c_void> =
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
    let sizes = |parameters: &[Parameter<'_>]| parameters.iter().map(|parameter| parameter.size).collect();
    if let Some(records) = records(function.loaded().handle())? {
        return Ok(Some(sizes(&records)));
    }
    Ok(function.description().map(|kernel| sizes(&kernel.parameters())))
}

/// A function in a launch. Its handle is read when it is needed.
pub(crate) trait Callee {
    /// Whether its launches are inlined into their callers.
    const INLINED: bool;

    fn handle(&self) -> FunctionHandle<'_>;
}

impl Callee for &LoadedFunction {
    const INLINED: bool = true;

    #[inline(always)]
    fn handle(&self) -> FunctionHandle<'_> {
        LoadedFunction::handle(self)
    }
}

impl Callee for FunctionHandle<'_> {
    const INLINED: bool = false;

    #[inline(always)]
    fn handle(&self) -> FunctionHandle<'_> {
        *self
    }
}

/// A function and matching arguments. A launch passes a reference to the arguments, because a move copies them.
pub(crate) struct Fitting<F, A> {
    function: F,
    args: A,
}

/// A list of arguments.
pub(crate) struct List<'l, 'a>(&'l mut ArgList<'a>);

impl<F, A> Fitting<F, A> {
    /// # Safety
    /// The parameters of the function are the parameters of `args`.
    #[inline(always)]
    unsafe fn new(function: F, args: A) -> Self {
        Self { function, args }
    }
}

impl<'f, A> Fitting<FunctionHandle<'f>, A> {
    /// A raw function with arguments. The launch verifies them as far as the driver's records allow.
    #[inline(always)]
    pub(crate) fn promised(function: FunctionHandle<'f>, args: A, _: &Promise<'f>) -> Self {
        // SAFETY: the caller of `launch` has promised that the kernel takes these arguments, where they are not
        // verified.
        unsafe { Self::new(function, args) }
    }

    #[inline(always)]
    pub(crate) fn callee(&self) -> FunctionHandle<'f> {
        self.function
    }
}

/// Returns the field name or the index of an argument.
pub(crate) type NameOf = fn(usize) -> Option<Cow<'static, str>>;

/// A function with arguments, of a struct or of a list.
pub(crate) trait Lower {
    /// The function.
    fn function(&self) -> FunctionHandle<'_>;

    /// The default form of a launch.
    fn usual_form(&self) -> Form;

    /// Checks the context of every argument: each argument reports its context to `stream`.
    fn check_contexts(&self, stream: &LaunchStream<'_>);

    /// The parameters, if the type of the arguments determines them.
    #[cfg(any(feature = "graphs", feature = "observe"))]
    fn parameters() -> Option<&'static [Parameter<'static>]>;

    /// The field name or the index of an argument.
    fn name_of(index: usize) -> Option<Cow<'static, str>>;

    /// The lengths of the arguments, for a launch with this geometry.
    #[cfg(feature = "observe")]
    fn lengths(&self, geometry: Geometry) -> Lengths {
        let _ = geometry;
        Lengths::of(|stream| self.check_contexts(stream))
    }

    /// Lowers the arguments and calls `pass` with the function and its lowered parameters.
    fn lower<P: Pass>(self, form: Form, stream: &LaunchStream<'_>, pass: P) -> P::Output;

    /// Same as [`lower`](Self::lower), but compiled once for each type of arguments.
    #[cfg(feature = "observe")]
    fn lower_to(self, form: Form, stream: &LaunchStream<'_>, pass: PassTo<'_>) -> Result<(), Error>;
}

/// Receives lowered arguments. This is not a closure because [`Lower::lower`] has a call for each form, and both must
/// be inlined.
pub(crate) trait Pass {
    type Output;

    /// `arguments` shows the arguments as text, for errors. `values` calls its argument with each parameter and its bytes, in order.
    /// Neither is a type parameter, which would compile what receives them once for each struct.
    fn pass<const PACKED: bool>(
        self,
        call: KernelCall<'_, PACKED>,
        arguments: &dyn Fn() -> String,
        values: &ForEachValue<'_>,
    ) -> Self::Output;
}

/// A function that receives lowered arguments.
#[cfg(feature = "observe")]
pub(crate) struct PassTo<'a>(pub(crate) &'a mut Passed<'a>);

/// Same as [`Pass::pass`].
#[cfg(feature = "observe")]
pub(crate) type Passed<'a> = dyn FnMut(AnyCall<'_>, &dyn Fn() -> String, &ForEachValue<'_>) -> Result<(), Error> + 'a;

#[cfg(feature = "observe")]
impl Pass for PassTo<'_> {
    type Output = Result<(), Error>;

    fn pass<const PACKED: bool>(
        self,
        call: KernelCall<'_, PACKED>,
        arguments: &dyn Fn() -> String,
        values: &ForEachValue<'_>,
    ) -> Result<(), Error> {
        (self.0)(call.any(), arguments, values)
    }
}

impl<F: Callee, A: KernelArgs> Lower for Fitting<F, A> {
    #[inline(always)]
    fn function(&self) -> FunctionHandle<'_> {
        self.function.handle()
    }

    #[inline(always)]
    fn usual_form(&self) -> Form {
        const { Form::of::<A>() }
    }

    #[inline(always)]
    fn check_contexts(&self, stream: &LaunchStream<'_>) {
        self.args.check_contexts(stream, 0);
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
        let mut lengths = Lengths::of(|stream| self.check_contexts(stream));
        let note: &mut dyn FnMut(_, _) = &mut |name, elements| lengths.require(name, elements);
        self.args.required_lengths(geometry, note);
        lengths
    }

    #[inline(always)]
    fn lower<P: Pass>(mut self, form: Form, stream: &LaunchStream<'_>, pass: P) -> P::Output {
        let function = self.function.handle();
        if form == Form::KernelParams || A::LAYOUT.depends_on_gpu() {
            let launch = move |pointers: &mut [*mut c_void]| {
                // SAFETY: the function takes the parameters of `args`. `marshal_params` passes a pointer to each of
                // them, and they stay initialised until this closure returns.
                let call = unsafe { KernelCall::with_params(function, pointers.as_mut_ptr()) };
                // SAFETY: `marshal_params` passes a pointer to each parameter of `A`, and they stay initialised until
                // this closure returns.
                let decoded = || unsafe { DecodedArgs::params(A::PARAMETERS, pointers) };
                pass.pass(call, &|| decoded().to_string(), &|visit| {
                    decoded().visit(visit);
                })
            };
            if const { F::INLINED && size_of::<A::Each<*mut c_void>>() >= LARGE_FRAME } {
                marshal_many_params(self.args, stream, launch)
            } else {
                marshal_params(&mut self.args, stream, launch)
            }
        } else {
            marshal_packed(&mut self.args, stream, move |packed| {
                let mut size = 0;
                let mut extra = Extra::new(packed, &mut size);
                // SAFETY: the function takes the parameters of `args`, and `marshal_packed` passes their packed form.
                let call = unsafe { KernelCall::with_extra(function, &mut extra) };
                let decoded = || DecodedArgs::packed(A::PARAMETERS, packed);
                pass.pass(call, &|| decoded().to_string(), &|visit| {
                    decoded().visit(visit);
                })
            })
        }
    }

    #[cfg(feature = "observe")]
    fn lower_to(self, form: Form, stream: &LaunchStream<'_>, pass: PassTo<'_>) -> Result<(), Error> {
        let Self { function, args } = self;
        let function = function.handle();
        Fitting { function, args }.lower(form, stream, pass)
    }
}

/// A frame as large as a page is probed when it is entered, whichever form is passed then.
const LARGE_FRAME: usize = 4096;

/// [`marshal_params`] with a frame of its own.
#[inline(never)]
fn marshal_many_params<A: KernelArgs, R>(
    mut args: A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(&mut [*mut c_void]) -> R,
) -> R {
    marshal_params(&mut args, stream, launch)
}

/// The arguments that `decoded` passes to its argument, as text.
fn text(decoded: impl FnOnce(&mut dyn FnMut(&DecodedArgs<'_>))) -> String {
    let mut text = String::new();
    decoded(&mut |arguments| text = arguments.to_string());
    text
}

impl<F: Callee> Lower for Fitting<F, List<'_, '_>> {
    fn function(&self) -> FunctionHandle<'_> {
        self.function.handle()
    }

    fn usual_form(&self) -> Form {
        let list = &self.args.0;
        Form::of_parameters(list.len(), &list.types().layout())
    }

    fn check_contexts(&self, stream: &LaunchStream<'_>) {
        self.args.0.check_contexts(stream);
    }

    #[cfg(any(feature = "graphs", feature = "observe"))]
    fn parameters() -> Option<&'static [Parameter<'static>]> {
        None
    }

    fn name_of(index: usize) -> Option<Cow<'static, str>> {
        Some(index.to_string().into())
    }

    fn lower<P: Pass>(self, form: Form, stream: &LaunchStream<'_>, pass: P) -> P::Output {
        let (function, list) = (self.function.handle(), self.args.0);
        if form == Form::KernelParams || list.types().layout().depends_on_gpu() {
            list.marshal_params(stream, |types, pointers| {
                // SAFETY: the function takes parameters of these types. `marshal_params` passes a pointer to each of
                // them, and they stay initialised until this closure returns.
                let call = unsafe { KernelCall::with_params(function, pointers.as_mut_ptr()) };
                let decoded = |then: &mut dyn FnMut(&DecodedArgs<'_>)| {
                    types.with_parameters(|parameters| {
                        // SAFETY: these are the parameters of `types`. `marshal_params` passes a pointer to each of
                        // them, and they stay initialised until this closure returns.
                        then(&unsafe { DecodedArgs::params(parameters, pointers) });
                    });
                };
                pass.pass(call, &|| text(decoded), &|visit| {
                    decoded(&mut |all| all.visit(visit));
                })
            })
        } else {
            list.marshal_packed(stream, |types, packed| {
                let mut size = 0;
                let mut extra = Extra::new(packed, &mut size);
                // SAFETY: the function takes parameters of these types, and `marshal_packed` passes their packed form.
                let call = unsafe { KernelCall::with_extra(function, &mut extra) };
                let decoded = |then: &mut dyn FnMut(&DecodedArgs<'_>)| {
                    types.with_parameters(|parameters| {
                        then(&DecodedArgs::packed(parameters, packed));
                    });
                };
                pass.pass(call, &|| text(decoded), &|visit| {
                    decoded(&mut |all| all.visit(visit));
                })
            })
        }
    }

    #[cfg(feature = "observe")]
    fn lower_to(self, form: Form, stream: &LaunchStream<'_>, pass: PassTo<'_>) -> Result<(), Error> {
        let Self { function, args } = self;
        let function = function.handle();
        Fitting { function, args }.lower(form, stream, pass)
    }
}

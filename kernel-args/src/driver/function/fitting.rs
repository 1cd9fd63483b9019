//! Functions with matching arguments: the proof that a launch passes the parameters that the kernel reads.

use super::{Callee, Function, check_contracts};
#[cfg(feature = "record")]
use crate::driver::{error::RecordingError, verify::records};
#[cfg(feature = "observe")]
use crate::{contract::Geometry, marshal::Lengths};
use crate::{
    driver::{
        api::{Extra, KernelCall, Promise},
        config::{Form, Launch},
        error::Error,
        verify::Host,
    },
    marshal::{
        ArgList, ArgumentTypes, DecodedArgs, KernelArgs, LaunchStream, LoweredAs, marshal_packed, marshal_params,
    },
    memory::VisitValue,
};
use core::{any::TypeId, ffi::c_void, marker::PhantomData};
use kernel_args_abi::{Class, Parameter};
use std::borrow::Cow;

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

    #[inline(always)]
    pub(crate) fn fit<'f, B: KernelArgs<Erased = E>>(&'f self, args: &'f mut B) -> Fitting<'f, B> {
        // SAFETY: the function was verified for a struct of this erased form, and `KernelArgs` guarantees that all such
        // structs have the same parameters.
        unsafe { Fitting::new(Callee::Function(&self.function), args) }
    }
}

/// A struct of arguments, as values. Searches take it instead of a type parameter, so they are compiled once, not for
/// each struct.
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

    pub(crate) fn as_untyped(&self) -> Option<&Function> {
        self.arguments.is_none().then_some(&self.function)
    }

    #[inline]
    pub(crate) fn as_typed<E: 'static>(&self) -> Option<Typed<E>> {
        (self.arguments == Some(TypeId::of::<E>()))
            .then(|| Typed { function: self.function.clone(), arguments: PhantomData })
    }

    pub(crate) fn arguments(&self) -> Option<TypeId> {
        self.arguments
    }
}

impl Function {
    pub(crate) fn typed<A: KernelArgs>(&self) -> Result<Typed<A::Erased>, Error> {
        self.fits::<A>()?;
        Ok(Typed { function: self.clone(), arguments: PhantomData })
    }

    pub(crate) fn fits_type(&self, of: StructType) -> Result<(), Error> {
        self.fits_struct(of.erased, of.host)
    }

    /// [`typed`](Self::typed) for a struct that rustc has compared with the function's description.
    pub(crate) fn typed_as_compiled<A: KernelArgs>(&self) -> Result<Typed<A::Erased>, Error> {
        if const { A::LAYOUT.depends_on_gpu() } {
            // rustc does not know the offsets.
            self.fits::<A>()?;
        } else {
            self.fits_description(StructType::of::<A>())?;
        }
        Ok(Typed { function: self.clone(), arguments: PhantomData })
    }

    pub(crate) fn verified(&self, of: StructType) -> Result<Verified, Error> {
        self.fits_type(of)?;
        Ok(Verified { function: self.clone(), arguments: Some(of.erased) })
    }

    #[inline]
    pub(crate) fn fit<'f, A: Arguments + ?Sized>(&'f self, args: &'f mut A) -> Result<Fitting<'f, A>, Error> {
        args.verify(self)?;
        // SAFETY: both implementations of `Arguments::verify` compare the parameters with the function.
        Ok(unsafe { Fitting::new(Callee::Function(self), args) })
    }
}

#[cfg(feature = "record")]
impl Function {
    /// Calls `launch` with these bytes as the parameters. The function's context must be current.
    pub(crate) fn with_bytes<R>(
        &self,
        values: &mut [Vec<u8>],
        launch: impl FnOnce(KernelCall<'_>) -> R,
    ) -> Result<R, Error> {
        let found = parameter_sizes(self)?;
        let recorded: Vec<usize> = values.iter().map(Vec::len).collect();
        if found.as_ref() != Some(&recorded) {
            return Err(Error::Recording(RecordingError::Parameters { kernel: self.name().into(), recorded, found }));
        }
        let mut pointers: Vec<*mut c_void> = values.iter_mut().map(|bytes| bytes.as_mut_ptr().cast()).collect();
        // SAFETY: the driver or the image reports exactly these parameters with these sizes for the function.
        // `pointers` has a pointer to the bytes of each, which stay initialised until this function returns.
        let call = unsafe { KernelCall::with_params(self.loaded().handle(), pointers.as_mut_ptr()) };
        Ok(launch(call))
    }
}

/// Returns the sizes of a function's parameters in bytes, as the driver reports them, otherwise as its image does.
#[cfg(feature = "record")]
fn parameter_sizes(function: &Function) -> Result<Option<Vec<usize>>, Error> {
    let sizes = |parameters: &[Parameter<'_>]| parameters.iter().map(|parameter| parameter.size).collect();
    if let Some(records) = records(function.loaded().handle())? {
        return Ok(Some(sizes(&records)));
    }
    Ok(function.description().map(|kernel| sizes(&kernel.parameters())))
}

/// A function and matching arguments. It has a reference to the arguments, because a move copies them.
pub(crate) struct Fitting<'f, A: ?Sized> {
    callee: Callee<'f>,
    args: &'f mut A,
}

impl<'f, A: Arguments + ?Sized> Fitting<'f, A> {
    /// # Safety
    /// The parameters of the function are the parameters of `args`.
    #[inline(always)]
    unsafe fn new(callee: Callee<'f>, args: &'f mut A) -> Self {
        Self { callee, args }
    }

    /// Returns a raw function with arguments. The launch verifies them as far as the driver's records allow.
    #[inline(always)]
    pub(crate) fn promised(callee: Callee<'f>, args: &'f mut A, _: &Promise<'f>) -> Self {
        // SAFETY: the caller of `launch` has promised that the kernel takes these arguments, where they are not
        // verified.
        unsafe { Self::new(callee, args) }
    }

    #[cfg(feature = "graphs")]
    #[inline(always)]
    pub(crate) fn callee(&self) -> Callee<'f> {
        self.callee
    }

    #[inline(always)]
    pub(crate) fn args(&self) -> &A {
        self.args
    }

    /// Lowers the arguments where the calls of `pass` need not be inlined.
    #[cfg(feature = "observe")]
    #[inline(always)]
    pub(crate) fn lower<R>(
        self,
        form: Form,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(KernelCall<'_>, Values<'_, '_, A>) -> R,
    ) -> R {
        match form {
            Form::Packed => self.packed(stream, pass),
            Form::KernelParams => self.params(stream, pass),
        }
    }

    /// Lowers the arguments to the packed form, and calls `pass` with the call and its values. The offsets are C's: not
    /// for a layout that depends on the GPU.
    #[inline(always)]
    pub(crate) fn packed<R>(
        self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(KernelCall<'_>, Values<'_, '_, A>) -> R,
    ) -> R {
        // Before the arguments are lowered: here the compiler knows which function it is.
        let handle = self.callee.handle();
        self.args.marshal_packed(stream, |types, packed| {
            let mut size = 0;
            let mut extra = Extra::new(packed, &mut size);
            // SAFETY: the function takes the parameters of `args`, and `marshal_packed` passes their packed form.
            let call = unsafe { KernelCall::with_extra(handle, &mut extra) };
            pass(call, Values { types, place: LoweredAs::Packed(packed) })
        })
    }

    /// Lowers the arguments to `kernelParams`, and calls `pass` with the call and its values.
    #[inline(always)]
    pub(crate) fn params<R>(
        self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(KernelCall<'_>, Values<'_, '_, A>) -> R,
    ) -> R {
        let handle = self.callee.handle();
        self.args.marshal_params(stream, |types, pointers| {
            // SAFETY: the function takes the parameters of `args`. `marshal_params` passes a pointer to each of them,
            // and they stay initialised until this closure returns.
            let call = unsafe { KernelCall::with_params(handle, pointers.as_mut_ptr()) };
            pass(call, Values { types, place: LoweredAs::Params(pointers) })
        })
    }
}

/// The lowered arguments, by value: a launch without an error stores nothing for them.
pub(crate) struct Values<'t, 'v, A: Arguments + ?Sized> {
    types: A::Types<'t>,
    /// The parameters with these types, initialised for `'v`.
    place: LoweredAs<'v>,
}

impl<A: Arguments + ?Sized> Values<'_, '_, A> {
    #[inline(always)]
    pub(crate) fn for_each(self) -> impl Fn(&mut VisitValue<'_>) {
        let Self { types, place } = self;
        move |visit| {
            A::with_parameters(types, |parameters| {
                // SAFETY: the fields of `Values` promise it.
                unsafe { DecodedArgs::new(parameters, place) }.visit(visit);
            });
        }
    }
}

/// The fields of a struct of arguments; `None` for a list.
#[derive(Clone, Copy)]
pub(crate) struct Names(pub(crate) Option<&'static [Parameter<'static>]>);

impl Names {
    /// Returns the field name or the index of an argument.
    pub(crate) fn get(self, index: usize) -> Option<Cow<'static, str>> {
        match self.0 {
            Some(fields) => fields.get(index).map(|field| field.name.into()),
            None => Some(index.to_string().into()),
        }
    }
}

/// What a launch asks of its arguments, a struct or a list. `dyn ErasedArgs` inherits it.
pub(crate) trait AnyArguments {
    /// Returns the form of a launch for which `asked` is wanted, otherwise the usual form. A layout that depends on the
    /// GPU has no packed form.
    fn form(&self, asked: Option<Form>) -> Form;

    /// Checks the contracts, and sets the dynamic shared memory that a contract computes.
    #[inline(always)]
    fn check_contracts(&self, launch: &mut Launch<'_>, callee: Callee<'_>) -> Result<(), Error> {
        let _ = (launch, callee);
        Ok(())
    }

    fn report_contexts(&self, stream: &LaunchStream<'_>);

    /// [`KernelArgs::required_lengths`]
    #[cfg(feature = "observe")]
    fn note_lengths(&self, geometry: Geometry, note: &mut dyn FnMut(&'static str, Option<u64>)) {
        let _ = (geometry, note);
    }
}

#[cfg(feature = "observe")]
pub(crate) fn lengths(args: &(impl AnyArguments + ?Sized), geometry: Geometry) -> Lengths {
    let mut lengths = Lengths::of(|stream| args.report_contexts(stream));
    args.note_lengths(geometry, &mut |name, elements| lengths.require(name, elements));
    lengths
}

/// Arguments that a launch lowers.
pub(crate) trait Arguments: AnyArguments {
    /// The packed form is right for all values. Otherwise it depends on their types at run time.
    #[cfg(feature = "graphs")]
    const HAS_PACKED: bool = false;

    /// A launch of slices has its stream in memory. Code for errors then takes a reference to it, and is smaller.
    const HAS_POINTERS: bool = true;

    /// Verifies a function for these arguments, unless it is already verified for their type.
    fn verify(&self, function: &Function) -> Result<(), Error>;

    fn names(&self) -> Names;

    /// What [`with_parameters`](Self::with_parameters) needs.
    type Types<'t>: Copy;

    fn with_parameters(types: Self::Types<'_>, then: impl FnOnce(&[Parameter<'_>]));

    fn marshal_packed<R>(&mut self, stream: &LaunchStream<'_>, pass: impl FnOnce(Self::Types<'_>, &[u8]) -> R) -> R;

    /// Calls `pass` with a pointer to each parameter. They stay initialised until it returns.
    fn marshal_params<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(Self::Types<'_>, &mut [*mut c_void]) -> R,
    ) -> R;
}

const fn has_pointers(parameters: &[Parameter<'_>]) -> bool {
    let mut i = 0;
    while i < parameters.len() && !matches!(parameters[i].class, Class::Pointer) {
        i += 1;
    }
    i < parameters.len()
}

/// A frame as large as a page is probed when it is entered, whichever form is passed then.
const LARGE_FRAME: usize = 4096;

impl<A: KernelArgs> AnyArguments for A {
    #[inline(always)]
    fn form(&self, asked: Option<Form>) -> Form {
        if const { A::LAYOUT.depends_on_gpu() } {
            return Form::KernelParams;
        }
        asked.unwrap_or(const { Form::of::<A>() })
    }

    #[inline(always)]
    fn check_contracts(&self, launch: &mut Launch<'_>, callee: Callee<'_>) -> Result<(), Error> {
        check_contracts(self, launch, callee.loaded(), false, || callee.name())
    }

    #[inline(always)]
    fn report_contexts(&self, stream: &LaunchStream<'_>) {
        self.check_contexts(stream, 0);
    }

    #[cfg(feature = "observe")]
    fn note_lengths(&self, geometry: Geometry, note: &mut dyn FnMut(&'static str, Option<u64>)) {
        self.required_lengths(geometry, note);
    }
}

impl<A: KernelArgs> Arguments for A {
    #[cfg(feature = "graphs")]
    const HAS_PACKED: bool = !A::LAYOUT.depends_on_gpu();

    const HAS_POINTERS: bool = has_pointers(A::PARAMETERS);

    #[inline]
    fn verify(&self, function: &Function) -> Result<(), Error> {
        function.fits::<A>()
    }

    #[inline(always)]
    fn names(&self) -> Names {
        Names(Some(A::PARAMETERS))
    }

    type Types<'t> = ();

    #[inline(always)]
    fn with_parameters((): (), then: impl FnOnce(&[Parameter<'_>])) {
        then(A::PARAMETERS);
    }

    #[inline(always)]
    fn marshal_packed<R>(&mut self, stream: &LaunchStream<'_>, pass: impl FnOnce((), &[u8]) -> R) -> R {
        marshal_packed(self, stream, |packed| pass((), packed))
    }

    #[inline(always)]
    fn marshal_params<R>(&mut self, stream: &LaunchStream<'_>, pass: impl FnOnce((), &mut [*mut c_void]) -> R) -> R {
        #[inline(never)]
        fn with_own_frame<A: KernelArgs, R>(
            args: &mut A,
            stream: &LaunchStream<'_>,
            pass: impl FnOnce(&mut [*mut c_void]) -> R,
        ) -> R {
            marshal_params(args, stream, pass)
        }
        let pass = |pointers: &mut [*mut c_void]| pass((), pointers);
        if const { size_of::<A::Each<*mut c_void>>() >= LARGE_FRAME } {
            with_own_frame(self, stream, pass)
        } else {
            marshal_params(self, stream, pass)
        }
    }
}

impl AnyArguments for ArgList<'_> {
    fn form(&self, asked: Option<Form>) -> Form {
        let layout = self.types().layout();
        let usual = Form::of_parameters(self.len(), &layout);
        if layout.depends_on_gpu() { usual } else { asked.unwrap_or(usual) }
    }

    fn report_contexts(&self, stream: &LaunchStream<'_>) {
        self.check_contexts(stream);
    }
}

/// The list is borrowed exclusively until it is launched, so its types cannot change after they are verified.
impl Arguments for ArgList<'_> {
    fn verify(&self, function: &Function) -> Result<(), Error> {
        function.fits_list(self.types())
    }

    fn names(&self) -> Names {
        Names(None)
    }

    type Types<'t> = &'t ArgumentTypes;

    fn with_parameters(types: &ArgumentTypes, then: impl FnOnce(&[Parameter<'_>])) {
        types.with_parameters(then);
    }

    fn marshal_packed<R>(&mut self, stream: &LaunchStream<'_>, pass: impl FnOnce(&ArgumentTypes, &[u8]) -> R) -> R {
        self.marshal_packed(stream, pass)
    }

    fn marshal_params<R>(
        &mut self,
        stream: &LaunchStream<'_>,
        pass: impl FnOnce(&ArgumentTypes, &mut [*mut c_void]) -> R,
    ) -> R {
        self.marshal_params(stream, pass)
    }
}

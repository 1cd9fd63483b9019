//! The comparison of a declaration with the host function that it names.
//!
//! A macro sees the tokens of a type. If rustc finds no constant of [`Probe`] itself, because the type is not a device
//! type, it uses the constant of [`AnyType`], which matches every type of this size.

use super::TypeInfo;
pub use crate::launcher::Launcher;
use crate::{
    device::{DeviceType, Pointee},
    marshal::KernelArgs,
};
use core::marker::PhantomData;
pub use kernel_args_abi::compiled::CompiledKernel;
use kernel_args_abi::{
    Class, CppType, Layout, Members, Parameter, Signature,
    check::{Mismatch, Report, report},
    texts::Message,
};

pub struct Probe<T>(PhantomData<T>);

/// What a pointer points to.
#[derive(Clone, Copy)]
pub struct Behind {
    cpp: CppType<'static>,
    pointee: kernel_args_abi::Pointee<'static>,
}

pub trait AnyType: Sized {
    type Type;
    /// The class is not the class of the pointer that `value` describes.
    const VALUE: TypeInfo = TypeInfo { class: Class::Unknown, ..Behind::UNKNOWN.value::<Self::Type>() };
    const BEHIND: Behind = Behind::UNKNOWN;
    const KERNEL: Option<CompiledKernel> = None;
    #[deprecated(note = "the library describes this type, but only its size is compared: write \
        `#[derive(Clone, Copy, kernel_args::DeviceType)]` on it")]
    const COMPARED: () = ();
}

impl<T> AnyType for Probe<T> {
    type Type = T;
}

impl<T: DeviceType> Probe<T> {
    pub const VALUE: TypeInfo = TypeInfo::of::<T>();
    pub const COMPARED: () = ();
}

impl<T: Launcher> Probe<T> {
    pub const KERNEL: Option<CompiledKernel> = Some(T::KERNEL);
}

/// The type of a function that was not compared with its library.
pub mod unchecked {
    pub enum __Launcher {}
}

impl<T: Pointee> Probe<T> {
    pub const BEHIND: Behind = Behind { cpp: T::CPP, pointee: T::BEHIND };
}

/// The pointers that an alias names.
impl<T: Pointee> Probe<*const T> {
    pub const VALUE: TypeInfo = Probe::<T>::BEHIND.pointer(true).value::<*const T>();
}

impl<T: Pointee> Probe<*mut T> {
    pub const VALUE: TypeInfo = Probe::<T>::BEHIND.pointer(false).value::<*mut T>();
}

impl Behind {
    const UNKNOWN: Self = Self { cpp: CppType::UNKNOWN, pointee: kernel_args_abi::Pointee::UNKNOWN };

    #[must_use]
    pub const fn pointer(self, to_const: bool) -> Self {
        Self { cpp: self.cpp.pointer(to_const), ..self }
    }

    /// Returns a pointer to it, of the Rust type `T`.
    pub const fn value<T>(self) -> TypeInfo {
        let (cpp, pointee) = (self.cpp, self.pointee);
        let layout = Layout::of::<T>();
        TypeInfo { layout, class: Class::Pointer, cpp, members: Members::UNKNOWN, pointee, name: "" }
    }
}

impl TypeInfo {
    /// Without `const` behind its pointers, so the launcher may write.
    #[must_use]
    pub const fn written(mut self) -> Self {
        self.cpp.const_mask = 0;
        self
    }
}

/// Returns an argument, or a returned value.
pub const fn declared(name: &'static str, spelling: &'static str, info: TypeInfo) -> Parameter<'static> {
    let parameter = Parameter::field(name, spelling, 0, info.layout, info.class, info.cpp);
    Parameter { offset: None, members: info.members, pointee: info.pointee, ..parameter }
}

pub const fn compare_launcher(
    name: &'static str,
    arguments: &'static [Parameter<'static>],
    launcher: &'static [Signature<'static>],
) -> Report<'static> {
    report(&Signature { name, parameters: arguments }, &launcher[0])
}

/// The error at an argument, at the function or at its returned type.
#[track_caller]
pub const fn declared_right(error: Option<Message>) {
    if let Some(message) = error {
        message.fail()
    }
}

/// The fields of a struct and the parameters of its launcher, both with the parameters' types: rustc compares the
/// fields' types. `None` if nothing describes the function, or rustc reports the number.
pub type NamedFields<const N: usize> = Option<[[Parameter<'static>; N]; 2]>;

pub const fn named_fields<A: KernelArgs, const N: usize>(launcher: Option<CompiledKernel>) -> NamedFields<N> {
    match launcher {
        Some(launcher) if launcher.parameter_count() == N && A::PARAMETERS.len() == N => {
            let parameters = launcher.parameter_array();
            let (mut fields, mut i) = (parameters, 0);
            while i < N {
                let Parameter { name, kernel_name, .. } = A::PARAMETERS[i];
                fields[i] = Parameter { name, kernel_name, ..parameters[i] };
                i += 1;
            }
            Some([fields, parameters])
        }
        _ => None,
    }
}

pub const fn compare_names<const N: usize>(lists: &'static NamedFields<N>) -> Option<Report<'static>> {
    match lists {
        Some([fields, parameters]) => {
            Some(report(&Signature { name: "", parameters: fields }, &Signature { name: "", parameters }))
        }
        None => None,
    }
}

/// Reports a field with the name of a different parameter of its type.
#[track_caller]
pub const fn field_is_named(names: &Option<Report<'static>>, field: usize) {
    if let Some(report) = names
        && let Some(Mismatch::Differs { parameter, .. }) = report.of_field(field)
    {
        let (host, launcher) = (report.host().parameters, report.kernel().parameters);
        fail!(field_elsewhere(host[field].cpp_name(), launcher[parameter].name));
    }
}

//! The types of the arguments of a list.

use super::{KernelArg, storage::ShortList};
use crate::device::{DeviceType, component};
use core::{
    any::{TypeId, type_name},
    ptr,
};
use kernel_args_abi::{
    Layout, ParamLayout, Parameter,
    texts::{Message, templates},
};

pub(crate) struct ArgumentType {
    /// `TypeId::of` the device type. It is a function because a constant requires a newer version of Rust.
    device: fn() -> TypeId,
    layout: Layout,
    /// Without a name, a spelling and an offset.
    parameter: Parameter<'static>,
    path: fn() -> &'static str,
}

impl ArgumentType {
    /// # Panics
    /// At compile time, if the device type has no bytes.
    pub(super) const fn of<T: KernelArg>() -> Self {
        let layout = <T::Device as DeviceType>::LAYOUT;
        if layout.size() == 0 {
            let mut message: Message = Message::new();
            templates::argument_without_bytes(&mut message);
            message.fail()
        }
        Self {
            device: TypeId::of::<T::Device>,
            layout,
            parameter: Parameter { pointee: <T::Device as DeviceType>::POINTEE, ..component::<T::Device>("", "", 0) },
            path: type_name::<T>,
        }
    }

    pub(super) fn size(&self) -> usize {
        self.layout.size()
    }

    /// Returns whether the kernel receives the same type. One type can have several `ArgumentType`s: one for each call
    /// of `push`.
    #[inline]
    pub(crate) fn is(&self, other: &Self) -> bool {
        ptr::eq(self, other) || (self.device)() == (other.device)()
    }

    /// Returns the Rust type without the paths of modules: `&CudaSlice<f32>`.
    pub(crate) fn spelling(&self) -> String {
        without_paths((self.path)())
    }
}

/// The types of a list, with their offsets by C's rule.
pub(crate) struct ArgumentTypes {
    placed: ShortList<Placed>,
    layout: ParamLayout,
}

#[derive(Clone, Copy)]
pub(super) struct Placed {
    pub(super) argument: &'static ArgumentType,
    pub(super) offset: usize,
}

impl ArgumentTypes {
    pub(super) fn new() -> Self {
        Self { placed: ShortList::new(), layout: ParamLayout::EMPTY }
    }

    pub(super) fn push(&mut self, argument: &'static ArgumentType) {
        let Ok((layout, offset)) = self.layout.push(argument.layout) else {
            panic!("the arguments of a kernel are larger than the address space")
        };
        self.placed.push(Placed { argument, offset });
        self.layout = layout;
    }

    pub(super) fn clear(&mut self) {
        self.placed.drain().for_each(drop);
        self.layout = ParamLayout::EMPTY;
    }

    pub(super) fn placed(&self) -> impl Iterator<Item = Placed> {
        self.placed.iter().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.placed.len()
    }

    pub(crate) fn layout(&self) -> ParamLayout {
        self.layout
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = &'static ArgumentType> {
        self.placed.iter().map(|placed| placed.argument)
    }

    /// Calls `then` with the types as the parameters of a kernel. The name of each parameter is its index.
    pub(crate) fn with_parameters<R>(&self, then: impl FnOnce(&[Parameter<'_>]) -> R) -> R {
        let texts = self.iter().enumerate().map(|(index, argument)| (index.to_string(), argument.spelling()));
        let texts: Vec<_> = texts.collect();
        let parameters = self.placed().zip(&texts).map(|(placed, (name, spelling))| {
            let offset = Some(placed.offset);
            Parameter { name, spelling, offset, ..placed.argument.parameter }
        });
        then(&parameters.collect::<Vec<_>>())
    }
}

/// Shortens `&cudarc::driver::CudaSlice<f32>` to `&CudaSlice<f32>`. Some versions of rustc write `'_` for a lifetime.
pub(crate) fn without_paths(path: &str) -> String {
    let path = ["<'_>", "'_, ", "'_ "].iter().fold(String::from(path), |path, lifetime| path.replace(lifetime, ""));
    let mut text = String::with_capacity(path.len());
    let mut rest = &*path;
    while let Some(at) = rest.find("::") {
        let word = rest[..at].rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |before| before + 1);
        text.push_str(&rest[..if word < at { word } else { at + 2 }]);
        rest = &rest[at + 2..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn a_type_is_spelled_without_the_paths_of_modules() {
        for (path, spelling) in [
            ("u32", "u32"),
            ("&cudarc::driver::safe::core::CudaSlice<f32>", "&CudaSlice<f32>"),
            ("core::option::Option<&mut a_b::C<d::E, [f::G; 3]>>", "Option<&mut C<E, [G; 3]>>"),
            ("(a::B, c::D)", "(B, D)"),
            ("&'_ a::View<'_, a::T<'_>>", "&View<T>"),
        ] {
            assert_eq!(without_paths(path), spelling);
        }
    }
}

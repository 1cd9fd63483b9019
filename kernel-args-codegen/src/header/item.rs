//! What a header is written from: types, kernels and options.

use super::names::Path;
use alloc::vec::Vec;
use core::slice;
use kernel_args_abi::{cpp::CppBase, signature::Parameter};

/// A type or a kernel that a header declares.
#[derive(Clone, Debug)]
pub struct Item<'a>(pub(super) Kind<'a>);

#[derive(Clone, Debug)]
pub(super) enum Kind<'a> {
    Type(Parameter<'a>),
    Kernel(Kernel<'a>),
}

impl<'a> Item<'a> {
    /// A struct or an enum: its C++ name, size, alignment and members. Name and offset do not matter.
    #[must_use]
    pub const fn device_type(ty: Parameter<'a>) -> Self {
        Self(Kind::Type(ty))
    }

    /// A kernel with its parameters in order.
    ///
    /// `symbol` is its symbol in an image, or its name in C++. An identifier such as `saxpy` is an `extern "C"` kernel. A
    /// mangled symbol (`_Z5saxpyifPKfPf`) and a qualified name (`sim::saxpy`, `::saxpy`) are one with C++ linkage: where the
    /// symbol tells types, they are those of the prototype.
    #[must_use]
    pub fn kernel(symbol: &'a str, parameters: &[Parameter<'a>]) -> Self {
        Self(Kind::Kernel(Kernel {
            symbol,
            parameters: parameters.to_vec(),
            grid_constants: Vec::new(),
        }))
    }

    /// The kernel takes this parameter as `const __grid_constant__`: C++ wants it in every declaration, or in none. A
    /// `CUtensorMap` is always one.
    #[must_use]
    pub fn grid_constant(mut self, parameter: &'a str) -> Self {
        if let Kind::Kernel(kernel) = &mut self.0 {
            kernel.grid_constants.push(parameter);
        }
        self
    }

    pub(super) fn parameters(&self) -> &[Parameter<'a>] {
        match &self.0 {
            Kind::Type(ty) => slice::from_ref(ty),
            Kind::Kernel(kernel) => &kernel.parameters,
        }
    }
}

/// A kernel of a header.
#[derive(Clone, Debug)]
pub(super) struct Kernel<'a> {
    /// Its symbol, or its name in C++.
    pub(super) symbol: &'a str,
    pub(super) parameters: Vec<Parameter<'a>>,
    /// The parameters that are `const __grid_constant__`.
    pub(super) grid_constants: Vec<&'a str>,
}

/// A C++ header that is to be written.
#[derive(Clone, Debug, Default)]
pub struct Header<'a> {
    pub(super) items: Vec<Item<'a>>,
    pub(super) guard: Option<&'a str>,
    pub(super) namespace: &'a str,
    pub(super) includes: Vec<(&'a str, Vec<&'a str>)>,
    pub(super) forward_declares: bool,
    pub(super) leaves_out: bool,
}

impl<'a> Header<'a> {
    /// A header without types and kernels, with `#pragma once`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type or a kernel. A type that others consist of need not be added.
    #[must_use]
    pub fn item(mut self, item: Item<'a>) -> Self {
        self.items.push(item);
        self
    }

    /// Adds types and kernels.
    #[must_use]
    pub fn items(mut self, items: &[Item<'a>]) -> Self {
        self.items.extend_from_slice(items);
        self
    }

    /// An include guard of this name in place of `#pragma once`.
    #[must_use]
    pub fn guard(mut self, name: &'a str) -> Self {
        self.guard = Some(name);
        self
    }

    /// The namespace (`sim`, `a::b`) of all types whose C++ name has no path.
    #[must_use]
    pub fn namespace(mut self, path: &'a str) -> Self {
        self.namespace = path;
        self
    }

    /// Includes `file` (`"sim/light.cuh"`, or `"<name>"` for one of the system), which declares `types`, given by their
    /// whole names: the header asserts their sizes and alignments, and does not declare them.
    #[must_use]
    pub fn include(mut self, file: &'a str, types: &[&'a str]) -> Self {
        self.includes.push((file, types.to_vec()));
        self
    }

    /// Declares a struct of which pointers alone are known by its name: `struct Light;`. Otherwise it is an error.
    ///
    /// An image does not tell what pointers point to. Rust types do, so there the list can name it.
    #[must_use]
    pub fn forward_declare_pointees(mut self) -> Self {
        self.forward_declares = true;
        self
    }

    /// Leaves out kernels that cannot be declared, with the reason as a comment in the header. Otherwise one is an error.
    #[must_use]
    pub fn leave_out_kernels(mut self) -> Self {
        self.leaves_out = true;
        self
    }

    /// Whether a file that is included declares a type.
    pub(super) fn is_included(&self, path: &Path) -> bool {
        let mut types = self.includes.iter().flat_map(|(_, types)| types);
        types.any(|ty| Path::new(ty, "") == *path)
    }

    /// The type of this name in the list.
    pub(super) fn device_type_of(&self, path: &Path) -> Option<&Parameter<'a>> {
        self.items.iter().find_map(|item| match &item.0 {
            Kind::Type(ty) => match ty.cpp.base {
                CppBase::Named(name) if Path::new(name, self.namespace) == *path => Some(ty),
                _ => None,
            },
            Kind::Kernel(_) => None,
        })
    }
}

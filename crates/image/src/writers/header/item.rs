//! The input for a header: types, kernels and options.

use super::names::Path;
use crate::prelude::*;
use kernel_args_abi::{CppBase, Parameter};

/// A type or a kernel that a header declares.
#[derive(Clone, Debug)]
pub struct Item<'a> {
    pub(super) ty: Option<Parameter<'a>>,
    /// The symbol of the kernel.
    pub(super) symbol: &'a str,
    pub(super) parameters: Vec<Parameter<'a>>,
    pub(super) grid_constants: Vec<&'a str>,
}

impl<'a> Item<'a> {
    /// Returns a struct or an enum: its C++ name, size, alignment and members. Ignores name and offset.
    #[must_use]
    pub const fn device_type(ty: Parameter<'a>) -> Self {
        Self { ty: Some(ty), symbol: "", parameters: Vec::new(), grid_constants: Vec::new() }
    }

    /// Returns a kernel with its parameters in order.
    ///
    /// `symbol` is its symbol in an image, or its C++ name. An identifier such as `saxpy` is an `extern "C"` kernel. A
    /// mangled symbol (`_Z5saxpyifPKfPf`), whose types the prototype uses, or a qualified name (`sim::saxpy`,
    /// `::saxpy`) has C++ linkage.
    #[must_use]
    pub fn kernel(symbol: &'a str, parameters: &[Parameter<'a>]) -> Self {
        Self { ty: None, symbol, parameters: parameters.to_vec(), grid_constants: Vec::new() }
    }

    /// Marks a parameter as `const __grid_constant__`, which C++ requires in all declarations of a kernel or in none. A
    /// `CUtensorMap` is always marked.
    #[must_use]
    pub fn grid_constant(mut self, parameter: &'a str) -> Self {
        self.grid_constants.push(parameter);
        self
    }
}

/// A C++ header to be written.
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
    /// Creates a header without types and kernels, with `#pragma once`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a type or a kernel. The types that it contains are added automatically.
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

    /// Uses an include guard of this name instead of `#pragma once`.
    #[must_use]
    pub fn guard(mut self, name: &'a str) -> Self {
        self.guard = Some(name);
        self
    }

    /// Sets the namespace (`sim`, `a::b`) of all types whose C++ name has no path.
    #[must_use]
    pub fn namespace(mut self, path: &'a str) -> Self {
        self.namespace = path;
        self
    }

    /// Includes `file` (`"sim/light.cuh"`, or `"<name>"` for a system header), which declares `types`, by full names.
    /// The header asserts their sizes and alignments.
    #[must_use]
    pub fn include(mut self, file: &'a str, types: &[&'a str]) -> Self {
        self.includes.push((file, types.to_vec()));
        self
    }

    /// Declares a struct by name only (`struct Light;`) if it occurs only behind pointers, which is an error otherwise.
    ///
    /// Rust types contain their pointees, unlike images, so the list can contain the pointee instead.
    #[must_use]
    pub fn forward_declare_pointees(mut self) -> Self {
        self.forward_declares = true;
        self
    }

    /// Skips kernels that cannot be declared, which are errors otherwise, and writes the reason as a comment.
    #[must_use]
    pub fn leave_out_kernels(mut self) -> Self {
        self.leaves_out = true;
        self
    }

    pub(super) fn is_included(&self, path: &Path) -> bool {
        self.includes.iter().flat_map(|(_, types)| types).any(|ty| Path::new(ty, "") == *path)
    }

    pub(super) fn device_type_of(&self, path: &Path) -> Option<&Parameter<'a>> {
        let mut types = self.items.iter().filter_map(|item| item.ty.as_ref());
        types.find(|ty| matches!(ty.cpp.base, CppBase::Named(name) if Path::new(name, self.namespace) == *path))
    }
}

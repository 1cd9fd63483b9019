//! One kernel or variable of an image, from all sources in the image.

use crate::prelude::*;
use crate::{
    code::{VariableSpace, directives::Directives},
    formats::{cubin, ptx},
    mangled::Demangled,
};
use kernel_args_abi::{Body, Class, Members, Parameter, check::is_untyped};

/// One kernel of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Kernel<'k> {
    /// The symbol.
    pub name: &'k str,
    /// The C++ name, if the symbol is mangled.
    pub demangled: Option<Demangled>,
    /// The entry in PTX.
    pub entry: Option<ptx::Entry<'k>>,
    /// The records in a cubin.
    pub records: Option<&'k cubin::Kernel<'k>>,
    /// The parameters from debug information. Requires the feature `debug-info`.
    pub debug_info: Members<'k>,
    /// What the code in PTX does with each parameter. Empty if it was not analysed.
    pub bodies: Vec<Body<'k>>,
}

/// The limits of a kernel's launches.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Its directives.
    pub directives: Directives,
    /// Whether it uses dynamic shared memory. `false` if that is unknown.
    pub dynamic_shared: bool,
}

/// Why the debug information of another image cannot be used for a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DebugInfoMismatch {
    /// The other kernel has no readable debug information.
    NoDebugInfo,
    /// The other kernel has parameters of another number, size, alignment or class.
    OtherParameters,
}

impl<'k> Kernel<'k> {
    /// Returns the kernel with the debug information of a debug build of the same source.
    ///
    /// # Errors
    /// If `other` has no debug information, or has different parameters.
    pub fn with_debug_info_of(self, other: &Kernel<'k>) -> Result<Self, DebugInfoMismatch> {
        if !other.debug_info.is_known() {
            return Err(DebugInfoMismatch::NoDebugInfo);
        }
        let (mut own, others) = (self.parameters_without_debug_info(), other.parameters_without_debug_info());
        let unknown = |class: Class| matches!(class, Class::Unknown | Class::Bits);
        let same = own.len() == others.len()
            && own.iter().zip(&others).all(|(a, b)| {
                a.size == b.size
                    && (a.align == b.align || a.align.is_none() || b.align.is_none())
                    && (a.class == b.class || unknown(a.class) || unknown(b.class))
            });
        if !same || !other.debug_info.complete(&mut own) {
            return Err(DebugInfoMismatch::OtherParameters);
        }
        Ok(Self { debug_info: other.debug_info, ..self })
    }

    /// Sets the kernel with what its code does with each parameter, which can contradict the types in the symbol.
    #[must_use]
    pub fn with_bodies(self, bodies: Vec<Body<'k>>) -> Self {
        Self { bodies, ..self }.with_checked_name()
    }

    /// Without types in the name if the parameters do not have them.
    pub(crate) fn with_checked_name(mut self) -> Self {
        self.demangled = self.demangled.take().map(|name| name.name_for(&self.parameters_without_debug_info()));
        self
    }
}

impl Kernel<'_> {
    /// Returns the requirements for a launch: the records of the cubin, with the directives that only PTX contains.
    #[must_use]
    pub fn directives(&self) -> Directives {
        let declared = self.entry.as_ref().map(|entry| entry.directives);
        let recorded = self.records.map(|records| records.directives);
        match (declared, recorded) {
            (Some(declared), Some(recorded)) => recorded.completed_by(declared),
            (declared, recorded) => recorded.or(declared).unwrap_or_default(),
        }
    }

    /// Returns whether it uses dynamic shared memory (`extern __shared__`). `None` if the kernel is only in a cubin.
    #[must_use]
    pub fn dynamic_shared(&self) -> Option<bool> {
        self.entry.as_ref().filter(|entry| entry.is_defined).map(|entry| entry.dynamic_shared)
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits { directives: self.directives(), dynamic_shared: self.dynamic_shared().unwrap_or(false) }
    }

    /// Returns whether only the code can show something about a parameter: it has no C++ type, or is a struct of
    /// unknown members.
    #[must_use]
    pub fn has_untyped_parameters(&self) -> bool {
        self.parameters().iter().any(is_untyped)
    }

    /// Returns whether only the code shows that the types in the symbol count: see [`Demangled::types_for`].
    #[must_use]
    pub fn has_unclear_types(&self) -> bool {
        let parameters = self.parameters_without_debug_info();
        let types = self.demangled.as_ref().and_then(|name| name.types_of(parameters.len())).unwrap_or_default();
        types.iter().zip(&parameters).any(|(ty, parameter)| !ty.is_unknown() && parameter.cpp.is_unknown())
    }

    /// Returns the parameters in the common model, joined from all sources.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter<'_>> {
        self.joined(self.debug_info)
    }

    /// Returns the parameters without debug information.
    #[must_use]
    pub fn parameters_without_debug_info(&self) -> Vec<Parameter<'_>> {
        self.joined(Members::UNKNOWN)
    }

    fn joined<'s>(&'s self, debug_info: Members<'s>) -> Vec<Parameter<'s>> {
        let mut declared = self.entry.as_ref().map(|entry| entry.signature_parameters(None));
        let mut recorded = self.records.map(|kernel| kernel.signature_parameters(None));
        for parameters in [&mut declared, &mut recorded].into_iter().flatten() {
            for (parameter, body) in parameters.iter_mut().zip(&self.bodies) {
                parameter.body = *body;
            }
        }
        join_parameters(declared, recorded, self.demangled.as_ref(), debug_info)
    }
}

/// Returns one list of parameters from PTX (`declared`), a cubin (`recorded`), the symbol and debug information.
///
/// Names, sizes, alignments and classes come from PTX if it exists, offsets from the cubin if its parameters have the
/// same sizes, C++ types from the symbol: see [`Demangled::types_for`]. Debug information adds names, members and
/// missing types.
pub(crate) fn join_parameters<'p>(
    declared: Option<Vec<Parameter<'p>>>,
    recorded: Option<Vec<Parameter<'p>>>,
    demangled: Option<&'p Demangled>,
    debug_info: Members<'p>,
) -> Vec<Parameter<'p>> {
    let parameters = match (declared, recorded) {
        (Some(mut declared), Some(recorded)) => {
            if same_sizes(&declared, &recorded) {
                for (parameter, recorded) in declared.iter_mut().zip(recorded) {
                    parameter.offset = recorded.offset;
                }
            }
            declared
        }
        // A host function has no other source.
        (None, None) => debug_info.iter().collect(),
        (declared, recorded) => declared.or(recorded).unwrap_or_default(),
    };
    let mut parameters = Demangled::typed(demangled, parameters);
    debug_info.complete(&mut parameters);
    parameters
}

/// Returns whether two lists have the same number of parameters with the same sizes.
#[must_use]
pub fn same_sizes(one: &[Parameter<'_>], other: &[Parameter<'_>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.size == b.size)
}

/// One variable of an image: `__device__`, `__constant__` or `__managed__`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable<'k> {
    /// Its memory.
    pub space: VariableSpace,
    /// The variable as the only parameter of a list, because all sources describe both alike.
    pub(super) list: Kernel<'k>,
}

impl<'k> Variable<'k> {
    /// Sets the variable with the type from `other`, a debug build of the same source. Unchanged if the sizes differ.
    /// Alignments may differ: an optimizing compiler raises them.
    #[must_use]
    pub fn with_debug_info_of(mut self, other: &Variable<'k>) -> Self {
        let (mut own, others) = (self.list.parameters_without_debug_info(), other.list.parameters_without_debug_info());
        if same_sizes(&own, &others) && other.list.debug_info.complete(&mut own) {
            self.list.debug_info = other.list.debug_info;
        }
        self
    }

    /// Returns the symbol: `table`, `_ZN3sim2dtE`.
    #[must_use]
    pub const fn symbol(&self) -> &'k str {
        self.list.name
    }

    /// Returns the C++ name, if the symbol is mangled.
    #[must_use]
    pub const fn demangled(&self) -> Option<&Demangled> {
        self.list.demangled.as_ref()
    }

    /// Returns its type in debug information. Requires the feature `debug-info`.
    #[must_use]
    pub const fn debug_info(&self) -> Members<'k> {
        self.list.debug_info
    }

    /// Returns the variable as the only parameter of a list.
    #[doc(hidden)]
    #[must_use]
    pub const fn as_list(&self) -> &Kernel<'k> {
        &self.list
    }

    /// Size, alignment, class and, from debug information, C++ type and members.
    #[must_use]
    pub fn value(&self) -> Option<Parameter<'_>> {
        self.list.parameters().into_iter().next()
    }
}

//! One kernel of an image, out of all sources that the image has.

use crate::{cubin, directives::Directives, join::join_parameters, mangled::Demangled, ptx};
use alloc::vec::Vec;
use kernel_args_abi::{Class, Members, Parameter};

/// One kernel of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Kernel<'k> {
    /// Its symbol.
    pub name: &'k str,
    /// Its C++ name, where the symbol is mangled.
    pub demangled: Option<Demangled>,
    /// Its entry in PTX.
    pub entry: Option<ptx::Entry<'k>>,
    /// Its records in a cubin.
    pub records: Option<&'k cubin::Kernel<'k>>,
    /// Its parameters in debug information: with the feature `debug-info`, and where the image has any.
    pub debug_info: Members<'k>,
}

/// Why a kernel of one image does not describe that of another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DebugInfoMismatch {
    /// It has no debug information, or none that can be read.
    NoDebugInfo,
    /// It takes other parameters: another number of them, or other sizes, alignments or classes.
    OtherParameters,
}

impl<'k> Kernel<'k> {
    /// The kernel with the debug information that another image has of it: a debug build of the same source.
    ///
    /// # Errors
    /// Where `other` has none, or takes other parameters.
    pub fn with_debug_info_of(self, other: &Kernel<'k>) -> Result<Self, DebugInfoMismatch> {
        if !other.debug_info.is_known() {
            return Err(DebugInfoMismatch::NoDebugInfo);
        }
        let (mut own, others) = (
            self.parameters_without_debug_info(),
            other.parameters_without_debug_info(),
        );
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
        Ok(Self {
            debug_info: other.debug_info,
            ..self
        })
    }
}

impl Kernel<'_> {
    /// What it demands of a launch: the records of the cubin that [`Kernels::kernel`](crate::Kernels::kernel) chose, with the
    /// directives that only PTX has; those of PTX where no cubin was chosen.
    #[must_use]
    pub fn directives(&self) -> Directives {
        let declared = self.entry.as_ref().map(|entry| entry.directives);
        let recorded = self.records.map(|records| records.directives);
        match (declared, recorded) {
            (Some(declared), Some(recorded)) => recorded.completed_by(declared),
            (declared, recorded) => recorded.or(declared).unwrap_or_default(),
        }
    }

    /// Whether it uses dynamic shared memory (`extern __shared__`); `None` where only a cubin has it, which does not contain that.
    #[must_use]
    pub fn dynamic_shared(&self) -> Option<bool> {
        let defined = self.entry.as_ref().filter(|entry| entry.is_defined);
        defined.map(|entry| entry.dynamic_shared)
    }

    /// The parameters in the common model, [joined](join_parameters) from all sources.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter<'_>> {
        self.joined(self.debug_info)
    }

    /// The parameters without debug information.
    #[must_use]
    pub fn parameters_without_debug_info(&self) -> Vec<Parameter<'_>> {
        self.joined(Members::UNKNOWN)
    }

    fn joined<'s>(&'s self, debug_info: Members<'s>) -> Vec<Parameter<'s>> {
        let declared = self.entry.as_ref();
        let declared = declared.map(|entry| entry.signature_parameters(None));
        let recorded = self.records.map(|kernel| kernel.signature_parameters(None));
        join_parameters(declared, recorded, self.demangled.as_ref(), debug_info)
    }
}

//! A kernel with the data of all its images.

use crate::{limits::Limits, place::Place};
use kernel_args_abi::{Class, Members, Parameter};
use kernel_args_image::{ParameterList, cubin::Resources, mangled::Demangled};
use std::sync::Arc;

pub(crate) const DEPTH: u32 = 24;

/// The most members of a struct, and enumerators of an enum, that are shown.
pub(crate) const MEMBERS: usize = 256;

/// A kernel, with the images that have exactly these parameters and limits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kernel {
    pub(crate) symbol: String,
    pub(crate) demangled: Option<Demangled>,
    pub(crate) parameters: ParameterList,
    pub(crate) limits: Limits,
    /// The parameters from debug information only.
    pub(crate) described: Option<ParameterList>,
    /// The images, at least one, in the order of the files.
    pub(crate) images: Vec<InImage>,
    /// What the code in PTX does with each parameter, if it was analysed. It also answers for cubins.
    pub(crate) bodies: Option<ParameterList>,
    /// A function of the host that launches kernels: it has no images and no limits.
    pub(crate) host: Option<Host>,
}

#[derive(Clone, Debug)]
pub(crate) struct Host {
    pub(crate) file: Arc<str>,
    /// `cudaError_t scale(float* x, int n)`.
    pub(crate) prototype: String,
    pub(crate) result: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct InImage {
    pub(crate) place: Place,
    /// `None` for PTX, which does not contain them.
    pub(crate) resources: Option<Resources>,
}

impl Kernel {
    pub(crate) fn noun(&self) -> &'static str {
        if self.host.is_some() { "launcher" } else { "kernel" }
    }

    /// Returns the C++ name, or the symbol if it is not mangled.
    pub(crate) fn name(&self, demangle: bool) -> &str {
        match &self.demangled {
            Some(demangled) if demangle => demangled.text(),
            _ => &self.symbol,
        }
    }

    /// Returns whether all data that both contain is equal. Only cubins of some GPU generations mark a parameter as a
    /// pointer.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (own, others) = (self.parameters.parameters(), other.parameters.parameters());
        let is_same = |(own, other): (&Parameter<'_>, &Parameter<'_>)| {
            let class = if own.class.same(Class::Unknown) { other.class } else { own.class };
            let is_class = other.class.same(Class::Unknown) || other.class.same(class);
            is_class && Parameter { class, ..*own } == Parameter { class, ..*other }
        };
        self.symbol == other.symbol
            && self.limits == other.limits
            && own.len() == others.len()
            && own.iter().zip(&others).all(is_same)
    }

    /// Adds the images of the [same](Self::is_same) kernel.
    pub(crate) fn join(&mut self, other: Self) {
        let known = |list: &ParameterList| {
            let list = list.parameters();
            list.iter().filter(|parameter| !parameter.class.same(Class::Unknown)).count()
        };
        self.images.extend(other.images);
        self.bodies = self.bodies.take().or(other.bodies);
        if known(&other.parameters) > known(&self.parameters) {
            self.parameters = other.parameters;
        }
    }

    pub(crate) fn parameters(&self) -> Vec<Parameter<'_>> {
        let mut parameters = self.parameters.parameters();
        if self.host.is_some() {
            return parameters;
        }
        // PTX does not contain offsets: they follow from the alignments. Above 16 bytes they depend on the GPU.
        let mut placed = parameters.clone();
        if Parameter::place(&mut placed) {
            for (parameter, placed) in parameters.iter_mut().zip(placed) {
                parameter.offset = parameter.offset.or(placed.offset);
            }
        }
        let bodies = self.bodies.as_ref().map_or(Members::UNKNOWN, ParameterList::members);
        for (parameter, known) in parameters.iter_mut().zip(bodies.iter()) {
            parameter.body = known.body;
        }
        parameters
    }
}

/// In bytes, if every offset is known.
pub(crate) fn block_size(parameters: &[Parameter<'_>]) -> Option<usize> {
    parameters.iter().try_fold(0, |size, parameter| Some(parameter.offset?.checked_add(parameter.size)?.max(size)))
}

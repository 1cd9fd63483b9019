//! A kernel with all that its images tell of it.

use crate::read::{observe::Resources, place::Place};
use kernel_args_abi::{Alignment, Class, Layout, ParamLayout, Parameter};
use kernel_args_image::{ParameterList, cubin, mangled::Demangled, ptx};

/// A kernel: its parameters, what it demands of a launch, and the images that have it with these.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Kernel {
    pub(crate) symbol: String,
    /// Its C++ name, where the symbol is mangled.
    pub(crate) demangled: Option<Demangled>,
    pub(crate) parameters: ParameterList,
    pub(crate) limits: Limits,
    /// The parameters as debug information alone tells them: for what they point to.
    pub(crate) told: Option<ParameterList>,
    /// At least one, in the order of the files.
    pub(crate) images: Vec<InImage>,
}

/// An image that has a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct InImage {
    pub(crate) place: Place,
    pub(crate) resources: Resources,
}

/// What a kernel demands of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub(crate) struct Limits {
    pub(crate) required_threads: Option<[u32; 3]>,
    pub(crate) max_threads: Option<[u32; 3]>,
    pub(crate) min_blocks: Option<u32>,
    pub(crate) max_registers: Option<u32>,
    pub(crate) required_cluster: Option<[u32; 3]>,
    pub(crate) max_cluster_rank: Option<u32>,
    pub(crate) explicit_cluster: bool,
    pub(crate) blocks_are_clusters: bool,
    /// Whether it uses shared memory of the size that the launch gives; a cubin does not tell.
    pub(crate) dynamic_shared: Option<bool>,
}

impl Limits {
    pub(crate) fn of_entry(entry: &ptx::Entry<'_>) -> Self {
        let directives = entry.directives;
        Self {
            required_threads: directives.required_threads,
            max_threads: directives.max_threads,
            min_blocks: directives.min_blocks,
            max_registers: directives.max_registers,
            required_cluster: directives.required_cluster,
            max_cluster_rank: directives.max_cluster_rank,
            explicit_cluster: directives.explicit_cluster,
            blocks_are_clusters: directives.blocks_are_clusters,
            dynamic_shared: entry.is_defined.then_some(entry.dynamic_shared),
        }
    }

    pub(crate) fn of_cubin(kernel: &cubin::Kernel<'_>) -> Self {
        Self {
            required_threads: kernel.required_threads,
            max_threads: kernel.max_threads,
            required_cluster: kernel.required_cluster,
            ..Self::default()
        }
    }

    /// Whether these, of a cubin, are what a text says.
    pub(crate) fn are_of(self, text: Self) -> bool {
        self.required_threads == text.required_threads
            && self.max_threads == text.max_threads
            && self.required_cluster == text.required_cluster
    }

    /// These, and what only `text` tells.
    pub(crate) fn with_text(self, text: Self) -> Self {
        Self {
            required_threads: self.required_threads.or(text.required_threads),
            max_threads: self.max_threads.or(text.max_threads),
            required_cluster: self.required_cluster.or(text.required_cluster),
            ..text
        }
    }
}

impl Kernel {
    /// The C++ name, or the symbol where it is not mangled.
    pub(crate) fn name(&self, demangle: bool) -> &str {
        match &self.demangled {
            Some(demangled) if demangle => demangled.text(),
            _ => &self.symbol,
        }
    }

    /// Whether another file has the same kernel: what both tell of it is the same. Cubins of some GPU generations alone tell that a
    /// parameter is a pointer.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let (own, others) = (self.parameters.parameters(), other.parameters.parameters());
        let is_same = |(own, other): (&Parameter<'_>, &Parameter<'_>)| {
            let class = if own.class.same(Class::Unknown) {
                other.class
            } else {
                own.class
            };
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
            list.iter()
                .filter(|parameter| !parameter.class.same(Class::Unknown))
                .count()
        };
        self.images.extend(other.images);
        if known(&other.parameters) > known(&self.parameters) {
            self.parameters = other.parameters;
        }
    }

    /// The parameters, with the offsets that follow from their alignments where the image tells none.
    pub(crate) fn parameters(&self) -> Vec<Parameter<'_>> {
        let mut parameters = self.parameters.parameters();
        place(&mut parameters);
        parameters
    }
}

/// The size of the parameter block in bytes, where every offset is known.
pub(crate) fn block_size(parameters: &[Parameter<'_>]) -> Option<usize> {
    parameters.iter().try_fold(0, |size, parameter| {
        Some(parameter.offset?.checked_add(parameter.size)?.max(size))
    })
}

/// Adds the offsets that follow from the alignments: PTX tells none. Above 16 bytes they depend on the GPU.
fn place(parameters: &mut [Parameter<'_>]) {
    let is_fixed = |p: &Parameter<'_>| p.align.is_some_and(|align| align <= Alignment::SIXTEEN);
    if !parameters.iter().all(is_fixed) {
        return;
    }
    let layouts: Option<Vec<Layout>> = parameters.iter().map(Parameter::layout).collect();
    let Some(layouts) = layouts else { return };
    let mut offsets = vec![0; layouts.len()];
    if ParamLayout::EMPTY.push_all(&layouts, &mut offsets).is_ok() {
        for (parameter, offset) in parameters.iter_mut().zip(offsets) {
            parameter.offset = parameter.offset.or(Some(offset));
        }
    }
}

//! The kernels of an image, as it describes them.

use crate::{device::vector::Dim3, driver::attributes::ClusterDirectives};
use kernel_args_abi::{
    Members, Parameter, Sm,
    compiled::{CompiledImage, CompiledKernel},
};
use kernel_args_image::{self as image, Kernel, ParameterList, dwarf, mangled::Demangled};
use std::{
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};

/// What debug information told of a kernel's parameters: that of the image, or what was read of it while the program compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DebugInfo {
    /// There is none: fields and members that are exchanged, and wrong types for an `extern "C"` kernel, are not noticed.
    #[default]
    None,
    /// The arguments fit what it tells.
    Verified,
    /// The image has some that cannot be read: why. Such an image is loaded, because the driver runs it, and verified by the rest.
    /// While a program compiles it is an error, which says what to write.
    Unreadable(String),
}

/// A kernel as its image describes it.
pub(crate) struct Description {
    pub(crate) symbol: String,
    /// `.reqntid`.
    pub(crate) required_block: Option<Dim3>,
    /// Whether it uses dynamic shared memory; not where that is unknown.
    pub(crate) dynamic_shared: bool,
    pub(crate) cluster: ClusterDirectives,
    pub(crate) debug_info: DebugInfo,
    demangled: Option<Demangled>,
    parameters: ParameterList,
}

impl Description {
    /// `debug_error` is why debug information of the kernel's own is not read, and `compiled` the same kernel as it was read
    /// while the program compiled.
    fn new(
        kernel: &Kernel<'_>,
        debug_error: Option<dwarf::Error>,
        compiled: Option<&CompiledKernel>,
    ) -> Self {
        let by_entry = kernel
            .entry
            .as_ref()
            .and_then(|entry| entry.directives.required_threads);
        let by_record = kernel.records.and_then(|records| records.required_threads);
        let cluster = match (&kernel.entry, kernel.records) {
            (Some(entry), _) => ClusterDirectives {
                max_rank: entry.directives.max_cluster_rank,
                explicit: entry.directives.explicit_cluster,
                blocks_are_clusters: entry.directives.blocks_are_clusters,
            },
            (None, Some(records)) => ClusterDirectives {
                max_rank: records.max_cluster_rank,
                explicit: records.explicit_cluster,
                blocks_are_clusters: records.blocks_are_clusters,
            },
            (None, None) => ClusterDirectives::default(),
        };
        let mut parameters = kernel.parameters();
        let told: Vec<Parameter<'_>> =
            compiled.map_or_else(Vec::new, |kernel| kernel.parameters().collect());
        // Where the image has other parameters for this GPU, it is described by these alone.
        let debug_info = if kernel.described.complete(&mut parameters)
            || Members::of(&told).complete(&mut parameters)
        {
            DebugInfo::Verified
        } else {
            debug_error.map_or(DebugInfo::None, |error| {
                DebugInfo::Unreadable(error.to_string())
            })
        };
        Self {
            symbol: kernel.name.into(),
            dynamic_shared: kernel.dynamic_shared().unwrap_or(false),
            cluster,
            debug_info,
            required_block: by_entry.or(by_record).map(|[x, y, z]| Dim3::new(x, y, z)),
            demangled: kernel.demangled.clone(),
            parameters: ParameterList::new(&parameters),
        }
    }

    /// The parameters in the common model.
    pub(crate) fn parameters(&self) -> Vec<Parameter<'_>> {
        self.parameters.parameters()
    }

    /// The demangled name where there is one, else the symbol.
    pub(crate) fn spelled(&self) -> &str {
        self.demangled
            .as_ref()
            .map_or(&self.symbol, Demangled::text)
    }
}

pub(super) fn read(image: &[u8]) -> Result<image::Image<'_>, String> {
    image::Image::read(image).map_err(|error| error.to_string())
}

/// The kernels of an image as they are for `sm`, or why it could not be read. `table` is what was read of them while the
/// program compiled.
pub(super) fn describe(
    image: &image::Image<'_>,
    table: Option<&'static CompiledImage>,
    sm: Sm,
) -> Result<Vec<Description>, String> {
    let compiled = table.into_iter().flat_map(CompiledImage::kernels);
    let compiled: BTreeMap<&str, CompiledKernel> = compiled
        .filter(CompiledKernel::has_debug_info)
        .map(|kernel| (kernel.symbol(), kernel))
        .collect();
    let kernels = image.kernels().map_err(|error| error.to_string())?;
    let symbols = kernels.symbols();
    Ok(symbols
        .filter_map(|symbol| {
            let kernel = kernels.kernel(symbol, Some(sm))?;
            let debug_error = kernels.debug_error(&kernel);
            Some(Description::new(&kernel, debug_error, compiled.get(symbol)))
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{super::ImageBytes, Description};
    use kernel_args_abi::Sm;
    use std::vec::Vec;

    /// A cubin says as much of clusters as its PTX: a launch is compared with the same limits.
    #[test]
    fn directives_of_clusters_are_those_of_the_ptx() {
        let clusters = |image: &[u8]| {
            let image = ImageBytes::read(image.into()).expect("it is an image");
            let kernels = image.describe(Sm(90)).expect("it is read");
            let named = |kernel: Description| (kernel.symbol.clone(), kernel.cluster);
            let mut named: Vec<_> = kernels.into_iter().map(named).collect();
            named.sort_by(|(one, _), (other, _)| one.cmp(other));
            named
        };
        let ptx = clusters(include_bytes!(
            "../../../../kernel-args-image/tests/data/clusters.ptx"
        ));
        let cubin = clusters(include_bytes!(
            "../../../../kernel-args-image/tests/data/clusters.sm_90.cubin"
        ));
        assert_eq!(ptx.len(), 8);
        assert_eq!(ptx, cubin);
        let told = |tells: fn(&super::ClusterDirectives) -> bool| {
            cubin.iter().filter(|(_, cluster)| tells(cluster)).count()
        };
        assert_eq!(told(|cluster| cluster.max_rank.is_some()), 3);
        assert_eq!(told(|cluster| cluster.explicit), 3);
        assert_eq!(told(|cluster| cluster.blocks_are_clusters), 1);
    }
}

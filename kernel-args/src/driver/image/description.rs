//! Kernels, as their image describes them.

use core::ops::Range;
use kernel_args_abi::{
    Members, Parameter, Sm,
    compiled::{CompiledImage, CompiledKernel},
};
use kernel_args_image::{
    self as image, Directives, Kernel, Limits, ParameterList, dwarf,
    mangled::{Spelled, candidates_by_name, nearest_by_name},
};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    string::{String, ToString},
    vec::Vec,
};

/// Debug information about a kernel's parameters, from the image or from the time when the program was compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DebugInfo {
    /// No debug information: swapped fields and members, and wrong types for an `extern "C"` kernel, are not detected.
    #[default]
    None,
    /// The arguments match the debug information.
    Verified,
    /// The debug information cannot be read, for this reason. The image is still loaded, because the driver can run it,
    /// and verified without debug information. When a program is compiled, this is an error with a help text.
    Unreadable(String),
}

/// The demangled name, and the ranges of its qualified name and its template arguments: see [`Spelled`].
type Name = (Cow<'static, str>, Range<usize>, Option<Range<usize>>);

/// A kernel as its image describes it.
pub(crate) struct Description {
    pub(crate) symbol: Cow<'static, str>,
    pub(crate) directives: Directives,
    /// Whether it uses dynamic shared memory; `false` if that is unknown.
    pub(crate) dynamic_shared: bool,
    pub(crate) debug_info: DebugInfo,
    name: Option<Name>,
    parameters: ParameterList,
}

impl Description {
    /// `debug_error` is the reason why the kernel's own debug information could not be read. `compiled` is the same
    /// kernel as it was read when the program was compiled.
    fn new(
        kernel: &Kernel<'_>,
        debug_error: Option<dwarf::Error>,
        compiled: Option<&CompiledKernel>,
    ) -> Self {
        let mut parameters = kernel.parameters();
        let from_table: Vec<Parameter<'_>> =
            compiled.map_or_else(Vec::new, |kernel| kernel.parameters().collect());
        // If the image has different parameters for this GPU, only these are used.
        let debug_info = if kernel.debug_info.complete(&mut parameters)
            || Members::of(&from_table).complete(&mut parameters)
        {
            DebugInfo::Verified
        } else {
            debug_error.map_or(DebugInfo::None, |error| {
                DebugInfo::Unreadable(error.to_string())
            })
        };
        let name = kernel.demangled.as_ref().map(|demangled| {
            let Spelled {
                text,
                name,
                arguments,
            } = demangled.spelled();
            (Cow::Owned(text.into()), name, arguments)
        });
        Self {
            symbol: Cow::Owned(kernel.name.into()),
            directives: kernel.directives(),
            dynamic_shared: kernel.dynamic_shared().unwrap_or(false),
            debug_info,
            name,
            parameters: ParameterList::new(&parameters),
        }
    }

    /// A kernel that is the same in all code of its image.
    pub(super) fn compiled(kernel: &CompiledKernel, limits: &Limits) -> Self {
        let parameters: Vec<Parameter<'_>> = kernel.parameters().collect();
        Self {
            symbol: Cow::Borrowed(kernel.symbol()),
            directives: limits.directives,
            dynamic_shared: limits.dynamic_shared,
            debug_info: if kernel.has_debug_info() {
                DebugInfo::Verified
            } else {
                DebugInfo::None
            },
            name: kernel
                .name_parts()
                .map(|(name, arguments)| (Cow::Borrowed(kernel.name()), name, arguments)),
            parameters: ParameterList::new(&parameters),
        }
    }

    /// The parameters in the model that all formats share.
    pub(crate) fn parameters(&self) -> Vec<Parameter<'_>> {
        self.parameters.parameters()
    }

    /// The demangled name if there is one, otherwise the symbol.
    pub(crate) fn spelled(&self) -> &str {
        self.name.as_ref().map_or(&self.symbol, |(text, ..)| text)
    }

    /// The demangled name and its parts.
    fn name(&self) -> Option<Spelled<'_>> {
        let (text, name, arguments) = self.name.as_ref()?;
        Some(Spelled {
            text,
            name: name.clone(),
            arguments: arguments.clone(),
        })
    }
}

/// The symbols of the kernels that match the name `wanted`.
pub(crate) fn candidates<'k>(
    wanted: &str,
    kernels: impl IntoIterator<Item = &'k Description>,
) -> Vec<&'k str> {
    let names = kernels
        .into_iter()
        .map(|kernel| (&*kernel.symbol, kernel.name()));
    candidates_by_name(wanted, names)
}

/// The symbols of the kernels with the most similar names.
pub(crate) fn nearest<'k>(
    wanted: &str,
    kernels: impl IntoIterator<Item = &'k Description>,
) -> Vec<&'k str> {
    let names = kernels.into_iter().map(|kernel| {
        let name = kernel.name().and_then(|name| name.text.get(name.name));
        (&*kernel.symbol, name.unwrap_or(&kernel.symbol))
    });
    nearest_by_name(wanted, names)
}

/// The kernels of an image for the GPU `sm`, or the reason why the image could not be read. `table` contains the
/// information that was read when the program was compiled.
pub(super) fn read_kernels(
    image: &image::Image<'_>,
    table: Option<&'static CompiledImage>,
    sm: Sm,
) -> Result<Vec<Description>, image::Error> {
    let compiled = table.into_iter().flat_map(CompiledImage::kernels);
    let compiled: BTreeMap<&str, CompiledKernel> = compiled
        .filter(CompiledKernel::has_debug_info)
        .map(|kernel| (kernel.symbol(), kernel))
        .collect();
    let kernels = image.kernels()?;
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
    use super::super::ImageBytes;
    use kernel_args_abi::Sm;
    use kernel_args_image::Directives;
    use std::{collections::BTreeMap, string::String};

    fn directives(image: &[u8]) -> BTreeMap<String, Directives> {
        let image = ImageBytes::read(image.into()).expect("it is an image");
        let kernels = image.kernels(Sm(90)).expect("it is read");
        let of = |kernel: super::Description| (kernel.symbol.into_owned(), kernel.directives);
        kernels.into_iter().map(of).collect()
    }

    /// A cubin contains the same information about clusters as its PTX, so a launch is checked against the same limits.
    #[test]
    fn a_cubin_has_the_cluster_directives_of_its_ptx() {
        let ptx = directives(include_bytes!(
            "../../../../kernel-args-image/tests/data/clusters.ptx"
        ));
        let cubin = directives(include_bytes!(
            "../../../../kernel-args-image/tests/data/clusters.sm_90.cubin"
        ));
        for (symbol, declared) in &ptx {
            let recorded = cubin[symbol];
            assert_eq!(recorded.completed_by(*declared), *declared, "{symbol}");
            assert_eq!(recorded == Directives::default(), symbol == "plain");
        }
        assert_eq!(ptx.len(), 8);
        assert_eq!(cubin.len(), 8);
    }
}

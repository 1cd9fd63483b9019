use kernel_args_abi::compiled::{CompiledImage, CompiledKernel};

/// Some kernels, or variables, of a table, sorted by symbol. A `BTreeMap` would take much longer to
/// compile.
pub(super) struct BySymbol(Vec<CompiledKernel>);

impl BySymbol {
    pub(super) fn new(table: Option<&'static CompiledImage>, is_needed: fn(&CompiledKernel) -> bool) -> Self {
        let kernels = table.into_iter().flat_map(CompiledImage::kernels);
        let mut kernels: Vec<CompiledKernel> = kernels.filter(is_needed).collect();
        kernels.sort_unstable_by_key(CompiledKernel::symbol);
        Self(kernels)
    }

    pub(super) fn get(&self, symbol: &str) -> Option<&CompiledKernel> {
        let found = self.0.binary_search_by(|kernel| kernel.symbol().cmp(symbol));
        found.ok().map(|index| &self.0[index])
    }
}

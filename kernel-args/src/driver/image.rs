//! What an image says of its kernels, owned.

use super::geometry::Dim;
use kernel_args_abi::{
    Alignment, Class, CppType, Parameter, Sm,
    image::{Image, Kernel},
    mangled::Demangled,
};
use std::{
    string::{String, ToString},
    vec::Vec,
};

/// A kernel as its image describes it.
pub(super) struct Description {
    pub(super) symbol: String,
    /// `.reqntid`.
    pub(super) required_block: Option<Dim>,
    demangled: Option<Demangled>,
    parameters: Vec<Owned>,
}

/// A [`Parameter`] that owns its texts; the C++ type is in the kernel's name.
struct Owned {
    name: String,
    spelling: String,
    offset: Option<usize>,
    size: usize,
    align: Option<Alignment>,
    class: Class,
}

impl Description {
    fn new(kernel: &Kernel<'_>) -> Self {
        let by_entry = kernel
            .entry
            .as_ref()
            .and_then(|entry| entry.directives.required_threads);
        let by_record = kernel.records.and_then(|records| records.required_threads);
        Self {
            symbol: kernel.name.into(),
            required_block: by_entry.or(by_record).map(|[x, y, z]| Dim::new(x, y, z)),
            demangled: kernel.demangled.clone(),
            parameters: kernel
                .parameters()
                .into_iter()
                .map(|parameter| Owned {
                    name: parameter.name.into(),
                    spelling: parameter.spelling.into(),
                    offset: parameter.offset,
                    size: parameter.size,
                    align: parameter.align,
                    class: parameter.class,
                })
                .collect(),
        }
    }

    /// The parameters in the common model.
    pub(super) fn parameters(&self) -> Vec<Parameter<'_>> {
        let types = self
            .demangled
            .as_ref()
            .and_then(|name| name.types_of(self.parameters.len()));
        let mut types = types.into_iter().flatten();
        self.parameters
            .iter()
            .map(|parameter| Parameter {
                name: &parameter.name,
                spelling: &parameter.spelling,
                offset: parameter.offset,
                size: parameter.size,
                align: parameter.align,
                class: parameter.class,
                cpp: types.next().unwrap_or(CppType::UNKNOWN),
            })
            .collect()
    }

    /// The name as people write it.
    pub(super) fn spelled(&self) -> &str {
        self.demangled
            .as_ref()
            .map_or(&self.symbol, Demangled::text)
    }
}

/// The kernels of an image as they are for `sm`, or why it could not be read.
pub(super) fn describe(image: &[u8], sm: Option<Sm>) -> Result<Vec<Description>, String> {
    let image = Image::read(image).map_err(|error| error.to_string())?;
    let kernels = image.kernels().map_err(|error| error.to_string())?;
    let symbols = kernels.symbols();
    Ok(symbols
        .filter_map(|symbol| kernels.kernel(symbol, sm))
        .map(|kernel| Description::new(&kernel))
        .collect())
}

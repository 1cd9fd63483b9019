//! What an image says of its kernels, owned.

use super::geometry::Dim;
use kernel_args_abi::{Alignment, Class, Parameter, mangled::Demangled, ptx};
use std::{
    string::{String, ToString},
    vec::Vec,
};

/// A kernel as its image describes it.
#[derive(Debug)]
pub(super) struct Description {
    pub(super) symbol: String,
    /// `.reqntid`.
    pub(super) required_block: Option<Dim>,
    demangled: Option<Demangled>,
    parameters: Vec<Owned>,
}

/// A [`Parameter`] that owns its texts; the C++ type is in the kernel's name.
#[derive(Debug)]
struct Owned {
    name: String,
    spelling: String,
    offset: Option<usize>,
    size: usize,
    align: Option<Alignment>,
    class: Class,
}

impl Description {
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
                cpp: types.next().unwrap_or(kernel_args_abi::CppType::UNKNOWN),
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

/// The kernels of an image, or why it could not be read.
pub(super) fn describe(image: &[u8]) -> Result<Vec<Description>, String> {
    let module = ptx::Module::parse_bytes(image).map_err(|error| error.to_string())?;
    Ok(module
        .entries
        .iter()
        .map(|entry| Description {
            symbol: entry.name.into(),
            required_block: entry
                .directives
                .required_threads
                .map(|[x, y, z]| Dim::new(x, y, z)),
            demangled: entry.demangle(),
            parameters: entry
                .signature_parameters(None)
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
        })
        .collect())
}

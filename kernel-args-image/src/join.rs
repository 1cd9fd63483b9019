//! The parameters of a kernel out of what its sources contain.

use crate::mangled::Demangled;
use alloc::vec::Vec;
use kernel_args_abi::{Members, Parameter};

/// One list of parameters from PTX (`declared`), a cubin (`recorded`), the symbol and debug information (`described`).
///
/// Names, sizes, alignments and classes are PTX's where there is PTX, offsets the cubin's where it has parameters of the same
/// sizes, C++ types the symbol's. Debug information of the same parameters adds names, members and the other types.
#[must_use]
pub fn join_parameters<'p>(
    declared: Option<Vec<Parameter<'p>>>,
    recorded: Option<Vec<Parameter<'p>>>,
    demangled: Option<&'p Demangled>,
    debug_info: Members<'p>,
) -> Vec<Parameter<'p>> {
    let mut parameters = match (declared, recorded) {
        (Some(mut declared), Some(recorded)) => {
            if same_sizes(&declared, &recorded) {
                for (parameter, recorded) in declared.iter_mut().zip(recorded) {
                    parameter.offset = recorded.offset;
                }
            }
            declared
        }
        (declared, recorded) => declared.or(recorded).unwrap_or_default(),
    };
    add_types(&mut parameters, demangled);
    debug_info.complete(&mut parameters);
    parameters
}

/// Whether two lists have as many parameters, and of the same sizes.
#[must_use]
pub fn same_sizes(one: &[Parameter<'_>], other: &[Parameter<'_>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.size == b.size)
}

/// Adds the C++ types of the symbol. Where it lists another number of parameters it is not believed.
pub(crate) fn add_types<'p>(parameters: &mut [Parameter<'p>], demangled: Option<&'p Demangled>) {
    let types = demangled.and_then(|name| name.types_of(parameters.len()));
    for (parameter, ty) in parameters.iter_mut().zip(types.into_iter().flatten()) {
        parameter.cpp = ty;
    }
}

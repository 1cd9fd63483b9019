//! Joins the data of all sources into one list of a kernel's parameters.

use crate::mangled::Demangled;
use alloc::vec::Vec;
use kernel_args_abi::{Members, Parameter};

/// One list of parameters from PTX (`declared`), a cubin (`recorded`), the symbol and debug information.
///
/// Names, sizes, alignments and classes come from PTX if it exists. Offsets come from the cubin if its parameters have
/// the same sizes. C++ types come from the symbol, if it is one of C++: see [`Demangled::types_for`]. Debug information about
/// the same parameters adds names, members and missing types.
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
    if let Some(name) = demangled {
        name.add_types(&mut parameters);
    }
    debug_info.complete(&mut parameters);
    parameters
}

/// Whether two lists have the same number of parameters with the same sizes.
#[must_use]
pub fn same_sizes(one: &[Parameter<'_>], other: &[Parameter<'_>]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.size == b.size)
}

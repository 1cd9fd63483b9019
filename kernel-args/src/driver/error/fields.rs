//! The fields of the structs that kernels were verified for, by the kernel's symbol: a report of a fault names the
//! field.

use crate::lock::lock;
use kernel_args_abi::{Parameter, pointers::for_each_pointer};
use std::{collections::BTreeMap, sync::Mutex};

/// No parameters for a symbol of kernels with different structs.
static FIELDS: Mutex<BTreeMap<String, &'static [Parameter<'static>]>> = Mutex::new(BTreeMap::new());

/// Called when a function is verified, never by a launch of a verified one.
pub(crate) fn register_fields(kernel: &str, parameters: &'static [Parameter<'static>]) {
    let mut fields = lock(&FIELDS);
    match fields.get_mut(kernel) {
        Some(known) if known.iter().map(|one| one.name).eq(parameters.iter().map(|one| one.name)) => {}
        Some(known) => *known = &[],
        None => {
            fields.insert(kernel.into(), parameters);
        }
    }
}

/// Returns the name of the pointer or the field at a byte of a parameter, `lights[2].at`, and whether it is a pointer.
pub(super) fn field_name(kernel: &str, parameter: usize, at: usize) -> Option<(String, bool)> {
    let fields = lock(&FIELDS);
    let field = fields.get(kernel)?.get(parameter)?;
    let found = for_each_pointer(field, &vec![0; field.size], &mut |pointer| match pointer.offset {
        offset if offset == at => Err((pointer.path.to_string(), !pointer.is_integer)),
        _ => Ok(()),
    });
    Some(found.err().unwrap_or_else(|| (field.name.into(), false)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_of_one_symbol_with_other_structs_have_no_names() {
        const ONE: &[Parameter<'static>] = &[Parameter { name: "n", ..Parameter::record(0, 4) }];
        const OTHER: &[Parameter<'static>] = &[Parameter { name: "count", ..Parameter::record(0, 4) }];
        for (parameters, name) in [(ONE, Some("n")), (ONE, Some("n")), (OTHER, None), (OTHER, None), (ONE, None)] {
            register_fields("kernel", parameters);
            assert_eq!(field_name("kernel", 0, 0), name.map(|name| (name.into(), false)));
        }
        assert_eq!(field_name("unknown", 0, 0), None);
    }
}

//! The fields of the structs that kernels were verified for, by the kernel's symbol: a report of a fault names the field.

use kernel_args_abi::{Parameter, pointers::for_each_pointer};
use std::{
    collections::BTreeMap,
    string::{String, ToString},
    sync::{Mutex, PoisonError},
    vec,
};

/// No parameters for a symbol of kernels with different structs.
static FIELDS: Mutex<BTreeMap<String, &'static [Parameter<'static>]>> = Mutex::new(BTreeMap::new());

/// Called when a function is verified, never by a launch of a verified one.
pub(crate) fn register_fields(kernel: &str, parameters: &'static [Parameter<'static>]) {
    let mut fields = FIELDS.lock().unwrap_or_else(PoisonError::into_inner);
    match fields.get_mut(kernel) {
        Some(known) if known.iter().map(|one| one.name).eq(parameters.iter().map(|one| one.name)) => {}
        Some(known) => *known = &[],
        None => {
            fields.insert(kernel.into(), parameters);
        }
    }
}

/// The field, or its member, that is the pointer at a byte of a parameter.
pub(super) fn field_name(kernel: &str, parameter: usize, at: usize) -> Option<String> {
    let fields = FIELDS.lock().unwrap_or_else(PoisonError::into_inner);
    fields.get(kernel)?.get(parameter).map(|field| place(field, at))
}

/// The place of the pointer at a byte of a field: `lights[2].at`.
fn place(field: &Parameter<'_>, at: usize) -> String {
    let place = for_each_pointer(field, &vec![0; field.size], &mut |pointer| match pointer.offset {
        offset if offset == at => Err(pointer.path.to_string()),
        _ => Ok(()),
    });
    place.err().unwrap_or_else(|| field.name.into())
}

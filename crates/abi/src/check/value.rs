//! Whether one field fits one parameter, without the members of structs.

use super::{
    cpp,
    difference::{Difference, Differences},
    variants::first_variant,
};
use crate::{class::Class, signature::Parameter};

pub(super) const fn compare_values(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Differences {
    // By value, this is a struct around an array in C++. Their members are compared instead.
    let mut differences = if host.cpp.is_array() && !kernel.cpp.is_array() {
        cpp::compare_components(host, kernel)
    } else {
        cpp::compare(host, kernel)
    };
    if host.size != kernel.size {
        differences = differences.with(Difference::Size);
    }
    if !same_class(host, kernel) {
        differences = differences.with(Difference::Class);
    }
    if let (Some(h), Some(k)) = (host.align, kernel.align)
        && h.log2 != k.log2
    {
        differences = differences.with(Difference::Alignment);
    }
    if first_variant(host, kernel).is_some() {
        differences = differences.with(Difference::Variants);
    }
    differences
}

/// Returns whether a value of the field's class can be passed as the kernel's class.
pub(super) const fn same_class(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    match (host.class, kernel.class) {
        (Class::Unknown | Class::Bits, _) | (_, Class::Unknown | Class::Bits) | (Class::Pointer, Class::Integer) => {
            true
        }
        (Class::Integer, Class::Pointer) => cpp::is_address(host),
        (_, Class::Bytes) if is_bytes_only(kernel) => true,
        (Class::Integer, Class::Bytes) => kernel.size == 16 && is_aligned(kernel, 16) || cpp::is_scalar(kernel.cpp),
        (Class::Float, Class::Bytes) if kernel.size <= 2 => is_aligned(kernel, kernel.size),
        // A `__grid_constant__` scalar: PTX declares bytes, the kernel's name a scalar.
        (Class::Float | Class::Pointer, Class::Bytes) => cpp::is_scalar(kernel.cpp),
        (h, k) => h.same(k),
    }
}

/// Returns whether only size and alignment are known: `.align 8 .b8 p[8]`, and neither a symbol nor debug information
/// contains a type.
pub(crate) const fn is_bytes_only(kernel: &Parameter<'_>) -> bool {
    matches!(kernel.class, Class::Bytes) && kernel.cpp.is_unknown() && !kernel.members.is_described()
}

const fn is_aligned(parameter: &Parameter<'_>, bytes: usize) -> bool {
    some!(parameter.align, true).bytes() == bytes
}

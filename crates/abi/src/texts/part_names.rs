//! The names of parameters that come from one field: elements of a spread array, fields of a flattened struct.

use super::{
    rename::{rename_to, write_name},
    templates as say,
};
use crate::{
    bytes::find,
    check::{Pairing, is_made},
    message::Message,
    signature::Parameter,
};

pub type PartName = Message<128>;

const LONGEST: usize = 96;

/// `shape[2]`: the name of an element in messages.
pub const fn element(field: &str, index: usize) -> PartName {
    let mut name = PartName::new();
    name.writer().push_shortened(field, LONGEST);
    name.push("[");
    name.writer().push_number(index);
    name.push("]");
    name
}

/// `shape_2`: the kernel's name of an element.
pub const fn numbered(before: &str, index: usize, after: &str) -> PartName {
    let mut name = PartName::new();
    name.push(before);
    name.writer().push_number(index);
    name.push(after);
    name
}

/// `common.alpha`: the name of a field of a flattened struct in messages.
pub const fn nested(field: &str, inner: &str) -> PartName {
    let mut name = PartName::new();
    name.writer().push_shortened(field, LONGEST / 2);
    name.push(".");
    name.writer().push_shortened(inner, LONGEST / 2);
    name
}

pub(super) const fn is_part(name: &str) -> bool {
    is_element(name) || find(name.as_bytes(), b".").is_some()
}

const fn is_element(name: &str) -> bool {
    find(name.as_bytes(), b"[").is_some()
}

/// Returns the index of the parameter that is a whole array, which this element of a spread array is a part of.
pub(super) const fn whole_array(pairing: &Pairing<'_>, field: usize) -> Option<usize> {
    let Array { first, len } = some!(Array::of(pairing.host, field));
    let is_whole = len > 1
        && first < pairing.kernel.len()
        && pairing.kernel[first].size == len * pairing.host[field].size
        && pairing.host.len() + 1 == pairing.kernel.len() + len;
    if is_whole { Some(first) } else { None }
}

/// Returns how to give a field the name of its parameter: an attribute or, if `may_rename`, also another name.
pub(super) const fn write_field_name(
    host: &[Parameter<'_>],
    kernel: &[Parameter<'_>],
    (field, parameter): (usize, usize),
    may_rename: bool,
) -> Message<512> {
    let name = kernel[parameter].name;
    match Array::of(host, field) {
        Some(array) => array.write_names(kernel, field, parameter),
        None if may_rename => rename_to(name, "kernel_args"),
        None => write_name(name, "kernel_args"),
    }
}

#[derive(Clone, Copy)]
pub(super) struct Array {
    first: usize,
    len: usize,
}

impl Array {
    pub(super) const fn of(host: &[Parameter<'_>], field: usize) -> Option<Self> {
        if !is_element(host[field].name) {
            return None;
        }
        let mut first = field;
        while first > 0 && are_of_one_array(host[first - 1].name, host[field].name) {
            first -= 1;
        }
        let mut end = field + 1;
        while end < host.len() && are_of_one_array(host[end].name, host[field].name) {
            end += 1;
        }
        Some(Self { first, len: end - first })
    }

    /// Returns whether the array takes a parameter, if it takes `parameter` with `field`.
    pub(super) const fn takes(&self, other: usize, (field, parameter): (usize, usize)) -> bool {
        other + field >= parameter + self.first && other + field < parameter + self.first + self.len
    }

    const fn write_names(&self, kernel: &[Parameter<'_>], field: usize, parameter: usize) -> Message<512> {
        let mut list = Message::<320>::new();
        let mut i = 0;
        while i < self.len {
            let Some(at) = (parameter + self.first + i).checked_sub(field) else { break };
            if at >= kernel.len() || is_made(kernel[at].name) {
                break;
            }
            if i > 0 {
                list.push(", ");
            }
            say::quoted(&mut list, kernel[at].name);
            i += 1;
        }
        if i < self.len || list.is_truncated() { text!(name_elements, "n{}") } else { text!(list_names, &list) }
    }
}

const fn are_of_one_array(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        if a[i] == b'[' {
            return true;
        }
        i += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts() {
        assert_eq!(element("shape", 12).as_str(), "shape[12]");
        assert_eq!(numbered("shape_", 3, "").as_str(), "shape_3");
        assert_eq!(numbered("n", 0, "_max").as_str(), "n0_max");
        assert_eq!(nested("common", "shape[1]").as_str(), "common.shape[1]");
        for (name, part) in [("a", false), ("a_0", false), ("a[0]", true), ("a.b", true)] {
            assert_eq!(is_part(name), part, "{name}");
        }
    }

    #[test]
    fn the_kernels_names_of_elements_are_a_list() {
        let kernel = ["n", "nx", "ny"].map(|name| Parameter { name, ..Parameter::record(4, 2) });
        let array = Array { first: 1, len: 2 };
        let text = array.write_names(&kernel, 1, 1);
        assert_eq!(text.as_str(), "write the kernel's names on the array, `name = [\"nx\", \"ny\"]`");
        // The last element has no parameter.
        let text = array.write_names(&kernel[..2], 1, 1);
        assert!(text.as_str().ends_with("or a list, `name = [\"nx\", \"ny\"]`"), "{}", text.as_str());
    }

    #[test]
    fn long_names_keep_their_ends() {
        let long = ["x"; 200].concat();
        let text = element(&long, usize::MAX);
        assert!(!text.is_truncated() && text.as_str().ends_with(&std::format!("[{}]", usize::MAX)));
        assert!(!nested(&long, &long).is_truncated());
        assert!(numbered(&long, 0, "").is_truncated());
    }
}

//! Versions in namespaces: CUB, Thrust and libcu++ have a namespace for each version and list of GPUs.

use crate::kernel::Kernel;
use kernel_args_abi::{CppBase, CppType, Parameter};

/// `cub::_V_300400_SM_750_1200::scan` is `cub::scan`.
pub(super) fn unversioned(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    let mut rest = name;
    while let Some((before, after)) = rest.split_once("::") {
        let start = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        text += if is_version(&before[start..]) { &before[..start] } else { &rest[..before.len() + 2] };
        rest = after;
    }
    text + rest
}

/// `_V_300400_SM_800`, `CUB_200302_800_NS`, `CUB_300001_SM_900`, `THRUST_200302_800_NS`, `__4`.
fn is_version(name: &str) -> bool {
    let has_number =
        |prefix| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    has_number("_V_")
        || (has_number("CUB_") || has_number("THRUST_")) && (name.ends_with("_NS") || name.contains("_SM_"))
        || has_number("__") && name[2..].chars().all(|c| c.is_ascii_digit())
}

pub(super) fn types(kernel: &Kernel) -> Vec<String> {
    let parameters = kernel.parameters.parameters();
    let name = |parameter: &Parameter<'_>| match parameter.cpp.base {
        CppBase::Named(name) => unversioned(name),
        _ => String::new(),
    };
    parameters.iter().map(name).collect()
}

/// With the names that [`types`] returned.
pub(super) fn parameters<'k>(kernel: &'k Kernel, types: &'k [String]) -> Vec<Parameter<'k>> {
    let mut parameters = kernel.parameters();
    for (parameter, name) in parameters.iter_mut().zip(types) {
        if !name.is_empty() {
            let base = CppBase::Named(name);
            parameter.cpp = CppType { base, ..parameter.cpp };
        }
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::unversioned;

    #[test]
    fn only_versions_are_removed() {
        for (name, expected) in [
            ("cub::_V_300400_SM_750_1200::scan<int>", "cub::scan<int>"),
            ("a::CUB_200302_800_NS::b", "a::b"),
            ("cub::CUB_300001_SM_750_900::scan<int>", "cub::scan<int>"),
            ("THRUST_200302_800_NS::x<cuda::std::__4::y>*", "x<cuda::std::y>*"),
            ("_V_1::f(_V_1::T, int)", "f(T, int)"),
        ] {
            assert_eq!(unversioned(name), expected);
        }
        for name in ["", "_V_1", "_Vector::f", "CUB_NS::f", "CUB_12::f", "__x4::f", "__::f", "größe::f", "operator::"]
        {
            assert_eq!(unversioned(name), name);
        }
    }
}

//! The data about kernels in one PTX text or cubin, without the bytes of the image.

use crate::{limits::Limits, place::Kind};
use kernel_args_abi::{Parameter, Sm, check::is_made};
use kernel_args_image::{Error, Kernel, Kernels, ParameterList, cubin::Resources};

/// The data about one kernel in a PTX text or cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Observation {
    pub(super) kind: Kind,
    /// The parameters in the form of the PTX declaration or the cubin.
    pub(super) parameters: ParameterList,
    pub(super) limits: Limits,
    /// The parameters from debug information.
    pub(super) described: Option<ParameterList>,
}

/// The data of a PTX text or cubin.
pub(super) struct Observed {
    pub(super) sm: Option<Sm>,
    pub(super) kernels: Vec<(String, Observation, Option<Resources>)>,
    /// Why debug information cannot be read.
    pub(super) debug_errors: Vec<String>,
}

pub(super) fn observe(kind: Kind, bytes: &[u8]) -> Result<Observed, Error> {
    let kernels = match kind {
        Kind::Ptx => Kernels::of_ptx(bytes)?,
        Kind::Cubin => Kernels::of_cubin(bytes)?,
    };
    let observed = |kernel: Kernel<'_>| {
        let observation = Observation {
            kind,
            parameters: listed(&kernel),
            limits: Limits::of(&kernel),
            described: (kernel.debug_info.is_known())
                .then(|| ParameterList::of_members(kernel.debug_info)),
        };
        let resources = kernel.records.map(|records| records.resources);
        (kernel.name.to_owned(), observation, resources)
    };
    Ok(Observed {
        sm: kernels.generations().next().flatten(),
        // Each symbol is demangled once for all images.
        kernels: kernels.undemangled().map(observed).collect(),
        debug_errors: kernels.debug_errors().map(ToString::to_string).collect(),
    })
}

/// The parameters without compiler-generated names such as `saxpy_param_2`.
fn listed(kernel: &Kernel<'_>) -> ParameterList {
    let parameters = kernel.parameters_without_debug_info();
    let spellings: Vec<String> = parameters.iter().map(spelling).collect();
    let listed = parameters.iter().zip(&spellings);
    let listed = listed.map(|(parameter, spelling)| Parameter {
        name: if is_made(parameter.name) {
            ""
        } else {
            parameter.name
        },
        spelling,
        ..*parameter
    });
    ParameterList::new(&listed.collect::<Vec<_>>())
}

/// The PTX declaration without the name: `.align 4 .b8[12]`.
fn spelling(parameter: &Parameter<'_>) -> String {
    let declaration = parameter.spelling;
    let declaration = declaration.strip_prefix(".param ").unwrap_or(declaration);
    match declaration.rsplit_once(parameter.name) {
        Some((before, length)) => format!("{}{length}", before.trim_end()),
        None => declaration.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_listed_without_its_name() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(\n.param .u64 .ptr .global .align 4 \
                    k_param_0, .param .align 8 .b8 k_param_1[16], .param .f32 alpha){ret;}";
        let observed = observe(Kind::Ptx, text.as_bytes()).unwrap();
        let [(name, observation, None)] = &observed.kernels[..] else {
            panic!("{:?}", observed.kernels);
        };
        let parameters = observation.parameters.parameters();
        let seen: Vec<_> = parameters.iter().map(|p| (p.name, p.spelling)).collect();
        let expected = [
            ("", ".u64 .ptr .global .align 4"),
            ("", ".align 8 .b8[16]"),
            ("alpha", ".f32"),
        ];
        assert_eq!((name.as_str(), observed.sm), ("k", Some(Sm(90))));
        assert_eq!(seen, expected);
    }
}

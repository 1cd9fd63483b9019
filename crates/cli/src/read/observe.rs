//! The data about kernels in one PTX text or cubin, without the bytes of the image.

use super::Wanted;
use crate::{global::Global, limits::Limits, place::Kind};
use kernel_args_abi::{
    Body, Parameter, Sm,
    check::is_made,
    signature::{Evidence, Slot},
};
use kernel_args_image::{Error, Image, Kernel, Kernels, ParameterList, cubin::Resources};

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
    pub(super) kernels: Vec<ObservedKernel>,
    pub(super) globals: Vec<Global>,
    /// Why debug information cannot be read.
    pub(super) debug_errors: Vec<String>,
}

/// A kernel of a PTX text or cubin.
pub(super) struct ObservedKernel {
    pub(super) symbol: String,
    pub(super) observation: Observation,
    pub(super) resources: Option<Resources>,
    /// What the code in PTX does with the parameters, if it was analysed. Not part of the observation: kernels with
    /// the same parameters can have different code.
    pub(super) bodies: Option<ParameterList>,
}

/// Analyses the code of the kernels that `wanted` accepts.
pub(super) fn observe(kind: Kind, bytes: &[u8], wanted: &Wanted<'_>) -> Result<Observed, Error> {
    let kernels = match kind {
        Kind::Ptx => {
            let mut kernels = Kernels::of_ptx(bytes)?;
            if kernels.symbols().any(wanted) {
                // A text that cannot be analysed has kernels, too.
                let image = Image::read(bytes);
                _ = image.and_then(|image| image.add_bodies(&mut kernels, wanted));
            }
            kernels
        }
        Kind::Cubin => Kernels::of_cubin(bytes)?,
    };
    let observed = |kernel: Kernel<'_>| {
        let observation = Observation {
            kind,
            parameters: listed(&kernel),
            limits: Limits::of(&kernel),
            described: (kernel.debug_info.is_known()).then(|| ParameterList::of_members(kernel.debug_info)),
        };
        ObservedKernel {
            symbol: kernel.name.to_owned(),
            observation,
            resources: kernel.records.map(|records| records.resources),
            bodies: (!kernel.bodies.is_empty()).then(|| bodies(&kernel.bodies)),
        }
    };
    Ok(Observed {
        sm: kernels.generations().next().flatten(),
        // Each symbol is demangled once for all images.
        kernels: kernels.undemangled().map(observed).collect(),
        globals: {
            let symbols = kernels.variable_symbols();
            let of = |symbol| Global::of(&kernels.variable(symbol, None)?);
            symbols.filter_map(of).collect()
        },
        debug_errors: kernels.debug_errors().map(ToString::to_string).collect(),
    })
}

/// The longest name of a source file that is kept. A hostile text has one name for many kernels.
const FILE_NAME: usize = 256;

/// A list of parameters with bodies only.
fn bodies(bodies: &[Body<'_>]) -> ParameterList {
    fn short(evidence: Evidence<'_>) -> Evidence<'_> {
        let is_short = evidence.file.len() <= FILE_NAME;
        let file = if is_short { evidence.file } else { "" };
        Evidence { file, ..evidence }
    }
    fn slots<'b>(body: &Body<'b>) -> Vec<Slot<'b>> {
        let short = |slot: Slot<'b>| Slot {
            access: slot.access.map(short),
            write: slot.write.map(short),
            arithmetic: slot.arithmetic.map(short),
            indirect: slot.indirect.map(short),
            ..slot
        };
        body.slots().map(short).collect()
    }
    let slots: Vec<_> = bodies.iter().map(slots).collect();
    let listed = bodies.iter().zip(&slots).map(|(body, slots)| Parameter {
        body: if body.is_known() { Body::of(slots) } else { Body::UNKNOWN },
        ..Parameter::record(0, 0)
    });
    ParameterList::new(&listed.collect::<Vec<_>>())
}

/// The parameters without compiler-generated names such as `saxpy_param_2`.
fn listed(kernel: &Kernel<'_>) -> ParameterList {
    let parameters = kernel.parameters_without_debug_info();
    let spellings: Vec<String> = parameters.iter().map(spelling).collect();
    let listed = parameters.iter().zip(&spellings);
    let listed = listed.map(|(parameter, spelling)| Parameter {
        name: if is_made(parameter.name) { "" } else { parameter.name },
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
    fn only_wanted_kernels_are_analysed() {
        let kernel =
            |name: &str| format!(".visible .entry {name}(.param .u32 n)\n{{\nld.param.u32 %r1, [n];\nret;\n}}\n");
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n{}{}", kernel("a"), kernel("b"));
        let observed = observe(Kind::Ptx, text.as_bytes(), &|symbol| symbol == "b").unwrap();
        let analysed: Vec<_> =
            (observed.kernels.iter()).map(|kernel| (kernel.symbol.as_str(), kernel.bodies.is_some())).collect();
        assert_eq!(analysed, [("a", false), ("b", true)]);
    }

    #[test]
    fn a_declaration_is_listed_without_its_name() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(\n.param .u64 .ptr .global .align 4 \
                    k_param_0, .param .align 8 .b8 k_param_1[16], .param .f32 alpha){ret;}";
        let observed = observe(Kind::Ptx, text.as_bytes(), &|_| false).unwrap();
        let [ObservedKernel { symbol, observation, resources: None, bodies: None }] = &observed.kernels[..] else {
            panic!("one kernel");
        };
        let parameters = observation.parameters.parameters();
        let seen: Vec<_> = parameters.iter().map(|p| (p.name, p.spelling)).collect();
        let expected = [("", ".u64 .ptr .global .align 4"), ("", ".align 8 .b8[16]"), ("alpha", ".f32")];
        assert_eq!((symbol.as_str(), observed.sm), ("k", Some(Sm(90))));
        assert_eq!(seen, expected);
    }
}

//! What one PTX text or cubin says of its kernels, without its bytes.

use crate::kernel::Limits;
use kernel_args_abi::{Alignment, Class, Parameter, Sm};
use kernel_args_image::{self as image, ParameterList, cubin, dwarf::DebugInfo, ptx};

/// What a PTX text or cubin says of one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Observation {
    pub(crate) about: About,
    pub(crate) limits: Limits,
    /// What debug information says of the parameters.
    pub(crate) told: Option<ParameterList>,
}

/// The parameters of a kernel, as PTX or a cubin has them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum About {
    Text(Vec<Declared>),
    Cubin(Vec<Recorded>),
}

/// A parameter as PTX declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Declared {
    /// Empty where the compiler numbered it.
    pub(crate) name: Box<str>,
    /// Without its name: `.align 4 .b8[12]`.
    pub(crate) declaration: Box<str>,
    pub(crate) size: usize,
    pub(crate) align: Alignment,
    pub(crate) class: Class,
}

/// A parameter as a cubin records it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Recorded {
    pub(crate) offset: usize,
    pub(crate) size: usize,
    pub(crate) class: Class,
}

/// What the GPU makes of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Resources {
    /// Of a thread.
    pub(crate) registers: Option<u32>,
    /// Of a block, in bytes.
    pub(crate) static_shared: Option<u64>,
}

/// What is read of a PTX text or cubin.
pub(crate) struct Observed {
    pub(crate) sm: Option<Sm>,
    pub(crate) kernels: Vec<(String, Observation, Resources)>,
    /// Why debug information is not read.
    pub(crate) debug_errors: Vec<String>,
}

/// Reads a PTX text.
pub(crate) fn ptx(bytes: &[u8]) -> Result<Observed, image::Error> {
    let module = ptx::Module::parse_bytes(bytes).map_err(image::Error::Ptx)?;
    let symbols = module.entries.iter().map(|entry| entry.name);
    let debug = Debug::new(DebugInfo::of_ptx(bytes, symbols));
    let kernel = |entry: &ptx::Entry<'_>| {
        let parameters = entry.parameters.iter().map(declared).collect();
        let observation = Observation {
            about: About::Text(parameters),
            limits: Limits::of_entry(entry),
            told: debug.told(entry.name),
        };
        (entry.name.to_owned(), observation, Resources::default())
    };
    Ok(Observed {
        sm: module.target.sm,
        kernels: module.entries.iter().map(kernel).collect(),
        debug_errors: debug.errors,
    })
}

/// Reads a cubin.
pub(crate) fn cubin(bytes: &[u8]) -> Result<Observed, image::Error> {
    let cubin = cubin::parse(bytes).map_err(image::Error::Cubin)?;
    let symbols = cubin.kernels.iter().map(|kernel| &*kernel.name);
    let debug = Debug::new(DebugInfo::of_cubin(bytes, symbols));
    let kernel = |kernel: &cubin::Kernel<'_>| {
        // The class is what the records alone tell.
        let parameters = kernel.signature_parameters(None);
        let observation = Observation {
            about: About::Cubin(parameters.iter().map(recorded).collect()),
            limits: Limits::of_cubin(kernel),
            told: debug.told(&kernel.name),
        };
        let resources = Resources {
            registers: kernel.registers,
            static_shared: Some(kernel.static_shared),
        };
        (kernel.name.clone().into_owned(), observation, resources)
    };
    Ok(Observed {
        sm: Some(cubin.sm),
        kernels: cubin.kernels.iter().map(kernel).collect(),
        debug_errors: debug.errors,
    })
}

struct Debug {
    info: DebugInfo,
    errors: Vec<String>,
}

impl Debug {
    fn new(read: Result<DebugInfo, kernel_args_image::dwarf::Error>) -> Self {
        match read {
            Ok(info) => Self {
                errors: info.errors().iter().map(ToString::to_string).collect(),
                info,
            },
            Err(error) => Self {
                info: DebugInfo::default(),
                errors: vec![error.to_string()],
            },
        }
    }

    fn told(&self, symbol: &str) -> Option<ParameterList> {
        let told: Vec<Parameter<'_>> = self.info.parameters(symbol)?.iter().collect();
        Some(ParameterList::new(&told))
    }
}

fn recorded(parameter: &Parameter<'_>) -> Recorded {
    Recorded {
        offset: parameter.offset.unwrap_or(0),
        size: parameter.size,
        class: parameter.class,
    }
}

fn declared(parameter: &ptx::Parameter<'_>) -> Declared {
    let declaration = parameter.declaration.as_ref();
    let declaration = declaration.strip_prefix(".param ").unwrap_or(declaration);
    let declaration = match declaration.rfind(parameter.name) {
        Some(at) => {
            let (before, rest) = declaration.split_at(at);
            let length = &rest[parameter.name.len()..];
            format!("{}{length}", before.trim_end())
        }
        None => declaration.to_owned(),
    };
    let name = if is_numbered(parameter.name) {
        ""
    } else {
        parameter.name
    };
    Declared {
        name: name.into(),
        declaration: declaration.into(),
        size: parameter.layout.size(),
        align: parameter.layout.align(),
        class: parameter.class,
    }
}

/// Whether a name is one that the compiler made: `saxpy_param_2`.
fn is_numbered(name: &str) -> bool {
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    digits.len() < name.len() && digits.ends_with("_param_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_stands_without_its_name() {
        let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(\n.param .u64 .ptr .global .align 4 \
                    k_param_0, .param .align 8 .b8 k_param_1[16], .param .f32 alpha){ret;}";
        let observed = ptx(text.as_bytes()).unwrap();
        let [
            (
                name,
                Observation {
                    about: About::Text(declared),
                    ..
                },
                _,
            ),
        ] = &observed.kernels[..]
        else {
            panic!("{:?}", observed.kernels);
        };
        let seen: Vec<_> = declared
            .iter()
            .map(|d| (&*d.name, &*d.declaration))
            .collect();
        let expected = [
            ("", ".u64 .ptr .global .align 4"),
            ("", ".align 8 .b8[16]"),
            ("alpha", ".f32"),
        ];
        assert_eq!((name.as_str(), observed.sm), ("k", Some(Sm(90))));
        assert_eq!(seen, expected);
    }
}

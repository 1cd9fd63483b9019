//! The kernels of a program's images, and the arguments of a launch.

use super::protocol::{Passed, Values, hex};
use crate::{error::Error, kernel::Kernel, read, show::types::spelling, style::joined};
use kernel_args_abi::{Class, Parameter, Value};
use kernel_args_image::{ParameterList, fatbin, mangled::Demangled};
use kernel_args_nvrtc::open_to_read;
use std::{collections::HashMap, path::Path};

#[derive(Default)]
pub(crate) struct Images {
    /// Several images can have a kernel of the same name.
    kernels: HashMap<String, Vec<Kernel>>,
    names: HashMap<String, Option<Demangled>>,
    size: usize,
}

/// In bytes, with what is kept about each kernel.
const NAMES: usize = 32 << 20;

#[derive(Default)]
pub(crate) struct Found<'k> {
    /// With the parameters that the driver records; of several, or if these are not known, the first.
    pub(crate) kernel: Option<&'k Kernel>,
    pub(super) parameters: Vec<Parameter<'k>>,
    /// A kernel of this name with other parameters, if none has these.
    pub(crate) different: Option<&'k Kernel>,
}

impl Images {
    /// Returns why the file cannot be read.
    pub(crate) fn add(&mut self, path: &Path) -> Option<Error> {
        let name = path.to_string_lossy();
        let file = match open_to_read(path, fatbin::MEMBER_LIMIT) {
            Ok(file) => file,
            Err(error) => return Some(Error::new(name, error)),
        };
        let mut files = read::read_open(&name, file, &|_| false);
        for kernel in files.kernels {
            let known = self.kernels.entry(kernel.symbol.clone()).or_default();
            if !known.iter().any(|known| known.is_same(&kernel)) {
                known.push(kernel);
            }
        }
        files.errors.pop()
    }

    /// Returns `false` if there is no memory for another name: nothing must be kept about its kernel then.
    #[must_use]
    pub(crate) fn name(&mut self, symbol: &str) -> bool {
        /// For the entries of tables.
        const EACH: usize = 512;
        if self.names.contains_key(symbol) {
            return true;
        }
        let demangled = Demangled::new(symbol);
        let text = demangled.as_ref().map_or(0, |name| name.text().len());
        let size = self.size.saturating_add(EACH + symbol.len() + text);
        if size > NAMES {
            return false;
        }
        self.size = size;
        self.names.insert(symbol.to_owned(), demangled);
        true
    }

    /// Returns the C++ name, or the symbol.
    pub(crate) fn known_name<'s>(&'s self, symbol: &'s str, demangle: bool) -> &'s str {
        match self.names.get(symbol) {
            Some(Some(name)) if demangle => name.text(),
            _ => symbol,
        }
    }

    pub(crate) fn find(&self, symbol: &str, values: &Values) -> Found<'_> {
        let named = self.kernels.get(symbol);
        let each = named.into_iter().flatten().map(|kernel| (kernel, kernel.parameters()));
        let fits = each.filter(|(_, parameters)| values.as_ref().is_none_or(|values| agrees(parameters, values)));
        // A cubin contains no kinds of numbers: PTX for another GPU does.
        let is_unknown = |known: &&Parameter<'_>| known.class == Class::Unknown && known.cpp.is_unknown();
        match fits.min_by_key(|(_, parameters)| parameters.iter().filter(is_unknown).count()) {
            Some((kernel, parameters)) => Found { kernel: Some(kernel), parameters, different: None },
            None => Found { different: named.and_then(|named| named.first()), ..Found::default() },
        }
    }
}

fn agrees(parameters: &[Parameter<'_>], values: &[Passed]) -> bool {
    let same = |(parameter, passed): (&Parameter<'_>, &Passed)| {
        parameter.offset == Some(passed.offset) && parameter.size == passed.bytes.len()
    };
    parameters.len() == values.len() && parameters.iter().zip(values).all(same)
}

pub(crate) struct Argument<'a> {
    /// Empty if it is not known: see [`Argument::shown_name`].
    pub(crate) name: String,
    /// The C++ type; empty if it is not known.
    pub(crate) ty: String,
    pub(crate) value: String,
    pub(crate) passed: &'a Passed,
}

impl Argument<'_> {
    pub(crate) fn shown_name(&self, index: usize) -> String {
        if self.name.is_empty() { format!("parameter {index}") } else { self.name.clone() }
    }
}

impl Found<'_> {
    pub(crate) fn arguments<'a>(&self, values: &'a Values) -> Vec<Argument<'a>> {
        let described = self.kernel.and_then(|kernel| kernel.described.as_ref());
        let described = described.map(ParameterList::parameters).unwrap_or_default();
        let argument = |(index, passed): (usize, &'a Passed)| {
            let record = Parameter::record(passed.offset, passed.bytes.len());
            let parameter = self.parameters.get(index).unwrap_or(&record);
            Argument {
                name: described.get(index).map_or("", |known| known.name).to_owned(),
                ty: if parameter.cpp.is_unknown() { String::new() } else { spelling(parameter) },
                value: value(parameter, &passed.bytes),
                passed,
            }
        };
        let each = values.iter().flatten().enumerate();
        each.map(argument).collect()
    }
}

/// An unknown type is a small number of up to 4 bytes in decimal, any other number in hexadecimal, and a longer
/// value its first bytes.
fn value(parameter: &Parameter<'_>, bytes: &[u8]) -> String {
    const SHOWN: usize = 16;
    /// Above it, four bytes can be a `float`, whose smallest usual values begin here.
    const SMALL: u64 = 1 << 24;
    // An integer of PTX can be an address, or a number with a sign: the C++ type decides.
    let class = if parameter.class == Class::Integer { Class::Unknown } else { parameter.class };
    match Value::of(&Parameter { class, ..*parameter }, bytes) {
        Value::Bytes(bytes) if bytes.len() <= 8 => {
            let number = bytes.iter().rev().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
            match (number, bytes.len()) {
                (number, ..=4) if number < SMALL => number.to_string(),
                (0, _) => String::from("0"),
                (number, _) => format!("{number:#x}"),
            }
        }
        Value::Bytes(bytes) => {
            let groups = joined(bytes[..bytes.len().min(SHOWN)].chunks(4).map(hex), " ");
            let rest = match bytes.len() {
                ..=SHOWN => String::new(),
                length => format!(" … {length} bytes"),
            };
            format!("{{{groups}{rest}}}")
        }
        known => known.to_string(),
    }
}

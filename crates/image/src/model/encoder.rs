//! Writes the table of a [`CompiledImage`](kernel_args_abi::compiled::CompiledImage).

use crate::prelude::*;
use crate::{
    mangled::Demangled,
    model::kernel::{Kernel, Variable},
    table::{
        Copies,
        types::TypeWriter,
        writer::{Writer, flag},
    },
};
use kernel_args_abi::{
    Parameter,
    check::is_made,
    compiled::{
        RECORD,
        decode::{BODY, DEBUG_INFO, NAMED, VARIES},
        fingerprint, record,
    },
    signature::reader::PLACE,
};

/// The position of a kernel's declaration in the embedded image.
#[derive(Clone, Copy, Debug)]
pub struct Declaration<'d> {
    /// The offset from the beginning of the image, in bytes.
    pub at: usize,
    /// A text that borrows from it is stored as a position, not copied into the table.
    pub text: &'d [u8],
}

/// Builds a table, one kernel at a time. A struct of several kernels is in the table once.
#[derive(Clone, Debug, Default)]
pub struct Encoder<'k> {
    offsets: Vec<usize>,
    kernels: Vec<u8>,
    names: String,
    types: TypeWriter,
    copies: Copies<'k>,
    lists: Vec<u8>,
    /// The position of each list of parameters, by everything that a comparison reads.
    known_lists: BTreeMap<Vec<u8>, usize>,
    /// The record of each parameter, by the same.
    known_records: Map<Vec<u8>, [u8; RECORD]>,
}

impl<'k> Encoder<'k> {
    /// Creates an empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a kernel. Without a `declaration`, all texts are copied into the table. `varies` means that its
    /// parameters differ between GPUs. Adds debug information if it matches the parameters.
    pub fn push(&mut self, kernel: &Kernel<'k>, declaration: Option<Declaration<'_>>, varies: bool) {
        self.push_list(kernel, declaration, varies, false);
    }

    /// Appends a variable as a list with one parameter, a struct with the variable as its only member. `varies` means
    /// that its size differs between GPUs.
    pub fn push_variable(&mut self, variable: &Variable<'k>, varies: bool) {
        self.push_list(variable.as_list(), None, varies, true);
    }

    fn push_list(
        &mut self,
        kernel: &Kernel<'k>,
        declaration: Option<Declaration<'_>>,
        varies: bool,
        is_variable: bool,
    ) {
        self.offsets.push(self.kernels.len());
        let is_launcher = kernel.entry.is_none() && kernel.records.is_none() && !is_variable;
        let mut parameters =
            if is_launcher { kernel.debug_info.iter().collect() } else { kernel.parameters_without_debug_info() };
        let mut completed = parameters.clone();
        let has_debug_info = kernel.debug_info.complete(&mut completed);
        if !is_variable {
            parameters = completed;
        }
        let mut writer =
            Writer { bytes: &mut self.kernels, declaration: declaration.map_or(&[], |place| place.text), name: &[] };
        let name = kernel.demangled.as_ref().map_or(kernel.name, Demangled::text);
        let symbol = if name == kernel.name { "" } else { kernel.name };
        writer.bytes.extend(narrow(self.names.len()).to_le_bytes());
        writer.short(name.len());
        writer.short(symbol.len());
        self.names.push_str(name);
        self.names.push_str(symbol);
        writer.name = name.as_bytes();
        for part in parts(kernel) {
            writer.short(part);
        }
        let named = parameters.iter().any(|parameter| !is_made(parameter.name));
        let has_body = parameters.iter().any(|parameter| parameter.body.is_known());
        let flags = flag(VARIES, varies) | flag(NAMED, named) | flag(DEBUG_INFO, has_debug_info) | flag(BODY, has_body);
        writer.bytes.push(flags);
        writer.number(writer.declaration.len());
        if let Some(place) = declaration
            && !place.text.is_empty()
        {
            writer.number(place.at);
            // Truncated for a 32-bit `usize`.
            writer.number(fingerprint(place.text) as u32 as usize);
        }
        let mut types = Vec::new();
        let (mut keys, mut list) = (Vec::new(), Vec::new());
        let mut types_writer = Writer { bytes: &mut types, ..writer };
        for (index, parameter) in parameters.iter().enumerate() {
            let mut key = Vec::new();
            Writer::new(&mut key).ty(parameter, None);
            types_writer.ty(parameter, None);
            let start = types_writer.bytes.len();
            if has_debug_info && let Some(debug) = kernel.debug_info.get(index) {
                let debug = if debug.contradicts(parameter) { Parameter::record(0, 0) } else { debug };
                let types = &mut self.types;
                types_writer.number(if is_variable {
                    self.copies.members(types, kernel.debug_info)
                } else if parameter.cpp.is_pointer() {
                    self.copies.pointee(types, debug.pointee)
                } else {
                    self.copies.members(types, debug.members)
                });
            }
            key.extend(&types_writer.bytes[start..]);
            if has_body {
                types_writer.number(self.types.body(parameter.body));
                Writer::new(&mut key).facts(parameter.body);
            }
            keys.push(key);
        }
        Writer::new(&mut list).number(parameters.len());
        for index in 0..parameters.len() {
            // An offset is compared with the end of the previous parameter.
            let key = keys[index.saturating_sub(1)..=index].concat();
            let known = self.known_records.get(&key).copied();
            let record = known.unwrap_or_else(|| record(&parameters, index));
            list.extend(record);
            if known.is_none() {
                self.known_records.insert(key, record);
            }
        }
        let mut key = [&[flags][..], &list, &keys.concat()].concat();
        for parameter in parameters.iter().filter(|_| named) {
            Writer::new(&mut key).text(parameter.name);
        }
        let (lists, length) = (&mut self.lists, list.len());
        let place = *self.known_lists.entry(key).or_insert_with(|| {
            lists.extend(list);
            lists.len() - length
        });
        writer.number(place);
        writer.number(types.len());
        writer.bytes.extend(types);
        for parameter in &parameters {
            writer.text(parameter.name);
            writer.text(parameter.spelling);
        }
    }

    /// Returns the table, and the names of all kernels as one text.
    #[must_use]
    pub fn finish(self) -> (Vec<u8>, String) {
        let first = PLACE * (2 + self.offsets.len()) + self.lists.len();
        let mut table = Vec::with_capacity(first + self.kernels.len());
        let places = self.offsets.iter().map(|offset| first + offset);
        let places = core::iter::once(self.offsets.len()).chain(places).chain([first + self.kernels.len()]);
        for place in places {
            table.extend(narrow(place).to_le_bytes());
        }
        table.extend(self.lists);
        table.extend(self.kernels);
        table.extend(self.types.finish(self.copies.places()));
        (table, self.names)
    }
}

/// Returns the starts of the qualified and of the unqualified name, the end of both, and the end of the template
/// arguments.
fn parts(kernel: &Kernel<'_>) -> [usize; 4] {
    let Some(demangled) = &kernel.demangled else {
        return [0, 0, kernel.name.len(), kernel.name.len()];
    };
    let spelled = demangled.spelled();
    let unqualified = demangled.name().rfind("::").map_or(0, |at| at + 2);
    let name = &spelled.name;
    [name.start, name.start + unqualified, name.end, spelled.instance_end()]
}

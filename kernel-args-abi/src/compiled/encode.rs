//! Makes the table of a [`CompiledImage`](super::CompiledImage). Its format is told in `reader` and `members`.

use super::{
    decode::{CLASSES, NAMED, TOLD, VARIES},
    fingerprint::fingerprint,
    members::Structs,
    reader::{IN_DECLARATION, INLINE, PLACE, base},
};
use crate::{
    check::names,
    cpp::{CppBase, mangled::Demangled},
    image::Kernel,
    layout::Alignment,
    signature::Parameter,
};
use alloc::{string::String, vec::Vec};

/// Where a kernel's declaration stands in the image as it is embedded.
#[derive(Clone, Copy, Debug)]
pub struct Place<'d> {
    /// From the beginning of the image.
    pub at: usize,
    /// The declaration. Texts that lie in it in memory are not written into the table.
    pub text: &'d [u8],
}

/// Makes a table, kernel by kernel.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    offsets: Vec<usize>,
    kernels: Vec<u8>,
    names: String,
    structs: Structs,
}

impl Encoder {
    /// A table of no kernels.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a kernel. Without a `declaration` all texts are written into the table. `varies` says that its parameters are
    /// others on other GPUs. What debug information tells of its parameters goes in, if it tells of the same ones.
    pub fn push(&mut self, kernel: &Kernel<'_>, declaration: Option<Place<'_>>, varies: bool) {
        self.offsets.push(self.kernels.len());
        let mut parameters = kernel.told_by_image();
        let told = kernel.described.complete(&mut parameters);
        let mut writer = Writer {
            bytes: &mut self.kernels,
            declaration: declaration.map_or(&[], |place| place.text),
            name: &[],
        };
        let name = kernel
            .demangled
            .as_ref()
            .map_or(kernel.name, Demangled::text);
        let symbol = if name == kernel.name { "" } else { kernel.name };
        let place = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        writer.bytes.extend(place.to_le_bytes());
        writer.short(name.len());
        writer.short(symbol.len());
        self.names.push_str(name);
        self.names.push_str(symbol);
        writer.name = name.as_bytes();
        for part in parts(kernel) {
            writer.short(part);
        }
        let named = parameters
            .iter()
            .any(|parameter| !names::is_made(parameter.name));
        let flag = |flag, is_set: bool| if is_set { flag } else { 0 };
        let flags = flag(VARIES, varies) | flag(NAMED, named) | flag(TOLD, told);
        writer.bytes.push(flags);
        writer.number(writer.declaration.len());
        if let Some(place) = declaration
            && !place.text.is_empty()
        {
            writer.number(place.at);
            writer.number(print(place.text));
        }
        writer.number(parameters.len());
        let mut types = Vec::new();
        let mut types_writer = Writer {
            bytes: &mut types,
            ..writer
        };
        for parameter in &parameters {
            types_writer.ty(parameter);
            if told {
                types_writer.number(self.structs.number(parameter.members));
            }
        }
        writer.number(types.len());
        writer.bytes.extend(types);
        for parameter in &parameters {
            writer.text(parameter.name);
            writer.text(parameter.spelling);
        }
    }

    /// The table, and the names of all kernels as one text.
    #[must_use]
    pub fn finish(self) -> (Vec<u8>, String) {
        let first = PLACE * (2 + self.offsets.len());
        let mut table = Vec::with_capacity(first + self.kernels.len());
        let places = self.offsets.iter().map(|offset| first + offset);
        let places = core::iter::once(self.offsets.len())
            .chain(places)
            .chain([first + self.kernels.len()]);
        for place in places {
            table.extend(u32::try_from(place).unwrap_or(u32::MAX).to_le_bytes());
        }
        table.extend(self.kernels);
        table.extend(self.structs.bytes);
        (table, self.names)
    }
}

/// Where the qualified name begins, the unqualified one, where both end, and where the template arguments do.
fn parts(kernel: &Kernel<'_>) -> [usize; 4] {
    let Some(demangled) = &kernel.demangled else {
        return [0, 0, kernel.name.len(), kernel.name.len()];
    };
    let (text, name) = (demangled.text().as_bytes(), demangled.name());
    let (start, length) = place_in(text, name.as_bytes()).unwrap_or((0, text.len()));
    let unqualified = name.rfind("::").map_or(0, |at| at + 2);
    let end = start + length;
    // With both brackets.
    let arguments = demangled.template_arguments();
    let arguments_end = end + arguments.map_or(0, |arguments| arguments.len() + 2);
    [start, start + unqualified, end, arguments_end]
}

/// Where `part` lies in `whole`, if it is borrowed from it, and its length.
fn place_in(whole: &[u8], part: &[u8]) -> Option<(usize, usize)> {
    let at = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    let found = whole.get(at..at.checked_add(part.len())?)?;
    (!part.is_empty() && core::ptr::eq(found, part)).then_some((at, part.len()))
}

/// The fingerprint as the table has it, which a `usize` of 32 bits takes too.
fn print(text: &[u8]) -> usize {
    fingerprint(text) as u32 as usize
}

/// Appends numbers and texts.
pub(super) struct Writer<'w> {
    bytes: &'w mut Vec<u8>,
    declaration: &'w [u8],
    name: &'w [u8],
}

impl<'w> Writer<'w> {
    /// All texts are written themselves.
    pub(super) const fn new(bytes: &'w mut Vec<u8>) -> Self {
        Self {
            bytes,
            declaration: &[],
            name: &[],
        }
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn number(&mut self, mut number: usize) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// A number with a sign, of any size.
    pub(super) fn integer(&mut self, integer: i128) {
        let mut number = (integer << 1 ^ integer >> 127).cast_unsigned();
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// A number of 3 bytes: names are shorter than 64 KiB.
    fn short(&mut self, number: usize) {
        self.bytes
            .extend([number as u8, (number >> 8) as u8, (number >> 16) as u8]);
    }

    fn inline(&mut self, text: &str) {
        self.number(text.len() << 2 | INLINE);
        self.bytes.extend(text.as_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        match place_in(self.declaration, text.as_bytes()) {
            Some((at, length)) => {
                self.number(at << 2 | IN_DECLARATION);
                self.number(length);
            }
            None => self.inline(text),
        }
    }

    fn ty(&mut self, parameter: &Parameter<'_>) {
        self.number(parameter.size);
        self.number(parameter.offset.map_or(0, |offset| offset + 1));
        self.align(parameter.align);
        let class = CLASSES.iter().position(|&class| class == parameter.class);
        self.bytes.push(class.unwrap_or_default() as u8);
        self.base(parameter.cpp.base);
        self.bytes
            .extend([parameter.cpp.depth, parameter.cpp.const_mask]);
    }

    pub(super) fn align(&mut self, align: Option<Alignment>) {
        let power = align.map_or(0, |align| align.bytes().trailing_zeros() + 1);
        self.bytes.push(power as u8);
    }

    pub(super) fn base(&mut self, of: CppBase<'_>) {
        let (number, bits) = match of {
            CppBase::Unknown => (base::UNKNOWN, None),
            CppBase::Void => (base::VOID, None),
            CppBase::Bool => (base::BOOL, None),
            CppBase::Char => (base::CHAR, None),
            CppBase::Integer { signed: true, bits } => (base::SIGNED, Some(bits)),
            CppBase::Integer { bits, .. } => (base::UNSIGNED, Some(bits)),
            CppBase::Long { signed: true } => (base::LONG, None),
            CppBase::Long { .. } => (base::UNSIGNED_LONG, None),
            CppBase::Float { bits } => (base::FLOAT, Some(bits)),
            CppBase::Named(name) => {
                let place = place_in(self.name, name.as_bytes());
                let Some((at, length)) = place else {
                    // Of debug information.
                    self.bytes.push(base::SPELLED);
                    return self.inline(name);
                };
                self.bytes.push(base::NAMED);
                self.number(at);
                return self.number(length);
            }
        };
        self.bytes.push(number);
        if let Some(bits) = bits {
            self.number(bits.into());
        }
    }
}

//! Variable declarations: `.global .align 4 .b8 table[16] = {…};` (PTX ISA, 5.4).

use crate::{image::Relocation, placement::Shape};

use super::{
    Mistake,
    lexer::{self, Kind},
    reader::Reader,
};

/// A declared variable.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) align: usize,
    pub(super) relocations: Vec<Relocation>,
}

impl Declared {
    pub(super) fn shape(&self) -> Shape {
        Shape { size: self.bytes.len(), align: self.align }
    }
}

/// Larger sizes than a GPU's memory are rejected.
const LARGEST: usize = 1 << 30;

/// The size of a scalar type, which is also its natural alignment.
pub(super) fn scalar_size(word: &str) -> Option<usize> {
    Some(match word {
        ".b8" | ".u8" | ".s8" => 1,
        ".b16" | ".u16" | ".s16" | ".f16" | ".bf16" => 2,
        ".b32" | ".u32" | ".s32" | ".f32" | ".f16x2" | ".bf16x2" => 4,
        ".b64" | ".u64" | ".s64" | ".f64" | ".texref" | ".samplerref" | ".surfref" => 8,
        ".b128" => 16,
        _ => return None,
    })
}

/// A declaration from its state space (`.global`, `.shared`, …) to its `;`.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Declared, Mistake> {
    reader.word()?;
    let (mut element, mut lanes, mut align) = (None, 1usize, 1usize);
    let name = loop {
        match reader.word()? {
            ".align" => align = reader.integer()? as usize,
            ".v2" => lanes = 2,
            ".v4" => lanes = 4,
            ".v8" => lanes = 8,
            ".attribute" => while !reader.next()?.is(')') {},
            word if word.starts_with('.') => element = scalar_size(word).or(element),
            word => break word.to_owned(),
        }
    };
    let element = element.ok_or_else(|| reader.unexpected())?;
    if !align.is_power_of_two() || align > 1 << 16 {
        return Err(reader.unexpected());
    }
    let mut count = lanes;
    while reader.takes('[') {
        // `[]` takes its length from the initializer, or is dynamic shared memory.
        if reader.takes(']') {
            count = 0;
            continue;
        }
        let extent = reader.integer()?;
        count = usize::try_from(extent).ok().and_then(|extent| count.checked_mul(extent)).unwrap_or(usize::MAX);
        reader.expect(']')?;
    }
    let size = count.checked_mul(element).filter(|size| *size <= LARGEST);
    let mut bytes = vec![0; size.ok_or_else(|| reader.unexpected())?];
    let mut relocations = Vec::new();
    if reader.takes('=') {
        initialise(reader, element, &mut bytes, &mut relocations)?;
    } else {
        reader.expect(';')?;
    }
    Ok(Declared { name, bytes, align: align.max(element), relocations })
}

/// Values up to the `;`. Addresses are zero until the module is loaded.
fn initialise(
    reader: &mut Reader<'_>,
    element: usize,
    bytes: &mut Vec<u8>,
    relocations: &mut Vec<Relocation>,
) -> Result<(), Mistake> {
    let (mut at, mut negative) = (0, false);
    loop {
        let token = reader.next()?;
        let value = match &token.kind {
            Kind::Mark(';') => return Ok(()),
            Kind::Mark('-') => {
                negative = true;
                continue;
            }
            Kind::Number(literal) => {
                // `0xFF00(name)`: a part of an address.
                if reader.takes('(') {
                    let name = reader.word()?.to_owned();
                    reader.expect(')')?;
                    let shift = number(literal).trailing_zeros().min(63);
                    relocations.push(Relocation { at, size: element, shift, name, offset: 0 });
                }
                if relocations.last().is_some_and(|last| last.at == at) { 0 } else { number(literal) }
            }
            Kind::Word(word) => {
                let mut name = word.clone();
                if word == "generic" && reader.takes('(') {
                    reader.word()?.clone_into(&mut name);
                    reader.expect(')')?;
                }
                let offset = match (reader.takes('+'), reader.takes('-')) {
                    (true, false) => reader.integer()?,
                    (_, true) => reader.integer()?.wrapping_neg(),
                    _ => 0,
                };
                relocations.push(Relocation { at, size: element, shift: 0, name, offset });
                0
            }
            _ => continue,
        };
        let value = if negative { value.wrapping_neg() } else { value };
        negative = false;
        if bytes.len() < at + element {
            bytes.resize(at + element, 0);
        }
        let raw = u128::from(value).to_le_bytes();
        bytes[at..at + element].copy_from_slice(&raw[..element]);
        at += element;
    }
}

/// An integer, or a float in hexadecimal form (`0f3F800000`, `0d…`).
fn number(literal: &str) -> u64 {
    match literal.get(..2) {
        Some("0f" | "0F" | "0d" | "0D") => u64::from_str_radix(&literal[2..], 16).unwrap_or(0),
        _ => lexer::integer(literal).unwrap_or(0),
    }
}

//! Declarations of variables and parameters: `.global .align 4 .b8 table[16] = {…};` (PTX ISA, 5.4).

use super::{
    Parsed,
    lexer::{self, Kind},
    placement::Shape,
    reader::Reader,
};

/// A variable or a parameter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Variable {
    pub(crate) space: String,
    pub(crate) name: String,
    /// 0 for `[]`: its size is known at the launch only.
    pub(crate) size: u64,
    pub(crate) align: u64,
    /// The size of an element, or of a component of a vector.
    element: usize,
    pub(crate) is_external: bool,
    /// The initial bytes that are written in the text. The rest is zero.
    pub(crate) bytes: Vec<u8>,
    pub(crate) relocations: Vec<Relocation>,
}

/// An address in the initial bytes of a variable.
#[derive(Clone, Debug)]
pub(crate) struct Relocation {
    /// Where it is, and how many bytes of it.
    pub(crate) at: usize,
    pub(crate) size: usize,
    /// The lowest bit of the address that is stored.
    pub(crate) shift: u32,
    /// The variable or the function, and an offset.
    pub(crate) name: String,
    pub(crate) offset: u64,
}

impl Variable {
    /// Returns a variable without memory in the module.
    pub(super) fn elsewhere(name: String, space: String) -> Self {
        Self { name, space, is_external: true, ..Self::default() }
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape { size: self.size as usize, align: self.align as usize }
    }
}

/// Larger sizes than a GPU's memory are rejected.
const LARGEST: u64 = 1 << 30;

/// Returns the size of a scalar type, which is also its natural alignment. A predicate has none.
pub(crate) fn size_of(word: &str) -> Option<u64> {
    Some(match word {
        ".pred" => 0,
        ".b8" | ".u8" | ".s8" => 1,
        ".b16" | ".u16" | ".s16" | ".f16" | ".bf16" => 2,
        ".b32" | ".u32" | ".s32" | ".f32" | ".f16x2" | ".bf16x2" => 4,
        ".b64" | ".u64" | ".s64" | ".f64" | ".texref" | ".samplerref" | ".surfref" => 8,
        ".b128" => 16,
        _ => return None,
    })
}

impl Reader<'_> {
    /// Returns a declaration from its state space (`.global`, `.shared`, …) to its name or its extents.
    pub(super) fn variable(&mut self) -> Parsed<Variable> {
        let space = self.word()?.to_owned();
        let (mut element, mut align, mut lanes, mut points) = (None, 0, 1, false);
        let name = loop {
            match self.word()? {
                ".align" => {
                    let value = self.integer()?;
                    if !value.is_power_of_two() || value > 1 << 16 {
                        return Err(self.rejected());
                    }
                    // Attributes after `.ptr` describe the pointee.
                    if !points {
                        align = value;
                    }
                }
                ".ptr" => points = true,
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                ".v8" => lanes = 8,
                ".attribute" => while !self.next()?.is(')') {},
                ".global" | ".shared" | ".const" | ".local" if points => {}
                word if word.starts_with('.') => match size_of(word).filter(|size| *size > 0 || space == ".reg") {
                    None if space == ".param" => return Err(self.rejected()),
                    size => element = size.or(element),
                },
                word => break word.to_owned(),
            }
        };
        let element = element.ok_or_else(|| self.unexpected())?;
        let mut size = element * lanes;
        while self.takes('[') {
            // It takes its length from the initial values, or is dynamic shared memory.
            if self.takes(']') {
                size = 0;
                continue;
            }
            let extent = self.integer()?;
            size = size.checked_mul(extent).filter(|size| *size <= LARGEST).ok_or_else(|| self.unexpected())?;
            self.expect(']')?;
        }
        let align = align.max(element).max(1);
        Ok(Variable { space, name, size, align, element: element as usize, ..Variable::default() })
    }

    /// Returns the initial values of a variable, up to the `;`. Addresses are zero until the module is loaded.
    pub(super) fn initial(&mut self, variable: &mut Variable) -> Parsed<()> {
        if !self.takes('=') {
            return self.expect(';');
        }
        let element = variable.element;
        let (mut at, mut negative) = (0, false);
        loop {
            let token = self.next()?;
            let value = match &token.kind {
                Kind::Mark(';') => return Ok(()),
                Kind::Mark('-') => {
                    negative = true;
                    continue;
                }
                Kind::Number(literal) => {
                    // `0xFF00(name)`: a part of an address.
                    if self.takes('(') {
                        let name = self.word()?.to_owned();
                        self.expect(')')?;
                        let shift = number(literal).trailing_zeros().min(63);
                        variable.relocations.push(Relocation { at, size: element, shift, name, offset: 0 });
                    }
                    if variable.relocations.last().is_some_and(|last| last.at == at) { 0 } else { number(literal) }
                }
                Kind::Word(word) => {
                    let mut name = word.clone();
                    if word == "generic" && self.takes('(') {
                        self.word()?.clone_into(&mut name);
                        self.expect(')')?;
                    }
                    let offset = match (self.takes('+'), self.takes('-')) {
                        (true, false) => self.integer()?,
                        (_, true) => self.integer()?.wrapping_neg(),
                        _ => 0,
                    };
                    variable.relocations.push(Relocation { at, size: element, shift: 0, name, offset });
                    0
                }
                _ => continue,
            };
            let value = if negative { value.wrapping_neg() } else { value };
            negative = false;
            if variable.bytes.len() < at + element {
                variable.bytes.resize(at + element, 0);
            }
            let raw = u128::from(value).to_le_bytes();
            variable.bytes[at..at + element].copy_from_slice(&raw[..element]);
            at += element;
        }
    }
}

/// Returns an integer, or a float in hexadecimal form (`0f3F800000`, `0d…`).
fn number(literal: &str) -> u64 {
    match literal.get(..2) {
        Some("0f" | "0F" | "0d" | "0D") => u64::from_str_radix(&literal[2..], 16).unwrap_or(0),
        _ => lexer::integer(literal).unwrap_or(0),
    }
}

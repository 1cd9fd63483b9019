//! The records of a kernel: its section `.nv.info.<symbol>`.
//!
//! A record begins with a format and an attribute, of one byte each. In format 4, a 16-bit length and the payload
//! follow. In formats 1 to 3, a value of at most 16 bits follows in two bytes.

use super::kernel::Parameter;
use crate::prelude::*;
use crate::{
    code::directives::{DirectiveField, Directives, LANGUAGE},
    formats::ptx::{Pointee, Space},
};
use kernel_args_abi::Alignment;

const PARAMETER: u8 = 0x17;
const BLOCK_SIZE: u8 = 0x19;
const REGISTERS: u8 = 0x2f;
/// The value of the record [`LANGUAGE`] for CUDA Tile. PTX has 3.
const TILE_IR: u32 = 7;
/// The record of a parameter in a block above 4,352 bytes.
const PARAMETER_OF_LARGE_BLOCK: u8 = 0x45;

#[derive(Default)]
pub(super) struct Info {
    /// With their ordinals, in the order of the file: last ordinal first.
    pub(super) parameters: Vec<(u16, Parameter)>,
    pub(super) size: Option<usize>,
    pub(super) directives: Directives,
}

impl Info {
    pub(super) fn parse(mut bytes: &[u8]) -> Result<Self, &'static str> {
        const CUT: &str = "a record of its `.nv.info` section ends outside of it";
        let mut info = Self::default();
        while !bytes.is_empty() {
            let (format, attribute, value, payload) = record(&mut bytes).ok_or(CUT)?;
            match format {
                1..=3 if attribute == BLOCK_SIZE => info.size = Some(usize::from(value)),
                1..=3 => {
                    if let Some(DirectiveField::Flag(flag)) = info.directives.by_attribute(attribute) {
                        *flag = true;
                    }
                }
                4 => info.add(attribute, payload)?,
                _ => return Err("its `.nv.info` section has a record of an unknown format"),
            }
        }
        if info.directives.tile {
            info.directives.required_threads = Some([1; 3]);
        }
        Ok(info)
    }

    fn add(&mut self, attribute: u8, payload: &[u8]) -> Result<(), &'static str> {
        const LENGTH: &str = "a record of its `.nv.info` section has an unknown length";
        match attribute {
            PARAMETER | PARAMETER_OF_LARGE_BLOCK => {
                let payload = payload.try_into().map_err(|_| LENGTH)?;
                self.parameters.push(parameter(payload, attribute == PARAMETER_OF_LARGE_BLOCK));
            }
            _ => match self.directives.by_attribute(attribute) {
                Some(DirectiveField::Dimensions(value)) => *value = Some(triple(payload).ok_or(LENGTH)?),
                Some(DirectiveField::Count(value)) => {
                    let payload = payload.try_into().map_err(|_| LENGTH)?;
                    *value = Some(u32::from_le_bytes(payload));
                }
                Some(DirectiveField::Flag(flag)) if attribute == LANGUAGE => {
                    *flag = payload == TILE_IR.to_le_bytes();
                }
                Some(DirectiveField::Flag(_)) | None => {}
            },
        }
        Ok(())
    }
}

/// The registers of each function, by the index of its symbol, from the section `.nv.info`, which has the same format.
/// Skips invalid records, because nothing depends on them.
pub(super) fn registers(mut bytes: &[u8], registers: &mut [Option<u32>]) {
    while let Some((format, attribute, _, payload)) = record(&mut bytes) {
        if (format, attribute) == (4, REGISTERS)
            && let ([symbol, count], []) = payload.as_chunks::<4>()
            && let Some(registers) = registers.get_mut(u32::from_le_bytes(*symbol) as usize)
        {
            *registers = Some(u32::from_le_bytes(*count));
        }
    }
}

/// Removes the first record: its format, its attribute, its value, and its payload in format 4.
fn record<'a>(bytes: &mut &'a [u8]) -> Option<(u8, u8, u16, &'a [u8])> {
    let ([format, attribute, low, high], rest) = bytes.split_first_chunk()?;
    let value = u16::from_le_bytes([*low, *high]);
    let (payload, rest) = rest.split_at_checked(if *format == 4 { value.into() } else { 0 })?;
    *bytes = rest;
    Some((*format, *attribute, value, payload))
}

/// `u32` index, `u16` ordinal, `u16` offset. In a large block, `u16` size, then the pointee's alignment as a power of
/// two and its space (8 bits each). Otherwise that alignment (8 bits), space (4 bits), constant bank (6 bits), and size
/// (14 bits).
fn parameter(payload: [u8; 12], is_large: bool) -> (u16, Parameter) {
    let [_, _, _, _, o0, o1, at0, at1, a, b, c, d] = payload;
    let (size, align, space) = if is_large {
        (u16::from_le_bytes([a, b]).into(), c, d)
    } else {
        ((u32::from_le_bytes([a, b, c, d]) >> 18) as usize, a, b & 0xf)
    };
    let offset = usize::from(u16::from_le_bytes([at0, at1]));
    (u16::from_le_bytes([o0, o1]), Parameter { offset, size, pointee: pointee(align, space) })
}

fn pointee(log2_align: u8, space: u8) -> Option<Pointee> {
    let space = match space {
        1 => Space::Local,
        2 => Space::Shared,
        3 => Space::Const,
        4 => Space::Global,
        5 => Space::Generic,
        _ => return None, // 0 is not a pointer; 6 and 7 are texture and surface references
    };
    let bytes = 1_usize.checked_shl(u32::from(log2_align)).unwrap_or(0);
    Some(Pointee { space, align: Alignment::new(bytes).filter(|&align| align != Alignment::ONE) })
}

fn triple(payload: &[u8]) -> Option<[u32; 3]> {
    let ([x, y, z], []) = payload.as_chunks::<4>() else {
        return None;
    };
    Some([x, y, z].map(|bytes| u32::from_le_bytes(*bytes)))
}

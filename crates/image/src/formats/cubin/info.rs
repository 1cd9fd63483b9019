//! The records of a kernel: its section `.nv.info.<symbol>`.
//!
//! A record begins with two bytes, format and attribute. In format 4, a 16-bit length and the payload follow. In
//! formats 1 to 3, a value of at most 16 bits follows in two bytes.

use super::kernel::Parameter;
use crate::{
    code::directives::{Directives, Field, LANGUAGE},
    formats::ptx::{Pointee, Space},
};
use alloc::vec::Vec;
use kernel_args_abi::layout::Alignment;

const PARAMETER: u8 = 0x17;
const BLOCK_SIZE: u8 = 0x19;
const REGISTERS: u8 = 0x2f;
/// The value of the record [`LANGUAGE`] for CUDA Tile. PTX has 3.
const TILE_IR: u32 = 7;
/// The record of a parameter in a block above 4,352 bytes.
const PARAMETER_OF_LARGE_BLOCK: u8 = 0x45;

#[derive(Default)]
pub(super) struct Info {
    /// The parameters with their ordinals, in the order of the file: last ordinal first.
    pub(super) parameters: Vec<(u16, Parameter)>,
    pub(super) size: Option<usize>,
    pub(super) directives: Directives,
}

impl Info {
    pub(super) fn parse(mut bytes: &[u8]) -> Result<Self, &'static str> {
        const CUT: &str = "a record of its `.nv.info` section ends outside of it";
        let mut info = Self::default();
        while !bytes.is_empty() {
            let ([format, attribute, low, high], rest) = bytes.split_first_chunk().ok_or(CUT)?;
            let value = u16::from_le_bytes([*low, *high]);
            bytes = rest;
            match format {
                1..=3 if *attribute == BLOCK_SIZE => info.size = Some(usize::from(value)),
                1..=3 => {
                    if let Some(Field::Flag(flag)) = info.directives.by_attribute(*attribute) {
                        *flag = true;
                    }
                }
                4 => {
                    let (payload, rest) = bytes.split_at_checked(usize::from(value)).ok_or(CUT)?;
                    bytes = rest;
                    info.record(*attribute, payload)?;
                }
                _ => return Err("its `.nv.info` section has a record of an unknown format"),
            }
        }
        if info.directives.tile {
            info.directives.required_threads = Some([1; 3]);
        }
        Ok(info)
    }

    fn record(&mut self, attribute: u8, payload: &[u8]) -> Result<(), &'static str> {
        const LENGTH: &str = "a record of its `.nv.info` section has an unknown length";
        match attribute {
            PARAMETER => {
                let payload = payload.try_into().map_err(|_| LENGTH)?;
                self.parameters.push(parameter(payload));
            }
            PARAMETER_OF_LARGE_BLOCK => {
                let payload = payload.try_into().map_err(|_| LENGTH)?;
                self.parameters.push(parameter_of_large_block(payload));
            }
            _ => match self.directives.by_attribute(attribute) {
                Some(Field::Dimensions(value)) => *value = Some(triple(payload).ok_or(LENGTH)?),
                Some(Field::Count(value)) => {
                    let payload = payload.try_into().map_err(|_| LENGTH)?;
                    *value = Some(u32::from_le_bytes(payload));
                }
                Some(Field::Flag(flag)) if attribute == LANGUAGE => {
                    *flag = payload == TILE_IR.to_le_bytes();
                }
                Some(Field::Flag(_)) | None => {}
            },
        }
        Ok(())
    }
}

/// The registers of each function, by the index of its symbol, from the section `.nv.info`. It has the same record
/// format as a kernel's section. Skips invalid records, because nothing depends on them.
pub(super) fn registers(mut bytes: &[u8], registers: &mut [Option<u32>]) {
    while let Some(([format, attribute, low, high], rest)) = bytes.split_first_chunk() {
        bytes = rest;
        if *format != 4 {
            continue;
        }
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let Some((payload, rest)) = bytes.split_at_checked(length) else {
            return;
        };
        bytes = rest;
        if *attribute == REGISTERS
            && let ([symbol, count], []) = payload.as_chunks::<4>()
            && let Some(registers) = registers.get_mut(u32::from_le_bytes(*symbol) as usize)
        {
            *registers = Some(u32::from_le_bytes(*count));
        }
    }
}

/// `u32` index, `u16` ordinal, `u16` offset, then a `u32` with the pointee's alignment as a power of two (8 bits), its
/// space (4 bits), constant bank (6 bits), and size (14 bits).
fn parameter(payload: [u8; 12]) -> (u16, Parameter) {
    let [_, _, _, _, o0, o1, at0, at1, f0, f1, f2, f3] = payload;
    let flags = u32::from_le_bytes([f0, f1, f2, f3]);
    let parameter = Parameter {
        offset: usize::from(u16::from_le_bytes([at0, at1])),
        size: (flags >> 18) as usize,
        pointee: pointee(f0, f1 & 0xf),
    };
    (u16::from_le_bytes([o0, o1]), parameter)
}

/// `u32` index, `u16` ordinal, `u16` offset, `u16` size, the pointee's alignment as a power of two (8 bits), its space
/// (8 bits).
fn parameter_of_large_block(payload: [u8; 12]) -> (u16, Parameter) {
    let [_, _, _, _, o0, o1, at0, at1, s0, s1, align, space] = payload;
    let parameter = Parameter {
        offset: usize::from(u16::from_le_bytes([at0, at1])),
        size: usize::from(u16::from_le_bytes([s0, s1])),
        pointee: pointee(align, space),
    };
    (u16::from_le_bytes([o0, o1]), parameter)
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

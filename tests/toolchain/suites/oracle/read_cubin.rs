//! Reads the parameter records in a cubin with the crate `object`, without code under test.
//!
//! Section `.nv.info.KERNEL`: records of a format byte, an attribute byte and two more bytes. For format 4, these two
//! bytes are the number of bytes that follow.

use crate::oracle::answer::Records;
use object::{Object as _, ObjectSection as _};

const FORMAT_SIZED: u8 = 4;
const PARAM_CBANK: u8 = 0x0a;
const CBANK_PARAM_SIZE: u8 = 0x19;
const KPARAM_INFO: u8 = 0x17;
const KPARAM_INFO_V2: u8 = 0x45;

/// A cubin with many kernels.
pub(crate) struct Cubin<'a>(object::File<'a>);

impl<'a> Cubin<'a> {
    pub(crate) fn parse(image: &'a [u8]) -> Result<Self, String> {
        object::File::parse(image).map(Self).map_err(|error| format!("no ELF file: {error}"))
    }

    /// The offsets of a kernel's parameters.
    pub(crate) fn records(&self, kernel: &str) -> Option<Records> {
        let section = self.0.section_by_name(&format!(".nv.info.{kernel}"))?;
        let mut data = section.data().ok()?;
        let mut found = Vec::new();
        let (mut total, mut bank) = (None, None);
        while let [format, attribute, low, high, rest @ ..] = data {
            let value = usize::from(u16::from_le_bytes([*low, *high]));
            let mut payload: &[u8] = &[];
            data = rest;
            if *format == FORMAT_SIZED {
                (payload, data) = rest.split_at_checked(value)?;
            }
            let short = |at: usize| {
                let bytes = payload.get(at..at + 2)?;
                Some(usize::from(u16::from_le_bytes([bytes[0], bytes[1]])))
            };
            match *attribute {
                CBANK_PARAM_SIZE => total = Some(value),
                PARAM_CBANK => bank = short(6),
                KPARAM_INFO => {
                    let flags = payload.get(8..12)?.try_into().ok()?;
                    let size = (u32::from_le_bytes(flags) >> 18) as usize;
                    found.push((short(4)?, short(6)?, size));
                }
                KPARAM_INFO_V2 => found.push((short(4)?, short(6)?, short(8)?)),
                _ => {}
            }
        }
        found.sort_unstable();
        let in_order = found.iter().enumerate().all(|(i, (ordinal, ..))| i == *ordinal);
        in_order.then_some(())?;
        Some(Records {
            parameters: found.iter().map(|&(_, offset, size)| (offset, size)).collect(),
            total: total.or(bank)?,
        })
    }
}

//! Reads a fat binary, and selects the code that a device runs: an independent reader of nvcc's output.
//!
//! A container is a header (magic, 2 bytes version, 2 bytes size of the header, 8 bytes size of the rest) and members.
//! A member is a header and a payload, each with its size.

use std::sync::Arc;

use crate::{
    error::Status,
    images::image::{Refusal, Source},
};

/// The first bytes of a fat binary.
pub(crate) const MAGIC: [u8; 4] = 0xba55_ed50_u32.to_le_bytes();

/// The size of the container's header.
const HEADER: usize = 16;

/// The largest size of a member that is decompressed.
const LARGEST: usize = 1 << 30;

/// The bits of a member's flags.
mod flag {
    pub(super) const LZ4: u64 = 1 << 13;
    pub(super) const ZSTD: u64 = 1 << 15;
    /// `sm_90a`: for this GPU only.
    pub(super) const ARCHITECTURE: u64 = 1 << 20;
    /// `sm_100f`: for GPUs of this family.
    pub(super) const FAMILY: u64 = 1 << 21;
}

struct Member<'b> {
    is_ptx: bool,
    sm: u32,
    flags: u64,
    payload: &'b [u8],
    packed: usize,
    unpacked: usize,
}

/// Returns the size of the fat binary at an address. `at` reads `length` bytes at an offset.
pub(crate) fn length(at: impl Fn(usize, usize) -> Vec<u8>) -> usize {
    HEADER + number(&at(8, 8), 0, 8).unwrap_or(0)
}

/// Texts of PTX.
type Texts = Vec<Arc<[u8]>>;

/// Returns the code for a device of compute capability `sm`: the cubin for the most similar GPU, otherwise the newest
/// PTX. And the newest PTX, from which a kernel is executed.
pub(crate) fn chosen(bytes: &[u8], sm: u32) -> Result<(Source, Texts), Refusal> {
    let invalid = |what: &str| Refusal::new(Status::INVALID_IMAGE, format!("a fat binary {what}"));
    let members = members(bytes).ok_or_else(|| invalid("that is cut"))?;
    let fitting = members.iter().filter(|member| member.runs_on(sm));
    let Some(best) = fitting.max_by_key(|member| (!member.is_ptx, member.sm)) else {
        let text = format!("the fat binary has no code for sm_{sm}");
        return Err(Refusal::new(Status::NO_BINARY_FOR_GPU, text));
    };
    let bytes = best.bytes().ok_or_else(|| invalid("with a payload that cannot be decompressed"))?;
    let ptx = members.iter().filter(|member| member.is_ptx && member.runs_on(sm)).max_by_key(|member| member.sm);
    let ptx = ptx.and_then(Member::bytes).map(Arc::from).into_iter().collect();
    Ok((if best.is_ptx { Source::Ptx(bytes) } else { Source::Cubin(bytes) }, ptx))
}

fn members(bytes: &[u8]) -> Option<Vec<Member<'_>>> {
    let start = number(bytes, 6, 2)?;
    let mut rest = bytes.get(start..start.checked_add(number(bytes, 8, 8)?)?)?;
    let mut members = Vec::new();
    while !rest.is_empty() {
        let (header, behind) = rest.split_at_checked(number(rest, 4, 4)?)?;
        let (payload, behind) = behind.split_at_checked(number(header, 8, 8)?)?;
        rest = behind;
        // A member of another kind, such as LTO-IR, does not run.
        let kind = number(header, 0, 2)?;
        if matches!(kind, 1 | 2) {
            members.push(Member {
                is_ptx: kind == 1,
                sm: number(header, 28, 4)? as u32,
                flags: number(header, 40, 8)? as u64,
                payload,
                packed: number(header, 16, 4)?,
                unpacked: number(header, 56, 8)?,
            });
        }
    }
    Some(members)
}

/// Returns the number of `size` bytes at an offset.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    let digits = bytes.iter().rev();
    usize::try_from(digits.fold(0_u64, |number, byte| number << 8 | u64::from(*byte))).ok()
}

impl Member<'_> {
    fn runs_on(&self, sm: u32) -> bool {
        let is_family = self.sm / 10 == sm / 10;
        let is_kind = match (self.flags & flag::ARCHITECTURE, self.flags & flag::FAMILY) {
            (0, 0) => self.is_ptx || is_family,
            (0, _) => is_family,
            _ => self.sm == sm,
        };
        is_kind && self.sm <= sm
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        if self.flags & (flag::LZ4 | flag::ZSTD) == 0 {
            return Some(self.payload.to_vec());
        }
        let packed = self.payload.get(..self.packed)?;
        if self.unpacked > LARGEST {
            return None;
        }
        let mut bytes = vec![0; self.unpacked];
        let count = if self.flags & flag::ZSTD == 0 {
            lz4_flex::block::decompress_into(packed, &mut bytes).ok()?
        } else {
            let mut decoder = ruzstd::decoding::FrameDecoder::new();
            decoder.decode_all(packed, &mut bytes).ok()?
        };
        (count == bytes.len()).then_some(bytes)
    }
}

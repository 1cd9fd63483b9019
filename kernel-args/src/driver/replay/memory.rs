use super::report::Difference;
use crate::driver::error::Error;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr as _};
use kernel_args_image::recording::{ElementType, Error as ReadError, Memory};
use std::{
    hash::{DefaultHasher, Hasher as _},
    io::Read,
    sync::Arc,
};

pub(super) struct ReplayMemory {
    pub(super) recorded: Memory,
    memory: CudaSlice<u8>,
    /// What the recorded launch has found, for repetitions.
    before: Option<CudaSlice<u8>>,
    /// The checksum of the recorded bytes before the launch, which the bytes after it are compared with.
    before_sum: u64,
}

const PIECE: usize = 4 << 20;

impl ReplayMemory {
    pub(super) fn new(stream: &Arc<CudaStream>, recorded: Memory) -> Result<Self, Error> {
        let size = usize::try_from(recorded.size).unwrap_or(usize::MAX);
        Ok(Self { recorded, memory: stream.alloc_zeros(size)?, before: None, before_sum: 0 })
    }

    pub(super) fn address(&self, stream: &CudaStream) -> u64 {
        // Everything runs on this stream, so no use has to be recorded.
        let (address, _guard) = self.memory.device_ptr(stream);
        address
    }

    pub(super) fn fill(
        &mut self,
        stream: &Arc<CudaStream>,
        content: impl Read,
        unread: impl Fn(ReadError) -> Error,
        is_kept: bool,
    ) -> Result<(), Error> {
        let mut sum = DefaultHasher::new();
        pieces(content, unread, |at, bytes| {
            sum.write(bytes);
            stream.memcpy_htod(bytes, &mut self.memory.slice_mut(at..at + bytes.len()))?;
            Ok(stream.synchronize()?)
        })?;
        self.before_sum = sum.finish();
        if is_kept {
            self.before = Some(stream.clone_dtod(&self.memory)?);
        }
        Ok(())
    }

    pub(super) fn restore(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        if let Some(before) = &self.before {
            stream.memcpy_dtod(before, &mut self.memory)?;
        }
        Ok(())
    }

    /// Compares it with recorded bytes. Returns the difference, and whether the recorded launch has changed it.
    pub(super) fn compare(
        &self,
        stream: &Arc<CudaStream>,
        content: impl Read,
        unread: impl Fn(ReadError) -> Error,
    ) -> Result<(Option<Difference>, bool), Error> {
        let (mut sum, mut difference) = (DefaultHasher::new(), None);
        let mut now = vec![0; PIECE.min(self.memory.len())];
        pieces(content, unread, |at, bytes| {
            sum.write(bytes);
            let now = &mut now[..bytes.len()];
            stream.memcpy_dtoh(&self.memory.slice(at..at + bytes.len()), now)?;
            stream.synchronize()?;
            if now != bytes {
                add_difference(&mut difference, at, bytes, now, self.recorded.elements);
            }
            Ok(())
        })?;
        Ok((difference, sum.finish() != self.before_sum))
    }
}

fn pieces(
    mut content: impl Read,
    unread: impl Fn(ReadError) -> Error,
    mut each: impl FnMut(usize, &[u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut piece, mut at) = (Vec::new(), 0);
    loop {
        piece.clear();
        let read = content.by_ref().take(PIECE as u64).read_to_end(&mut piece);
        let length = read.map_err(|error| unread(error.into()))?;
        if length == 0 {
            return Ok(());
        }
        each(at, &piece)?;
        at += length;
    }
}

fn add_difference(
    difference: &mut Option<Difference>,
    at: usize,
    recorded: &[u8],
    now: &[u8],
    elements: Option<ElementType>,
) {
    let mut differing = (0..now.len()).filter(|at| recorded[*at] != now[*at]);
    let Some(first) = differing.next() else { return };
    let bytes = 1 + differing.count() as u64;
    let largest = elements.map(|elements| match elements {
        ElementType::F32 => largest(recorded, now, |four: [u8; 4]| f64::from(f32::from_le_bytes(four))),
        ElementType::F64 => largest(recorded, now, f64::from_le_bytes),
    });
    match difference {
        None => {
            *difference = Some(Difference { bytes, first: (at + first) as u64, largest });
        }
        Some(known) => {
            known.bytes += bytes;
            known.largest = known.largest.zip(largest).map(|(a, b)| larger(a, b));
        }
    }
}

/// Returns the larger number; NaN if one is NaN.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

fn largest<const N: usize>(recorded: &[u8], now: &[u8], value: fn([u8; N]) -> f64) -> f64 {
    let elements = recorded.as_chunks().0.iter().zip(now.as_chunks().0);
    let differences = elements.map(|(a, b)| {
        let difference = (value(*a) - value(*b)).abs();
        // Two NaNs can have other bits; equal infinities differ by NaN.
        if a == b || value(*a).is_nan() && value(*b).is_nan() { 0.0 } else { difference }
    });
    differences.fold(0.0, larger)
}

#[cfg(test)]
mod tests {
    use super::{Difference, ElementType, add_difference};

    fn bytes(floats: &[f32]) -> Vec<u8> {
        floats.iter().flat_map(|float| float.to_le_bytes()).collect()
    }

    #[test]
    fn differences_of_pieces_are_added() {
        let mut difference = None;
        let mut add = |at, recorded: &[f32], now: &[f32]| {
            add_difference(&mut difference, at, &bytes(recorded), &bytes(now), Some(ElementType::F32));
            difference
        };
        assert_eq!(add(0, &[1.0, 2.0], &[1.0, 2.0]), None);
        // 3.0 is 0x40400000, 3.5 is 0x40600000.
        let expected = Difference { bytes: 1, first: 14, largest: Some(0.5) };
        assert_eq!(add(8, &[1.0, 3.0], &[1.0, 3.5]), Some(expected));
        assert_eq!(add(16, &[0.0, f32::NAN], &[-0.0, f32::NAN]), Some(Difference { bytes: 2, ..expected }));
        let difference = add(24, &[1.0], &[f32::NAN]);
        let largest = difference.and_then(|difference| difference.largest);
        assert!(largest.is_some_and(f64::is_nan), "{largest:?}");
        let mut untyped = None;
        add_difference(&mut untyped, 100, &[1, 2, 3], &[0, 2, 0], None);
        assert_eq!(untyped, Some(Difference { bytes: 2, first: 100, largest: None }));
    }
}

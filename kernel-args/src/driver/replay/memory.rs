//! The memory of a replay on the GPU.

use super::report::Difference;
use crate::driver::error::Error;
use cudarc::driver::{CudaSlice, CudaStream, DevicePtr as _};
use kernel_args_image::recording::{ElementType, Error as ReadError, Memory};
use std::{
    hash::{DefaultHasher, Hasher as _},
    io::Read,
    sync::Arc,
    vec,
    vec::Vec,
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

fn failed(error: cudarc::driver::DriverError) -> Error {
    error.into()
}

impl ReplayMemory {
    pub(super) fn new(stream: &Arc<CudaStream>, recorded: Memory) -> Result<Self, Error> {
        let size = usize::try_from(recorded.size).unwrap_or(usize::MAX);
        Ok(Self { recorded, memory: stream.alloc_zeros(size).map_err(failed)?, before: None, before_sum: 0 })
    }

    pub(super) fn address(&self, stream: &CudaStream) -> u64 {
        // Everything runs on this stream, so no use has to be recorded.
        let (address, _guard) = self.memory.device_ptr(stream);
        address
    }

    pub(super) fn fill(&mut self, stream: &Arc<CudaStream>, content: impl Read, is_kept: bool) -> Result<(), Filled> {
        let mut sum = DefaultHasher::new();
        pieces(content, |at, bytes| {
            sum.write(bytes);
            stream.memcpy_htod(bytes, &mut self.memory.slice_mut(at..at + bytes.len()))?;
            Ok(stream.synchronize()?)
        })?;
        self.before_sum = sum.finish();
        if is_kept {
            self.before = Some(stream.clone_dtod(&self.memory).map_err(failed)?);
        }
        Ok(())
    }

    pub(super) fn restore(&mut self, stream: &Arc<CudaStream>) -> Result<(), Error> {
        match &self.before {
            Some(before) => stream.memcpy_dtod(before, &mut self.memory).map_err(failed),
            None => Ok(()),
        }
    }

    /// Compares it with recorded bytes. Returns the difference, and whether the recorded launch has changed it.
    pub(super) fn compare(
        &self,
        stream: &Arc<CudaStream>,
        content: impl Read,
    ) -> Result<(Option<Difference>, bool), Filled> {
        let (mut sum, mut difference) = (DefaultHasher::new(), None);
        let mut now = vec![0; PIECE.min(self.memory.len())];
        pieces(content, |at, bytes| {
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

pub(super) enum Filled {
    Unread(ReadError),
    Driver(Error),
}

impl From<Error> for Filled {
    fn from(error: Error) -> Self {
        Self::Driver(error)
    }
}

fn pieces(mut content: impl Read, mut each: impl FnMut(usize, &[u8]) -> Result<(), Error>) -> Result<(), Filled> {
    let (mut piece, mut at) = (Vec::new(), 0);
    loop {
        piece.clear();
        let read = content.by_ref().take(PIECE as u64).read_to_end(&mut piece);
        let length = read.map_err(|error| Filled::Unread(error.into()))?;
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
    let differing = recorded.iter().zip(now).enumerate().filter(|(_, (a, b))| a != b);
    let mut differing = differing.map(|(index, _)| index);
    let Some(first) = differing.next() else {
        return;
    };
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

/// The larger number; NaN if one is NaN.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

fn largest<const N: usize>(recorded: &[u8], now: &[u8], value: fn([u8; N]) -> f64) -> f64 {
    let elements = recorded.as_chunks().0.iter().zip(now.as_chunks().0);
    let differing = elements.filter(|(a, b)| a != b);
    let differences = differing.map(|(a, b)| {
        let (a, b) = (value(*a), value(*b));
        // Two NaNs can have other bits.
        if a.is_nan() && b.is_nan() { 0.0 } else { (a - b).abs() }
    });
    differences.fold(0.0, larger)
}

#[cfg(test)]
mod tests {
    use super::{Difference, ElementType, add_difference};
    use std::vec::Vec;

    fn bytes(floats: &[f32]) -> Vec<u8> {
        floats.iter().flat_map(|float| float.to_le_bytes()).collect()
    }

    #[test]
    fn differences_of_pieces_are_added() {
        let mut difference = None;
        add_difference(&mut difference, 0, &bytes(&[1.0, 2.0]), &bytes(&[1.0, 2.0]), Some(ElementType::F32));
        assert_eq!(difference, None);
        // 3.0 is 0x40400000, 3.5 is 0x40600000.
        add_difference(&mut difference, 8, &bytes(&[1.0, 3.0]), &bytes(&[1.0, 3.5]), Some(ElementType::F32));
        let expected = Difference { bytes: 1, first: 14, largest: Some(0.5) };
        assert_eq!(difference, Some(expected));
        add_difference(
            &mut difference,
            16,
            &bytes(&[0.0, f32::NAN]),
            &bytes(&[-0.0, f32::NAN]),
            Some(ElementType::F32),
        );
        assert_eq!(difference, Some(Difference { bytes: 2, ..expected }));
        add_difference(&mut difference, 24, &bytes(&[1.0]), &bytes(&[f32::NAN]), Some(ElementType::F32));
        let largest = difference.and_then(|difference| difference.largest);
        assert!(largest.is_some_and(f64::is_nan), "{largest:?}");
    }

    #[test]
    fn elements_without_a_type_have_no_largest_difference() {
        let mut difference = None;
        add_difference(&mut difference, 100, &[1, 2, 3], &[0, 2, 0], None);
        assert_eq!(difference, Some(Difference { bytes: 2, first: 100, largest: None }));
    }
}

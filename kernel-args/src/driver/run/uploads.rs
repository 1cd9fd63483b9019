//! Copies from the host: their bytes are on the device before the run begins.

use crate::{driver::api::alloc_bytes, memory::RunMemory};
use cudarc::driver::{CudaSlice, CudaStream, CudaView, DevicePtr, DriverError, sys::CUdeviceptr};
use std::sync::Arc;

/// Bytes of the host that the steps of a run copy from: they are on the device before the run begins. Equal runs have
/// them at equal addresses, so other bytes change no step.
#[derive(Default)]
pub(crate) struct Uploads(Vec<Upload>);

struct Upload {
    bytes: Vec<u8>,
    /// How many of the bytes are on the device.
    copied: usize,
    device: CudaSlice<u8>,
}

impl Uploads {
    /// The size of the smallest part on the device.
    const PART: usize = 64 << 10;

    /// Returns the place of the bytes on the device.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        stream: &Arc<CudaStream>,
        known: &RunMemory,
    ) -> Result<CudaView<'_, u8>, DriverError> {
        const ALIGNMENT: usize = 256;
        let begin = |upload: &Upload| upload.bytes.len().next_multiple_of(ALIGNMENT);
        let has_room = |upload: &Upload| begin(upload) + bytes.len() <= upload.device.len();
        let part = self.0.iter().position(has_room).unwrap_or(self.0.len());
        if part == self.0.len() {
            let device = alloc_bytes(stream, bytes.len().max(Self::PART))?;
            let address = device.device_ptr(stream).0;
            known.own(address..address + device.len() as CUdeviceptr, true);
            self.0.push(Upload { bytes: Vec::new(), copied: 0, device });
        }
        let part = &mut self.0[part];
        let begin = begin(part);
        part.bytes.resize(begin, 0);
        part.bytes.extend_from_slice(bytes);
        Ok(part.device.slice(begin..begin + bytes.len()))
    }

    /// Copies the bytes to the device, before the steps that are enqueued next and behind the run before. The driver
    /// has read them when this returns.
    pub(crate) fn enqueue(&mut self, stream: &Arc<CudaStream>) -> Result<(), DriverError> {
        for Upload { bytes, copied, device } in &mut self.0 {
            if *copied < bytes.len() {
                stream.memcpy_htod(&bytes[*copied..], &mut device.slice_mut(*copied..bytes.len()))?;
                *copied = bytes.len();
            }
        }
        Ok(())
    }

    pub(crate) fn clear(&mut self) {
        for Upload { bytes, copied, .. } in &mut self.0 {
            bytes.clear();
            *copied = 0;
        }
    }
}

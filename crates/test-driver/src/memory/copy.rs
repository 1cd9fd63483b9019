//! Copies and fills: `cuMemcpy*`, `cuMemset*`.
//!
//! The plain forms run on the legacy stream. The `Async` forms run on the given stream, where they can be captured.

use std::ffi::{c_uchar, c_uint, c_ushort, c_void};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    memory::Place,
    state::{Driver, Operation},
};

impl Driver {
    fn copy_on(&mut self, stream: Handle, to: Place, from: Place, length: usize) -> Outcome {
        self.submit(stream, Operation::Copy { to, from, length })
    }

    /// A copy between addresses of unified addressing.
    fn copy_any(&mut self, stream: Handle, to: u64, from: u64, length: usize) -> Outcome {
        let [to, from] = [to, from]
            .map(|address| if self.memory.holds(address, 1) { Place::Device(address) } else { Place::Host(address) });
        self.copy_on(stream, to, from, length)
    }

    fn fill_on(&mut self, stream: Handle, address: u64, pattern: &[u8], count: usize) -> Outcome {
        self.submit(stream, Operation::Fill { address, pattern: pattern.to_vec(), width: count, height: 1, pitch: 0 })
    }

    fn fill_2d(&mut self, stream: Handle, address: u64, pitch: usize, pattern: &[u8], size: [usize; 2]) -> Outcome {
        if size[1] > 1 && pitch < size[0] * pattern.len() {
            return Err(Status::INVALID_VALUE);
        }
        let [width, height] = size;
        self.submit(stream, Operation::Fill { address, pattern: pattern.to_vec(), width, height, pitch })
    }
}

fn source(host: In<c_void>) -> Place {
    Place::Host(host.address() as u64)
}

fn destination(host: Out<c_void>) -> Place {
    Place::Host(host.address() as u64)
}

entry_points! {
    fn cuMemcpy(driver, to: u64, from: u64, length: usize) {
        driver.copy_any(Handle::NULL, to, from, length)
    }

    fn cuMemcpyAsync(driver, to: u64, from: u64, length: usize, stream: Handle) {
        driver.copy_any(stream, to, from, length)
    }

    fn cuMemcpyHtoD_v2(driver, to: u64, from: In<c_void>, length: usize) {
        driver.copy_on(Handle::NULL, Place::Device(to), source(from), length)
    }

    fn cuMemcpyDtoH_v2(driver, to: Out<c_void>, from: u64, length: usize) {
        driver.copy_on(Handle::NULL, destination(to), Place::Device(from), length)
    }

    fn cuMemcpyDtoD_v2(driver, to: u64, from: u64, length: usize) {
        driver.copy_on(Handle::NULL, Place::Device(to), Place::Device(from), length)
    }

    fn cuMemcpyHtoDAsync_v2(driver, to: u64, from: In<c_void>, length: usize, stream: Handle) {
        driver.copy_on(stream, Place::Device(to), source(from), length)
    }

    fn cuMemcpyDtoHAsync_v2(driver, to: Out<c_void>, from: u64, length: usize, stream: Handle) {
        driver.copy_on(stream, destination(to), Place::Device(from), length)
    }

    fn cuMemcpyDtoDAsync_v2(driver, to: u64, from: u64, length: usize, stream: Handle) {
        driver.copy_on(stream, Place::Device(to), Place::Device(from), length)
    }

    fn cuMemcpyPeerAsync(
        driver, to: u64, to_context: Handle, from: u64, from_context: Handle, length: usize, stream: Handle,
    ) {
        driver.context(to_context)?;
        driver.context(from_context)?;
        driver.copy_on(stream, Place::Device(to), Place::Device(from), length)
    }

    fn cuMemsetD8_v2(driver, address: u64, value: c_uchar, count: usize) {
        driver.fill_on(Handle::NULL, address, &[value], count)
    }

    fn cuMemsetD16_v2(driver, address: u64, value: c_ushort, count: usize) {
        driver.fill_on(Handle::NULL, address, &value.to_le_bytes(), count)
    }

    fn cuMemsetD32_v2(driver, address: u64, value: c_uint, count: usize) {
        driver.fill_on(Handle::NULL, address, &value.to_le_bytes(), count)
    }

    fn cuMemsetD8Async(driver, address: u64, value: c_uchar, count: usize, stream: Handle) {
        driver.fill_on(stream, address, &[value], count)
    }

    fn cuMemsetD16Async(driver, address: u64, value: c_ushort, count: usize, stream: Handle) {
        driver.fill_on(stream, address, &value.to_le_bytes(), count)
    }

    fn cuMemsetD32Async(driver, address: u64, value: c_uint, count: usize, stream: Handle) {
        driver.fill_on(stream, address, &value.to_le_bytes(), count)
    }

    fn cuMemsetD2D8_v2(driver, address: u64, pitch: usize, value: c_uchar, width: usize, height: usize) {
        driver.fill_2d(Handle::NULL, address, pitch, &[value], [width, height])
    }
}

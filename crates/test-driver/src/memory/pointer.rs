//! Entry points for allocation, and queries of an address: `cuMemAlloc*`, `cuMemHost*`, `cuPointerGetAttribute*`.

use std::ffi::{c_int, c_uint, c_void};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    memory::{Allocation, Kind, TOTAL_MEMORY},
    state::{Driver, Operation},
};

/// `CUmemLocation`: eight bytes, passed by value in one register.
#[derive(Clone, Copy)]
#[repr(C)]
struct Location {
    kind: c_uint,
    id: c_int,
}

impl Driver {
    fn allocate(&mut self, length: usize, kind: Kind) -> Outcome<u64> {
        let context = self.healthy()?;
        // Under CU_STREAM_CAPTURE_MODE_GLOBAL or THREAD_LOCAL a call that may synchronize invalidates the capture.
        self.refuse_unsafe_while_capturing()?;
        let device = self.context(context)?.device;
        self.memory.allocate(length, kind, context, device)
    }

    /// Stream-ordered: on a capturing stream the graph gets an allocation node, and allocates the memory when it runs.
    fn allocate_on(&mut self, length: usize, stream: Handle) -> Outcome<u64> {
        let target = self.stream_target(stream)?;
        self.check(target.context)?;
        // Unlike `cuMemAlloc` this accepts 0 bytes and returns the null address (seen on driver 580).
        if length == 0 {
            return Ok(0);
        }
        let device = self.context(target.context)?.device;
        if target.capture.is_some() {
            let block = self.memory.reserve(length, device)?;
            let address = block.address;
            self.submit(stream, Operation::Allocate { block })?;
            return Ok(address);
        }
        self.submit(stream, Operation::Nothing)?;
        self.memory.allocate(length, Kind::Pooled, Handle::NULL, device)
    }

    fn free(&mut self, address: u64, kinds: &[Kind]) -> Outcome {
        self.healthy()?;
        if address == 0 {
            return Ok(());
        }
        self.memory.free(address, kinds)
    }

    fn pointer_attribute(&self, attribute: c_uint, address: u64, data: Out<c_void>) -> Outcome {
        let (start, held) = self.memory.find(address).ok_or(Status::INVALID_VALUE)?;
        match attribute {
            1 => data.cast().set(held.context),
            // CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE.
            2 => data.cast().set(if matches!(held.kind, Kind::Pinned | Kind::Registered) { 1u32 } else { 2 }),
            3 if self.is_accessible(&held)? => data.cast().set(address),
            4 if held.on_host() => data.cast().set(address),
            7 => data.cast().set(held.id),
            8 => data.cast().set(u32::from(held.kind == Kind::Managed)),
            9 => data.cast().set(held.device),
            11 => data.cast().set(start),
            12 => data.cast().set(held.length),
            13 => data.cast().set(1u32),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// Returns whether kernels of the current context have an address for an allocation. The driver reports one for
    /// memory of every context on their own device (seen on driver 580).
    fn is_accessible(&self, held: &Allocation) -> Outcome<bool> {
        let context = self.current()?;
        let device = self.context(context)?.device;
        let peers = &self.memory.peers;
        Ok(held.device == device || held.reachable_from(context, device, peers))
    }

    /// An attribute for `cuPointerGetAttributes`: what an address does not have is null, and the ordinal of its device
    /// -2.
    fn pointer_attribute_or_null(&self, attribute: c_uint, address: u64, data: Out<c_void>) -> Outcome {
        match self.pointer_attribute(attribute, address, data) {
            Err(Status::INVALID_VALUE) => {}
            answered => return answered,
        }
        match attribute {
            1 | 3 | 4 | 7 | 11 | 12 => data.cast().set(0u64),
            2 | 8 | 13 => data.cast().set(0u32),
            9 => data.cast().set(-2i32),
            _ => Err(Status::INVALID_VALUE),
        }
    }
}

entry_points! {
    fn cuMemAlloc_v2(driver, address: Out<u64>, length: usize) {
        address.set(0)?;
        address.set(driver.allocate(length, Kind::Device)?)
    }

    fn cuMemAllocManaged(driver, address: Out<u64>, length: usize, flags: c_uint) {
        // CU_MEM_ATTACH_GLOBAL or CU_MEM_ATTACH_HOST.
        if flags != 1 && flags != 2 {
            return Err(Status::INVALID_VALUE);
        }
        address.set(0)?;
        address.set(driver.allocate(length, Kind::Managed)?)
    }

    fn cuMemAllocAsync(driver, address: Out<u64>, length: usize, stream: Handle) {
        address.set(0)?;
        address.set(driver.allocate_on(length, stream)?)
    }

    fn cuMemAllocFromPoolAsync(driver, address: Out<u64>, length: usize, pool: Handle, stream: Handle) {
        driver.pools.get(pool)?;
        address.set(0)?;
        address.set(driver.allocate_on(length, stream)?)
    }

    fn cuMemFree_v2(driver, address: u64) {
        driver.refuse_unsafe_while_capturing()?;
        driver.free(address, &[Kind::Device, Kind::Pooled, Kind::Managed, Kind::Graph])
    }

    fn cuMemFreeAsync(driver, address: u64, stream: Handle) {
        if address == 0 {
            return Ok(());
        }
        let is_captured = driver.stream_target(stream)?.capture.is_some() && driver.memory.blocks.get(address).is_some();
        if !is_captured && driver.memory.find(address).is_none_or(|(start, _)| start != address) {
            return Err(Status::INVALID_VALUE);
        }
        driver.submit(stream, Operation::Free { address })
    }

    fn cuMemHostAlloc(driver, address: Out<u64>, length: usize, _flags: c_uint) {
        address.set(driver.allocate(length, Kind::Pinned)?)
    }

    fn cuMemFreeHost(driver, address: u64) {
        driver.free(address, &[Kind::Pinned])
    }

    fn cuMemHostGetDevicePointer_v2(driver, device: Out<u64>, address: u64, _flags: c_uint) {
        match driver.memory.find(address) {
            Some((_, held)) if held.on_host() => device.set(address),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn cuMemHostRegister_v2(driver, address: u64, length: usize, _flags: c_uint) {
        driver.healthy()?;
        driver.memory.register(address, length)
    }

    fn cuMemHostUnregister(driver, address: u64) {
        driver.healthy()?;
        driver.memory.free(address, &[Kind::Registered]).map_err(|_| Status::HOST_MEMORY_NOT_REGISTERED)
    }

    fn cuMemGetAddressRange_v2(driver, base: Out<u64>, size: Out<usize>, address: u64) {
        driver.healthy()?;
        match driver.memory.find(address) {
            Some((start, held)) if !held.is_only_on_host() => {
                base.set_if_wanted(start);
                size.set_if_wanted(held.length);
                Ok(())
            }
            _ => Err(Status::NOT_FOUND),
        }
    }

    fn cuMemGetInfo_v2(driver, free: Out<u64>, total: Out<u64>) {
        driver.healthy()?;
        free.set_if_wanted(driver.memory.free_bytes());
        total.set_if_wanted(TOTAL_MEMORY);
        Ok(())
    }

    fn cuPointerGetAttribute(driver, data: Out<c_void>, attribute: c_uint, address: u64) {
        driver.pointer_attribute(attribute, address, data)
    }

    fn cuPointerGetAttributes(
        driver, count: c_uint, attributes: In<c_uint>, data: In<Out<c_void>>, address: u64,
    ) {
        driver.current()?;
        let all = attributes.take(count as usize)?.into_iter().zip(data.take(count as usize)?);
        for (attribute, data) in all {
            driver.pointer_attribute_or_null(attribute, address, data)?;
        }
        Ok(())
    }

    fn cuMemAdvise_v2(driver, address: u64, length: usize, _advice: c_uint, _location: Location) {
        driver.managed(address, length)
    }

    fn cuMemPrefetchAsync_v2(
        driver, address: u64, length: usize, location: Location, _flags: c_uint, stream: Handle,
    ) {
        const DEVICE: c_uint = 1;
        driver.managed(address, length)?;
        if location.kind == DEVICE {
            driver.device(location.id)?;
        }
        driver.submit(stream, Operation::Nothing)
    }

    fn cuStreamAttachMemAsync(driver, stream: Handle, address: u64, length: usize, _flags: c_uint) {
        // Length 0 means the whole allocation.
        driver.managed(address, length)?;
        driver.submit(stream, Operation::Nothing)
    }
}

impl Driver {
    /// Whether the range is managed memory.
    fn managed(&self, address: u64, length: usize) -> Outcome {
        let (_, held) = self.memory.find(address).ok_or(Status::INVALID_VALUE)?;
        if held.kind != Kind::Managed || !self.memory.holds(address, length) {
            return Err(Status::INVALID_VALUE);
        }
        Ok(())
    }
}

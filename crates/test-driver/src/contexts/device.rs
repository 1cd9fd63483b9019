//! Devices: `cuInit`, `cuDevice*`, and the properties of each GPU generation (CUDA C++ programming guide, "Compute
//! capabilities").

use std::{
    ffi::{c_char, c_int, c_uint},
    sync::Arc,
};

use crate::{
    contexts::{context::Remains, exit},
    entry::Out,
    error::{Outcome, Status},
    handle::Handle,
    memory::{TOTAL_MEMORY, pool::Pool, texture},
    state::Driver,
};

/// One device.
#[derive(Debug)]
pub(crate) struct Device {
    /// The handle of its primary context. It never changes, as on a real driver.
    pub(crate) primary: Handle,
    pub(crate) retained: u32,
    pub(crate) primary_flags: u32,
    /// What a stack holds of the primary context, once it was created.
    pub(crate) remains: Option<Arc<Remains>>,
    pub(crate) default_pool: Handle,
    pub(crate) pool: Handle,
}

/// The properties that differ between GPU generations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) threads_per_sm: u32,
    pub(crate) blocks_per_sm: u32,
    pub(crate) shared_per_sm: u32,
    /// Maximum shared memory of a block with opt-in.
    pub(crate) shared_opt_in: u32,
}

pub(crate) const MULTIPROCESSORS: u32 = 132;
pub(crate) const MAX_THREADS: u32 = 1024;
pub(crate) const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
pub(crate) const MAX_GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// Shared memory of a block without opt-in.
pub(crate) const SHARED_DEFAULT: u32 = 48 * 1024;
/// Shared memory that the system reserves in each block since sm_80.
pub(crate) const SHARED_RESERVED: u32 = 1024;
pub(crate) const REGISTERS: u32 = 65536;

pub(crate) fn figures(sm: u32) -> Figures {
    let (threads_per_sm, blocks_per_sm, shared_per_sm, shared_opt_in) = match sm {
        0..80 => (1024, 16, 64, 64),
        80 | 87 => (2048, 32, 164, 163),
        81..=86 => (1536, 16, 100, 99),
        90..120 => (2048, 32, 228, 227),
        // 88, 89, and 120 or later.
        _ => (1536, 24, 100, 99),
    };
    Figures { threads_per_sm, blocks_per_sm, shared_per_sm: shared_per_sm * 1024, shared_opt_in: shared_opt_in * 1024 }
}

impl Driver {
    /// Creates the configured devices, before any context exists.
    pub(crate) fn make_devices(&mut self) {
        self.devices = (0..self.config.devices.cast_signed())
            .map(|ordinal| {
                let pool = self.pools.insert(Pool::of_device(ordinal));
                let primary = self.contexts.reserve();
                Device { primary, retained: 0, primary_flags: 0, remains: None, default_pool: pool, pool }
            })
            .collect();
    }

    pub(crate) fn device(&mut self, ordinal: c_int) -> Outcome<&mut Device> {
        usize::try_from(ordinal).ok().and_then(|index| self.devices.get_mut(index)).ok_or(Status::INVALID_DEVICE)
    }

    pub(crate) fn figures(&self) -> Figures {
        figures(self.config.sm)
    }

    /// Returns a device attribute by its number in `CUdevice_attribute`. Attributes without a relation to launches,
    /// memory or streams are 0, which is also the value for a missing feature.
    fn attribute(&self, attribute: c_uint, ordinal: c_int) -> u32 {
        let figures = self.figures();
        let sm = self.config.sm;
        match attribute {
            1 => MAX_THREADS,
            2..=4 => MAX_BLOCK[attribute as usize - 2],
            5..=7 => MAX_GRID[attribute as usize - 5],
            8 => SHARED_DEFAULT,
            9 | 12 | 82 => REGISTERS,
            11 => 0x7fff_ffff,
            13 => 1_980_000,
            16 => MULTIPROCESSORS,
            // GPU_OVERLAP, CAN_MAP_HOST_MEMORY, CONCURRENT_KERNELS, UNIFIED_ADDRESSING, STREAM_PRIORITIES_SUPPORTED,
            // cache flags, MANAGED_MEMORY, CONCURRENT_MANAGED_ACCESS, COMPUTE_PREEMPTION_SUPPORTED,
            // COOPERATIVE_LAUNCH, HOST_REGISTER_SUPPORTED, MEMORY_POOLS_SUPPORTED.
            15 | 19 | 31 | 41 | 78 | 79 | 80 | 83 | 89 | 90 | 95 | 99 | 115 => 1,
            33 => ordinal.unsigned_abs() + 1,
            36 => 2_619_000,
            37 => 5120,
            38 => 50 << 20,
            39 => figures.threads_per_sm,
            40 => 3,
            10 => 32,
            75 => sm / 10,
            76 => sm % 10,
            81 => figures.shared_per_sm,
            85 => ordinal.unsigned_abs(),
            97 => figures.shared_opt_in,
            106 => figures.blocks_per_sm,
            // MAX_PERSISTING_L2_CACHE_SIZE, MAX_ACCESS_POLICY_WINDOW_SIZE, MEM_SYNC_DOMAIN_COUNT.
            108 if sm >= 80 => 32 << 20,
            109 if sm >= 80 => 128 << 20,
            126 => {
                if sm >= 90 {
                    4
                } else {
                    1
                }
            }
            111 if sm >= 80 => SHARED_RESERVED,
            120 | 127 => u32::from(sm >= 90),
            _ => texture::attribute(attribute).unwrap_or(0),
        }
    }
}

fn uuid(ordinal: c_int) -> [u8; 16] {
    let mut bytes = *b"kernel-args-sim0";
    bytes[15] = b'0' + ordinal.to_le_bytes()[0];
    bytes
}

entry_points! {
    fn cuInit(driver, flags: c_uint) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        if driver.devices.is_empty() {
            return Err(Status::NO_DEVICE);
        }
        driver.initialised = true;
        exit::register();
        Ok(())
    }

    fn cuDriverGetVersion(driver, version: Out<c_int>) {
        version.set(driver.config.version)
    }

    fn cuDeviceGetCount(driver, count: Out<c_int>) {
        count.set(driver.config.devices.cast_signed())
    }

    fn cuDeviceGet(driver, device: Out<c_int>, ordinal: c_int) {
        driver.device(ordinal)?;
        device.set(ordinal)
    }

    fn cuDeviceGetName(driver, name: Out<c_char>, length: c_int, device: c_int) {
        driver.device(device)?;
        let capacity = usize::try_from(length).map_err(|_| Status::INVALID_VALUE)?;
        name.set_text("kernel-args test driver (no GPU)", capacity).map(drop)
    }

    fn cuDeviceGetUuid(driver, id: Out<[u8; 16]>, device: c_int) {
        driver.device(device)?;
        id.set(uuid(device))
    }

    fn cuDeviceGetUuid_v2(driver, id: Out<[u8; 16]>, device: c_int) {
        driver.device(device)?;
        id.set(uuid(device))
    }

    fn cuDeviceTotalMem_v2(driver, bytes: Out<u64>, device: c_int) {
        driver.device(device)?;
        bytes.set(TOTAL_MEMORY)
    }

    fn cuDeviceGetAttribute(driver, value: Out<c_int>, attribute: c_uint, device: c_int) {
        driver.device(device)?;
        value.set(driver.attribute(attribute, device).cast_signed())
    }
}

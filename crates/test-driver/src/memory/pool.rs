//! Memory pools: `cuMemPool*` and the devices' default pools. A pool only stores its attributes here; memory is freed
//! immediately.

use std::{
    collections::HashMap,
    ffi::{c_int, c_uint, c_void},
};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    state::Driver,
};

/// A memory pool.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) device: c_int,
    /// `CUmemPool_attribute` by number: 1 to 3 are `int` switches, 4 to 8 `u64` figures.
    attributes: HashMap<c_uint, u64>,
}

impl Pool {
    pub(crate) fn of_device(device: c_int) -> Self {
        Self { device, attributes: (1..=8).map(|id| (id, u64::from(id <= 3))).collect() }
    }
}

/// The first fields of `CUmemPoolProps`: allocation type, handle types, location type, location id.
pub(crate) type PoolProperties = [c_int; 4];

impl Driver {
    fn default_pool(&mut self, device: c_int) -> Outcome<Handle> {
        Ok(self.device(device)?.default_pool)
    }
}

entry_points! {
    fn cuDeviceGetDefaultMemPool(driver, pool: Out<Handle>, device: c_int) {
        pool.set(driver.default_pool(device)?)
    }

    fn cuDeviceGetMemPool(driver, pool: Out<Handle>, device: c_int) {
        pool.set(driver.device(device)?.pool)
    }

    fn cuDeviceSetMemPool(driver, device: c_int, pool: Handle) {
        if driver.pools.get(pool)?.device != device {
            return Err(Status::INVALID_VALUE);
        }
        driver.device(device)?.pool = pool;
        Ok(())
    }

    fn cuMemPoolCreate(driver, pool: Out<Handle>, properties: In<PoolProperties>) {
        const PINNED: c_int = 1;
        const DEVICE: c_int = 1;
        let [allocation, _, location, device] = properties.get()?;
        if allocation != PINNED || location != DEVICE {
            return Err(Status::INVALID_VALUE);
        }
        driver.device(device)?;
        let handle = driver.pools.insert(Pool::of_device(device));
        pool.set(handle)
    }

    fn cuMemPoolDestroy(driver, pool: Handle) {
        if driver.devices.iter().any(|device| device.default_pool == pool) {
            return Err(Status::INVALID_VALUE);
        }
        driver.pools.remove(pool).map_err(|_| Status::INVALID_VALUE)?;
        for device in &mut driver.devices {
            if device.pool == pool {
                device.pool = device.default_pool;
            }
        }
        Ok(())
    }

    fn cuMemPoolGetAttribute(driver, pool: Handle, attribute: c_uint, value: Out<c_void>) {
        let held = driver.pools.get(pool)?.attributes.get(&attribute).copied();
        let held = held.ok_or(Status::INVALID_VALUE)?;
        if attribute <= 3 { value.cast::<u32>().set(held as u32) } else { value.cast::<u64>().set(held) }
    }

    fn cuMemPoolSetAttribute(driver, pool: Handle, attribute: c_uint, value: Out<c_void>) {
        let held = driver.pools.get_mut(pool)?.attributes.get_mut(&attribute).ok_or(Status::INVALID_VALUE)?;
        *held = if attribute <= 3 { u64::from(value.cast::<u32>().get()?) } else { value.cast::<u64>().get()? };
        Ok(())
    }

    fn cuMemPoolTrimTo(driver, pool: Handle, _keep: usize) {
        driver.pools.get(pool).map(drop)
    }
}

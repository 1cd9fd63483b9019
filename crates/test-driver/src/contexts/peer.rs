//! Access to the memory of a different device: `cuCtxEnablePeerAccess` and `cuMemPoolSetAccess`.

use std::ffi::{c_int, c_uint};

use crate::{
    entry::{In, Out},
    error::Status,
    handle::Handle,
    memory::Peers,
};

/// `CUmemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Access {
    location: c_uint,
    device: c_int,
    flags: c_uint,
}

/// `CU_MEM_LOCATION_TYPE_DEVICE`.
const DEVICE: c_uint = 1;
/// `CU_MEM_ACCESS_FLAGS_PROT_NONE`, `_READ`, `_READWRITE`.
const NONE: c_uint = 0;
const READ_WRITE: c_uint = 3;

entry_points! {
    fn cuDeviceCanAccessPeer(driver, can: Out<c_int>, device: c_int, peer: c_int) {
        driver.device(device)?;
        driver.device(peer)?;
        // A device is not its own peer.
        can.set(c_int::from(device != peer && driver.config.peers))
    }

    fn cuCtxEnablePeerAccess(driver, peer: Handle, flags: c_uint) {
        let context = driver.healthy()?;
        let owner = driver.context(peer)?.device;
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        if peer == context {
            return Err(Status::INVALID_CONTEXT);
        }
        if driver.context(context)?.device == owner || !driver.config.peers {
            return Err(Status::PEER_ACCESS_UNSUPPORTED);
        }
        let Peers { contexts, .. } = &mut driver.memory.peers;
        if contexts.insert((context, peer)) { Ok(()) } else { Err(Status::PEER_ACCESS_ALREADY_ENABLED) }
    }

    fn cuCtxDisablePeerAccess(driver, peer: Handle) {
        let context = driver.healthy()?;
        if driver.memory.peers.contexts.remove(&(context, peer)) {
            Ok(())
        } else {
            Err(Status::PEER_ACCESS_NOT_ENABLED)
        }
    }

    fn cuMemPoolSetAccess(driver, pool: Handle, map: In<Access>, count: usize) {
        let owner = driver.pools.get(pool)?.device;
        for access in map.take(count)? {
            driver.device(access.device)?;
            if access.location != DEVICE || access.flags > READ_WRITE {
                return Err(Status::INVALID_VALUE);
            }
            let Peers { pools, .. } = &mut driver.memory.peers;
            if access.flags == NONE {
                pools.remove(&(access.device, owner));
            } else if driver.config.peers || access.device == owner {
                pools.insert((access.device, owner));
            } else {
                return Err(Status::INVALID_DEVICE);
            }
        }
        Ok(())
    }
}

//! Devices and their properties.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::call::{get, ok, primary, start};
use crate::{
    client::proc_address::cuGetProcAddress_v2,
    contexts::{
        context::{cuCtxGetLimit, cuCtxGetStreamPriorityRange, cuCtxSetLimit, cuCtxSynchronize},
        device::{
            cuDeviceGetAttribute, cuDeviceGetCount, cuDeviceGetName, cuDeviceGetUuid_v2, cuDeviceTotalMem_v2,
            cuDriverGetVersion,
        },
        peer::{cuCtxDisablePeerAccess, cuCtxEnablePeerAccess, cuDeviceCanAccessPeer},
    },
    entry::{Out, Text, out_to},
    error::{Outcome, Status},
};

/// `cudaDeviceProp`: the first fields, which both versions of the runtime have, and where the rest begins.
#[derive(Clone, Copy)]
#[repr(C)]
struct Start {
    name: [u8; 256],
    uuid: [u8; 16],
    luid: [u8; 8],
    node: c_uint,
    memory: usize,
    shared: usize,
    registers: c_int,
    warp: c_int,
    pitch: usize,
    threads: c_int,
    block: [c_int; 3],
    grid: [c_int; 3],
}

/// Offsets of fields in `cudaDeviceProp` of CUDA 12 and 13, and their attributes.
const FIELDS: [(usize, usize, c_uint); 28] = [
    (352, 352, 9),
    (360, 360, 75),
    (364, 364, 76),
    (368, 368, 14),
    (376, 376, 51),
    (388, 384, 16),
    (396, 388, 18),
    (400, 392, 19),
    (576, 560, 31),
    (580, 564, 32),
    (600, 584, 40),
    (604, 588, 41),
    (612, 592, 37),
    (616, 596, 38),
    (624, 604, 39),
    (628, 608, 78),
    (640, 624, 81),
    (648, 632, 82),
    (652, 636, 83),
    (676, 656, 89),
    (672, 652, 88),
    (684, 664, 91),
    (688, 668, 95),
    (696, 672, 97),
    (712, 688, 106),
    (744, 720, 115),
    (772, 748, 120),
    (720, 696, 111),
];

fn properties(device: c_int, is_old: bool) -> Outcome<Vec<u8>> {
    let number = |attribute| get(|out| cuDeviceGetAttribute(out, attribute, device));
    let size = |attribute| number(attribute).map(|value| usize::try_from(value).unwrap_or(0));
    let mut start = Start {
        name: [0; 256],
        uuid: [0; 16],
        luid: [0; 8],
        node: 0,
        memory: get(|out: Out<u64>| cuDeviceTotalMem_v2(out, device))? as usize,
        shared: size(8)?,
        registers: number(12)?,
        warp: number(10)?,
        pitch: i32::MAX as usize,
        threads: number(1)?,
        block: [number(2)?, number(3)?, number(4)?],
        grid: [number(5)?, number(6)?, number(7)?],
    };
    ok(cuDeviceGetName(out_to(&mut start.name).cast::<c_char>(), 256, device))?;
    ok(cuDeviceGetUuid_v2(out_to(&mut start.uuid), device))?;
    let mut bytes = vec![0; if is_old { 1032 } else { 1008 }];
    out_to(&mut bytes[0]).cast::<Start>().set(start)?;
    for (old, new, attribute) in FIELDS {
        let at = if is_old { old } else { new };
        bytes[at..at + 4].copy_from_slice(&number(attribute).unwrap_or(0).to_le_bytes());
    }
    Ok(bytes)
}

runtime_functions! {
    fn cudaGetDeviceProperties(out: Out<u8>, device: c_int) {
        let bytes = properties(device, false)?;
        out.fill(&bytes, bytes.len())
    }

    /// The name in CUDA 12.
    fn cudaGetDeviceProperties_v2(out: Out<u8>, device: c_int) {
        let bytes = properties(device, true)?;
        out.fill(&bytes, bytes.len())
    }

    fn cudaDeviceSetCacheConfig(_config: c_uint) {
        Ok(())
    }

    fn cudaSetDeviceFlags(_flags: c_uint) {
        start()
    }

    fn cudaGetDeviceFlags(flags: Out<c_uint>) {
        flags.set(0)
    }

    /// The version of the driver, whose interface this runtime has.
    fn cudaRuntimeGetVersion(version: Out<c_int>) {
        ok(cuDriverGetVersion(version))
    }

    fn cudaGetDriverEntryPointByVersion(
        name: Text, address: Out<*const c_void>, version: c_uint, flags: u64, status: Out<c_uint>,
    ) {
        let version = c_int::try_from(version).map_err(|_| Status::INVALID_VALUE)?;
        ok(cuGetProcAddress_v2(name, address, version, flags, status))
    }
}

forwarded! {
    cudaGetDeviceCount(count: Out<c_int>) => cuDeviceGetCount(count);
    cudaDeviceGetAttribute(value: Out<c_int>, attribute: c_uint, device: c_int)
        => cuDeviceGetAttribute(value, attribute, device);
    cudaDeviceSynchronize() => cuCtxSynchronize();
    cudaThreadSynchronize() => cuCtxSynchronize();
    cudaDeviceGetLimit(value: Out<usize>, limit: c_uint) => cuCtxGetLimit(value, limit);
    cudaDeviceSetLimit(limit: c_uint, value: usize) => cuCtxSetLimit(limit, value);
    cudaDeviceGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>)
        => cuCtxGetStreamPriorityRange(least, greatest);
    cudaDeviceCanAccessPeer(can: Out<c_int>, device: c_int, peer: c_int) => cuDeviceCanAccessPeer(can, device, peer);
    cudaDeviceEnablePeerAccess(peer: c_int, flags: c_uint) => cuCtxEnablePeerAccess(primary(peer)?, flags);
    cudaDeviceDisablePeerAccess(peer: c_int) => cuCtxDisablePeerAccess(primary(peer)?);
    cudaDriverGetVersion(version: Out<c_int>) => cuDriverGetVersion(version);
    cudaGetDriverEntryPoint(name: Text, address: Out<*const c_void>, flags: u64, status: Out<c_uint>)
        => cuGetProcAddress_v2(name, address, 13000, flags, status);
}

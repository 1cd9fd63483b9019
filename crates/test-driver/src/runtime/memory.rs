//! Memory and copies.

use std::ffi::{c_int, c_uint, c_void};

use super::{
    call::{INVALID_DIRECTION, get, ok},
    registered::variable,
};
use crate::{
    contexts::context::cuCtxGetDevice,
    entry::{In, Out, in_at, out_at},
    error::{Outcome, Status},
    handle::Handle,
    memory::{
        Place,
        copy::{
            cuMemcpyAsync, cuMemcpyDtoDAsync_v2, cuMemcpyDtoHAsync_v2, cuMemcpyHtoDAsync_v2, cuMemcpyPeerAsync,
            cuMemsetD8Async,
        },
        pointer::{
            cuMemAlloc_v2, cuMemAllocAsync, cuMemAllocFromPoolAsync, cuMemAllocManaged, cuMemFree_v2, cuMemFreeAsync,
            cuMemFreeHost, cuMemGetInfo_v2, cuMemHostAlloc, cuMemHostGetDevicePointer_v2, cuMemHostRegister_v2,
            cuMemHostUnregister,
        },
        region::{Copy3D, cuMemcpy3DAsync_v2},
    },
    state,
    streams::stream::cuStreamSynchronize,
};

/// `cudaMemcpyKind`
const HOST_TO_HOST: c_uint = 0;
const HOST_TO_DEVICE: c_uint = 1;
const DEVICE_TO_HOST: c_uint = 2;
const DEVICE_TO_DEVICE: c_uint = 3;
const DEFAULT: c_uint = 4;

/// The alignment of rows of `cudaMallocPitch`.
const PITCH: usize = 512;

/// Returns the place of an address of a copy in a direction, from or to.
fn place(address: u64, kind: c_uint, is_source: bool) -> Outcome<Place> {
    let is_device = match kind {
        HOST_TO_HOST => false,
        HOST_TO_DEVICE => !is_source,
        DEVICE_TO_HOST => is_source,
        DEVICE_TO_DEVICE => true,
        DEFAULT => state::lock().memory.find(address).is_some(),
        _ => return Err(INVALID_DIRECTION),
    };
    Ok(if is_device { Place::Device(address) } else { Place::Host(address) })
}

fn copy(to: u64, from: u64, length: usize, kind: c_uint, stream: Handle) -> Outcome {
    if length == 0 {
        return Ok(());
    }
    let host_from = || in_at::<c_void>(from as usize);
    let host_to = || out_at::<c_void>(to as usize);
    ok(match (place(to, kind, false)?, place(from, kind, true)?) {
        (Place::Device(_), Place::Device(_)) => cuMemcpyDtoDAsync_v2(to, from, length, stream),
        (Place::Device(_), Place::Host(_)) => cuMemcpyHtoDAsync_v2(to, host_from(), length, stream),
        (Place::Host(_), Place::Device(_)) => cuMemcpyDtoHAsync_v2(host_to(), from, length, stream),
        (Place::Host(_), Place::Host(_)) => cuMemcpyAsync(to, from, length, stream),
    })
}

/// The same, and waits. Host memory cannot change before the copy.
fn copy_now(to: u64, from: u64, length: usize, kind: c_uint, stream: Handle) -> Outcome {
    copy(to, from, length, kind, stream)?;
    ok(cuStreamSynchronize(stream))
}

/// Returns an address in a variable, if `length` bytes at `offset` are in it.
fn inside(symbol: usize, offset: usize, length: usize) -> Outcome<u64> {
    let (address, size) = variable(symbol)?;
    let fits = offset.checked_add(length).is_some_and(|end| end <= size);
    if fits { Ok(address + offset as u64) } else { Err(Status::INVALID_VALUE) }
}

/// A side of a copy of rows.
type Rows = (u64, usize);

fn copy_rows(to: Rows, from: Rows, (width, height): (usize, usize), kind: c_uint, stream: Handle) -> Outcome {
    if width == 0 || height == 0 {
        return Ok(());
    }
    let [to, from] = [(place(to.0, kind, false)?, to.1), (place(from.0, kind, true)?, from.1)];
    let copy = Copy3D::of_rows(to, from, width, height);
    ok(cuMemcpy3DAsync_v2(In::of(&copy), stream))
}

fn fill_rows((start, pitch): Rows, value: c_int, (width, height): (usize, usize), stream: Handle) -> Outcome {
    for row in 0..if width == 0 { 0 } else { height } {
        let at = start.wrapping_add(row.wrapping_mul(pitch) as u64);
        ok(cuMemsetD8Async(at, value.to_le_bytes()[0], width, stream))?;
    }
    Ok(())
}

/// `cudaPointerAttributes`
#[derive(Clone, Copy)]
#[repr(C)]
struct PointerAttributes {
    kind: c_uint,
    device: c_int,
    device_pointer: u64,
    host_pointer: u64,
}

/// The default stream of each thread.
const PER_THREAD: Handle = Handle(2);

fn per_thread(stream: Handle) -> Handle {
    if stream.is_null() { PER_THREAD } else { stream }
}

runtime_functions! {
    fn cudaMemcpy2D_ptds(to: u64, to_pitch: usize, from: u64, pitch: usize, width: usize, height: usize, kind: c_uint) {
        copy_rows((to, to_pitch), (from, pitch), (width, height), kind, PER_THREAD)
    }

    fn cudaMemcpy2DAsync_ptsz(
        to: u64, to_pitch: usize, from: u64, pitch: usize, width: usize, height: usize, kind: c_uint, stream: Handle,
    ) {
        copy_rows((to, to_pitch), (from, pitch), (width, height), kind, per_thread(stream))
    }

    fn cudaMemcpyToSymbol_ptds(symbol: usize, from: u64, length: usize, offset: usize, kind: c_uint) {
        copy_now(inside(symbol, offset, length)?, from, length, kind, PER_THREAD)
    }

    fn cudaMemcpyFromSymbol_ptds(to: u64, symbol: usize, length: usize, offset: usize, kind: c_uint) {
        copy_now(to, inside(symbol, offset, length)?, length, kind, PER_THREAD)
    }

    fn cudaMalloc(address: Out<u64>, length: usize) {
        if length == 0 {
            return address.set(0);
        }
        ok(cuMemAlloc_v2(address, length))
    }

    fn cudaMallocPitch(address: Out<u64>, pitch: Out<usize>, width: usize, height: usize) {
        let row = width.checked_next_multiple_of(PITCH).ok_or(Status::OUT_OF_MEMORY)?;
        pitch.set(row)?;
        let length = row.checked_mul(height).ok_or(Status::OUT_OF_MEMORY)?;
        if length == 0 {
            return address.set(0);
        }
        ok(cuMemAlloc_v2(address, length))
    }

    fn cudaFree(address: u64) {
        if address == 0 { Ok(()) } else { ok(cuMemFree_v2(address)) }
    }

    fn cudaFreeHost(address: u64) {
        if address == 0 { Ok(()) } else { ok(cuMemFreeHost(address)) }
    }

    /// All memory is where the host's is. The arguments differ between CUDA 12 and 13.
    fn cudaMemPrefetchAsync() {
        Ok(())
    }

    /// The same.
    fn cudaMemAdvise() {
        Ok(())
    }

    fn cudaMemcpy(to: u64, from: u64, length: usize, kind: c_uint) {
        copy_now(to, from, length, kind, Handle::NULL)
    }

    fn cudaMemcpy_ptds(to: u64, from: u64, length: usize, kind: c_uint) {
        copy_now(to, from, length, kind, PER_THREAD)
    }

    fn cudaMemcpyAsync(to: u64, from: u64, length: usize, kind: c_uint, stream: Handle) {
        copy(to, from, length, kind, stream)
    }

    fn cudaMemcpyAsync_ptsz(to: u64, from: u64, length: usize, kind: c_uint, stream: Handle) {
        copy(to, from, length, kind, per_thread(stream))
    }

    fn cudaMemcpyPeer(to: u64, to_device: c_int, from: u64, from_device: c_int, length: usize) {
        let [to_context, from_context] = [super::call::primary(to_device)?, super::call::primary(from_device)?];
        ok(cuMemcpyPeerAsync(to, to_context, from, from_context, length, Handle::NULL))
    }

    fn cudaMemcpyPeerAsync(to: u64, to_device: c_int, from: u64, from_device: c_int, length: usize, stream: Handle) {
        let [to_context, from_context] = [super::call::primary(to_device)?, super::call::primary(from_device)?];
        ok(cuMemcpyPeerAsync(to, to_context, from, from_context, length, stream))
    }

    fn cudaMemcpy2D(to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_uint) {
        copy_rows((to, to_pitch), (from, from_pitch), (width, height), kind, Handle::NULL)?;
        ok(cuStreamSynchronize(Handle::NULL))
    }

    fn cudaMemcpy2DAsync(
        to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: c_uint, stream: Handle,
    ) {
        copy_rows((to, to_pitch), (from, from_pitch), (width, height), kind, stream)
    }

    fn cudaMemset(address: u64, value: c_int, length: usize) {
        fill_rows((address, 0), value, (length, usize::from(length > 0)), Handle::NULL)
    }

    fn cudaMemset_ptds(address: u64, value: c_int, length: usize) {
        fill_rows((address, 0), value, (length, usize::from(length > 0)), PER_THREAD)
    }

    fn cudaMemsetAsync(address: u64, value: c_int, length: usize, stream: Handle) {
        fill_rows((address, 0), value, (length, usize::from(length > 0)), stream)
    }

    fn cudaMemsetAsync_ptsz(address: u64, value: c_int, length: usize, stream: Handle) {
        fill_rows((address, 0), value, (length, usize::from(length > 0)), per_thread(stream))
    }

    fn cudaMemset2D(address: u64, pitch: usize, value: c_int, width: usize, height: usize) {
        fill_rows((address, pitch), value, (width, height), Handle::NULL)
    }

    fn cudaMemset2DAsync(address: u64, pitch: usize, value: c_int, width: usize, height: usize, stream: Handle) {
        fill_rows((address, pitch), value, (width, height), stream)
    }

    fn cudaMemcpyToSymbol(symbol: usize, from: u64, length: usize, offset: usize, kind: c_uint) {
        copy_now(inside(symbol, offset, length)?, from, length, kind, Handle::NULL)
    }

    fn cudaMemcpyToSymbolAsync(symbol: usize, from: u64, length: usize, offset: usize, kind: c_uint, stream: Handle) {
        copy(inside(symbol, offset, length)?, from, length, kind, stream)
    }

    fn cudaMemcpyFromSymbol(to: u64, symbol: usize, length: usize, offset: usize, kind: c_uint) {
        copy_now(to, inside(symbol, offset, length)?, length, kind, Handle::NULL)
    }

    fn cudaMemcpyFromSymbolAsync(to: u64, symbol: usize, length: usize, offset: usize, kind: c_uint, stream: Handle) {
        copy(to, inside(symbol, offset, length)?, length, kind, stream)
    }

    fn cudaPointerGetAttributes(attributes: Out<PointerAttributes>, address: u64) {
        let found = state::lock().memory.find(address);
        let device = get(|out| cuCtxGetDevice(out))?;
        attributes.set(match found {
            None => PointerAttributes { kind: 0, device: -2, device_pointer: 0, host_pointer: address },
            Some((_, held)) => {
                let kind = if held.is_only_on_host() { 1 } else if held.on_host() { 3 } else { 2 };
                let device = if held.on_host() { device } else { held.device };
                let host_pointer = if held.on_host() { address } else { 0 };
                PointerAttributes { kind, device, device_pointer: address, host_pointer }
            }
        })
    }
}

forwarded! {
    cudaMallocFromPoolAsync_ptsz(address: Out<u64>, length: usize, pool: Handle, stream: Handle)
        => cuMemAllocFromPoolAsync(address, length, pool, per_thread(stream));
    cudaMallocManaged(address: Out<u64>, length: usize, flags: c_uint) => cuMemAllocManaged(address, length, flags);
    cudaMallocHost(address: Out<u64>, length: usize) => cuMemHostAlloc(address, length, 0);
    cudaHostAlloc(address: Out<u64>, length: usize, flags: c_uint) => cuMemHostAlloc(address, length, flags);
    cudaHostRegister(address: u64, length: usize, flags: c_uint) => cuMemHostRegister_v2(address, length, flags);
    cudaHostUnregister(address: u64) => cuMemHostUnregister(address);
    cudaHostGetDevicePointer(device: Out<u64>, address: u64, flags: c_uint)
        => cuMemHostGetDevicePointer_v2(device, address, flags);
    cudaMallocAsync(address: Out<u64>, length: usize, stream: Handle) => cuMemAllocAsync(address, length, stream);
    cudaMallocAsync_ptsz(address: Out<u64>, length: usize, stream: Handle)
        => cuMemAllocAsync(address, length, per_thread(stream));
    cudaMallocFromPoolAsync(address: Out<u64>, length: usize, pool: Handle, stream: Handle)
        => cuMemAllocFromPoolAsync(address, length, pool, stream);
    cudaFreeAsync(address: u64, stream: Handle) => cuMemFreeAsync(address, stream);
    cudaFreeAsync_ptsz(address: u64, stream: Handle) => cuMemFreeAsync(address, per_thread(stream));
    cudaMemGetInfo(free: Out<u64>, total: Out<u64>) => cuMemGetInfo_v2(free, total);
}

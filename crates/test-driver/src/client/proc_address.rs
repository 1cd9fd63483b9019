//! `cuGetProcAddress`: entry points by name, in the newest version of each.

use std::{
    ffi::{c_int, c_uint, c_void},
    sync::Once,
};

use crate::{
    client::{control, not_simulated, settings::NEWER},
    contexts::{context, device, error, green, peer},
    entry::{Entry, In, Out, Text},
    error::{Outcome, Status},
    graphs,
    images::{function, library, link, module},
    launches::{launch, occupancy},
    memory::{copy, pointer, pool, region, texture},
    state::Driver,
    streams::{capture, event, stream},
};

/// `CU_GET_PROC_ADDRESS_SUCCESS`, `_SYMBOL_NOT_FOUND`.
const FOUND: c_uint = 0;
const NOT_FOUND: c_uint = 1;

/// The table that a static CUDA runtime requests first (seen with CUDA 12 and 13).
const RUNTIME: [u8; 16] = 0x6bd5_fb6c_5bf4_e74a_8987_d939_12fd_9df9_u128.to_be_bytes();
const STATIC: &str = "the static CUDA runtime does not run on the test driver: link with `-cudart shared`. Libraries with \
    a CUDA runtime of their own, such as cuBLAS, cuRAND and cuDNN, do not run";

/// Returns the exported functions that are simulated.
fn entries() -> impl Iterator<Item = &'static Entry> {
    [
        ENTRIES,
        capture::ENTRIES,
        context::ENTRIES,
        copy::ENTRIES,
        device::ENTRIES,
        error::ENTRIES,
        event::ENTRIES,
        function::ENTRIES,
        graphs::graph::ENTRIES,
        graphs::attribute::ENTRIES,
        graphs::edit::ENTRIES,
        graphs::exec::ENTRIES,
        graphs::inside::ENTRIES,
        graphs::kernel::ENTRIES,
        graphs::kinds::ENTRIES,
        graphs::memory::ENTRIES,
        graphs::update::ENTRIES,
        green::ENTRIES,
        launch::ENTRIES,
        library::ENTRIES,
        link::ENTRIES,
        module::ENTRIES,
        occupancy::ENTRIES,
        peer::ENTRIES,
        pointer::ENTRIES,
        pool::ENTRIES,
        region::ENTRIES,
        stream::ENTRIES,
        texture::ENTRIES,
        graphs::user_object::ENTRIES,
        control::ENTRIES,
    ]
    .into_iter()
    .flatten()
}

/// Returns the address of the entry point with exactly this name.
pub(crate) fn exact(name: &str) -> Option<*const c_void> {
    entries().find(|entry| entry.name == name).map(|entry| entry.address)
}

/// Returns the names of all functions of the driver, and of functions that only newer drivers have.
pub(crate) fn names() -> Vec<&'static str> {
    let simulated = entries().map(|entry| entry.name).filter(|name| !name.starts_with(control::PREFIX));
    simulated.chain(not_simulated::NAMES.iter().copied()).chain(NEWER.map(|(name, _)| name)).collect()
}

impl Driver {
    /// Returns the address for a name without a version suffix, with the meaning of CUDA 13.
    fn proc_address(&self, name: &str) -> Option<*const c_void> {
        ["_v4", "_v3", "_v2", ""]
            .iter()
            .map(|version| format!("{name}{version}"))
            .filter(|name| !self.config.is_absent(name))
            .find_map(|name| exact(&name))
    }

    fn give_address(&self, symbol: Text, address: Out<*const c_void>, status: Option<Out<c_uint>>) -> Outcome {
        let found = self.proc_address(&symbol.get()?);
        address.set(found.unwrap_or(std::ptr::null()))?;
        match status.filter(|status| !status.is_null()) {
            // If the caller passes a pointer for the status, only the status reports the failure (seen on driver 580).
            Some(status) => status.set(if found.is_some() { FOUND } else { NOT_FOUND }),
            None => found.map(drop).ok_or(Status::NOT_FOUND),
        }
    }
}

entry_points! {
    fn cuGetProcAddress_v2(
        driver, symbol: Text, address: Out<*const c_void>, _version: c_int, _flags: u64, status: Out<c_uint>,
    ) {
        driver.give_address(symbol, address, Some(status))
    }

    fn cuGetProcAddress(driver, symbol: Text, address: Out<*const c_void>, _version: c_int, _flags: u64) {
        driver.give_address(symbol, address, None)
    }

    /// NVIDIA's libraries request tables of undocumented functions (NVRTC: for the driver's cache of compiled code,
    /// without checking whether the entry point exists). This driver has no such tables.
    fn cuGetExportTable(_driver, table: Out<*const c_void>, id: In<[u8; 16]>) {
        static SAID: Once = Once::new();
        if id.get()? == RUNTIME {
            SAID.call_once(|| eprintln!("kernel-args test driver: {STATIC}"));
        }
        table.set(std::ptr::null())?;
        Err(Status::NOT_FOUND)
    }
}

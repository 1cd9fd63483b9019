//! Options of the driver's compiler and linker: their numbers, their arrays, and the logs that the driver writes.

use core::{ptr, time::Duration};
use cudarc::driver::sys::CUjit_option;
use std::{
    ffi::{CString, c_char, c_void},
    string::String,
    vec,
    vec::Vec,
};

/// A `CUjit_option` as a number: cudarc's enum lacks those that are newer than the application's `cuda-NNNNN` feature.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JitKey(pub(crate) u32);

macro_rules! keys {
    ($($name:ident = $number:literal, $spelled:literal;)*) => {
        impl JitKey {
            $(pub(crate) const $name: Self = Self($number);)*

            pub(crate) fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($number => Some($spelled),)*
                    _ => None,
                }
            }
        }
    };
}

keys! {
    MAX_REGISTERS = 0, "max_registers";
    THREADS_PER_BLOCK = 1, "threads_per_block";
    WALL_TIME = 2, "wall_time";
    INFO_LOG_BUFFER = 3, "info log";
    INFO_LOG_BUFFER_SIZE = 4, "size of the info log";
    ERROR_LOG_BUFFER = 5, "error log";
    ERROR_LOG_BUFFER_SIZE = 6, "size of the error log";
    OPTIMIZATION_LEVEL = 7, "optimization";
    TARGET_FROM_CONTEXT = 8, "target_of_context";
    TARGET = 9, "target";
    FALLBACK_STRATEGY = 10, "fallback";
    DEBUG_INFO = 11, "debug_info";
    LOG_VERBOSE = 12, "verbose";
    LINE_INFO = 13, "line_info";
    CACHE_MODE = 14, "cache_mode";
    GLOBAL_SYMBOL_NAMES = 17, "names of global symbols";
    GLOBAL_SYMBOL_ADDRESSES = 18, "addresses of global symbols";
    GLOBAL_SYMBOL_COUNT = 19, "number of global symbols";
    POSITION_INDEPENDENT_CODE = 30, "position_independent";
    MIN_BLOCKS = 31, "min_blocks_per_multiprocessor";
    MAX_THREADS = 32, "max_threads_per_block";
    OVERRIDE_DIRECTIVES = 33, "override_directives";
    SPLIT_COMPILE = 34, "compile_threads";
    LOADER_THREADS = 35, "loader_threads";
}

/// Arrays of `CUjit_option` and their values. The driver reads each value from the bits of a pointer.
pub(crate) struct DriverOptions {
    keys: Vec<u32>,
    values: Vec<*mut c_void>,
    info: Vec<u8>,
    error: Vec<u8>,
    symbols: Vec<CString>,
    /// The arrays that two of the values point to.
    names: Vec<*const c_char>,
    addresses: Vec<*mut c_void>,
}

impl DriverOptions {
    /// Only the two logs. Each log has room for at least a NUL: driver 580 writes a NUL even if the size is 0.
    pub(crate) fn new(log_size: usize) -> Self {
        let log_size = log_size.max(1);
        let mut options = Self {
            keys: Vec::new(),
            values: Vec::new(),
            info: vec![0; log_size],
            error: vec![0; log_size],
            symbols: Vec::new(),
            names: Vec::new(),
            addresses: Vec::new(),
        };
        let (info, error) = (options.info.as_mut_ptr(), options.error.as_mut_ptr());
        options.pointer(JitKey::INFO_LOG_BUFFER, info.cast());
        options.number(JitKey::INFO_LOG_BUFFER_SIZE, log_size);
        options.pointer(JitKey::ERROR_LOG_BUFFER, error.cast());
        options.number(JitKey::ERROR_LOG_BUFFER_SIZE, log_size);
        options
    }

    pub(crate) fn number(&mut self, key: JitKey, value: usize) {
        self.pointer(key, ptr::without_provenance_mut(value));
    }

    fn pointer(&mut self, key: JitKey, value: *mut c_void) {
        self.keys.push(key.0);
        self.values.push(value);
    }

    /// Adds symbols with their addresses. Must be called at most once.
    pub(crate) fn symbols(&mut self, symbols: &[(CString, usize)]) {
        if symbols.is_empty() {
            return;
        }
        self.symbols = symbols.iter().map(|(name, _)| name.clone()).collect();
        self.names = self.symbols.iter().map(|name| name.as_ptr()).collect();
        let address = |(_, address): &(CString, usize)| ptr::without_provenance_mut(*address);
        self.addresses = symbols.iter().map(address).collect();
        let (names, addresses) = (self.names.as_mut_ptr(), self.addresses.as_mut_ptr());
        self.pointer(JitKey::GLOBAL_SYMBOL_NAMES, names.cast());
        self.pointer(JitKey::GLOBAL_SYMBOL_ADDRESSES, addresses.cast());
        self.number(JitKey::GLOBAL_SYMBOL_COUNT, symbols.len());
    }

    pub(crate) fn count(&self) -> u32 {
        self.keys.len() as u32
    }

    pub(crate) fn keys(&mut self) -> *mut CUjit_option {
        // `CUjit_option` is `repr(u32)`; the driver reads numbers, and has more options than cudarc's enum.
        self.keys.as_mut_ptr().cast()
    }

    pub(crate) fn values(&mut self) -> *mut *mut c_void {
        self.values.as_mut_ptr()
    }

    pub(crate) fn info_log(&self) -> String {
        text(&self.info)
    }

    pub(crate) fn error_log(&self) -> String {
        text(&self.error)
    }

    /// The duration of the load or link, if it was requested. The driver stores it in the value as a `float` of
    /// milliseconds.
    pub(crate) fn wall_time(&self) -> Option<Duration> {
        let at = self.keys.iter().position(|key| *key == JitKey::WALL_TIME.0)?;
        let milliseconds = f32::from_bits(self.values.get(at)?.addr() as u32);
        Duration::try_from_secs_f32(milliseconds / 1000.0).ok()
    }

    #[cfg(test)]
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, *mut c_void)> {
        self.keys.iter().copied().zip(self.values.iter().copied())
    }

    #[cfg(test)]
    pub(crate) fn symbol_arrays(&self) -> Vec<(CString, usize)> {
        let addresses = self.addresses.iter().map(|address| address.addr());
        self.symbols.iter().cloned().zip(addresses).collect()
    }
}

fn text(log: &[u8]) -> String {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim_end().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_the_float_in_the_value() {
        let mut options = DriverOptions::new(16);
        assert_eq!(options.wall_time(), None);
        options.number(JitKey::WALL_TIME, 1.5_f32.to_bits() as usize);
        assert_eq!(options.wall_time(), Some(Duration::from_micros(1500)));
        // A NaN, which no driver writes, gives no duration.
        *options.values.last_mut().unwrap() = ptr::without_provenance_mut(f32::NAN.to_bits() as usize);
        assert_eq!(options.wall_time(), None);
    }

    #[test]
    fn a_log_has_room_for_its_nul() {
        let options = DriverOptions::new(0);
        assert_eq!((options.info.len(), options.error.len()), (1, 1));
        let sizes = [JitKey::INFO_LOG_BUFFER_SIZE, JitKey::ERROR_LOG_BUFFER_SIZE].map(|key| {
            let at = options.keys.iter().position(|one| *one == key.0);
            options.values[at.expect("it is given")].addr()
        });
        assert_eq!(sizes, [1, 1]);
    }

    #[test]
    fn a_log_ends_at_its_nul() {
        let mut options = DriverOptions::new(4);
        options.info.copy_from_slice(b"ab\n\0");
        options.error.copy_from_slice(b"full");
        assert_eq!((options.info_log().as_str(), options.error_log().as_str()), ("ab", "full"));
    }
}

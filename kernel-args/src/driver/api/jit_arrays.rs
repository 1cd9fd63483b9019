//! Options of the driver's compiler and linker: their numbers, their arrays, and the logs that the driver writes.

use core::{ptr, time::Duration};
use cudarc::driver::sys::CUjit_option;
use std::ffi::{CString, c_char, c_void};

/// The options of `CUjit_option` whose values are buffers of this crate.
const WALL_TIME: u32 = 2;
const INFO_LOG_BUFFER: u32 = 3;
const INFO_LOG_BUFFER_SIZE: u32 = 4;
const ERROR_LOG_BUFFER: u32 = 5;
const ERROR_LOG_BUFFER_SIZE: u32 = 6;
const GLOBAL_SYMBOL_NAMES: u32 = 17;
const GLOBAL_SYMBOL_ADDRESSES: u32 = 18;
const GLOBAL_SYMBOL_COUNT: u32 = 19;

/// Arrays of `CUjit_option` and their values. The driver reads each value from the bits of a pointer.
#[derive(Default)]
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
    /// Driver 580 writes a NUL even to a log without room.
    pub(crate) fn new(log_size: usize) -> Self {
        let log_size = log_size.max(1);
        let mut options = Self { info: vec![0; log_size], error: vec![0; log_size], ..Self::default() };
        let (info, error) = (options.info.as_mut_ptr(), options.error.as_mut_ptr());
        options.pointer(INFO_LOG_BUFFER, info.cast());
        options.number(INFO_LOG_BUFFER_SIZE, log_size);
        options.pointer(ERROR_LOG_BUFFER, error.cast());
        options.number(ERROR_LOG_BUFFER_SIZE, log_size);
        options
    }

    pub(crate) fn number(&mut self, key: u32, value: usize) {
        self.pointer(key, ptr::without_provenance_mut(value));
    }

    fn pointer(&mut self, key: u32, value: *mut c_void) {
        self.keys.push(key);
        self.values.push(value);
    }

    /// Must be called at most once.
    pub(crate) fn symbols(&mut self, symbols: &[(CString, usize)]) {
        if symbols.is_empty() {
            return;
        }
        self.symbols = symbols.iter().map(|(name, _)| name.clone()).collect();
        self.names = self.symbols.iter().map(|name| name.as_ptr()).collect();
        self.addresses = symbols.iter().map(|(_, address)| ptr::without_provenance_mut(*address)).collect();
        let (names, addresses) = (self.names.as_mut_ptr(), self.addresses.as_mut_ptr());
        self.pointer(GLOBAL_SYMBOL_NAMES, names.cast());
        self.pointer(GLOBAL_SYMBOL_ADDRESSES, addresses.cast());
        self.number(GLOBAL_SYMBOL_COUNT, symbols.len());
    }

    pub(crate) fn count(&self) -> u32 {
        self.keys.len() as u32
    }

    pub(crate) fn keys(&mut self) -> *mut CUjit_option {
        // `CUjit_option` is `repr(u32)`; the driver has more options than cudarc's enum.
        self.keys.as_mut_ptr().cast()
    }

    pub(crate) fn values(&mut self) -> *mut *mut c_void {
        self.values.as_mut_ptr()
    }

    pub(crate) fn info_log(&self) -> String {
        text(&self.info).trim_end().into()
    }

    pub(crate) fn error_log(&self) -> String {
        text(&self.error).trim_end().into()
    }

    /// If it was requested. The driver stores it in the value as a `float` of milliseconds.
    pub(crate) fn wall_time(&self) -> Option<Duration> {
        let at = self.keys.iter().position(|key| *key == WALL_TIME)?;
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

/// Returns what is before the first NUL.
pub(super) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_the_float_in_the_value() {
        let mut options = DriverOptions::new(16);
        assert_eq!(options.wall_time(), None);
        options.number(WALL_TIME, 1.5_f32.to_bits() as usize);
        assert_eq!(options.wall_time(), Some(Duration::from_micros(1500)));
        // A NaN, which no driver writes, gives no duration.
        *options.values.last_mut().unwrap() = ptr::without_provenance_mut(f32::NAN.to_bits() as usize);
        assert_eq!(options.wall_time(), None);
    }

    #[test]
    fn a_log_has_room_for_its_nul() {
        let options = DriverOptions::new(0);
        assert_eq!((options.info.len(), options.error.len()), (1, 1));
        let sizes = [INFO_LOG_BUFFER_SIZE, ERROR_LOG_BUFFER_SIZE].map(|key| {
            let at = options.keys.iter().position(|one| *one == key);
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

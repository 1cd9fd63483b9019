//! Options of the driver's compiler and linker.

use cudarc::driver::sys::CUjit_option;
use std::{ffi::c_void, string::String, vec, vec::Vec};

/// Optimization level of the driver's compiler: `-O0` to `-O4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each level is named by its number only")]
#[repr(u8)]
pub enum OptimizationLevel {
    O0,
    O1,
    O2,
    O3,
    O4,
}

/// Options for `cuModuleLoadDataEx` and `cuLinkCreate`. CUDA Driver API, `CUjit_option`.
///
/// They apply to PTX, which the driver compiles; a cubin is loaded unchanged.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct JitOptions {
    max_registers: Option<u32>,
    optimization: Option<OptimizationLevel>,
    target: Option<u32>,
    verbose: bool,
    line_info: bool,
    compile_threads: Option<u32>,
    loader_threads: Option<u32>,
}

/// How many bytes the driver may write to each log.
const LOG_BYTES: usize = 16 * 1024;

/// `CU_JIT_SPLIT_COMPILE`; cudarc has it only with newer `cuda-` features.
const SPLIT_COMPILE: u32 = 34;

/// `CU_JIT_BINARY_LOADER_THREAD_COUNT`; as above.
const BINARY_LOADER_THREAD_COUNT: u32 = 35;

impl JitOptions {
    /// The driver's defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The maximum number of registers per thread: `CU_JIT_MAX_REGISTERS`.
    pub fn max_registers(mut self, registers: u32) -> Self {
        self.max_registers = Some(registers);
        self
    }

    /// The optimization level; the default is `O4`: `CU_JIT_OPTIMIZATION_LEVEL`.
    pub fn optimization(mut self, level: OptimizationLevel) -> Self {
        self.optimization = Some(level);
        self
    }

    /// Compile for another GPU than the context's, `90` for sm_90: `CU_JIT_TARGET`.
    pub fn target(mut self, sm: u32) -> Self {
        self.target = Some(sm);
        self
    }

    /// Write registers and memory of each kernel to the log: `CU_JIT_LOG_VERBOSE`.
    pub fn verbose(mut self) -> Self {
        self.verbose = true;
        self
    }

    /// Keep line numbers for profilers and debuggers: `CU_JIT_GENERATE_LINE_INFO`.
    pub fn line_info(mut self) -> Self {
        self.line_info = true;
        self
    }

    /// The number of threads that compile, 0 for one per processor; drivers older than the option return an error:
    /// `CU_JIT_SPLIT_COMPILE`.
    pub fn compile_threads(mut self, threads: u32) -> Self {
        self.compile_threads = Some(threads);
        self
    }

    /// The number of threads that load binaries, 0 for one per processor; drivers older than the option return an
    /// error: `CU_JIT_BINARY_LOADER_THREAD_COUNT`.
    pub fn loader_threads(mut self, threads: u32) -> Self {
        self.loader_threads = Some(threads);
        self
    }

    /// The arrays that the driver takes, and the logs that it writes to.
    pub(in crate::driver) fn to_driver(&self) -> DriverOptions {
        let mut options = DriverOptions {
            keys: Vec::new(),
            values: Vec::new(),
            info: vec![0; LOG_BYTES],
            error: vec![0; LOG_BYTES],
        };
        let (info, error) = (options.info.as_mut_ptr(), options.error.as_mut_ptr());
        options.pointer(CUjit_option::CU_JIT_INFO_LOG_BUFFER, info);
        options.number(
            CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES as u32,
            LOG_BYTES,
        );
        options.pointer(CUjit_option::CU_JIT_ERROR_LOG_BUFFER, error);
        options.number(
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as u32,
            LOG_BYTES,
        );
        if let Some(registers) = self.max_registers {
            options.number(
                CUjit_option::CU_JIT_MAX_REGISTERS as u32,
                registers as usize,
            );
        }
        if let Some(level) = self.optimization {
            options.number(
                CUjit_option::CU_JIT_OPTIMIZATION_LEVEL as u32,
                level as usize,
            );
        }
        if let Some(sm) = self.target {
            options.number(CUjit_option::CU_JIT_TARGET as u32, sm as usize);
        }
        if self.verbose {
            options.number(CUjit_option::CU_JIT_LOG_VERBOSE as u32, 1);
        }
        if self.line_info {
            options.number(CUjit_option::CU_JIT_GENERATE_LINE_INFO as u32, 1);
        }
        if let Some(threads) = self.compile_threads {
            options.number(SPLIT_COMPILE, threads as usize);
        }
        if let Some(threads) = self.loader_threads {
            options.number(BINARY_LOADER_THREAD_COUNT, threads as usize);
        }
        options
    }
}

/// `CUjit_option` arrays. The driver reads each value from the bits of a pointer.
pub(in crate::driver) struct DriverOptions {
    keys: Vec<u32>,
    values: Vec<*mut c_void>,
    info: Vec<u8>,
    error: Vec<u8>,
}

impl DriverOptions {
    fn number(&mut self, key: u32, value: usize) {
        self.keys.push(key);
        self.values.push(core::ptr::without_provenance_mut(value));
    }

    fn pointer(&mut self, key: CUjit_option, buffer: *mut u8) {
        self.keys.push(key as u32);
        self.values.push(buffer.cast());
    }

    pub(in crate::driver) fn count(&self) -> u32 {
        self.keys.len() as u32
    }

    pub(in crate::driver) fn keys(&mut self) -> *mut CUjit_option {
        // `CUjit_option` is `repr(u32)`; the driver reads numbers, and has more options than cudarc's enum.
        self.keys.as_mut_ptr().cast()
    }

    pub(in crate::driver) fn values(&mut self) -> *mut *mut c_void {
        self.values.as_mut_ptr()
    }

    pub(in crate::driver) fn info_log(&self) -> String {
        text(&self.info)
    }

    pub(in crate::driver) fn error_log(&self) -> String {
        text(&self.error)
    }
}

/// A log up to its NUL.
fn text(log: &[u8]) -> String {
    let end = log.iter().position(|&byte| byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).trim_end().into()
}

//! Options of the driver's compiler and linker. One table defines them.

use super::jit_values::{CacheMode, Fallback, JitTarget, OptimizationLevel};
use crate::driver::api::DriverOptions;
use core::fmt;
use std::ffi::CString;

/// The numbers of `target_of_context` and `target`, of which the later one replaces the earlier one.
const TARGETS: [u32; 2] = [8, 9];

macro_rules! options {
    ($($(#[$doc:meta])* $method:ident($($given:ident: $from:ty)?) = $value:expr, $number:literal, $cuda:literal;)*) => {
        /// Options for `cuModuleLoadDataEx` and `cuLinkCreate`. CUDA Driver API, `CUjit_option`.
        ///
        /// They apply to PTX, which the driver compiles; a cubin is loaded unchanged. If the driver does not support an
        /// option, or not with this value, the call returns [`Error::Load`](crate::Error::Load), which lists the
        /// options.
        ///
        /// ```no_run
        /// use kernel_args::{Module, image::JitOptions};
        ///
        /// # fn main() -> Result<(), kernel_args::Error> {
        /// # let (ctx, ptx) = (kernel_args::context(0)?, "");
        /// let options = JitOptions::new().max_registers(64).verbose().wall_time();
        /// let module = Module::load_with(&ctx, ptx, &options)?;
        /// println!("{} in {:?}", module.log(), module.wall_time());
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// | number | `CUjit_option` | here |
        /// |---|---|---|
        $(#[doc = concat!(
            "| ", $number, " | `CU_JIT_", $cuda, "` | [`", stringify!($method), "`](Self::", stringify!($method), ") |"
        )])*
        /// | 3, 4 | `CU_JIT_INFO_LOG_BUFFER`, `…_SIZE_BYTES` | [`Module::log`](crate::Module::log), [`log_size`](Self::log_size) |
        /// | 5, 6 | `CU_JIT_ERROR_LOG_BUFFER`, `…_SIZE_BYTES` | in [`Error::Load`](crate::Error::Load), [`log_size`](Self::log_size) |
        /// | 15 | `CU_JIT_NEW_SM3X_OPT` | none: deprecated, for GPUs that drivers for CUDA 12 do not support |
        /// | 16 | `CU_JIT_FAST_COMPILE` | none: for NVIDIA's internal use |
        /// | 17, 18, 19 | `CU_JIT_GLOBAL_SYMBOL_NAMES`, `…_ADDRESSES`, `…_COUNT` | [`global_symbol`](Self::global_symbol) |
        /// | 20 to 29 | `CU_JIT_LTO`, `CU_JIT_FTZ` to `CU_JIT_FMA`, `CU_JIT_REFERENCED_…`, `CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES` | none: see below |
        ///
        /// Any further option, including options of newer drivers, can be set by number: [`raw`](Self::raw).
        ///
        /// # Link-time optimization
        /// Options 20 to 29 apply to LTO-IR from toolkits before CUDA 12.0, and are deprecated (`cuda.h`); PTX ignores
        /// them. Since CUDA 12.0 the library nvJitLink replaces them: it links LTO-IR (`nvcc -dlto`, NVRTC's `-dlto`)
        /// to a cubin, which [`Module::load`](crate::Module::load) accepts.
        #[derive(Clone, Default)]
        #[must_use]
        pub struct JitOptions {
            values: Vec<(u32, usize)>,
            symbols: Vec<(CString, usize)>,
            log_size: Option<u32>,
        }

        impl JitOptions {$(
            $(#[$doc])*
            ///
            #[doc = concat!("`CU_JIT_", $cuda, "`.")]
            pub fn $method(self $(, $given: $from)?) -> Self {
                self.set($number, $value)
            }
        )*}

        fn name(number: u32) -> Option<&'static str> {
            match number {
                $($number => Some(stringify!($method)),)*
                _ => None,
            }
        }
    };
}

options! {
    /// The maximum number of registers per thread, at least 1. A value above the GPU's maximum (255) allows all
    /// registers.
    max_registers(registers: u32) = registers as usize, 0, "MAX_REGISTERS";
    /// The number of threads, 1 to 1024, that a block of each kernel must support. The compiler limits the registers
    /// accordingly. It cannot be combined with [`target`](Self::target).
    ///
    /// The value 0 is ignored: driver 580 ends the program for it.
    threads_per_block(threads: u32) = threads as usize, 1, "THREADS_PER_BLOCK";
    /// Measures how long the compiler and the linker run: see [`Module::wall_time`](crate::Module::wall_time).
    wall_time() = 0, 2, "WALL_TIME";
    /// The optimization level; the default is `O4`.
    optimization(level: OptimizationLevel) = level as usize, 7, "OPTIMIZATION_LEVEL";
    /// Compiles for the context's GPU, which is the default.
    target_of_context() = 0, 8, "TARGET_FROM_CUCONTEXT";
    /// Compiles for a specific target instead of the context's GPU, `90` for sm_90. A module for a different GPU does
    /// not load. Use this to enable features that need an explicit target, such as
    /// [`JitTarget::architecture_specific`].
    target(target: impl Into<JitTarget>) = target.into().0 as usize, 9, "TARGET";
    /// What the driver uses from a fat binary without a cubin for exactly this GPU. The linker rejects this option.
    fallback(fallback: Fallback) = fallback as usize, 10, "FALLBACK_STRATEGY";
    /// Keeps the PTX's debug information, for cuda-gdb.
    debug_info() = 1, 11, "GENERATE_DEBUG_INFO";
    /// Writes the registers and memory of each kernel to the log.
    verbose() = 1, 12, "LOG_VERBOSE";
    /// Keeps line numbers for profilers and debuggers.
    line_info() = 1, 13, "GENERATE_LINE_INFO";
    /// How loads from global memory are cached.
    cache_mode(mode: CacheMode) = mode as usize, 14, "CACHE_MODE";
    /// Generates code that can be placed at any address. Driver 12.0 and newer.
    position_independent() = 1, 30, "POSITION_INDEPENDENT_CODE";
    /// How many blocks of a kernel should fit on a multiprocessor at the same time, at least 1. It is a hint, which the
    /// compiler combines with [`max_threads_per_block`](Self::max_threads_per_block). Kernels with `.minnctapersm`
    /// ignore it (unless [`override_directives`](Self::override_directives) is set). Driver 12.3 and newer.
    min_blocks_per_multiprocessor(blocks: u32) = blocks as usize, 31, "MIN_CTA_PER_SM";
    /// The maximum number of threads in a block of any kernel, 1 to 1024; larger launches fail. Kernels with `.maxntid`
    /// ignore it (unless [`override_directives`](Self::override_directives) is set). Driver 12.4 and newer.
    max_threads_per_block(threads: u32) = threads as usize, 32, "MAX_THREADS_PER_BLOCK";
    /// The limits of registers, threads and blocks that are set here override the directives of the PTX. Driver 12.4
    /// and newer.
    override_directives() = 1, 33, "OVERRIDE_DIRECTIVE_VALUES";
    /// The number of threads that compile, 0 for one per processor. Driver 12.4 and newer; older drivers return an
    /// error.
    compile_threads(threads: u32) = threads as usize, 34, "SPLIT_COMPILE";
    /// The number of threads that load binaries, 0 for one per processor. Drivers that lack this option, such as
    /// drivers for CUDA 13.0, return an error.
    loader_threads(threads: u32) = threads as usize, 35, "BINARY_LOADER_THREAD_COUNT";
}

impl JitOptions {
    /// Creates the driver's defaults.
    pub fn new() -> Self {
        Self::default()
    }

    fn set(mut self, number: u32, value: usize) -> Self {
        // `threads_per_block(0)`.
        if (number, value) == (1, 0) {
            return self;
        }
        self.values.retain(|(known, _)| *known != number && !(TARGETS.contains(known) && TARGETS.contains(&number)));
        let at = self.values.partition_point(|(known, _)| *known < number);
        self.values.insert(at, (number, value));
        self
    }

    /// Sets the maximum size of each log in bytes, including its NUL, at least 1: `CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES`,
    /// `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`. One log is [`Module::log`](crate::Module::log), the second is part of an
    /// error. The default is 16 KiB.
    pub fn log_size(mut self, bytes: u32) -> Self {
        self.log_size = Some(bytes);
        self
    }

    /// Sets the address of a variable that the image declares and does not define (`.extern .global`):
    /// `CU_JIT_GLOBAL_SYMBOL_NAMES`, `CU_JIT_GLOBAL_SYMBOL_ADDRESSES`, `CU_JIT_GLOBAL_SYMBOL_COUNT`. If the name
    /// contains a NUL, the NUL and everything after it are ignored.
    ///
    /// # Safety
    /// While the module is loaded, `address` is the address of memory that the GPU may access as the image declares the
    /// variable.
    pub unsafe fn global_symbol(mut self, name: &str, address: u64) -> Self {
        let name: Vec<u8> = name.bytes().take_while(|&byte| byte != 0).collect();
        let Ok(name) = CString::new(name) else {
            return self;
        };
        let address = address as usize;
        match self.symbols.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = address,
            None => self.symbols.push((name, address)),
        }
        self
    }

    /// Sets an option by number, for options without a method here. `value` is the number that the option takes, or the
    /// address of the data that it points to.
    ///
    /// # Safety
    /// The driver supports the option with this value, as CUDA documents it: an address is valid for every load or link
    /// with these options. The option is not one of 2 to 6 and 17 to 19, whose buffers belong to this crate.
    pub unsafe fn raw(self, option: u32, value: usize) -> Self {
        self.set(option, value)
    }

    pub(crate) fn has_target(&self) -> bool {
        self.values.iter().any(|(number, _)| *number == TARGETS[1])
    }

    pub(crate) fn to_driver(&self) -> DriverOptions {
        const LOG_SIZE: u32 = 16 * 1024;
        let mut options = DriverOptions::new(self.log_size.unwrap_or(LOG_SIZE) as usize);
        for (number, value) in &self.values {
            options.number(*number, *value);
        }
        options.symbols(&self.symbols);
        options
    }

    pub(crate) fn list(&self) -> String {
        let options = format!("{self:?}");
        options.trim_start_matches("JitOptions { ").trim_start_matches("JitOptions").trim_end_matches(" }").into()
    }
}

#[allow(
    clippy::missing_fields_in_debug,
    reason = "the options that were given are the fields; `list` shows them to users"
)]
impl fmt::Debug for JitOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("JitOptions");
        for (number, value) in &self.values {
            let target = JitTarget(*value as u32);
            let value: &dyn fmt::Debug = if *number == TARGETS[1] { &target } else { value };
            match name(*number) {
                Some(name) => debug.field(name, value),
                None => debug.field(&format!("option {number}"), value),
            };
        }
        for (name, address) in &self.symbols {
            debug.field(&name.to_string_lossy(), &format_args!("{address:#x}"));
        }
        if let Some(size) = self.log_size {
            debug.field("log_size", &size);
        }
        debug.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(options: &JitOptions) -> Vec<(u32, usize)> {
        let options = options.to_driver();
        let pairs = options.pairs();
        // Without the four options of the logs.
        pairs.skip(4).map(|(key, value)| (key, value.addr())).collect()
    }

    #[test]
    fn each_option_has_the_number_of_cuda_h_and_its_value() {
        let all = JitOptions::new()
            .max_registers(64)
            .threads_per_block(128)
            .wall_time()
            .optimization(OptimizationLevel::O3)
            .target(JitTarget::architecture_specific(90))
            .fallback(Fallback::Cubin)
            .debug_info()
            .verbose()
            .line_info()
            .cache_mode(CacheMode::L1AndL2)
            .position_independent()
            .min_blocks_per_multiprocessor(2)
            .max_threads_per_block(256)
            .override_directives()
            .compile_threads(3)
            .loader_threads(5);
        let values = [64, 128, 0, 3, 0x1_005a, 1, 1, 1, 1, 2, 1, 2, 256, 1, 3, 5];
        let expected = [0, 1, 2, 7].into_iter().chain(9..=14).chain(30..=35).zip(values);
        assert_eq!(numbers(&all), expected.collect::<Vec<_>>());
        // `target_of_context` replaces a target, and `target` replaces `target_of_context`.
        let own = all.target_of_context();
        assert!(!own.has_target());
        assert!(numbers(&own).contains(&(8, 0)) && !numbers(&own).iter().any(|(key, _)| *key == 9));
        assert!(!numbers(&own.target(80)).iter().any(|(key, _)| *key == 8));
        assert_eq!(numbers(&JitOptions::new().max_registers(1).verbose().max_registers(2)), [(0, 2), (12, 1)]);
    }

    #[test]
    fn symbols_are_passed_as_two_arrays_and_their_length() {
        let mut options = JitOptions::new();
        for (name, address) in [("a", 16), ("b\0c", 32), ("a", 48)] {
            // SAFETY: nothing is loaded with the options.
            options = unsafe { options.global_symbol(name, address) };
        }
        let driver = options.to_driver();
        let pairs: Vec<_> = driver.pairs().skip(4).collect();
        assert_eq!(pairs.iter().map(|(key, _)| *key).collect::<Vec<_>>(), [17, 18, 19]);
        assert_eq!(pairs[2].1.addr(), 2);
        assert_eq!(driver.symbol_arrays(), [(c"a".into(), 48), (c"b".into(), 32)]);
    }

    #[test]
    fn the_options_are_listed_as_they_were_given() {
        assert_eq!(JitOptions::new().list(), "");
        let options = JitOptions::new().max_registers(32).target(JitTarget::family_specific(100));
        assert_eq!(options.list(), "max_registers: 32, target: sm_100f");
        // SAFETY: nothing is loaded with the options.
        let raw = unsafe { options.raw(99, 7) };
        assert_eq!(format!("{raw:?}"), "JitOptions { max_registers: 32, target: sm_100f, option 99: 7 }");
    }
}

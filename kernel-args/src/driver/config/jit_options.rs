//! Options of the driver's compiler and linker.

use super::{
    jit_arrays::DriverOptions,
    jit_keys::Key,
    jit_values::{CacheMode, Fallback, JitTarget, OptimizationLevel},
};
use core::fmt;
use std::{ffi::CString, string::String, vec::Vec};

/// Options for `cuModuleLoadDataEx` and `cuLinkCreate`. CUDA Driver API, `CUjit_option`.
///
/// They apply to PTX, which the driver compiles; a cubin is loaded unchanged. An option that the driver does not take, or not
/// with this value, is [`Error::Load`](crate::Error::Load), which lists the options that were given.
///
/// | number | `CUjit_option` | here |
/// |---|---|---|
/// | 0 | `CU_JIT_MAX_REGISTERS` | [`max_registers`](Self::max_registers) |
/// | 1 | `CU_JIT_THREADS_PER_BLOCK` | [`threads_per_block`](Self::threads_per_block) |
/// | 2 | `CU_JIT_WALL_TIME` | [`wall_time`](Self::wall_time), [`Module::wall_time`](crate::Module::wall_time) |
/// | 3, 4 | `CU_JIT_INFO_LOG_BUFFER`, `…_SIZE_BYTES` | [`Module::log`](crate::Module::log), [`log_size`](Self::log_size) |
/// | 5, 6 | `CU_JIT_ERROR_LOG_BUFFER`, `…_SIZE_BYTES` | in [`Error::Load`](crate::Error::Load), [`log_size`](Self::log_size) |
/// | 7 | `CU_JIT_OPTIMIZATION_LEVEL` | [`optimization`](Self::optimization) |
/// | 8 | `CU_JIT_TARGET_FROM_CUCONTEXT` | [`target_of_context`](Self::target_of_context), the default |
/// | 9 | `CU_JIT_TARGET` | [`target`](Self::target) |
/// | 10 | `CU_JIT_FALLBACK_STRATEGY` | [`fallback`](Self::fallback) |
/// | 11 | `CU_JIT_GENERATE_DEBUG_INFO` | [`debug_info`](Self::debug_info) |
/// | 12 | `CU_JIT_LOG_VERBOSE` | [`verbose`](Self::verbose) |
/// | 13 | `CU_JIT_GENERATE_LINE_INFO` | [`line_info`](Self::line_info) |
/// | 14 | `CU_JIT_CACHE_MODE` | [`cache_mode`](Self::cache_mode) |
/// | 15 | `CU_JIT_NEW_SM3X_OPT` | none: deprecated, for GPUs that no driver for CUDA 12 knows |
/// | 16 | `CU_JIT_FAST_COMPILE` | none: NVIDIA's own use only |
/// | 17, 18, 19 | `CU_JIT_GLOBAL_SYMBOL_NAMES`, `…_ADDRESSES`, `…_COUNT` | [`global_symbol`](Self::global_symbol) |
/// | 20 | `CU_JIT_LTO` | none: see below |
/// | 21 to 24 | `CU_JIT_FTZ`, `CU_JIT_PREC_DIV`, `CU_JIT_PREC_SQRT`, `CU_JIT_FMA` | none: see below |
/// | 25 to 28 | `CU_JIT_REFERENCED_KERNEL_…`, `CU_JIT_REFERENCED_VARIABLE_…` | none: see below |
/// | 29 | `CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES` | none: see below |
/// | 30 | `CU_JIT_POSITION_INDEPENDENT_CODE` | [`position_independent`](Self::position_independent) |
/// | 31 | `CU_JIT_MIN_CTA_PER_SM` | [`min_blocks_per_multiprocessor`](Self::min_blocks_per_multiprocessor) |
/// | 32 | `CU_JIT_MAX_THREADS_PER_BLOCK` | [`max_threads_per_block`](Self::max_threads_per_block) |
/// | 33 | `CU_JIT_OVERRIDE_DIRECTIVE_VALUES` | [`override_directives`](Self::override_directives) |
/// | 34 | `CU_JIT_SPLIT_COMPILE` | [`compile_threads`](Self::compile_threads) |
/// | 35 | `CU_JIT_BINARY_LOADER_THREAD_COUNT` | [`loader_threads`](Self::loader_threads) |
///
/// Any other option, and those of newer drivers, can be given by number: [`raw`](Self::raw).
///
/// # What driver 580 does with them
/// Measured on an H200 with each option alone (trial `every_option` of the suite `compile`), at a load and at a link alike where
/// nothing else is said. It takes all of the options above and values that make no sense too, such as 256 registers, except:
///
/// | option | result |
/// |---|---|
/// | [`loader_threads`](Self::loader_threads), any number | `CUDA_ERROR_INVALID_VALUE`: the option is newer |
/// | [`max_registers`](Self::max_registers) of 0 | `CUDA_ERROR_INVALID_VALUE` |
/// | [`threads_per_block`](Self::threads_per_block) with [`target`](Self::target) | `CUDA_ERROR_INVALID_VALUE` |
/// | [`JitTarget::family_specific`] on a GPU without families | `CUDA_ERROR_INVALID_VALUE` |
/// | [`target`](Self::target) of another GPU | `CUDA_ERROR_INVALID_SOURCE` at a load, `CUDA_ERROR_NO_BINARY_FOR_GPU` at a link |
/// | [`fallback`](Self::fallback) | `CUDA_ERROR_INVALID_VALUE` at a link |
/// | 15 | `CUDA_ERROR_INVALID_PTX` |
/// | 16, 20 to 24, 29 | taken, without an effect on PTX |
/// | 1 with the value 0; a log of 0 bytes | the process ends (SIGFPE, SIGSEGV): not passed on |
///
/// # Link-time optimization
/// Options 20 to 29 apply to LTO-IR that was made by a toolkit before CUDA 12.0, and are deprecated (`cuda.h`); PTX ignores them.
/// Since CUDA 12.0 the library nvJitLink does what they did: it links LTO-IR (`nvcc -dlto`, NVRTC's `-dlto`) to a cubin, which
/// [`Module::load`](crate::Module::load) takes. Denormals, division, square roots and fused multiply-add of PTX are part of its
/// instructions: they are options of the compiler that writes it (nvcc's and NVRTC's `--ftz`, `--prec-div`, `--prec-sqrt`, `--fmad`).
#[derive(Clone, Default)]
#[must_use]
pub struct JitOptions {
    /// Options by number, each once, in order.
    values: Vec<(Key, usize)>,
    symbols: Vec<(CString, usize)>,
    log_size: Option<u32>,
}

impl JitOptions {
    /// The driver's defaults.
    pub fn new() -> Self {
        Self::default()
    }

    fn set(mut self, key: Key, value: usize) -> Self {
        match self.values.binary_search_by_key(&key, |(key, _)| *key) {
            Ok(at) => self.values[at].1 = value,
            Err(at) => self.values.insert(at, (key, value)),
        }
        self
    }

    /// The maximum number of registers per thread; more than the GPU has (255) means all of them: `CU_JIT_MAX_REGISTERS`.
    pub fn max_registers(self, registers: u32) -> Self {
        self.set(Key::MAX_REGISTERS, registers as usize)
    }

    /// The least number of threads that a block of each kernel must be able to have, 1 to 1024: the compiler uses so few registers.
    /// It does not go with [`target`](Self::target): `CU_JIT_THREADS_PER_BLOCK`.
    ///
    /// 0 changes nothing: driver 580 ends the program when it is asked for that.
    pub fn threads_per_block(self, threads: u32) -> Self {
        if threads == 0 {
            return self;
        }
        self.set(Key::THREADS_PER_BLOCK, threads as usize)
    }

    /// Measure how long the compiler and the linker take: see [`Module::wall_time`](crate::Module::wall_time): `CU_JIT_WALL_TIME`.
    pub fn wall_time(self) -> Self {
        self.set(Key::WALL_TIME, 0)
    }

    /// The most bytes of each log with its NUL, at least 1: the one of [`Module::log`](crate::Module::log) and the one of an error; the default is 16 KiB:
    /// `CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES`, `CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES`.
    pub fn log_size(mut self, bytes: u32) -> Self {
        self.log_size = Some(bytes);
        self
    }

    /// The optimization level; the default is `O4`: `CU_JIT_OPTIMIZATION_LEVEL`.
    pub fn optimization(self, level: OptimizationLevel) -> Self {
        self.set(Key::OPTIMIZATION_LEVEL, level as usize)
    }

    /// Compile for the context's GPU, which is the default: `CU_JIT_TARGET_FROM_CUCONTEXT`.
    pub fn target_of_context(mut self) -> Self {
        self.values.retain(|(key, _)| *key != Key::TARGET);
        self.set(Key::TARGET_FROM_CONTEXT, 0)
    }

    /// Compile for another GPU than the context's, `90` for sm_90: `CU_JIT_TARGET`. A module for another GPU does not load; this is
    /// for features that have to be asked for, such as [`JitTarget::architecture_specific`].
    pub fn target(mut self, target: impl Into<JitTarget>) -> Self {
        self.values
            .retain(|(key, _)| *key != Key::TARGET_FROM_CONTEXT);
        self.set(Key::TARGET, target.into().number() as usize)
    }

    /// What to take of a fat binary that has no cubin for exactly this GPU: `CU_JIT_FALLBACK_STRATEGY`. The linker takes no such
    /// option.
    pub fn fallback(self, fallback: Fallback) -> Self {
        self.set(Key::FALLBACK_STRATEGY, fallback as usize)
    }

    /// Keep the PTX's debug information, for cuda-gdb: `CU_JIT_GENERATE_DEBUG_INFO`.
    pub fn debug_info(self) -> Self {
        self.set(Key::DEBUG_INFO, 1)
    }

    /// Write registers and memory of each kernel to the log: `CU_JIT_LOG_VERBOSE`.
    pub fn verbose(self) -> Self {
        self.set(Key::LOG_VERBOSE, 1)
    }

    /// Keep line numbers for profilers and debuggers: `CU_JIT_GENERATE_LINE_INFO`.
    pub fn line_info(self) -> Self {
        self.set(Key::LINE_INFO, 1)
    }

    /// How loads from global memory are cached: `CU_JIT_CACHE_MODE`.
    pub fn cache_mode(self, mode: CacheMode) -> Self {
        self.set(Key::CACHE_MODE, mode as usize)
    }

    /// Code that may lie at any address: `CU_JIT_POSITION_INDEPENDENT_CODE`. Driver 12.0 and newer.
    pub fn position_independent(self) -> Self {
        self.set(Key::POSITION_INDEPENDENT_CODE, 1)
    }

    /// How many blocks of a kernel should fit on a multiprocessor at once, from 1 on: a hint, which counts together with
    /// [`max_threads_per_block`](Self::max_threads_per_block), and not for kernels with `.minnctapersm` (unless
    /// [`override_directives`](Self::override_directives)): `CU_JIT_MIN_CTA_PER_SM`. Driver 12.3 and newer.
    pub fn min_blocks_per_multiprocessor(self, blocks: u32) -> Self {
        self.set(Key::MIN_BLOCKS, blocks as usize)
    }

    /// The most threads that a block of any kernel will have, 1 to 1024; larger launches fail. It does not count for kernels with
    /// `.maxntid` (unless [`override_directives`](Self::override_directives)): `CU_JIT_MAX_THREADS_PER_BLOCK`. Driver 12.4 and newer.
    pub fn max_threads_per_block(self, threads: u32) -> Self {
        self.set(Key::MAX_THREADS, threads as usize)
    }

    /// Let [`max_registers`](Self::max_registers), [`threads_per_block`](Self::threads_per_block),
    /// [`max_threads_per_block`](Self::max_threads_per_block) and
    /// [`min_blocks_per_multiprocessor`](Self::min_blocks_per_multiprocessor) go before the directives of the PTX:
    /// `CU_JIT_OVERRIDE_DIRECTIVE_VALUES`. Driver 12.4 and newer.
    pub fn override_directives(self) -> Self {
        self.set(Key::OVERRIDE_DIRECTIVES, 1)
    }

    /// The number of threads that compile, 0 for one per processor; drivers older than the option return an error:
    /// `CU_JIT_SPLIT_COMPILE`. Driver 12.4 and newer.
    pub fn compile_threads(self, threads: u32) -> Self {
        self.set(Key::SPLIT_COMPILE, threads as usize)
    }

    /// The number of threads that load binaries, 0 for one per processor; drivers older than the option return an
    /// error: `CU_JIT_BINARY_LOADER_THREAD_COUNT`. Drivers for CUDA 13.0 do not have it yet.
    pub fn loader_threads(self, threads: u32) -> Self {
        self.set(Key::LOADER_THREADS, threads as usize)
    }

    /// The address of a variable that the image declares and does not define (`.extern .global`): `CU_JIT_GLOBAL_SYMBOL_NAMES`,
    /// `CU_JIT_GLOBAL_SYMBOL_ADDRESSES`, `CU_JIT_GLOBAL_SYMBOL_COUNT`. What follows a NUL in the name does not count.
    ///
    /// # Safety
    /// While the module is loaded, `address` is that of memory which the GPU may access as the image declares the variable.
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

    /// An option by its number, for those that have no method here. `value` is the number that the option takes, or the address
    /// of what it points to.
    ///
    /// # Safety
    /// The driver takes the option as CUDA's documentation says, with this value: an address is valid, as the option wants it, for
    /// every load or link with these options. It is not one of options 2 to 6 and 17 to 19, whose buffers are this crate's.
    pub unsafe fn raw(self, option: u32, value: usize) -> Self {
        self.set(Key(option), value)
    }

    /// Whether the code is compiled for another target than the context's GPU.
    pub(crate) fn has_target(&self) -> bool {
        self.values.iter().any(|(key, _)| *key == Key::TARGET)
    }

    /// The arrays that the driver takes, and the logs that it writes to.
    pub(crate) fn to_driver(&self) -> DriverOptions {
        const LOG_SIZE: u32 = 16 * 1024;
        let mut options = DriverOptions::new(self.log_size.unwrap_or(LOG_SIZE) as usize);
        for (key, value) in &self.values {
            options.number(*key, *value);
        }
        options.symbols(&self.symbols);
        options
    }

    /// The options as text, one after another; empty where none was given.
    pub(crate) fn list(&self) -> String {
        let options = std::format!("{self:?}");
        options
            .trim_start_matches("JitOptions { ")
            .trim_start_matches("JitOptions")
            .trim_end_matches(" }")
            .into()
    }
}

#[allow(
    clippy::missing_fields_in_debug,
    reason = "the options that were given are the fields; `list` shows them to users"
)]
impl fmt::Debug for JitOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("JitOptions");
        for (key, value) in &self.values {
            match (*key, key.name()) {
                (Key::TARGET, Some(name)) => {
                    debug.field(name, &JitTarget::from_number(*value as u32));
                }
                (_, Some(name)) => {
                    debug.field(name, value);
                }
                (_, None) => {
                    debug.field(&std::format!("option {}", key.0), value);
                }
            }
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
    use std::{format, vec};

    fn numbers(options: &JitOptions) -> Vec<(u32, usize)> {
        let options = options.to_driver();
        let pairs = options.pairs();
        // Without the four of the logs.
        pairs
            .skip(4)
            .map(|(key, value)| (key, value.addr()))
            .collect()
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
        let expected = vec![
            (0, 64),
            (1, 128),
            (2, 0),
            (7, 3),
            (9, 0x1_005a),
            (10, 1),
            (11, 1),
            (12, 1),
            (13, 1),
            (14, 2),
            (30, 1),
            (31, 2),
            (32, 256),
            (33, 1),
            (34, 3),
            (35, 5),
        ];
        assert_eq!(numbers(&all), expected);
        // The target of the context takes the place of another one, and the reverse.
        let own = all.target_of_context();
        assert!(!own.has_target());
        assert!(numbers(&own).contains(&(8, 0)) && !numbers(&own).iter().any(|(key, _)| *key == 9));
        assert!(!numbers(&own.target(80)).iter().any(|(key, _)| *key == 8));
    }

    #[test]
    fn a_later_value_replaces_an_earlier_one() {
        let options = JitOptions::new()
            .max_registers(1)
            .verbose()
            .max_registers(2);
        assert_eq!(numbers(&options), [(0, 2), (12, 1)]);
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
        assert_eq!(
            pairs.iter().map(|(key, _)| *key).collect::<Vec<_>>(),
            [17, 18, 19]
        );
        assert_eq!(pairs[2].1.addr(), 2);
        assert_eq!(
            driver.symbol_arrays(),
            [(c"a".into(), 48), (c"b".into(), 32)]
        );
    }

    #[test]
    fn the_options_are_listed_as_they_were_given() {
        assert_eq!(JitOptions::new().list(), "");
        let options = JitOptions::new()
            .max_registers(32)
            .target(JitTarget::family_specific(100));
        assert_eq!(options.list(), "max_registers: 32, target: sm_100f");
        // SAFETY: nothing is loaded with the options.
        let raw = unsafe { options.raw(99, 7) };
        assert_eq!(
            format!("{raw:?}"),
            "JitOptions { max_registers: 32, target: sm_100f, option 99: 7 }"
        );
    }
}

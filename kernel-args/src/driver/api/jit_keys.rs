//! The numbers of options of the driver's compiler and linker, and their names in messages.

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

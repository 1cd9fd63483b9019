//! The resources of a kernel, and the limit that a failed launch exceeds.

use crate::{
    device::vector::Dim3,
    driver::{
        api::{CallError, FunctionHandle, LaunchConfig},
        function::{exceeds, or_exchanged},
        query::{attribute, device_attribute, max_sizes},
    },
};
use core::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Resources {
    /// Per thread.
    registers: u32,
    /// Per thread, in bytes.
    local: u32,
    /// Per block, in bytes.
    static_shared: u32,
    max_shared: u32,
    max_threads: u32,
    block_registers: u32,
    max_grid: Dim3,
    max_block: Dim3,
}

impl Resources {
    /// Queries the driver about a function whose context is current. Returns an error if the context is lost.
    #[cold]
    pub(crate) fn of(function: FunctionHandle<'_>) -> Result<Self, CallError> {
        /// `CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK`.
        const MAX_REGISTERS_PER_BLOCK: u32 = 12;
        let of_function = |number| attribute::get(function, number);
        let [max_grid, max_block] = max_sizes()?;
        Ok(Self {
            registers: of_function(attribute::NUM_REGS)?,
            local: of_function(attribute::LOCAL_SIZE_BYTES)?,
            static_shared: of_function(attribute::SHARED_SIZE_BYTES)?,
            max_shared: of_function(attribute::MAX_DYNAMIC_SHARED_SIZE_BYTES)?,
            max_threads: of_function(attribute::MAX_THREADS_PER_BLOCK)?,
            block_registers: device_attribute(MAX_REGISTERS_PER_BLOCK)?,
            max_grid,
            max_block,
        })
    }

    /// Returns the first limit that a launch exceeds, and what to do; `None` if it exceeds none of these limits.
    pub(crate) fn exceeded(&self, config: &LaunchConfig<'_>) -> Option<(String, &'static str)> {
        let (grid, block) = (Dim3::from(config.grid), Dim3::from(config.block));
        let (threads, shared) = (block.count(), config.shared);
        if grid.count() == 0 || threads == 0 {
            return Some((
                format!("a grid of {grid} and a block of {block} have no threads"),
                "use at least 1 in x, y and z",
            ));
        }
        if exceeds(grid, self.max_grid) {
            return Some((
                format!("this device allows a grid of at most {}", self.max_grid),
                "have each block work on several parts, or split the launch",
            ));
        }
        let or_exchanged = |help| or_exchanged(help, [grid, block], [self.max_grid, self.max_block], self.max_threads);
        if exceeds(block, self.max_block) {
            return Some((
                format!("this device allows a block of at most {}", self.max_block),
                or_exchanged("launch more and smaller blocks"),
            ));
        }
        if threads > u64::from(self.max_threads) {
            let needed = threads * u64::from(self.registers);
            let why = if needed > u64::from(self.block_registers) {
                format!(
                    ": they would need {needed} registers, and this device has {} for a block",
                    self.block_registers
                )
            } else {
                String::new()
            };
            return Some((
                format!("a block of this kernel has at most {} threads, not {threads}{why}", self.max_threads),
                or_exchanged("launch smaller blocks, or compile the kernel with `__launch_bounds__`"),
            ));
        }
        if shared > self.max_shared {
            return Some((
                format!(
                    "the kernel allows {} bytes of dynamic shared memory in addition to its {} static bytes, not {shared}",
                    self.max_shared, self.static_shared
                ),
                "launch a verified `Kernel`, which allows as much as the device has, or set \
                 CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES before",
            ));
        }
        None
    }
}

impl fmt::Display for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} registers and {} bytes of local memory per thread, {} bytes of static shared memory, at most {} threads per block",
            self.registers, self.local, self.static_shared, self.max_threads
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Dim3, LaunchConfig, Resources};
    use crate::driver::api::StreamHandle;

    const KERNEL: Resources = Resources {
        registers: 96,
        local: 8,
        static_shared: 1024,
        max_shared: 48 * 1024 - 1024,
        max_threads: 640,
        block_registers: 65_536,
        max_grid: Dim3::new(0x7fff_ffff, 65_535, 65_535),
        max_block: Dim3::new(1024, 1024, 64),
    };

    fn exceeded(grid: [u32; 3], block: [u32; 3], shared: u32) -> Option<std::string::String> {
        let config = LaunchConfig::new(grid, block, shared, StreamHandle::DEFAULT);
        KERNEL.exceeded(&config).map(|(limit, _)| limit)
    }

    #[test]
    fn the_limit_that_a_launch_exceeds_is_named() {
        for (launch, words) in [
            (([1, 0, 1], [1, 1, 1], 0), "no threads"),
            (([1, 1, 1], [32, 1, 0], 0), "no threads"),
            (([1, 65_536, 1], [32, 1, 1], 0), "a grid of at most"),
            (([1, 1, 1], [1, 1, 65], 0), "a block of at most"),
            (([1, 1, 1], [2048, 1, 1], 0), "a block of at most"),
            (
                ([1, 1, 1], [1024, 1, 1], 0),
                "at most 640 threads, not 1024: they would need 98304 registers, and this device has 65536",
            ),
            (([1, 1, 1], [641, 1, 1], 0), "at most 640 threads, not 641"),
            (([1, 1, 1], [32, 1, 1], 48 * 1024), "48128 bytes of dynamic shared memory"),
        ] {
            let (grid, block, shared) = launch;
            let text = exceeded(grid, block, shared).unwrap_or_default();
            assert!(text.contains(words), "{launch:?}: {text}");
        }
        assert_eq!(exceeded([1; 3], [640, 1, 1], 1024), None);
        let helps =
            [([256, 1, 1], 4096), ([16, 16, 1], 700), ([200, 1, 1], 4096), ([672, 1, 1], 4096)].map(|(grid, block)| {
                let config = LaunchConfig::new(grid, [block, 1, 1], 0, StreamHandle::DEFAULT);
                KERNEL.exceeded(&config).map_or("", |(_, help)| help).contains("exchanged")
            });
        assert_eq!(helps, [true, true, false, false]);
        assert!(KERNEL.to_string().contains("96 registers and 8 bytes"));
    }
}

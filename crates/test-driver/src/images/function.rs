//! Functions: queries and settings of a kernel.

use std::{
    ffi::{CString, c_char, c_int, c_uint},
    sync::Arc,
};

use crate::{
    contexts::device::{Figures, SHARED_DEFAULT, SHARED_RESERVED},
    entry::Out,
    error::{Outcome, Status},
    handle::Handle,
    images::image::Kernel,
    state::Driver,
};

/// A kernel of a loaded module, or of a library.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) kernel: Arc<Kernel>,
    /// `None` for a library's kernel (`CUkernel`), which belongs to no context.
    pub(crate) context: Option<Handle>,
    /// Its module or library.
    pub(crate) owner: Handle,
    name: CString,
    /// The maximum dynamic shared memory of a launch.
    pub(crate) dynamic_shared: u32,
    carveout: c_int,
    pub(crate) non_portable_cluster: bool,
}

impl Function {
    pub(crate) fn new(kernel: Arc<Kernel>, context: Option<Handle>, owner: Handle) -> Self {
        let name = CString::new(kernel.name.as_str()).unwrap_or_default();
        let dynamic_shared = SHARED_DEFAULT.saturating_sub(kernel.static_shared);
        Self { kernel, context, owner, name, dynamic_shared, carveout: -1, non_portable_cluster: false }
    }

    /// Returns an attribute by its number in `CUfunction_attribute`.
    pub(crate) fn attribute(&self, attribute: c_uint) -> Outcome<c_int> {
        let kernel = &self.kernel;
        let cluster = kernel.cluster.unwrap_or([0; 3]);
        let value = match attribute {
            0 => kernel.max_threads,
            1 => kernel.static_shared,
            2 | 7 | 15 | 17 => 0,
            3 => kernel.local,
            4 => kernel.registers,
            5 => kernel.ptx_version,
            6 => kernel.binary_version,
            8 => self.dynamic_shared,
            9 => return Ok(self.carveout),
            10 => u32::from(kernel.cluster.is_some()),
            11..=13 => cluster[attribute as usize - 11],
            14 => u32::from(self.non_portable_cluster),
            16 => 1,
            _ => return Err(Status::INVALID_VALUE),
        };
        Ok(value.cast_signed())
    }

    /// Sets an attribute.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a read-only attribute or a value out of range.
    pub(crate) fn set_attribute(&mut self, attribute: c_uint, value: c_int, figures: Figures) -> Outcome {
        let unsigned = u32::try_from(value).map_err(|_| Status::INVALID_VALUE);
        match attribute {
            8 => {
                let value = unsigned?;
                if self.kernel.static_shared + value > figures.shared_opt_in {
                    return Err(Status::INVALID_VALUE);
                }
                self.dynamic_shared = value;
            }
            9 if (-1..=100).contains(&value) => self.carveout = value,
            14 => self.non_portable_cluster = unsigned? != 0,
            7 | 15 => drop(unsigned?),
            _ => return Err(Status::INVALID_VALUE),
        }
        Ok(())
    }

    /// Offset and size of parameter `index` in the bank.
    fn parameter(&self, index: usize, offset: Out<usize>, size: Out<usize>) -> Outcome {
        let parameter = self.kernel.parameters.get(index).ok_or(Status::INVALID_VALUE)?;
        offset.set(parameter.offset)?;
        size.set_if_wanted(parameter.size);
        Ok(())
    }

    /// Returns the maximum number of blocks with `threads` threads on one multiprocessor.
    pub(crate) fn blocks_per_sm(&self, threads: u32, dynamic_shared: u32, figures: Figures) -> u32 {
        let warps = threads.div_ceil(32);
        let by_threads = figures.threads_per_sm / 32 / warps.max(1);
        let registers = self.kernel.registers.next_multiple_of(8) * 32 * warps;
        let by_registers = crate::contexts::device::REGISTERS.checked_div(registers).unwrap_or(u32::MAX);
        let shared = self.kernel.static_shared + dynamic_shared + SHARED_RESERVED;
        by_threads.min(by_registers).min(figures.shared_per_sm / shared).min(figures.blocks_per_sm)
    }
}

impl Driver {
    /// Returns the pointer to the name of a function. It is valid as long as the function.
    fn name_of(&self, function: Handle) -> Outcome<*const c_char> {
        Ok(self.functions.get(function)?.name.as_ptr())
    }
}

entry_points! {
    fn cuFuncGetParamInfo(driver, function: Handle, index: usize, offset: Out<usize>, size: Out<usize>) {
        driver.load_lazily(function);
        driver.functions.get(function)?.parameter(index, offset, size)
    }

    fn cuFuncGetParamCount(driver, function: Handle, count: Out<usize>) {
        count.set(driver.functions.get(function)?.kernel.parameters.len())
    }

    fn cuKernelGetParamInfo(driver, kernel: Handle, index: usize, offset: Out<usize>, size: Out<usize>) {
        driver.load_lazily(kernel);
        driver.functions.get(kernel)?.parameter(index, offset, size)
    }

    fn cuFuncGetAttribute(driver, value: Out<c_int>, attribute: c_uint, function: Handle) {
        let since = match attribute {
            16 => 13030,
            17 => 13040,
            _ => 0,
        };
        if driver.config.version < since {
            return Err(Status::INVALID_VALUE);
        }
        value.set(driver.functions.get(function)?.attribute(attribute)?)
    }

    fn cuFuncSetAttribute(driver, function: Handle, attribute: c_uint, value: c_int) {
        let figures = driver.figures();
        driver.functions.get_mut(function)?.set_attribute(attribute, value, figures)
    }

    fn cuFuncSetCacheConfig(driver, function: Handle, _config: c_uint) {
        driver.functions.get(function).map(drop)
    }

    fn cuFuncGetName(driver, name: Out<*const c_char>, function: Handle) {
        name.set(driver.name_of(function)?)
    }
}

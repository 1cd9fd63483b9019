//! JIT options: the log buffers of `cuModuleLoadDataEx`, `cuLibraryLoadData` and `cuLinkCreate`.

use std::ffi::{c_char, c_uint};

use crate::{
    entry::{In, Out, out_at},
    error::{Outcome, Status},
    images::image::Refusal,
};

/// `CU_JIT_WALL_TIME`, `_INFO_LOG_BUFFER`, `_INFO_LOG_BUFFER_SIZE_BYTES`, `_ERROR_LOG_BUFFER`,
/// `_ERROR_LOG_BUFFER_SIZE_BYTES`, `_LOG_VERBOSE`, `CU_JIT_NUM_OPTIONS` of CUDA 13.0.
const WALL_TIME: c_uint = 2;
const INFO_BUFFER: c_uint = 3;
const INFO_SIZE: c_uint = 4;
const ERROR_BUFFER: c_uint = 5;
const ERROR_SIZE: c_uint = 6;
const LOG_VERBOSE: c_uint = 12;
const COUNT: c_uint = 36;

/// The options that have an effect here. The caller owns the buffers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    info: Log,
    error: Log,
    pub(crate) verbose: bool,
    /// The option value that receives the elapsed time, as a `float` in a `void*`.
    time: usize,
}

/// A log buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Log {
    buffer: usize,
    capacity: usize,
    /// The address of the option value that receives the number of written bytes.
    size: usize,
}

impl Options {
    /// Reads the option list.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a missing list or an unknown option.
    pub(crate) fn read(count: c_uint, options: In<c_uint>, values: Out<usize>) -> Outcome<Self> {
        let mut read = Self::default();
        for index in 0..count as usize {
            let value = values.at(index);
            match options.at(index)? {
                WALL_TIME => read.time = value.address(),
                INFO_BUFFER => read.info.buffer = value.get()?,
                INFO_SIZE => read.info.set_size(value)?,
                ERROR_BUFFER => read.error.buffer = value.get()?,
                ERROR_SIZE => read.error.set_size(value)?,
                LOG_VERBOSE => read.verbose = value.get()? != 0,
                other if other < COUNT => {}
                _ => return Err(Status::INVALID_VALUE),
            }
        }
        Ok(read)
    }

    /// Writes the logs, and returns the status of a failed load.
    pub(crate) fn report<T>(&self, outcome: Result<T, Refusal>, info: impl FnOnce(&T) -> String) -> Outcome<T> {
        if self.time != 0 {
            out_at::<f32>(self.time).set(0.0)?;
        }
        match outcome {
            Ok(value) => {
                self.info.write(&if self.verbose { info(&value) } else { String::new() })?;
                self.error.write("")?;
                Ok(value)
            }
            Err(refusal) => {
                self.info.write("")?;
                self.error.write(&refusal.log)?;
                Err(refusal.status)
            }
        }
    }
}

impl Log {
    fn set_size(&mut self, value: Out<usize>) -> Outcome {
        self.size = value.address();
        // The option is an `unsigned int` carried in a pointer.
        self.capacity = value.get()? & 0xffff_ffff;
        Ok(())
    }

    fn write(self, text: &str) -> Outcome {
        if self.buffer == 0 {
            return Ok(());
        }
        let written = out_at::<c_char>(self.buffer).set_text(text, self.capacity)?;
        if self.size != 0 {
            out_at::<usize>(self.size).set(written)?;
        }
        Ok(())
    }
}

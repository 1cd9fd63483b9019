//! The parameter bank of a launch: the bytes that the kernel reads, from either form that `cuLaunchKernel` accepts.

use crate::{
    entry::{In, in_at},
    error::{Outcome, Status},
    images::image::Kernel,
};

/// The form in which the caller passed the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// No form: the kernel has no parameters.
    None,
    KernelParams,
    Extra,
}

/// The bank and the form of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Bank {
    pub(crate) form: Form,
    /// The end of the last parameter. Bytes that were not passed are zero.
    pub(crate) bytes: Vec<u8>,
}

/// `CU_LAUNCH_PARAM_END`, `_BUFFER_POINTER`, `_BUFFER_SIZE`.
const END: usize = 0;
const BUFFER_POINTER: usize = 1;
const BUFFER_SIZE: usize = 2;

impl Bank {
    /// Places the parameters like the driver. An `extra` list without a buffer is ignored, and a kernel without
    /// parameters accepts both forms at once (seen on driver 580).
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for both forms at once, for no form if the kernel has parameters, for an invalid
    /// `extra` list, and for a null entry in `kernelParams`; `CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES` for a buffer larger
    /// than the bank.
    pub(crate) fn read(kernel: &Kernel, kernel_params: In<usize>, extra: In<usize>) -> Outcome<Self> {
        let buffer = Self::buffer(extra)?;
        match (kernel_params.is_null(), buffer) {
            (true, None) if kernel.parameters.is_empty() => Ok(Self { form: Form::None, bytes: Vec::new() }),
            (true, None) => Err(Status::INVALID_VALUE),
            (false, Some(_)) if !kernel.parameters.is_empty() => Err(Status::INVALID_VALUE),
            (false, None) => Self::from_kernel_params(kernel, kernel_params),
            (_, Some((buffer, size))) => Self::from_buffer(kernel, buffer, size),
        }
    }

    /// Returns the buffer and the size in an `extra` list.
    fn buffer(extra: In<usize>) -> Outcome<Option<(In<u8>, usize)>> {
        if extra.is_null() {
            return Ok(None);
        }
        let (mut buffer, mut size) = (None, None);
        let mut index = 0;
        loop {
            match extra.at(index)? {
                END => break,
                BUFFER_POINTER => buffer = Some(in_at::<u8>(extra.at(index + 1)?)),
                BUFFER_SIZE => size = Some(in_at::<usize>(extra.at(index + 1)?).get()?),
                _ => return Err(Status::INVALID_VALUE),
            }
            index += 2;
        }
        match (buffer, size) {
            (Some(buffer), Some(size)) => Ok(Some((buffer, size))),
            (None, None) => Ok(None),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn from_kernel_params(kernel: &Kernel, pointers: In<usize>) -> Outcome<Self> {
        let mut bytes = vec![0; kernel.bank_size()];
        for (index, parameter) in kernel.parameters.iter().enumerate() {
            let value = in_at::<u8>(pointers.at(index)?).take(parameter.size)?;
            bytes[parameter.offset..][..parameter.size].copy_from_slice(&value);
        }
        Ok(Self { form: Form::KernelParams, bytes })
    }

    fn from_buffer(kernel: &Kernel, buffer: In<u8>, size: usize) -> Outcome<Self> {
        let mut bytes = vec![0; kernel.bank_size()];
        if size > bytes.len() {
            return Err(Status::LAUNCH_OUT_OF_RESOURCES);
        }
        let passed = buffer.take(size)?;
        bytes[..size].copy_from_slice(&passed);
        Ok(Self { form: Form::Extra, bytes })
    }
}

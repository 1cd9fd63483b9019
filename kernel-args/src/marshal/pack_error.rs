//! The error of arguments that cannot be packed at the given offsets.

use core::error;
use kernel_args_abi::Parameter;

/// The error of [`KernelArgs::pack_at`](super::KernelArgs::pack_at) and `ArgList::with_packed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// The number of offsets is not the number of parameters.
    Count {
        /// The number of parameters of the struct.
        parameters: usize,
        /// The number of offsets.
        offsets: usize,
    },
    /// A parameter begins before the previous one ends.
    Overlap {
        /// The field.
        field: &'static str,
        /// The offset of the field, in bytes.
        offset: usize,
        /// The end of the previous field, in bytes.
        end: usize,
    },
    /// An argument of a list is aligned to more than 16 bytes, so packed offsets depend on the GPU.
    DependsOnGpu,
    /// The buffer is too short.
    Buffer {
        /// The number of bytes that are needed.
        needed: usize,
        /// The number of bytes in the buffer.
        len: usize,
    },
}

impl PackError {
    /// Checks that parameters at `offsets` do not overlap and fit in `len` bytes; returns the end of the last
    /// parameter.
    pub(super) fn check_offsets(
        parameters: &[Parameter<'static>],
        offsets: &[usize],
        len: usize,
    ) -> Result<usize, Self> {
        if parameters.len() != offsets.len() {
            return Err(Self::Count { parameters: parameters.len(), offsets: offsets.len() });
        }
        let mut end = 0;
        for (parameter, &offset) in parameters.iter().zip(offsets) {
            if offset < end {
                return Err(Self::Overlap { field: parameter.name, offset, end });
            }
            end = offset.saturating_add(parameter.size);
        }
        if end > len { Err(Self::Buffer { needed: end, len }) } else { Ok(end) }
    }
}

display!(PackError, |this, f| match this {
    Self::Count { parameters, offsets } => write!(
        f,
        "the struct has {parameters} parameters, but the number of offsets is {offsets}\n\
         help: give one offset for each parameter"
    ),
    Self::Overlap { field, offset, end } => write!(
        f,
        "`{field}` cannot be placed at offset {offset}, because the previous parameter ends at {end}\n\
         help: check that these are the offsets of this kernel"
    ),
    Self::DependsOnGpu => f.write_str(
        "an argument is aligned to more than 16 bytes, so its packed offset depends on the GPU\n\
         help: use `with_kernel_params`",
    ),
    Self::Buffer { needed, len } => write!(
        f,
        "the packed form needs {needed} bytes, but the buffer has {len}\n\
         help: pass a buffer of at least {needed} bytes"
    ),
});

impl error::Error for PackError {}

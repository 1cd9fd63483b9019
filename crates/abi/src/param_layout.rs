//! The parameter block of a kernel: the bytes that a launch copies to the GPU.
//!
//! Three rules differ from a C struct:
//! - **The size has no tail padding.** The block ends with the last parameter. The driver rejects a packed buffer that
//!   is one byte longer (`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`), and silently reads zeros from a shorter buffer.
//!   (Measured on an H100, driver 580.)
//! - **Alignments above 16 bytes apply to the address, not to the offset.** The address of the block in the constant
//!   bank depends on the GPU generation, see [`Sm::param_base`].
//! - **The size is limited** to 4,096 or 32,764 bytes, see [`LIMIT`].

use crate::layout::{Alignment, Layout, LayoutError};
use core::fmt;

/// The size limit of a parameter block in bytes, for PTX 8.1 or newer (CUDA 12.1) on sm_70 or newer. With older PTX or
/// on older GPUs the limit is 4,096 bytes, which the driver checks.
///
/// CUDA C++ Programming Guide, "Function Parameters".
pub const LIMIT: usize = 32_764;

/// The maximum size in bytes for which sm_70 to sm_89 place parameters in the small constant bank.
const SMALL_BANK: usize = 4352;

/// A GPU generation by its compute capability without the dot: 90 for sm_90 and sm_90a.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sm(pub u16);

impl Sm {
    /// Returns the address of the parameter block in this GPU's constant bank, in bytes. `c_size` is the
    /// [size](ParamLayout::size) of the block by C's rule.
    ///
    /// The address affects only parameters aligned above 16 bytes. `None` for a generation that has not been measured.
    /// (Read from ptxas 13.0 for 14 architectures; confirmed on an H100.)
    #[must_use]
    pub const fn param_base(self, c_size: usize) -> Option<usize> {
        match self.0 {
            50..70 | 100..=121 => Some(0),
            70..90 => Some(if c_size <= SMALL_BANK { 0x160 } else { 0 }),
            90 => Some(0x210),
            _ => None,
        }
    }
}

impl fmt::Display for Sm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sm_{}", self.0)
    }
}

impl fmt::Debug for Sm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A parameter block that grows by one parameter at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParamLayout {
    base: usize,
    end: usize,
    align: Alignment,
}

impl ParamLayout {
    /// An empty block with C's layout rule. This is exact on every GPU if no alignment exceeds 16 bytes.
    pub const EMPTY: Self = Self::at(0);

    /// Returns an empty block at address `base` of the constant bank, see [`Sm::param_base`].
    #[must_use]
    pub const fn at(base: usize) -> Self {
        Self { base, end: base, align: Alignment::ONE }
    }

    /// Appends a parameter. Returns the longer block, and the parameter's offset in it.
    ///
    /// # Errors
    /// If the block exceeds `isize::MAX`.
    pub const fn push(self, parameter: Layout) -> Result<(Self, usize), LayoutError> {
        let offset = some!(next_offset(Some(self.base), self.size(), parameter.align()), Err(LayoutError));
        let end = some!((self.base + offset).checked_add(parameter.size()), Err(LayoutError));
        if end > isize::MAX as usize {
            return Err(LayoutError);
        }
        Ok((Self { end, align: self.align.max(parameter.align()), ..self }, offset))
    }

    /// Appends parameters in order and returns the longer block. Writes the offset of each to `offsets`.
    ///
    /// # Errors
    /// If the block exceeds `isize::MAX`.
    ///
    /// # Panics
    /// If `offsets` is shorter than `parameters`.
    pub const fn push_all(mut self, parameters: &[Layout], offsets: &mut [usize]) -> Result<Self, LayoutError> {
        let mut i = 0;
        while i < parameters.len() {
            (self, offsets[i]) = ok!(self.push(parameters[i]));
            i += 1;
        }
        Ok(self)
    }

    /// Returns the block's size in bytes: the end of its last parameter, **without tail padding**. This is the value
    /// for `CU_LAUNCH_PARAM_BUFFER_SIZE`.
    #[must_use]
    pub const fn size(self) -> usize {
        self.end - self.base
    }

    /// Returns the largest alignment of the parameters.
    #[must_use]
    pub const fn align(self) -> Alignment {
        self.align
    }

    /// Returns the block of these parameters by C's rule, and the offset of each.
    ///
    /// # Errors
    /// If the block exceeds `isize::MAX`.
    pub const fn of<const N: usize>(parameters: &[Layout; N]) -> Result<(Self, [usize; N]), LayoutError> {
        let mut offsets = [0; N];
        Ok((ok!(Self::EMPTY.push_all(parameters, &mut offsets)), offsets))
    }

    /// Returns the block of these parameters on `sm`, and the offset of each. `Ok(None)` if the offsets
    /// [depend on the GPU](Self::depends_on_gpu), and `sm` has not been measured.
    ///
    /// # Errors
    /// If the block exceeds `isize::MAX`.
    pub const fn on<const N: usize>(
        sm: Sm,
        parameters: &[Layout; N],
    ) -> Result<Option<(Self, [usize; N])>, LayoutError> {
        let mut offsets = [0; N];
        let block = some!(ok!(Self::write_on(sm, parameters, &mut offsets)), Ok(None));
        Ok(Some((block, offsets)))
    }

    /// [`on`](Self::on) for a list of any length. Writes the offset of each to `offsets`.
    ///
    /// # Errors
    /// If the block exceeds `isize::MAX`.
    ///
    /// # Panics
    /// If `offsets` is shorter than `parameters`.
    pub const fn write_on(sm: Sm, parameters: &[Layout], offsets: &mut [usize]) -> Result<Option<Self>, LayoutError> {
        let block = ok!(Self::EMPTY.push_all(parameters, offsets));
        if !block.depends_on_gpu() {
            return Ok(Some(block));
        }
        let base = some!(sm.param_base(block.size()), Ok(None));
        Ok(Some(ok!(Self::at(base).push_all(parameters, offsets))))
    }

    /// Returns whether the offsets depend on the GPU: a parameter is aligned above 16 bytes.
    #[must_use]
    pub const fn depends_on_gpu(self) -> bool {
        self.align.bytes() > Alignment::SIXTEEN.bytes()
    }
}

/// Returns the offset of a parameter with this alignment after `end`.
///
/// Both count from the beginning of the block. `None` if the offset exceeds `isize::MAX`, or depends on an unknown
/// `base`.
pub(crate) const fn next_offset(base: Option<usize>, end: usize, align: Alignment) -> Option<usize> {
    let base = match base {
        None if align.bytes() <= Alignment::SIXTEEN.bytes() => 0,
        base => some!(base),
    };
    Some(some!(align.round_up(some!(base.checked_add(end)))) - base)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values come from cubins of ptxas 13.0. The values for sm_90 were confirmed on an H100.
    #[test]
    fn offsets_above_16_bytes_depend_on_the_gpu() {
        let layout = |size, align| Layout::from_size_align(size, align).unwrap();
        let tensor_map = [layout(128, 128), layout(8, 8)];
        let offsets = |sm| ParamLayout::on(Sm(sm), &tensor_map).unwrap().unwrap().1;
        assert_eq!(offsets(90), [112, 240]);
        assert_eq!(offsets(80), [32, 160]);
        assert_eq!(offsets(100), [0, 128]);

        let double4 = [layout(1, 1), layout(32, 32), layout(4, 4), layout(8, 8)];
        let (block, offsets) = ParamLayout::on(Sm(90), &double4).unwrap().unwrap();
        assert_eq!((offsets, block.size()), ([0, 16, 48, 56], 64));
    }
}

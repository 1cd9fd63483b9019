//! The parameter block of a kernel: the bytes that a launch hands to the GPU.
//!
//! Three rules differ from a C struct's:
//! - **The size has no tail padding.** It ends with the last parameter. The driver refuses a packed
//!   buffer that is one byte longer (`CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES`) and silently reads zeros
//!   from one that is shorter. (Measured on an H100, driver 580.)
//! - **Alignments above 16 bytes are of the address, not of the offset.** The block begins at a place
//!   in the constant bank that depends on the GPU generation, see [`Sm::param_base`].
//! - **It is limited** to 4,096 or 32,764 bytes, see [`Sm::block_limit`].

use crate::layout::{Alignment, Layout, LayoutError};
use core::fmt;

/// The limit of a parameter block for PTX below 8.1 or GPUs below sm_70, in bytes.
///
/// CUDA C++ Programming Guide, "Function Parameters".
pub const LIMIT_BEFORE_CUDA_12_1: usize = 4096;

/// The limit of a parameter block for PTX 8.1 and newer (CUDA 12.1) on sm_70 and newer, in bytes.
///
/// CUDA C++ Programming Guide, "Function Parameters".
pub const LIMIT: usize = 32_764;

/// The size up to which sm_70 to sm_89 keep parameters in the small constant bank, in bytes.
const SMALL_BANK: usize = 4352;

/// A GPU generation by its compute capability without the dot: 90 for sm_90 and sm_90a.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sm(pub u16);

impl Sm {
    /// Where the parameter block begins in the constant bank of this GPU, in bytes; `c_size` is the
    /// [size](ParamLayout::size) of the block by C's rule alone.
    ///
    /// Only parameters aligned above 16 bytes can see it. `None` for a generation that nobody has
    /// measured yet. (Read from ptxas 13.0 over 14 architectures; confirmed on an H100.)
    #[must_use]
    pub const fn param_base(self, c_size: usize) -> Option<usize> {
        match self.0 {
            50..70 | 100..=121 => Some(0),
            70..90 => Some(if c_size <= SMALL_BANK { 0x160 } else { 0 }),
            90 => Some(0x210),
            _ => None,
        }
    }

    /// The largest parameter block of a kernel from PTX of `version` (major, minor) on this GPU, in bytes.
    #[must_use]
    pub const fn block_limit(self, version: (u16, u16)) -> usize {
        if self.0 >= 70 && (version.0 > 8 || version.0 == 8 && version.1 >= 1) {
            LIMIT
        } else {
            LIMIT_BEFORE_CUDA_12_1
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
    /// An empty block, laid out by C's rule: exact on every GPU while no alignment is above 16 bytes.
    pub const EMPTY: Self = Self::at(0);

    /// An empty block that begins at `base` in the constant bank, see [`Sm::param_base`].
    #[must_use]
    pub const fn at(base: usize) -> Self {
        Self {
            base,
            end: base,
            align: Alignment::ONE,
        }
    }

    /// Appends a parameter: the longer block, and the parameter's offset from the block's beginning.
    ///
    /// # Errors
    /// Where the block is past `isize::MAX`.
    pub const fn push(self, parameter: Layout) -> Result<(Self, usize), LayoutError> {
        let before = match Layout::new(self.end, Alignment::ONE) {
            Ok(before) => before,
            Err(error) => return Err(error),
        };
        match before.extend(parameter) {
            Ok((after, offset)) => Ok((
                Self {
                    base: self.base,
                    end: after.size(),
                    align: self.align.max(parameter.align()),
                },
                offset - self.base,
            )),
            Err(error) => Err(error),
        }
    }

    /// The block's size in bytes: the end of its last parameter, **without tail padding**. It is the
    /// value that goes with `CU_LAUNCH_PARAM_BUFFER_SIZE`.
    #[must_use]
    pub const fn size(self) -> usize {
        self.end - self.base
    }

    /// The largest alignment of the parameters.
    #[must_use]
    pub const fn align(self) -> Alignment {
        self.align
    }

    /// The block of these parameters by C's rule, and each one's offset.
    ///
    /// # Errors
    /// Where the block is past `isize::MAX`.
    pub const fn of<const N: usize>(
        parameters: &[Layout; N],
    ) -> Result<(Self, [usize; N]), LayoutError> {
        Self::place(Self::EMPTY, parameters)
    }

    /// The block of these parameters on `sm`, and each one's offset. `Ok(None)` where alignments above
    /// 16 bytes meet a GPU generation that nobody has measured yet.
    ///
    /// # Errors
    /// Where the block is past `isize::MAX`.
    pub const fn on<const N: usize>(
        sm: Sm,
        parameters: &[Layout; N],
    ) -> Result<Option<(Self, [usize; N])>, LayoutError> {
        let (c, offsets) = match Self::of(parameters) {
            Ok(block) => block,
            Err(error) => return Err(error),
        };
        if !c.depends_on_gpu() {
            return Ok(Some((c, offsets)));
        }
        match sm.param_base(c.size()) {
            None => Ok(None),
            Some(base) => match Self::place(Self::at(base), parameters) {
                Ok(block) => Ok(Some(block)),
                Err(error) => Err(error),
            },
        }
    }

    /// Whether offsets in this block depend on the GPU: some parameter is aligned above 16 bytes.
    #[must_use]
    pub const fn depends_on_gpu(self) -> bool {
        self.align.bytes() > Alignment::SIXTEEN.bytes()
    }

    const fn place<const N: usize>(
        mut block: Self,
        parameters: &[Layout; N],
    ) -> Result<(Self, [usize; N]), LayoutError> {
        let mut offsets = [0; N];
        let mut i = 0;
        while i < N {
            match block.push(parameters[i]) {
                Ok((longer, offset)) => {
                    block = longer;
                    offsets[i] = offset;
                }
                Err(error) => return Err(error),
            }
            i += 1;
        }
        Ok((block, offsets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn layout(size: usize, align: usize) -> Layout {
        match Layout::from_size_align(size, align) {
            Ok(layout) => layout,
            Err(_) => panic!("not a layout"),
        }
    }

    #[test]
    fn the_size_has_no_tail_padding() {
        let (block, offsets) = ParamLayout::of(&[layout(8, 8), layout(1, 1)]).unwrap();
        assert_eq!((block.size(), offsets), (9, [0, 8]));
        assert_eq!(ParamLayout::EMPTY.size(), 0);
    }

    /// The figures are ptxas 13.0's, read from cubins; those of sm_90 were confirmed on an H100.
    #[test]
    fn offsets_above_16_bytes_depend_on_the_gpu() {
        let tensor_map = [layout(128, 128), layout(8, 8)];
        let offsets = |sm| ParamLayout::on(Sm(sm), &tensor_map).unwrap().unwrap().1;
        assert_eq!(offsets(90), [112, 240]);
        assert_eq!(offsets(80), [32, 160]);
        assert_eq!(offsets(100), [0, 128]);

        let double4 = [layout(1, 1), layout(32, 32), layout(4, 4), layout(8, 8)];
        let (block, offsets) = ParamLayout::on(Sm(90), &double4).unwrap().unwrap();
        assert_eq!((offsets, block.size()), ([0, 16, 48, 56], 64));
    }

    #[test]
    fn a_generation_nobody_measured_is_refused_only_where_it_matters() {
        assert_eq!(ParamLayout::on(Sm(130), &[layout(32, 32)]), Ok(None));
        let (block, offsets) = ParamLayout::on(Sm(130), &[layout(1, 1), layout(16, 16)])
            .unwrap()
            .unwrap();
        assert_eq!((block.size(), offsets), (32, [0, 16]));
    }

    #[test]
    fn limits_follow_ptx_version_and_gpu() {
        assert_eq!(Sm(90).block_limit((8, 1)), 32_764);
        assert_eq!(Sm(90).block_limit((9, 0)), 32_764);
        assert_eq!(Sm(90).block_limit((8, 0)), 4096);
        assert_eq!(Sm(60).block_limit((8, 3)), 4096);
    }

    #[test]
    fn overflow_is_an_error() {
        let huge = layout(isize::MAX as usize - 7, 8);
        assert_eq!(ParamLayout::of(&[huge, huge]), Err(LayoutError));
    }
}

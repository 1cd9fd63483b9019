//! All arguments of one kernel, and the two forms in which `cuLaunchKernel` takes them.

use super::{
    Arguments, LaunchStream,
    param_writer::{KernelParams, Packed, ParamWriter},
};
use core::{ffi::c_void, mem::MaybeUninit, ptr, slice};
use kernel_args_abi::{ParamLayout, Parameter, Signature};

/// Where the kernel of a struct comes from: `#[kernel_args(ptx = "…", entry = "…")]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The PTX that the struct was checked against while it compiled. It need not be UTF-8: comments of a source
    /// in another encoding stand in it as they are.
    pub ptx: &'static [u8],
    /// The entry's symbol in it.
    pub entry: &'static str,
}

/// A struct that holds all arguments of a kernel. Derive it; do not implement it by hand.
///
/// # Safety
/// - [`Image`](Self::Image) is at least as large as [`LAYOUT`](Self::LAYOUT).
/// - [`Pointers`](Self::Pointers) is an array of as many `*mut c_void` as there are
///   [`PARAMETERS`](Self::PARAMETERS).
/// - [`lower`](Self::lower) puts every parameter through its form, in order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not hold the arguments of a kernel",
    label = "not a `KernelArgs` struct",
    note = "write `#[derive(KernelArgs)]` on the struct"
)]
pub unsafe trait KernelArgs: Sized {
    /// The same struct with every lifetime `'static`: what a handle that outlives its arguments is named after.
    type Erased: 'static;
    /// Room for all parameters, laid out as the device does.
    type Image;
    /// Room for a pointer to each parameter.
    type Pointers;

    /// The struct's name.
    const NAME: &'static str;
    /// Every parameter in order, with the offsets of C's rule.
    const PARAMETERS: &'static [Parameter<'static>];
    /// The parameter block by C's rule: its size has no tail padding.
    const LAYOUT: ParamLayout;
    /// The kernel that the struct was checked against while it compiled.
    const SOURCE: Option<Source> = None;

    /// The parameters under the struct's name.
    const SIGNATURE: Signature<'static> = Signature {
        name: Self::NAME,
        parameters: Self::PARAMETERS,
    };

    /// Lowers every field in the form `F`, calls `launch`, and lets the guards of the fields go.
    ///
    /// # Safety
    /// `image` is valid for writes of `LAYOUT.size()` bytes, and `pointers` of [`Pointers`](Self::Pointers) where
    /// the form has them, until `launch` has returned.
    unsafe fn lower<F: ParamWriter, R>(
        &mut self,
        stream: &LaunchStream<'_>,
        image: *mut u8,
        pointers: *mut *mut c_void,
        launch: impl FnOnce() -> R,
    ) -> R;

    /// Calls `launch` with the `kernelParams` of `cuLaunchKernel`: one pointer to each parameter.
    ///
    /// It works for any alignment. The pointers are valid until `launch` returns.
    ///
    /// ```
    /// # use kernel_args::KernelArgs;
    /// #[derive(KernelArgs)]
    /// struct Scale { factor: f32, n: u32 }
    ///
    /// Scale { factor: 2.0, n: 7 }.with_kernel_params(|params| {
    ///     // cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, params.as_ptr(), null())
    ///     assert_eq!(params.len(), 2);
    /// });
    /// ```
    #[inline]
    fn with_kernel_params<R>(mut self, launch: impl FnOnce(&mut [*mut c_void]) -> R) -> R {
        marshal_params(&mut self, &LaunchStream::untracked(), |pointers| {
            // SAFETY: `pointers` points at `Self::Pointers`, which `lower` has filled.
            launch(unsafe { slice::from_raw_parts_mut(pointers, Self::PARAMETERS.len()) })
        })
    }

    /// Calls `launch` with the packed buffer for `CU_LAUNCH_PARAM_BUFFER_POINTER`, and its size
    /// without tail padding for `CU_LAUNCH_PARAM_BUFFER_SIZE`. Padding between parameters is zero.
    ///
    /// It does not compile for a struct with an alignment above 16 bytes, whose packed offsets depend on
    /// the GPU: see [`with_packed_at`](Self::with_packed_at).
    ///
    /// ```
    /// # use kernel_args::KernelArgs;
    /// #[derive(KernelArgs)]
    /// struct Scale { factor: f32, n: u8 }
    ///
    /// Scale { factor: 2.0, n: 7 }.with_packed(|buffer| assert_eq!(buffer, [0, 0, 0, 0x40, 7]));
    /// ```
    #[inline]
    fn with_packed<R>(mut self, launch: impl FnOnce(&[u8]) -> R) -> R {
        const { crate::__private::packed_alike_everywhere(&Self::LAYOUT) };
        marshal_packed(&mut self, &LaunchStream::untracked(), |image| {
            // SAFETY: `image` points at `LAYOUT.size()` bytes, all written by `marshal_packed`.
            launch(unsafe { slice::from_raw_parts(image, Self::LAYOUT.size()) })
        })
    }

    /// Calls `show` with the arguments as the kernel would receive them, for a log or a message.
    ///
    /// ```
    /// # use kernel_args::KernelArgs;
    /// #[derive(KernelArgs)]
    /// struct Scale { factor: f32, n: u32 }
    ///
    /// let text = Scale { factor: 2.0, n: 7 }.with_arguments(|arguments| arguments.to_string());
    /// assert_eq!(text, "  factor  f32  @ 0    = 2.0  [00000040]\n  n       u32  @ 4    = 7  [07000000]");
    /// ```
    fn with_arguments<R>(mut self, show: impl FnOnce(&Arguments<'_>) -> R) -> R {
        marshal_params(&mut self, &LaunchStream::untracked(), |params| {
            show(&Arguments::params::<Self>(params))
        })
    }

    /// Writes the packed form into `buffer` at the `offsets` of a particular GPU, as `cuFuncGetParamInfo` or
    /// [`ParamLayout::on`] tells them, and returns the bytes to pass: up to the end of the last parameter, zeros
    /// between.
    ///
    /// # Errors
    /// Where `offsets` are not as many as the parameters, overlap, or do not fit in `buffer`.
    fn pack_at<'b>(
        mut self,
        offsets: &[usize],
        buffer: &'b mut [u8],
    ) -> Result<&'b [u8], PackError> {
        let size = check_offsets(Self::PARAMETERS, offsets, buffer.len())?;
        let packed = &mut buffer[..size];
        packed.fill(0);
        marshal_params(&mut self, &LaunchStream::untracked(), |pointers| {
            for (i, (parameter, &offset)) in Self::PARAMETERS.iter().zip(offsets).enumerate() {
                // SAFETY: `pointers` has one pointer for each parameter.
                let pointer = unsafe { pointers.add(i) };
                // SAFETY: as above; the pointer is initialised.
                let from = unsafe { pointer.read() }.cast::<u8>().cast_const();
                // SAFETY: each pointer is valid for its parameter's size; `check_offsets` has shown
                // that `offset + size` is inside `packed`, which no argument can overlap.
                unsafe {
                    ptr::copy_nonoverlapping(from, packed[offset..].as_mut_ptr(), parameter.size);
                };
            }
        });
        Ok(packed)
    }
}

/// Why [`KernelArgs::pack_at`] refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// Another number of offsets than of parameters.
    Count {
        /// How many parameters the struct has.
        parameters: usize,
        /// How many offsets were given.
        offsets: usize,
    },
    /// A parameter begins before the one before it ends.
    Overlap {
        /// The field.
        field: &'static str,
        /// Where it should go, in bytes.
        offset: usize,
        /// Where the field before it ends, in bytes.
        end: usize,
    },
    /// The buffer is too short.
    Buffer {
        /// How many bytes are needed.
        needed: usize,
        /// How many there are.
        len: usize,
    },
}

impl core::fmt::Display for PackError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Count {
                parameters,
                offsets,
            } => {
                write!(
                    f,
                    "{parameters} parameters but {offsets} offsets: give one offset for each"
                )
            }
            Self::Overlap { field, offset, end } => write!(
                f,
                "`{field}` cannot lie at offset {offset}: the parameter before it ends at {end}; \
                 are these the offsets of this kernel?"
            ),
            Self::Buffer { needed, len } => {
                write!(
                    f,
                    "the packed form needs {needed} bytes, the buffer has {len}"
                )
            }
        }
    }
}

impl core::error::Error for PackError {}

fn check_offsets(
    parameters: &[Parameter<'static>],
    offsets: &[usize],
    len: usize,
) -> Result<usize, PackError> {
    if parameters.len() != offsets.len() {
        return Err(PackError::Count {
            parameters: parameters.len(),
            offsets: offsets.len(),
        });
    }
    let mut end = 0;
    for (parameter, &offset) in parameters.iter().zip(offsets) {
        if offset < end {
            return Err(PackError::Overlap {
                field: parameter.name,
                offset,
                end,
            });
        }
        end = offset.saturating_add(parameter.size);
    }
    if end > len {
        return Err(PackError::Buffer { needed: end, len });
    }
    Ok(end)
}

/// Lowers `args` to one pointer for each parameter and calls `launch` with them.
#[inline]
pub(crate) fn marshal_params<A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(*mut *mut c_void) -> R,
) -> R {
    let mut image = MaybeUninit::<A::Image>::uninit();
    let mut pointers = MaybeUninit::<A::Pointers>::uninit();
    let pointers = pointers.as_mut_ptr().cast::<*mut c_void>();
    // SAFETY: both locals outlive the call.
    unsafe {
        args.lower::<KernelParams, R>(stream, image.as_mut_ptr().cast(), pointers, || {
            launch(pointers)
        })
    }
}

/// Lowers `args` to the packed form and calls `launch` with its first byte; it is `LAYOUT.size()` bytes long.
/// Offsets are those of C's rule: not for a block that depends on the GPU.
#[inline]
pub(crate) fn marshal_packed<A: KernelArgs, R>(
    args: &mut A,
    stream: &LaunchStream<'_>,
    launch: impl FnOnce(*const u8) -> R,
) -> R {
    let mut image = MaybeUninit::<A::Image>::uninit();
    let image = image.as_mut_ptr().cast::<u8>();
    if const { has_gaps(A::PARAMETERS) } {
        // SAFETY: the image is at least as large as the block, which ends with its last parameter.
        unsafe { image.write_bytes(0, A::LAYOUT.size()) };
    }
    // SAFETY: `image` outlives the call; the packed form writes no pointers.
    unsafe { args.lower::<Packed, R>(stream, image, ptr::null_mut(), || launch(image)) }
}

/// Whether there are bytes between parameters.
const fn has_gaps(parameters: &[Parameter<'_>]) -> bool {
    let mut end = 0;
    let mut i = 0;
    while i < parameters.len() {
        match parameters[i].offset {
            Some(offset) if offset == end => end += parameters[i].size,
            _ => return true,
        }
        i += 1;
    }
    false
}

// SAFETY: everything is the inner struct's.
unsafe impl<A: KernelArgs> KernelArgs for &mut A {
    type Erased = A::Erased;
    type Image = A::Image;
    type Pointers = A::Pointers;

    const NAME: &'static str = A::NAME;
    const PARAMETERS: &'static [Parameter<'static>] = A::PARAMETERS;
    const LAYOUT: ParamLayout = A::LAYOUT;
    const SOURCE: Option<Source> = A::SOURCE;

    #[inline]
    unsafe fn lower<F: ParamWriter, R>(
        &mut self,
        stream: &LaunchStream<'_>,
        image: *mut u8,
        pointers: *mut *mut c_void,
        launch: impl FnOnce() -> R,
    ) -> R {
        // SAFETY: the caller's promise is the same one.
        unsafe { A::lower::<F, R>(self, stream, image, pointers, launch) }
    }
}

//! Arguments that do not match a kernel, or that cannot be verified.

/// Why arguments were rejected before a launch.
#[non_exhaustive]
pub enum VerifyError {
    /// The struct does not match the kernel.
    Mismatch(Box<MismatchError>),
    /// The arguments cannot be verified, but `require_verified` was called.
    #[non_exhaustive]
    Unverified {
        /// The kernel.
        kernel: String,
        /// The reason.
        reason: Unverified,
    },
}

/// A struct that does not match a kernel.
#[non_exhaustive]
pub struct MismatchError {
    /// The kernel.
    pub kernel: String,
    /// The struct; `ArgList` for a list.
    pub arguments: String,
    /// The wrong fields, or the indices of wrong arguments in a list, in order. They do not include parameters without
    /// a field.
    pub fields: Vec<String>,
    /// The fields and the kernel's parameters, side by side, as text.
    pub table: String,
}

/// Why a kernel could not be verified.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unverified {
    /// Why the image could not be read; `None` if there was no image.
    pub image: Option<String>,
}

display!(VerifyError, |this, f| match this {
    Self::Mismatch(mismatch) => mismatch.fmt(f),
    Self::Unverified { kernel, reason } => {
        write!(f, "kernel `{kernel}` could not be verified: {reason}")
    }
});

display!(MismatchError, |this, f| f.write_str(&this.table));

display!(Unverified, |this, f| {
    f.write_str("the driver is older than 12.4 and does not report a kernel's parameters, and ")?;
    match &this.image {
            Some(problem) => write!(f, "the image could not be read: {problem}"),
            None => f.write_str(
                "there was no image to read\nhelp: load the kernel with `Kernel::from_image`, or pass the image of the cudarc module to \
                 `Module::from_cudarc`",
            ),
        }
});

//! Where the kernel of a struct comes from.

/// Where the kernel of a struct comes from: `#[kernel_args(ptx = "…", entry = "…")]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Source {
    /// The PTX that the struct was checked against while it compiled. Its comments may be in any encoding.
    pub ptx: &'static [u8],
    /// The entry's symbol in it.
    pub entry: &'static str,
}

impl Source {
    pub(crate) const fn new(ptx: &'static [u8], entry: &'static str) -> Self {
        Self { ptx, entry }
    }

    /// The kernel that a struct names.
    ///
    /// # Panics
    /// At compile time, where it names none.
    #[cfg(feature = "cudarc")]
    #[track_caller]
    pub(crate) const fn expect(source: Option<Self>) -> Self {
        match source {
            Some(source) => source,
            None => panic!(
                "this struct names no kernel\n\
                 help: write `#[kernel_args(ptx = \"kernels.ptx\", entry = \"name\")]` on it, or load the kernel with \
                 `Kernel::from_image`"
            ),
        }
    }
}

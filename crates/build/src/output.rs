//! The kinds of image.

/// The kind of image for the program: see [`Kernels::output`](crate::Kernels::output).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Output {
    /// `NAME.ptx`: text that the driver compiles when it loads the image, for the GPU generation of the image and all
    /// later generations.
    Ptx,
    /// `NAME.cubin`: machine code for one GPU generation.
    Cubin,
    /// `NAME.fatbin`: machine code for several GPU generations, and PTX for later ones. Only `nvcc` writes it.
    Fatbin,
}

impl Output {
    /// Returns the extension of the file, which is also the name of `nvcc`'s option.
    pub(crate) const fn extension(self) -> &'static str {
        match self {
            Self::Ptx => "ptx",
            Self::Cubin => "cubin",
            Self::Fatbin => "fatbin",
        }
    }
}

/// How a program is linked with the CUDA runtime: see [`Kernels::cudart`](crate::Kernels::cudart).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub enum Cudart {
    /// With `libcudart_static.a`, and the system libraries that it needs.
    #[default]
    Static,
    /// With `libcudart.so`.
    Shared,
    /// Not: another crate does it, or the library does not use it.
    None,
}

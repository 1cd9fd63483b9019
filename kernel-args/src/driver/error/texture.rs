//! Errors about arrays, textures and surfaces.

/// Why an array, a texture or a surface was not created, or an array was not copied. The driver was not called.
#[non_exhaustive]
pub enum TextureError {
    /// A dimension is 0, or larger than the GPU supports.
    #[non_exhaustive]
    Size {
        /// What would be created: `a 2D array`.
        object: String,
        /// The dimension: `width`.
        dimension: &'static str,
        /// Its size.
        size: usize,
        /// The largest size on this GPU.
        limit: usize,
    },
    /// An option cannot have this value together with the texels or with the other options.
    #[non_exhaustive]
    WrongOption {
        /// The option: `FilterMode::Linear`.
        option: &'static str,
        /// What it needs, and what there is.
        problem: String,
        /// What to write.
        help: &'static str,
    },
    /// The memory of a texture is too short, or its rows are not aligned.
    #[non_exhaustive]
    Memory {
        /// The problem.
        problem: String,
        /// What to write.
        help: String,
    },
    /// A surface needs an array that was created for surfaces.
    NotForSurfaces,
    /// A copy with another number of elements than the array has.
    #[non_exhaustive]
    Length {
        /// The array: `2D array of 640 × 480 texels`.
        array: String,
        /// The number of its elements.
        array_len: usize,
        /// The number of elements of the slice.
        slice_len: usize,
    },
    /// A stream that is being captured cannot copy an array: the graph would not retain it.
    Capturing,
}

display!(TextureError, |this, f| match this {
    Self::Size { object, dimension, size: 0, limit } => {
        write!(f, "the {dimension} of {object} is 0, but it must be 1 to {limit}")
    }
    Self::Size { object, dimension, size, limit } => {
        write!(f, "the {dimension} of {object} is {size}, but this GPU supports at most {limit}")
    }
    Self::WrongOption { option, problem, help } => write!(f, "`{option}` {problem}\nhelp: {help}"),
    Self::Memory { problem, help } => write!(f, "the memory does not fit the texture: {problem}\nhelp: {help}"),
    Self::NotForSurfaces => f.write_str(
        "the array was created for textures only, so a surface cannot write it\n\
                 help: create it with `Array::for_surfaces`",
    ),
    Self::Length { array, array_len, slice_len } => write!(
        f,
        "the {array} has {array_len} elements, but the slice has {slice_len}\n\
                 help: pass exactly the elements of the array, for a view: `slice.slice(..{array_len})`"
    ),
    Self::Capturing => f.write_str(
        "the stream is being captured, and a graph would not keep the array and the slice of the copy allocated\n\
                 help: copy before the capture, or use a different stream",
    ),
});

//! Memory of known length.

/// Device memory whose number of elements is known: cudarc's slices and views, [`Retained`](crate::Retained) pointers,
/// and `Option`s of these. The contract `#[kernel_args(len = "n")]` compares it.
///
/// Implement it for an own argument type that wraps such memory.
#[diagnostic::on_unimplemented(
    message = "the number of elements of `{Self}` is not known",
    label = "no length",
    note = "`len` is for slices, views and pointers: on the field of a number, remove it",
    note = "for a pointer, add a field with the number of elements, and name it: `#[kernel_args(len = \"…\", capacity = \"elements\")]`; if the kernel \
            has no such parameter, add `#[kernel_args(skip)]` to that field"
)]
pub trait Elements {
    /// Returns the number of elements: at most `isize::MAX`, so a negative `n` in `len = "n"` exceeds it. `usize::MAX`
    /// if there is no memory, as in `None`: then no contract is compared.
    fn elements(&self) -> usize;
}

/// A null pointer has no memory that could be too short, whatever the number of elements is: `-1` for "no array", for
/// example.
impl<E: Elements> Elements for Option<E> {
    #[inline(always)]
    fn elements(&self) -> usize {
        self.as_ref().map_or(usize::MAX, E::elements)
    }
}

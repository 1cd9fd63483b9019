//! Types of which zero bytes are a value.

use core::{marker::PhantomData, num::Wrapping};

/// A device type of which zero bytes are a valid value: cudarc's `alloc_zeros` and `memset_zeros` take it.
///
/// All numbers, CUDA's vector types, device pointers (null), texture and surface objects and tensor maps are. `NonZero*` is
/// not. `#[derive(DeviceType)]` implements it for a struct if all its fields are, and for an enum if one of its variants has
/// the discriminant 0.
///
/// # Safety
/// `size_of::<Self>()` zero bytes are a value of the type.
#[diagnostic::on_unimplemented(
    message = "zero bytes are not a valid `{Self}`",
    label = "memory for it cannot be filled with zeros",
    note = "copy values to the device instead: `stream.clone_htod(&vec![value; len])`"
)]
pub unsafe trait ZeroBits {}

/// An enum with a variant that is 0, if `HAS_ZERO` is `true`.
///
/// The derive asks for it with a constant that it computes from the variants.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "zero bytes are not a valid `{E}`",
    label = "no variant of `{E}` has the discriminant 0",
    note = "copy values to the device instead: `stream.clone_htod(&vec![value; len])`"
)]
pub trait HasZero<E, const HAS_ZERO: bool> {}

#[diagnostic::do_not_recommend]
impl<E> HasZero<E, true> for () {}

// SAFETY: `Wrapping` is `repr(transparent)`, and zero bytes are a value of what it holds.
unsafe impl<T: ZeroBits> ZeroBits for Wrapping<T> {}
// SAFETY: an array is its elements one after another, and zero bytes are a value of each.
unsafe impl<T: ZeroBits, const N: usize> ZeroBits for [T; N] {}
// SAFETY: it has no bytes, and one value.
unsafe impl<T: ?Sized> ZeroBits for PhantomData<T> {}

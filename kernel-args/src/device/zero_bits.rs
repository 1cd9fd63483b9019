//! Types for which zero bytes are a value.

use core::{marker::PhantomData, num::Wrapping};

/// A device type for which zero bytes are a valid value: cudarc's `alloc_zeros` and `memset_zeros` accept it.
///
/// Implemented for all numbers, CUDA's vector types, device pointers (null), texture and surface objects, conditions of
/// graphs and tensor maps, not for `NonZero*`. `#[derive(DeviceType)]` implements it for a struct if all its fields
/// implement it, and for an enum if one of its variants has the discriminant 0.
///
/// # Safety
/// `size_of::<Self>()` zero bytes are a value of the type.
#[diagnostic::on_unimplemented(
    message = "zero bytes are not a valid `{Self}`",
    label = "memory for it cannot be filled with zeros",
    note = "copy values to the device instead: `stream.clone_htod(&vec![value; len])`"
)]
pub unsafe trait ZeroBits {}

/// Implemented for an enum `E` that has a variant with the discriminant 0: `HAS_ZERO` is `true`.
///
/// The derive requires it, with a constant that it computes from the variants.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "zero bytes are not a valid `{E}`",
    label = "no variant of `{E}` has the discriminant 0",
    note = "copy values to the device instead: `stream.clone_htod(&vec![value; len])`"
)]
pub trait HasZero<E, const HAS_ZERO: bool> {}

#[diagnostic::do_not_recommend]
impl<E> HasZero<E, true> for () {}

// SAFETY: `Wrapping` is `repr(transparent)`, and zero bytes are a value of `T`.
unsafe impl<T: ZeroBits> ZeroBits for Wrapping<T> {}
// SAFETY: an array contains its elements one after another, and zero bytes are a value of each element.
unsafe impl<T: ZeroBits, const N: usize> ZeroBits for [T; N] {}
// SAFETY: `PhantomData` has no bytes and exactly one value.
unsafe impl<T: ?Sized> ZeroBits for PhantomData<T> {}

//! The variants of an enum that a kernel takes by value.

use crate::device::{DeviceType, bytes_of};
use kernel_args_abi::{CppBase, Variant};

/// The variants of an enum.
pub trait Variants: Sized + 'static {
    /// The integer of its `repr`.
    type Integer: DeviceType;
    /// Each variant, with its discriminant.
    const ALL: &'static [(Self, Self::Integer)];
}

/// The variant at this index of [`Variants::ALL`], with its name.
#[must_use]
pub const fn variant<E: Variants>(name: &'static str, index: usize) -> Variant<'static> {
    let bytes = bytes_of(&E::ALL[index].1);
    let mut value = 0_i128;
    let mut i = 0;
    while i < bytes.len() {
        let from_the_highest = if cfg!(target_endian = "big") {
            i
        } else {
            bytes.len() - 1 - i
        };
        value = value << 8 | bytes[from_the_highest] as i128;
        i += 1;
    }
    let unused = 128 - 8 * bytes.len() as u32;
    if let Some(true) = is_signed::<E>() {
        value = value << unused >> unused;
    }
    Variant { name, value }
}

/// Whether the integer of the `repr` is signed.
#[must_use]
pub const fn is_signed<E: Variants>() -> Option<bool> {
    match E::Integer::CPP.base {
        CppBase::Integer { signed, .. } | CppBase::Long { signed } => Some(signed),
        _ => None,
    }
}

/// Whether a variant has the discriminant 0.
#[must_use]
pub const fn has_zero<E: Variants>() -> bool {
    let mut i = 0;
    while i < E::ALL.len() {
        let discriminant = bytes_of(&E::ALL[i].1);
        let mut zeros = 0;
        while zeros < discriminant.len() && discriminant[zeros] == 0 {
            zeros += 1;
        }
        if zeros == discriminant.len() {
            return true;
        }
        i += 1;
    }
    false
}

/// Asserts that the bytes of each variant of an enum are the bytes of its discriminant.
///
/// An attribute macro that runs after the derive can replace the `repr`. An enum of four bytes with `repr(align(4))` has one
/// byte for its discriminant, and three bytes that are not initialised. [`assert_layout`](super::assert_layout) compares the sizes.
///
/// # Panics
/// At compile time, if the bytes differ.
pub const fn assert_variants<E: Variants + DeviceType>() {
    const {
        let mut i = 0;
        while i < E::ALL.len() {
            let (variant, discriminant) = &E::ALL[i];
            // The derive's implementation of `DeviceType` depends on this comparison. It is evaluated only at compile time, where
            // the compiler rejects reads of bytes that are not initialised.
            let (variant, discriminant) = (bytes_of(variant), bytes_of(discriminant));
            let mut byte = 0;
            while byte < variant.len() && byte < discriminant.len() {
                assert!(
                    variant[byte] == discriminant[byte],
                    "the bytes of an enum variant differ from the bytes of its discriminant"
                );
                byte += 1;
            }
            i += 1;
        }
    }
}

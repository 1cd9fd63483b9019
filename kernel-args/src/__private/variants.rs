//! The variants of an enum that a kernel takes by value.

use crate::device::{DeviceType, bytes_of};
pub use crate::device::{Variants, assert_variants};
use kernel_args_abi::{CppBase, Variant};

/// Returns the variant at this index of [`Variants::ALL`], with its name.
pub const fn variant<E: Variants>(name: &'static str, index: usize) -> Variant<'static> {
    let bytes = bytes_of(&E::ALL[index].1);
    let mut value = 0_i128;
    let mut i = 0;
    while i < bytes.len() {
        let from_the_highest = if cfg!(target_endian = "big") { i } else { bytes.len() - 1 - i };
        value = value << 8 | bytes[from_the_highest] as i128;
        i += 1;
    }
    let unused = 128 - 8 * bytes.len() as u32;
    if let Some(true) = is_signed::<E>() {
        value = value << unused >> unused;
    }
    Variant { name, value }
}

pub const fn is_signed<E: Variants>() -> Option<bool> {
    match E::Integer::CPP.base {
        CppBase::Integer { signed, .. } | CppBase::Long { signed } => Some(signed),
        _ => None,
    }
}

pub const fn has_zero<E: Variants>() -> bool {
    let mut i = 0;
    while i < E::ALL.len() {
        if variant::<E>("", i).value == 0 {
            return true;
        }
        i += 1;
    }
    false
}

pub fn is_variant<E: Variants>(bytes: &[u8]) -> bool {
    let mut all = E::ALL.iter();
    all.any(|(_, discriminant)| bytes_of(discriminant) == bytes)
}

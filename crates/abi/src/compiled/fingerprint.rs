//! Detects a file that changes after a macro reads it, and before rustc embeds it.

use crate::texts::{Message, templates};

/// The maximum number of 8-byte pieces in a fingerprint. Constant evaluation takes some microseconds per piece.
const PIECES: usize = 2048;

/// Returns a hash of all bytes up to 16 KiB, and of 2,048 evenly spread pieces of a longer text.
///
/// It detects accidental changes only.
pub const fn fingerprint(bytes: &[u8]) -> u64 {
    let length = bytes.len();
    let skipped = match length / 8 / PIECES {
        0 => 0,
        step => 8 * (step - 1),
    };
    let mut hash = length as u64;
    let mut rest = bytes;
    if skipped == 0 {
        // Two pieces at a time, in the same way.
        let (pairs, after) = bytes.as_chunks::<16>();
        let mut i = 0;
        while i < pairs.len() {
            // `from_le_bytes` is three calls.
            let pair = if cfg!(target_endian = "little") {
                u128::from_ne_bytes(pairs[i])
            } else {
                u128::from_le_bytes(pairs[i])
            };
            let (low, high) = (pair as u64, (pair >> 64) as u64);
            let product = (hash ^ low) as u128 * MULTIPLIER;
            hash = (product as u64) ^ (product >> 64) as u64 ^ low;
            let product = (hash ^ high) as u128 * MULTIPLIER;
            hash = (product as u64) ^ (product >> 64) as u64 ^ high;
            i += 1;
        }
        rest = after;
    }
    // Patterns and operators instead of calls.
    while let [a, b, c, d, e, f, g, h, after @ ..] = rest {
        let low = *a as u64 | (*b as u64) << 8 | (*c as u64) << 16 | (*d as u64) << 24;
        let high = *e as u64 | (*f as u64) << 8 | (*g as u64) << 16 | (*h as u64) << 24;
        hash = mix(hash, low | high << 32);
        rest = if skipped == 0 {
            after
        } else if after.len() > skipped {
            after.split_at(skipped).1
        } else {
            &[]
        };
    }
    while let [byte, after @ ..] = rest {
        hash = mix(hash, *byte as u64);
        rest = after;
    }
    hash
}

const MULTIPLIER: u128 = 0x9e37_79b9_7f4a_7c15;

/// Multiplies, then folds the upper half of the product into the lower half.
const fn mix(hash: u64, piece: u64) -> u64 {
    let product = (hash ^ piece) as u128 * MULTIPLIER;
    (product as u64) ^ (product >> 64) as u64 ^ piece
}

/// Returns the bytes as an array, for a `static`: rustc compares a constant that refers to a `static` in constant time.
///
/// # Panics
/// If the length is not `N`.
#[track_caller]
pub const fn of_length<const N: usize>(bytes: &'static [u8]) -> &'static [u8; N] {
    match bytes.split_first_chunk::<N>() {
        Some((array, [])) => array,
        _ => changed(),
    }
}

/// Panics with the error for a changed file.
#[track_caller]
pub const fn changed() -> ! {
    let mut message: Message = Message::new();
    templates::image_changed(&mut message);
    message.fail()
}

#[cfg(test)]
mod tests {
    use super::{fingerprint, of_length};
    use proptest::prelude::*;
    use std::vec;

    proptest! {
        #[test]
        fn every_byte_of_16_kibibytes_counts(
            mut bytes in proptest::collection::vec(any::<u8>(), 1..300), at in any::<prop::sample::Index>(), other in 1u8..
        ) {
            let before = fingerprint(&bytes);
            prop_assert_eq!(before, fingerprint(&bytes.clone()));
            let at = at.index(bytes.len());
            bytes[at] ^= other;
            prop_assert_ne!(before, fingerprint(&bytes));
        }
    }

    #[test]
    fn a_long_text_is_looked_at_from_end_to_end() {
        let long = vec![7; 3 << 20];
        let step = (long.len() / 8) / 2048 * 8;
        for at in [0, 1 << 20, 2 << 20, long.len() - step] {
            let mut changed = long.clone();
            changed[at / step * step] = 8;
            assert_ne!(fingerprint(&long), fingerprint(&changed), "{at}");
        }
        assert_ne!(fingerprint(&long), fingerprint(&long[1..]));
    }

    #[test]
    fn an_array_has_all_bytes() {
        assert_eq!(of_length::<2>(b"ab"), b"ab");
    }

    #[test]
    #[should_panic(expected = "changed while this crate was compiled")]
    fn a_file_that_has_grown_is_refused() {
        let _ = of_length::<2>(b"abc");
    }
}

//! Whether two reads of a file saw the same bytes.
//!
//! A macro reads an image, and rustc then embeds it: the file may have changed between the two.

use crate::words::{Message, templates};

/// How many pieces of 8 bytes are looked at. A constant is evaluated slowly: the whole of a large image would take minutes.
const PIECES: usize = 8192;

/// A number that depends on the bytes: on all of up to 64 KiB, and of a longer text on 8192 pieces that are spread evenly.
///
/// For accidents: it is no cryptographic hash.
#[must_use]
pub const fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hash = mix(0, bytes.len() as u64);
    let mut rest = bytes;
    let skipped = match (bytes.len() / 8).checked_div(PIECES) {
        Some(0) | None => 0,
        Some(step) => 8 * (step - 1),
    };
    while let Some((piece, after)) = rest.split_first_chunk::<8>() {
        hash = mix(hash, u64::from_le_bytes(*piece));
        rest = match after.split_at_checked(skipped) {
            Some((_, after)) => after,
            None => &[],
        };
    }
    while let Some((&byte, after)) = rest.split_first() {
        hash = mix(hash, byte as u64);
        rest = after;
    }
    hash
}

const fn mix(hash: u64, piece: u64) -> u64 {
    (hash.rotate_left(5) ^ piece).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The bytes as an array, for a `static` that holds them itself: a constant that refers to a `static` takes no time to compare,
/// whatever its size.
///
/// # Panics
/// Where there are not `N` of them.
#[must_use]
#[track_caller]
pub const fn of_length<const N: usize>(bytes: &'static [u8]) -> &'static [u8; N] {
    match bytes.split_first_chunk::<N>() {
        Some((array, [])) => array,
        _ => changed(),
    }
}

/// The error where it has.
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
        fn every_byte_of_64_kibibytes_counts(
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
        let step = (long.len() / 8) / 8192 * 8;
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

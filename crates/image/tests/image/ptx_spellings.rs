//! The reader finds the same kernel in every spelling of its PTX.

use super::spelling::{Meant, Speller, assert_read};
use kernel_args_image::ptx::{Module, extent};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kernels_are_read_as_they_are_meant(
        kernels in prop::collection::vec(Meant::any(true), 0..5),
        seed in any::<u64>(),
    ) {
        let mut speller = Speller::new(seed);
        speller.header("sm_90");
        for (i, meant) in kernels.iter().enumerate() {
            speller.kernel(meant, &format!("k{i}"));
        }
        assert_read(&speller.text, &kernels);
        // In a program, other bytes follow.
        let size = speller.text.trim_end().len();
        for behind in ["", "called `unwrap`", "\0.entry", ".version 9.0"] {
            let bytes = [&speller.text, behind].concat();
            prop_assert_eq!(extent(bytes.as_bytes(), true), Some(size));
        }
    }

    #[test]
    fn any_bytes_are_ptx_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Module::read(&bytes);
        prop_assert!(extent(&bytes, true).is_some_and(|end| end <= bytes.len()));
    }

    /// Valid texts with one part removed: closer to PTX than random bytes.
    #[test]
    fn broken_texts_do_not_panic(
        meant in Meant::any(true),
        seed in any::<u64>(),
        from in any::<prop::sample::Index>(),
        length in 1_usize..20,
    ) {
        let mut speller = Speller::new(seed);
        speller.header("sm_90");
        speller.kernel(&meant, "k0");
        let mut bytes = speller.text.into_bytes();
        let from = from.index(bytes.len());
        bytes.drain(from..bytes.len().min(from + length));
        if let Err(error) = Module::read(&bytes) {
            prop_assert!(error.line >= 1 && !error.to_string().is_empty());
        }
    }
}

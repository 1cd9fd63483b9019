//! Damaged images: every image that can be read produces a text.

use crate::{
    model::{Cpp, OneKernel},
    of_image, with_items,
};
use kernel_args_codegen::generate::rust;
use kernel_args_image::Image;
use proptest::prelude::*;

const PTX: &[u8] = include_bytes!("../../../kernel-args-image/tests/data/debug.ptx");
const CUBIN: &[u8] = include_bytes!("../../../kernel-args-image/tests/data/debug.sm_90.cubin");

/// The start of the bytes that contain the types.
fn section(image: &[u8]) -> usize {
    let name = b".debug_info";
    let found = image.windows(name.len()).position(|window| window == name);
    found.unwrap_or(0)
}

/// Text from an image appears only in comments and literals, never as code.
#[test]
fn names_cannot_end_a_comment() {
    for evil in [
        "x\n}\npub struct Evil {}\nimpl Evil {",
        "x\r",
        "x\"]\n#![evil = \"",
        "x */ fn evil() {}",
        "\u{202e}evil\u{2066}",
        "```\nevil",
    ] {
        let structure = Cpp::Struct(
            evil.to_owned(),
            vec![(
                evil.to_owned(),
                Cpp::Enum(evil.to_owned(), vec![(evil.to_owned(), 1)], 4),
            )],
            4,
        );
        let mut kernel = OneKernel {
            symbol: evil.to_owned(),
            parameters: vec![(evil.to_owned(), structure)],
            tells_alignment: true,
        }
        .kernel();
        for varies in [false, true] {
            kernel.varies = varies;
            let text = rust(&[kernel.clone()], &with_items());
            let declared = text.lines().filter(|line| line.starts_with("pub "));
            assert_eq!(declared.count(), if varies { 0 } else { 3 }, "{text}");
            let odd = |c: char| c.is_control() && c != '\n' || matches!(c, '\u{202e}' | '\u{2066}');
            assert!(!text.contains(odd), "{text}");
            let inner = text
                .lines()
                .any(|line| line.starts_with(['f', 'i']) || line.starts_with("#!"));
            assert!(!inner, "{text}");
            assert!(
                syn::parse_str::<proc_macro2::TokenStream>(&text).is_ok(),
                "{text}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Changes numbers in the debug information: sizes, offsets, references to types.
    #[test]
    fn changed_debug_information_is_written(changes in proptest::collection::vec((any::<u32>(), b'0'..=b'9'), 1..12)) {
        let mut image = PTX.to_vec();
        let start = section(&image);
        let digits: Vec<usize> = (start..image.len()).filter(|&at| image[at].is_ascii_digit()).collect();
        for (at, digit) in changes {
            image[digits[at as usize % digits.len()]] = digit;
        }
        if Image::read(&image).and_then(|image| image.kernels().map(drop)).is_ok() {
            let text = of_image(&image, &with_items());
            prop_assert!(syn::parse_str::<proc_macro2::TokenStream>(&text).is_ok(), "{}", text);
        }
    }

    #[test]
    fn a_changed_cubin_is_written(changes in proptest::collection::vec((any::<u32>(), any::<u8>()), 1..12)) {
        let mut image = CUBIN.to_vec();
        for (at, byte) in changes {
            let at = at as usize % image.len();
            image[at] = byte;
        }
        if Image::read(&image).and_then(|image| image.kernels().map(drop)).is_ok() {
            let text = of_image(&image, &with_items());
            prop_assert!(syn::parse_str::<proc_macro2::TokenStream>(&text).is_ok(), "{}", text);
        }
    }
}

//! The text: readable and deterministic. The suite `compilers` compares it with rustfmt's output.

use crate::{model::kernels, of_image, texts::texts, with_items};
use kernel_args_image::generate;
use proptest::prelude::*;
use std::{env, fs, path::Path};

const PTX: &[u8] = include_bytes!("../data/debug.ptx");
const CUBIN: &[u8] = include_bytes!("../data/debug.sm_90.cubin");

/// `KERNEL_ARGS_BLESS=1` writes the file.
#[test]
fn the_text_for_debug_cu_is_the_golden_one() {
    let mut options = with_items();
    options.source = "`debug.ptx`";
    let text = of_image(PTX, &options);
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/debug.generated.rs");
    if env::var_os("KERNEL_ARGS_BLESS").is_some() {
        fs::write(place, &text).unwrap();
    } else {
        assert_eq!(text, fs::read_to_string(place).unwrap());
    }
}

/// PTX contains alignments, a cubin offsets. Only PTX shows that a parameter is not used.
#[test]
fn a_cubin_and_ptx_with_debug_information_give_one_text() {
    let (of_ptx, of_cubin) = (of_image(PTX, &with_items()), of_image(CUBIN, &with_items()));
    let different: Vec<_> =
        of_ptx.lines().zip(of_cubin.lines()).filter(|(ptx, cubin)| ptx != cubin).map(|(_, cubin)| cubin).collect();
    assert_eq!(different, ["    /// `sim::Params`"]);
    assert_eq!(of_ptx.lines().count(), of_cubin.lines().count());
}

/// The text from the attributes of the kernel's struct on.
#[test]
fn the_guide_shows_what_is_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = of_image(&fs::read(root.join("ptx/shade.debug.ptx")).unwrap(), &with_items());
    let shown = &text[text.find("#[derive(KernelArgs)]\n#[kernel_args(kernel = shade)]").unwrap()..];
    let chapter = fs::read_to_string(root.join("kernel-args/guide/kernels.md")).unwrap();
    assert!(chapter.contains(shown), "{shown}");
}

#[test]
fn what_is_written_parses() {
    for text in texts() {
        let file = syn::parse_str::<proc_macro2::TokenStream>(&text);
        assert!(file.is_ok(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// The order of the kernels in the list does not matter.
    #[test]
    fn the_text_depends_on_the_kernels_alone(model in kernels(), rotate in 0_usize..8) {
        let mut listed = model.kernels();
        let text = generate::rust(&listed, &[], &with_items());
        prop_assert_eq!(&text, &generate::rust(&listed, &[], &with_items()));
        let middle = rotate % listed.len();
        listed.rotate_left(middle);
        prop_assert_eq!(&text, &generate::rust(&listed, &[], &with_items()));
    }
}

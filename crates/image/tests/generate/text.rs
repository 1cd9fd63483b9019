//! The text: readable, deterministic, and formatted like rustfmt's output.

use crate::{model::kernels, of_image, with_items};
use kernel_args_image::generate::{self, Naming, Options, Pointers};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};
use std::{env, fs, path::Path, process::Command};

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

/// The images of this repository.
fn images() -> Vec<Vec<u8>> {
    let folders = ["tests/data", "../../ptx", "../../tests/golden"];
    let mut images = Vec::new();
    for folder in folders {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_image = |extension| extension == "ptx" || extension == "cubin" || extension == "fatbin";
            if path.extension().is_some_and(is_image) {
                images.push(fs::read(path).unwrap());
            }
        }
    }
    assert!(images.len() > 20);
    images
}

fn many_options() -> [Options<'static>; 4] {
    let mut raw = with_items();
    raw.pointers = Pointers::Raw;
    (raw.half, raw.float8) = (true, true);
    let mut by_path = Options::default();
    by_path.krate = "crate::facade::args";
    by_path.naming = Naming::Image {
        path: "concat!(env!(\"OUT_DIR\"), \"/a/rather/long/path/of/an/image/of/kernels.ptx\")",
        debug_info: None,
    };
    by_path.without_prelude = true;
    [with_items(), raw, by_path, Options::default()]
}

/// Texts of random kernels and of all images.
fn texts() -> Vec<String> {
    let mut runner = TestRunner::deterministic();
    let mut texts = Vec::new();
    for options in many_options() {
        texts.extend(images().iter().map(|image| of_image(image, &options)));
        for _ in 0..25 {
            let kernels = kernels().new_tree(&mut runner).unwrap().current();
            texts.push(generate::rust(&kernels.kernels(), &[], &options));
        }
    }
    texts
}

#[test]
fn rustfmt_leaves_the_text_as_it_is() {
    let folder = env::temp_dir().join(format!("kernel-args-generate-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("rustfmt.toml"), "").unwrap();
    let texts = texts();
    let names: Vec<_> = (0..texts.len()).map(|i| folder.join(format!("{i}.rs"))).collect();
    for (name, text) in names.iter().zip(&texts) {
        fs::write(name, text).unwrap();
    }
    let mut problem = None;
    for edition in ["2021", "2024"] {
        let mut rustfmt = Command::new("rustfmt");
        rustfmt.args(["--check", "--edition", edition, "--config-path"]).arg(&folder);
        let Ok(output) = rustfmt.args(&names).output() else {
            println!("there is no rustfmt");
            break;
        };
        if !output.status.success() {
            problem = Some(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned());
        }
    }
    fs::remove_dir_all(&folder).unwrap();
    assert_eq!(problem, None);
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

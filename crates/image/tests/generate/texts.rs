//! Generated texts.

use crate::model::kernels;
use kernel_args_image::{
    Image,
    generate::{self, Naming, Options, Pointers},
};
use proptest::{
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};
use std::{fs, path::Path};

/// The generated text for an image, whose code is analysed.
pub(crate) fn of_image(image: &[u8], options: &Options<'_>) -> String {
    let image = Image::read(image).unwrap();
    let mut kernels = image.kernels().unwrap();
    image.add_bodies(&mut kernels, |_| true).unwrap();
    generate::of_image(&kernels, options)
}

/// The options for a text next to `kernels!`.
pub(crate) fn with_items() -> Options<'static> {
    let mut options = Options::default();
    options.naming = Naming::Items("");
    options
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
pub(crate) fn texts() -> Vec<String> {
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

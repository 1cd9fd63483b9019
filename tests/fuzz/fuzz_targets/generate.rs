//! From an image to the generated structs: no panic, and one struct or comment per kernel.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_image::Image;
use kernel_args_image::generate::{Naming, Options, Pointers, of_image};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(kernels) = Image::read(bytes).and_then(|image| image.kernels()) else {
        return;
    };
    let mut options = Options::default();
    options.naming = Naming::Items("");
    let text = of_image(&kernels, &options);
    let structs = text.matches("#[derive(KernelArgs)]\n").count();
    assert!(structs <= kernels.symbols().count());
    (options.pointers, options.half, options.float8) = (Pointers::Raw, true, true);
    assert_eq!(of_image(&kernels, &options).matches("#[derive(KernelArgs)]\n").count(), structs);
});

#[cfg(not(fuzzing))]
fn main() {}

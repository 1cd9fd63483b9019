//! From an image's debug information to a C++ header: an error, or a text with balanced brackets, in bounded time.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_abi::Parameter;
use kernel_args_image::{
    Image, Kernel,
    header::{Header, Item},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(kernels) = Image::read(bytes).and_then(|image| image.kernels()) else {
        return;
    };
    for error in kernels.debug_errors() {
        assert!(!error.to_string().is_empty());
    }
    let all: Vec<_> = kernels
        .symbols()
        .take(16)
        .map(|symbol| kernels.kernel(symbol, None).expect("a kernel of this symbol"))
        .collect();
    let parameters: Vec<Vec<Parameter<'_>>> = all.iter().map(Kernel::parameters).collect();
    let items: Vec<Item<'_>> =
        all.iter().zip(&parameters).map(|(kernel, parameters)| Item::kernel(kernel.name, parameters)).collect();
    let header = Header::new().items(&items).namespace("image").forward_declare_pointees();
    for header in [header.clone(), header.leave_out_kernels()] {
        match header.write() {
            Ok(text) => {
                let code = || text.lines().filter(|line| !line.starts_with("//"));
                let count = |c| code().map(|line| line.matches(c).count()).sum::<usize>();
                assert_eq!(count('{'), count('}'), "{text}");
                assert_eq!(count('('), count(')'), "{text}");
                assert!(code().filter(|line| line.contains("__global__")).count() <= items.len());
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});

#[cfg(not(fuzzing))]
fn main() {}

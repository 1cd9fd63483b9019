//! Any bytes are a fat binary or an error, and its members decompress to the specified size.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_image::{
    Image,
    fatbin::{self, Compression},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match fatbin::members(bytes) {
        Ok(members) => {
            for member in members {
                // A bomb of a few bytes is valid, but slow, and tests nothing here.
                if member.size > 1 << 20 {
                    return;
                }
                match member.bytes() {
                    Ok(bytes) => assert!(member.compression == Compression::None || bytes.len() as u64 == member.size),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(image) = Image::read(bytes)
        && let Ok(kernels) = image.kernels()
    {
        for symbol in kernels.symbols() {
            let _ = kernels.kernel(symbol, None).unwrap().parameters();
        }
        for symbol in kernels.variable_symbols() {
            let variable = kernels.variable(symbol, None).unwrap();
            assert!(variable.value().unwrap().size > 0);
        }
    }
});

#[cfg(not(fuzzing))]
fn main() {}

//! Any bytes are a cubin or an error.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_image::{cubin, mangled::Demangled};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match cubin::parse(bytes) {
        Ok(cubin) => {
            for kernel in &cubin.kernels {
                let demangled = Demangled::new(&kernel.name);
                let parameters = kernel.signature_parameters(demangled.as_ref());
                assert_eq!(parameters.len(), kernel.parameters.len());
                for parameter in &kernel.parameters {
                    assert!(parameter.size == 0 || parameter.offset + parameter.size <= kernel.size);
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

#[cfg(not(fuzzing))]
fn main() {}

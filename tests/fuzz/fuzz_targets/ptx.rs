//! Any bytes are PTX, or an error with a position inside them. The result is consistent.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_image::{
    mangled::Demangled,
    ptx::{Module, extent},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    assert!(extent(bytes, true).is_some_and(|end| end <= bytes.len()));
    match Module::read(bytes) {
        Ok(module) => {
            for entry in module.entries() {
                assert!(!entry.name.is_empty());
                let found = module.entry(entry.name).unwrap();
                assert_eq!(found.name, entry.name);
                let demangled = Demangled::new(entry.name);
                let parameters = entry.signature_parameters(demangled.as_ref());
                assert_eq!(parameters.len(), entry.parameters.len());
                for (parameter, declared) in parameters.iter().zip(&entry.parameters) {
                    assert_eq!(parameter.size, declared.layout.size());
                    assert!(!parameter.spelling.is_empty() && !parameter.spelling.contains('\n'));
                }
            }
        }
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1);
            assert!(error.line <= 1 + bytes.len() && error.column <= 1 + bytes.len());
            assert!(!error.to_string().is_empty());
        }
    }
});

#[cfg(not(fuzzing))]
fn main() {}

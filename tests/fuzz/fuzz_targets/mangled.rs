//! Any text is a symbol, a wanted name or neither: `symbol`, then `\n`, then `wanted`.
#![cfg_attr(fuzzing, no_main)]

use kernel_args_image::mangled::{Demangled, candidates, matches, nearest};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let (symbol, wanted) = text.split_once('\n').unwrap_or((text, "k<float>(int)"));
    if let Some(demangled) = Demangled::new(symbol) {
        assert!(demangled.text().contains(demangled.name()));
        let _ = demangled.template_arguments();
        if let Some(types) = demangled.parameters() {
            assert_eq!(demangled.types_of(types.len()).as_deref(), Some(&types[..]));
            for ty in types {
                assert!(!ty.to_string().is_empty());
            }
        }
    }
    let found = candidates(wanted, [symbol]);
    assert_eq!(!found.is_empty(), matches(symbol, wanted));
    assert!(matches(wanted.trim(), wanted));
    assert!(nearest(wanted, [symbol]).len() <= 1);
});

#[cfg(not(fuzzing))]
fn main() {}

//! Names in the debug information of a host library and of an image, with any characters: the generated Rust and C++
//! have the expected items, with the attributes that the generator writes, and no other. Documentation has no HTML and
//! no test.
#![cfg_attr(fuzzing, no_main)]

#[path = "../../../crates/image/tests/generate/evil.rs"]
#[allow(clippy::wildcard_imports)]
mod evil;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|names: [&str; 6]| evil::check(names));

#[cfg(not(fuzzing))]
fn main() {}

//! Writes the random structs of this crate: those of the generator's echo kernels, or the source that
//! KERNEL_ARGS_DERIVED_SOURCE names (the oracle suite writes its own).

use kernel_args_test_generator::{echo, rust};
use std::{env, fs, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=KERNEL_ARGS_DERIVED_SOURCE");
    println!("cargo::rerun-if-changed=build.rs");
    let place = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("structs.rs");
    let text = if let Some(source) = env::var_os("KERNEL_ARGS_DERIVED_SOURCE") {
        println!(
            "cargo::rerun-if-changed={}",
            PathBuf::from(&source).display()
        );
        fs::read_to_string(&source).unwrap_or_else(|error| {
            panic!(
                "KERNEL_ARGS_DERIVED_SOURCE: {}: {error}",
                PathBuf::from(&source).display()
            )
        })
    } else {
        rust::source(&echo::signatures(echo::SEED, echo::DERIVED))
    };
    fs::write(&place, text).expect("cargo's folder can be written");
}

//! Writes structs with hundreds of fields and random structs for the suites.

use kernel_args_test_generator::{conditions, echo, parts, rust, size};
use std::{env, fmt::Write, fs, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={}", size::FULL);
    let mut text = String::new();
    for (name, pairs) in [("Eight", 4), ("SixtyFour", 32), ("FiveHundredTwelve", 256)] {
        let fields: Vec<String> = (0..pairs).map(|i| format!("a{i} b{i}")).collect();
        writeln!(text, "counts!({name}: {});", fields.join(" ")).expect("a String takes any text");
    }
    let derived = rust::source(&echo::signatures(echo::SEED, echo::derived()));
    let parts = parts::source(&parts::all(echo::SEED, echo::derived()));
    let conditions = conditions::source(echo::SEED, size::choose(60, 400));
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    for (file, text) in
        [("counts.rs", text), ("derived.rs", derived), ("parts.rs", parts), ("conditions.rs", conditions)]
    {
        fs::write(Path::new(&out).join(file), text).expect("OUT_DIR can be written to");
    }
}

//! Writes the structs of the echo suite that have hundreds of fields.

use std::{env, fmt::Write, fs, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let mut text = String::new();
    for (name, pairs) in [("Eight", 4), ("SixtyFour", 32), ("FiveHundredTwelve", 256)] {
        let fields: Vec<String> = (0..pairs).map(|i| format!("a{i} b{i}")).collect();
        writeln!(text, "counts!({name}: {});", fields.join(" ")).expect("a String takes any text");
    }
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("counts.rs"), text).expect("OUT_DIR can be written to");
}

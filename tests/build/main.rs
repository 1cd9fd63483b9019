//! Writes the structs of the suites that have hundreds of fields, or random ones.

mod structs;

use std::{env, fmt::Write, fs, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=build");
    let mut text = String::new();
    for (name, pairs) in [("Eight", 4), ("SixtyFour", 32), ("FiveHundredTwelve", 256)] {
        let fields: Vec<String> = (0..pairs).map(|i| format!("a{i} b{i}")).collect();
        writeln!(text, "counts!({name}: {});", fields.join(" ")).expect("a String takes any text");
    }
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("counts.rs"), text).expect("OUT_DIR can be written to");
    fs::write(Path::new(&out).join("structs.rs"), structs::text())
        .expect("OUT_DIR can be written to");
}

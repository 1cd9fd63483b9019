//! Random structs that point to each other (`tests/support/generator`), compiled by NVRTC with debug information: the
//! Rust structs that mirror them fit, and each mistake in a struct is found behind a pointer exactly if it is found in
//! the struct by value.
//!
//! There are 60 structs with 4 mistakes each, 200 with `KERNEL_ARGS_FULL=1`, or the number in
//! `KERNEL_ARGS_POINTEES_STRUCTS`. `KERNEL_ARGS_POINTEES_SEED` is the seed.

use kernel_args_test_generator::tools::trial;
use kernel_args_test_generator::{mirror::Mirrors, size};
use kernel_args_toolchain_tests::{
    folder,
    nvrtc::{self, NVRTC},
    rustc::{self, Compiler, Kind, USUAL},
};
use libtest_mimic::{Arguments, Failed};
use std::{env, fmt::Write as _, fs, process::Command, process::ExitCode};

/// The mistakes in each struct.
const MISTAKES: usize = 4;

pub(crate) fn main() -> ExitCode {
    let trials = vec![trial("mistakes_behind_pointers_are_found_as_by_value", &[NVRTC], random_structs)];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn random_structs() -> Result<(), Failed> {
    let seed = match env::var("KERNEL_ARGS_POINTEES_SEED") {
        Ok(seed) => seed.parse()?,
        Err(_) => 1,
    };
    let count = match env::var("KERNEL_ARGS_POINTEES_STRUCTS") {
        Ok(count) => count.parse()?,
        Err(_) => size::choose(60, 200),
    };
    let mirrors = Mirrors::random(seed, count);
    let images = folder("pointees/images")?;
    let source = images.join("mirrors.cu");
    fs::write(&source, mirrors.cpp())?;
    let options = &["--device-debug"];
    nvrtc::compile_with(&images, "compute_75", &[], options, &[source])?;
    let image = images.join("mirrors.ptx");
    let files = [("main.rs", include_str!("compare.rs")), ("structs.rs", &program(&mirrors))];
    let crates = folder("pointees/crates")?;
    let compiler = Compiler::new(&crates, &USUAL);
    let output = compiler.one(&rustc::lay_out(&crates, "pointees", Kind::Program, &files)?)?;
    let Some(program) = &output.program else {
        let errors: String = output.rendered("error").collect();
        return Err(errors.chars().take(6000).collect::<String>().into());
    };
    let output = Command::new(program).arg(&image).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    let found = judge(&String::from_utf8(output.stdout)?)?;
    println!(
        "pointees: seed {seed}, {} structs fit by value and behind a pointer; {found} of {} mistakes were found, the same \
         ones by value and behind a pointer",
        mirrors.structs.len(),
        mirrors.structs.len() * MISTAKES
    );
    // A struct without a member that can be changed has no mistake of this kind, but all kinds fall back to an
    // exchange.
    if found != mirrors.structs.len() * MISTAKES {
        return Err("a mistake was not found".into());
    }
    Ok(())
}

/// The Rust structs, and a list of what to compare: the kernels' number, and the fields by value and behind a pointer.
fn program(mirrors: &Mirrors) -> String {
    let mut text = String::from(
        "use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, vector::Float4};\nuse super::Case;\n",
    );
    let mut cases = String::new();
    let mut add = |text: &mut String, name: &str, index, members: &[_], mistake: &str| {
        text.push_str(&Mirrors::rust(name, index, members));
        let _ = writeln!(cases, "    Case::of::<{name}>({index}, {mistake:?}),");
    };
    for (index, members) in mirrors.structs.iter().enumerate() {
        add(&mut text, &format!("S{index}"), index, members, "");
        for number in 0..MISTAKES {
            let name = format!("S{index}With{number}");
            let members = mirrors.mistake(index, number);
            add(&mut text, &name, index, &members, &number.to_string());
        }
    }
    let _ = writeln!(text, "pub fn cases() -> Vec<Case> {{ vec![\n{cases}] }}");
    text
}

/// The number of mistakes that were found.
fn judge(output: &str) -> Result<usize, String> {
    let mut found = 0;
    let mut wrong = String::new();
    for line in output.lines() {
        let [index, mistake, by_value, behind, text] = line.splitn(5, '\t').collect::<Vec<_>>()[..] else {
            return Err(format!("not a result: {line}"));
        };
        let (by_value, behind) = (by_value == "fits", behind == "fits");
        let is_right = mistake.is_empty();
        if by_value != behind || is_right != behind {
            let _ = writeln!(wrong, "S{index} {mistake}: by value {by_value}, behind {behind}: {text}");
        }
        found += usize::from(!is_right && !behind);
    }
    if wrong.is_empty() { Ok(found) } else { Err(wrong.chars().take(6000).collect()) }
}

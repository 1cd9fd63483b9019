//! A program with the structs of images, which prints whether they match.

use kernel_args_image::Image;
use kernel_args_image::generate::{self, Naming, Options, Pointers};
use kernel_args_toolchain_tests::{
    folder,
    rustc::{self, Compiler, Kind, USUAL},
};
use std::{fmt::Write as _, fs, path::PathBuf, process::Command};

/// Generates structs for all kernels of these images, builds them, and checks the program's output for each.
pub(crate) fn fit(package: &str, images: &[PathBuf]) -> Result<(), String> {
    let mut source = String::from("use super::{fit, of};\n");
    let mut calls = String::new();
    let mut count = 0;
    for (i, path) in images.iter().enumerate() {
        let image = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let kernels = Image::read(&image).and_then(|image| {
            let mut kernels = image.kernels()?;
            image.add_bodies(&mut kernels, |_| true)?;
            Ok(kernels)
        });
        let kernels = kernels.map_err(|error| format!("{}: {error}", path.display()))?;
        let module = format!("crate::structs::m{i}::image");
        let mut options = Options::default();
        options.naming = Naming::Items(&module);
        // The features of the generated crate.
        options.half = i % 2 == 0;
        options.textures = true;
        options.pointers = [Pointers::Slices, Pointers::Raw][i / 2 % 2];
        let text = generate::of_image(&kernels, &options);
        let _ = writeln!(
            source,
            "pub mod m{i} {{ // {path}\nkernel_args::kernels! {{ pub mod image = {path:?}; }}\npub mod structs {{\n{text}}} }}",
            path = path.display().to_string()
        );
        let _ = writeln!(calls, "fit({:?}, const {{ &[", path.display().to_string());
        for name in names(&text) {
            let _ = writeln!(calls, "of::<m{i}::structs::{name}>(),");
            count += 1;
        }
        calls.push_str("] });\n");
    }
    let _ = writeln!(source, "pub fn all() {{\n{calls}}}");
    let files = [("main.rs", include_str!("fit.rs")), ("structs.rs", &source)];
    let folder = folder("codegen/crates")?;
    let compiler = Compiler::new(&folder, &USUAL);
    let output = compiler.one(&rustc::lay_out(&folder, package, Kind::Program, &files)?)?;
    let Some(program) = &output.program else {
        let errors: String = output.rendered("error").collect();
        return Err(errors.chars().take(6000).collect());
    };
    let warnings: String = output.rendered("warning").filter(|message| message.contains("structs.rs")).collect();
    if !warnings.is_empty() {
        return Err(warnings.chars().take(6000).collect());
    }
    let output = Command::new(program).output().map_err(|error| format!("{}: {error}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    // The program's line for a struct that matches: the kernel, and the number of its parameters.
    let is_fit = |line: &&str| {
        let parameters = line.split('\t').nth(1);
        parameters.is_some_and(|count| count.parse::<usize>().is_ok())
    };
    let fit = said.lines().filter(is_fit).count();
    println!("{package}: {fit} of {count} structs of {} images fit", images.len());
    if count == 0 || fit != count || !output.status.success() {
        let wrong = said.lines().filter(|line| !is_fit(line)).take(60);
        let wrong = wrong.fold(String::new(), |text, line| text + line + "\n");
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{wrong}{stderr}"));
    }
    Ok(())
}

/// The names of the structs of kernels. A generic struct names none: rustc compares it with all instances of its
/// template.
fn names(text: &str) -> Vec<&str> {
    let kernels = text.split("#[derive(KernelArgs)]\n").skip(1);
    let declared = kernels.filter_map(|kernel| kernel.split_once("pub struct ")?.1.split_once('{'));
    let declared = declared.filter(|(declared, _)| !declared.contains("T: DeviceType"));
    declared.filter_map(|(declared, _)| declared.split([' ', '<']).next()).collect()
}
